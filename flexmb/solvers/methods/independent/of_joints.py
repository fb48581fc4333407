"""Joint coordinates of a tree as independent ones: all except those that constraint rows beyond the tree's determine.

They are chosen, and chosen anew, as in :mod:`~flexmb.solvers.methods.independent.partition`. A tree with nv joint
speeds has nv − (n − m) degrees of freedom more than the mechanism, which has n coordinates and m independent rows: this
is the number of further rows that are independent on the tree, and of joint coordinates that follow from the others.

**Accuracy.** Largest errors of any coordinate, as multiples of `rtol`, and evaluations, with formulation "aba" and
`atol` = `rtol`/100:

    model                                  time    rtol 1e-3       1e-5           1e-7           1e-9
    four-bar linkage, by CVODE             3 s     0.02   325      0.03   640     0.02  1495     0.04  3303
      by Radau IIA                                 0.04   273      0.01   637     0.01  1617     0.01  4163
    driven crank, and a pair of gears      0.8 s   0.01   164      0.02   338     0.01   707     0.02  1528
      by Radau IIA                                 0.07   131      <0.01  271     <0.01  672     <0.01 1645
    crank, rocker, rod between two balls   2 s     0.06  1255      0.01  2484     0.01  5305     0.53 12005
      by Radau IIA                                 0.02  1284      0.15  2062     0.18  4821     0.48 11923
    sphere that rolls, with a body on it   1 s     0.01   249      <0.01  491     0.01  1008     <0.01 2430
      by Radau IIA                                 0.04   233      <0.01  420     <0.01 1032     <0.01 2635

The third model changes its independent coordinates, or charts, seven times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from flexmb.algebra import dense_lu
from flexmb.algebra.rank import independent_columns
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.charts import rate_maps
from flexmb.model.ways import BALL, FREE, POSITIONS, SLIDE, SPEEDS
from flexmb.solvers.coordinates.independent.carried_numbers import Carried
from flexmb.solvers.coordinates.independent.closing import Closing
from flexmb.solvers.coordinates.independent.joint_closing import JointClosing, Part, fill_rows
from flexmb.solvers.coordinates.independent.square import Square
from flexmb.solvers.coordinates.joints.bearing import bearing_of
from flexmb.solvers.coordinates.joints.further_rows import rows_beyond
from flexmb.solvers.coordinates.joints.joint_motion import JointMotion, sizes
from flexmb.solvers.coordinates.joints.joint_state import rates_of_speeds, stand_on
from flexmb.solvers.methods.independent.partition import LAST_CHOICE, Partition, not_enough, not_named
from flexmb.solvers.methods.independent.reduced_equations import Partitioned, part_of_move
from flexmb.solvers.runs.right_hand_side import RightHandSide, SingularPositionError
from flexmb.solvers.runs.run import Run

#: A pivot below this part of the largest counts as zero.
RANK = 1e-10
#: A stretch of dependent coordinates below this, in units of the model, counts as this: they move no further than
#: independent ones.
LEAST_STRETCH = 1.0


class JointNumbers(NamedTuple):
    """The joint coordinates in the order of coordinates of a system, see
    :class:`~flexmb.solvers.methods.independent.reduced_equations.Partitioned`: numbers n of speeds and nq of
    coordinates, indices of the `orientations`, scales `scale` (n,) of speeds, and for each joint coordinate its index
    `place` (nq,) in this order."""

    n: int
    nq: int
    orientations: np.ndarray
    scale: np.ndarray
    place: np.ndarray

    @classmethod
    def of(cls, j: JointMotion, run: Run) -> JointNumbers:
        """For the joint coordinates of a tree."""
        joints, nv = j.links.joints, j.links.joints.nv
        place, orientations = np.zeros(joints.nq, dtype=np.int64), []
        for kind, x, u in zip(joints.kind, joints.at_q, joints.at_v):
            if kind in (BALL, FREE):
                lengths = 3 if kind == FREE else 0
                place[x : x + lengths] = u + np.arange(lengths)
                orientations.append(u + lengths)
                place[x + lengths] = nv + len(orientations) - 1
                place[x + lengths + 1 : x + lengths + 4] = u + lengths + np.arange(3)
            elif SPEEDS[kind]:
                place[x : x + POSITIONS[kind]] = u
        place[joints.nq - joints.inner :] = np.arange(nv - joints.inner, nv)
        _, scale = sizes(j, run.system.length_scale)
        scale[nv - joints.inner :] = run.system.scale[j.nodes.inner]
        first = np.array(orientations, dtype=np.int64)
        table = np.stack([first, nv + np.arange(len(first))], axis=1).astype(np.int64)
        return cls(nv, joints.nq, table, scale, place)


class OfJoints(Partition):
    """Partition of the joint coordinates of a tree into independent and dependent ones, for the equations `f` of a run,
    at its present state. In messages, each is represented by a coordinate of the system, on the link that its joint
    carries."""

    def __init__(
        self, run: Run, f: RightHandSide, names: Sequence[str] | None = None, weights: np.ndarray | None = None
    ) -> None:
        system, j = run.system, f.coordinates.joints
        self.run, self.f, self.system, self.joints = run, f, system, j
        self.numbers = numbers = JointNumbers.of(j, run)
        tree = Tree.of(system, euler_angles=f.coordinates.sequence or None)
        plan, beyond = rows_beyond(system, tree, False, j.followers.followed)
        bearing = bearing_of(plan, beyond, tree, j.followers, None, None)
        self.loops = JointClosing.of(plan, beyond, bearing, numbers.place, numbers.scale, len(numbers.orientations))
        self.weights = _weights(j, numbers) if weights is None else weights
        (z0, z), (u0, ud0) = np.zeros((2, numbers.nq)), np.zeros((2, numbers.n))
        self._own: Partitioned = Partitioned(
            numbers.orientations, numbers.scale, _stands_for(j), z0, u0, ud0, z, j.u, j.ud
        )
        self.note(run)
        C = self._jacobian(run.t, run.q)
        self._choose(C, tree, names)
        every = np.arange(numbers.n)
        self.dependent, self.dependent_speeds = self.loops.positions.dependent, self.loops.speeds.dependent
        self.independent = np.setdiff1d(every, self.dependent)
        self.independent_speeds = np.setdiff1d(every, self.dependent_speeds)
        none = np.zeros(0, dtype=np.int64)
        nothing = Square.of(system, none, none)
        self.carried: Carried = Carried.of(numbers, self.independent, self._own.q0)
        self.closing: Closing = Closing.of(system, nothing, nothing, self.carried.chart)
        self.quality = self._factorize(C) if len(self.dependent_speeds) else [0.0]
        self.stretch = max(self._stretch(C), LEAST_STRETCH) if len(self.dependent_speeds) else np.inf

    def own(self, run: Run, f: RightHandSide) -> Partitioned:
        """The partitioned coordinates: the joint coordinates."""
        return self._own

    def note(self, run: Run) -> None:
        """Record the present state of the run as the last step."""
        own, j = self._own, self.joints
        stand_on(j, run.q, run.v)
        rates_of_speeds(j, run.q, run.v, run.a)
        own.q0[self.numbers.place], own.v0[:], own.a0[:] = j.x, j.u, j.ud

    def again(self, t: float, q: np.ndarray, weights: np.ndarray, names: Sequence[str] | None = None) -> OfJoints:
        """A new partition at the present state of the run."""
        return OfJoints(self.run, self.f, names, weights)

    def start(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The integrated numbers x for a state of the system."""
        stand_on(self.joints, q, v)
        z = np.zeros(self.numbers.nq)
        z[self.numbers.place] = self.joints.x
        return np.concatenate([self.carried.positions(z), self.joints.u[self.independent_speeds]])

    def _jacobian(self, t: float, q: np.ndarray) -> np.ndarray:
        """C (e, nv) at the present state of the run, in units of rows and of joint coordinates."""
        run, c = self.run, self.loops
        stand_on(self.joints, run.q, run.v)
        fill_rows(c, self.joints, self.system.scratch, t, run.q, run.v)
        return np.asarray(c.C * self.numbers.scale)

    def _choose(self, C: np.ndarray, tree: Tree, names: Sequence[str] | None) -> None:
        """Choose rows and dependent coordinates, as many as the tree has degrees of freedom more than the mechanism."""
        system, nv = self.system, self.numbers.n
        at_speed, beside = system.at_speed[self.loops.numbers], nv - system.n
        of_positions, of_speeds = beside + int(np.sum(~system.at_speed)), beside + system.m
        rows = np.flatnonzero(~at_speed)
        if names is None:
            chosen, dependent = _regular(C[rows], of_positions, self.weights)
        else:
            dependent = not_named(system, tree.names, of_positions, names)
            try:
                chosen, _ = _regular(C[np.ix_(rows, dependent)], of_positions, np.ones(of_positions))
            except SingularPositionError:
                raise not_enough(system, names) from None
        rows = rows[chosen]
        speed_rows, dependent_speeds = rows, dependent
        if of_speeds > of_positions:
            rolling, free = np.flatnonzero(at_speed), np.setdiff1d(np.arange(nv), dependent)
            follow = np.linalg.solve(C[np.ix_(rows, dependent)], C[np.ix_(rows, free)])
            left = C[np.ix_(rolling, free)] - C[np.ix_(rolling, dependent)] @ follow
            chosen, held = _regular(left, of_speeds - of_positions, self.weights[free])
            speed_rows = np.concatenate([rows, rolling[chosen]])
            dependent_speeds = np.union1d(dependent, free[held])
        self.loops = self.loops.choosing(Part.of(rows, dependent), Part.of(speed_rows, dependent_speeds))

    def _factorize(self, C: np.ndarray) -> list[float]:
        """Smallest pivots of the parts of C for positions and speeds, as parts of the largest."""
        c, found = self.loops, []
        for part in (c.positions, c.speeds):
            size, matrix = len(part.rows), np.ascontiguousarray(C[np.ix_(part.rows, part.dependent)])
            found.append(float(dense_lu.factor(matrix, size, np.zeros(size, dtype=np.int64))))
        return found

    def _pivots(self) -> list[float]:
        """Smallest pivots at the state that was evaluated last."""
        return self._factorize(self.loops.C * self.numbers.scale)

    def _stretch(self, C: np.ndarray) -> float:
        """How far dependent coordinates move with the independent ones, see
        :func:`~flexmb.solvers.coordinates.independent.joint_closing.joint_stretch`."""
        c, numbers = self.loops, self.numbers
        moves = np.array([part_of_move(k) for k in range(numbers.n)])
        turned, maps = C.copy(), np.zeros((len(numbers.orientations), 9))
        rate_maps(numbers.orientations, self.carried.chart.y, maps)
        for (at, _), T in zip(numbers.orientations, maps.reshape(-1, 3, 3)):
            turned[:, at : at + 3] = C[:, at : at + 3] @ T
        largest = 0.0
        for G, part in ((C, c.speeds), (turned, c.positions)):
            w, held = moves.copy(), part.dependent
            w[held] = 0.0
            try:
                follow = np.linalg.solve(G[np.ix_(part.rows, held)], (G @ w)[part.rows])
            except np.linalg.LinAlgError:
                return np.inf
            largest = max(largest, float(np.max(np.abs(follow), initial=0.0)))
        return largest


def _regular(A: np.ndarray, count: int, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices of `count` rows and columns of A that form a regular matrix; columns with larger `weights` are
    preferred."""
    if not count:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    _, R, order = scipy.linalg.qr(A.T, mode="economic", pivoting=True)
    pivots = np.abs(np.diag(R))
    if len(pivots) < count or not pivots[count - 1] > RANK * pivots[0]:
        raise SingularPositionError("the constraints lose rank in this position")
    rows = np.sort(order[:count])
    try:
        return rows, independent_columns(sp.csc_array(A[rows] * weights))
    except np.linalg.LinAlgError:
        raise SingularPositionError("the constraints lose rank in this position") from None


def _weights(j: JointMotion, numbers: JointNumbers) -> np.ndarray:
    """Initial preference of joint coordinates as dependent ones, before anything is known of the motion: low for
    orientations, lowest for amplitudes of modes."""
    weights = np.ones(numbers.n)
    weights[numbers.orientations[:, :1] + np.arange(3)] = LAST_CHOICE
    weights[numbers.n - j.links.joints.inner :] = LAST_CHOICE**2
    return weights


def _stands_for(j: JointMotion) -> np.ndarray:
    """For each joint speed the index of a coordinate of the system of the same kind, length or angle, which represents
    it."""
    joints = j.links.joints
    stands = np.zeros(joints.nv, dtype=np.int64)
    for k in range(len(j.links.parent)):
        place, turn = j.nodes.numbers_v[k, 0], j.nodes.numbers_v[k, -1]
        for s in range(joints.first[k], joints.first[k + 1]):
            kind, at = int(joints.kind[s]), joints.at_v[s]
            stands[at : at + SPEEDS[kind]] = turn
            lengths = 1 if kind == SLIDE else 3 if kind == FREE else 0
            stands[at : at + lengths] = place
    stands[joints.nv - joints.inner :] = j.nodes.inner
    return stands
