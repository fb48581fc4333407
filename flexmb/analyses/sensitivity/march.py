"""The compiled march of the direct method: changes of the states from step to step."""

from __future__ import annotations

from flexmb.algebra.differences import OFFSETS, WEIGHTS
from flexmb.kernels.compilation import compiled
from flexmb.system.evaluation import constraints, matrix
from flexmb.system.linear import OK, factorise, solve

# numbers of the entries of the array of coefficients
H, AM, AF, GAMMA, BETA, ON_ALG, ON_V, ON_A, SIZE = range(9)


@compiled
def _add_product(plan, values, indptr, indices, x, y):
    """y (n,) += A x for the first n rows and columns of a matrix in the order of the plan."""
    n = plan.n
    if plan.dense == 1:
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += values[i * plan.size + j] * x[j]
            y[i] += total
        return
    for j in range(n):
        for k in range(indptr[j], indptr[j + 1]):
            if indices[k] < n:
                y[indices[k]] += values[k] * x[j]


@compiled
def _rates(plan, scratch, t, full, dq, dv, e, moved, w, g, rates):
    """Fill rates (m,) with the change of G v + g_t along (dq, dv), by a difference of fourth order."""
    for j in range(plan.m):
        rates[j] = 0.0
    for k in range(4):
        for i in range(plan.n):
            moved[0, i] = full[0, i] + OFFSETS[k] * e * dq[i]
            moved[1, i] = full[1, i] + OFFSETS[k] * e * dv[i]
        constraints(plan, scratch, t, moved[0], moved[1], full[2], w, g[0], g[1], g[2])
        for j in range(plan.m):
            rates[j] += WEIGHTS[k] / (12.0 * e) * g[1, j]


@compiled
def march(
    plan, scratch, linear, indptr, indices, full, moved, track, right, c, speeds, scale, change, results, buffers
):
    """Carry changes of (q, v, a, â) by each parameter through all steps; returns the status of the factorisations.

    `track`: (t, q, v, kept, a, λ) at all times; `right` (p, k, n + 2 m); `change` (4, p, n): that at the start, and in
    the end that at the end; `results`: (Q (p, k, n), V, A, L (p, k, m)), filled from the second time on; with `speeds`
    V belongs to the kept speeds. `full` (3, total) and `moved` (2, total) have fixed frames at the tail.
    """
    T, Q, V, kept, A, L = track
    out_q, out_v, out_a, out_lam = results
    b, x, y, w, g, rates = buffers
    n, m = plan.n, plan.m
    h = c[H]
    for k in range(1, T.shape[0]):
        for i in range(n):
            full[0, i], full[1, i], full[2, i] = Q[k, i], V[k, i], A[k, i]
        for p in range(right.shape[0]):
            for i in range(n + m):
                b[p, i] = -right[p, k, i]
        for part in range(2):
            w[0], w[1], w[2] = 1.0 - part, part, 0.0
            matrix(plan, scratch, T[k], full[0], full[1], full[2], L[k], w, linear.values)
            for p in range(right.shape[0]):
                for i in range(n):
                    dq, dv, da, dalg = change[0, p, i], change[1, p, i], change[2, p, i], change[3, p, i]
                    c_alg = -(dq + h * dv + h * h * (0.5 - c[BETA]) * dalg) * c[ON_ALG]
                    if part == 0:
                        x[i] = ((1.0 - c[AM]) * c_alg + c[AM] * dalg - c[AF] * da) / (1.0 - c[AF])
                    else:
                        x[i] = dv + h * (1.0 - c[GAMMA]) * dalg + h * c[GAMMA] * c_alg
                    y[i] = 0.0
                _add_product(plan, linear.values, indptr, indices, x, y)
                for i in range(n):
                    b[p, i] -= y[i]
        # Dynamic rows are divided by the size of the matrix; later the multipliers are multiplied by it.
        w[0], w[1], w[2] = c[ON_A] / c[SIZE], c[ON_V] / c[SIZE], 1.0 / c[SIZE]
        matrix(plan, scratch, T[k], full[0], full[1], full[2], L[k], w, linear.values)
        status = factorise(plan, linear)
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
                change[0, p, i] = x[i]
                change[1, p, i] = c[ON_V] * x[i] + c_v
                change[2, p, i] = c[ON_A] * x[i] + c_a
                change[3, p, i] = c[ON_ALG] * x[i] + c_alg
                out_q[p, k, i], out_v[p, k, i], out_a[p, k, i] = x[i], change[1, p, i], change[2, p, i]
                largest = max(largest, abs(x[i]) / scale[i])
            for j in range(m):
                out_lam[p, k, j] = x[n + j] * c[SIZE]
            if m > 0 and speeds and largest > 0.0:
                for i in range(n):
                    full[1, i] = kept[k, i]
                _rates(plan, scratch, T[k], full, change[0, p], change[1, p], 1e-3 / largest, moved, w, g, rates)
                for i in range(n):
                    x[i] = 0.0
                    full[1, i] = V[k, i]
                for j in range(m):
                    x[n + j] = -(rates[j] + right[p, k, n + m + j])
                solve(plan, linear, x)
                for i in range(n):
                    out_v[p, k, i] += x[i]
    return OK
