"""The model of a mechanism: names, frames, components and controllers, no numerics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

from flexmb.errors import ModelError, NamingError
from flexmb.machine import reports
from flexmb.model import checks, given_names
from flexmb.model.appearance import Place, check_place
from flexmb.model.checks import Vector
from flexmb.model.components import Component
from flexmb.model.events import Crossing, Event, Note, StopRun, Switch
from flexmb.model.frames import Frame
from flexmb.model.gravity.attracted import FieldOfGravity
from flexmb.model.hints import Answering
from flexmb.model.verbs import verb_name

C = TypeVar("C", bound=Component)

#: analyses, which are functions of a model
_ANALYSES = (
    "simulate", "equilibrium", "equilibrium_path", "quasi_static", "kinematics", "assemble", "modes", "complex_modes",
    "campbell", "linearize",
)  # fmt: skip
#: words of other programs for verbs
_WORDS = {
    **dict.fromkeys(("hinge", "pin", "rotational", "revolve"), "revolute"),
    **dict.fromkeys(("slider", "slide", "translational", "sliding"), "prismatic"),
    **dict.fromkeys(("fixed", "fix", "rigid", "clamp", "welded"), "weld"),
    **dict.fromkeys(("ball", "ball_and_socket"), "spherical"),
    **dict.fromkeys(("cardan", "hooke"), "universal"),
    **dict.fromkeys(("spring", "damper"), "spring_damper"),
    **dict.fromkeys(("rigid_body", "link"), "body"),
    "force": "point_force",
    "torque": "point_torque",
    "moment": "point_torque",
    "mass": "point_mass",
    "flexible_body": "beam",
    "actuator": "motor",
}
#: where a mechanism is, by how many coordinates a place has
_DIMENSIONS = {2: "the plane", 3: "space"}


class Model(Answering):
    """The parts of a mechanism. Every room below :class:`flexmb.PlanarModel` is typed against this class.

    Arguments: `name`; `gravity` (2,) [m/s²], or a field. Attributes: `frames`, `components`, `controllers` by name;
    `off`: names of the components that start without taking part; `ground`, a fixed frame.
    """

    ground: Frame
    gravity: Any = FieldOfGravity()
    #: how many coordinates a place has
    dimension = 2

    #: the model in messages about calls of its verbs
    _called = "model"
    #: what to write for words that other programs have
    _hints: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("bodies", "beams", "joints", "parts"), "model.components"),
        **dict.fromkeys(("nodes", "markers"), "model.frames"),
        **{what: f"fm.{what}(model, …)" for what in _ANALYSES},
        "linearize": "fm.linearize(model, …)",
        "run": "fm.simulate(model, t_end)",
        "solve": "fm.simulate(model, t_end)",
        "set_gravity": "model.gravity = …, in m/s²",
    }

    def __init__(self, name: str, gravity: Any = (0.0, 0.0)) -> None:
        self.name = given_names.name(name, "model")
        self.frames: dict[str, Frame] = {}
        self.components: dict[str, Component] = {}
        self.gravity = gravity
        self.controllers: dict[str, Any] = {}
        self.events: dict[str, Event] = {}
        #: names of the components that take no part until they are switched on
        self.off: set[str] = set()
        self._counts: dict[str, int] = {}

    @property
    def where(self) -> str:
        """The model as messages name it."""
        return f"model {self.name!r}"

    def _instead_of(self, what: str) -> str:
        """Bodies, beams and controllers are added, `add_body`; joints and forces are verbs, `revolute`."""
        stem = what.removeprefix("add_").removesuffix("_joint")
        stem = _WORDS.get(stem, stem)
        for verb in (stem, f"add_{stem}"):
            if verb != what and callable(getattr(type(self), verb, None)):
                return f"model.{verb}(…)"
        return super()._instead_of(what)

    def add(self, component: C) -> C:
        """Put a component (built in or your own) into the model, and return it; one without a name gets one, such as
        "revolute 1".

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("door", gravity=(0, -9.81))
        >>> door = m.add_body("door", mass=20.0, inertia=2.0)
        >>> latch = m.add(fm.planar.Lock(m.ground, door.frame, "angle"))
        >>> latch.name
        'lock 1'
        """
        if not isinstance(component, Component):
            raise ModelError(
                f"{self.where}: {checks.quoted(component)} is not a component; derive it from flexmb.Component"
            )
        if isinstance(component.name, str) and not component.name:
            component.name = self._auto_name(verb_name(type(component)))
        self.free_name(component.name, component.where)
        with self.all_or_nothing():
            self._check_component(component)
        self.components[component.name] = component
        if component.starts_off:
            self.off.add(component.name)
        return component

    def switch_off(self, component: Component) -> None:
        """Let a component take no part from the start, until an event or :meth:`switch_on` makes it do so: a latch that
        is not closed yet, a spring that is not hooked in. It has no forces, constraints or energy then, and its frames
        need not fit. Bodies and beams cannot be off, since they have inertia.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("m")
        >>> door = m.add_body("door", mass=20.0, inertia=2.0, position=(0.5, 0))
        >>> hinge = m.revolute(m.ground, door.attach("edge", (-0.5, 0)), name="hinge")
        >>> latch = m.lock(m.ground, door.frame, "angle", name="latch")
        >>> m.switch_off(latch)
        >>> [row.where for row in fm.System(m).rows]
        ['hinge (x)', 'hinge (y)']
        """
        name = self._own_component(component, "switch_off").name
        if name in self.off:
            raise ModelError(f"{self.where}: {component.where} is off already")
        self.off.add(name)

    def switch_on(self, component: Component) -> None:
        """Let a component take part from the start that was switched off.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("door", gravity=(0, -9.81))
        >>> door = m.add_body("door", mass=20.0, inertia=2.0)
        >>> latch = m.lock(m.ground, door.frame, "angle", name="latch")
        >>> m.switch_off(latch)
        >>> m.switch_on(latch)
        >>> len(fm.System(m).rows)
        1
        """
        name = self._own_component(component, "switch_on").name
        if name not in self.off:
            raise ModelError(f"{self.where}: {component.where} is on already")
        self.off.remove(name)

    def _own_component(self, component: Component, what: str) -> Component:
        """A component of this model, or an error."""
        if not isinstance(component, Component):
            raise ModelError(
                f"{self.where}, {what}: {checks.quoted(component)} is not a component; give one of this model"
            )
        check_member(component, self, f"{self.where}, {what}")
        return component

    def check(self) -> dict[str, Place]:
        """Raise a ModelError if something in the model cannot be right. Every analysis begins with this check. It
        repeats the checks of each part, since a user may set attributes at any time. Returns where results find the
        components that have a place.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("door", gravity=(0, -9.81))
        >>> door = m.add_body("door", mass=20.0, inertia=2.0)
        >>> m.check() is not None  # an error if the model cannot be right
        True
        """
        self.gravity = self.gravity  # which is checked, and attracts what has come since
        for things in (self.frames, self.components, self.controllers, self.events):
            for name, thing in things.items():
                if thing.name != name:
                    raise NamingError(
                        f"{self.where}: {thing.where} was called {name!r} when it was made; names are given once"
                    )
        nodes = set()
        for frame in self.frames.values():
            frame.check()
            if id(frame.node) not in nodes:
                nodes.add(id(frame.node))
                frame.node.check(frame.where)
        places = {name: self._check_component(component) for name, component in self.components.items()}
        for controller in self.controllers.values():
            controller.check()
        for event in self.events.values():
            event.check()
        return {name: place for name, place in places.items() if place is not None}

    def _check_component(self, component: Component) -> Place | None:
        """Refuse a component whose data are wrong, or whose frames or parts are not in this model; its place."""
        where = component.where
        component.take_frames()
        for frame in component.frames():
            check_member(frame, self, where)
        for part in component.parts():
            check_member(part, self, where)
        if component.dimension not in (None, self.dimension):
            of, this = (_DIMENSIONS[d] for d in (component.dimension, self.dimension))
            raise ModelError(
                f"{where}: {type(component).__name__} is of {of}, and model {self.name!r} is one of {this}; "
                f"take what the methods of {type(self).__name__} make; a class of your own "
                f"for {this} says dimension = {self.dimension}"
            )
        component.check()
        place = component.place()
        check_place(place, self.frames, where)
        return place

    def frame(self, name: str) -> Frame:
        """The frame of that name.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("door", gravity=(0, -9.81))
        >>> door = m.add_body("door", mass=20.0, inertia=2.0)
        >>> m.frame("door").position.tolist()
        [0.0, 0.0]
        """
        return self.frames[given_names.known(name, self.frames, "frame", self.where)]

    def component(self, name: str) -> Component:
        """The component of that name.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("door", gravity=(0, -9.81))
        >>> door = m.add_body("door", mass=20.0, inertia=2.0)
        >>> m.component("door").mass
        20.0
        """
        return self.components[given_names.known(name, self.components, "component", self.where)]

    def set_rigid_motion(
        self,
        velocity: Vector = (0.0, 0.0),
        angular_velocity: float = 0.0,
        about: Vector = (0.0, 0.0),
        components: Iterable[Component] | None = None,
    ) -> None:
        """Start some components (all of them when not given) as one rigid body: `velocity` (2,) [m/s] of the point
        `about` (2,) [m], `angular_velocity` [rad/s].

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("door", gravity=(0, -9.81))
        >>> door = m.add_body("door", mass=20.0, inertia=2.0)
        >>> m.set_rigid_motion(velocity=(1.0, 0.0), angular_velocity=2.0)
        >>> fm.simulate(m, 0.1, step=0.1).v[0].tolist()
        [1.0, 0.0, 2.0]
        """
        self._start_rigidly(velocity, angular_velocity, about, components)

    def _start_rigidly(
        self, velocity: Any, angular_velocity: Any, about: Any, components: Iterable[Component] | None
    ) -> None:
        """Start some components, or all of them with all frames, as one rigid body."""
        where = f"{self.where}, rigid motion"
        motion = checks.rigid_motion(velocity, angular_velocity, about, where, self.dimension)
        given = (
            list(self.components.values()) if components is None else checks.several(components, "components", where)
        )
        if components is not None and not given:
            raise ModelError(f"{where}: components are empty; leave them out to start all of them")
        for component in given:
            if not isinstance(component, Component):
                raise ModelError(f"{where}: {checks.quoted(component)} is not a component; give some of this model")
            check_member(component, self, where)
        for component in given:
            component.rigid_motion(*motion)
        if components is None:
            for frame in self.frames.values():
                if not frame.node.fixed:
                    frame.node.move(*motion)

    def add_event(
        self,
        when: Crossing | float,
        do: Note | StopRun | Switch | Sequence[Note | StopRun | Switch],
        name: str | None = None,
        *,
        once: bool = False,
    ) -> Event:
        """What is done in a run, `when` a quantity crosses a value (:func:`flexmb.crossing`) or at a time [s].

        `do`: :class:`flexmb.Note` (it stands in `solution.events`, as all events do), :class:`flexmb.StopRun` (the run
        ends), :class:`flexmb.Switch` (components come on or off), or several, in this order. `once`: the first time
        only; else each time.

        The run has a step that ends at the instant; with a fixed step the next one ends on the grid again. A quantity
        that is beyond its value at the start has not crossed it; one that moves through its value at the start is
        refused, and so is a time that is the start. A state to start from, as that of a run that an event has stopped,
        counts as behind the event. Runs alone have events: analyses of rest, kinematics, vibration and linear models
        leave them out; derivatives of runs by Radau IIA (:func:`flexmb.sensitivity`) go through them.
        A run in which an event happens for ever at one instant, or at times that accumulate, ends and says so.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("falling", gravity=(0, -10))
        >>> stone = m.add_body("stone", mass=1.0, inertia=0.1, position=(0, 5))
        >>> m.add_event(fm.crossing("stone.y", 0.0, "down"), fm.StopRun(), name="landing")
        Event('landing')
        >>> solution = fm.simulate(m, 2.0)
        >>> solution.status, round(solution.events[0].t, 9)
        ('stopped', 1.0)
        """
        proposal, number = "event 1", 1
        while name is None and proposal in self.events:
            number += 1
            proposal = f"event {number}"
        name = given_names.name(proposal if name is None else name, f"{self.where}: an event")
        if name in self.events:
            raise NamingError(f"{self.where}: there is an event {name!r} already; give another name")
        self.events[name] = event = Event(name, self, when, do, once)
        return event

    @contextmanager
    def all_or_nothing(self) -> Iterator[None]:
        """Take out again the frames that came in, places along beams among them, if something is refused.

        >>> import contextlib, flexmb as fm
        >>> m = fm.PlanarModel("door", gravity=(0, -9.81))
        >>> door = m.add_body("door", mass=20.0, inertia=2.0)
        >>> with contextlib.suppress(fm.FlexmbError), m.all_or_nothing():
        ...     door.attach("edge", (0.5, 0)) and m.frame("nowhere")
        >>> "door.edge" in m.frames
        False
        """
        before = len(self.frames)
        try:
            yield
        except Exception:
            for name in list(self.frames)[before:]:
                del self.frames[name]
            raise

    # -- names ------------------------------------------------------------------------------------------------------

    def register_frame(self, frame: Frame) -> Frame:
        """Enter a frame in the model under its name.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("door", gravity=(0, -9.81))
        >>> door = m.add_body("door", mass=20.0, inertia=2.0)
        >>> edge = door.attach("edge", (0.5, 0))  # attach registers what it makes
        >>> m.frame("door.edge") is edge
        True
        """
        given_names.name(frame.name, f"{self.where}: a frame")
        if frame.name in self.frames:
            raise NamingError(f"{self.where}: there is a frame {frame.name!r} already; give another name")
        self.frames[frame.name] = frame
        return frame

    def _auto_name(self, stem: str) -> str:
        """'stem 1', 'stem 2', … for a component that was given no name."""
        while True:
            self._counts[stem] = self._counts.get(stem, 0) + 1
            proposal = f"{stem} {self._counts[stem]}"
            if proposal not in self.components:
                return proposal

    def free_name(self, name: Any, where: str) -> str:
        """The name of a new component, or an error if it is no name or another component has it; `where` is what the
        message calls the new one.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("door", gravity=(0, -9.81))
        >>> door = m.add_body("door", mass=20.0, inertia=2.0)
        >>> m.free_name("latch", "the new part")
        'latch'
        """
        given_names.name(name, f"{self.where}: {where}")
        if name in self.components:
            raise NamingError(f"{self.where}: there is a component {name!r} already; give another name")
        return str(name)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {len(self.frames)} frames, {len(self.components)} components)"

    def _repr_html_(self) -> str:
        counts = Counter(type(component).__name__ for component in self.components.values())
        lines = [
            f"{len(self.frames)} frames, {len(self.components)} components"
            + (f": {', '.join(f'{many} {kind}' for kind, many in counts.most_common(12))}" if counts else ""),
            f"gravity {self.gravity.said}",
            f"controllers: {reports.some(self.controllers)}" if self.controllers else "",
            f"events: {reports.some(self.events)}" if self.events else "",
            f"off at the start: {reports.some(sorted(self.off))}" if self.off else "",
        ]

        def row(component: Component) -> tuple[str, ...]:
            frames = [frame.name for frame in component.frames() if isinstance(frame, Frame)]
            return component.name, type(component).__name__, reports.some(frames, 4)

        parts = reports.table(["name", "what", "frames"], map(row, self.components.values()), len(self.components))
        return reports.report(f"{type(self).__name__} {self.name!r}", lines, parts)


def check_model(model: Any, where: str) -> None:
    """Refuse what is no model."""
    if not isinstance(model, Model):
        raise ModelError(f"{where}: {checks.quoted(model)} is no model; make it by a method of the model")


def check_member(thing: Frame | Component, model: Model, where: str) -> None:
    """Refuse a frame or a component that is not in a model; a place on a beam of the model becomes a frame of it."""
    if not isinstance(thing, Frame | Component):
        raise ModelError(f"{where}: {checks.quoted(thing)} is neither a frame nor a component; give one of the model")
    if model.frames.get(thing.name) is thing or model.components.get(thing.name) is thing:
        return
    if isinstance(thing, Frame) and thing.model is model:
        thing.enter()
        if model.frames.get(thing.name) is thing:
            return
    what = thing.where
    frames = [thing] if isinstance(thing, Frame) else [f for f in thing.frames() if isinstance(f, Frame)]
    other = next((frame.model for frame in frames), None)
    if other is None or other.frames is model.frames:
        raise ModelError(f"{where}: {what} is not in model {model.name!r}; add it first, under the name that it has")
    owner = f"model {other.name!r}, not to {model.name!r}"
    if other.name == model.name:
        owner = f"another model, which is called {model.name!r} too"
    raise ModelError(f"{where}: {what} belongs to {owner}; use frames and components of one model")
