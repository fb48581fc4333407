"""The Jacobian  J = ∂ẋ/∂x  of the reduced equations, for the Newton matrix  1 − γ J  of implicit methods.

Along the constraints the state moves by  δq = R δq_i  and  δv = R_v δv_i + S δq_i,  with S from δġ = G δv + ∂ġ/∂q
δq = 0: R depends on the position, and S δq_i is the resulting change of the speeds. The linearized equations of motion
are those of Skyenginlab (n.d.), eq. (14),

    [M  Gᵀ] [δa]   [−K δq − D δv                       ]
    [G  0 ] [δλ] = [∂γ/∂q δq + ∂γ/∂v δv − ∂(G a)/∂q δq ]

with the present factors, and one right-hand side for each independent position and each independent speed. K and D are
the exact tangents, with the inertia and the multipliers of the state. The terms of the constraints, ∂ġ/∂q (in S),
∂γ/∂q, ∂γ/∂v and ∂(G a)/∂q, are one-sided differences of their kernels along each direction: these cost little more than
a product with a matrix, and nothing is neglected. Orientations integrated as four numbers x change by δφ = 2 Im(x⁻¹ ∘
δx), and their rates by ½ (x ∘ δω + δx ∘ ω); in charts δφ = T(y) δy, and ẏ = T⁻¹(y) ω.

The entries agree with differences of the rates to a part in 10⁶ of the largest, the accuracy of such differences.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.algebra import sparse_solve
from flexmb.kernels.charts import rate_maps, retract, to_speeds
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.references import by_reference
from flexmb.kernels.rotations import inverse_rate_map, inverse_rate_map_change, product
from flexmb.kernels.vectors import applied
from flexmb.solvers.coordinates.independent.joint_closing import joint_direction
from flexmb.solvers.coordinates.independent.square import factorize_part
from flexmb.solvers.methods.independent.reduced_equations import Equations, by_joints, evaluate
from flexmb.solvers.rows.index_one import norm
from flexmb.solvers.statuses import OK
from flexmb.system.evaluation import constraints, jacobian_times, matrix, step_matrix
from flexmb.system.friction import add_friction_to_matrix
from flexmb.system.linear import add_product, solve

#: Largest change of a coordinate in the finite differences of the constraints, in units of the model.
STEP = 1e-7


@by_reference
class Tangent(NamedTuple):
    """Arrays for the Jacobian. Values of matrices with K, D and G T; J (N, N), and its `columns` (N, n_i) for
    independent positions; `ways` (n_i, total), δq = R δq_i for each independent position; one such direction in charts
    (dy), positions (dq) and speeds (dv); a nearby position and speeds; scratch; g, ġ, γ and G a at the state (`here`)
    and nearby (`near`)."""

    equations: Equations
    independent: np.ndarray
    K: np.ndarray
    D: np.ndarray
    turned: np.ndarray
    J: np.ndarray
    columns: np.ndarray
    ways: np.ndarray
    dy: np.ndarray
    dq: np.ndarray
    dv: np.ndarray
    q: np.ndarray
    v: np.ndarray
    x: np.ndarray
    here: np.ndarray
    near: np.ndarray

    @classmethod
    def of(cls, e: Equations, independent: np.ndarray) -> Tangent:
        """Arrays for the Jacobian of equations with the given independent positions."""
        plan, values, size = e.closing.plan, len(e.closing.linear.values), len(e.x)
        K, D, turned = np.zeros((3, values))
        dy, dq, dv, v = np.zeros((4, plan.total))
        J, columns = np.zeros((size, size)), np.zeros((size, len(independent)))
        ways, x = np.zeros((len(independent), plan.total)), np.zeros(max(plan.size + plan.total, size))
        here, near = np.zeros((2, 4, plan.m))
        return cls(e, independent, K, D, turned, J, columns, ways, dy, dq, dv, e.now.q.copy(), v, x, here, near)


@inlined
def _column(plan, factor, values, j, rows, out):
    """Fill out (k,) with the entries of G in `rows` and column j, from the values of the whole matrix."""
    if plan.dense == 1:
        for k in range(rows.shape[0]):
            out[k] = values[(plan.n + rows[k]) * plan.size + j]
        return
    for k in range(rows.shape[0]):
        out[k] = 0.0
    at = 0
    for p in range(factor.pattern.colptr[j], factor.pattern.colptr[j + 1]):  # rows ascend in both
        row = factor.pattern.rowind[p] - plan.n
        while at < rows.shape[0] and rows[at] < row:
            at += 1
        if at < rows.shape[0] and rows[at] == row:
            out[at] = values[p]


@called(None)
def _direction(part, plan, factor, values, j, x, work, out):
    """Fill out (n,) with a unit change of coordinate j and the changes of the dependent ones of a part of G."""
    for i in range(plan.n):
        out[i] = 0.0
    out[j] = 1.0
    if part.rows.shape[0] > 0:
        _column(plan, factor, values, j, part.rows, x)
        for k in range(part.rows.shape[0]):
            x[k] = -x[k]
        sparse_solve.solve(part.lu, x, work)
        for k in range(part.rows.shape[0]):
            out[part.dependent[k]] = x[k]


@called(None)
def _move(s, eps):
    """Fill s.q with the position displaced by eps δq."""
    e = s.equations
    for i in range(e.closing.plan.n):
        s.x[i] = eps * s.dq[i]
    retract(e.closing.plan.orientations, e.closing.plan.n, e.now.q, s.x, s.q)


@called(None)
def _dependent_speeds(s, t):
    """Fill the dependent part of δv from δġ = 0, for the given δq and unchanged independent speeds."""
    e, c = s.equations, s.equations.closing
    eps = STEP / norm(s.dq, e.scale, c.plan.n)
    _move(s, eps)
    weights = c.work.weights
    constraints(c.joints, c.scratch, t, s.q, e.now.v, c.work.zero, weights, s.near[0], s.near[1], s.near[2])
    for k in range(c.plan.m):
        s.x[k] = -(s.near[1, k] - s.here[1, k]) / eps
    sparse_solve.solve(c.speeds.lu, s.x, c.work.r)
    for k in range(c.plan.m):
        s.dv[c.speeds.dependent[k]] = s.x[k]


@called(None)
def _accelerations_along(s, t, moves):
    """Fill s.x with δa (n,) and δλ for the given δq and δv; `moves`: whether δq is not zero."""
    e, c = s.equations, s.equations.closing
    plan, m, n = c.plan, c.plan.m, c.plan.n
    if m > 0:
        eps = STEP * max(1.0, norm(e.now.v, e.scale, n)) / max(norm(s.dv, e.scale, n), 1e-300)
        if moves:
            eps = min(eps, STEP / norm(s.dq, e.scale, n))
        _move(s, eps)
        for i in range(n):
            s.v[i] = e.now.v[i] + eps * s.dv[i]
        weights = c.work.weights
        constraints(c.joints, c.scratch, t, s.q, s.v, c.work.zero, weights, s.near[0], s.near[1], s.near[2])
        jacobian_times(c.joints, c.scratch, t, s.q, s.v, e.now.a, weights, e.now.a, s.near[3])
        for k in range(m):
            s.x[n + k] = (s.near[2, k] - s.here[2, k] - (s.near[3, k] - s.here[3, k])) / eps
    for i in range(n):
        s.x[i] = 0.0
    if moves:
        add_product(plan, s.K, c.linear.sparse.pattern.colptr, c.linear.sparse.pattern.rowind, -1.0, s.dq, s.x)
    add_product(plan, s.D, c.linear.sparse.pattern.colptr, c.linear.sparse.pattern.rowind, -1.0, s.dv, s.x)
    for i in range(n):
        s.x[i] /= c.mass
    solve(plan, c.linear, s.x)


@called(None)
def _put_rates(s, out, column):
    """Fill out[:, column] with the changes of ẋ for given δv, δa and change δy of charts, without the change of the
    four numbers of orientations."""
    e = s.equations
    carried = e.carried
    single = carried.plain.shape[0]
    for k in range(carried.fours):
        out[k, column] = s.dv[carried.plain[k]]
    for w in range(carried.whole.shape[0]):
        i, at = carried.whole[w, 0], carried.fours + 4 * w
        # plain has e1, e2, e3, e0
        q = (e.x[at + 3], e.x[at], e.x[at + 1], e.x[at + 2])
        rate = product(q, (0.0, 0.5 * s.dv[i], 0.5 * s.dv[i + 1], 0.5 * s.dv[i + 2]))
        out[at, column], out[at + 1, column], out[at + 2, column] = rate[1], rate[2], rate[3]
        out[at + 3, column] = rate[0]
    if carried.charted.shape[0] > 0:
        partial, y = carried.chart.partial, carried.chart.y
        for p in range(partial.shape[0]):
            i = partial[p, 0]
            here = (y[i], y[i + 1], y[i + 2])
            first = applied(inverse_rate_map(here), (s.dv[i], s.dv[i + 1], s.dv[i + 2]))
            change = inverse_rate_map_change(here, (e.now.v[i], e.now.v[i + 1], e.now.v[i + 2]), 1.0)
            second = applied(change, (s.dy[i], s.dy[i + 1], s.dy[i + 2]))
            for k in range(carried.charted.shape[0]):
                j = carried.charted[k] - i
                if 0 <= j < 3:
                    out[single + k, column] = (
                        first[0] + second[0] if j == 0 else first[1] + second[1] if j == 1 else first[2] + second[2]
                    )
    first_speed = e.x.shape[0] - e.fast.shape[0]
    for k in range(e.fast.shape[0]):
        out[first_speed + k, column] = s.x[e.fast[k]]


@inlined
def column_of(independent, number):
    """Index of `number` in the sorted array of independent coordinates."""
    first, last = 0, independent.shape[0]
    while first < last:
        middle = (first + last) // 2
        if independent[middle] < number:
            first = middle + 1
        else:
            last = middle
    return first


@called(None)
def _gather(s):
    """Assemble the columns of J for the integrated positions from those for independent coordinates."""
    carried = s.equations.carried
    x, v = s.equations.x, s.equations.now.v
    rows, single = s.J.shape[0], carried.plain.shape[0]
    for k in range(carried.fours):
        column = column_of(s.independent, carried.plain[k])
        for r in range(rows):
            s.J[r, k] = s.columns[r, column]
    for k in range(carried.charted.shape[0]):
        column = column_of(s.independent, carried.charted[k])
        for r in range(rows):
            s.J[r, single + k] = s.columns[r, column]
    for w in range(carried.whole.shape[0]):
        i, at = carried.whole[w, 0], carried.fours + 4 * w
        column = column_of(s.independent, i)
        factor = 2.0 / carried.lengths[w] ** 2
        back = (x[at + 3], -x[at], -x[at + 1], -x[at + 2])
        for k in range(4):
            unit = (
                1.0 if k == 3 else 0.0, 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
            )  # fmt: skip
            turn = product(back, unit)
            for r in range(rows):
                s.J[r, at + k] = factor * (
                    turn[1] * s.columns[r, column]
                    + turn[2] * s.columns[r, column + 1]
                    + turn[3] * s.columns[r, column + 2]
                )
            rate = product(unit, (0.0, 0.5 * v[i], 0.5 * v[i + 1], 0.5 * v[i + 2]))
            s.J[at, at + k] += rate[1]
            s.J[at + 1, at + k] += rate[2]
            s.J[at + 2, at + k] += rate[3]
            s.J[at + 3, at + k] += rate[0]


@called(int)
def _fill_by_differences(s, t):
    """Fill J in joint coordinates by one-sided differences of the rates: a formulation takes less time for one
    evaluation than for its derivative."""
    e = s.equations
    size, first = e.x.shape[0], e.x.shape[0] - e.fast.shape[0]
    for r in range(size):
        s.x[r] = e.rates[r]
    for k in range(size):
        here = e.x[k]
        unit = e.carried.scale[k] if k < first else e.own.scale[e.fast[k - first]]
        e.x[k] = here + STEP * max(unit, abs(here))
        eps = e.x[k] - here
        status = evaluate(e, t)
        e.x[k] = here
        if status != OK:
            return status
        for r in range(size):
            s.J[r, k] = (e.rates[r] - s.x[r]) / eps
    status = evaluate(e, t)
    if status == OK:
        for k in range(s.independent.shape[0]):
            joint_direction(e, s.independent[k], s.ways[k])
    return status


@called(int)
def fill_jacobian(s, t):
    """Fill J at the state of the last evaluation, with its factors; returns the status."""
    if by_joints(s.equations):
        return _fill_by_differences(s, t)
    e, c = s.equations, s.equations.closing
    plan, work, chart = c.plan, c.work, c.chart
    n, first_speed = plan.n, e.x.shape[0] - e.fast.shape[0]
    weights = work.weights
    weights[0], weights[1], weights[2], weights[3] = 0.0, 0.0, 1.0, 0.0
    matrix(plan, c.scratch, t, e.now.q, e.now.v, e.now.a, e.now.lam, weights, s.K)
    if plan.friction > 0:
        add_friction_to_matrix(plan, c.scratch, t, e.now.q, e.now.v, e.now.a, e.now.lam, weights, 0.0, s.K)
    weights[1], weights[2] = 1.0, 0.0
    matrix(plan, c.scratch, t, e.now.q, e.now.v, e.now.a, e.now.lam, weights, s.D)
    if plan.friction > 0:
        add_friction_to_matrix(plan, c.scratch, t, e.now.q, e.now.v, e.now.a, e.now.lam, weights, 0.0, s.D)
    weights[1] = 0.0
    charted = chart.partial.shape[0] > 0
    if charted:
        rate_maps(plan.orientations, chart.y, chart.maps)
        step_matrix(c.joints, c.scratch, t, e.now.q, e.now.v, work.zero, e.now.lam, weights, chart.maps, s.turned)
    if charted and c.apart == 0:
        status = factorize_part(c.positions, s.turned)
        if status != OK:
            return status
    of_positions = s.turned if charted else s.D
    for j in range(s.independent.shape[0]):
        _direction(c.positions, plan, c.linear.sparse, of_positions, s.independent[j], s.x, work.r, s.ways[j])
    if charted and c.apart == 0:
        status = factorize_part(c.speeds, s.D)
        if status != OK:
            return status
    if plan.m > 0:
        constraints(c.joints, c.scratch, t, e.now.q, e.now.v, work.zero, weights, s.here[0], s.here[1], s.here[2])
        jacobian_times(c.joints, c.scratch, t, e.now.q, e.now.v, e.now.a, weights, e.now.a, s.here[3])
    for i in range(plan.nq, plan.total_q):
        s.q[i] = e.now.q[i]
    for j in range(s.independent.shape[0]):
        for i in range(n):
            s.dy[i] = s.dq[i] = s.ways[j, i]
            s.dv[i] = 0.0
        if charted:
            to_speeds(plan.orientations, chart.maps, s.dq)
        if plan.m > 0:
            _dependent_speeds(s, t)
        _accelerations_along(s, t, True)
        _put_rates(s, s.columns, j)
    for i in range(n):
        s.dy[i] = s.dq[i] = 0.0
    for k in range(e.fast.shape[0]):
        _direction(c.speeds, plan, c.linear.sparse, s.D, e.fast[k], s.x, work.r, s.dv)
        _accelerations_along(s, t, False)
        _put_rates(s, s.J, first_speed + k)
    _gather(s)
    return OK
