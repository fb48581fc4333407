"""The compiled march of the direct method: changes of the states from step to step."""

from __future__ import annotations

import numpy as np

from flexmb.algebra.differences import OFFSETS, ONE_SIDED, ONE_SIDED_WEIGHTS, WEIGHTS
from flexmb.kernels.charts import rate_maps, retract
from flexmb.kernels.compilation import compiled
from flexmb.kernels.rotations import inverse_rate_map
from flexmb.kernels.vectors import applied, transposed
from flexmb.system.evaluation import constraints, step_matrix
from flexmb.system.friction import add_friction_to_matrix
from flexmb.system.linear import OK, add_product, factorize, solve

# numbers of the entries of the array of coefficients
H, AM, AF, GAMMA, BETA, ON_ALG, ON_V, ON_A, SIZE = range(9)

#: weights of values to one side, over twelve steps
_FROM_ONE_SIDE = (-sum(ONE_SIDED_WEIGHTS), *ONE_SIDED_WEIGHTS)


@compiled
def _map(maps, orientations, inverse_transposed, dq, out):
    """out (n,): T dq for orientations, with T in `maps` (k, 9), or T⁻ᵀ dq; all else as in dq."""
    for i in range(out.shape[0]):
        out[i] = dq[i]
    for k in range(orientations.shape[0]):
        i = orientations[k, 0]
        x = (dq[i], dq[i + 1], dq[i + 2])
        if inverse_transposed:
            out[i], out[i + 1], out[i + 2] = applied(transposed(maps[k]), x)
        else:
            out[i], out[i + 1], out[i + 2] = applied(maps[k], x)


@compiled
def _add_rows(plan, values, indptr, indices, factor, x, b):
    """b += factor A x for the velocity rows of a matrix in the order of the plan."""
    n = plan.n
    if plan.dense == 1:
        for j in range(plan.m):
            if plan.at_speed[j] >= 0:
                for i in range(n):
                    b[n + j] += factor * values[(n + j) * plan.size + i] * x[i]
        return
    for i in range(n):
        for k in range(indptr[i], indptr[i + 1]):
            if indices[k] >= n and plan.at_speed[indices[k] - n] >= 0:
                b[indices[k]] += factor * values[k] * x[i]


@compiled
def _weighted(plan, scratch, t, full, lam, w, maps, values):
    """The values of [wm M + wd D + wk K, Gᵀ + ∂F/∂λ; G T, 0], with the friction F of joints; velocity rows are
    A + w[3] ∂(A v)/∂q T."""
    step_matrix(plan, scratch, t, full[0], full[1], full[2], lam, w, maps, values)
    if plan.friction > 0:
        add_friction_to_matrix(plan, scratch, t, full[0], full[1], full[2], lam, w, 1.0, values)


@compiled
def _matrix_of_step(plan, scratch, t, full, lam, c, w, maps, indptr, indices, other, values):
    """The values of [b/(βh²) M + γ/(βh) D + K T, Gᵀ + ∂F/∂λ; G T, 0], dynamic rows divided by the size; velocity rows
    are A + βh/γ ∂(A v)/∂q T. `other` is scratch."""
    n = plan.n
    w[0], w[1], w[2], w[3] = c[ON_A] / c[SIZE], c[ON_V] / c[SIZE], 1.0 / c[SIZE], 1.0 / c[ON_V]
    _weighted(plan, scratch, t, full, lam, w, maps, values)
    if maps.shape[0] == 0:
        return
    w[0], w[1] = 0.0, 0.0
    _weighted(plan, scratch, t, full, lam, w, maps[:0], other)
    for k in range(maps.shape[0]):
        first = plan.orientations[k, 0]
        # the three columns of an orientation have entries in the same rows
        count = plan.size if plan.dense == 1 else indptr[first + 1] - indptr[first]
        for r in range(count):
            if plan.dense == 1:
                row, at = r, r * plan.size + first
                places = (at, at + 1, at + 2)
            else:
                row = indices[indptr[first] + r]
                places = (indptr[first] + r, indptr[first + 1] + r, indptr[first + 2] + r)
            if row < n:
                x = (other[places[0]], other[places[1]], other[places[2]])
                moved = applied(transposed(maps[k]), x)
                for i in range(3):
                    values[places[i]] += moved[i] - x[i]


@compiled
def _rates(plan, scratch, t, full, dq, dv, e, moved, y, w, g, rates):
    """Fill rates (m,) with the change of G v + g_t along (dq, dv), by a difference of fourth order: to both sides, or
    where that is not defined, to one."""
    for side in range(3):
        step = -e if side == 2 else e
        for j in range(plan.m):
            rates[j] = 0.0
        for k in range(4 if side == 0 else 5):
            way = OFFSETS[k] if side == 0 else ONE_SIDED[k]
            weight = WEIGHTS[k] if side == 0 else _FROM_ONE_SIDE[k]
            for i in range(plan.n):
                y[i] = way * step * dq[i]
                moved[1, i] = full[1, i] + way * step * dv[i]
            retract(plan.orientations, plan.n, full[0], y, moved[0])
            constraints(plan, scratch, t, moved[0], moved[1], full[2], w, g[0], g[1], g[2])
            for j in range(plan.m):
                rates[j] += weight / (12.0 * step) * g[1, j]
        defined = True
        for j in range(plan.m):
            defined = defined and abs(rates[j]) < np.inf
        if defined:
            break


@compiled
def march(
    plan,
    scratch,
    linear,
    indptr,
    indices,
    full,
    moved,
    track,
    right,
    c,
    speeds,
    sweeps,
    scale,
    change,
    results,
    buffers,
):
    """Carry changes of (q, v, a, â) by each parameter through all steps; returns the status of the factorizations.

    `track`: (t, q, v, kept, a, λ) at all times; `right` (p, k, n + 2 m); `change` (4, p, n): that at the start, and in
    the end that at the end; `results`: (Q (p, k, n), V, A, L (p, k, m)), filled from the second time on; with `speeds`
    V belongs to the kept speeds, which are moved onto the constraints in some `sweeps`: one without velocity rows.
    `full` (3, total_q) and `moved` (2, total_q) have fixed frames at the tail.
    """
    T, Q, V, kept, A, L, Y = track
    out_q, out_v, out_a, out_lam = results
    b, x, y, w, g, rates, turned, other, maps = buffers
    n, m = plan.n, plan.m
    h = c[H]
    for k in range(1, T.shape[0]):
        for i in range(plan.nq):
            full[0, i] = Q[k, i]
        for i in range(n):
            full[1, i], full[2, i] = V[k, i], A[k, i]
        for j in range(maps.shape[0]):
            i = plan.orientations[j, 0]
            Ti = inverse_rate_map((Y[k, i], Y[k, i + 1], Y[k, i + 2]))
            for r in range(9):
                maps[j, r] = Ti[r]
        for p in range(right.shape[0]):  # the changes of the position before, as this step has them
            _map(maps, plan.orientations, True, change[0, p], turned[0])
            for i in range(n):
                change[0, p, i] = turned[0, i]
        rate_maps(plan.orientations, Y[k], maps)
        for p in range(right.shape[0]):
            for i in range(n + m):
                b[p, i] = -right[p, k, i]
        for part in range(2):
            w[0], w[1], w[2], w[3] = 1.0 - part, part, 0.0, 0.0
            _weighted(plan, scratch, T[k], full, L[k], w, maps[:0], linear.values)
            for p in range(right.shape[0]):
                for i in range(n):
                    dq, dv, da, dalg = change[0, p, i], change[1, p, i], change[2, p, i], change[3, p, i]
                    c_alg = -(dq + h * dv + h * h * (0.5 - c[BETA]) * dalg) * c[ON_ALG]
                    if part == 0:
                        x[i] = ((1.0 - c[AM]) * c_alg + c[AM] * dalg - c[AF] * da) / (1.0 - c[AF])
                    else:
                        x[i] = dv + h * (1.0 - c[GAMMA]) * dalg + h * c[GAMMA] * c_alg
                    y[i] = 0.0
                add_product(plan, linear.values, indptr, indices, 1.0, x, y)
                for i in range(n):
                    b[p, i] -= y[i]
                if part == 1 and sweeps > 1:
                    _add_rows(plan, linear.values, indptr, indices, -1.0 / c[ON_V], x, b[p])
        # Dynamic rows are divided by the size of the matrix; later the multipliers are multiplied by it.
        _matrix_of_step(plan, scratch, T[k], full, L[k], c, w, maps, indptr, indices, other, linear.values)
        status = factorize(plan, linear)
        if status != OK:
            return status
        for p in range(right.shape[0]):
            for i in range(n):
                x[i] = b[p, i] / c[SIZE]
            for j in range(m):
                x[n + j] = b[p, n + j]
            solve(plan, linear, x)
            largest = 0.0
            for i in range(n):
                dq, dv, da, dalg = change[0, p, i], change[1, p, i], change[2, p, i], change[3, p, i]
                c_alg = -(dq + h * dv + h * h * (0.5 - c[BETA]) * dalg) * c[ON_ALG]
                c_v = dv + h * (1.0 - c[GAMMA]) * dalg + h * c[GAMMA] * c_alg
                c_a = ((1.0 - c[AM]) * c_alg + c[AM] * dalg - c[AF] * da) / (1.0 - c[AF])
                change[1, p, i] = c[ON_V] * x[i] + c_v
                change[2, p, i] = c[ON_A] * x[i] + c_a
                change[3, p, i] = c[ON_ALG] * x[i] + c_alg
                out_v[p, k, i], out_a[p, k, i] = change[1, p, i], change[2, p, i]
            _map(maps, plan.orientations, False, x, turned[0])
            for i in range(n):
                change[0, p, i] = out_q[p, k, i] = turned[0, i]
                largest = max(largest, abs(turned[0, i]) / scale[i])
            for j in range(m):
                out_lam[p, k, j] = x[n + j] * c[SIZE]
            if m > 0 and speeds and largest > 0.0:
                for _ in range(sweeps):
                    for i in range(n):
                        full[1, i] = kept[k, i]
                    _rates(
                        plan, scratch, T[k], full, change[0, p], out_v[p, k], 1e-3 / largest, moved, turned[1], w, g,
                        rates,
                    )  # fmt: skip
                    for i in range(n):
                        x[i] = 0.0
                        full[1, i] = V[k, i]
                    for j in range(m):
                        x[n + j] = -(rates[j] + right[p, k, n + m + j])
                    solve(plan, linear, x)
                    _map(maps, plan.orientations, False, x, turned[0])
                    for i in range(n):
                        out_v[p, k, i] += turned[0, i]
    return OK
