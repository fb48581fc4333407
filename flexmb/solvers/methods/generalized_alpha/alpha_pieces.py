"""Parts of a step besides its corrector and its error: predictors, projection of speeds onto ġ = 0, restart of the
recursion."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.charts import add_turning, retract, turn
from flexmb.kernels.charts import extrapolate as extrapolate_turns
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.views import matrix_view, vector_view
from flexmb.solvers.methods.generalized_alpha.alpha_state import STANDING_MEMORY, UNEVEN_STEPS
from flexmb.solvers.methods.generalized_alpha.near_singular import note_sigma
from flexmb.solvers.rows.index_one import jumped_accelerations, move_onto, norm
from flexmb.solvers.statuses import OK
from flexmb.system.accelerations import accelerations
from flexmb.system.evaluation import constraints, jacobian_times, matrix
from flexmb.system.linear import factorize

#: The predictor uses first or second differences of the accelerations, whichever were more accurate; after this many
#: steps the others are tried again.
TRY_AGAIN = 16.0
#: Two step sizes are equal if they differ by less than this part.
SAME_STEP = 1e-9
#: Accuracy of the projection of speeds onto ġ = 0: the part KEPT of their error before, and the part KEPT or KEPT_OLD
#: of Newton's accuracy, with the step's own matrix and with an earlier one, which reduces errors more slowly. Large
#: systems, whose steps are less accurate than that, use KEPT for both.
KEPT, KEPT_OLD = 1e-3, 1e-6


@called(None)
def first_guess(loop, h, t):
    """First guess of the end of the step."""
    state = loop.state
    if state.jump > 0.0:
        start_again(loop, t, h)
    change_step(loop, h)
    predict(loop, h)
    if state.predictor > 0.0 and state.past >= 3.0 and state.plain == 0.0:
        extrapolate(loop, h)


@called(None)
def change_step(loop, h):
    """Convert the variables of the recursion to a step of another size."""
    state, motion, total = loop.state, loop.motion, loop.plan.total
    ratio = h / state.h_last
    if abs(ratio - 1.0) <= SAME_STEP:
        return
    for i in range(total):
        motion.alg[i] = motion.a[i] + ratio * (motion.alg[i] - motion.a[i])
        motion.v[i] += (ratio * ratio - 1.0) * motion.off[i]
        motion.off[i] *= ratio * ratio
    state.h_last = h


@inlined
def changes(state):
    """Whether accelerations are predicted to change in a step."""
    return state.h_slope > 0.0 and state.plain == 0.0


@called(None)
def predict(loop, h):
    """First guess of the end of the step from accelerations and multipliers. They change as in the last step, also by
    second differences where these were more accurate, or remain constant if that failed."""
    plan, scheme, state, motion, trial = loop.plan, loop.scheme, loop.state, loop.motion, loop.trial
    slope = h / state.h_slope if changes(state) else 0.0
    bend = h * (h + state.h_slope) if slope > 0.0 and state.foresight > 0.0 else 0.0
    am, af, beta, gamma = scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma
    for i in range(plan.total):
        a, alg = motion.a[i], motion.alg[i]
        a1 = a + slope * (a - motion.a_before[i]) + bend * motion.a_curve[i]
        alg1 = ((1.0 - af) * a1 + af * a - am * alg) / (1.0 - am)
        trial.a[i] = a1
        trial.alg[i] = alg1
        trial.v[i] = motion.v[i] + h * ((1.0 - gamma) * alg + gamma * alg1)
    for i in range(plan.n):
        trial.y[i] = h * motion.v[i] + h * h * ((0.5 - beta) * motion.alg[i] + beta * trial.alg[i])
        trial.q[i] = motion.q[i] + trial.y[i]
    if plan.orientations.shape[0] > 0:
        turn(plan.orientations, motion.q, trial.y, trial.q)
    for k in range(plan.m):
        trial.lam[k] = motion.lam[k] + slope * (motion.lam[k] - motion.lam_before[k]) + bend * motion.lam_curve[k]


@called(None)
def note_change(loop, h):
    """Record the second divided differences of a and λ over this step and the one before, and choose the differences
    for the next prediction: those with the smaller error so far, with a trial of the others now and then."""
    plan, state, motion, trial = loop.plan, loop.state, loop.motion, loop.trial
    last = state.h_slope
    if not last > 0.0:
        return
    for i in range(plan.total):
        slope = (trial.a[i] - motion.a[i]) / h
        motion.a_curve[i] = (slope - (motion.a[i] - motion.a_before[i]) / last) / (h + last)
    for k in range(plan.m):
        slope = (trial.lam[k] - motion.lam[k]) / h
        motion.lam_curve[k] = (slope - (motion.lam[k] - motion.lam_before[k]) / last) / (h + last)
    state.curves += 1.0
    state.untried -= 1.0
    better = 1.0 if state.second_off < state.first_off else 0.0
    if state.untried <= 0.0:
        state.untried = TRY_AGAIN
        better = 1.0 - better
    enough = state.first_off <= loop.options.newton  # second differences would only add noise
    state.foresight = 0.0 if enough or state.curves < 2.0 else better


@inlined
def note_foresight(state, off):
    """Record the error of the prediction: the size of the first correction."""
    if state.plain == 0.0 and state.predictor == 0.0:
        if state.foresight == 0.0:
            state.first_off = off if state.first_off == 0.0 else 0.5 * (state.first_off + off)
        else:
            state.second_off = off if state.second_off == 0.0 else 0.5 * (state.second_off + off)


@called(None)
def extrapolate(loop, h):
    """First guess of the end of the step: the cubic through the last four positions, extrapolated.

    In fine meshes and stiff members, accelerations contain round-off or high-frequency oscillation that positions do
    not show. Over a step these displace neighboring nodes by more than the strain between them, and the prediction
    would contain large forces that the motion does not have.
    """
    scheme, state, motion, trial = loop.scheme, loop.state, loop.motion, loop.trial
    t0 = state.time
    t1 = t0 + h
    w = (
        _weight(t1, state.past_1, t0, state.past_2, state.past_3),
        _weight(t1, state.past_2, t0, state.past_1, state.past_3),
        _weight(t1, state.past_3, t0, state.past_1, state.past_2),
    )
    am, af, beta, gamma = scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma
    orientations, n, past, y = loop.plan.orientations, loop.plan.n, motion.past, trial.y
    for i in range(n):
        q0 = motion.q[i]
        # The weights add up to one. Differences are summed, so that large coordinates lose no digits.
        y[i] = w[0] * (past[0, i] - q0) + w[1] * (past[1, i] - q0) + w[2] * (past[2, i] - q0)
        trial.q[i] = q0 + y[i]
    if orientations.shape[0] > 0:
        extrapolate_turns(orientations, past, motion.q, w, y)
        turn(orientations, motion.q, y, trial.q)
    for i in range(n):
        alg = motion.alg[i]
        alg1 = ((y[i] / h - motion.v[i]) / h - (0.5 - beta) * alg) / beta
        trial.alg[i] = alg1
        trial.v[i] = motion.v[i] + h * ((1.0 - gamma) * alg + gamma * alg1)
        trial.a[i] = ((1.0 - am) * alg1 + am * alg - af * motion.a[i]) / (1.0 - af)


@inlined
def _weight(t, own, first, second, third):
    """Lagrange weight at time t of the time `own` among four."""
    return (t - first) * (t - second) * (t - third) / ((own - first) * (own - second) * (own - third))


@inlined
def remember(loop):
    """Record the present position and time, before the mechanism moves on, for the extrapolation."""
    state, motion = loop.state, loop.motion
    for i in range(loop.plan.nq):
        motion.past[2, i] = motion.past[1, i]
        motion.past[1, i] = motion.past[0, i]
        motion.past[0, i] = motion.q[i]
    state.past_3 = state.past_2
    state.past_2 = state.past_1
    state.past_1 = state.time
    state.past += 1.0


@called(None)
def keep_speeds(loop, h, t):
    """Fill trial.kept with the speeds at the end of the step, projected onto ġ = 0."""
    plan, state, trial, scales, work = loop.plan, loop.state, loop.trial, loop.scales, loop.work
    kept, fresh = trial.kept, state.fresh > 0.0
    for i in range(plan.total):
        kept[i] = trial.v[i]
    if plan.m == 0:
        return
    first = size = 0.0
    for sweep in range(3 if fresh else 8):
        constraints(plan, loop.scratch, t, trial.q, kept, trial.a, work.weights, work.g, work.gd, work.gamma)
        size = norm(work.gd, scales.rows, plan.m)
        if sweep == 0:
            first = size
            state.drift = max(state.drift, norm(work.g, scales.rows, plan.m))
        # The recursion uses `off`, the small difference of the two speeds, which must itself be accurate.
        enough = (KEPT if fresh or loop.options.careful == 0 else KEPT_OLD) * loop.options.newton
        if size == 0.0 or (sweep > 0 and size < KEPT * first and size * h < enough):
            break
        move_onto(plan, loop.linear, work.gd, work.x, trial.maps, kept)
        state.wasted += 0.5 if sweep > 0 else 0.0
    state.velocity_drift = max(state.velocity_drift, size)


@inlined
def fill_kept(loop, v):
    """Fill v (total,) with the speeds of the present state that satisfy ġ = 0: those of the recursion less `off`."""
    for i in range(loop.plan.total):
        v[i] = loop.motion.v[i] - loop.motion.off[i]


@called(None)
def _constraint_jerk(loop, t, h, jerk):
    """jerk (m,) = G ȧ from kinematics alone: G ȧ = dγ/dt − (dG/dt) a, by finite differences ahead along the motion.

    The change of a over a step would give it as well, but with the errors of λ in that step, which would be passed on.
    """
    plan, scratch, motion, trial, work = loop.plan, loop.scratch, loop.motion, loop.trial, loop.work
    a, v = motion.a, trial.kept
    for k in range(plan.m):
        jerk[k] = 0.0
    e = 0.1 * h
    for part in range(1, 3):
        ahead = part * e
        for i in range(plan.total):
            trial.v[i] = v[i] + ahead * a[i]
        for i in range(plan.n):
            trial.y[i] = ahead * v[i] + 0.5 * ahead * ahead * a[i]
        retract(plan.orientations, plan.n, motion.q, trial.y, trial.q)
        constraints(plan, scratch, t + ahead, trial.q, trial.v, a, work.weights, work.g, work.gd, work.gamma)
        jacobian_times(plan, scratch, t + ahead, trial.q, trial.v, a, work.weights, a, work.g)
        weight = 2.0 / e if part == 1 else -0.5 / e
        for k in range(plan.m):
            jerk[k] += weight * (work.gamma[k] - work.g[k])


@called(int)
def forces_anew(loop, t):
    """Compute a and λ of the present state from the equations of motion; `a_before` and `lam_before` change by the same
    amounts, so that slopes remain. Returns the status of the factorization."""
    plan, motion, trial, memory = loop.plan, loop.motion, loop.trial, loop.memory[STANDING_MEMORY]
    total, m = plan.total, plan.m
    fill_kept(loop, trial.kept)
    for i in range(total):
        trial.a[i] = motion.a[i]
    for k in range(m):
        trial.lam[k] = motion.lam[k]
    if loop.options.own_standing == 0:
        memory[:] = np.inf
        loop.state.h_matrix = 1e300
    status = jumped_accelerations(
        plan, loop.scratch, loop.standing, loop.options.mass, t, motion.q, trial.kept, motion.a, motion.lam,
        loop.scales.coordinates, loop.work, memory,
    )  # fmt: skip
    if plan.friction > 0 and status == OK:  # speeds are projected without friction
        state_now = (motion.q, trial.kept, motion.a, motion.lam)
        matrix(plan, loop.scratch, t, *state_now, loop.work.weights, loop.standing.values)
        status = factorize(plan, loop.standing)
    for i in range(total):
        motion.a_before[i] += motion.a[i] - trial.a[i]
    for k in range(m):
        motion.lam_before[k] += motion.lam[k] - trial.lam[k]
    if status == OK:
        note_sigma(loop)
    return status


@called(int)
def joints_move(loop, t):
    """Check that joint friction determines the accelerations at the end of the step, and that no joint jams: returns
    OK, or the status of :func:`~flexmb.system.accelerations.accelerations`. The factors of the step are overwritten."""
    plan, trial, work = loop.plan, loop.trial, loop.work
    a, lam = vector_view(work.aux, 0, plan.total), vector_view(work.r2, 0, plan.m)
    for i in range(plan.total):
        a[i] = 0.0
    for k in range(plan.m):
        lam[k] = trial.lam[k]
    loop.state.h_matrix = 1e300
    return accelerations(
        plan, loop.scratch, loop.linear, loop.options.mass, t, trial.q, trial.kept, a, lam, work, 0.0, 0.0
    )


@called(None)
def start_again(loop, t, h):
    """Start the recursion again for a step h: compute â anew, and where steps are uneven also the recursion's speeds.

    Accelerations are assumed to continue changing at the rate ȧ of the last regular step: â = a + (αm − αf) h ȧ. The
    recursion's speeds get the error C h² G ȧ in their constraints, less h²/12 G (ω × α) for orientations; without it λ
    would have to compensate the error C h³ ȧ − h³/12 ω × α of the next position. Velocity rows do not constrain
    positions, and the speeds satisfy them.
    """
    plan, scratch, standing, scheme = loop.plan, loop.scratch, loop.standing, loop.scheme
    state, motion, trial, work = loop.state, loop.motion, loop.trial, loop.work
    work.weights[3] = 0.0  # only G is needed, not ∂(A v + b)/∂q
    per_step = 1.0 / state.h_slope if state.h_slope > 0.0 else 0.0
    change, kept = work.aux, trial.kept
    for i in range(plan.total):
        change[i] = per_step * (motion.a[i] - motion.a_before[i])
    if state.jump == UNEVEN_STEPS and plan.m > 0:
        fill_kept(loop, kept)
        jerk = trial.lam
        _constraint_jerk(loop, t, h, jerk)
        jacobian_times(plan, scratch, t, motion.q, kept, motion.a, work.weights, change, work.g)
        for k in range(plan.m):
            work.g[k] -= jerk[k]
        no_maps = matrix_view(scratch.out, 0, 0, 9)
        move_onto(plan, standing, work.g, work.x, no_maps, change)
        # The correction of speeds is the smallest in the norm of the mass matrix, so that free motion does not change.
        constraints(plan, scratch, t, motion.q, motion.v, motion.a, work.weights, work.g, work.gd, work.gamma)
        turning = work.r2
        for i in range(plan.total):
            turning[i] = 0.0
        add_turning(plan.orientations, h * h, motion.a, kept, turning)
        jacobian_times(plan, scratch, t, motion.q, kept, motion.a, work.weights, turning, work.g)
        for k in range(plan.m):
            if plan.at_speed[k] < 0:
                work.gd[k] += scheme.error * h * h * jerk[k] - work.g[k]
        move_onto(plan, standing, work.gd, work.x, no_maps, motion.v)
        for i in range(plan.n):
            motion.off[i] = motion.v[i] - kept[i]
        state.h_last = h
    for i in range(plan.total):
        motion.alg[i] = motion.a[i] + (scheme.alpha_m - scheme.alpha_f) * state.h_last * change[i]
    state.past = state.foresight = state.curves = 0.0
    state.jump = 0.0
