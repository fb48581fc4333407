"""A step of generalized-α in absolute coordinates from its first guess to its acceptance, and the compiled loop."""

from __future__ import annotations

import math

from flexmb.kernels.charts import normalize
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.events.crossings import AGAIN, end_earlier, is_cut, judge, keep_end, step_over
from flexmb.solvers.generalized_alpha.alpha_error import carried_error, jump_of_forces, local_error
from flexmb.solvers.generalized_alpha.alpha_newton import CONVERGED, FAILED, NO_SPACE, correct, needed
from flexmb.solvers.generalized_alpha.alpha_pieces import (
    fill_kept,
    first_guess,
    forces_anew,
    joints_move,
    keep_speeds,
    note_change,
    remember,
)
from flexmb.solvers.generalized_alpha.alpha_state import FORCES, NO_RANK, UNEVEN_STEPS
from flexmb.solvers.generalized_alpha.alpha_steps import (
    NO_CHANGE,
    NO_CHANGE_RIGID,
    beside,
    mark_saved,
    next_step,
    propose,
)
from flexmb.solvers.generalized_alpha.near_singular import determined
from flexmb.solvers.march.clock import AT_START, AT_TOUCH
from flexmb.solvers.march.march_loop import march_of, next_stop
from flexmb.solvers.march.step_size import fastest_angle, rate
from flexmb.solvers.march.stops import (
    DIVERGED,
    OUT_OF_ROOM,
    ROWS_CONTRADICT,
    ROWS_FADE,
    RUNNING,
    TOO_FAST,
    behind_kink,
)
from flexmb.solvers.rows.index_one import norm, worst
from flexmb.solvers.rows.left_out import CONTRADICT, FADE, check_left_out
from flexmb.system.linear import NO_ROOM, OK

#: Values of `state.beside`, whether the next step passes a point of the grid of fixed steps at which it cannot end: not
#: tried, being tried, tried in vain.
NOT_YET, NOW, IN_VAIN = 0.0, 1.0, 2.0
#: The recursion of â starts again where the sizes of neighboring steps differ by more than this factor.
UNEVEN = 4.0
#: The error of a step that an event cuts to less than this part of its proposed size is not estimated: it is smaller
#: than allowed, and round-off would dominate the estimate.
SHORT = 0.1
#: Motion in the first step after a touch, in units of the model, as a part of the square root of the tolerance.
TOUCHED = 0.1


@called(None)
def _accept(loop, h, t):
    """Make the end of the step the present state. If the step was much shorter than the one before, the change of
    accelerations in it is mostly round-off, and the recursion starts again after it."""
    plan, state, motion, trial = loop.plan, loop.state, loop.motion, loop.trial
    sliver = UNEVEN * h < state.h_done
    if state.h_done == 0.0 and loop.crossings.side.shape[0] > 0:
        sliver = UNEVEN * h < state.step  # an event just after the start
    remember(loop)
    if not sliver:
        note_change(loop, h)
    for i in range(plan.total):
        motion.a_before[i] = motion.a_before[i] + trial.a[i] - motion.a[i] if sliver else motion.a[i]
        motion.v[i] = trial.v[i]
        motion.off[i] = trial.v[i] - trial.kept[i]
        motion.a[i] = trial.a[i]
        motion.alg[i] = trial.alg[i]
    for i in range(plan.nq):
        motion.q[i] = trial.q[i]
    if plan.orientations.shape[0] > 0:
        normalize(plan.orientations, motion.q)
    for k in range(plan.m):
        motion.lam_before[k] = motion.lam_before[k] + trial.lam[k] - motion.lam[k] if sliver else motion.lam[k]
        motion.lam[k] = trial.lam[k]
    if sliver:
        state.jump = UNEVEN_STEPS
        state.anew = AT_START
    else:
        state.h_slope = h
    state.time = t
    state.h_done = h
    state.plain = 0.0
    state.beside = NOT_YET
    state.fresh_only = max(state.fresh_only - 1.0, 0.0)


@called(bool)
def _reject(options, state, counts, h, on_grid, sloped):
    """Choose what to try after Newton's method failed: first a guess with constant acceleration, then a step past the
    point of the grid at which this one was to end, then a shorter step. Returns False if no shorter step is allowed."""
    counts.rejected += 1
    if sloped and state.beside != NOW:
        state.plain = 1.0
        return True
    if on_grid and state.beside == NOT_YET:
        state.beside = NOW
        state.plain = 0.0
        return True
    state.beside = IN_VAIN
    state.step = 0.5 * (min(h, options.step) if options.step > 0.0 else h)
    return state.step >= options.shortest


@called(int)
def _keep(loop, h, t, at_stop):
    """Accept a step if its error is small enough and nothing cuts it, and choose the next size; `at_stop`: it ends at a
    stop, and is not part of a divided step. Returns RUNNING or the status with which the segment ends."""
    plan, options, state, trial, watched = loop.plan, loop.options, loop.state, loop.trial, loop.crossings
    error = 0.0
    cut = watched.side.shape[0] > 0 and h < SHORT * state.step
    if options.step <= 0.0 and not cut:
        error = local_error(loop, h, t)
        if not error <= 1.0:
            loop.counts.rejected += 1
            if h <= options.shortest:
                state.culprit = worst(loop.work.x, loop.scales.coordinates, plan.n)
                return DIVERGED
            state.step = max(h * max(0.2, 0.9 * error**-0.5), options.shortest)
            return RUNNING
    keep_speeds(loop, h, t)
    if watched.side.shape[0] > 0:
        t0 = state.time
        small = watched.switches > 0 and options.step <= 0.0 and jump_of_forces(loop, h) <= 1.0
        if judge(watched, plan, loop.scratch, t0, t, trial.q, trial.kept, trial.a, trial.lam, small) == AGAIN:
            loop.counts.rejected += 1
            return RUNNING
    fades = False
    if loop.left_out.weights.shape[0] > 0:
        rows = loop.scales.rows
        off = norm(loop.work.g, rows, plan.m)
        found = check_left_out(
            loop.left_out, plan, loop.scratch, loop.linear, t, trial.q, trial.kept, loop.scales.coordinates, rows, off
        )
        if found == CONTRADICT:
            return ROWS_CONTRADICT
        fades = found == FADE
    if plan.friction > 0:
        status = joints_move(loop, t)
        if status == NO_ROOM:
            return OUT_OF_ROOM
        if status != OK:
            loop.counts.rejected += 1
            state.step = 0.5 * h
            state.culprit = NO_RANK
            return RUNNING if state.step >= options.shortest else DIVERGED
    if watched.side.shape[0] > 0 and is_cut(watched):
        status = determined(loop, t)
        if status != OK:
            loop.counts.rejected += 1
            if status == NO_ROOM:
                return OUT_OF_ROOM
            step_over(watched)
            return RUNNING
    if options.step > 0.0:
        state.carried += carried_error(loop, h, t)
    _accept(loop, h, t)
    no_change = NO_CHANGE_RIGID if options.rigid == 1 else NO_CHANGE
    propose(options, state, h, error, no_change, state.hidden > 0.0)
    loop.counts.steps += 1
    mark_saved(options, state, loop.counts, loop.counts, options.save_every, t, at_stop)
    if watched.side.shape[0] > 0:
        keep_end(watched, plan, trial.lam)
    jumps = watched.state.hop > 0.0 or behind_kink(loop.kinks, t, options.t_end) > t
    if jumps or watched.state.events > 0.0:  # always saved, whatever save_every: the states before and after
        state.unsaved = 1
    if fades:
        state.due = ROWS_FADE
    return RUNNING


@called(float)
def _step_behind_touch(loop):
    """Size of the first step after a touch, short enough to resolve the stiff forces of the contact. A longer step
    would treat their effect as vibration that is too fast to be followed."""
    speed = rate(loop.motion, loop.scales.coordinates, loop.plan.n)
    h = TOUCHED * math.sqrt(loop.options.tolerance)
    return max(loop.options.shortest, h / speed if speed * loop.options.longest > h else loop.options.longest)


@called(int)
def _step(loop):
    """Predict, correct, estimate the error, accept or reject; returns RUNNING in both cases, or the status with which
    the segment ends."""
    options, state = loop.options, loop.state
    t = state.time
    stop = next_stop(loop)
    if state.beside == NOW:
        stop = beside(options, stop, loop.sampling.controllers.shape[0] > 0)
        state.step = stop - t
    h, t1 = next_step(loop, stop)
    if h <= 0.0:
        state.culprit = fastest_angle(loop.motion, loop.scales)
        return TOO_FAST
    if h > UNEVEN * state.h_done > 0.0:
        state.h_done = h
        state.jump = UNEVEN_STEPS
        state.anew = AT_START
        return RUNNING
    sloped = first_guess(loop, h, t)
    ended = correct(loop, h, t1, needed(loop, h))
    if ended == CONVERGED:
        return _keep(loop, h, t1, t1 == stop)
    if ended == NO_SPACE:
        return OUT_OF_ROOM
    on_grid = options.step > 0.0 and t1 == stop
    if ended == FAILED and loop.crossings.side.shape[0] > 0 and is_cut(loop.crossings):
        loop.counts.rejected += 1
        if not end_earlier(loop.crossings, t):
            step_over(loop.crossings)  # the whole step was possible
        return RUNNING
    if ended == FAILED and not _reject(options, state, loop.counts, h, on_grid, sloped):
        return DIVERGED
    return RUNNING


@inlined
def _show(loop):
    """Write the reported speeds, which satisfy ġ = 0, into `motion.shown`."""
    fill_kept(loop, loop.motion.shown)


@called(int)
def _find_anew(loop, t):
    """Compute accelerations and joint forces from the equations of motion and start the recursion again; returns
    RUNNING, or why there are none."""
    state = loop.state
    state.jump = max(state.jump, FORCES)
    if state.anew == AT_TOUCH:
        state.step = min(state.step, _step_behind_touch(loop))
    status = forces_anew(loop, t)
    if status == NO_ROOM:
        return OUT_OF_ROOM
    if status != OK:
        state.culprit = NO_RANK
        return DIVERGED
    return RUNNING


advance = march_of(_find_anew, _step, _show)
