"""The stages of a step: the errors of their equations, and Newton's method.

The unknowns are the u of the three stages, positions q = q₀ ∘ exp(c h v₀ + u), and their multipliers. The rates of
positions and of speeds are those of the polynomials through the stages,

    ẏ = v₀ + A⁻¹ u / h,      v = T(y) ẏ,      a = A⁻¹ (v − v₀) / h

with T of orientations alone. The equations M a + f + Gᵀ λ = r and g of a stage have, to first order, the derivatives
M A⁻²/h² + D A⁻¹/h + K, with the same M, D and K for all stages. By the eigenvectors of A⁻¹ they fall apart into systems
of the size of a stage, with τ = h/eigenvalue and the mass m₀ of the model:

    [(M + τD + τ²K)/m₀  Gᵀ] [x ]     [τ²/m₀ r]
    [G                  0 ] [λ'] = − [   g   ],      λ = m₀/τ² λ'

A velocity row A v + b = 0 is  (A + τ ∂(A v + b)/∂q) x = −τ (A v + b).
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.kernels.charts import rate_maps, retract, to_speeds
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.index_one import last_place, norm, worst
from flexmb.solvers.radau import state as at
from flexmb.solvers.radau.coefficients import PAIR, POINTS, RATES, REAL, STAGES, VARIABLES
from flexmb.solvers.radau.state import NO_RANK
from flexmb.system.evaluation import add_constraint_forces, constraints, matrix, residual
from flexmb.system.friction import add_friction_to_matrix
from flexmb.system.linear import NO_ROOM, OK, factorise, solve

#: how Newton's method ended; STALE: it failed with the matrices of an earlier step; NO_SPACE: factors need more room
CONVERGED, FAILED, STALE, NO_SPACE = range(4)
#: matrices serve for steps that differ by less than this part, and until corrections shrink to no less than the second
SAME_STEP, AGEING = 1e-3, 0.02
#: Corrections that shrink to no less than the first part do not converge. The second one may be larger than the first,
#: by the second factor: where a beam bends by the first, the second takes back the strain that comes of it.
HOPELESS, HOPELESS_AT_FIRST = 0.9, 10.0
#: Updates that would make a correction larger than by 1/(1 − this) are not made.
LARGEST_PART = 0.9
#: What Newton's method leaves of the speeds is much the same in one step as in the next, and adds up. In runs of more
#: steps than the first number each leaves the less, down to the second part of what it may leave in shorter ones.
FEW_STEPS, LEAST_SHARE = 100.0, 0.02
#: An error of u, divided by τ², is one of the acceleration: the part of it that is allowed.
ACCELERATION_DIGITS = 1e-4
#: the equations of a step have other solutions, with an angle one turn further: corrections lead to one of these if
#: their sum exceeds this part of the model's length, or of a radian
LARGEST_CORRECTION = 1.0
#: Corrections that do not shrink are due to rounding if they are smaller than this multiple of its measured effect, and
#: never if they are larger than the second. A measurement serves for so many steps of about the same size.
ROUNDING_FACTOR, LARGEST_ROUNDING, ROUNDING_STEPS = 4.0, 1e-4, 100.0
#: a step is cut short that is below this part of the one that its error allows
CUT = 0.1


@called(None)
def spread(loop, h):
    """Fill moves y, changes of speeds and accelerations of all stages from their u."""
    plan, stages, v0 = loop.plan, loop.stages, loop.motion.v
    n = plan.n
    for i in range(n):
        u0, u1, u2 = stages.u[0, i], stages.u[1, i], stages.u[2, i]
        for s in range(3):
            stages.y[s, i] = POINTS[s] * h * v0[i] + stages.u[s, i]
            stages.dv[s, i] = (RATES[s, 0] * u0 + RATES[s, 1] * u1 + RATES[s, 2] * u2) / h
    if plan.orientations.shape[0] > 0:
        aux = loop.work.aux
        for s in range(3):
            rate_maps(plan.orientations, stages.y[s], stages.maps)
            for k in range(plan.orientations.shape[0]):
                for i in range(plan.orientations[k, 0], plan.orientations[k, 0] + 3):
                    aux[i] = v0[i] + stages.dv[s, i]
            to_speeds(plan.orientations, stages.maps, aux)
            for k in range(plan.orientations.shape[0]):
                for i in range(plan.orientations[k, 0], plan.orientations[k, 0] + 3):
                    stages.dv[s, i] = aux[i] - v0[i]
    for i in range(n):
        d0, d1, d2 = stages.dv[0, i], stages.dv[1, i], stages.dv[2, i]
        for s in range(3):
            stages.a[s, i] = (RATES[s, 0] * d0 + RATES[s, 1] * d1 + RATES[s, 2] * d2) / h


@called(None)
def put(loop, s):
    """Make a stage the whole state in `stages`."""
    plan, stages, motion = loop.plan, loop.stages, loop.motion
    retract(plan.orientations, plan.n, motion.q, stages.y[s], stages.q)
    for i in range(plan.n):
        stages.v[i] = motion.v[i] + stages.dv[s, i]
        stages.acceleration[i] = stages.a[s, i]


@called(None)
def _errors(loop, h, t, rounded):
    """Fill r and g of all stages; `rounded`: of positions that are off by a unit in their last place, and g off by one
    of the model's size, since joints near its origin too are differences of such numbers."""
    plan, scratch, stages, work = loop.plan, loop.scratch, loop.stages, loop.work
    spread(loop, h)
    loop.counts[at.EVALUATIONS] += 3
    for s in range(3):
        put(loop, s)
        if rounded:
            for i in range(plan.n):
                stages.q[i] *= 1.0 + 2.3e-16 * last_place(i + s)
        q, v, a = stages.q, stages.v, stages.acceleration
        now = t + POINTS[s] * h
        residual(plan, scratch, now, q, v, a, work.weights, work.r)
        if plan.m > 0:
            add_constraint_forces(plan, scratch, now, q, v, a, stages.lam[s], work.weights, work.r)
            constraints(plan, scratch, now, q, v, a, work.weights, work.g, work.gd, work.gamma)
        for i in range(plan.n):
            stages.r[s, i] = work.r[i]
        for k in range(plan.m):
            stages.g[s, k] = work.g[k] if plan.at_speed[k] < 0 else work.gd[k]
            if rounded:
                stages.g[s, k] += 2.3e-16 * loop.scales.rows[k] * last_place(plan.n + k + s)


@called(None)
def _right_hand_sides(loop, h):
    """b of the real system and of the complex one, from the errors of the stages."""
    plan, stages, mass = loop.plan, loop.stages, loop.options.mass
    V = VARIABLES
    tau, tau_pair = h / REAL, h / PAIR
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


@called(None)
def _solve(loop):
    """x of both systems."""
    plan, stages = loop.plan, loop.stages
    for i in range(plan.size):
        stages.x[i] = stages.b[i]
        stages.x_pair[i] = stages.b_pair[i]
    solve(plan, loop.real, stages.x)
    solve(plan, loop.pair, stages.x_pair)


@called(float)
def _size(loop):
    """The size of the correction x: the largest change of u in units of the scales, or √|xᴴ S x| in units of the
    model's length, if that is larger. In the second norm errors of stiff directions count by their stiffness; see
    :mod:`flexmb.solvers.generalized_alpha.newton`."""
    plan, stages = loop.plan, loop.stages
    real, both = 0.0, complex(0.0, 0.0)
    for i in range(plan.n):
        real += stages.x[i] * stages.b[i]
        both += stages.x_pair[i].conjugate() * stages.b_pair[i]
    for k in range(plan.n, plan.size):
        real -= stages.x[k] * stages.b[k]
        both -= stages.x_pair[k].conjugate() * stages.b_pair[k]
    return max(_largest_change(loop), math.sqrt(abs(real) + abs(both)) / loop.options.length)


@called(float)
def _largest_change(loop):
    """The largest change of u by the correction x in units of the scales."""
    plan, stages, scale = loop.plan, loop.stages, loop.scales.coordinates
    largest = 0.0
    for i in range(plan.n):
        x, pair = stages.x[i], stages.x_pair[i]
        for s in range(3):
            size = abs(STAGES[s, 0] * x + STAGES[s, 1] * pair.real + STAGES[s, 2] * pair.imag) / scale[i]
            if not size <= largest:
                largest = size
                if size != size:
                    return np.inf
    return largest


@called(None)
def _learn(loop, k):
    """Improve the k-th correction by what those before it have shown, and keep it: Broyden's method, from corrections
    alone (Kelley (1995), section 7.3). Stiff members that turn within a step have another direction at each stage; the
    one matrix for all stages does not know it, but after a few corrections these updates do."""
    stages, size = loop.stages, loop.plan.size
    x, pair = stages.x, stages.x_pair
    for j in range(k):
        part = _product(loop, j) / stages.products[j]
        if j == k - 1:
            # The correction that is being made stands on both sides of the last update.
            part = 1.0 / (1.0 - part) if part < LARGEST_PART else 1.0
            for i in range(size):
                x[i] *= part
                pair[i] *= part
        else:
            for i in range(size):
                x[i] += part * stages.past[j + 1, i]
                pair[i] += part * stages.past_pair[j + 1, i]
    for i in range(size):
        stages.past[k, i] = x[i]
        stages.past_pair[k, i] = pair[i]
    stages.products[k] = max(_product(loop, k), 1e-300)


@inlined
def _product(loop, j):
    """The product of an earlier correction with x, in units of the scales."""
    plan, stages, scale = loop.plan, loop.stages, loop.scales.coordinates
    total = 0.0
    for i in range(plan.size):
        unit = scale[i] if i < plan.n else loop.options.length
        earlier, now = stages.past_pair[j, i], stages.x_pair[i]
        both = earlier.real * now.real + earlier.imag * now.imag
        total += (stages.past[j, i] * stages.x[i] + both) / (unit * unit)
    return total


@called(None)
def _apply(loop, h):
    """Correct u and multipliers of the stages by x."""
    plan, stages, mass = loop.plan, loop.stages, loop.options.mass
    tau, tau_pair = h / REAL, h / PAIR
    for i in range(plan.n):
        x, pair = stages.x[i], stages.x_pair[i]
        for s in range(3):
            stages.u[s, i] += STAGES[s, 0] * x + STAGES[s, 1] * pair.real + STAGES[s, 2] * pair.imag
    for k in range(plan.m):
        x = stages.x[plan.n + k] * mass / (tau * tau)
        pair = stages.x_pair[plan.n + k] * mass / (tau_pair * tau_pair)
        for s in range(3):
            stages.lam[s, k] += STAGES[s, 0] * x + STAGES[s, 1] * pair.real + STAGES[s, 2] * pair.imag


@called(int)
def _renew(loop, h, t):
    """Make both matrices, of the second stage; CONVERGED, NO_SPACE or FAILED.

    The complex one is put together of three real ones, since all are linear in the weights of M, D, K and ∂ġ/∂q.
    """
    plan, scratch, stages, state, parts = loop.plan, loop.scratch, loop.stages, loop.state, loop.parts
    weights, mass, now = loop.work.weights, loop.options.mass, t + POINTS[1] * h
    spread(loop, h)
    put(loop, 1)
    q, v, a, lam = stages.q, stages.v, stages.acceleration, stages.lam[1]
    tau, tau_pair = h / REAL, h / PAIR
    for part in range(4):
        size = tau_pair * tau_pair
        weights[0] = weights[1] = weights[2] = weights[3] = 0.0
        if part == 0:
            weights[0], weights[1], weights[2], weights[3] = 1.0 / mass, tau / mass, tau * tau / mass, tau
        elif part == 1:
            weights[0], weights[1], weights[2], weights[3] = (
                1.0 / mass, tau_pair.real / mass, size.real / mass, tau_pair.real,
            )  # fmt: skip
        elif part == 2:
            weights[1], weights[2], weights[3] = tau_pair.imag / mass, size.imag / mass, tau_pair.imag
        values = loop.real.values if part == 0 else parts[part - 1]
        matrix(plan, scratch, now, q, v, a, lam, weights, values)
        if plan.friction > 0:
            add_friction_to_matrix(plan, scratch, now, q, v, a, lam, weights, 1.0, values)
    for i in range(parts.shape[1]):
        loop.pair.values[i] = complex(parts[0, i], parts[1, i] - parts[2, i])
    status = factorise(plan, loop.real)
    if status == OK:
        status = factorise(plan, loop.pair)
    loop.counts[at.FACTORISATIONS] += 1
    if status == NO_ROOM:
        return NO_SPACE
    if status != OK:
        state[at.CULPRIT] = NO_RANK
        state[at.H_MATRIX] = 1e300
        return FAILED
    state[at.H_MATRIX] = h
    state[at.FRESH] = 1.0
    return CONVERGED


@called(None)
def _measure_rounding(loop, h, t):
    """Note in `state` how large the corrections are that rounding errors of positions cause."""
    plan, stages, state = loop.plan, loop.stages, loop.state
    _errors(loop, h, t, False)
    before, before_pair = stages.x, stages.x_pair
    _right_hand_sides(loop, h)
    for i in range(plan.size):
        before[i], before_pair[i] = stages.b[i], stages.b_pair[i]
    _errors(loop, h, t, True)
    _right_hand_sides(loop, h)
    for i in range(plan.size):
        stages.b[i] -= before[i]
        stages.b_pair[i] -= before_pair[i]
    _solve(loop)
    state[at.FLOOR] = _size(loop)
    state[at.FLOOR_STEP] = h
    state[at.FLOOR_LEFT] = ROUNDING_STEPS


@inlined
def _rounding_known(state, h):
    return state[at.FLOOR_LEFT] > 0.0 and abs(h / state[at.FLOOR_STEP] - 1.0) < 0.5


@called(float)
def needed(loop, h):
    """How accurate u must be, in units of the scale of each coordinate. An error of u, divided by h, is one of the
    speeds, which goes on as long as the motion does."""
    scale, motion, n = loop.scales.coordinates, loop.motion, loop.plan.n
    tau, hardest = h / REAL, norm(loop.motion.a, scale, n)
    moved = h * max(norm(motion.v, scale, n), math.sqrt(hardest), loop.options.slowest)
    newton = loop.options.newton * min(max(FEW_STEPS * h * loop.options.slowest, LEAST_SHARE), 1.0)
    return max(min(newton * min(moved, 1.0), ACCELERATION_DIGITS * tau * tau * hardest), 1e-18)


@called(int)
def correct(loop, h, t):
    """Solve the equations of the stages; how that ended."""
    plan, state, stages = loop.plan, loop.state, loop.stages
    enough = needed(loop, h)
    state[at.FRESH] = 0.0
    state[at.FLOOR_LEFT] -= 1.0
    if abs(h / state[at.H_MATRIX] - 1.0) > SAME_STEP or state[at.RATE] > AGEING:
        made = _renew(loop, h, t)
        if made != CONVERGED:
            return made
    left = max(state[at.LEFT], 1e-16) ** 0.8
    first, last, moved, rate, measured = 0.0, 0.0, 0.0, 0.0, False
    for iteration in range(loop.options.iterations):
        _errors(loop, h, t, False)
        _right_hand_sides(loop, h)
        _solve(loop)
        if iteration > 0:
            _learn(loop, iteration - 1)
        size = _size(loop)
        loop.counts[at.ITERATIONS] += 1
        state[at.ITERATED] = iteration + 1.0
        moved += size
        if not moved < LARGEST_CORRECTION:
            break
        if iteration > 0:
            rate = size / last
            state[at.RATE] = (size / first) ** (1.0 / iteration)
            if iteration > 1 and rate > 0.3 and enough < size < LARGEST_ROUNDING:
                known = _rounding_known(state, h)
                if not known or (size > ROUNDING_FACTOR * state[at.FLOOR] and not measured):
                    _measure_rounding(loop, h, t)
                    measured = True
                    _errors(loop, h, t, False)
                    _right_hand_sides(loop, h)
                    _solve(loop)
                    size = _size(loop)
                if size <= ROUNDING_FACTOR * state[at.FLOOR]:
                    _apply(loop, h)
                    spread(loop, h)
                    state[at.RATE] = 0.0
                    if h > CUT * state[at.STEP]:  # few are cut short, and their errors across joints vanish
                        left = _largest_change(loop) / h * (loop.options.t_end - t)
                        state[at.ROUNDED] += left * left
                    return CONVERGED
            if rate >= (HOPELESS if iteration > 1 else HOPELESS_AT_FIRST):
                break
            left = rate / (1.0 - rate) if rate < HOPELESS else 1.0 / (1.0 - HOPELESS)
        else:  # what earlier steps left says nothing of a correction that is larger than theirs
            left = max(left, size)
        _apply(loop, h)
        if left * size <= enough or size <= 1e-17:
            spread(loop, h)
            state[at.LEFT] = left
            return CONVERGED
        last = size
        if iteration == 0:
            first = size
    state[at.CULPRIT] = worst(stages.x, loop.scales.coordinates, plan.n)
    stale = state[at.FRESH] == 0.0
    state[at.H_MATRIX] = 1e300
    return STALE if stale else FAILED
