"""Coordinate partitioning: which coordinates are independent.

The constraint Jacobian's columns are split G = [G_d G_i] with G_d square and regular (Kobayashi (n.d.), eqs. (70)-
(72)). With velocity rows there are two such splittings, one of the position rows alone and one of all rows. Dependent
coordinates are as far as possible not those of orientations; how these are carried says
:mod:`flexmb.solvers.independent.carried_numbers`.
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
from flexmb.model import checks
from flexmb.solvers.independent.carried_numbers import Carried
from flexmb.solvers.independent.closing import Closing
from flexmb.solvers.independent.joint_closing import JointClosing
from flexmb.solvers.independent.reduced_equations import Partitioned, part_of_move
from flexmb.solvers.independent.square import Square
from flexmb.solvers.joint_motion.joint_motion import NOTHING
from flexmb.solvers.run import Run
from flexmb.solvers.scipy_methods.right_hand_side import RightHandSide, SingularPositionError
from flexmb.system.system import System

#: The dependent coordinates are chosen anew when the pivots fall below this part of what they were, if pivots then are
#: larger by this factor: where all constraints come to depend on one another no choice is better than another.
WORN, GAIN = 0.05, 4.0
#: Likewise where they follow the independent ones so many times as far as they did, if others follow less far by a
#: factor. Errors of the independent ones become those of the motion by this, and pivots may say it late.
FURTHER, NEARER = 6.0, 0.5
#: Coordinates that are given by name are kept, but not beyond this: at a dead centre such a coordinate turns back, and
#: says no longer which way the others go.
DEAD_CENTRE = 1e3
#: Weight of angles in the plane where dependent coordinates are chosen: the crank of a linkage turns without end, while
#: its places stand still at the ends of their ways.
ANGLES = 0.3
#: A coordinate that has worn out as an independent one is chosen this much sooner as a dependent one from then on.
WORE_OUT = 3.0
#: weight of coordinates without inertia among those whose speeds velocity rows determine
NO_INERTIA = 1e3
#: Weight of orientations where dependent coordinates are chosen; that of single free coordinates is its square. These
#: count the turns of hinges, and carry them without charts.
LAST_CHOICE = 1e-3


class Partition:
    """Independent and dependent coordinates of a system.

    Velocity rows leave positions free: with them more speeds are dependent than positions, and more positions than
    speeds are independent. The independent speeds are those of independent coordinates.
    """

    #: what closes joint coordinates, where these are meant
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
        """`names` of the independent coordinates; without them they are chosen. Coordinates with larger `weights` (n,)
        are sooner dependent."""
        self.system = system
        self.weights = _weights(system) if weights is None else weights
        G = sp.csc_array(system.jacobian(t, q[: system.nq]))
        at_position = np.flatnonzero(~system.at_speed)
        self.dependent = (
            _dependent(system, G, at_position, self.weights) if names is None else _not_named(system, names)
        )
        self.independent = np.setdiff1d(np.arange(system.n), self.dependent)
        self.carried: Carried = Carried.of(system, self.independent, np.asarray(q))
        self.dependent_speeds: np.ndarray = self.dependent
        self.independent_speeds: np.ndarray = self.independent
        positions = speeds = self._checked(Square.of(system, at_position, self.dependent), t, q)
        if len(at_position) < system.m:
            self.dependent_speeds = np.union1d(self.dependent, self._held_at_speed(G, at_position, t, q))
            self.independent_speeds = np.setdiff1d(np.arange(system.n), self.dependent_speeds)
            speeds = self._checked(Square.of(system, np.arange(system.m), self.dependent_speeds), t, q)
        self.closing: Closing = Closing.of(system, positions, speeds, self.carried.chart)
        self.quality = self._pivots()
        self.stretch = self._stretch(G)

    def own(self, run: Run, f: RightHandSide) -> Partitioned:
        """The coordinates that are meant, in the equations `f` of a run."""
        s = self.system
        return Partitioned(s.orientations, s.scale, np.arange(s.n), run.q, run.v, run.a, f.q, f.v, f.a)

    def note(self, run: Run) -> None:
        """Note the present state of a run as the last step, where the equations keep one of their own."""

    def again(self, t: float, q: np.ndarray, weights: np.ndarray, names: Sequence[str] | None = None) -> Partition:
        """A partition for a position, as the arguments of the class say."""
        return Partition(self.system, t, q, names, weights)

    def start(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The numbers x of a state of the system."""
        return np.concatenate([self.carried.positions(q), v[self.independent_speeds]])

    def _checked(self, part: Square, t: float, q: np.ndarray) -> Square:
        """A part of G with its factors; a SolverError if it has none."""
        system = self.system
        status, quality, part = part.factorised(system, t, q)
        if status != sparse_storage.OK or quality < 1e-12:
            raise not_enough(system, [system.names[k] for k in self.independent])
        return part

    def _held_at_speed(self, G: sp.csc_array, at_position: np.ndarray, t: float, q: np.ndarray) -> np.ndarray:
        """Independent coordinates whose speeds the velocity rows determine, as many as there are such rows: first of
        all those without inertia, which nothing else moves. The rows of these may be nonlinear in other speeds."""
        system, free = self.system, self.independent
        idle = system.mass_matrix(t, q[: system.nq]).diagonal()[free] == 0.0
        inner = dense(G[np.flatnonzero(system.at_speed)])
        left = inner[:, free]
        if len(at_position):
            held = Factors(sp.csc_array(G[at_position][:, self.dependent]))
            left = left - inner[:, self.dependent] @ held.solve(dense(G[at_position][:, free]))
        scaled = left / system.row_scale[system.at_speed, None] * system.scale[free] * np.where(idle, NO_INERTIA, 1.0)
        return free[independent_columns(sp.csc_array(scaled))]

    def _jacobian(self, t: float, q: np.ndarray) -> Any:
        """G at a position."""
        return self.system.jacobian(t, q[: self.system.nq])

    def _pivots(self) -> list[float]:
        """Smallest pivots of the parts of G, as parts of the largest."""
        c = self.closing
        return [c.positions.pivots, c.speeds.pivots] if c.apart else [c.positions.pivots]

    def _stretch(self, G: Any) -> float:
        """How far the dependent coordinates follow the independent ones in the position of a Jacobian, by the factors
        at hand; see :func:`flexmb.solvers.independent.reduced_equations.stretch`."""
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
        """Whether the coordinates should be chosen anew: the pivots have become poor, or dependent coordinates follow
        the independent ones too far."""
        now = (of_positions, of_speeds)
        worn = any(x < WORN * then for x, then in zip(now, self.quality))
        return len(self.dependent_speeds) > 0 and (worn or stretch > FURTHER * self.stretch)

    def better(self, t: float, q: np.ndarray) -> Partition | None:
        """Another partition for a position with whose factors this one is worn, or the same one with new charts; None
        if none is better. Where dependent coordinates follow too far, weights are no reason to keep them."""
        now, far = self._pivots(), self._stretch(self._jacobian(t, q))
        for weights in (self.weights, np.ones_like(self.weights)):
            try:
                other = self.again(t, q, weights)
            except (SingularPositionError, SolverError):
                break
            firmer = all(x > GAIN * then for x, then in zip(other.quality, now) if then < WORN)
            if other.stretch < NEARER * far or (firmer and weights is self.weights):
                other.weights = self.weights.copy()
                other.weights[np.intersect1d(self.independent, other.dependent)] *= WORE_OUT
                return other
            if far <= FURTHER * self.stretch:
                break
        self.quality = [min(then, x / WORN * 0.5) for then, x in zip(self.quality, now)]  # ask again at half of it
        self.stretch = max(self.stretch, 2.0 * far / FURTHER)
        return None

    def spread(self, t: float, q: np.ndarray) -> tuple[Any, Any]:
        """R (n, n − m) with δq = R δq_i along the position rows, and the same of speeds along all rows."""
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


def _weights(system: System) -> np.ndarray:
    """How soon coordinates are dependent where nothing is known of the motion."""
    weights = np.where(system.turning, ANGLES, 1.0)
    if len(system.orientations):
        weights = np.ones(system.n)
        weights[system.orientations[:, :1] + np.arange(3)] *= LAST_CHOICE
        weights[system.assembly.free.numbers_of(FREE, 1)] *= LAST_CHOICE**2
    return weights


def _dependent(system: System, G: sp.csc_array, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Numbers of as many coordinates as there are `rows`, whose columns in them are independent of one another."""
    if not len(rows):
        return np.zeros(0, dtype=np.int64)
    size = system.scale * weights
    scaled = sp.csc_array(sp.diags_array(1.0 / system.row_scale) @ G @ sp.diags_array(size))
    if len(rows) < system.m:
        scaled = sp.csc_array(sp.csr_array(scaled)[rows])
    try:
        return independent_columns(scaled)
    except np.linalg.LinAlgError:
        raise SingularPositionError("the constraints lose rank in this position") from None


def _not_named(system: System, names: Sequence[str]) -> np.ndarray:
    """Numbers of the coordinates other than the independent ones, which are given by name."""
    return not_named(system, system.names, int(np.sum(~system.at_speed)), names)


def not_enough(system: System, names: Sequence[str]) -> SolverError:
    """What to say where coordinates of these names do not determine the others."""
    return SolverError(
        f"model {system.model.name!r}: {', '.join(names[:6])} cannot be the independent coordinates in this position: "
        "they do not determine the others; choose others, or none for an automatic choice"
    )


def not_named(system: System, known: Sequence[str], rows: int, names: Sequence[str]) -> np.ndarray:
    """The same of `known` coordinates that so many `rows` of positions hold."""
    chosen = []
    for name in names:
        if name not in known:
            raise checks.unknown(name, list(known), "coordinate", f"model {system.model.name!r}")
        chosen.append(known.index(name))
    freedom = len(known) - rows
    if len(set(chosen)) != freedom:
        what = "degrees of freedom in its positions" if system.at_speed.any() else "degrees of freedom"
        raise SolverError(
            f"model {system.model.name!r} has {freedom} {what}, and {len(set(chosen))} independent "
            f"coordinates were given; give {freedom} of: {', '.join(known[:20])}"
        )
    return np.setdiff1d(np.arange(len(known)), chosen).astype(np.int64)
