"""Coordinate partitioning: the choice of independent coordinates.

The constraint Jacobian's columns are split G = [G_d G_i] with G_d square and regular (Kobayashi (n.d.), eqs. (70)-
(72)). With velocity rows there are two such splittings, one of the position rows alone and one of all rows.
Orientations are chosen as dependent coordinates only if nothing else is possible;
:mod:`flexmb.solvers.coordinates.independent.carried_numbers` describes how they are integrated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.algebra import sparse_solve, sparse_storage
from flexmb.algebra.factors import Factors, dense
from flexmb.algebra.rank import independent_columns
from flexmb.errors import SolverError
from flexmb.kernels.blocks import FREE
from flexmb.model import given_names
from flexmb.solvers.coordinates.independent.carried_numbers import Carried
from flexmb.solvers.coordinates.independent.closing import Closing
from flexmb.solvers.coordinates.independent.joint_closing import JointClosing
from flexmb.solvers.coordinates.independent.square import Square
from flexmb.solvers.coordinates.joints.joint_motion import NOTHING
from flexmb.solvers.methods.independent.reduced_equations import Partitioned, part_of_move
from flexmb.solvers.runs.right_hand_side import RightHandSide, SingularPositionError
from flexmb.solvers.runs.run import Run
from flexmb.system.system import System

#: The dependent coordinates are chosen anew when a pivot falls below WEAK of its initial value, if this makes
#: pivots larger by the factor GAIN: near a singular position no choice is better than another.
WEAK, GAIN = 0.05, 4.0
#: They are also chosen anew when they move FURTHER times as far with the independent ones as at first, if others move
#: less than LESS_FAR times as far. Errors of the independent coordinates are magnified by this ratio, and pivots may
#: show it late.
FURTHER, LESS_FAR = 6.0, 0.5
#: Coordinates given by name are kept until the dependent ones move this many times as far as at first: at a dead center
#: such a coordinate reverses, and no longer determines the direction of the others.
DEAD_CENTER = 1e3
#: Weight of plane angles in the choice of dependent coordinates: the crank of a linkage turns without limit, while
#: positions come to rest where they reverse.
ANGLES = 0.3
#: Factor on the weight of a coordinate that had to be replaced as an independent one: it is then chosen sooner as a
#: dependent one.
WORE_OUT = 3.0
#: Weight of coordinates without inertia in the choice of those whose speeds velocity rows determine.
IDLE_WEIGHT = 1e3
#: Weight of orientations in the choice of dependent coordinates; single free coordinates have its square. The latter
#: count the turns of hinges, and integrating them needs no charts.
LAST_CHOICE = 1e-3
#: Coordinates do not determine the others if a pivot of their columns is below this part of the largest.
LEAST_PIVOT = 1e-12


class Partition:
    """Independent and dependent coordinates of a system.

    Velocity rows do not constrain positions: with them there are more dependent speeds than dependent positions, and
    more independent positions than independent speeds. The independent speeds belong to independent coordinates.
    """

    #: data for joint coordinates, empty in this class
    loops: JointClosing = JointClosing.of(
        NOTHING.rows.plan,
        np.zeros(0, dtype=np.int64),
        NOTHING.rows.bearing,
        np.zeros(0, dtype=np.int64),
        np.zeros(0),
        0,
    )

    def __init__(
        self,
        system: System,
        t: float,
        q: np.ndarray,
        names: Sequence[str] | None = None,
        weights: np.ndarray | None = None,
    ) -> None:
        """`names` are those of the independent coordinates; without them they are chosen. Coordinates with larger
        `weights` (n,) are preferred as dependent ones."""
        self.system = system
        self.weights = _weights(system) if weights is None else weights
        G = sp.csc_array(system.jacobian(t, q[: system.nq]))
        at_position = np.flatnonzero(~system.at_speed)
        self.dependent = dependent_positions(system, G, names, self.weights)
        self.independent = np.setdiff1d(np.arange(system.n), self.dependent)
        self.carried: Carried = Carried.of(system, self.independent, np.asarray(q))
        self.dependent_speeds: np.ndarray = self.dependent
        self.independent_speeds: np.ndarray = self.independent
        positions = speeds = self._checked(Square.of(system, at_position, self.dependent), t, q)
        if len(at_position) < system.m:
            self.dependent_speeds = dependent_speeds(system, G, self.dependent, t, q)
            self.independent_speeds = np.setdiff1d(np.arange(system.n), self.dependent_speeds)
            speeds = self._checked(Square.of(system, np.arange(system.m), self.dependent_speeds), t, q)
        self.closing: Closing = Closing.of(system, positions, speeds, self.carried.chart)
        self.quality = self._pivots()
        self.stretch = self._stretch(G)

    def own(self, run: Run, f: RightHandSide) -> Partitioned:
        """The partitioned coordinates, those of the system, in the equations `f` of a run."""
        s = self.system
        return Partitioned(s.orientations, s.scale, np.arange(s.n), run.q, run.v, run.a, f.q, f.v, f.a)

    def note(self, run: Run) -> None:
        """Record the present state of a run as the last step, for equations that keep a copy of it."""

    def again(self, t: float, q: np.ndarray, weights: np.ndarray, names: Sequence[str] | None = None) -> Partition:
        """A new partition at a position; arguments as for the class."""
        return Partition(self.system, t, q, names, weights)

    def start(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The integrated numbers x for a state of the system."""
        return np.concatenate([self.carried.positions(q), v[self.independent_speeds]])

    def _checked(self, part: Square, t: float, q: np.ndarray) -> Square:
        """A part of G with its factors; raises a SolverError if it is singular."""
        system = self.system
        status, quality, part = part.factorized(system, t, q)
        if status != sparse_storage.OK or quality < LEAST_PIVOT:
            raise not_enough(system, [system.names[k] for k in self.independent])
        return part

    def _jacobian(self, t: float, q: np.ndarray) -> Any:
        """G at a position."""
        return self.system.jacobian(t, q[: self.system.nq])

    def _pivots(self) -> list[float]:
        """Smallest pivots of the parts of G, as parts of the largest."""
        c = self.closing
        return [c.positions.pivots, c.speeds.pivots] if c.apart else [c.positions.pivots]

    def _stretch(self, G: Any) -> float:
        """How far the dependent coordinates move with the independent ones at a position with the Jacobian G, from the
        present factors; see :func:`flexmb.solvers.methods.independent.reduced_equations.stretch`."""
        system, free = self.system, self.independent_speeds
        if not system.m:
            return 0.0
        w = np.zeros(system.n)
        w[free] = [part_of_move(int(k)) * system.scale[k] for k in free]
        part = self.closing.speeds
        x = np.asarray(G @ w)[part.rows]
        sparse_solve.solve(part.lu, x, np.zeros_like(x))
        return float(np.max(np.abs(x) / system.scale[part.dependent]))

    def is_worn(self, of_positions: float, of_speeds: float, stretch: float) -> bool:
        """Whether the coordinates should be chosen anew: the pivots have become small, or dependent coordinates move
        too far with the independent ones."""
        now = (of_positions, of_speeds)
        worn = any(x < WEAK * then for x, then in zip(now, self.quality))
        return len(self.dependent_speeds) > 0 and (worn or stretch > FURTHER * self.stretch)

    def better(self, t: float, q: np.ndarray) -> Partition | None:
        """Another partition at a position at which this one is worn, with its factors present, or the same partition
        with new charts; None if no other is better. If dependent coordinates move too far, the weights do not prevent a
        change."""
        now, far = self._pivots(), self._stretch(self._jacobian(t, q))
        for weights in (self.weights, np.ones_like(self.weights)):
            try:
                other = self.again(t, q, weights)
            except (SingularPositionError, SolverError):
                break
            firmer = all(x > GAIN * then for x, then in zip(other.quality, now) if then < WEAK)
            if other.stretch < LESS_FAR * far or (firmer and weights is self.weights):
                other.weights = self.weights.copy()
                other.weights[np.intersect1d(self.independent, other.dependent)] *= WORE_OUT
                return other
            if far <= FURTHER * self.stretch:
                break
        self.quality = [min(then, x / WEAK * 0.5) for then, x in zip(self.quality, now)]  # ask again at half of it
        self.stretch = max(self.stretch, 2.0 * far / FURTHER)
        return None

    def spread(self, t: float, q: np.ndarray) -> tuple[Any, Any]:
        """R (n, n − m) with δq = R δq_i along the position rows, and likewise R for speeds along all rows."""
        s = self.system
        G = sp.csr_array(s.jacobian(t, q[: s.nq]))
        of_speeds = _spread(G, self.dependent_speeds, self.independent_speeds)
        if not s.at_speed.any():
            return of_speeds, of_speeds
        return _spread(G[np.flatnonzero(~s.at_speed)], self.dependent, self.independent), of_speeds


def _spread(G: Any, dependent: np.ndarray, independent: np.ndarray) -> Any:
    """R with δq = R δq_i along the rows of G."""
    R = sp.lil_array((G.shape[1], len(independent)))
    R[independent, np.arange(len(independent))] = 1.0
    if len(dependent):
        inner = sp.linalg.spsolve(sp.csc_array(G[:, dependent]), sp.csc_array(G[:, independent]))
        R[dependent, :] = -sp.csc_array(inner)
    return sp.csr_array(R)


def dependent_positions(
    system: System, G: Any, names: Sequence[str] | None = None, weights: np.ndarray | None = None
) -> np.ndarray:
    """Indices of the dependent coordinates where the Jacobian is G (m, n), sparse or an array: those other than the
    `names`, or chosen ones, first those with larger `weights` (n,)."""
    rows = np.flatnonzero(~system.at_speed)
    if names is not None:
        return _not_named(system, names)
    return _dependent(system, G, rows, _weights(system) if weights is None else weights)


def dependent_speeds(system: System, G: Any, dependent: np.ndarray, t: float, q: np.ndarray) -> np.ndarray:
    """Indices of the dependent speeds: those of the `dependent` positions, and of independent coordinates whose speeds
    the velocity rows determine, as many as there are such rows; first those without inertia, whose speeds nothing else
    determines. Their rows may be nonlinear in other speeds."""
    free, at_position = np.setdiff1d(np.arange(system.n), dependent), np.flatnonzero(~system.at_speed)
    idle = system.diagonal(q[: system.nq], (1.0, 0.0, 0.0), t)[free] == 0.0
    inner = dense(G[np.flatnonzero(system.at_speed)])
    left = inner[:, free]
    if len(at_position):
        held = Factors(G[at_position][:, dependent])
        left = left - inner[:, dependent] @ held.solve(dense(G[at_position][:, free]))
    scaled = left / system.row_scale[system.at_speed, None] * system.scale[free] * np.where(idle, IDLE_WEIGHT, 1.0)
    return np.union1d(dependent, free[independent_columns(scaled)])


def _weights(system: System) -> np.ndarray:
    """Initial preference of coordinates as dependent ones, before anything is known of the motion."""
    weights = np.where(system.turning, ANGLES, 1.0)
    if len(system.orientations):
        weights = np.ones(system.n)
        weights[system.orientations[:, :1] + np.arange(3)] *= LAST_CHOICE
        weights[system.assembly.free.numbers_of(FREE, 1)] *= LAST_CHOICE**2
    return weights


def _dependent(system: System, G: Any, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Indices of as many coordinates as there are `rows`, whose columns in these rows are linearly independent."""
    if not len(rows):
        return np.zeros(0, dtype=np.int64)
    size = system.scale * weights
    if isinstance(G, np.ndarray):
        scaled = ((1.0 / system.row_scale)[:, None] * G * size)[rows]
    else:
        scaled = sp.csc_array(sp.diags_array(1.0 / system.row_scale) @ G @ sp.diags_array(size))
        if len(rows) < system.m:
            scaled = sp.csc_array(sp.csr_array(scaled)[rows])
    try:
        return independent_columns(scaled)
    except np.linalg.LinAlgError:
        raise SingularPositionError("the constraints lose rank in this position") from None


def _not_named(system: System, names: Sequence[str]) -> np.ndarray:
    """Indices of the coordinates other than the independent ones, which are given by name."""
    return not_named(system, system.names, int(np.sum(~system.at_speed)), names)


def not_enough(system: System, names: Sequence[str]) -> SolverError:
    """Error that the coordinates with these names do not determine the others."""
    return SolverError(
        f"model {system.model.name!r}: {', '.join(names[:6])} cannot be the independent coordinates in this position: "
        "they do not determine the others; choose others, or none for an automatic choice"
    )


def not_named(system: System, known: Sequence[str], rows: int, names: Sequence[str]) -> np.ndarray:
    """Indices of those of the `known` coordinates that are not named, if these are as many as the `rows` of
    positions."""
    chosen = []
    for name in names:
        if name not in known:
            raise given_names.unknown(name, list(known), "coordinate", f"model {system.model.name!r}")
        chosen.append(known.index(name))
    freedom = len(known) - rows
    if len(set(chosen)) != freedom:
        what = "degrees of freedom in its positions" if system.at_speed.any() else "degrees of freedom"
        raise SolverError(
            f"model {system.model.name!r} has {freedom} {what}, and {len(set(chosen))} independent "
            f"coordinates were given; give {freedom} of: {', '.join(known[:20])}"
        )
    return np.setdiff1d(np.arange(len(known)), chosen).astype(np.int64)
