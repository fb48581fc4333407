"""One matrix for all stages: the linear equations of the stages decouple into systems of the size of one stage.

The equations  M a + f + Gᵀ λ = r  and g of a stage have, to first order, the derivatives  M A⁻²/h² + D A⁻¹/h + K, with
the same M, D and K for all stages. The eigenvectors of A⁻¹ decouple them into a real system and a complex one (Hairer
and Wanner (1991), section IV.8), with τ = h/eigenvalue and the mass m₀ of the model:

    [(M + τD + τ²K)/m₀  Gᵀ] [x ]     [τ²/m₀ r]
    [G                  0 ] [λ'] = − [   g   ],      λ = m₀/τ² λ'

A velocity row A v + b = 0 becomes  (A + τ ∂(A v + b)/∂q) x = −τ (A v + b).

**Orientations.** M, D, K and G are derivatives by rotation vectors x = T(y) u in body axes. The change of ω is not the
rate of x: with δR = R x̃ it is  δω = ẋ + ω × x.  For polynomials x the derivatives become, to first order,

    M A⁻²/h² + (D + M ω̃) A⁻¹/h + K + D ω̃,

and velocity rows get the additional term A ω̃, with the ω of the stage.
"""

from __future__ import annotations

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.methods.radau.matrix_layout import MOTION, SPEED
from flexmb.solvers.methods.radau.radau_coefficients import PAIR, POINTS, REAL, STAGES, VARIABLES
from flexmb.solvers.methods.radau.stages import put
from flexmb.solvers.statuses import OK
from flexmb.system.evaluation import matrix, tangents
from flexmb.system.friction import add_friction_to_matrix
from flexmb.system.linear import factorize, solve_both


@called(None)
def put_matrix(loop, s, now, wm, wd, wk, on_rates, values):
    """Fill `values` with  [(wm M + wd D + wk K)/m₀  Gᵀ; G  0]  at stage s, whose state :func:`put` has written into
    `stages`. `on_rates` is the weight of ∂(A v + b)/∂q in velocity rows."""
    plan, scratch, stages, weights = loop.plan, loop.scratch, loop.stages, loop.work.weights
    q, v, a, lam = loop.end.q, loop.end.v, loop.end.a, stages.lam[s]
    _weigh(loop, wm, wd, wk, on_rates)
    matrix(plan, scratch, now, q, v, a, lam, weights, values)
    if plan.friction > 0:
        add_friction_to_matrix(plan, scratch, now, q, v, a, lam, weights, 1.0, values)


@called(None)
def put_motion(loop, s, now, wm, wd, values):
    """Fill `values` with  (wm M + wd D)/m₀.  Velocity rows and joint friction have terms with wm and wd of their own:
    with them, the whole matrix of :func:`put_matrix` is evaluated."""
    plan, end = loop.plan, loop.end
    if plan.friction > 0 or loop.matrices.speed_rows > 0:
        put_matrix(loop, s, now, wm, wd, 0.0, 0.0, values)
        return
    _weigh(loop, wm, wd, 0.0, 0.0)
    tangents(plan, loop.scratch, now, end.q, end.v, end.a, loop.work.weights, values)


@inlined
def _weigh(loop, wm, wd, wk, on_rates):
    weights, mass = loop.work.weights, loop.options.mass
    weights[0], weights[1], weights[2], weights[3] = wm / mass, wd / mass, wk / mass, on_rates


@called(None)
def add_turning(loop, kind, factor, source, target):
    """Add factor · source ω̃ to `target` in the columns of orientations, for the entries of one kind; ω is taken from
    `stages`."""
    turning, v = loop.matrices.turning, loop.end.v
    for k in range(turning.shape[0]):
        p = turning[k, 0]
        if loop.matrices.kinds[p] == kind:
            if turning[k, 1] >= 0:
                target[p] += factor * source[turning[k, 1]] * v[turning[k, 4]]
            if turning[k, 2] >= 0:
                target[p] -= factor * source[turning[k, 2]] * v[turning[k, 3]]


@called(int)
def renew(loop, h, t):
    """Evaluate M, D, K and G at the second stage, form the real and the complex matrix and factorize both; returns OK
    or the status of the factorization that failed."""
    parts, kinds = loop.matrices.parts, loop.matrices.kinds
    tau, tau_pair = h / REAL, h / PAIR
    put(loop, 1)
    now = t + POINTS[1] * h
    put_motion(loop, 1, now, 1.0, 0.0, parts[0])
    put_motion(loop, 1, now, 0.0, 1.0, parts[1])
    put_matrix(loop, 1, now, 0.0, 0.0, 1.0, 1.0, parts[2])
    add_turning(loop, MOTION, 1.0, parts[1], parts[2])
    add_turning(loop, SPEED, 1.0, parts[0], parts[2])
    add_turning(loop, MOTION, 1.0, parts[0], parts[1])
    for p in range(kinds.shape[0]):
        M, D, K = parts[0, p], parts[1, p], parts[2, p]
        if kinds[p] == MOTION:
            loop.matrices.real.values[p] = M + tau * (D + tau * K)
            loop.matrices.pair.values[p] = M + tau_pair * (D + tau_pair * K)
        elif kinds[p] == SPEED:
            loop.matrices.real.values[p] = M + tau * (K - M)
            loop.matrices.pair.values[p] = M + tau_pair * (K - M)
        else:
            loop.matrices.real.values[p] = K
            loop.matrices.pair.values[p] = complex(K, 0.0)
    status = factorize(loop.plan, loop.matrices.real)
    return factorize(loop.plan, loop.matrices.pair) if status == OK else status


@called(float)
def correction(loop, h):
    """Solve for the corrections of u and λ of all stages from their errors r and g; returns |xᴴ S x|, see
    :mod:`flexmb.solvers.methods.radau.radau_newton`."""
    plan, stages, mass = loop.plan, loop.stages, loop.options.mass
    tau, tau_pair = h / REAL, h / PAIR
    _right_hand_sides(loop, tau, tau_pair)
    for i in range(plan.size):
        loop.matrices.x[i] = loop.matrices.b[i]
        loop.matrices.x_pair[i] = loop.matrices.b_pair[i]
    solve_both(plan, loop.matrices.real, loop.matrices.x, loop.matrices.pair, loop.matrices.x_pair)
    real, both = 0.0, complex(0.0, 0.0)
    for i in range(plan.n):
        x, pair = loop.matrices.x[i], loop.matrices.x_pair[i]
        real += x * loop.matrices.b[i]
        both += pair.conjugate() * loop.matrices.b_pair[i]
        for s in range(3):
            stages.du[s, i] = STAGES[s, 0] * x + STAGES[s, 1] * pair.real + STAGES[s, 2] * pair.imag
    for k in range(plan.m):
        x, pair = loop.matrices.x[plan.n + k], loop.matrices.x_pair[plan.n + k]
        real -= x * loop.matrices.b[plan.n + k]
        both -= pair.conjugate() * loop.matrices.b_pair[plan.n + k]
        x *= mass / (tau * tau)
        pair *= mass / (tau_pair * tau_pair)
        for s in range(3):
            stages.dlam[s, k] = STAGES[s, 0] * x + STAGES[s, 1] * pair.real + STAGES[s, 2] * pair.imag
    return abs(real) + abs(both)


@called(None)
def _right_hand_sides(loop, tau, tau_pair):
    """Fill the right-hand sides b of the real and of the complex system from the errors r and g of the stages."""
    plan, stages, mass = loop.plan, loop.stages, loop.options.mass
    V = VARIABLES
    for i in range(plan.n):
        r0, r1, r2 = stages.r[0, i], stages.r[1, i], stages.r[2, i]
        loop.matrices.b[i] = -tau * tau / mass * (V[0, 0] * r0 + V[0, 1] * r1 + V[0, 2] * r2)
        both = complex(V[1, 0] * r0 + V[1, 1] * r1 + V[1, 2] * r2, V[2, 0] * r0 + V[2, 1] * r1 + V[2, 2] * r2)
        loop.matrices.b_pair[i] = -tau_pair * tau_pair / mass * both
    for k in range(plan.m):
        g0, g1, g2 = stages.g[0, k], stages.g[1, k], stages.g[2, k]
        one = V[0, 0] * g0 + V[0, 1] * g1 + V[0, 2] * g2
        both = complex(V[1, 0] * g0 + V[1, 1] * g1 + V[1, 2] * g2, V[2, 0] * g0 + V[2, 1] * g1 + V[2, 2] * g2)
        at_speed = plan.at_speed[k] >= 0
        loop.matrices.b[plan.n + k] = -(tau if at_speed else 1.0) * one
        loop.matrices.b_pair[plan.n + k] = -(tau_pair if at_speed else complex(1.0, 0.0)) * both
