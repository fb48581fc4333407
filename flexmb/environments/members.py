"""The members of an environment: lanes in which copies of one bound run march, in threads."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from flexmb.batches.lane_image import LaneImage, NoLaneError
from flexmb.batches.lanes import Lane
from flexmb.environments.period import (
    IDLE,
    IN_DOUBT,
    REST,
    STATUS,
    TIME,
    WHOLE,
    Calls,
    Control,
    Member,
    do,
    on_members,
)
from flexmb.environments.quick_steps import quick_march, without_memory
from flexmb.environments.tasks import Task
from flexmb.errors import ModelError
from flexmb.feedback.sensors import Sensor
from flexmb.kernels.lending import Lent
from flexmb.parameters.names import parameter
from flexmb.parameters.structure import differ_in_numbers
from flexmb.solvers.binding.bound import Bound, Choices
from flexmb.solvers.one_run import asked_of
from flexmb.solvers.statuses import FADE, NO_ROOM, PASSAGE_DUE
from flexmb.system.readings import read_forces, sensor_table

#: Steps that one call of a loop saves at most: rows that nobody reads, few enough to stay in the cache of a processor.
ROWS = 32
#: Why a motion ends that needs what compiled code alone cannot do; any other status says that there is no next state.
_WHY = {
    PASSAGE_DUE: "it comes near a singular position, over which only a single run leads",
    FADE: "other constraint rows than at its start are needed",
    NO_ROOM: "the factors of its matrices need more room than at its start",
}


class LaneOfMember(Lane):
    """A lane in which members of an environment march; by `quick` steps (:mod:`flexmb.environments.quick_steps`) if
    there are some for its method."""

    def __init__(self, image: LaneImage, quick: Any) -> None:
        super().__init__(image, 1 if quick else ROWS)
        march = Lent(quick, self._march.lent, unlocked=True) if quick else self._march
        self._calls = (self._begin, march)
        ends = [np.frombuffer(x.number("loop.options.t_end"), float) for x in self._calls]  # type: ignore[call-overload]
        (begin, of_begin), (go_on, of_march) = (x.places for x in self._calls)
        self.calls = Calls(begin, go_on, of_begin, of_march, *ends)

    @property
    def contents(self) -> np.ndarray:
        """The memory of all that a run changes, as whole numbers."""
        return self._contents.view(np.int64)


class Members:
    """Copies of the mechanism of a `task`, of which each has a lane of its own, or each of `threads` one lane,
    if a step depends on nothing that others leave there.

    Arrays with a row for each member: `whole` and `numbers` (:mod:`flexmb.environments.period`), `actions`, where they
    begin, `start_q` and `start_v`, `targets`, `values` of all readings and targets, and `seen`, what is observed.
    """

    def __init__(self, task: Task, count: int, threads: int) -> None:
        self.task, self.count, self.where = task, count, task.where
        self.image = image_of(task, task.model)
        system = self.system = self.image.system
        for name in task.vary:
            parameter(task.model, name, f"{self.where}, vary")
        lane = LaneOfMember(self.image, None)
        quick = quick_march(lane.loop, self.image.march)
        self.shared = bool(quick and not task.vary and without_memory(lane.loop))
        self.sensors = task.sensors()
        readings, errors = self._readings(self.sensors, self.system)
        if self.image.late is not None and read_forces(sensor_table(readings, errors)):
            raise ModelError(
                f"{self.where}: it reads the force of a joint, which motion in joint coordinates leaves out; leave "
                "formulation out of the options"
            )
        lanes = [LaneOfMember(self.image, quick) for _ in range(min(threads, count) if self.shared else count)]
        place, of = commanded(task, system)
        control = Control(task.period, place, of, *task.actions, task.ranges)
        n, nq, actions = system.n, system.nq, len(task.limits)
        seen, targets = len(task.ranges), len(task.targets)
        self.whole, self.numbers = np.zeros((count, 4), dtype=np.int64), np.zeros((count, 3))
        self.whole[:, 0] = IDLE
        self.random = np.zeros((count, 1), dtype=np.uint64)
        self.actions, self.targets = np.zeros((count, actions)), np.zeros((count, targets))
        self.start_q, self.start_v = np.zeros((count, nq)), np.zeros((count, n))
        self.values, self.seen = np.zeros((count, len(readings) + targets)), np.zeros((count, seen + targets))
        slots = int(np.ceil(task.longest_delay / task.period)) + 2
        self._parts = np.array([k * count // threads for k in range(threads + 1)])
        self.members, self._lent, self.fresh = [], [], []
        fresh = self.image.contents.view(np.int64)
        for i in range(count):
            thread = int(np.searchsorted(self._parts, i, "right")) - 1
            mine = lanes[min(thread, len(lanes) - 1) if self.shared else i]
            last = mine.loop.coordinates.joints.last if quick else None
            x, u = (np.zeros(0), np.zeros(0)) if last is None else (last.x, last.u)
            motion, own = mine.motion, fresh.copy() if task.vary else fresh
            self.fresh.append(own)
            self.members.append(
                Member(
                    mine.loop.plan, mine.loop.scratch, mine.state, motion.q, motion.v, motion.shown, motion.a,
                    motion.lam, mine.p, x, u, mine.contents, own, mine.calls, control, sensor_table(readings, errors),
                    self.whole[i], self.numbers[i], self.random[i], self.actions[i], np.zeros((slots, actions)),
                    self.start_q[i], self.start_v[i], self.targets[i],
                    np.zeros(nq + n + len(x) + len(u) if self.shared else 0), np.zeros(len(readings)), self.values[i],
                    self.seen[i],
                )
            )  # fmt: skip
            self._lent.append(Lent(do, self.members[-1], unlocked=True))
        self._lanes = lanes
        self._code = self._lent[0].places[0]
        self._at = np.array([lent.places[1] for lent in self._lent], dtype=np.int64)
        self._pool = ThreadPoolExecutor(threads, "flexmb environment") if threads > 1 else None

    def _readings(self, sensors: list[Sensor], system: Any) -> tuple[list[Any], list[tuple[float, float, float]]]:
        """Readings of a system, for compiled code, and the resolution, noise and bias of each."""
        readings = []
        for sensor in sensors:
            sensor.check_in(system.model, self.where)
            sensor.check_determined(system, 0.0, system.q0)
            readings.append(sensor.reading(system))
        return readings, [(s.resolution, s.noise, s.bias) for s in sensors]

    def run(self) -> None:
        """Let all members do what they have to do, in one compiled call for each thread."""
        if self._pool is None:
            on_members(self._code, self._at, 0, self.count)
            return
        bounds = self._parts
        for part in [self._pool.submit(self._part, *bounds[k : k + 2]) for k in range(len(bounds) - 1)]:
            part.result()

    def _part(self, first: int, last: int) -> None:
        on_members(self._code, self._at, first, last)

    def put_delay(self, i: int, delay: float) -> None:
        """Delay the commands of member i from now on [s]."""
        period = self.task.period
        whole = int(delay / period + 1e-9)  # a delay of whole periods has no rest by rounding
        rest = delay - whole * period
        self.whole[i, WHOLE], self.numbers[i, REST] = whole, rest if rest > 1e-9 * period else 0.0

    def vary(self, i: int, values: Mapping[str, float]) -> tuple[Any, Any]:
        """Let member i have other values of parameters from its next episode on, by their names: the equations are
        bound anew, for a copy of the model. Returns this copy and its system."""
        task = self.task
        model, sensors = copy.deepcopy((task.model, self.sensors))
        for name, value in values.items():
            parameter(model, name, f"{self.where}, vary").put(model, value, f"{self.where}, vary")
        image = image_of(task, model)
        mine = self.members[i]
        table = sensor_table(*self._readings(sensors, image.system))
        alike = differ_in_numbers(image.system, self.system) and image.contents.shape == self.image.contents.shape
        if not alike or any(x.shape != y.shape for x, y in zip(table, mine.sensors)):
            raise ModelError(
                f"{self.where}, vary: {', '.join(map(repr, values))} changes how the mechanism is built, and not only "
                "numbers in its equations; make an environment for each"
            )
        self.fresh[i][:] = image.contents.view(np.int64)
        self._lanes[i].put_mass_scale(image.system.mass_scale)
        for now, new in zip(mine.sensors, table):
            now[:] = new
        return model, image.system

    def state(self, i: int) -> tuple[np.ndarray, np.ndarray]:
        """Positions (nq,) and speeds (n,) of member i."""
        member, nq, n = self.members[i], self.system.nq, self.system.n
        if self.shared:
            return member.kept[:nq].copy(), member.kept[nq : nq + n].copy()
        return member.q[:nq].copy(), member.shown[:n].copy()

    def why(self, i: int) -> str:
        """Why member i has ended, in words."""
        status, t = int(self.whole[i, STATUS]), float(self.numbers[i, TIME])
        if status == IN_DOUBT:
            sensor: Sensor = self.sensors[int(self.members[i].sensors.doubtful[0])]
            return f"at {t:.6g} s, {sensor.in_doubt(self.task.period)}"
        return _WHY.get(status, f"it diverged: after {t:.6g} s there is no next state")

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()


def image_of(task: Task, model: Any) -> LaneImage:
    """The bound run of a model of the task, from which lanes are made."""
    bound = Bound(model, task.method, dict(task.options), Choices(), "environment of", again=True)
    start = task.start_of(model) if task.initial else None
    try:
        return LaneImage(bound, asked_of(bound, task.duration, 0.0, start, None, False))
    except NoLaneError as error:
        raise ModelError(
            f"{task.where}: {error}, so that it cannot go on in compiled code alone; make a loop of your own with "
            "flexmb.Simulator, which can"
        ) from None


def commanded(task: Task, system: Any) -> tuple[np.ndarray, np.ndarray]:
    """Places of the commanded parameters, and the number of the action of each."""
    places = [np.asarray(system.strength_places(name), dtype=np.int64) for name in task.limits]
    of = [np.full(len(at), k, dtype=np.int64) for k, at in enumerate(places)]
    return np.concatenate([np.zeros(0, dtype=np.int64), *places]), np.concatenate([np.zeros(0, dtype=np.int64), *of])
