"""Events: what shall happen in a run when a quantity crosses a value, or at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from flexmb.errors import ModelError
from flexmb.model import checks, given_names
from flexmb.model.components import Component
from flexmb.model.frames import Frame, meant_frame
from flexmb.model.hints import AnswersCalls, answers_calls

#: directions in which a quantity may cross a value, and what they are in numbers
DIRECTIONS = {"up": 1.0, "down": -1.0, "both": 0.0}


@dataclass(frozen=True, eq=False)
class Crossing(metaclass=AnswersCalls):
    """A quantity crosses a value, see :func:`crossing`.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("falling", gravity=(0, -10))
    >>> stone = m.add_body("stone", mass=1.0, inertia=0.1, position=(0, 5))
    >>> landing = m.add_event(fm.crossing("stone.y", 0.0, "down"), fm.StopRun(), name="landing")
    >>> landing.when.quantity, landing.when.direction
    ('stone.y', 'down')
    """

    quantity: Any
    value: float
    direction: str
    frames: tuple[Frame, ...] = ()

    def __str__(self) -> str:
        if isinstance(self.quantity, str):
            return self.quantity
        return str(getattr(self.quantity, "name", None) or getattr(self.quantity, "__name__", "function"))


@answers_calls
def crossing(
    quantity: str | Callable[..., float] | Any,
    value: float = 0.0,
    direction: str = "both",
    *,
    frames: Frame | Sequence[Frame] = (),
) -> Crossing:
    """The instants at which a quantity crosses a value, for :meth:`flexmb.PlanarModel.add_event`.

    `quantity`: a name as a solution knows it ('arm.end.x', 'arm.end.vy', 'hinge.angle', 'slide.position',
    'hinge.force', 'rod.bending1'); a sensor; or a function of Python

        number = function(t, position, velocity)

    of one or more `frames`, with position and velocity as :class:`flexmb.planar.PythonForce` gets them (in space
    :class:`flexmb.spatial.PythonForce`). `value`, in its unit. `direction`: "up", "down" or "both".

    The instant is found to the order of the method. A quantity that touches the value and turns back may be found or
    not; one that crosses it twice within a step is, if its rates at the ends of the step show it. Angles are counted
    through all turns from the start of the run.

    >>> import flexmb as fm
    >>> fm.crossing("stone.y", 0.5, "down")
    Crossing(quantity='stone.y', value=0.5, direction='down', frames=())
    """
    where = "crossing"
    checks.choice(direction, DIRECTIONS, "direction", where)
    known = isinstance(quantity, str) or callable(quantity) or hasattr(quantity, "readings")
    if not known:
        raise ModelError(
            f"{where}: {checks.quoted(quantity)} is no quantity; give a name as 'arm.end.x', a sensor or a function"
        )
    given = tuple(meant_frame(frame, where) for frame in checks.several(frames, "frames", where))
    if (callable(quantity) and not hasattr(quantity, "readings")) != bool(given):
        wanted = "a function needs frames=…" if not given else "frames are for functions of Python"
        raise ModelError(f"{where}: {wanted}")
    return Crossing(quantity, checks.number(value, "value", where), direction, given)


@dataclass(frozen=True)
class Note(metaclass=AnswersCalls):
    """An event is noted in `solution.events`, and the run goes on as it was.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("falling", gravity=(0, -10))
    >>> stone = m.add_body("stone", mass=1.0, inertia=0.1, position=(0, 5))
    >>> passing = m.add_event(fm.crossing("stone.y", 3.2, "down"), fm.Note(), name="passing")
    >>> run = fm.simulate(m, 1.0)
    >>> run.status, round(run.events[0].t, 6)
    ('finished', 0.6)
    """

    def __str__(self) -> str:
        return "noted"


@dataclass(frozen=True)
class StopRun(metaclass=AnswersCalls):
    """An event ends the run: `solution.status` is 'stopped', and `solution.message` names the event.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("falling", gravity=(0, -10))
    >>> stone = m.add_body("stone", mass=1.0, inertia=0.1, position=(0, 5))
    >>> landing = m.add_event(fm.crossing("stone.y", 0.0, "down"), fm.StopRun(), name="landing")
    >>> run = fm.simulate(m, 2.0)
    >>> run.status, round(float(run.t[-1]), 6)
    ('stopped', 1.0)
    """

    def __str__(self) -> str:
        return "stopped"


@dataclass(frozen=True, eq=False)
class Switch(metaclass=AnswersCalls):
    """An event switches components `on` and `off`, themselves or their names; those that are so already stay so.

    Joints that come on find speeds that do not fit: these jump as in a plastic impact, which keeps momentum.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("falling", gravity=(0, -10))
    >>> stone = m.add_body("stone", mass=1.0, inertia=0.1)
    >>> rope = m.weld(m.ground, stone.frame, name="rope")
    >>> cut = m.add_event(0.5, fm.Switch(off=rope), name="cut")
    >>> round(float(fm.simulate(m, 1.0)["stone.y"][-1]), 6)  # −½ g 0.5²
    -1.25
    """

    on: Any = ()
    off: Any = ()

    def __post_init__(self) -> None:
        for what in ("on", "off"):
            given = getattr(self, what)
            several = [given] if isinstance(given, str | Component) else checks.several(given, what, "Switch")
            names = tuple(
                x.name if isinstance(x, Component) else given_names.name(x, f"Switch: {what}") for x in several
            )
            object.__setattr__(self, what, names)
        if not self.on and not self.off:
            raise ModelError("Switch: nothing is to be switched; name components with on=… or off=…")
        both = sorted({*self.on} & {*self.off})
        if both:
            raise ModelError(f"Switch: {both[0]!r} is to be on and off; take one of them away")

    def __str__(self) -> str:
        parts = [f"{', '.join(names)} {way}" for names, way in ((self.on, "on"), (self.off, "off")) if names]
        return f"switched {' and '.join(parts)}"


class Switching(Protocol):
    """What components of a model do by themselves in a run, such as the valves of its jets: `events`, whose actions are
    :class:`Demand`. A component names the class of its own in `switches_itself`; that is called with all components,
    the events that the model has, and start and end of the run [s], and serves all components that name it."""

    @property
    def events(self) -> Sequence[Event]:
        """The events that they bring."""

    def begin(
        self,
        t: float,
        off: Iterable[str],
        above: Mapping[str, bool],
        past: Sequence[Any] | None,
        happened: frozenset[str],
    ) -> None:
        """Stand as at the start of a run at t [s]: components `off`, the events by name whose quantities are `above`
        their values, the records of a run that this one continues, and the names of all events before."""

    def asked(self, demand: Demand, t: float) -> tuple[Switch, list[Event]]:
        """What is switched at t [s] by a demand, and the events whose times have changed."""

    def told(self) -> Mapping[str, bool]:
        """Whether the last demand on each component was to be on."""

    def doubts(self, solution: Any) -> list[str]:
        """Why a run is in doubt, a sentence each."""


@dataclass(frozen=True, eq=False)
class Demand:
    """The action of an event that components bring themselves: one of them, `of`, is told to be `on` or off, or is to
    do what is due (None); `by` knows what follows."""

    by: Switching
    of: str
    on: bool | None

    def __str__(self) -> str:
        return "valve moves" if self.on is None else f"told to {'open' if self.on else 'close'}"


def switching_of(components: Iterable[Component], taken: Sequence[Event], t_start: float, t_end: float) -> list[Any]:
    """What the components of a model do by themselves in a run from `t_start` to `t_end` [s]; `taken`: its events."""
    every = list(components)
    kinds = dict.fromkeys(c.switches_itself for c in every if c.switches_itself is not None)
    return [kind(every, taken, t_start, t_end) for kind in kinds]


ACTIONS = (Note, StopRun, Switch)


@dataclass(eq=False)
class Event(metaclass=AnswersCalls):
    """What shall be done, a list of actions, when something happens, see :meth:`flexmb.PlanarModel.add_event`.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("falling", gravity=(0, -10))
    >>> stone = m.add_body("stone", mass=1.0, inertia=0.1, position=(0, 5))
    >>> m.add_event(0.5, fm.Note(), name="half a second")
    Event('half a second')
    >>> fm.simulate(m, 1.0).events[0].name
    'half a second'
    """

    name: str
    model: Any
    when: Crossing | float
    do: Any
    once: bool = False

    def __post_init__(self) -> None:
        self.check()

    @property
    def where(self) -> str:
        """The event as messages name it."""
        return f"event {self.name!r}"

    def __repr__(self) -> str:
        return f"Event({self.name!r})"

    def check(self) -> None:
        """Raise a ModelError if it cannot be right; called when it is made and again at every run."""
        where = self.where
        if not isinstance(self.when, Crossing):
            if isinstance(self.when, str) or callable(self.when) or hasattr(self.when, "readings"):
                raise ModelError(f"{where}: when is {checks.quoted(self.when)}; write when=fm.crossing(…, value)")
            self.when = checks.number(self.when, "when", where)
        self.do = [self.do] if isinstance(self.do, (*ACTIONS, Demand)) else checks.several(self.do, "do", where)
        if not self.do:
            raise ModelError(f"{where}: nothing is done; give Note(), StopRun() or Switch(…)")
        for action in self.do:
            if not isinstance(action, (*ACTIONS, Demand)):
                hint = "; write it with parentheses" if any(action is kind for kind in ACTIONS) else ""
                known = "give Note(), StopRun() or Switch(…)"
                raise ModelError(f"{where}: {checks.quoted(action)} is no action; {known}{hint}")
            for name in (*action.on, *action.off) if isinstance(action, Switch) else ():
                given_names.known(name, self.model.components, "component", where)
        self.once = checks.flag(self.once, "once", where)
        for frame in self.when.frames if isinstance(self.when, Crossing) else ():
            if frame.model is not self.model:
                raise ModelError(f"{where}: {frame.where} belongs to another model, {frame.model.name!r}")
        check_in = getattr(getattr(self.when, "quantity", None), "check_in", None)
        if check_in is not None:
            check_in(self.model, where)
