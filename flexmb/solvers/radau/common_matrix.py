"""One matrix for all stages: their equations fall apart into systems of the size of a stage.

The equations  M a + f + Gᵀ λ = r  and g of a stage have, to first order, the derivatives  M A⁻²/h² + D A⁻¹/h + K, with
the same M, D and K for all stages. By the eigenvectors of A⁻¹ they fall apart into a real system and a complex one
(Hairer and Wanner (1991), section IV.8), with τ = h/eigenvalue and the mass m₀ of the model:

    [(M + τD + τ²K)/m₀  Gᵀ] [x ]     [τ²/m₀ r]
    [G                  0 ] [λ'] = − [   g   ],      λ = m₀/τ² λ'

A velocity row A v + b = 0 is  (A + τ ∂(A v + b)/∂q) x = −τ (A v + b).

**Orientations.** M, D, K and G belong to turns x = T(y) u in the axes of the body, whose rates are no changes of
speeds: with δR = R x̃ these are  δω = ẋ + ω × x.  For polynomials x that is to first order

    M A⁻²/h² + (D + M ω̃) A⁻¹/h + K + D ω̃,

in velocity rows A ω̃ more; ω is that of the stage.
"""

from __future__ import annotations

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.radau.matrix_layout import MOTION, SPEED
from flexmb.solvers.radau.radau_coefficients import PAIR, POINTS, REAL, STAGES, VARIABLES
from flexmb.solvers.radau.stages import put
from flexmb.system.evaluation import matrix, tangents
from flexmb.system.friction import add_friction_to_matrix
from flexmb.system.linear import OK, factorise, solve_both


@called(None)
def put_matrix(loop, s, now, wm, wd, wk, on_rates, values):
    """The values of  [(wm M + wd D + wk K)/m₀  Gᵀ; G  0]  of a stage, whose state is in `stages`."""
    plan, scratch, stages, weights = loop.plan, loop.scratch, loop.stages, loop.work.weights
    q, v, a, lam = stages.q, stages.v, stages.acceleration, stages.lam[s]
    _weigh(loop, wm, wd, wk, on_rates)
    matrix(plan, scratch, now, q, v, a, lam, weights, values)
    if plan.friction > 0:
        add_friction_to_matrix(plan, scratch, now, q, v, a, lam, weights, 1.0, values)


@called(None)
def put_motion(loop, s, now, wm, wd, values):
    """The values of  (wm M + wd D)/m₀;  where there are velocity rows or friction those of all else too."""
    plan, stages = loop.plan, loop.stages
    if plan.friction > 0 or loop.speed_rows > 0:
        put_matrix(loop, s, now, wm, wd, 0.0, 0.0, values)
        return
    _weigh(loop, wm, wd, 0.0, 0.0)
    tangents(plan, loop.scratch, now, stages.q, stages.v, stages.acceleration, loop.work.weights, values)


@inlined
def _weigh(loop, wm, wd, wk, on_rates):
    weights, mass = loop.work.weights, loop.options.mass
    weights[0], weights[1], weights[2], weights[3] = wm / mass, wd / mass, wk / mass, on_rates


@called(None)
def add_turning(loop, kind, factor, source, target):
    """target += factor source ω̃ in the columns of orientations, for the values of one kind; ω is that in `stages`."""
    turning, v = loop.turning, loop.stages.v
    for k in range(turning.shape[0]):
        p = turning[k, 0]
        if loop.kinds[p] == kind:
            if turning[k, 1] >= 0:
                target[p] += factor * source[turning[k, 1]] * v[turning[k, 4]]
            if turning[k, 2] >= 0:
                target[p] -= factor * source[turning[k, 2]] * v[turning[k, 3]]


@called(int)
def renew(loop, h, t):
    """Make both matrices, of the second stage, and their factors; OK, or what is in the way."""
    parts, kinds = loop.parts, loop.kinds
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
            loop.real.values[p] = M + tau * (D + tau * K)
            loop.pair.values[p] = M + tau_pair * (D + tau_pair * K)
        elif kinds[p] == SPEED:
            loop.real.values[p] = M + tau * (K - M)
            loop.pair.values[p] = M + tau_pair * (K - M)
        else:
            loop.real.values[p] = K
            loop.pair.values[p] = complex(K, 0.0)
    status = factorise(loop.plan, loop.real)
    return factorise(loop.plan, loop.pair) if status == OK else status


@called(float)
def correction(loop, h):
    """The corrections of u and of the multipliers for the errors of all stages; returns |xᴴ S x|, see
    :mod:`flexmb.solvers.radau.radau_newton`."""
    plan, stages, mass = loop.plan, loop.stages, loop.options.mass
    tau, tau_pair = h / REAL, h / PAIR
    _right_hand_sides(loop, tau, tau_pair)
    for i in range(plan.size):
        stages.x[i] = stages.b[i]
        stages.x_pair[i] = stages.b_pair[i]
    solve_both(plan, loop.real, stages.x, loop.pair, stages.x_pair)
    real, both = 0.0, complex(0.0, 0.0)
    for i in range(plan.n):
        x, pair = stages.x[i], stages.x_pair[i]
        real += x * stages.b[i]
        both += pair.conjugate() * stages.b_pair[i]
        for s in range(3):
            stages.du[s, i] = STAGES[s, 0] * x + STAGES[s, 1] * pair.real + STAGES[s, 2] * pair.imag
    for k in range(plan.m):
        x, pair = stages.x[plan.n + k], stages.x_pair[plan.n + k]
        real -= x * stages.b[plan.n + k]
        both -= pair.conjugate() * stages.b_pair[plan.n + k]
        x *= mass / (tau * tau)
        pair *= mass / (tau_pair * tau_pair)
        for s in range(3):
            stages.dlam[s, k] = STAGES[s, 0] * x + STAGES[s, 1] * pair.real + STAGES[s, 2] * pair.imag
    return abs(real) + abs(both)


@called(None)
def _right_hand_sides(loop, tau, tau_pair):
    """b of the real system and of the complex one, from the errors of the stages."""
    plan, stages, mass = loop.plan, loop.stages, loop.options.mass
    V = VARIABLES
    for i in range(plan.n):
        r0, r1, r2 = stages.r[0, i], stages.r[1, i], stages.r[2, i]
        stages.b[i] = -tau * tau / mass * (V[0, 0] * r0 + V[0, 1] * r1 + V[0, 2] * r2)
        both = complex(V[1, 0] * r0 + V[1, 1] * r1 + V[1, 2] * r2, V[2, 0] * r0 + V[2, 1] * r1 + V[2, 2] * r2)
        stages.b_pair[i] = -tau_pair * tau_pair / mass * both
    for k in range(plan.m):
        g0, g1, g2 = stages.g[0, k], stages.g[1, k], stages.g[2, k]
        one = V[0, 0] * g0 + V[0, 1] * g1 + V[0, 2] * g2
        both = complex(V[1, 0] * g0 + V[1, 1] * g1 + V[1, 2] * g2, V[2, 0] * g0 + V[2, 1] * g1 + V[2, 2] * g2)
        at_speed = plan.at_speed[k] >= 0
        stages.b[plan.n + k] = -(tau if at_speed else 1.0) * one
        stages.b_pair[plan.n + k] = -(tau_pair if at_speed else complex(1.0, 0.0)) * both
