"""Accelerations and multipliers where friction depends on the joints' own forces:

[M  Gᵀ] [a]   [−f − F(λ)]
[G  0 ] [λ] = [    γ    ]

Friction makes the equations nonlinear in λ. They are solved by Newton's method, whose matrix has D = ∂F/∂λ added to Gᵀ,
starting from the previous multipliers.

**Jamming.** Without friction the determinant of the matrix has the sign (−1)^m. As long as Gᵀ + D keeps this sign, and
so does Gᵀ − D, for the opposite bearing forces, the accelerations are determined. Where one of the two changes its
sign, the equations have two solutions or none (Painlevé (1895); Génot and Brogliato (1999)): the joint jams, the theory
of rigid bodies does not determine the motion, and the run stops.
"""

from __future__ import annotations

from flexmb.kernels.compilation import called
from flexmb.system.evaluation import add_forces_and_rates, constraints, matrix, residual
from flexmb.system.friction import add_friction_to_matrix
from flexmb.system.linear import OK, determinant_sign, factorize, solve

#: status beside those of a factorization: the equations have two solutions or none
JAMMED = 20
#: λ has converged if a correction is below EXACT times the largest force, or below STALLED times it and no longer
#: shrinking
EXACT, STALLED = 1e-13, 1e-9
#: if a correction is larger than this fraction of the one before, the matrix is renewed
SLOW = 0.05
#: largest number of corrections
MOST = 60


@called(int)
def _matrix_with_friction(plan, scratch, linear, t, q, v, lam, work, sign):
    """Factorize the matrix with `sign` times D; returns OK, JAMMED, SINGULAR or NO_ROOM."""
    zero, weights = work.zero, work.weights
    matrix(plan, scratch, t, q, v, zero, lam, weights, linear.values)
    add_friction_to_matrix(plan, scratch, t, q, v, zero, lam, weights, sign, linear.values)
    status = factorize(plan, linear)
    if status == OK and determinant_sign(plan, linear) != (1.0 if plan.m % 2 == 0 else -1.0):
        return JAMMED
    return status


@called(int)
def accelerations_with_friction(plan, scratch, linear, mass, t, q, v, a, lam, work, alpha, beta):
    """a (total,), λ (m,) of a state, starting from the λ given, as :func:`flexmb.system.accelerations.accelerations`;
    returns OK, the status of a factorization that failed, or JAMMED. `linear` is left with the factors of the matrix
    with D."""
    r, x, b, g, gd, rates, zero, weights = (
        work.r, work.x, work.b, work.g, work.gd, work.gamma, work.zero, work.weights,
    )  # fmt: skip
    n, m = plan.n, plan.m
    weights[0], weights[1], weights[2], weights[3] = 1.0 / mass, 0.0, 0.0, 0.0
    constraints(plan, scratch, t, q, v, zero, weights, g, gd, rates)
    for k in range(m):
        damped = alpha if plan.at_speed[k] >= 0 else 2.0 * alpha
        b[k] = rates[k] - damped * gd[k] - beta * beta * g[k]
        if not abs(lam[k]) < 1e300:
            lam[k] = 0.0
    for i in range(n):
        a[i] = 0.0
    last, renew = 0.0, True
    for correction in range(MOST):
        if correction == 0:
            status = _matrix_with_friction(plan, scratch, linear, t, q, v, lam, work, -1.0)
            if status != OK:
                return status
        if renew:
            status = _matrix_with_friction(plan, scratch, linear, t, q, v, lam, work, 1.0)
            if status != OK and (status != JAMMED or correction == MOST - 1):
                return status
        residual(plan, scratch, t, q, v, a, weights, r)
        add_forces_and_rates(plan, scratch, t, q, v, a, lam, weights, r, rates)
        for i in range(n):
            x[i] = -r[i] / mass
        for k in range(m):
            x[n + k] = b[k] - rates[k]
        solve(plan, linear, x)
        size, largest, fastest = 0.0, 0.0, 0.0
        for i in range(n):
            a[i] += x[i]
            fastest = max(fastest, abs(a[i]))
            if not abs(x[i]) < 1e300:
                return JAMMED
        for k in range(m):
            lam[k] += mass * x[n + k]
            size = max(size, abs(mass * x[n + k]))
            largest = max(largest, abs(lam[k]))
        level = largest + 1e-3 * mass * fastest
        if correction > 0 and (size <= EXACT * level or (size <= STALLED * level and size > 0.3 * last)):
            return status
        renew = correction > 0 and size > SLOW * last
        last = size
    return JAMMED
