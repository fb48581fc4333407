"""States of a user's own: equations of first order beside the mechanism, δ̇ = f(t, q, v, δ).

Continuous controllers, filters, actuators that lag behind, heat: in Bodley et al. (1978), eq. (II-4), these are
integrated with the mechanism. Here y(t, q, v) is what sensors read, x are the states, and u are added to strengths of
components at every instant:

    ẋ = f(t, y, x),      u = g(t, y, x)

A state is the speed of a coordinate of unit mass (:mod:`flexmb.kernels.blocks`), so that every method integrates it as
it integrates speeds, and a jump of f is a jump of a force.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import ModelError
from flexmb.feedback.sensors import OwnCoordinate, Reference, Sensor
from flexmb.feedback.state_kernels import COMMAND, HEAD, STATE_RATES, filling, scratch
from flexmb.feedback.state_laws import LinearStates, StateFunctions, linear_states
from flexmb.forces.drives.first_order import STATE_INERTIA
from flexmb.kernels.blocks import INTEGRAL, Numbers, joined, states
from flexmb.kernels.contract import Kernels, checked_address
from flexmb.model import checks, given_names
from flexmb.model.components import Assembler, Component
from flexmb.model.frames import Frame
from flexmb.model.functions.time_function import TimeFunction, as_function
from flexmb.model.handed_over import Commanded
from flexmb.quantities.places import InAssembly
from flexmb.quantities.quantity import NOTHING, Quantity
from flexmb.results.solution import Solution

#: Errors of states are in doubt where these are not this many times as large; states below this part of their sizes
#: are rounding.
MEASURED, ROUNDING = 100.0, 1e-12


class _Reader(NamedTuple):
    """How an instance of states reads: the part of its `row` with the law and the records of sensors, the coordinates
    `on` which these and what they read of other components stand, those of the states, the readings that have to be
    found, and how many numbers z and (f, g) are."""

    row: np.ndarray
    on: list[Numbers]
    own: Numbers
    finds: list[Quantity]
    sizes: tuple[int, int]

    def add(
        self,
        assembly: Assembler,
        owner: Component,
        kernels: Kernels,
        p: np.ndarray,
        label: str,
        target: Commanded | None = None,
        strength: int | None = None,
    ) -> None:
        """Add the rates of the states; or what a command changes in one instance of a component, which belongs to that,
        and is switched on and off with it."""
        coordinates = joined([*([] if target is None else [target.coordinates]), *self.on, self.own])
        width, first = len(coordinates.v), 0 if target is None else len(target.coordinates.v)
        others = (0, 0, 0) if target is None else (target.work, first, len(target.parameters))
        work = scratch(*self.sizes, width, sum(one.reads for one in self.finds), *others)
        if self.finds:
            rows = (width - len(self.own.v), width) if target is None else (0, first)
            kernels = filling(kernels, *rows, width)
        more: dict[str, Any] = {"finds": self.finds} if self.finds else {}
        assembly.instance(owner, kernels, coordinates, p, work=work, label=label, strength=strength, **more)


@dataclass(eq=False)
class States(Component):
    """States x of equations of first order, ẋ = f(t, y, x), beside the mechanism, which at every instant read sensors y
    and command strengths u = g(t, y, x) of components: filters, actuators, continuous controllers.

    The commands are added to what the components do by themselves. In a solution 'filter.x1' is a state, and
    `readings(solution)` and `decided(solution)` are y and u. Sensors have no noise and no resolution here, which belong
    to sampled controllers, and read what depends on time, positions and speeds alone, forces of springs among that.

    Arguments: `law`: a linear model in continuous time, as :func:`flexmb.control.transfer_function` makes one, or a
    function f(t, y, x) that gives as many numbers as there are states; `sensors`, one or several; `commands`, one or
    several: components that have a strength; `decide`: the function g(t, y, x) beside a law that is one, the states
    themselves when not given; `start`: x at the start (zeros when not given to a linear model); `names` of the states
    (x1, x2, … when not given); `feed`: a function of time that is added to the first reading, of a linear model whose
    outputs do not follow that at once; sampled controllers, other states and inputs of linear models command it by the
    name of this component; `compiled`: whether Numba compiles the functions; `sizes` of the states, one or one for
    each, as parts of which a run measures their errors: let them be as large as the states. When not given they are 1,
    or |start| where that is more, and a run whose states stay so small that its errors are no longer small says so.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("wheel")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
    >>> axle = m.revolute(m.ground, wheel.frame)
    >>> brake, push = m.point_torque(wheel.frame, 0.0), m.point_torque(wheel.frame, 1.0)
    >>> rate = fm.control.RelativeRate(m.ground, wheel.frame)
    >>> lag = fm.control.transfer_function([-2.0], [0.5, 1.0])  # the brake follows −2 ω in half a second
    >>> states = m.add_states("lag", lag, sensors=rate, commands=brake)
    >>> run = fm.simulate(m, 20.0)
    >>> round(float(run["wheel.angular_velocity"][-1]), 4), states.decided(run)[-1].round(4).tolist()
    (0.5, [-1.0])
    """

    law: Any
    _: KW_ONLY
    sensors: Any = ()
    commands: Any = ()
    decide: Callable[..., Any] | None = None
    start: Any = None
    names: Any = None
    feed: TimeFunction | float = 0.0
    compiled: bool = False
    sizes: Any = None
    kind = "states"
    only_reads = True
    dimension = None
    external = True
    fixed_in_space = True
    _law: StateFunctions | LinearStates | None = field(default=None, init=False, repr=False)

    @property
    def strength(self) -> str | None:  # type: ignore[override]
        """The field that is commanded: the input of a linear law that does not pass it on at once."""
        linear = self._law if isinstance(self._law, LinearStates) else linear_states(self.law, self.where)
        return None if linear is None or np.any(linear.D[:, :1]) else "feed"

    @property
    def failure(self) -> BaseException | None:
        """The exception that a function raised, until it is reported."""
        return self._law.failure if isinstance(self._law, StateFunctions) else None

    @failure.setter
    def failure(self, error: BaseException | None) -> None:
        if isinstance(self._law, StateFunctions):
            self._law.failure = error

    def _read(self) -> list[Sensor]:
        """Sensors of the states; one that reads zero if there is none."""
        return checks.several(self.sensors, "sensors", self.where) or [Reference(0.0)]

    def _commanded(self) -> list[Component]:
        return checks.several(self.commands, "commands", self.where)

    def frames(self) -> list[Frame]:
        return [frame for sensor in self._read() if isinstance(sensor, Sensor) for frame in sensor.frames()]

    def take_frames(self) -> None:
        """Sensors took theirs when they were made."""

    def parts(self) -> list[Component]:
        of_sensors = [part for sensor in self._read() if isinstance(sensor, Sensor) for part in sensor.parts()]
        return [*of_sensors, *(c for c in self._commanded() if isinstance(c, Component))]

    def functions(self) -> list[TimeFunction]:
        return [self.function("feed"), *(f for sensor in self._read() for f in sensor.functions())]

    def check(self) -> None:
        self.sensors, self.commands = checks.several(self.sensors, "sensors", self.where), self._commanded()
        self.feed = as_function(self.feed, "feed", self.where)
        self.compiled = checks.flag(self.compiled, "compiled", self.where)
        for sensor in self.sensors:
            if not isinstance(sensor, Sensor):
                raise ModelError(f"{self.where}: {checks.quoted(sensor)} is no sensor; give e.g. RelativeAngle(a, b)")
            if sensor.noise or sensor.resolution:
                raise ModelError(
                    f"{self.where}: {sensor.name} has noise or a resolution, and states of first order read at every "
                    "instant; give a sensor without, or take model.add_controller"
                )
        for one in self.commands:
            if not isinstance(one, Component) or one.strength is None:
                raise ModelError(
                    f"{self.where}: {checks.quoted(one)} cannot be commanded; give components that have a strength, "
                    "such as motors, torques and forces"
                )
            if one is self:
                raise ModelError(f"{self.where}: it commands itself; let its law say so")
        given_names.all_different([one.name for one in self.commands], "command", self.where)
        linear = linear_states(self.law, self.where)
        if linear is None:
            self._take_functions()
        else:
            self._take_linear(linear)
        assert self._law is not None
        wrong = [x for x in self.names if not isinstance(x, str) or not x or "." in x or x.endswith(INTEGRAL)]
        if wrong:
            raise ModelError(f"{self.where}: a state is called {checks.quoted(wrong[0])}; give a text without a point")
        given_names.all_different(self.names, "state", self.where)
        self._sizes()
        if self.strength is None and self.feed.kinks + [x for x in [self.feed(0.0)] if x != 0.0]:
            raise ModelError(
                f"{self.where}: a feed is given to a law whose outputs follow it at once, or that is a function; "
                "give it as a sensor, fm.control.Reference(…)"
            )

    def _take_linear(self, linear: LinearStates) -> None:
        """Check the sizes of a linear law."""
        n, read, given = len(linear.A), linear.B.shape[1], len(linear.C)
        if n == 0:
            raise ModelError(f"{self.where}: its law has no states; take a stiffness, a damper, or a force of Python")
        if self.decide is not None or self.compiled:
            raise ModelError(
                f"{self.where}: its law is a linear model, with outputs of its own; leave out the functions"
            )
        if read != len(self._read()) or (given != len(self.commands) and self.commands):
            raise ModelError(
                f"{self.where}: its law has {read} inputs and {given} outputs; there are {len(self.sensors)} sensors "
                f"and {len(self.commands)} commands"
            )
        if not self.commands:
            linear = LinearStates(linear.A, linear.B, np.zeros((0, n)), np.zeros((0, read)))
        self._take_start(np.zeros(n) if self.start is None else self.start, n)
        self._law = linear

    def _take_functions(self) -> None:
        """Check the functions of a law in Python, and run them once."""
        for what, function in (("law", self.law), ("decide", self.decide)):
            if not callable(function) and (what == "law" or function is not None):
                raise ModelError(
                    f"{self.where}: its {what} {checks.quoted(function)} is neither a linear model in continuous time "
                    "nor a function of (t, y, x)"
                )
        if self.start is None:
            raise ModelError(f"{self.where}: give start=…, the states at the start, which say how many there are")
        count = len(checks.numbers(self.start, "start", self.where, "numbers", infinite=False).ravel())
        self._take_start(self.start, count)
        if self.decide is None and self.commands and len(self.commands) != count:
            raise ModelError(
                f"{self.where}: it has {count} states and {len(self.commands)} commands; give decide=…, a function of "
                "(t, y, x) that gives the commands"
            )
        law = StateFunctions(self.where, self.law, self.decide, len(self._read()), count, len(self.commands))
        before = self._law
        if not isinstance(before, StateFunctions) or before.told() != law.told():
            self._law = law

    def _take_start(self, start: Any, count: int) -> None:
        self.start = checks.vector(checks.row(start, "start", self.where), "start", self.where, count)
        if count == 0:
            raise ModelError(f"{self.where}: it has no states; give start=…, a number for each")
        names = [f"x{k + 1}" for k in range(count)] if self.names is None else self.names
        self.names = checks.listed(names, "names", self.where)
        if len(self.names) != count:
            raise ModelError(f"{self.where}: {len(self.names)} names are given; it has {count} states")

    def _sizes(self) -> np.ndarray:
        """The size of each state."""
        if self.sizes is None:
            return np.maximum(1.0, np.abs(self.start))
        given = checks.several(self.sizes, "sizes", self.where)
        sizes = [checks.positive(x, "sizes", self.where) for x in given]
        if len(sizes) not in (1, len(self.names)):
            raise ModelError(f"{self.where}: {len(sizes)} sizes are given; it has {len(self.names)} states")
        return np.array(sizes * (len(self.names) if len(sizes) == 1 else 1))

    def assemble(self, assembly: Assembler) -> None:
        self.failure = None
        n, sensors = len(self.names), self._read()
        own = assembly.coordinates(
            self, [states(self.names)], np.zeros(n), self.start, given=True, sizes=self._sizes()
        )[0]
        assembly.instance(self, STATE_INERTIA, [own], np.zeros(0), label="inertia")
        readings = [sensor.at_every_instant(InAssembly(assembly)) for sensor in sensors]
        if any(one.reads for one in readings):
            assembly.at_last(lambda: self._put(assembly, own, readings))
        else:
            self._put(assembly, own, readings)

    def _put(self, assembly: Assembler, own: Numbers, readings: list[Quantity]) -> None:
        """Add the rates of the states, and what they command."""
        law, n, k, m = self._law, len(self.names), len(readings), len(self.commands)
        assert law is not None
        numbers = law.numbers() if isinstance(law, LinearStates) else np.zeros(0)
        head = np.zeros(HEAD)
        head[:3] = k, n, m
        head[3:5] = (0, 0) if isinstance(law, LinearStates) else law.address(self.compiled)
        head[5] = len(numbers)

        def reader(readings: Sequence[Quantity]) -> _Reader:
            records = [one.record(s.bias, self.where) for one, s in zip(readings, self._read())]
            finds = [one for one in readings if one.reads]
            on = [*(numbers for _, numbers in records), *(x for one in finds for x in assembly.read_by(one))]
            return _Reader(np.concatenate([numbers, *(row for row, _ in records)]), on, own, finds, (k + n, n + m))

        follows = reader(readings)
        slot, at = np.zeros(0), None
        if self.strength is not None:
            slot, at = assembly.strength(self).slot(), HEAD + len(follows.row)
            head[6] = at
        p = np.concatenate([head, follows.row, slot])
        follows.add(assembly, self, STATE_RATES, p, "rates", strength=at)
        for which, component in enumerate(self.commands):
            found = assembly.commanded(component)
            if not found:
                raise ModelError(
                    f"{self.where}: {component.where} stands behind it in the model, or does not say where its "
                    "strength stands; add what is commanded first"
                )
            at_once = follows
            if isinstance(law, LinearStates) and follows.finds:  # what it does not follow at once need not be found
                at_once = reader([one if law.D[which, j] else NOTHING for j, one in enumerate(readings)])
            for target in found:
                command, row = head.copy(), at_once.row
                addresses = [
                    checked_address(target.kernels, role, component.where) for role in ("residual", "tangent", "energy")
                ]
                sizes = len(target.coordinates.q), len(target.coordinates.v), len(target.parameters)
                command[6:] = [0, which, *sizes, target.work, target.at, *addresses, HEAD + len(row)]
                p = np.concatenate([command, row, target.parameters])
                at_once.add(assembly, component, COMMAND, p, f"command of {self.name}", target)

    def doubt(self, solution: Solution, tolerance: float) -> str:
        """Why its states are in doubt in a run whose errors are up to this part of their sizes, which were not given;
        else empty. A state of less than `ROUNDING` is taken for one that nothing moves."""
        if self.sizes is not None:
            return ""
        for name, size in zip(self.names, self._sizes().tolist()):
            largest = float(np.max(np.abs(solution[f"{self.name}.{name}"]), initial=0.0))
            if ROUNDING * size < largest < MEASURED * tolerance * size:
                return (
                    f"state {self.name}.{name} is {largest:.2g} at most, and the run's errors are up to "
                    f"{tolerance * size:.2g}, measured by the size {size:g}; give sizes=…, e.g. {largest:.1g}"
                )
        return ""

    def readings(self, solution: Solution) -> np.ndarray:
        """What its sensors read (k, sensors) at the times of a solution, with the input in the first."""
        y = np.column_stack([sensor.readings(solution) for sensor in self._read()])
        y[:, 0] += self.function("feed")(solution.t) if self.strength is not None else 0.0
        return y

    def decided(self, solution: Solution) -> np.ndarray:
        """Commands (k, commands) of the law at the times of a solution."""
        assert self._law is not None
        x = np.column_stack([solution[f"{self.name}.{name}"] for name in self.names])
        z, n = np.hstack([self.readings(solution), x]), len(self.names)
        values = [self._law.values(float(t), row)[n:] for t, row in zip(solution.t, z)]
        return np.array(values).reshape(len(z), len(self.commands))


@dataclass(frozen=True, eq=False)
class StateValue(OwnCoordinate):
    """A state of equations of first order [–], by its name (the first one when not given).

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("room")
    >>> stone = m.add_body("stone", mass=1.0, inertia=1.0)
    >>> oven = m.add_states("oven", lambda t, y, x: -0.5 * x, start=20.0, names=["temperature"])
    >>> hot = fm.control.StateValue(oven)
    >>> hot.readings(fm.simulate(m, 2.0, tolerance=1e-9))[-1].round(4).item()  # 20 exp(−1)
    7.3576
    """

    states: States
    coordinate: str = ""
    _what, _factors = "state", (0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._must_be(States, self.states, "component with states; give what model.add_states returned")
        asked = checks.text(self.coordinate, "coordinate", f"StateValue of {self.states.where}")
        object.__setattr__(self, "coordinate", asked or self.states.names[0])
        checks.choice(self.coordinate, self.states.names, "coordinate", f"StateValue of {self.states.where}")

    @property
    def name(self) -> str:
        return f"{self.states.name}.{self.coordinate}"

    @property
    def _owner(self) -> Component:
        return self.states

    @property
    def _coordinate(self) -> str:
        return f"{self.name}{INTEGRAL}"
