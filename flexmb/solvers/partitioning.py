"""Coordinate partitioning: which coordinates are independent, and the others as functions of them.

The constraint Jacobian's columns are split G = [G_d G_i] with G_d square and regular. Positions follow from
g(q_d, q_i, t) = 0 by Newton's method, speeds from G_d v_d = −(g_t + G_i v_i) (Kobayashi (n.d.), eqs. (70)-(72)).

An orientation in space whose three speeds are all independent is carried as four numbers, which turn without end. Where
only one or two are, it is q = q₀ ∘ exp y, its independent coordinates are those of y, and G y of Newton's method is
G T(y); before y has reached LARGEST_CHART rad, q₀ is chosen anew. Dependent coordinates are as far as possible not
those of orientations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from flexmb.algebra import sparse_lu, sparse_solve, sparse_storage
from flexmb.algebra.factors import dense
from flexmb.algebra.rank import independent_columns
from flexmb.algebra.sparse_order import analyse
from flexmb.errors import SolverError
from flexmb.kernels import charts
from flexmb.kernels.charts import rate_maps, retract, turn
from flexmb.kernels.compilation import compiled
from flexmb.model import checks
from flexmb.solvers.index_one import norm, work_for
from flexmb.solvers.right_hand_side import SingularPositionError
from flexmb.system.evaluation import constraints, matrix, step_matrix
from flexmb.system.system import System

#: the dependent coordinates are chosen anew when the pivots fall below this part of what they were
WORN = 0.05
#: dependent positions meet their constraints to this, in units of the model's length
CLOSED = 1e-11
#: largest rotation vector [rad] of a chart; at 2π it is singular
LARGEST_CHART = 2.0
#: weight of orientations where dependent coordinates are chosen
LAST_CHOICE = 1e-3


@compiled
def _close(plan, scratch, linear, lu, places, values, dependent, chart, t, q, v, lam, row_scale, work):
    """Dependent positions and speeds from the independent ones; (status, Newton iterations)."""
    x, g, gd, zero, weights, move = work.x, work.g, work.gd, work.zero, work.weights, work.aux
    partial, reference, y, maps = chart
    m = plan.m
    for i in range(plan.n):
        move[i] = 0.0
    weights[:] = 0.0
    iteration = 0
    while True:
        if partial.shape[0] > 0:
            rate_maps(plan.orientations, y, maps)
        step_matrix(plan, scratch, t, q, v, zero, lam, weights, maps, linear.values)
        for k in range(places.shape[0]):
            values[k] = linear.values[places[k]]
        status = sparse_lu.factorise(lu, values)
        if status != sparse_storage.OK:
            return status, iteration
        constraints(plan, scratch, t, q, v, zero, weights, g, gd, work.gamma)
        worst = norm(g, row_scale, m)
        if worst <= CLOSED:
            break
        iteration += 1
        if iteration > 12 or not worst < 1e6:
            return -1, iteration
        for k in range(m):
            x[k] = -g[k]
        sparse_solve.solve(lu, x, work.r)
        for k in range(m):
            move[dependent[k]] = x[k]
        for k in range(partial.shape[0]):
            for i in range(partial[k, 0], partial[k, 0] + 3):
                y[i] += move[i]
        retract(plan.orientations, plan.n, q, move, q)
        turn(partial, reference, y, q)
    if partial.shape[0] > 0:
        matrix(plan, scratch, t, q, v, zero, lam, weights, linear.values)
        for k in range(places.shape[0]):
            values[k] = linear.values[places[k]]
        status = sparse_lu.factorise(lu, values)
        if status != sparse_storage.OK:
            return status, iteration
    for k in range(m):
        x[k] = -gd[k]
    sparse_solve.solve(lu, x, work.r)
    for k in range(m):
        v[dependent[k]] += x[k]
    return sparse_storage.OK, iteration


class Chart(NamedTuple):
    """Orientations of which only a part is independent: where they are (k, 2), the position q₀ (total_q,) from which
    they are turned by y (n,), and room for T(y) of all orientations."""

    partial: np.ndarray
    reference: np.ndarray
    y: np.ndarray
    maps: np.ndarray


class Partition:
    """Independent and dependent coordinates of a system, and the closing of the dependent ones."""

    def __init__(self, system: System, t: float, q: np.ndarray, names: Sequence[str] | None = None) -> None:
        self.system = system
        self.work = work_for(system.plan)
        self.lam = np.zeros(system.m)
        self.iterations = 0
        G = sp.csc_array(system.jacobian(t, q[: system.nq]))
        self.dependent = _dependent(system, G) if names is None else _not_named(system, names)
        self.independent = np.setdiff1d(np.arange(system.n), self.dependent)
        self._make_chart(np.asarray(q))
        if system.m == 0:
            return
        self._pattern()
        status, self.quality = self._factor_at(t, q)
        if status != sparse_storage.OK or self.quality < 1e-12:
            raise SolverError(
                f"model {system.model.name!r}: {', '.join(system.names[k] for k in self.independent[:6])} cannot be "
                "the independent coordinates in this position: they do not determine the others; choose others, "
                "or none for an automatic choice"
            )

    def _pattern(self) -> None:
        """Where the values of G_d stand in those of the system's matrix."""
        system, n = self.system, self.system.n
        if system.pattern is None:
            column, row = np.meshgrid(self.dependent, np.arange(system.m), indexing="ij")
            self.places = ((n + row) * system.plan.size + column).ravel()
            indptr = np.arange(system.m + 1) * system.m
            indices = row.ravel()
        else:
            P = system.pattern
            parts = [np.arange(P.indptr[c], P.indptr[c + 1]) for c in self.dependent]
            parts = [part[P.indices[part] >= n] for part in parts]
            self.places = np.concatenate(parts)
            indptr = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
            indices = P.indices[self.places] - n
        self.values = np.zeros(len(self.places))
        symbolic = analyse(system.m, system.m, indptr.astype(np.int64), indices.astype(np.int64))
        self.lu = sparse_storage.allocate(symbolic)

    def _factor_at(self, t: float, q: np.ndarray) -> tuple[int, float]:
        """Factorise G_d at a position; the status, and the smallest pivot as a part of the largest."""
        system, q = self.system, q[: self.system.nq]
        if system.pattern is None:
            self.values[:] = dense(system.jacobian(t, q))[:, self.dependent].T.ravel()
        else:
            zero = np.zeros(system.n)
            self.values[:] = system.matrix(t, q, zero, zero, self.lam, (0.0, 0.0, 0.0)).data[self.places]
        status, self.lu = sparse_lu.factorise_growing(self.lu, self.values)
        return status, float(sparse_solve.rcond_estimate(self.lu)) if status == sparse_storage.OK else 0.0

    def close(self, t: float, q: np.ndarray, v: np.ndarray) -> None:
        """Set the dependent entries of q and v (total,) from the independent ones."""
        s = self.system
        while True:
            split = (self.lu, self.places, self.values, self.dependent, self.chart)
            status, iterations = _close(s.plan, s.scratch, s.linear, *split, t, q, v, self.lam, s.row_scale, self.work)
            self.iterations += iterations
            if status != sparse_storage.NO_ROOM:
                break
            self.lu = sparse_storage.enlarge(self.lu)
        if status != sparse_storage.OK:
            raise SingularPositionError(
                f"the dependent coordinates cannot be found at t = {t:g} s (singular position, or the mechanism locks)"
            )

    def _make_chart(self, q: np.ndarray) -> None:
        """Which coordinates are carried as what, from the position q (total_q,) on."""
        orientations = self.system.orientations
        free = np.isin(orientations[:, :1] + np.arange(3), self.independent)
        self.whole = orientations[np.all(free, axis=1)]
        partial = np.ascontiguousarray(orientations[np.any(free, axis=1) & ~np.all(free, axis=1)])
        #: numbers of the coordinates that are carried as they are, or as those of a chart
        self.single = np.setdiff1d(self.independent, self.whole[:, :1] + np.arange(3))
        #: numbers in q of the orientations that are carried as four numbers
        self.fours = np.concatenate([self.whole[:, :1] + np.arange(3), self.whole[:, 1:]], axis=1).ravel()
        maps = np.zeros((len(orientations) if len(partial) else 0, 9))
        maps[:, ::4] = 1.0
        self.chart = Chart(partial, q.copy(), np.zeros(self.system.n), maps)
        of_charts = np.isin(self.single, partial[:, :1] + np.arange(3))
        self._charted = self.single[of_charts]
        self._plain = np.concatenate([self.single[~of_charts], self.fours])
        self._order = np.argsort(
            np.concatenate(
                [np.flatnonzero(~of_charts), len(self.single) + np.arange(len(self.fours)), np.flatnonzero(of_charts)]
            )
        )

    def positions(self, q: np.ndarray) -> np.ndarray:
        """The independent coordinates of a position q (total_q,)."""
        if not len(self.system.orientations):
            return q[self.independent]
        self._update_chart(q)
        return np.concatenate([q[self._plain], self.chart.y[self._charted]])[self._order]

    def put(self, x: np.ndarray, q: np.ndarray) -> None:
        """Set the independent coordinates x in q (total_q,); its orientations are those of a position near by."""
        if not len(self.system.orientations):
            q[self.independent] = x
            return
        self._update_chart(q)
        places = np.argsort(self._order)
        q[self._plain] = x[places[: len(self._plain)]]
        self.chart.y[self._charted] = x[places[len(self._plain) :]]
        charts.normalise(self.whole, q)
        charts.turn(self.chart.partial, self.chart.reference, self.chart.y, q)

    def rates(self, q_rates: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Rates of the independent coordinates, from q̇ and the speeds."""
        if not len(self.system.orientations):
            return v[self.independent]
        of_chart = np.empty(self.system.n)
        charts.chart_rates(self.chart.partial, self.system.n, self.chart.y, v, of_chart)
        return np.concatenate([q_rates[self._plain], of_chart[self._charted]])[self._order]

    def speeds(self, rates: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Independent speeds that belong to rates of the independent coordinates near the reference of a chart."""
        system = self.system
        if not len(system.orientations):
            return rates
        places, all_rates, v = np.argsort(self._order), np.zeros(system.nq), np.zeros(system.n)
        all_rates[self._plain] = rates[places[: len(self._plain)]]
        all_rates[self._charted] = rates[places[len(self._plain) :]]
        charts.speeds_of(self.whole, system.n, q, all_rates, v)
        return v[self.independent]

    def _update_chart(self, q: np.ndarray) -> None:
        """y of the chart at a position."""
        partial, reference, y, _ = self.chart
        if len(partial):
            moved = np.empty(self.system.n)
            charts.difference(partial, self.system.n, q, reference, moved)
            columns = partial[:, :1] + np.arange(3)
            y[columns] = moved[columns]

    @property
    def worn(self) -> bool:
        """Whether the coordinates should be chosen anew: the pivots have become poor, or a chart comes to its end."""
        partial, _, y, _ = self.chart
        turned = np.linalg.norm(y[partial[:, :1] + np.arange(3)], axis=1)
        if np.any(turned > LARGEST_CHART):
            return True
        return self.system.m > 0 and bool(sparse_solve.rcond_estimate(self.lu) < WORN * self.quality)

    def spread(self, t: float, q: np.ndarray) -> Any:
        """R (n, n − m) with δq = R δq_i along the constraints."""
        s = self.system
        G = sp.csc_array(s.jacobian(t, q[: s.nq]))
        inner = -sp.linalg.spsolve(sp.csc_array(G[:, self.dependent]), sp.csc_array(G[:, self.independent]))
        R = sp.lil_array((s.n, len(self.independent)))
        R[self.independent, np.arange(len(self.independent))] = 1.0
        R[self.dependent, :] = sp.csc_array(inner)
        return sp.csr_array(R)


def _dependent(system: System, G: sp.csc_array) -> np.ndarray:
    """Numbers of as many coordinates as there are constraints, whose columns of G are independent of one another."""
    if system.m == 0:
        return np.zeros(0, dtype=np.int64)
    size = system.scale.copy()
    size[system.orientations[:, :1] + np.arange(3)] *= LAST_CHOICE
    scaled = sp.csc_array(sp.diags_array(1.0 / system.row_scale) @ G @ sp.diags_array(size))
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
    freedom = system.n - system.m
    if len(set(chosen)) != freedom:
        raise SolverError(
            f"model {system.model.name!r} has {freedom} degrees of freedom, and {len(set(chosen))} independent "
            f"coordinates were given; give {freedom} of: {', '.join(system.names[:20])}"
        )
    return np.setdiff1d(np.arange(system.n), chosen).astype(np.int64)
