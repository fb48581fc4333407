"""The compiled loop: from stop to stop, a step at a time."""

from __future__ import annotations

from flexmb.kernels.compilation import bare, inlined
from flexmb.solvers.generalized_alpha.newton import CONVERGED, FAILED, NO_SPACE, correct, needed
from flexmb.solvers.generalized_alpha.pieces import (
    change_step,
    extrapolate,
    forces_anew,
    keep_speeds,
    local_error,
    predict,
    remember,
    start_again,
)
from flexmb.solvers.generalized_alpha.state import (
    ANEW,
    BESIDE,
    CONTROL_FAILED,
    CULPRIT,
    DIVERGED,
    DONE,
    FORCES,
    FRESH_ONLY,
    H_DONE,
    H_SLOPE,
    JUMP,
    LAST_ERROR,
    NO_RANK,
    OUT_OF_ROOM,
    PAST,
    PLAIN,
    PREDICTOR,
    REJECTED,
    RUNAWAY,
    RUNNING,
    SINCE_SAVE,
    STEP,
    STEPS,
    TIME,
    TOO_FAST,
    UNEVEN_STEPS,
    UNSAVED,
)
from flexmb.solvers.generalized_alpha.times import (
    beside,
    count_grid,
    fastest_coordinate,
    next_step,
    next_stop,
    together,
)
from flexmb.solvers.index_one import worst
from flexmb.system import sampling as control
from flexmb.system.evaluation import energies
from flexmb.system.linear import NO_ROOM, OK

#: stepping over a point of the grid
NOT_YET, NOW, IN_VAIN = 0.0, 1.0, 2.0
#: the recursion starts again where steps differ by more than this factor
UNEVEN = 4.0
#: bounds of how a step changes by its error, and the largest change that is not worth a new matrix
LEAST_FACTOR, LARGEST_FACTOR, NO_CHANGE = 0.3, 1.5, 1.2


@inlined
def _act(plan, scratch, sampling, options, t, motion, work, state):
    """Let controllers act that are due; RUNNING, CONTROL_FAILED or RUNAWAY."""
    kept = work.aux
    for i in range(plan.total):
        kept[i] = motion.v[i] - motion.off[i]
    happened = control.act(plan, scratch, sampling, t, together(options, t), motion.q, kept, motion.a)
    if happened == control.FAILED:
        return CONTROL_FAILED
    if sampling.failed[1] >= 0:
        energies(plan, scratch, t, motion.q, kept, motion.a, work.weights, sampling.section)
        if sampling.section[0] > sampling.bounds[sampling.failed[1]]:
            return RUNAWAY
        sampling.failed[1] = -1
    if happened == control.COMMANDED:
        state[JUMP] = max(state[JUMP], FORCES)
        state[ANEW] = 1.0
    return RUNNING


@inlined
def _accept(plan, options, state, motion, trial, h, t):
    """Move to the end of the step. One that is much shorter than its neighbour says nothing of slopes, and its
    accelerations are rounded off: the recursion starts again behind it."""
    sliver = UNEVEN * h < state[H_DONE]
    remember(state, motion, plan.total)
    for i in range(plan.total):
        motion.a_before[i] = motion.a_before[i] + trial.a[i] - motion.a[i] if sliver else motion.a[i]
        motion.q[i] = trial.q[i]
        motion.v[i] = trial.v[i]
        motion.off[i] = trial.v[i] - trial.kept[i]
        motion.a[i] = trial.a[i]
        motion.alg[i] = trial.alg[i]
    for k in range(plan.m):
        motion.lam_before[k] = motion.lam_before[k] + trial.lam[k] - motion.lam[k] if sliver else motion.lam[k]
        motion.lam[k] = trial.lam[k]
    if sliver:
        state[JUMP] = UNEVEN_STEPS
        state[ANEW] = 1.0
    else:
        state[H_SLOPE] = h
    state[TIME] = t
    state[H_DONE] = h
    state[PLAIN] = 0.0
    state[BESIDE] = NOT_YET
    state[FRESH_ONLY] = max(state[FRESH_ONLY] - 1.0, 0.0)


@inlined
def _propose(options, state, h, error):
    """The next step, by the error of this one and of the one before."""
    if options.step > 0.0:
        state[STEP] = min(2.0 * state[STEP], options.step)
        return
    error = max(error, 1e-6)
    factor = 0.9 * error ** (-0.7 / 3.0) * state[LAST_ERROR] ** (0.4 / 3.0)
    if factor >= 1.0 and h < 0.99 * state[STEP]:
        return  # a step that was cut short says nothing against a longer one
    state[LAST_ERROR] = error
    factor = min(max(factor, LEAST_FACTOR), LARGEST_FACTOR)
    state[STEP] = min(h * (1.0 if 1.0 <= factor <= NO_CHANGE else factor), options.longest)


@inlined
def _count(options, state, counts, t):
    """Count a step, and note whether its end is to be saved: each n-th step, of a fixed one each n-th of the grid."""
    counts[STEPS] += 1
    on_grid = count_grid(options, state, t)
    if on_grid or options.step <= 0.0 or options.save_every == 1:
        counts[SINCE_SAVE] += 1
    if counts[SINCE_SAVE] >= options.save_every or t >= options.t_end:
        counts[SINCE_SAVE] = 0
        state[UNSAVED] = 1.0


@inlined
def _save(plan, motion, t, saved, row):
    T, Q, V, A, L = saved
    T[row] = t
    for i in range(plan.n):
        Q[row, i] = motion.q[i]
        V[row, i] = motion.v[i] - motion.off[i]
        A[row, i] = motion.a[i]
    for k in range(plan.m):
        L[row, k] = motion.lam[k]


@inlined
def _reject(options, state, counts, h, on_grid, sloped):
    """Try again after Newton's method failed: from the acceleration as it is, then over the point of the grid where the
    step was to end, then with a shorter step; whether there is one."""
    counts[REJECTED] += 1
    if sloped and state[BESIDE] != NOW:
        state[PLAIN] = 1.0
        return True
    if on_grid and state[BESIDE] == NOT_YET:
        state[BESIDE] = NOW
        state[PLAIN] = 0.0
        return True
    state[BESIDE] = IN_VAIN
    state[STEP] = 0.5 * (min(h, options.step) if options.step > 0.0 else h)
    return state[STEP] >= options.shortest


@bare
def advance(
    plan, scratch, linear, standing, sampling, scheme, options, state, counts, motion, trial, scales, work, memory,
    saved,
):  # fmt: skip
    """Step until t_end, or until the rows of `saved` (T, Q, V, A, L), one a saved step, are filled; (status, rows).

    Steps end at the instants of sampled controllers; where their commands change the forces, the accelerations, which
    jump, and the joint forces are found anew.
    """
    n, total = plan.n, plan.total
    controlled = sampling.controllers.shape[0] > 0
    careful = plan.dense == 1 or controlled
    rows = 0
    while True:
        t = state[TIME]
        if state[ANEW] > 0.0:
            status = forces_anew(
                plan, scratch, standing, options, t, motion, trial, scales, work, state, memory
            )  # fmt: skip
            if status == NO_ROOM:
                return OUT_OF_ROOM, rows
            if status != OK:
                state[CULPRIT] = NO_RANK
                return DIVERGED, rows
            state[ANEW] = 0.0
        if state[UNSAVED] > 0.0:
            if rows == saved[0].shape[0]:
                return RUNNING, rows
            _save(plan, motion, t, saved, rows)
            rows += 1
            state[UNSAVED] = 0.0
        if t >= options.t_end:
            return DONE, rows
        if controlled:
            status = _act(plan, scratch, sampling, options, t, motion, work, state)
            if status != RUNNING:
                return status, rows
            if state[ANEW] > 0.0:
                continue
        stop = next_stop(options, state, sampling)
        if state[BESIDE] == NOW:
            stop = beside(options, state, stop, controlled)
            state[STEP] = stop - t
        h, t1 = next_step(options, state, motion, scales, stop, n)
        if h <= 0.0:
            state[CULPRIT] = fastest_coordinate(motion, scales, n)
            return TOO_FAST, rows
        if h > UNEVEN * state[H_DONE] > 0.0:
            state[H_DONE] = h
            state[JUMP] = UNEVEN_STEPS
            state[ANEW] = 1.0
            continue
        if state[JUMP] > 0.0:
            start_again(plan, scratch, standing, scheme, t, h, motion, trial, work, state)
        change_step(state, motion, h, total)
        sloped = predict(scheme, state, motion, trial, h, total, plan.m)
        if state[PREDICTOR] > 0.0 and state[PAST] >= 3.0 and state[PLAIN] == 0.0:
            extrapolate(scheme, state, motion, trial, h, total)
        newton = needed(options, scheme, h, motion, scales, n)
        ended, fresh = correct(
            plan, scratch, linear, scheme, options, h, t1, newton, motion, trial, scales, work, state, counts, memory,
            careful,
        )  # fmt: skip
        if ended == NO_SPACE:
            return OUT_OF_ROOM, rows
        if ended != CONVERGED:
            on_grid = options.step > 0.0 and t1 == stop
            if ended == FAILED and not _reject(options, state, counts, h, on_grid, sloped):
                return DIVERGED, rows
            continue
        error = 0.0
        if options.step <= 0.0:
            error = local_error(plan, scratch, linear, scheme, options, h, t1, motion, trial, scales, work)
            if not error <= 1.0:
                counts[REJECTED] += 1
                if h <= options.shortest:
                    state[CULPRIT] = worst(work.x, scales.coordinates, n)
                    return DIVERGED, rows
                state[STEP] = max(h * max(0.2, 0.9 * error ** (-1.0 / 3.0)), options.shortest)
                continue
        keep_speeds(plan, scratch, linear, options, h, t1, trial, scales, work, state, fresh)
        _accept(plan, options, state, motion, trial, h, t1)
        _propose(options, state, h, error)
        _count(options, state, counts, t1)
