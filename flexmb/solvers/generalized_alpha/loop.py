"""The compiled loop: from stop to stop, a step at a time."""

from __future__ import annotations

from flexmb.kernels.compilation import allocation_free, called
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

#: whether to step over a point of the grid of steps: not tried, tried now, tried in vain
NOT_YET, NOW, IN_VAIN = 0.0, 1.0, 2.0
#: the recursion of â starts again where neighbouring steps differ by more than this factor
UNEVEN = 4.0
#: by which factor the error may shorten or lengthen a step, and up to which factor the step is left as it is, because
#: a new step needs a new matrix
LEAST_FACTOR, LARGEST_FACTOR, NO_CHANGE = 0.3, 1.5, 1.2


@called(int)
def _act(loop, t):
    """Let controllers act that are due; RUNNING, CONTROL_FAILED or RUNAWAY."""
    plan, scratch, sampling, motion = loop.plan, loop.scratch, loop.sampling, loop.motion
    kept = loop.work.aux
    for i in range(plan.total):
        kept[i] = motion.v[i] - motion.off[i]
    happened = control.run_controllers(plan, scratch, sampling, t, together(loop.options, t), motion.q, kept, motion.a)
    if happened == control.FAILED:
        return CONTROL_FAILED
    if sampling.failed[1] >= 0:
        energies(plan, scratch, t, motion.q, kept, motion.a, loop.work.weights, sampling.section)
        if sampling.section[0] > sampling.bounds[sampling.failed[1]]:
            return RUNAWAY
        sampling.failed[1] = -1
    if happened == control.COMMANDED:
        loop.state[JUMP] = max(loop.state[JUMP], FORCES)
        loop.state[ANEW] = 1.0
    return RUNNING


@called(None)
def _accept(loop, h, t):
    """Move to the end of the step. One that is much shorter than its neighbour says nothing of slopes, and its
    accelerations are rounded off: the recursion starts again behind it."""
    plan, state, motion, trial = loop.plan, loop.state, loop.motion, loop.trial
    sliver = UNEVEN * h < state[H_DONE]
    remember(loop)
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


@called(None)
def _propose(options, state, h, error):
    """The next step, by the error of this one and of the one before."""
    if options.step > 0.0:
        state[STEP] = min(2.0 * state[STEP], options.step)
        return
    error = max(error, 1e-6)
    factor = 0.9 * error ** (-0.7 / 3.0) * state[LAST_ERROR] ** (0.4 / 3.0)
    if factor >= 1.0 and h < 0.99 * state[STEP]:
        return  # this step ended early at a given time; its error does not speak against a longer one
    state[LAST_ERROR] = error
    factor = min(max(factor, LEAST_FACTOR), LARGEST_FACTOR)
    state[STEP] = min(h * (1.0 if 1.0 <= factor <= NO_CHANGE else factor), options.longest)


@called(None)
def _count(options, state, counts, t):
    """Count a step, and note whether its end is to be saved: each n-th step, of a fixed one each n-th of the grid."""
    counts[STEPS] += 1
    on_grid = count_grid(options, state, t)
    if on_grid or options.step <= 0.0 or options.save_every == 1:
        counts[SINCE_SAVE] += 1
    if counts[SINCE_SAVE] >= options.save_every or t >= options.t_end:
        counts[SINCE_SAVE] = 0
        state[UNSAVED] = 1.0


@called(None)
def _save(loop, saved, row):
    plan, motion = loop.plan, loop.motion
    saved.t[row] = loop.state[TIME]
    for i in range(plan.n):
        saved.q[row, i] = motion.q[i]
        saved.v[row, i] = motion.v[i] - motion.off[i]
        saved.a[row, i] = motion.a[i]
    for k in range(plan.m):
        saved.lam[row, k] = motion.lam[k]
    loop.state[UNSAVED] = 0.0


@called(bool)
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


@called(bool)
def _predict(loop, h, t):
    """The end of the step, if the motion goes on as it did; whether accelerations are taken to change."""
    state = loop.state
    if state[JUMP] > 0.0:
        start_again(loop, t, h)
    change_step(loop, h)
    sloped = predict(loop, h)
    if state[PREDICTOR] > 0.0 and state[PAST] >= 3.0 and state[PLAIN] == 0.0:
        extrapolate(loop, h)
    return sloped


@called(int)
def _keep(loop, h, t):
    """Keep a step if its error is small enough, and choose the next one; RUNNING or DIVERGED."""
    plan, options, state = loop.plan, loop.options, loop.state
    error = 0.0
    if options.step <= 0.0:
        error = local_error(loop, h, t)
        if not error <= 1.0:
            loop.counts[REJECTED] += 1
            if h <= options.shortest:
                state[CULPRIT] = worst(loop.work.x, loop.scales.coordinates, plan.n)
                return DIVERGED
            state[STEP] = max(h * max(0.2, 0.9 * error ** (-1.0 / 3.0)), options.shortest)
            return RUNNING
    keep_speeds(loop, h, t)
    _accept(loop, h, t)
    _propose(options, state, h, error)
    _count(options, state, loop.counts, t)
    return RUNNING


@called(int)
def _step(loop, controlled):
    """Predict, correct, estimate the error, keep; RUNNING, whether or not the step was kept, or why none can be."""
    options, state = loop.options, loop.state
    t = state[TIME]
    stop = next_stop(loop)
    if state[BESIDE] == NOW:
        stop = beside(options, stop, controlled)
        state[STEP] = stop - t
    h, t1 = next_step(loop, stop)
    if h <= 0.0:
        state[CULPRIT] = fastest_coordinate(loop.motion, loop.scales)
        return TOO_FAST
    if h > UNEVEN * state[H_DONE] > 0.0:
        state[H_DONE] = h
        state[JUMP] = UNEVEN_STEPS
        state[ANEW] = 1.0
        return RUNNING
    sloped = _predict(loop, h, t)
    ended = correct(loop, h, t1, needed(loop, h), loop.plan.dense == 1 or controlled)
    if ended == CONVERGED:
        return _keep(loop, h, t1)
    if ended == NO_SPACE:
        return OUT_OF_ROOM
    on_grid = options.step > 0.0 and t1 == stop
    if ended == FAILED and not _reject(options, state, loop.counts, h, on_grid, sloped):
        return DIVERGED
    return RUNNING


@allocation_free
def advance(loop, saved):
    """Step until t_end, or until the rows of `saved`, one a saved step, are filled; (status, rows).

    Steps end at the instants of sampled controllers; where their commands change the forces, the accelerations, which
    jump, and the joint forces are found anew.
    """
    state = loop.state
    controlled = loop.sampling.controllers.shape[0] > 0
    rows = 0
    while True:
        if state[ANEW] > 0.0:
            status = forces_anew(loop, state[TIME])
            if status == NO_ROOM:
                return OUT_OF_ROOM, rows
            if status != OK:
                state[CULPRIT] = NO_RANK
                return DIVERGED, rows
            state[ANEW] = 0.0
        if state[UNSAVED] > 0.0:
            if rows == saved.t.shape[0]:
                return RUNNING, rows
            _save(loop, saved, rows)
            rows += 1
        if state[TIME] >= loop.options.t_end:
            return DONE, rows
        status = _act(loop, state[TIME]) if controlled else RUNNING
        if status == RUNNING and state[ANEW] == 0.0:
            status = _step(loop, controlled)
        if status != RUNNING:
            return status, rows
