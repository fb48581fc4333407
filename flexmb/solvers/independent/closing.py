"""Dependent positions, speeds and accelerations from the independent ones, in one compiled call.

Positions follow from g(q_d, q_i, t) = 0 by Newton's method, speeds from G_d v_d = −(g_t + G_i v_i) (Kobayashi (n.d.),
eqs. (70)-(72)), accelerations and multipliers from eq. (14) of :mod:`flexmb.system.accelerations`. With velocity rows
there are two parts of G, one of the position rows alone and one of all rows. Any compiled loop calls
:func:`close_state`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.algebra import sparse_solve
from flexmb.kernels.charts import difference, rate_maps, retract, turn
from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference
from flexmb.solvers.independent.square import Square, factorise_part
from flexmb.solvers.rows.index_one import norm
from flexmb.system.accelerations import Work, accelerations, work_for
from flexmb.system.evaluation import TANGENT, constraints, matrix, step_matrix
from flexmb.system.linear import NO_ROOM, OK, SINGULAR, Linear
from flexmb.system.plan import KERNEL_AT, ROWS, Plan, Scratch
from flexmb.system.system import System

#: how closing may end beside OK, SINGULAR (accelerations are not determined) and NO_ROOM: dependent coordinates cannot
#: be found; accelerations are not finite; Euler angles of joints are not determined
NOT_CLOSED, NOT_FINITE, NO_ANGLES = 3, 4, 5
#: Dependent positions whose constraints are off by this, in units of the model's length, are corrected once more with
#: factors that are not made anew; those that are off by EXACT only are left.
CLOSED, EXACT = 1e-10, 1e-15
#: places in `counts`: iterations of Newton's method for positions, evaluations of accelerations
ITERATIONS, EVALUATIONS = range(2)


@by_reference
class PartlyFree(NamedTuple):
    """Orientations of which only a part is independent: where they are (k, 2), the position q₀ (total_q,) from which
    they are turned by y (n,), and room for T(y) of all orientations."""

    partial: np.ndarray
    reference: np.ndarray
    y: np.ndarray
    maps: np.ndarray


@by_reference
class Closing(NamedTuple):
    """What closes the dependent coordinates of a system: its plan, and that of the groups with constraints alone and
    without their tangents, which is what G is made of; the parts of G for positions and for speeds, which are two where
    `apart` is 1; orientations that are partly independent; what was counted."""

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
        """For a system and the parts of its G."""
        groups = system.plan.groups[system.plan.groups[:, ROWS] > 0]
        groups[:, KERNEL_AT + TANGENT] = 0
        return cls(
            system.plan, system.plan._replace(groups=groups), system.scratch, system.linear, float(system.mass_scale),
            system.row_scale, work_for(system.plan), positions, speeds, int(speeds is not positions), chart,
            np.zeros(2, dtype=np.int64),
        )  # fmt: skip

    def with_room(self, system: System) -> Closing:
        """The same with more room for factors, after NO_ROOM."""
        system.grow()
        positions = self.positions.enlarged()
        return self._replace(
            linear=system.linear, positions=positions, speeds=self.speeds.enlarged() if self.apart else positions
        )


@called(int)
def close_positions(c, t, q, v, lam):
    """Move q (total_q,) along its dependent coordinates until it meets the constraints; the status. Of an orientation
    that is partly independent those coordinates of its chart stay which are. Errors of speeds v (total,) stay in
    work.gd."""
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
            status = factorise_part(part, c.linear.values)
            if status != OK:
                return NO_ROOM if status == NO_ROOM else NOT_CLOSED
        if worst <= EXACT:
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
        if worst <= CLOSED:  # the next factors would be the same
            constraints(c.joints, c.scratch, t, q, v, zero, weights, g, work.gd, work.gamma)
            return OK


@called(int)
def close_speeds(c, t, q, v, lam):
    """Set the dependent speeds behind :func:`close_positions`; the status."""
    work, part, values = c.work, c.speeds, c.linear.values
    if c.chart.partial.shape[0] > 0:  # the matrix has G T
        matrix(c.joints, c.scratch, t, q, v, work.zero, lam, work.weights, values)
    if c.chart.partial.shape[0] > 0 or c.apart == 1:
        status = factorise_part(part, values)
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
    """Move q (total_q,) and v (total,) along their dependent coordinates until they meet the constraints, and fill a
    (total,) and λ (m,): OK, NOT_CLOSED, SINGULAR, NOT_FINITE or NO_ROOM.

    The search begins at the q and v that are given, which are to be near, so that the mechanism stays on its branch.
    `c.linear` then has the factors of eq. (14), `c.work.g` and `c.work.gd` the errors that are left.
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
