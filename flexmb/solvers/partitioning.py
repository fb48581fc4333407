"""Coordinate partitioning: which coordinates are independent, and the others as functions of them.

The constraint Jacobian's columns are split G = [G_d G_i] with G_d square and regular. Positions follow from
g(q_d, q_i, t) = 0 by Newton's method, speeds from G_d v_d = −(g_t + G_i v_i) (Kobayashi (n.d.), eqs. (70)-(72)). With
velocity rows there are two such splittings, one of the position rows alone and one of all rows. Dependent coordinates
are as far as possible not those of orientations; how these are carried says :mod:`flexmb.solvers.carried`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from flexmb.algebra import sparse_lu, sparse_solve, sparse_storage
from flexmb.algebra.factors import Factors, dense
from flexmb.algebra.rank import independent_columns
from flexmb.algebra.sparse_order import analyse
from flexmb.algebra.sparse_storage import Factor
from flexmb.errors import SolverError
from flexmb.kernels.blocks import FREE
from flexmb.kernels.charts import rate_maps, retract, turn
from flexmb.kernels.compilation import compiled
from flexmb.kernels.references import by_reference
from flexmb.model import checks
from flexmb.solvers.carried import Carried
from flexmb.solvers.index_one import norm, work_for
from flexmb.solvers.right_hand_side import SingularPositionError
from flexmb.system.evaluation import constraints, matrix, step_matrix
from flexmb.system.system import System

#: the dependent coordinates are chosen anew when the pivots fall below this part of what they were
WORN = 0.05
#: dependent positions meet their constraints to this, in units of the model's length
CLOSED = 1e-11
#: Weight of orientations where dependent coordinates are chosen; that of single free coordinates is its square. These
#: count the turns of hinges, and carry them without charts.
LAST_CHOICE = 1e-3


@compiled
def _factorise(linear, part):
    for k in range(part.places.shape[0]):
        part.values[k] = linear.values[part.places[k]]
    return sparse_lu.factorise(part.lu, part.values)


@compiled
def _close_positions(plan, scratch, linear, part, chart, t, q, v, lam, row_scale, work):
    """Dependent positions from the independent ones; (status, Newton iterations). Errors of speeds stay in work.gd."""
    x, g, gd, zero, weights, move = work.x, work.g, work.gd, work.zero, work.weights, work.aux
    partial, reference, y, maps = chart
    rows, dependent = part.rows, part.dependent
    for i in range(plan.n):
        move[i] = 0.0
    weights[:] = 0.0
    iteration = 0
    while True:
        if partial.shape[0] > 0:
            rate_maps(plan.orientations, y, maps)
        step_matrix(plan, scratch, t, q, v, zero, lam, weights, maps, linear.values)
        if rows.shape[0] > 0:
            status = _factorise(linear, part)
            if status != sparse_storage.OK:
                return status, iteration
        constraints(plan, scratch, t, q, v, zero, weights, g, gd, work.gamma)
        worst = norm(g, row_scale, plan.m)
        if worst <= CLOSED:
            return sparse_storage.OK, iteration
        iteration += 1
        if iteration > 12 or not worst < 1e6:
            return -1, iteration
        for k in range(rows.shape[0]):
            x[k] = -g[rows[k]]
        sparse_solve.solve(part.lu, x, work.r)
        for k in range(rows.shape[0]):
            move[dependent[k]] = x[k]
        for k in range(partial.shape[0]):
            for i in range(partial[k, 0], partial[k, 0] + 3):
                y[i] += move[i]
        retract(plan.orientations, plan.n, q, move, q)
        turn(partial, reference, y, q)


@compiled
def _close_speeds(plan, scratch, linear, part, chart, fresh, t, q, v, lam, work):
    """Dependent speeds behind :func:`_close_positions`, `fresh`: with the factors made there; the status."""
    x, gd, zero, partial = work.x, work.gd, work.zero, chart[0]
    if partial.shape[0] > 0:  # the matrix has G T
        matrix(plan, scratch, t, q, v, zero, lam, work.weights, linear.values)
    if partial.shape[0] > 0 or not fresh:
        status = _factorise(linear, part)
        if status != sparse_storage.OK:
            return status
    for k in range(plan.m):
        x[k] = -gd[k]
    sparse_solve.solve(part.lu, x, work.r)
    for k in range(plan.m):
        v[part.dependent[k]] += x[k]
    return sparse_storage.OK


@compiled
def _close(plan, scratch, linear, part, chart, t, q, v, lam, row_scale, work):
    """Both, where the same coordinates depend on the others in positions and in speeds."""
    status, iterations = _close_positions(plan, scratch, linear, part, chart, t, q, v, lam, row_scale, work)
    if status == sparse_storage.OK:
        status = _close_speeds(plan, scratch, linear, part, chart, True, t, q, v, lam, work)
    return status, iterations


@by_reference
class Square(NamedTuple):
    """A square part of G: its rows, and as many columns, those of the dependent coordinates; where its values stand in
    those of the system's matrix, room for them, and for their factors."""

    rows: np.ndarray
    dependent: np.ndarray
    places: np.ndarray
    values: np.ndarray
    lu: Factor

    @classmethod
    def of(cls, system: System, rows: np.ndarray, dependent: np.ndarray) -> Square:
        """The part of a system's G that has these rows and columns."""
        n, m = system.n, len(rows)
        if system.pattern is None:
            column, row = np.meshgrid(dependent, np.arange(m), indexing="ij")
            places = ((n + rows[row]) * system.plan.size + column).ravel()
            indptr = np.arange(m + 1) * m
            indices = row.ravel()
        else:
            P = system.pattern
            number = np.full(system.plan.size, -1)
            number[n + rows] = np.arange(m)
            parts = [np.arange(P.indptr[c], P.indptr[c + 1]) for c in dependent]
            parts = [part[number[P.indices[part]] >= 0] for part in parts]
            places = np.concatenate([np.zeros(0, dtype=np.int64), *parts])
            indptr = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
            indices = number[P.indices[places]]
        if not m:
            indptr, indices = np.array([0, 1]), np.zeros(1)  # compiled code needs factors, of whatever
        symbolic = analyse(len(indptr) - 1, len(indptr) - 1, indptr.astype(np.int64), indices.astype(np.int64))
        return cls(rows, dependent, places, np.zeros(len(places)), sparse_storage.allocate(symbolic))

    def factorised(self, system: System, t: float, q: np.ndarray) -> tuple[int, float, Square]:
        """The status of the factorisation at a position, an estimate of its reciprocal condition, and the part with its
        factors."""
        if not len(self.rows):
            return sparse_storage.OK, 1.0, self
        zero = np.zeros(system.n)
        full = system.matrix(t, q[: system.nq], zero, zero, np.zeros(system.m), (0.0, 0.0, 0.0))
        self.values[:] = (full.ravel() if isinstance(full, np.ndarray) else full.data)[self.places]
        status, lu = sparse_lu.factorise_growing(self.lu, self.values)
        quality = float(sparse_solve.rcond_estimate(lu)) if status == sparse_storage.OK else 0.0
        return status, quality, self._replace(lu=lu)


class Partition:
    """Independent and dependent coordinates of a system, and the closing of the dependent ones.

    Velocity rows leave positions free: with them more speeds are dependent than positions, and more positions than
    speeds are independent. The independent speeds are those of independent coordinates.
    """

    def __init__(self, system: System, t: float, q: np.ndarray, names: Sequence[str] | None = None) -> None:
        self.system = system
        self.work = work_for(system.plan)
        self.lam = np.zeros(system.m)
        self.iterations = 0
        G = sp.csc_array(system.jacobian(t, q[: system.nq]))
        at_position = np.flatnonzero(~system.at_speed)
        self.dependent = _dependent(system, G, at_position) if names is None else _not_named(system, names)
        self.independent = np.setdiff1d(np.arange(system.n), self.dependent)
        self.carried = Carried(system, self.independent, np.asarray(q))
        self.dependent_speeds, self.independent_speeds = self.dependent, self.independent
        if system.m == 0:
            return
        self.positions = self.speeds = self._checked(Square.of(system, at_position, self.dependent), t, q)
        if len(at_position) < system.m:
            self.dependent_speeds = np.union1d(self.dependent, self._held_at_speed(G, at_position))
            self.independent_speeds = np.setdiff1d(np.arange(system.n), self.dependent_speeds)
            self.speeds = self._checked(Square.of(system, np.arange(system.m), self.dependent_speeds), t, q)
        self.quality = self._pivots()

    def _checked(self, part: Square, t: float, q: np.ndarray) -> Square:
        """A part of G with its factors; a SolverError if it has none."""
        system = self.system
        status, quality, part = part.factorised(system, t, q)
        if status != sparse_storage.OK or quality < 1e-12:
            raise SolverError(
                f"model {system.model.name!r}: {', '.join(system.names[k] for k in self.independent[:6])} cannot be "
                "the independent coordinates in this position: they do not determine the others; choose others, "
                "or none for an automatic choice"
            )
        return part

    def _held_at_speed(self, G: sp.csc_array, at_position: np.ndarray) -> np.ndarray:
        """Independent coordinates whose speeds the velocity rows determine, as many as there are such rows."""
        system, free = self.system, self.independent
        inner = dense(G[np.flatnonzero(system.at_speed)])
        left = inner[:, free]
        if len(at_position):
            held = Factors(sp.csc_array(G[at_position][:, self.dependent]))
            left = left - inner[:, self.dependent] @ held.solve(dense(G[at_position][:, free]))
        scaled = left / system.row_scale[system.at_speed, None] * system.scale[free]
        return free[independent_columns(sp.csc_array(scaled))]

    def _pivots(self) -> list[float]:
        """Smallest pivots of the parts of G, as parts of the largest."""
        parts = [self.speeds] if self.speeds is self.positions else [self.positions, self.speeds]
        return [float(sparse_solve.rcond_estimate(part.lu)) if len(part.rows) else 1.0 for part in parts]

    def close(self, t: float, q: np.ndarray, v: np.ndarray) -> None:
        """Set the dependent entries of q and v (total,) from the independent ones."""
        while True:
            status, iterations = self._close(t, q, v)
            self.iterations += iterations
            if status != sparse_storage.NO_ROOM:
                break
            same = self.speeds is self.positions
            self.positions = self.positions._replace(lu=sparse_storage.enlarge(self.positions.lu))
            self.speeds = self.positions if same else self.speeds._replace(lu=sparse_storage.enlarge(self.speeds.lu))
        if status != sparse_storage.OK:
            raise SingularPositionError(
                f"the dependent coordinates cannot be found at t = {t:g} s (singular position, or the mechanism locks)"
            )

    def _close(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[int, int]:
        s, chart, work = self.system, self.carried.chart, self.work
        known = (s.plan, s.scratch, s.linear)
        if self.speeds is self.positions:
            return _close(*known, self.positions, chart, t, q, v, self.lam, s.row_scale, work)
        status, iterations = _close_positions(*known, self.positions, chart, t, q, v, self.lam, s.row_scale, work)
        if status == sparse_storage.OK:
            status = _close_speeds(*known, self.speeds, chart, False, t, q, v, self.lam, work)
        return status, iterations

    @property
    def worn(self) -> bool:
        """Whether the coordinates should be chosen anew: the pivots have become poor."""
        return self.system.m > 0 and any(now < WORN * then for now, then in zip(self._pivots(), self.quality))

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


def _dependent(system: System, G: sp.csc_array, rows: np.ndarray) -> np.ndarray:
    """Numbers of as many coordinates as there are `rows`, whose columns in them are independent of one another."""
    if not len(rows):
        return np.zeros(0, dtype=np.int64)
    size = system.scale.copy()
    if len(system.orientations):
        size[system.orientations[:, :1] + np.arange(3)] *= LAST_CHOICE
        size[system.assembly.free.numbers_of(FREE, 1)] *= LAST_CHOICE**2
    scaled = sp.csc_array(sp.diags_array(1.0 / system.row_scale) @ G @ sp.diags_array(size))
    if len(rows) < system.m:
        scaled = sp.csc_array(sp.csr_array(scaled)[rows])
    try:
        return independent_columns(scaled)
    except np.linalg.LinAlgError:
        raise SingularPositionError("the constraints lose rank in this position") from None


def _not_named(system: System, names: Sequence[str]) -> np.ndarray:
    """Numbers of the coordinates other than the independent ones, which are given by name."""
    chosen = []
    for name in names:
        if name not in system.names:
            raise checks.unknown(name, system.names, "coordinate", f"model {system.model.name!r}")
        chosen.append(system.names.index(name))
    freedom = system.n - int(np.sum(~system.at_speed))
    if len(set(chosen)) != freedom:
        what = "degrees of freedom" if freedom == system.n - system.m else "degrees of freedom in its positions"
        raise SolverError(
            f"model {system.model.name!r} has {freedom} {what}, and {len(set(chosen))} independent "
            f"coordinates were given; give {freedom} of: {', '.join(system.names[:20])}"
        )
    return np.setdiff1d(np.arange(system.n), chosen).astype(np.int64)
