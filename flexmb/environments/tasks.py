"""A task of control: a mechanism, what commands it, what is observed of it, and what is rewarded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.batches.starts import Start
from flexmb.environments.draws import Range, ranges_of
from flexmb.errors import ModelError, NamingError
from flexmb.feedback.named_sensors import NamedQuantity
from flexmb.feedback.sensors import Sensor
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls
from flexmb.model.model import Model
from flexmb.results.state import State

#: Part of a period by which a duration may differ from whole periods: decimal numbers are rounded.
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False, kw_only=True)
class Task(metaclass=AnswersCalls):
    """Ingredients of environments: :class:`Env` of one mechanism, :class:`VectorEnv` of many copies of it.

    An *action* is a command for each of some components; it is added to their strength and held for a control period.
    After it, quantities of the mechanism are read, and a reward is computed from them. An episode lasts for a duration,
    unless it ends before.

    Arguments: `model`; `commands`: for names of components with a strength (motors, torques, forces) the lowest and
    the highest command, in their unit; actions beyond are cut there. With `scaled`, an action is not the command, but
    goes from -1 for the lowest command to 1 for the highest, as learning prefers; `observations`: names of quantities
    as a solution has them, "hinge.angle", or sensors (:mod:`flexmb.control`), which may have noise of their own; or a
    dict of names to ranges, beyond which the sensor saturates; `period` of control [s];

    `reward(moment)` is a function of NumPy arrays over all members, see :class:`Moment`, that returns the rewards
    (N,); or, compiled by :func:`numba.njit`, a function of one member's values (in the order of `names`), action and
    time that returns a number; `terminated` is such a function that says whether an episode has reached its end;
    `measured`: names of further quantities that these two read; `duration` of an episode [s], after which it is
    truncated.

    What differs from episode to episode is a number, a range from which it is drawn evenly, or a function of a
    :class:`numpy.random.Generator`: `initial`, by names of joint coordinates and their rates, "hinge.angle" and
    "hinge.rate"; `targets`, numbers with names of your own, which are observed behind all else; `vary`, parameters by
    names, "tip.mass", "rod.material.youngs_modulus"; `delay` of the commands [s]. `noise`: standard deviations of
    observations, by name.

    `method` and its `options` are those of :func:`flexmb.simulate`; `marks`: names of values that are the coordinates
    of a point, which pictures show.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("wheel")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=0.1)
    >>> axle = m.revolute(m.ground, wheel.frame, name="axle")
    >>> motor = m.point_torque(wheel.frame, 0.0, name="motor")
    >>> task = fm.environments.Task(
    ...     model=m, commands={"motor": (-1, 1)}, observations=["axle.angle", "axle.rate"], period=0.05, duration=1.0,
    ...     reward=lambda now: -(now["axle.angle"] ** 2), initial={"axle.angle": (-1, 1)},
    ... )
    >>> task.names, task.periods
    (('axle.angle', 'axle.rate'), 20)
    """

    model: Model
    commands: Mapping[str, Any]
    observations: Any
    period: float
    reward: Callable[..., Any]
    terminated: Callable[..., Any] | None = None
    measured: Sequence[Any] = ()
    duration: float = 10.0
    initial: Mapping[str, Any] = field(default_factory=dict)
    targets: Mapping[str, Any] = field(default_factory=dict)
    vary: Any = field(default_factory=dict)
    delay: Any = 0.0
    noise: Any = field(default_factory=dict)
    method: str | None = None
    options: Any = field(default_factory=dict)
    marks: Sequence[str] = ()
    scaled: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.model, Model):
            raise ModelError(
                f"task of an environment: {checks.quoted(self.model)} is not a model; give a PlanarModel or a "
                "SpatialModel"
            )
        where = self.where
        checks.check_fields(self, checks.positive, where, "period", "duration")
        checks.check_fields(self, checks.flag, where, "scaled")
        for what in ("commands", "initial", "targets", "vary", "noise", "options"):
            checks.by_names(getattr(self, what), what, where)
        for what in ("reward", "terminated"):
            given = getattr(self, what)
            if not callable(given) and (given is not None or what == "reward"):
                raise ModelError(
                    f"{where}: {what} is {checks.quoted(given)}; give a function of a Moment, or of numbers"
                )
        put = lambda name, value: object.__setattr__(self, name, value)  # noqa: E731
        put("limits", self._limits())
        observed = self.observations
        put(
            "_observed",
            checks.several(list(observed) if isinstance(observed, Mapping) else observed, "observations", where),
        )
        put("_measured", checks.several(self.measured, "measured", where))
        seen = [getattr(one, "name", one) for one in self._observed]
        read = [*seen, *(getattr(one, "name", one) for one in self._measured)]
        for name in [*read, *self.targets]:
            given_names.name(name, f"{where}: a quantity")
        given_names.all_different([*read, *self.targets], "quantity that is read, or target,", where)
        #: the names of all values that rewards are computed from: observations, what is measured, targets
        put("names", (*read, *self.targets))
        #: the names of what is observed
        put("seen", (*seen, *self.targets))
        put("ranges", self._ranges(seen))
        for name, value in self.noise.items():
            given_names.known(name, seen, "observation", f"{where}: noise")
            checks.not_negative(value, f"noise of {name!r}", where)
            if isinstance(self._observed[seen.index(name)], Sensor):
                raise ModelError(f"{where}: noise of {name!r} is that of its sensor; give it there")
        put("marks", tuple(checks.several(self.marks, "marks", where)))
        for name in self.marks:
            given_names.known(name, self.names, "value", f"{where}: marks")
        #: how many periods an episode has
        put("periods", self._periods())
        put("_initial", ranges_of(self.initial, "initial", where))
        put("_targets", ranges_of(self.targets, "targets", where))
        put("_vary", ranges_of(self.vary, "vary", where))
        put("_delay", ranges_of({"delay": self.delay}, "delay", where)["delay"])
        if self._delay.low < 0.0:
            raise ModelError(f"{where}: delay is {self._delay.low:g}; it must not be negative")
        put("_start", Start(self.model, list(self.initial), where) if self.initial else None)

    limits: dict[str, tuple[float, float]] = field(init=False)
    names: tuple[str, ...] = field(init=False)
    seen: tuple[str, ...] = field(init=False)
    ranges: np.ndarray = field(init=False)
    periods: int = field(init=False)
    _observed: list[Any] = field(init=False, repr=False)
    _measured: list[Any] = field(init=False, repr=False)
    _initial: dict[str, Range] = field(init=False, repr=False)
    _targets: dict[str, Range] = field(init=False, repr=False)
    _vary: dict[str, Range] = field(init=False, repr=False)
    _delay: Range = field(init=False, repr=False)
    _start: Start | None = field(init=False, repr=False)

    @property
    def where(self) -> str:
        """How messages about it begin."""
        return f"environment of model {self.model.name!r}"

    @property
    def longest_delay(self) -> float:
        """The longest delay of commands that may be drawn [s]."""
        return self._delay.high

    @property
    def actions(self) -> tuple[np.ndarray, np.ndarray]:
        """The limits (m, 2) of actions, and the command at zero and the change of it for an action of one (m, 2)."""
        limits = np.array(list(self.limits.values()))
        low, high = limits.T
        if not self.scaled:
            return limits, np.column_stack([np.zeros(len(low)), np.ones(len(low))])
        return np.tile([-1.0, 1.0], (len(low), 1)), np.column_stack([0.5 * (low + high), 0.5 * (high - low)])

    def _limits(self) -> dict[str, tuple[float, float]]:
        """The limits of all commands by name."""
        where, found = f"{self.where}, commands", {}
        known = [name for name, component in self.model.components.items() if component.strength is not None]
        for name, pair in self.commands.items():
            given_names.known(name, known, "component that can be commanded", where)
            by = next((c.where for c in self.model.controllers.values() if name in c.commands), "")
            if by:
                raise ModelError(f"{where}: {name!r} is commanded by {by}, which would overwrite it; leave it out")
            found[name] = _pair(pair, f"command of {name!r}", where, finite=True)
        if not found:
            raise ModelError(f"{where}: there is nothing to command; give {{name: (lowest, highest)}}")
        return found

    def _ranges(self, seen: list[str]) -> np.ndarray:
        """The range (observed, 2) of each observation."""
        if not isinstance(self.observations, Mapping):
            return np.tile([-np.inf, np.inf], (len(seen), 1))
        of = [_pair(pair, f"range of {name!r}", self.where) for name, pair in self.observations.items()]
        return np.array(of, dtype=float).reshape(-1, 2)

    def _periods(self) -> int:
        count = self.duration / self.period
        if round(count) < 1 or abs(count - round(count)) > _ROUNDING * count:
            raise ModelError(
                f"{self.where}: an episode of {self.duration:g} s has {count:.6g} periods of {self.period:g} s; give a "
                "duration of whole periods"
            )
        return round(count)

    def sensors(self) -> list[Sensor]:
        """Quantities read at the end of each period: observations, then what is measured."""
        made = []
        for one in (*self._observed, *self._measured):
            if isinstance(one, Sensor):
                made.append(one)
            elif isinstance(one, str):
                made.append(NamedQuantity(self.model, one, noise=self.noise.get(one, 0.0)))
            else:
                raise NamingError(f"{self.where}: {checks.quoted(one)} is no quantity; give a name or a sensor")
        return made

    def start_of(self, model: Any, given: Mapping[str, float] | None = None) -> State:
        """The state from which an episode of a `model`, that of the task or one with other parameters, begins with
        these joint coordinates and rates by name, or with the lowest ones; with those of the model where a function
        draws them."""
        assert self._start is not None
        start = self._start if model is self.model else Start(model, list(self.initial), self.where)
        drawn = {name: start.own(name) if one.function else one.low for name, one in self._initial.items()}
        return start.state(drawn if given is None else given)


def _pair(value: Any, what: str, where: str, finite: bool = False) -> tuple[float, float]:
    """The lower and the upper limit, which is larger."""
    pair = checks.numbers(value, what, where, "two numbers, the lowest and the highest", infinite=not finite)
    if pair.shape != (2,) or not pair[0] < pair[1]:
        raise ModelError(f"{where}: {what} is {checks.quoted(value)}; give the lowest and the highest, two numbers")
    return float(pair[0]), float(pair[1])
