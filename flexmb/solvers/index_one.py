"""Accelerations and multipliers of a state, and projections onto the constraints: what all methods share.

[M  Gᵀ] [a]   [−f]
[G  0 ] [λ] = [ γ]                                                            source 001, eq. (14)
"""

from __future__ import annotations

import numpy as np

from flexmb.system.evaluation import constraints, matrix, residual
from flexmb.system.kernels import compiled
from flexmb.system.linear import OK, factorise, solve


@compiled
def accelerations(plan, scratch, linear, mass, t, q, v, a, lam, work, alpha, beta):
    """a (total,), λ (m,) of a state by eq. (14), with Baumgarte's γ − 2α ġ − β² g (eq. (17)) when α, β are not zero.

    `work` is (r (total,), x (size,), g, gd, γ (m,), zero (total,), weights (3,)); `mass` scales the dynamic rows.
    Returns the status of the factorisation.
    """
    r, x, g, gd, gamma, zero, weights = work
    n, m = plan.n, plan.m
    weights[0] = 1.0 / mass
    weights[1] = 0.0
    weights[2] = 0.0
    matrix(plan, scratch, t, q, v, zero, lam, weights, linear.values)
    status = factorise(plan, linear)
    if status != OK:
        return status
    residual(plan, scratch, t, q, v, zero, weights, r)
    if m > 0:
        constraints(plan, scratch, t, q, v, zero, weights, g, gd, gamma)
    for i in range(n):
        x[i] = -r[i] / mass
    for k in range(m):
        x[n + k] = gamma[k] - 2.0 * alpha * gd[k] - beta * beta * g[k]
    solve(plan, linear, x)
    for i in range(n):
        a[i] = x[i]
    for k in range(m):
        lam[k] = x[n + k] * mass
    return OK


@compiled
def project(plan, scratch, linear, mass, t, q, v, lam, row_scale, work, tolerance, sweeps, positions):
    """Move q (if `positions`) and v the shortest way, measured by the mass matrix, until g and ġ vanish to tolerance.

    Returns the status of the factorisation and the largest errors of position and velocity that are left.
    """
    _, x, g, gd, gamma, zero, weights = work
    n, m = plan.n, plan.m
    weights[0] = 1.0 / mass
    weights[1] = 0.0
    weights[2] = 0.0
    worst = 0.0
    if positions:
        for sweep in range(sweeps + 1):
            constraints(plan, scratch, t, q, v, zero, weights, g, gd, gamma)
            worst = 0.0
            for k in range(m):
                worst = max(worst, abs(g[k]) / row_scale[k])
                if g[k] != g[k]:
                    worst = np.inf
            if worst <= tolerance or sweep == sweeps or worst == np.inf:
                break
            matrix(plan, scratch, t, q, v, zero, lam, weights, linear.values)
            status = factorise(plan, linear)
            if status != OK:
                return status, worst, 0.0
            for i in range(n):
                x[i] = 0.0
            for k in range(m):
                x[n + k] = -g[k]
            solve(plan, linear, x)
            for i in range(n):
                q[i] += x[i]
    constraints(plan, scratch, t, q, v, zero, weights, g, gd, gamma)
    rate = 0.0
    for k in range(m):
        rate = max(rate, abs(gd[k]) / row_scale[k])
    if rate <= tolerance:
        return OK, worst, rate
    matrix(plan, scratch, t, q, v, zero, lam, weights, linear.values)
    status = factorise(plan, linear)
    if status != OK:
        return status, worst, rate
    for _ in range(2):
        for i in range(n):
            x[i] = 0.0
        for k in range(m):
            x[n + k] = -gd[k]
        solve(plan, linear, x)
        for i in range(n):
            v[i] += x[i]
        constraints(plan, scratch, t, q, v, zero, weights, g, gd, gamma)
    rate = 0.0
    for k in range(m):
        rate = max(rate, abs(gd[k]) / row_scale[k])
    return OK, worst, rate
