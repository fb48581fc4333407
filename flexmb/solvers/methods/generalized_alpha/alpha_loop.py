"""Generalized-α in absolute coordinates: the parts of a step besides its corrector, and the compiled loop."""

from __future__ import annotations

import math
from typing import Any

from flexmb.kernels.charts import normalize
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.events.crossings import is_cut, step_over
from flexmb.solvers.march.clock import AT_START, AT_TOUCH
from flexmb.solvers.march.in_lanes import in_lanes
from flexmb.solvers.march.step_size import NO_CHANGE, rate
from flexmb.solvers.methods.generalized_alpha.alpha_error import carried_error, local_error, resolves
from flexmb.solvers.methods.generalized_alpha.alpha_newton import correct, needed
from flexmb.solvers.methods.generalized_alpha.alpha_pieces import (
    changes,
    fill_kept,
    first_guess,
    forces_anew,
    joints_move,
    keep_speeds,
    note_change,
    remember,
)
from flexmb.solvers.methods.generalized_alpha.alpha_state import FORCES, NO_RANK, UNEVEN_STEPS
from flexmb.solvers.methods.generalized_alpha.alpha_step import alpha_of
from flexmb.solvers.methods.generalized_alpha.alpha_steps import NO_CHANGE_RIGID, beside, turned
from flexmb.solvers.methods.generalized_alpha.near_singular import determined
from flexmb.solvers.rows.index_one import norm, worst
from flexmb.solvers.rows.left_out import check_left_out
from flexmb.solvers.statuses import DIVERGED, FADE, FAILED, NO_ROOM, OK, STALE

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
def _accept(loop, h, found):
    """Make the end of the step the present state. If the step was much shorter than the one before, the change of
    accelerations in it is mostly round-off, and the recursion starts again after it. The segment ends if a constraint
    row fades (`found` is FADE)."""
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
    state.h_done = h
    state.plain = 0.0
    state.beside = NOT_YET
    state.fresh_only = max(state.fresh_only - 1.0, 0.0)
    if found == FADE:
        state.due = FADE


@inlined
def _limits(loop, stop):
    """Proposed and largest size of the next step, 0 if an angle turns too fast, and the time at which it has to end at
    the latest."""
    state = loop.state
    if state.beside == NOW:
        stop = beside(loop.options, stop, loop.sampling.controllers.shape[0] > 0)
        state.step = stop - state.time
    h, limit = turned(loop, stop - state.time)
    return h, limit, stop


@inlined
def _another(loop, at_stop):
    """Choose what to try before a shorter step after Newton's method failed: first a guess with constant acceleration,
    then a step past the point of the grid at which this one was to end."""
    state = loop.state
    if changes(state) and state.beside != NOW:
        state.plain = 1.0
        return True
    if loop.options.step > 0.0 and at_stop and state.beside == NOT_YET:
        state.beside = NOW
        state.plain = 0.0
        return True
    state.beside = IN_VAIN
    return False


@called(int)
def _solve(loop, h, t, at_stop):
    """Guess and correct the end of a step; returns how Newton's method ended, or STALE if the recursion has to start
    again first, or if another trial of the step was chosen."""
    state, watched = loop.state, loop.crossings
    if h > UNEVEN * state.h_done > 0.0:
        state.h_done = h
        state.jump = UNEVEN_STEPS
        state.anew = AT_START
        return STALE
    first_guess(loop, h, state.time)
    ended = correct(loop, h, t, needed(loop, h))
    cut = watched.side.shape[0] > 0 and is_cut(watched)
    if ended == FAILED and not cut and _another(loop, at_stop):
        loop.counts.rejected += 1
        return STALE
    return ended


@inlined
def _local_error(loop, h, t):
    """Estimated error of a step, as a part of the error allowed for its size; 0 if an event has cut it short."""
    if loop.crossings.side.shape[0] > 0 and h < SHORT * loop.state.step:
        return 0.0
    error = local_error(loop, h, t)
    if not error <= 1.0:
        loop.state.culprit = worst(loop.work.x, loop.scales.coordinates, loop.plan.n)
    return error


@inlined
def _end_of(loop, h, t):
    """Positions, speeds projected onto ġ = 0, accelerations and multipliers at the end of the step."""
    keep_speeds(loop, h, t)
    return loop.trial.q, loop.trial.kept, loop.trial.a, loop.trial.lam


@inlined
def _rows(loop, t):
    """Check the constraint rows that are left out at the end of the step; returns OK, FADE or CONTRADICT."""
    if loop.left_out.weights.shape[0] == 0:
        return OK
    plan, trial, scales = loop.plan, loop.trial, loop.scales
    off = norm(loop.work.g, scales.rows, plan.m)
    return check_left_out(
        loop.left_out, plan, loop.scratch, loop.linear, t, trial.q, trial.kept, scales.coordinates, scales.rows, off
    )


@inlined
def _usable(loop, t):
    """Check that joint friction does not jam, and that a step which an event cuts does not end at a singular position;
    returns OK, FAILED, STALE if the whole step is to be made instead, or NO_ROOM."""
    status = joints_move(loop, t) if loop.plan.friction > 0 else OK
    if status != OK:
        loop.state.culprit = NO_RANK
        return NO_ROOM if status == NO_ROOM else FAILED
    if loop.crossings.side.shape[0] > 0 and is_cut(loop.crossings):
        status = determined(loop, t)
    if status == OK:
        return OK
    if status == NO_ROOM:
        return NO_ROOM
    step_over(loop.crossings)
    return STALE


@inlined
def _no_change(loop):
    """Up to which factor a longer step is not tried, and whether round-off hides the error."""
    return (NO_CHANGE_RIGID if loop.options.rigid == 1 else NO_CHANGE), loop.state.hidden > 0.0


@called(float)
def _step_behind_touch(loop):
    """Size of the first step after a touch, short enough to resolve the stiff forces of the contact. A longer step
    would treat their effect as vibration that is too fast to be followed."""
    speed = rate(loop.motion, loop.scales.coordinates, loop.plan.n)
    h = TOUCHED * math.sqrt(loop.options.tolerance)
    return max(loop.options.shortest, h / speed if speed * loop.options.longest > h else loop.options.longest)


@inlined
def _show(loop):
    """Write the reported speeds, which satisfy ġ = 0, into `motion.shown`."""
    fill_kept(loop, loop.motion.shown)


@called(int)
def _find_anew(loop, t):
    """Compute accelerations and joint forces from the equations of motion and start the recursion again; returns
    OK, or why there are none."""
    state = loop.state
    state.jump = max(state.jump, FORCES)
    if state.anew == AT_TOUCH:
        state.step = min(state.step, _step_behind_touch(loop))
    status = forces_anew(loop, t)
    if status == NO_ROOM:
        return NO_ROOM
    if status != OK:
        state.culprit = NO_RANK
        return DIVERGED
    return OK


def _loop() -> Any:
    """The compiled loop, made of the functions of absolute coordinates."""
    return alpha_of(
        _find_anew, _solve, _local_error, _end_of, _rows, carried_error, _accept, _no_change,
        limits=_limits, resolves=resolves, usable=_usable, show=_show,
    )  # fmt: skip


@called(None)
def _ready(lane, t, first):
    """Put the state at the start where a step expects that of the step before."""
    loop = lane.loop
    motion, trial, state = loop.motion, loop.trial, loop.state
    for i in range(motion.v.shape[0]):
        motion.shown[i] = motion.v[i]
        motion.alg[i] = motion.a[i]
    for i in range(trial.q.shape[0]):
        trial.q[i] = motion.q[i]
    if first > 0.0:
        state.step = state.h_last = first


advance = _loop()
IN_LANES = in_lanes(advance, _ready)
