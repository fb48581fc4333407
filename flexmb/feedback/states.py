"""States of a user's own: equations of first order beside the mechanism, δ̇ = f(t, q, v, δ).

Continuous controllers, filters, actuators that lag behind, heat: in Bodley et al. (1978), eq. (II-4), these are
integrated with the mechanism. Here y(t, q, v) is what sensors read, x are the states, and u are added to strengths of
components at every instant:

    ẋ = f(t, y, x),      u = g(t, y, x)

A state is the speed of a coordinate of unit mass (:mod:`flexmb.kernels.blocks`), so that every method integrates it as
it integrates speeds, and a jump of f is a jump of a force.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.feedback.sensors import OwnCoordinate, Reference, Sensor
from flexmb.feedback.state_kernels import COMMAND, HEAD, STATE_INERTIA, STATE_RATES, scratch
from flexmb.feedback.state_laws import LinearStates, StateFunctions, linear_states
from flexmb.kernels.blocks import INTEGRAL, Numbers, joined, states
from flexmb.kernels.contract import checked_address
from flexmb.model import checks, given_names
from flexmb.model.components import Assembler, Commanded, Component
from flexmb.model.frames import Frame
from flexmb.model.functions.time_function import TimeFunction, as_function
from flexmb.quantities.places import InAssembly
from flexmb.results.solution import Solution

#: Errors of states are in doubt where these are not this many times as large; states below this part of their sizes
#: are rounding.
MEASURED, ROUNDING = 100.0, 1e-12


@dataclass(eq=False)
class States(Component):
    """States x of equations of first order, ẋ = f(t, y, x), beside the mechanism, which at every instant read sensors y
    and command strengths u = g(t, y, x) of components: filters, actuators, continuous controllers.

    The commands are added to what the components do by themselves. In a solution 'filter.x1' is a state, and
    `readings(solution)` and `decided(solution)` are y and u. Sensors have no noise and no resolution here, which belong
    to sampled controllers, and read what depends on time, positions and speeds alone.

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
        """Its sensors; one that reads zero where there is none."""
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
        law, sensors = self._law, self._read()
        assert law is not None
        n, k, m = len(self.names), len(sensors), len(self.commands)
        own = assembly.coordinates(
            self, [states(self.names)], np.zeros(n), self.start, given=True, sizes=self._sizes()
        )[0]
        assembly.instance(self, STATE_INERTIA, [own], np.zeros(0), label="inertia")
        signals = [sensor.at_every_instant(InAssembly(assembly)).record(sensor.bias, self.where) for sensor in sensors]
        numbers = law.numbers() if isinstance(law, LinearStates) else np.zeros(0)
        address = (0, 0) if isinstance(law, LinearStates) else law.address(self.compiled)
        read = np.concatenate([numbers, *(record for record, _ in signals)])
        head = np.zeros(HEAD)
        head[:6] = k, n, m, *address, len(numbers)
        slot = np.zeros(0)
        if self.strength is not None:
            slot, head[6] = assembly.strength(self).slot(), HEAD + len(read)
        on = [numbers for _, numbers in signals]
        width = sum(len(x.v) for x in on) + n
        work = scratch(k + n, n + m, width, 0, 0, 0)
        p = np.concatenate([head, read, slot])
        at = None if self.strength is None else int(head[6])
        assembly.instance(self, STATE_RATES, joined([*on, own]), p, work=work, label="rates", strength=at)
        for which, component in enumerate(self.commands):
            found = assembly.commanded(component)
            if not found:
                raise ModelError(
                    f"{self.where}: {component.where} stands behind it in the model, or does not say where its "
                    "strength stands; add what is commanded first"
                )
            for target in found:
                self._command(assembly, component, target, which, head, read, [*on, own], (k + n, n + m))

    def _command(
        self,
        assembly: Assembler,
        component: Component,
        target: Commanded,
        which: int,
        head: np.ndarray,
        read: np.ndarray,
        on: list[Numbers],
        sizes: tuple[int, int],
    ) -> None:
        """Add what a command changes in one instance of a component. It belongs to that component, with which it is
        switched on and off."""
        own = head.copy()
        own[6] = 0.0
        addresses = [
            checked_address(target.kernels, role, component.where) for role in ("residual", "tangent", "energy")
        ]
        speeds, count = len(target.coordinates.v), len(target.parameters)
        own[7:] = [
            which, len(target.coordinates.q), speeds, count, target.work, target.at, *addresses, HEAD + len(read),
        ]  # fmt: skip
        coordinates = joined([target.coordinates, *on])
        work = scratch(*sizes, len(coordinates.v), target.work, speeds, count)
        p = np.concatenate([own, read, target.parameters])
        assembly.instance(component, COMMAND, coordinates, p, work=work, label=f"command of {self.name}")

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
        """Its commands (k, commands) at the times of a solution."""
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
