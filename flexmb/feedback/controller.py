"""Sampled controllers: at a fixed period a law turns the readings of sensors into commands."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.feedback.laws import Law, LinearLaw, PythonLaw
from flexmb.feedback.sensors import Sensor
from flexmb.kernels.contract import address
from flexmb.kernels.widths import ENERGY_WIDTH
from flexmb.machine.memory import check_memory
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls
from flexmb.model.model import Model, check_model
from flexmb.results.signals import ControllerState, ControlLog, Instants
from flexmb.system.readings import Reading, sensor_table
from flexmb.system.sampling import (
    LEVELS,
    LOG_AT,
    LOGGED,
    MEMORY,
    MEMORY_AT,
    PENDING,
    PLACE_AT,
    PLACES,
    SENSOR_AT,
    START,
    Sampling,
    none,
)
from flexmb.system.system import System


@dataclass(eq=False)
class Controller(metaclass=AnswersCalls):
    """A controller that reads its sensors every `period` and then commands the strength of components until the next
    reading.

    Arguments: `name`; `model`; `period` [s]; `sensors`; `commands`: names of components that have a strength (the
    torque of a motor, the factor of a force), to which the command is added; `law`: a law, a gain matrix (commands,
    sensors), or a function of Python u = f(t, y); `delay` [s] from reading to command; `limits` (commands, 2), or
    (2,) for a single command: the lowest and the highest value of each; `seed` of the sensors' noise; `runaway` (see
    below). `solution.control[name]` holds the readings and the commands.

    The commands of an unstable loop grow exponentially. A run stops, and keeps its results, when two conditions hold.
    First, in each of three successive windows of as many instants (1, 2, 4, …) the largest command is at least four
    times that of the window before. Second, the kinetic energy exceeds ½ m (`runaway` d / period)², where m and d are
    the model's scales of mass and length: the mechanism then moves by more than `runaway` (10) times its size in a
    period, too fast for any controller of this period. Growth alone is no fault: a motion that leaves an unstable
    balance grows until it is large, and a motion that starts grows like a power of time. Speed alone is no fault
    either, as in a flywheel. Between two instants a run stops too, if it has taken more than 3000 steps there in which
    the largest speed doubled, and something moves by more than `runaway` lengths of the model, or radians, in a period,
    where the last three commands grew by a factor of 16 each, or the last two, and changed their sign; or by a tenth of
    that, where the last three changed their sign and grew by a factor of 2 each.
    The attribute may be set at any time; with None the run goes on.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("wheel")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=1.0)
    >>> axle = m.revolute(m.ground, wheel.frame)
    >>> motor = m.point_torque(wheel.frame, 0.0, name="motor")
    >>> angle, rate = fm.control.RelativeAngle(m.ground, wheel.frame), fm.control.RelativeRate(m.ground, wheel.frame)
    >>> sensors = [angle, rate, fm.control.Reference(1.0)]
    >>> servo = m.add_controller("servo", period=0.01, sensors=sensors, commands=motor, law=[[-4.0, -4.0, 4.0]])
    >>> solution = fm.simulate(m, 8.0, step=0.01)
    >>> round(float(solution["wheel.angle"][-1]), 4), solution.control["servo"].u.shape
    (1.0, (800, 1))
    """

    name: str
    model: Model
    period: float
    sensors: list[Sensor]
    commands: list[str]
    law: Any
    delay: float = 0.0
    limits: Any = None
    seed: int = 0
    runaway: float | None = 10.0
    _law: Law = field(init=False, repr=False)
    _law_of: Any = field(default=None, init=False, repr=False)

    @property
    def calls_python(self) -> bool:
        """Whether its law is a function of Python."""
        return isinstance(self._law, PythonLaw)

    @property
    def where(self) -> str:
        """The controller as messages name it."""
        return f"controller {self.name!r}"

    @property
    def repeatable(self) -> bool:
        """Whether a run with it can be made a second time, with the same commands."""
        return self._law.repeatable

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:
        """Raise a ModelError if the data cannot be right; called at creation and again at every assembly."""
        where = self.where
        check_model(self.model, where)
        checks.check_fields(self, checks.positive, where, "period")
        checks.check_fields(self, checks.not_negative, where, "delay")
        checks.check_fields(self, checks.count, where, "seed")
        if self.runaway is not None:
            checks.check_fields(self, checks.positive, where, "runaway")
        checks.check_fields(self, checks.several, where, "sensors", "commands")
        for sensor in self.sensors:
            if not isinstance(sensor, Sensor):
                raise ModelError(f"{where}: {checks.quoted(sensor)} is no sensor; give e.g. RelativeAngle(a, b)")
            sensor.check_in(self.model, where)
        if not self.commands:
            raise ModelError(f"{where}: it commands nothing; give names of motors, torques or forces")
        known = [name for name, component in self.model.components.items() if component.strength is not None]
        taken = {name: c for c in self.model.controllers.values() if c is not self for name in c.commands}
        for name in self.commands:
            given_names.known(name, known, "component that can be commanded", where)
            if name in taken:
                raise ModelError(f"{where}: {name!r} is commanded by {taken[name].where} already; let one command it")
        given_names.all_different(self.commands, "command", where)
        self.limits = self._checked_limits(self.limits)
        self._take_law(where)

    def with_law(self, law: Any) -> Controller:
        """This controller with another law, for a run of the same model."""
        other = copy.copy(self)
        other.law = law
        other._take_law(self.where)
        return other

    def _take_law(self, where: str) -> None:
        """Take the law that was given, a gain matrix or a function of Python, as a law."""
        if isinstance(self.law, Law):
            self._law = self.law
        elif not callable(self.law):
            self._law = LinearLaw(D=checks.matrix(self.law, "law", where))
        elif self._law_of is not self.law:
            self._law, self._law_of = PythonLaw(self.law), self.law
        self._law.check(len(self.sensors), len(self.commands), where)

    def _checked_limits(self, given: Any) -> np.ndarray:
        """The lowest and the highest value of each command, (commands, 2)."""
        count = len(self.commands)
        if given is None:
            return np.tile([-np.inf, np.inf], (count, 1))
        wanted = "a pair (lowest, highest)" + (f" for each of its {count} commands" if count > 1 else "")
        limits = checks.numbers(given, "limits", self.where, wanted, infinite=True)
        if limits.shape == (2,) and count == 1:
            limits = limits[None, :]
        if limits.shape != (count, 2):
            raise ModelError(f"{self.where}: limits must be {wanted}, not {checks.quoted(given)}")
        for name, (low, high) in zip(self.commands, limits.tolist()):
            if low > high:
                raise ModelError(f"{self.where}: limits of {name!r} are {low:g} and {high:g}; give the lower one first")
        return limits

    def __repr__(self) -> str:
        read = f"{len(self.sensors)} sensor{'s' * (len(self.sensors) != 1)}"
        return f"Controller({self.name!r}, every {self.period:g} s, {read}, commands: {', '.join(self.commands)})"

    def raise_failure(self) -> None:
        """Raise again the error that a law in Python raised."""
        if isinstance(self._law, PythonLaw):
            self._law.raise_failure()


def sampling_for(
    system: System,
    controllers: Sequence[Controller],
    t_start: float,
    t_end: float,
    states: Mapping[str, ControllerState],
) -> Sampling:
    """The controllers of a run as the compiled loop sees them; those that go on do so from these `states`, by name,
    and their clocks are moved by as much as the time itself."""
    if not controllers:
        return none()
    rows: list[list[int]] = []
    times: list[list[float]] = []
    readings: list[Reading] = []
    errors: list[tuple[float, float, float]] = []
    places: list[list[int]] = []
    limits, p = [], []
    memory = ring = log = at_p = at_command = 0
    remembered: list[np.ndarray] = []
    on_their_way: list[tuple[int, float, np.ndarray]] = []
    width = max(len(c.sensors) + len(c.commands) for c in controllers)
    most = max(len(c.commands) for c in controllers)
    for c in controllers:
        first_sensor = len(readings)
        readings += [sensor.reading(system) for sensor in c.sensors]
        errors += [(sensor.resolution, sensor.noise, sensor.bias) for sensor in c.sensors]
        check_memory(
            8.0 * (1 + width) * (c.delay + t_end - t_start) / c.period,
            f"instants every {c.period:g} s, with a delay of {c.delay:g} s,",
            "take a longer period, or a shorter delay",
            c.where,
        )
        # numbers of each command, and of a place in the plan's parameters to which it is written
        targets = [[k, place] for k, name in enumerate(c.commands) for place in system.strength_places(name).tolist()]
        parameters = c._law.parameters()
        slots = math.ceil(c.delay / c.period - 1e-9) + 2
        instants = math.floor((t_end - t_start) / c.period + 1e-9) + 2
        state = states.get(c.name)
        first, before, pending = t_start, 0, 0
        remembered.append(np.zeros(c._law.memory))
        if state is not None:
            first, before, pending = state.first + (t_start - state.t), state.instants, state.pending
            remembered[-1][:] = state.memory
            due = first + np.arange(before - pending, before) * c.period + c.delay
            late = state.sent.u[len(state.sent.u) - pending :]
            on_their_way += [(ring + k, *one) for k, one in enumerate(zip(due.tolist(), late))]
        rows.append([
            first_sensor, len(c.sensors), at_command, len(c.commands), len(places), len(targets), memory, c._law.memory,
            at_p, len(parameters), address(c._law.kernel), ring, slots, log - before, before, pending, 0,
        ])  # fmt: skip
        times.append([c.period, first + before * c.period, c.delay, first])
        places += targets
        limits.append(c.limits)
        p.append(parameters)
        at_p += len(parameters)
        at_command += len(c.commands)
        memory += c._law.memory
        ring += slots
        log += instants
    sampling = Sampling(
        np.array(rows, dtype=np.int64),
        np.array(times),
        sensor_table(readings, errors),
        np.array(places, dtype=np.int64).reshape(-1, 2),
        np.concatenate(limits),
        np.concatenate(p),
        np.concatenate([*remembered, np.zeros(1)]),
        np.zeros((ring, 1 + most)),
        np.zeros(width),
        np.zeros(most),
        np.zeros(ENERGY_WIDTH),
        np.zeros((log, 1 + width)),
        np.array([_seed(controllers)], dtype=np.uint64),
        np.full(2, -1, dtype=np.int64),
        np.zeros((len(controllers), LEVELS, 4)),
        np.array([_runaway_energy(system, c) for c in controllers]),
    )
    for slot, at, values in on_their_way:
        sampling.ring[slot, : 1 + len(values)] = [at, *values]
    for c, row, growth in zip(controllers, sampling.controllers, sampling.growth):
        if c.name in states:
            state = states[c.name]
            counted = sampling.sensors.counted[row[SENSOR_AT] : row[SENSOR_AT] + len(c.sensors)]
            counted[:] = state.counted
            counted[:, 0] += t_start - state.t
            growth[:], sampling.random[0] = state.growth, np.uint64(state.noise)
    return sampling


def control_logs(
    sampling: Sampling, controllers: Sequence[Controller], t: float, states: Mapping[str, ControllerState]
) -> dict[str, ControlLog]:
    """Readings and commands of the controllers of a run until t [s], by name; `states` as in :func:`sampling_for`."""
    by_name = {}
    for number, (c, row) in enumerate(zip(controllers, sampling.controllers)):
        n, m, begun = len(c.sensors), len(c.commands), states.get(c.name)
        before = 0 if begun is None else begun.instants
        lines = sampling.log[row[LOG_AT] + before : row[LOG_AT] + row[LOGGED]]
        own = sampling.places[row[PLACE_AT] : row[PLACE_AT] + row[PLACES]]
        done = Instants(lines[:, 0].copy(), lines[:, 1 : 1 + n].copy(), lines[:, 1 + n : 1 + n + m].copy())
        earlier = None
        if begun is not None:
            shift = float(sampling.times[number, START]) - begun.first
            earlier = begun.sent._replace(t=begun.sent.t + shift)
        pending = int(row[PENDING])
        every = done if earlier is None else Instants(*map(np.concatenate, zip(earlier, done)))
        kept = min(pending + 1, len(every.t))
        state = ControllerState(
            t,
            c.period,
            c.delay,
            float(sampling.times[number, START]),
            int(row[LOGGED]),
            Instants(*(x[len(x) - kept :] for x in every)),
            pending,
            sampling.memory[row[MEMORY_AT] : row[MEMORY_AT] + row[MEMORY]].copy(),
            sampling.sensors.counted[row[SENSOR_AT] : row[SENSOR_AT] + n].copy(),
            sampling.growth[number].copy(),
            int(sampling.random[0]),
            c._law.token,
        )
        by_name[c.name] = ControlLog(
            c.name,
            *done,
            [sensor.name for sensor in c.sensors],
            list(c.commands),
            c.delay,
            [sensor.unit for sensor in c.sensors],
            [c.model.components[name].strength_unit for name in c.commands],
            own[:, 1].copy(),
            own[:, 0].copy(),
            earlier,
            state,
        )
    return by_name


def _runaway_energy(system: System, controller: Controller) -> float:
    """Kinetic energy [J] of a mechanism that moves by `runaway` times its size in a period; infinite for None."""
    if controller.runaway is None:
        return math.inf
    speed = controller.runaway * system.length_scale / controller.period
    return 0.5 * system.mass_scale * speed * speed


def _seed(controllers: Sequence[Controller]) -> int:
    """The first state of the noise, which follows from the seeds of all controllers."""
    value = 0x5DEECE66D
    for c in controllers:
        value = (value * 6364136223846793005 + 2 * int(c.seed) + 1) % 2**64
    return value
