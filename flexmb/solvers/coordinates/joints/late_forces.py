"""Joint forces of steps in the joint coordinates of a tree, and how well its rows hold, found when somebody reads them.

Joint coordinates satisfy the rows of the joints of a tree exactly, and the motion does not depend on their multipliers
λ. These follow from a state, its accelerations, the multipliers μ of further rows, which each step finds and keeps,
and the commands that controllers held until then (:mod:`~flexmb.solvers.coordinates.joints.multipliers`). So a run may
leave λ to its results: it takes a quarter of the time of an explicit step of a robot's arm.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation import allocation_free
from flexmb.results.recorded import MadeLater
from flexmb.results.statistics import Statistics
from flexmb.solvers.coordinates.joints.joint_motion import JointMotion
from flexmb.solvers.coordinates.joints.joint_rates import joint_forces
from flexmb.solvers.coordinates.joints.multipliers import fill_entries
from flexmb.solvers.rows.index_one import norm
from flexmb.system.evaluation import constraints
from flexmb.system.readings import Sensors, read_forces
from flexmb.system.system import System

#: no places that controllers command, and nothing held there at any number of times
NONE = np.zeros(0, dtype=np.int64), np.zeros((0, 0))


def can_wait(system: System, joints: JointMotion, sensors: Sensors) -> bool:
    """Whether the joint forces of a run in joint coordinates can wait until they are read: neither the motion nor one
    of its `sensors` depends on them, and they follow from what each step keeps, since all loops are closed by further
    rows and no search changes the parameters of forces."""
    known = joints.rows.closed == 0 or joints.rows.meets == 1
    free = known and not system.plan.friction and not system.assembly.searches
    return bool(free and system.m and not read_forces(sensors))


class LateForces:
    """The multipliers of all constraint rows of a `system`, and the drift of its rows, for steps in the joint
    coordinates `joints` of a run, each of which keeps those of its `count` further rows."""

    def __init__(self, system: System, joints: JointMotion) -> None:
        self.system, self._joints = system, joints
        self.count = len(joints.rows.numbers)

    def kept_of(self, lam: np.ndarray) -> np.ndarray:
        """Multipliers that steps keep (k, count), of lam (k, m): those of further rows, in units of their scales."""
        numbers = self._joints.rows.numbers
        return np.ascontiguousarray(lam[:, numbers] * self._joints.rows.scale[numbers])

    def multipliers(
        self,
        t: np.ndarray,
        q: np.ndarray,
        v: np.ndarray,
        a: np.ndarray,
        kept: np.ndarray,
        commands: tuple[np.ndarray, np.ndarray] = NONE,
    ) -> np.ndarray:
        """The multipliers (k, all rows) of states: times (k,), positions (k, nq), speeds and accelerations (k, n), and
        what steps `kept` (k, count). The `commands` of controllers: their places (p,) among the parameters, and what
        they held there (k, p); those that are there now if not given."""
        system, out, (places, held) = self.system, np.zeros((len(t), self.system.m)), commands
        now = system.plan.p[places]
        states = map(np.ascontiguousarray, (t, q, v, a, kept, held))
        _forces(self._joints, system.plan, system.scratch, self._room(), *states, places, out)
        system.plan.p[places] = now
        return system.for_all_rows(out)

    def drift(self, t: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        """The largest |g| and |ġ| of states, in units of the scales of the rows."""
        system, room, out = self.system, np.zeros((3, self.system.m)), np.zeros(2)
        arrays = map(np.ascontiguousarray, (t, q, v))
        _drift(system.plan, system.scratch, self._room(), system.row_scale, *arrays, room, np.zeros(4), out)
        return float(out[0]), float(out[1])

    def _room(self) -> np.ndarray:
        """Rows (4, total_q) for q, v, a and zeros, with the coordinates of fixed frames in q."""
        room = np.zeros((4, self.system.plan.total_q))
        room[0] = self.system.initial
        return room


class LateMultipliers(MadeLater):
    """The multipliers (k, all rows) of the steps of a run, found by `forces` when they are read, after those of its
    `start` (s, all rows). The states, t, q, v, a and what they keep, and the commands are those of
    :meth:`LateForces.multipliers`."""

    def __init__(
        self,
        forces: LateForces,
        start: np.ndarray,
        states: tuple[np.ndarray, ...],
        commands: tuple[np.ndarray, np.ndarray],
    ) -> None:
        t = states[0]
        self._forces, self._states, self._commands = forces, states, commands
        self._found = np.zeros((len(t), start.shape[1]))
        self._found[: len(start)] = start
        self._missing = np.arange(len(t)) >= len(start)
        self._noted = False

    def of(self, rows: np.ndarray) -> np.ndarray:
        missing = rows[self._missing[rows]]
        if len(missing):
            places, held = self._commands
            t, q, v, a, kept = (x[missing] for x in self._states)
            self._found[missing] = self._forces.multipliers(t, q, v, a, kept, (places, held[missing]))
            self._missing[missing] = False
        return self._found[rows]

    def all(self) -> np.ndarray:
        self.of(np.arange(len(self._found)))
        return self._found

    def note(self, statistics: Statistics) -> None:
        if not self._noted:
            self._noted = True
            drift, rate = self._forces.drift(*(x[1:] for x in self._states[:3]))
            statistics.position_drift = max(statistics.position_drift, drift)
            statistics.velocity_drift = max(statistics.velocity_drift, rate)


@allocation_free
def _forces(j, plan, scratch, full, t, q, v, a, kept, held, places, out):
    b = j.rows.bearing
    for k in range(t.shape[0]):
        for c in range(held.shape[1]):
            plan.p[places[c]] = held[k, c]
        for i in range(q.shape[1]):
            full[0, i] = q[k, i]
        for i in range(v.shape[1]):
            full[1, i] = v[k, i]
            full[2, i] = a[k, i]
        for i in range(kept.shape[1]):
            j.rows.mu[i] = kept[k, i]
        fill_entries(b.entries, b.entries_at, j.rows.plan, scratch, t[k], full[0], full[1], full[3])
        joint_forces(j, plan, scratch, t[k], full[0], full[1], full[2], out[k])


@allocation_free
def _drift(plan, scratch, full, scale, t, q, v, room, weights, out):
    for k in range(t.shape[0]):
        for i in range(q.shape[1]):
            full[0, i] = q[k, i]
        for i in range(v.shape[1]):
            full[1, i] = v[k, i]
        constraints(plan, scratch, t[k], full[0], full[1], full[3], weights, room[0], room[1], room[2])
        out[0] = max(out[0], norm(room[0], scale, plan.m))
        out[1] = max(out[1], norm(room[1], scale, plan.m))
