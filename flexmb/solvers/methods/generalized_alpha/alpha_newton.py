"""The corrector: Newton's method for the end of a step.

The unknowns are Δq and λ; the dynamic rows are multiplied by βh²/m₀ and the multipliers divided by it, so that the
matrix does not degrade as h → 0; see Bottasso, Bauchau and Cardona (2007):

    [S  Gᵀ] [Δq]     [βh²/m₀ r]
    [G  0 ] [Δλ'] = − [   g    ],     S = (b M + γh D + βh² K)/m₀,   b = (1 − αm)/(1 − αf)

with Gᵀ + ∂F/∂λ in place of Gᵀ where friction F follows from the joints' own forces (:mod:`flexmb.system.friction`).

An orientation is the one at the start of the step, rotated by the vector y, whose entries are unknowns like other
coordinates (Brüls and Cardona (2010)); ω₁ changes by T(y) Δy, so that the columns of G for y are multiplied by T(y). A
velocity row A v + b = 0 holds for the speeds of the recursion, which change by γ/(βh) Δq. Divided by that factor it is
(A + βh/γ ∂(A v + b)/∂q T) Δq = −βh/γ (A v + b).

**When has it converged?** Corrections are measured twice: by their largest entry in units of its scale, and by their
power √(xᵀ S x), the work of the residual on them. The remaining error is estimated from the ratio of successive
corrections, in the slower of the two norms. The largest entry alone is misleading where stiffness is high: it belongs
to a soft direction, while the remaining error is small, lies in a stiff direction, and returns multiplied by the
stiffness in the next correction. In the second norm the iteration with a symmetric matrix is a symmetric operator, for
which this cannot happen. So the verdict on a correction is this file's own: that of
:mod:`flexmb.solvers.march.newton`, which all other methods share, has one norm and one ratio.

A matrix is kept from step to step for as long as iterations with it converge fast. In small systems, and in those with
controllers, iterations continue until their error is far below the error allowed. In large ones they end as soon as it
is allowed, and a new matrix is made once the old one has cost as many iterations as making one does. The error after
one iteration with the step's own matrix is predicted from earlier steps, in which it is measured now and then; if it is
far below the error allowed, no second iteration is made.
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.kernels.charts import rate_maps, turn
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.march.newton import ACCELERATION_DIGITS, HOPELESS, LARGEST_ROUNDING, rounding_known
from flexmb.solvers.methods.generalized_alpha.alpha_equations import (
    power_of_correction,
    right_hand_side,
    weight_of_forces,
    weight_of_rates,
)
from flexmb.solvers.methods.generalized_alpha.alpha_pieces import extrapolate, note_foresight, predict
from flexmb.solvers.methods.generalized_alpha.alpha_rounding import is_rounding, measure_rounding
from flexmb.solvers.methods.generalized_alpha.alpha_state import NEWTON_MEMORY, NO_RANK
from flexmb.solvers.rows.index_one import RATE, TRUSTED, foreseen, measured, norm, worst
from flexmb.solvers.statuses import FAILED, GO_ON, NO_ROOM, OK, STALE
from flexmb.system.evaluation import step_matrix
from flexmb.system.friction import add_friction_to_matrix
from flexmb.system.linear import factorize, solve

#: A small system, and one with controllers, uses the matrix of an earlier step. If a correction is more than AGEING
#: times the one before, the next step makes its own matrix; if more than USELESS times, this step begins again with its
#: own.
AGEING, USELESS = 0.05, 0.3
#: Allowed error of Newton's method after iterations with the matrix of an earlier step, and predicted error after a
#: single iteration with the step's own, both as parts of `options.newton`: saving time must not cost accuracy. The
#: predicted error in large systems without controllers is LEFT_LARGE.
LEFT, LEFT_LARGE = 1e-6, 1e-3
#: A large system makes a new matrix once the old one has cost about as many additional iterations as making one does.
MATRIX_PRICE = 6.0
#: Where joints and drives determine the motion of a body, its Δq is exact after one correction, and the error of an old
#: matrix appears only in the multipliers. These need not converge further than to this part of the largest one.
MULTIPLIERS = 1e-8
#: Corrections need not be smaller than this.
ROUNDING = 2e-14
#: The equations of a step have further solutions, with an angle one turn on. Corrections lead to one of these if their
#: sum exceeds this part of the model's length, or of a radian.
LARGEST_CORRECTION = 0.5
#: Residual forces add a geometric stiffness that vanishes with them. Where they would move the mass of the model by
#: more than this part of its length in a step, it is as large as the inertia, and a matrix is used for one correction
#: only.
FAR = 1e-2
#: After the matrix of an earlier step was useless, each of the next FRESH_STEPS steps makes its own; twice as many each
#: time the next trial of an old one fails too, up to MOST_FRESH_STEPS.
FRESH_STEPS, MOST_FRESH_STEPS = 16.0, 256.0
#: A small system makes a new matrix if it would take more than PATIENCE further iterations with the old one, and if the
#: ratio of successive corrections with a new one is less than HELPS times that with the old one.
PATIENCE, HELPS = 4.0, 0.2
#: In fixed steps Newton's method may leave the part STEP_DIGITS of the error C h² (a₁ − a₀) of the method, at most
#: LOOSEST, since the error of the method in vibration says nothing of slow motion.
STEP_DIGITS, LOOSEST = 1e-3, 1e-7


@called(float)
def needed(loop, h):
    """Required accuracy of Δq, in units of the scale of each coordinate."""
    options, motion, scale, n = loop.options, loop.motion, loop.scales.coordinates, loop.plan.n
    if options.newton_exact == 1:
        return options.newton
    newton, last = options.newton, loop.state.h_slope
    if options.step > 0.0 and last > 0.0:
        change = 0.0
        for i in range(n):
            change = max(change, abs(motion.a[i] - motion.a_before[i]) / scale[i])
        newton = max(newton, min(LOOSEST, STEP_DIGITS * loop.scheme.error * h * h * h / last * change))
    return min(newton, ACCELERATION_DIGITS * loop.scheme.beta * h * h * norm(motion.a, scale, n))


@called(None)
def _apply(loop, h):
    """Correct the trial state by x = (Δq, Δλ')."""
    plan, scheme, trial, x = loop.plan, loop.scheme, loop.trial, loop.work.x
    on_v, on_alg = scheme.gamma / (scheme.beta * h), 1.0 / (scheme.beta * h * h)
    scaling = weight_of_forces(loop, h)
    for i in range(plan.n):
        dq = x[i]
        trial.y[i] += dq
        trial.q[i] += dq
        trial.v[i] += on_v * dq
        trial.alg[i] += on_alg * dq
        trial.a[i] += scheme.on_a * on_alg * dq
    if plan.orientations.shape[0] > 0:
        turn(plan.orientations, loop.motion.q, trial.y, trial.q)
    for k in range(plan.m):
        trial.lam[k] += x[plan.n + k] / scaling


@called(bool)
def _other_start(loop, h, t):
    """Change to the other predictor, for this step and the following ones, if its residual is smaller; returns whether
    the state is still far from balance."""
    state, b, scale, n = loop.state, loop.work.b, loop.scales.coordinates, loop.plan.n
    first = norm(b, scale, n)
    second = np.inf
    for _ in range(2):
        if state.predictor == 0.0:
            extrapolate(loop, h)
        else:
            predict(loop, h)
        right_hand_side(loop, h, t)
        state.predictor = 1.0 - state.predictor
        second = norm(b, scale, n)
        if second <= first:
            break
    return second > FAR


@inlined
def _begin(loop, h):
    """Prepare the iterations: the weights of M, D, K in the matrix, and whether a new matrix is to be made at once."""
    state, scheme, options, weights = loop.state, loop.scheme, loop.options, loop.work.weights
    weights[0] = scheme.on_a / options.mass
    weights[1] = scheme.gamma * h / options.mass
    weights[2] = weight_of_forces(loop, h)
    weights[3] = weight_of_rates(loop, h)
    state.refresh = 1.0 if abs(h / state.h_matrix - 1.0) > 0.05 or state.fresh_only > 0.0 else 0.0
    if options.careful == 0 and state.wasted >= MATRIX_PRICE:
        state.refresh = 1.0
    state.since = state.moved = state.last = state.last_power = 0.0
    state.fresh = state.renewed = state.measured = 0.0
    state.floor_left -= 1.0


@called(int)
def _renew(loop, h, t):
    """Evaluate and factorize the matrix at the trial state; returns GO_ON, NO_ROOM or FAILED."""
    plan, state, trial, values = loop.plan, loop.state, loop.trial, loop.linear.values
    if plan.orientations.shape[0] > 0:
        rate_maps(plan.orientations, trial.y, trial.maps)
    state_now = (trial.q, trial.v, trial.a, trial.lam)
    step_matrix(plan, loop.scratch, t, *state_now, loop.work.weights, trial.maps, values)
    if plan.friction > 0:
        add_friction_to_matrix(plan, loop.scratch, t, *state_now, loop.work.weights, 1.0, values)
    status = factorize(plan, loop.linear)
    if status == NO_ROOM:
        return NO_ROOM
    loop.counts.factorizations += 1
    state.renewed = 1.0
    if status != OK:
        state.culprit = NO_RANK
        state.h_matrix = 1e300
        return FAILED
    state.h_matrix = h
    state.fresh = 1.0
    state.refresh = state.since = state.wasted = 0.0
    return GO_ON


@called(float)
def _multipliers_moved(loop):
    """Largest correction Δλ' of the multipliers in the last iteration."""
    plan, x = loop.plan, loop.work.x
    moved = 0.0
    for k in range(plan.n, plan.size):
        moved = max(moved, abs(x[k]))
    return moved


@called(bool)
def _multipliers_off(loop, h, size, moved, before):
    """Whether a matrix of an earlier step fails for the multipliers: their last two corrections, `before` and `moved`,
    do not shrink as those of Δq do, and are not small in comparison with the largest multiplier."""
    plan, trial = loop.plan, loop.trial
    if loop.state.fresh > 0.0 or (moved <= USELESS * before and size > ROUNDING):
        return False
    largest = 0.0
    for k in range(plan.m):
        largest = max(largest, abs(trial.lam[k]))
    return moved > max(MULTIPLIERS * weight_of_forces(loop, h) * largest, ROUNDING * loop.options.length)


@called(int)
def _judge(loop, h, t, newton, careful, iteration, size, power):
    """Decide whether a correction of this size and power was the last one; returns OK, FAILED or GO_ON."""
    state, memory = loop.state, loop.memory[NEWTON_MEMORY]
    if size <= 1e-14 and power <= 1e-14:
        return OK
    fresh = state.fresh > 0.0
    error = max(size, power)
    floor = max(state.floor, state.floor_power) if rounding_known(state, h) else 0.0
    if state.since <= 1.0:
        if fresh and error < 1e-3 * newton:
            return OK
        foreseeable = LEFT if loop.options.careful == 1 else LEFT_LARGE
        if fresh and foreseen(memory, error) < max(foreseeable * min(newton, loop.options.newton), floor):
            memory[TRUSTED] += 1.0
            return OK
        return GO_ON
    rate = size / state.last
    if power > 1e-15:
        rate = max(rate, power / state.last_power)
    if state.since == 2.0 and fresh:
        measured(memory, rate, max(state.last, state.last_power))
    # The second iteration reduces the largest part of the error, which need not be the part that decays most slowly.
    remaining = error if state.since == 2.0 and not fresh else error * rate / (1.0 - rate)
    enough = newton
    if careful and not fresh:
        enough = max(LEFT * min(newton, loop.options.newton), min(ROUNDING, newton))
    if rate < 1.0 and remaining < max(enough, floor):
        if careful and not fresh and rate > AGEING and error > max(floor, ROUNDING):
            state.h_matrix = 1e300
        return OK
    if rate > USELESS:
        return _doubt(loop, h, t, careful, iteration, size, power, rate)
    helps = memory[RATE] < HELPS * rate or memory[RATE] == math.inf
    if careful and not fresh and helps and math.log(remaining / max(enough, floor)) > -PATIENCE * math.log(rate):
        _no_old_matrices(state)
        state.refresh = 1.0
    return GO_ON


@inlined
def _no_old_matrices(state):
    """After the matrix of an earlier step was useless: make a new one in each of the next steps."""
    state.fresh_only = state.fresh_span
    state.fresh_span = min(2.0 * state.fresh_span, MOST_FRESH_STEPS)


@called(int)
def _doubt(loop, h, t, careful, iteration, size, power, rate):
    """Decide how to continue where corrections hardly shrink; returns OK, FAILED, or GO_ON with a new matrix."""
    state = loop.state
    fresh = state.fresh > 0.0
    if max(size, power) < LARGEST_ROUNDING:
        if rounding_known(state, h) and is_rounding(state, size, power):
            return OK
        if state.measured == 0.0:  # anew, since near a singular position it may have grown
            measure_rounding(loop, h, t)
            state.measured = 1.0
        if is_rounding(state, size, power):
            return OK
    if rate > HOPELESS and fresh and iteration >= 3:
        return FAILED
    if not fresh and (careful or rate > 1.0):
        if careful:
            _no_old_matrices(state)
        return FAILED
    state.refresh = 1.0
    state.fresh = 0.0
    return GO_ON


@called(int)
def correct(loop, h, t, newton):
    """Correct the trial state until it is accurate to `newton`; returns OK, FAILED, STALE or NO_ROOM.
    `state.fresh` is then 1 if the matrix belongs to this step."""
    careful = loop.options.careful == 1
    plan, state, work, scale = loop.plan, loop.state, loop.work, loop.scales.coordinates
    _begin(loop, h)
    before = 0.0
    for iteration in range(loop.options.iterations):
        right_hand_side(loop, h, t)
        far = (state.refresh > 0.0 or iteration == 0) and norm(work.b, scale, plan.n) > FAR
        if far and iteration == 0 and state.past >= 3.0 and state.plain == 0.0:
            far = _other_start(loop, h, t)
        if state.refresh > 0.0:
            made = _renew(loop, h, t)
            if made != GO_ON:
                return made
        for i in range(plan.size):
            work.x[i] = work.b[i]
        solve(plan, loop.linear, work.x)
        size, power = norm(work.x, scale, plan.n), power_of_correction(loop)
        loop.counts.iterations += 1
        state.since += 1.0
        state.moved += size
        if not state.moved < LARGEST_CORRECTION:
            break
        if iteration == 0:
            note_foresight(state, max(size, power))
        _apply(loop, h)
        if state.fresh > 0.0 and state.since == 1.0 and far:
            state.refresh, state.fresh = 1.0, 0.0
            continue
        moved = _multipliers_moved(loop)
        ended = _judge(loop, h, t, newton, careful, iteration, size, power)
        if ended == OK:
            if not _multipliers_off(loop, h, size, moved, before):
                state.wasted += iteration
                if state.renewed == 0.0:
                    state.fresh_span = FRESH_STEPS
                return OK
            state.refresh = 1.0
        before = moved
        if ended == FAILED:
            break
        state.last, state.last_power = size, power
    state.culprit = worst(work.x, scale, plan.n)
    state.h_matrix = 1e300
    return FAILED if state.renewed > 0.0 else STALE
