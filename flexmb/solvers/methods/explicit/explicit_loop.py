"""The steps of methods that know the present state alone, which are accepted or tried again with a smaller size, and
the factory of their compiled loop."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.events.crossings import AGAIN, judge, keep_end
from flexmb.solvers.events.touching import goes_through, misses
from flexmb.solvers.march.in_lanes import InLanes, in_lanes, look_at_rows
from flexmb.solvers.march.march_loop import march_of, next_stop
from flexmb.solvers.march.step_size import rate
from flexmb.solvers.methods.explicit.explicit_step import (
    accelerate_anew,
    check_rows,
    close,
    holds,
    keep,
    leave_errors_along,
)
from flexmb.solvers.methods.explicit.step_control import (
    carried_error,
    coarse_error,
    first_step,
    next_step,
    propose,
    shorten,
    weighed_error,
)
from flexmb.solvers.rows.singular_value import approaches
from flexmb.solvers.statuses import CONTRADICT, DIVERGED, FADE, NO_ROOM, OK, PASSAGE_DUE

#: A step whose error is more than this many times the allowed one is rejected at once; with a smaller error it is
#: projected first, and its error along the constraints decides.
HOPELESS = 10.0


@called(int)
def find_anew(loop, t):
    """Compute the accelerations of the present state; returns OK, or why there are none."""
    state, options = loop.state, loop.options
    status = accelerate_anew(loop, t)
    if status != OK:
        return NO_ROOM if status == NO_ROOM else DIVERGED
    if options.step > 0.0:
        state.step = options.step
    elif state.step <= 0.0:
        state.step = first_step(loop)
    return OK


@called(None)
def _arrive(loop, h, t1):
    """Make the end of a step of size h the present state."""
    state, motion, watched = loop.state, loop.motion, loop.crossings
    fixed = loop.options.step > 0.0  # then nobody asks for Θ
    moving = 0.0 if fixed else rate(motion, loop.scale, loop.plan.n)
    keep(loop)
    if len(watched.side) > 0:
        keep_end(watched)
    if not fixed:
        state.radians += 0.5 * h * (moving + rate(motion, loop.scale, loop.plan.n))
    state.time = t1
    loop.counts.steps += 1


@called(None)
def look_ahead(loop, found):
    """End the segment at the present state if a constraint row fades (`found` is FADE) or a singular position is
    near."""
    if loop.plan.m > 0 and loop.sampling.controllers.shape[0] == 0 and found != FADE and not holds(loop):
        if approaches(loop.watch, loop.state.sigma):
            loop.state.due = PASSAGE_DUE
    if found == FADE:
        loop.state.due = FADE


@cache
def one_step_loop(attempt: Callable[..., Any], estimate: Callable[..., Any]) -> Any:
    """The compiled loop of a method, made of two compiled functions of the record
    :class:`~flexmb.solvers.methods.explicit.explicit_state.Loop`:

    - attempt(loop, t, h): compute the end of a step of size h from the present state at time t, and write it into
      `loop.stage`. Returns OK, NO_ROOM, or why there is no end, upon which a shorter step is tried;
    - estimate(loop, kinds): fill `error_q` and `error_v` of `loop.stage` with the errors of that end, divided by h, of
      positions as displacements and of speeds: of one estimate with fixed steps, `kinds` = 1, or of both.

    The loop projects the end onto the constraints, judges its error, looks for events, and accepts it or tries another
    one.
    """

    def fixed_step(loop, t, h, t1):  # type: ignore[no-untyped-def]
        """Try a fixed step of size h from t to t1; returns OK, or why it fails."""
        state = loop.state
        status = attempt(loop, t, h)
        if status == OK:
            estimate(loop, 1)
            carried = carried_error(loop, h, t1)
            status = close(loop, t1, h, False, False)
            if status == OK:
                state.carried += carried
        return status

    def controlled_step(loop, t, h, t1):  # type: ignore[no-untyped-def]
        """Try a step of size h from t to t1; returns OK, or why it fails, and its error in units of that allowed."""
        status = attempt(loop, t, h)
        if status != OK:
            return status, math.inf
        estimate(loop, 2)
        error = weighed_error(loop, h)
        moved = loop.options.project and loop.plan.m > 0 and loop.plan.friction == 0 and not holds(loop)
        if not error <= (HOPELESS if moved else 1.0):
            return OK, error
        status = close(loop, t1, h, True, False)
        if status != OK:
            return status if error <= 1.0 else OK, error
        if moved:
            leave_errors_along(loop, t1)
            error = weighed_error(loop, h)
        motion, stage, options = loop.motion, loop.stage, loop.options
        enough = options.allowed / options.span
        if misses(loop.crossings, h, motion.v, motion.a, stage.v, stage.a, loop.scale, loop.plan.n, enough):
            return OK, math.inf
        return OK, error

    fixed_step.__module__ = controlled_step.__module__ = attempt.__module__
    try_fixed, try_controlled = inlined(fixed_step), inlined(controlled_step)

    def step(loop):  # type: ignore[no-untyped-def]
        """Try a step, and accept it if its error is small enough; returns OK in both cases, or the status with which
        the segment ends."""
        state, options, watched = loop.state, loop.options, loop.crossings
        fixed, t = options.step > 0.0, state.time
        error, stop = 0.0, next_stop(loop)
        h = next_step(loop, stop)
        if fixed:
            t1 = stop
            status = try_fixed(loop, t, h, t1)
        else:
            t1 = stop if h == stop - t else t + h
            status, error = try_controlled(loop, t, h, t1)
        if status == NO_ROOM:
            return NO_ROOM
        if status != OK or not error <= 1.0:
            shorter = not fixed and shorten(loop, h, error if status == OK else math.inf)
            return OK if shorter else DIVERGED
        stage = loop.stage
        end = stage.q, stage.v, stage.a, stage.lam
        if len(watched.side) > 0 and judge(watched, loop.plan, loop.scratch, t, t1, *end, False) == AGAIN:
            loop.counts.rejected += 1
            return OK
        if not fixed and goes_through(watched):  # an estimate of high order may miss the touch
            error = max(error, coarse_error(loop, h))
            if not error <= 1.0:
                return OK if shorten(loop, h, error) else DIVERGED
        found = check_rows(loop, t1)
        if found == CONTRADICT:
            return CONTRADICT
        _arrive(loop, h, t1)
        if fixed and t1 >= options.t_start + (state.grid + 1.0) * options.step - options.together:
            state.grid += 1.0
        state.unsaved = 1
        if not fixed:
            propose(loop, h, error)
        look_ahead(loop, found)
        return OK

    step.__module__ = attempt.__module__
    return march_of(find_anew, inlined(step))


@called(None)
def _ready(lane, t, first):
    """Put the position at the start into the stages."""
    loop = lane.loop
    for i in range(loop.stage.q.shape[0]):
        loop.stage.q[i] = loop.motion.q[i]
    look_at_rows(lane.start, loop, t)


@cache
def one_step_in_lanes(attempt: Callable[..., Any], estimate: Callable[..., Any]) -> InLanes:
    """How runs of a method begin and march in a lane, by the loop of :func:`one_step_loop`."""
    return in_lanes(one_step_loop(attempt, estimate), _ready, attempt.__module__)
