"""Dependent positions, speeds and accelerations from the independent ones, in one compiled call.

Positions follow from g(q_d, q_i, t) = 0 by Newton's method, speeds from G_d v_d = −(g_t + G_i v_i) (Kobayashi (n.d.),
eqs. (70)-(72)), accelerations and multipliers from eq. (14) of :mod:`flexmb.system.accelerations`. With velocity rows
there are two parts G_d, one of the position rows and one of all rows. The compiled loops call :func:`close_state`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.algebra import sparse_solve
from flexmb.algebra.precision import ROUNDING
from flexmb.kernels.charts import difference, rate_maps, retract, turn
from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference
from flexmb.solvers.coordinates.independent.square import Square, factorize_part
from flexmb.solvers.rows.index_one import norm
from flexmb.solvers.statuses import NO_ROOM, NOT_CLOSED, NOT_FINITE, OK, SINGULAR
from flexmb.system.accelerations import Work, accelerations, work_for
from flexmb.system.evaluation import TANGENT, constraints, matrix, step_matrix
from flexmb.system.linear import Linear
from flexmb.system.plan import KERNEL_AT, ROWS, Plan, Scratch
from flexmb.system.system import System

#: Dependent positions whose constraint errors are below this, in units of the model's length, are corrected once more
#: without new factors; with errors that are round-off they are not corrected.
LAST_CORRECTION = 1e-10
#: Entries of `counts`: iterations of Newton's method for positions, evaluations of accelerations.
ITERATIONS, EVALUATIONS = range(2)


@by_reference
class PartlyFree(NamedTuple):
    """Orientations of which only one or two speeds are independent: their indices `partial` (k, 2), the `reference`
    position q₀ (total_q,), their rotation vectors `y` (n,) from there, and T(y) of all orientations in `maps`."""

    partial: np.ndarray
    reference: np.ndarray
    y: np.ndarray
    maps: np.ndarray


@by_reference
class Closing(NamedTuple):
    """Data of the computation of dependent coordinates: the plan of the system; `joints`, its plan with only the groups
    that have constraints, without their tangents, from which G is evaluated; the parts of G for positions and for
    speeds, which differ if `apart` is 1; partly independent orientations; counters."""

    plan: Plan
    joints: Plan
    scratch: Scratch
    linear: Linear
    mass: float
    row_scale: np.ndarray
    work: Work
    positions: Square
    speeds: Square
    apart: int
    chart: PartlyFree
    counts: np.ndarray

    @classmethod
    def of(cls, system: System, positions: Square, speeds: Square, chart: PartlyFree) -> Closing:
        """For a system and the given parts of its G."""
        groups = system.plan.groups[system.plan.groups[:, ROWS] > 0]
        groups[:, KERNEL_AT + TANGENT] = 0
        return cls(
            system.plan, system.plan._replace(groups=groups), system.scratch, system.linear, float(system.mass_scale),
            system.row_scale, work_for(system.plan), positions, speeds, int(speeds is not positions), chart,
            np.zeros(2, dtype=np.int64),
        )  # fmt: skip

    def with_room(self, system: System) -> Closing:
        """A copy with more memory for factors, after NO_ROOM."""
        system.grow()
        positions = self.positions.enlarged()
        return self._replace(
            linear=system.linear, positions=positions, speeds=self.speeds.enlarged() if self.apart else positions
        )


@called(int)
def close_positions(c, t, q, v, lam):
    """Solve for the dependent coordinates in q (total_q,) from the position constraints; returns the status. For a
    partly independent orientation, the independent coordinates of its chart stay unchanged. The errors ġ for the speeds
    v (total,) remain in work.gd."""
    plan, work, part, chart = c.plan, c.work, c.positions, c.chart
    x, g, zero, weights, move = work.x, work.g, work.zero, work.weights, work.aux
    partial, y = chart.partial, chart.y
    if partial.shape[0] > 0:
        difference(partial, plan.n, q, chart.reference, move)
        for k in range(partial.shape[0]):
            for i in range(partial[k, 0], partial[k, 0] + 3):
                y[i] = move[i]
    for i in range(plan.n):
        move[i] = 0.0
    for k in range(4):
        weights[k] = 0.0
    iteration = 0
    while True:
        constraints(c.joints, c.scratch, t, q, v, zero, weights, g, work.gd, work.gamma)
        worst = norm(g, c.row_scale, plan.m)
        if not worst < 1e6:
            return NOT_CLOSED
        if partial.shape[0] > 0:
            rate_maps(plan.orientations, y, chart.maps)
        step_matrix(c.joints, c.scratch, t, q, v, zero, lam, weights, chart.maps, c.linear.values)
        if part.rows.shape[0] > 0:
            status = factorize_part(part, c.linear.values)
            if status != OK:
                return NO_ROOM if status == NO_ROOM else NOT_CLOSED
        if worst <= ROUNDING:
            return OK
        iteration += 1
        if iteration > 12:
            return NOT_CLOSED
        c.counts[ITERATIONS] += 1
        for k in range(part.rows.shape[0]):
            x[k] = -g[part.rows[k]]
        sparse_solve.solve(part.lu, x, work.r)
        for k in range(part.rows.shape[0]):
            move[part.dependent[k]] = x[k]
        retract(plan.orientations, plan.n, q, move, q)
        if partial.shape[0] > 0:
            for k in range(partial.shape[0]):
                for i in range(partial[k, 0], partial[k, 0] + 3):
                    y[i] += move[i]
            turn(partial, chart.reference, y, q)
        if worst <= LAST_CORRECTION:  # the next factors would be the same
            constraints(c.joints, c.scratch, t, q, v, zero, weights, g, work.gd, work.gamma)
            return OK


@called(int)
def close_speeds(c, t, q, v, lam):
    """Solve for the dependent speeds, after :func:`close_positions`; returns the status."""
    work, part, values = c.work, c.speeds, c.linear.values
    if c.chart.partial.shape[0] > 0:  # the matrix holds G T, not G
        matrix(c.joints, c.scratch, t, q, v, work.zero, lam, work.weights, values)
    if c.chart.partial.shape[0] > 0 or c.apart == 1:
        status = factorize_part(part, values)
        if status != OK:
            return NO_ROOM if status == NO_ROOM else NOT_CLOSED
    for k in range(c.plan.m):
        work.x[k] = -work.gd[k]
    sparse_solve.solve(part.lu, work.x, work.r)
    for k in range(c.plan.m):
        v[part.dependent[k]] += work.x[k]
    return OK


@called(int)
def close_state(c, t, q, v, a, lam):
    """Solve for the dependent coordinates in q (total_q,) and v (total,) from the constraints, and compute a (total,)
    and λ (m,); returns OK, NOT_CLOSED, SINGULAR, NOT_FINITE or NO_ROOM.

    The iterations begin at the given q and v, which must be near the solution, so that the mechanism stays on its
    branch. Afterwards `c.linear` holds the factors of eq. (14), `c.work.g` and `c.work.gd` the remaining errors.
    """
    if c.plan.m > 0:
        status = close_positions(c, t, q, v, lam)
        if status == OK:
            status = close_speeds(c, t, q, v, lam)
        if status != OK:
            return status
    c.counts[EVALUATIONS] += 1
    status = accelerations(c.plan, c.scratch, c.linear, c.mass, t, q, v, a, lam, c.work, 0.0, 0.0)
    if status != OK:
        return NO_ROOM if status == NO_ROOM else SINGULAR
    for i in range(c.plan.n):
        if not abs(a[i]) < np.inf:
            return NOT_FINITE
    return OK
