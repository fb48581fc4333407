"""The corrector: Newton's method for the end of a step.

The unknowns are Δq and λ; the dynamic rows are multiplied by βh²/m₀ and the multipliers divided by it, so that
the matrix does not degrade as h → 0; see Bottasso, Bauchau and Cardona (2007):

    [S  Gᵀ] [Δq]     [βh²/m₀ r]
    [G  0 ] [Δλ'] = − [   g    ],     S = (b M + γh D + βh² K)/m₀,   b = (1 − αm)/(1 − αf)

**When has it converged?** Corrections are measured twice: by their largest entry in units of its scale, and by their
power √(xᵀ S x), the work of the residual on them. What remains after a correction follows from how fast corrections
shrink, by the slower of the two. The largest entry alone deceives where stiffness is high: it is that of a soft
direction; what a correction leaves lies in a stiff one, is small, and comes back multiplied by the stiffness. In the
second norm an iteration with a symmetric matrix is a symmetric operator, whose errors do not come back.

A matrix is kept from step to step for as long as iterations with it converge fast. In small systems, and in those with
controllers, they go on until what they leave is far below what Newton's method may leave; in large ones, until the
correction itself is. What one iteration with the step's own matrix leaves is known from earlier steps, measured now and
then, and when it is far below too, the second is not made.

**What rounding leaves.** Stiff forces round off: a coordinate has an error ε |q|, its force K ε |q|, and no correction
becomes smaller than what that moves. When corrections stop shrinking, the residual is evaluated once more with all
coordinates off by a unit in their last place. If the correction for the difference is as large as those that were made,
the state is as good as it can be; if it is not, the iteration has failed.
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.kernels.compilation import bare, inlined
from flexmb.solvers.generalized_alpha.pieces import extrapolate, predict
from flexmb.solvers.generalized_alpha.state import (
    CULPRIT,
    FACTORISATIONS,
    FLOOR,
    FLOOR_LEFT,
    FLOOR_POWER,
    FLOOR_STEP,
    FRESH_ONLY,
    H_MATRIX,
    ITERATIONS,
    NEWTON_MEMORY,
    NO_RANK,
    PAST,
    PLAIN,
    PREDICTOR,
)
from flexmb.solvers.index_one import TRUSTED, foreseen, measured, norm, worst
from flexmb.system.evaluation import add_constraint_forces, constraints, matrix, residual
from flexmb.system.linear import NO_ROOM, OK, factorise, solve

#: how Newton's method ended; STALE: it failed with the matrix of an earlier step, the step's own is to be tried;
#: NO_SPACE: the factors need more room
CONVERGED, FAILED, STALE, NO_SPACE = range(4)

#: the matrix of an earlier step (of a small system, or of one with controllers) is made anew for the next one when an
#: iteration with it gains less than the first; when it gains less than the second, the step begins again with its own
AGEING, WORTHLESS = 0.05, 0.3
#: error left by iterations with such a matrix, and error that is foreseen after a single iteration with the step's own,
#: as parts of what Newton's method may leave: saving time must not cost accuracy
LEFT, FORESEEN = 1e-6, 1e-6
#: rounding errors that are not looked for: no correction need be smaller
ROUNDING = 2e-14
#: corrections of a step that sum up to more than this part of the model's length, or of a radian, lead elsewhere: the
#: equations of a step have other solutions, with an angle a turn further
LARGEST_CORRECTION = 0.5
#: a matrix is not relied upon beyond one correction where residual forces would move the mass of the model by more than
#: this part of its length in a step: their geometric stiffness, which vanishes with them, is as large as inertia
FAR = 1e-2
#: after an earlier matrix was found worthless, each of so many steps makes its own
FRESH_STEPS = 16
#: an error of Δq is one of the acceleration, divided by βh²: so many digits of it are asked for
ACCELERATION_DIGITS = 1e-4
#: corrections that do not shrink are due to rounding when they are smaller than so many times what rounding was
#: measured to move; a measurement serves for so many steps of about the same size
ROUNDING_FACTOR, ROUNDING_STEPS = 4.0, 200.0
#: corrections larger than this are never due to rounding
LARGEST_ROUNDING = 1e-4


@inlined
def needed(options, scheme, h, motion, scales, n):
    """How accurate Δq must be, in units of the scale of each coordinate."""
    if options.newton_exact == 1:
        return options.newton
    wanted = ACCELERATION_DIGITS * scheme.beta * h * h * norm(motion.a, scales.coordinates, n)
    return min(options.newton, wanted)


@inlined
def _right_hand_side(plan, scratch, t, trial, scaling, work, r):
    """b = −(βh²/m₀ r, g) at the trial state; r (total,) takes the residual with the constraint forces."""
    residual(plan, scratch, t, trial.q, trial.v, trial.a, work.weights, r)
    if plan.m > 0:
        add_constraint_forces(plan, scratch, t, trial.q, trial.v, trial.a, trial.lam, work.weights, r)
        constraints(plan, scratch, t, trial.q, trial.v, trial.a, work.weights, work.g, work.gd, work.gamma)
    for i in range(plan.n):
        work.b[i] = -scaling * r[i]
    for k in range(plan.m):
        work.b[plan.n + k] = -work.g[k]


@inlined
def _power(plan, options, x, b):
    """√|xᵀ S x| in units of the model's length, from the solution and the right-hand side."""
    total = 0.0
    for i in range(plan.n):
        total += x[i] * b[i]
    for k in range(plan.n, plan.size):
        total -= x[k] * b[k]
    return math.sqrt(abs(total)) / options.length


@inlined
def _apply(plan, scheme, h, scaling, trial, x):
    """Correct the trial state by x = (Δq, Δλ')."""
    on_v, on_alg = scheme.gamma / (scheme.beta * h), 1.0 / (scheme.beta * h * h)
    for i in range(plan.n):
        dq = x[i]
        trial.q[i] += dq
        trial.v[i] += on_v * dq
        trial.alg[i] += on_alg * dq
        trial.a[i] += scheme.on_a * on_alg * dq
    for k in range(plan.m):
        trial.lam[k] += x[plan.n + k] / scaling


@inlined
def _last_place(i):
    """−1, 0 or 1, a fixed pattern that looks like chance."""
    z = np.uint64(i + 1) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return float((z >> np.uint64(40)) % np.uint64(3)) - 1.0


@bare
def _measure_rounding(plan, scratch, linear, options, h, scaling, t, trial, scales, work, state):
    """Note in `state` how large corrections are that rounding errors of the coordinates make."""
    n = plan.n
    _right_hand_side(plan, scratch, t, trial, scaling, work, work.r)
    for i in range(plan.size):
        work.x[i] = work.b[i]
    for i in range(n):
        work.aux[i] = trial.q[i]
        trial.q[i] *= 1.0 + 2.3e-16 * _last_place(i)
    _right_hand_side(plan, scratch, t, trial, scaling, work, work.r)
    for i in range(n):
        trial.q[i] = work.aux[i]
    for i in range(plan.size):
        work.b[i] -= work.x[i]
        work.x[i] = work.b[i]
    solve(plan, linear, work.x)
    state[FLOOR] = norm(work.x, scales.coordinates, n)
    state[FLOOR_POWER] = _power(plan, options, work.x, work.b)
    state[FLOOR_STEP] = h
    state[FLOOR_LEFT] = ROUNDING_STEPS


@inlined
def _rounding_known(state, h):
    return state[FLOOR_LEFT] > 0.0 and abs(h / state[FLOOR_STEP] - 1.0) < 0.5


@inlined
def _other_start(plan, scratch, scheme, h, scaling, t, motion, trial, scales, work, state):
    """Begin with the other predictor if its residual is smaller, then and in the next steps; whether it is still far
    from balance."""
    first = norm(work.b, scales.coordinates, plan.n)
    second = np.inf
    for _ in range(2):
        if state[PREDICTOR] == 0.0:
            extrapolate(scheme, state, motion, trial, h, plan.total)
        else:
            predict(scheme, state, motion, trial, h, plan.total, plan.m)
        _right_hand_side(plan, scratch, t, trial, scaling, work, work.r)
        state[PREDICTOR] = 1.0 - state[PREDICTOR]
        second = norm(work.b, scales.coordinates, plan.n)
        if second <= first:
            break
    return second > FAR


@inlined
def correct(
    plan, scratch, linear, scheme, options, h, t, newton, motion, trial, scales, work, state, counts, memory, careful
):
    """Correct the trial state until it is accurate to `newton`; how that ended, and whether the matrix is its own.

    `careful`: where a matrix would otherwise be made anew at each step, one of an earlier step must not cost accuracy.
    """
    n = plan.n
    scaling = scheme.beta * h * h / options.mass
    weights = work.weights
    weights[0] = scheme.on_a / options.mass
    weights[1] = scheme.gamma * h / options.mass
    weights[2] = scaling
    refresh = abs(h / state[H_MATRIX] - 1.0) > 0.05 or state[FRESH_ONLY] > 0.0
    fresh = renewed = measured_here = False
    state[FLOOR_LEFT] -= 1.0
    last = last_power = moved = 0.0
    since = 0
    for iteration in range(options.iterations):
        _right_hand_side(plan, scratch, t, trial, scaling, work, work.r)
        far = (refresh or iteration == 0) and norm(work.b, scales.coordinates, n) > FAR
        if far and iteration == 0 and state[PAST] >= 3.0 and state[PLAIN] == 0.0:
            far = _other_start(plan, scratch, scheme, h, scaling, t, motion, trial, scales, work, state)
        if refresh:
            matrix(plan, scratch, t, trial.q, trial.v, trial.a, trial.lam, weights, linear.values)
            status = factorise(plan, linear)
            if status == NO_ROOM:
                return NO_SPACE, fresh
            counts[FACTORISATIONS] += 1
            renewed = True
            if status != OK:
                state[CULPRIT] = NO_RANK
                state[H_MATRIX] = 1e300
                return FAILED, fresh
            state[H_MATRIX] = h
            fresh = True
            refresh = False
            since = 0
        for i in range(plan.size):
            work.x[i] = work.b[i]
        solve(plan, linear, work.x)
        size = norm(work.x, scales.coordinates, n)
        power = _power(plan, options, work.x, work.b)
        counts[ITERATIONS] += 1
        since += 1
        moved += size
        if not moved < LARGEST_CORRECTION:
            break
        _apply(plan, scheme, h, scaling, trial, work.x)
        if fresh and since == 1 and far:
            refresh, fresh = True, False
            continue
        if size <= 1e-14 and power <= 1e-14:
            return CONVERGED, fresh
        error = max(size, power)
        floor = max(state[FLOOR], state[FLOOR_POWER]) if _rounding_known(state, h) else 0.0
        if since > 1:
            rate = size / last
            if power > 1e-15:
                rate = max(rate, power / last_power)
            if since == 2 and fresh:
                measured(memory[NEWTON_MEMORY], rate, max(last, last_power))
            # the second iteration tells of the largest part of the error only, not of the one that lasts
            remaining = error if since == 2 and not fresh else error * rate / (1.0 - rate)
            enough = newton
            if careful and not fresh:
                enough = max(LEFT * newton, min(ROUNDING, newton))
            enough = max(enough, floor)
            if rate < 1.0 and remaining < enough:
                if careful and not fresh and rate > AGEING and error > max(floor, ROUNDING):
                    state[H_MATRIX] = 1e300
                return CONVERGED, fresh
            if rate > WORTHLESS:
                if error < LARGEST_ROUNDING:
                    if not (measured_here or _rounding_known(state, h)):
                        _measure_rounding(plan, scratch, linear, options, h, scaling, t, trial, scales, work, state)
                        measured_here = True
                    if size <= ROUNDING_FACTOR * state[FLOOR] and power <= ROUNDING_FACTOR * state[FLOOR_POWER]:
                        return CONVERGED, fresh
                if rate > 0.95 and fresh and iteration >= 3:
                    break
                if not fresh and (careful or rate > 1.0):
                    state[FRESH_ONLY] = FRESH_STEPS if careful else 0.0
                    break
                refresh = True
                fresh = False
        elif fresh and error < 1e-3 * newton:
            return CONVERGED, fresh
        elif fresh and foreseen(memory[NEWTON_MEMORY], error) < max(FORESEEN * newton, floor):
            memory[NEWTON_MEMORY, TRUSTED] += 1.0
            return CONVERGED, fresh
        last, last_power = size, power
    state[CULPRIT] = worst(work.x, scales.coordinates, n)
    state[H_MATRIX] = 1e300
    return (FAILED if renewed else STALE), fresh
