"""Closing joints: g(q, t) = 0 from any position, by the Levenberg–Marquardt method.

With the weights W of the coordinates a step δ solves

    [ W²   Gᵀ ] [δ]   [ −W² d ]
    [ G   −μ 1 ] [y] = [ −g    ]          min ½ |W (d + δ)|² + |g + G δ|²/(2 μ)

With d = 0 the joints close by the shortest way. Where d is the distance from a given position, the result also lies as
near to that position as the joints allow. Rows may depend on one another. See Nocedal and Wright (2006), §10.3; the
block form keeps large systems sparse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy

from flexmb.algebra.factors import Factors, bordered
from flexmb.errors import InitialConditionError
from flexmb.kernels import rotations
from flexmb.kernels.blocks import ANGLE, PLACE, VECTOR
from flexmb.system.mobility import rigid_groups
from flexmb.system.moved_start import NOTICEABLE, Move, gaps_of, reported_move
from flexmb.system.system import System

#: joints are closed to this error, in units of the model's length, and radians
TOLERANCE = 1e-12
#: largest turn [rad], or displacement in units of the model's length, in one step
LARGEST_STEP = 0.5
#: unknowns up to which dense factors are faster
LARGEST_DENSE = 300
#: joints with less error are closed, in units of the model's length, and radians
CLOSED = 1e-9


@dataclass
class MovableParts:
    """The parts that may move: groups of coordinates as rigid bodies, the others one by one; `held` coordinates stay.

    A motion has an unknown for each single coordinate, and for each group the shift of its middle along x, y (z) and
    the turn about it, an angle or in space a rotation vector (3,) in the axes of the ground.

    Arguments: `system`; `groups`: numbers of the speeds of each rigid group; `held`: numbers of coordinates.
    """

    system: System
    groups: Sequence[np.ndarray] = ()
    held: Sequence[int] = ()
    single: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        together = np.concatenate([np.zeros(0, dtype=np.int64), *self.groups])
        self.single = np.setdiff1d(np.arange(self.system.n), together)
        free = self.system.assembly.free
        self.dimension = 3 if free.dimension == 3 else 2
        places, vectors = (free.numbers_of(kind, self.dimension) for kind in (PLACE, VECTOR))
        self._parts = []
        for members in self.groups:
            own = [x[np.isin(x[:, 0], members)] for x in (places, vectors, self.system.orientations)]
            self._parts.append((*own, members[free.mask(ANGLE)[members]]))

    @classmethod
    def rigid(cls, system: System, held: Sequence[int] = ()) -> MovableParts:
        """Parts in which flexible bodies move as rigid ones; those that share a held or fixed node stay. The
        coordinates of a rigid body in space move one by one where some of them are held."""
        groups, clamped = rigid_groups(system)
        held_numbers = set(held)
        turning = system.orientations[:, 0]
        one_by_one = [len(g) == 6 and bool(np.isin(g, turning).any()) for g in groups]
        groups = [g for g, own in zip(groups, one_by_one) if not own or not held_numbers & set(g.tolist())]
        stay = [clamped, *(g for g in groups if held_numbers & set(g.tolist()))]
        free = [g for g in groups if not held_numbers & set(g.tolist())]
        return cls(system, free, np.unique(np.concatenate([np.asarray(list(held), dtype=np.int64), *stay])).tolist())

    @property
    def freedom(self) -> int:
        """Unknowns of a rigid group: 3 in the plane, 6 in space."""
        return 3 if self.dimension == 2 else 6

    @property
    def count(self) -> int:
        """Number of unknowns."""
        return len(self.single) + self.freedom * len(self.groups)

    def columns(self, q: np.ndarray) -> scipy.sparse.csc_array:
        """Z (n, count), whose columns are small motions in units of the model's length, and radians."""
        n, L, d = self.system.n, self.system.length_scale, self.dimension
        held = np.isin(self.single, self.held)
        rows = [self.single]
        columns = [np.arange(len(self.single))]
        values = [np.where(held, 0.0, self.system.scale[self.single])]
        rigid = self.system.rigid_motions(q)
        at = len(self.single)
        for k, members in enumerate(self.groups):
            part, center = rigid[:, members], self.center(q, k)
            motions = [L * part[j] for j in range(d)]
            if d == 2:
                motions.append(part[2] + center[1] * part[0] - center[0] * part[1])
            else:
                motions += [part[3 + j] - np.cross(axis, center) @ part[:3] for j, axis in enumerate(np.eye(3))]
            for j, motion in enumerate(motions):
                rows.append(members)
                columns.append(np.full(len(members), at + j))
                values.append(motion)
            at += self.freedom
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns)))
        return scipy.sparse.csc_array(scipy.sparse.coo_array(entries, shape=(n, self.count)))

    def center(self, q: np.ndarray, k: int) -> np.ndarray:
        """The middle (2,), in space (3,), of the points of group k."""
        return np.array([float(np.mean(q[along])) for along in self._parts[k][0].T])

    def after_motion(self, q: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The position after a motion y (count,), in which bodies turn exactly."""
        change = np.zeros(self.system.n)
        held = np.isin(self.single, self.held)
        change[self.single] = np.where(held, 0.0, self.system.scale[self.single] * y[: len(self.single)])
        out = self.system.retract(q, change)
        for k, own in enumerate(y[len(self.single) :].reshape(-1, self.freedom)):
            places, vectors, orientations, angles = self._parts[k]
            center, shift = self.center(q, k), own[: self.dimension]
            out[places] = self.turned(q[places] - center, own, center) + self.system.length_scale * shift
            out[vectors] = self.turned(q[vectors], own)
            out[angles] += own[-1]
            for first, scalar in orientations.tolist():
                numbers = [scalar, first, first + 1, first + 2]
                out[numbers] = rotations.product(rotations.exp(tuple(own[3:])), tuple(q[numbers]))
        return out

    def turned(self, arms: np.ndarray, own: np.ndarray, about: Any = 0.0) -> np.ndarray:
        """Points (k, 2) or (k, 3) with arms from `about`, after the turn of a group's motion."""
        if self.dimension == 3:
            return about + (scipy.spatial.transform.Rotation.from_rotvec(own[3:]).apply(arms) if len(arms) else arms)
        x, y = arms.T
        return np.asarray(about + np.cos(own[2]) * arms + np.sin(own[2]) * np.column_stack([-y, x]))

    def motion_between(self, q: np.ndarray, to: np.ndarray) -> np.ndarray:
        """The motion (count,) from one position to another, in which groups move as wholes."""
        change = self.system.difference(to, q)
        out = [change[self.single] / self.system.scale[self.single]]
        for k in range(len(self.groups)):
            shift = (self.center(to, k) - self.center(q, k)) / self.system.length_scale
            out += [shift, self._turn(q, to, change, k)]
        return np.concatenate(out)

    def _turn(self, q: np.ndarray, to: np.ndarray, change: np.ndarray, k: int) -> np.ndarray:
        """The turn of group k: the angle (1,), or in space the rotation vector (3,); without angles or orientations
        from its points."""
        places, _, orientations, angles = self._parts[k]
        if len(angles):
            return np.array([np.mean(change[angles])])
        if len(orientations):
            first, scalar = orientations[0].tolist()
            axes = tuple(q[[scalar, first, first + 1, first + 2]])
            return np.array(rotations.turned(axes, tuple(change[first : first + 3])))
        before, after = q[places] - self.center(q, k), to[places] - self.center(to, k)
        if self.dimension == 3:
            return scipy.spatial.transform.Rotation.align_vectors(after, before)[0].as_rotvec()
        chords = [complex(*(arms[-1] - arms[0])) for arms in (before, after)]
        return np.array([float(np.angle(chords[1] / chords[0]))])


def close_joints(
    parts: MovableParts, t: float, q: np.ndarray, rows: np.ndarray | None = None, max_iterations: int = 200
) -> tuple[np.ndarray, float]:
    """A position near q in which the chosen rows (all when not given) are closed; and the largest error that is left,
    in units of the model's length, and radians."""
    g = _errors(parts.system, t, q, rows)
    size = float(g @ g)
    mu = 1e-6
    for _ in range(max_iterations):
        if not np.isfinite(size):
            return q, np.inf
        if np.max(np.abs(g), initial=0.0) <= TOLERANCE:
            break
        step = solve_step(parts, t, q, rows, g, np.zeros(parts.count), mu)
        way = float(np.max(np.abs(step), initial=0.0))
        if way > LARGEST_STEP:
            step *= LARGEST_STEP / way
        new = parts.after_motion(q, step)
        g_new = _errors(parts.system, t, new, rows)
        size_new = float(g_new @ g_new)
        if size_new < size:
            stalled = size_new > (1.0 - 1e-9) * size and way < 1e-6
            q, g, size = new, g_new, size_new
            mu = max(0.1 * mu, 1e-14)
            if stalled:
                break
        else:
            if way < 1e-13 or mu > 1e8:
                break
            mu *= 10.0
    return q, float(np.max(np.abs(g), initial=0.0))


def rigidly_closed(system: System, t: float, q: np.ndarray) -> tuple[np.ndarray, float]:
    """A position near q in which joints are closed as far as flexible bodies, moved as rigid ones, allow; and the error
    that is left then, in units of the model's length, and radians: by so much they have to be strained. Without such
    bodies, or open joints, it is q, and the error is zero."""
    rows = np.flatnonzero(~system.at_speed)
    if np.max(np.abs(_errors(system, t, q, rows)), initial=0.0) <= NOTICEABLE:
        return q, 0.0
    parts = MovableParts.rigid(system)
    if not (parts.groups or parts.held):
        return q, 0.0
    closed, left = close_joints(parts, t, q, rows)
    return (closed, left) if np.isfinite(left) else (q, left)


def closed_start(whole: System, t: float, q: np.ndarray, gaps: str, where: str) -> tuple[np.ndarray, Move]:
    """The position (nq,) near q in which an analysis starts, joints and drives closed at t; and how far that moved it,
    reported as :mod:`flexmb.system.moved_start` says. Joints that cannot be closed raise an
    InitialConditionError."""
    start, left = close_joints(MovableParts(whole), t, rigidly_closed(whole, t, q)[0])
    if left > CLOSED:
        missed = ", ".join(f"{gap.where} by {gap.text}" for gap in gaps_of(whole, t, q)[:4])
        raise InitialConditionError(
            f"{where}: joints and drives cannot be brought together from the positions in the model at {t:g}; there "
            f"they miss in {missed} (what remains at best: {left:.2g} of the model's length); draw the bodies "
            "nearer, or use assemble"
        )
    return start, reported_move(whole, t, q, start, gaps, where)


def _errors(system: System, t: float, q: np.ndarray, rows: np.ndarray | None) -> np.ndarray:
    """The errors of the chosen rows, in units of the model's length, and radians."""
    g = system.constraint(t, q, np.zeros(system.n))[0] / system.row_scale
    return g if rows is None else g[rows]


def solve_step(
    parts: MovableParts, t: float, q: np.ndarray, rows: np.ndarray | None, g: np.ndarray, d: np.ndarray, mu: float
) -> np.ndarray:
    """One step δ (count,); all coordinates have the same weight in units of the model's length, and radians."""
    system = parts.system
    G: Any = scipy.sparse.csr_array(
        scipy.sparse.diags_array(1.0 / system.row_scale) @ scipy.sparse.csc_array(system.jacobian(t, q))
    )
    G = scipy.sparse.csc_array((G if rows is None else G[rows]) @ parts.columns(q))
    k, m = parts.count, G.shape[0]
    b = np.concatenate([-d, -g])
    if k + m <= LARGEST_DENSE:
        A = bordered(np.eye(k), G.toarray(), corner=-mu * np.eye(m))
    else:
        A = bordered(scipy.sparse.eye_array(k), G, corner=-mu * scipy.sparse.eye_array(m))
    return Factors(A).solve(b)[:k]
