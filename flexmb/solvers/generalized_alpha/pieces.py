"""Pieces of a step besides its corrector: predict, estimate the error, put speeds on their constraints, start again.

The error of a step, d = C h² (a₁ − a₀) with C = β − (αf − αm)/2 − 1/6, is filtered with the Newton matrix: the dynamic
rows take M d, the constraint rows G d. Stiff vibrations that the method is meant to damp are thereby left out; slow
motions pass unchanged, and so do those that constraints and drives prescribe.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.generalized_alpha.state import (
    DRIFT,
    FRESH,
    H_LAST,
    H_MATRIX,
    H_SLOPE,
    JUMP,
    PAST,
    PAST_TIME,
    PLAIN,
    STANDING_MEMORY,
    TIME,
    UNEVEN_STEPS,
    VELOCITY_DRIFT,
)
from flexmb.solvers.index_one import jumped_accelerations, norm
from flexmb.system.evaluation import constraints, jacobian_times, residual
from flexmb.system.linear import solve

#: steps whose difference is less than this part of them are equal
SAME_STEP = 1e-9
#: How accurately speeds meet their constraints: as a part of their error before, and as parts of Newton's accuracy with
#: the step's own matrix and with an earlier one, whose next sweep leaves more.
KEPT, KEPT_FRESH, KEPT_OLD = 1e-3, 1e-3, 1e-6


@called(None)
def change_step(loop, h):
    """Carry the recursion over to a step of another size."""
    state, motion, total = loop.state, loop.motion, loop.plan.total
    ratio = h / state[H_LAST]
    if abs(ratio - 1.0) <= SAME_STEP:
        return
    for i in range(total):
        motion.alg[i] = motion.a[i] + ratio * (motion.alg[i] - motion.a[i])
        motion.v[i] += (ratio * ratio - 1.0) * motion.off[i]
        motion.off[i] *= ratio * ratio
    state[H_LAST] = h


@called(bool)
def predict(loop, h):
    """The end of the step: acceleration and multipliers change as over the last step, unless that failed; whether they
    do."""
    plan, scheme, state, motion, trial = loop.plan, loop.scheme, loop.state, loop.motion, loop.trial
    slope = h / state[H_SLOPE] if state[H_SLOPE] > 0.0 and state[PLAIN] == 0.0 else 0.0
    am, af, beta, gamma = scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma
    for i in range(plan.total):
        a, alg = motion.a[i], motion.alg[i]
        a1 = a + slope * (a - motion.a_before[i])
        alg1 = ((1.0 - af) * a1 + af * a - am * alg) / (1.0 - am)
        trial.a[i] = a1
        trial.alg[i] = alg1
        trial.q[i] = motion.q[i] + h * motion.v[i] + h * h * ((0.5 - beta) * alg + beta * alg1)
        trial.v[i] = motion.v[i] + h * ((1.0 - gamma) * alg + gamma * alg1)
    for k in range(plan.m):
        trial.lam[k] = motion.lam[k] + slope * (motion.lam[k] - motion.lam_before[k])
    return slope > 0.0


@called(None)
def extrapolate(loop, h):
    """The end of the step on the cubic through the last four positions.

    Accelerations of fine meshes and stiff members are rounded off, or ring, by amounts that positions do not show: over
    a step they displace neighbours by more than the strain between them, which makes forces that no step had.
    """
    scheme, state, motion, trial = loop.scheme, loop.state, loop.motion, loop.trial
    t0 = state[TIME]
    t1 = t0 + h
    w = (
        0.0,
        _weight(t1, state[PAST_TIME], t0, state[PAST_TIME + 1], state[PAST_TIME + 2]),
        _weight(t1, state[PAST_TIME + 1], t0, state[PAST_TIME], state[PAST_TIME + 2]),
        _weight(t1, state[PAST_TIME + 2], t0, state[PAST_TIME], state[PAST_TIME + 1]),
    )
    am, af, beta, gamma = scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma
    for i in range(loop.plan.total):
        q0, alg = motion.q[i], motion.alg[i]
        # The weights add up to one. Differences are summed, so that large coordinates lose no digits.
        moved = w[1] * (motion.past[0, i] - q0) + w[2] * (motion.past[1, i] - q0) + w[3] * (motion.past[2, i] - q0)
        alg1 = ((moved / h - motion.v[i]) / h - (0.5 - beta) * alg) / beta
        trial.q[i] = q0 + moved
        trial.alg[i] = alg1
        trial.v[i] = motion.v[i] + h * ((1.0 - gamma) * alg + gamma * alg1)
        trial.a[i] = ((1.0 - am) * alg1 + am * alg - af * motion.a[i]) / (1.0 - af)


@inlined
def _weight(t, own, first, second, third):
    """Lagrange's weight of a time among four, at t."""
    return (t - first) * (t - second) * (t - third) / ((own - first) * (own - second) * (own - third))


@inlined
def remember(loop):
    """Note where the mechanism is before it moves on."""
    state, motion = loop.state, loop.motion
    for i in range(loop.plan.total):
        motion.past[2, i] = motion.past[1, i]
        motion.past[1, i] = motion.past[0, i]
        motion.past[0, i] = motion.q[i]
    state[PAST_TIME + 2] = state[PAST_TIME + 1]
    state[PAST_TIME + 1] = state[PAST_TIME]
    state[PAST_TIME] = state[TIME]
    state[PAST] += 1.0


@called(float)
def local_error(loop, h, t):
    """Estimated error of the step as a part of the tolerance; the entries stay in work.x."""
    plan, scratch, scheme, options = loop.plan, loop.scratch, loop.scheme, loop.options
    motion, trial, work = loop.motion, loop.trial, loop.work
    n, m = plan.n, plan.m
    r, r2, x, aux = work.r, work.r2, work.x, work.aux
    residual(plan, scratch, t, trial.q, trial.v, trial.a, work.weights, r)
    for i in range(plan.total):
        aux[i] = 2.0 * trial.a[i] - motion.a[i]
    residual(plan, scratch, t, trial.q, trial.v, aux, work.weights, r2)
    for i in range(n):
        x[i] = scheme.on_a / options.mass * scheme.error * h * h * (r2[i] - r[i])
    if m > 0:
        for i in range(plan.total):
            aux[i] = scheme.error * h * h * (trial.a[i] - motion.a[i])
        jacobian_times(plan, scratch, t, trial.q, trial.v, trial.a, work.weights, aux, work.g)
        for k in range(m):
            x[n + k] = work.g[k]
    solve(plan, loop.linear, x)
    return norm(x, loop.scales.coordinates, n) / options.tolerance


@called(None)
def keep_speeds(loop, h, t):
    """trial.kept = the speeds, on their constraints."""
    plan, state, trial, scales, work = loop.plan, loop.state, loop.trial, loop.scales, loop.work
    n, m, fresh = plan.n, plan.m, state[FRESH] > 0.0
    kept, x, gd = trial.kept, work.x, work.gd
    for i in range(plan.total):
        kept[i] = trial.v[i]
    if m == 0:
        return
    first = size = 0.0
    for sweep in range(3 if fresh else 8):
        constraints(plan, loop.scratch, t, trial.q, kept, trial.a, work.weights, work.g, gd, work.gamma)
        size = 0.0
        for k in range(m):
            size = max(size, abs(gd[k]) / scales.rows[k])
        if sweep == 0:
            first = size
            for k in range(m):
                state[DRIFT] = max(state[DRIFT], abs(work.g[k]) / scales.rows[k])
        # The recursion uses the difference itself, however small it is.
        enough = (KEPT_FRESH if fresh else KEPT_OLD) * loop.options.newton
        if size == 0.0 or (sweep > 0 and size < KEPT * first and size * h < enough):
            break
        for i in range(n):
            x[i] = 0.0
        for k in range(m):
            x[n + k] = -gd[k]
        solve(plan, loop.linear, x)
        for i in range(n):
            kept[i] += x[i]
    state[VELOCITY_DRIFT] = max(state[VELOCITY_DRIFT], size)


@called(None)
def _constraint_jerk(loop, t, h, jerk):
    """jerk (m,) = G ȧ by kinematics alone: G ȧ = dγ/dt − (dG/dt) a, by differences ahead, along the coming motion.

    The change of a over a step would tell it too, but with the errors that λ has in that step, which would come back.
    """
    plan, scratch, motion, trial, work = loop.plan, loop.scratch, loop.motion, loop.trial, loop.work
    a, v = motion.a, trial.kept
    for k in range(plan.m):
        jerk[k] = 0.0
    e = 0.1 * h
    for part in range(1, 3):
        ahead = part * e
        for i in range(plan.total):
            trial.q[i] = motion.q[i] + ahead * v[i] + 0.5 * ahead * ahead * a[i]
            trial.v[i] = v[i] + ahead * a[i]
        constraints(plan, scratch, t + ahead, trial.q, trial.v, a, work.weights, work.g, work.gd, work.gamma)
        jacobian_times(plan, scratch, t + ahead, trial.q, trial.v, a, work.weights, a, work.g)
        weight = 2.0 / e if part == 1 else -0.5 / e
        for k in range(plan.m):
            jerk[k] += weight * (work.gamma[k] - work.g[k])


@called(int)
def forces_anew(loop, t):
    """a and λ of the present state from the equations; `a_before` and `lam_before` jump along. The status of the
    factorisation."""
    plan, motion, trial, memory = loop.plan, loop.motion, loop.trial, loop.memory[STANDING_MEMORY]
    total, m = plan.total, plan.m
    for i in range(total):
        trial.kept[i] = motion.v[i] - motion.off[i]
        trial.a[i] = motion.a[i]
    for k in range(m):
        trial.lam[k] = motion.lam[k]
    if loop.options.own_standing == 0:
        memory[:] = np.inf
        loop.state[H_MATRIX] = 1e300
    status = jumped_accelerations(
        plan, loop.scratch, loop.standing, loop.options.mass, t, motion.q, trial.kept, motion.a, motion.lam,
        loop.scales.coordinates, loop.work, memory,
    )  # fmt: skip
    for i in range(total):
        motion.a_before[i] += motion.a[i] - trial.a[i]
    for k in range(m):
        motion.lam_before[k] += motion.lam[k] - trial.lam[k]
    return status


@called(None)
def start_again(loop, t, h):
    """Start the recursion for a step h, where forces have jumped; behind a step that was much shorter than its
    neighbour, or before one that is to be much longer, with other speeds too.

    The motion is taken to go on changing as in the last regular step, with a rate ȧ: â lies (αm − αf) h along the
    change. The recursion's speeds are off their constraints by C h² G ȧ, so that the error of the next position,
    C h³ ȧ, does not have to be made up for by λ.
    """
    plan, scratch, standing, scheme = loop.plan, loop.scratch, loop.standing, loop.scheme
    state, motion, trial, work = loop.state, loop.motion, loop.trial, loop.work
    n, m = plan.n, plan.m
    per_step = 1.0 / state[H_SLOPE] if state[H_SLOPE] > 0.0 else 0.0
    change, x, kept = work.aux, work.x, trial.kept
    for i in range(plan.total):
        change[i] = per_step * (motion.a[i] - motion.a_before[i])
    if state[JUMP] == UNEVEN_STEPS and m > 0:
        for i in range(plan.total):
            kept[i] = motion.v[i] - motion.off[i]
        jerk = trial.lam
        _constraint_jerk(loop, t, h, jerk)
        jacobian_times(plan, scratch, t, motion.q, kept, motion.a, work.weights, change, work.g)
        for i in range(n):
            x[i] = 0.0
        for k in range(m):
            x[n + k] = jerk[k] - work.g[k]
        solve(plan, standing, x)
        for i in range(n):
            change[i] += x[i]
        # The correction of speeds is the smallest in the norm of the mass matrix, so that free motions do not change.
        constraints(plan, scratch, t, motion.q, motion.v, motion.a, work.weights, work.g, work.gd, work.gamma)
        for i in range(n):
            x[i] = 0.0
        for k in range(m):
            x[n + k] = -work.gd[k] - scheme.error * h * h * jerk[k]
        solve(plan, standing, x)
        for i in range(n):
            motion.v[i] += x[i]
            motion.off[i] = motion.v[i] - kept[i]
        state[H_LAST] = h
    for i in range(plan.total):
        motion.alg[i] = motion.a[i] + (scheme.alpha_m - scheme.alpha_f) * state[H_LAST] * change[i]
    state[PAST] = 0.0
    state[JUMP] = 0.0
