"""The compiled loop of explicit methods: steps are tried, and kept or made shorter."""

from __future__ import annotations

import math

from flexmb.kernels.compilation import allocation_free, called
from flexmb.solvers.crossings import AGAIN, hop, judge, keep_end, watch_from
from flexmb.solvers.explicit.control import (
    carried_error,
    coarse_error,
    first_step,
    next_step,
    next_stop,
    plain_error,
    propose,
    rate,
    shorten,
    weighed_error,
)
from flexmb.solvers.explicit.step import FINE, NO_ROOM, accelerate_anew, attempt, close, estimate, holds, keep, settle
from flexmb.solvers.left_out import CONTRADICT, FADE
from flexmb.solvers.passage import approaches
from flexmb.solvers.segments import (
    COMMANDED,
    DIVERGED,
    DONE,
    EVENT,
    OUT_OF_ROOM,
    PASSAGE_DUE,
    ROWS_CONTRADICT,
    ROWS_FADE,
    RUNNING,
    act,
    behind_kink,
    save_row,
)
from flexmb.solvers.touching import goes_through, misses

#: a step with an error of so many times what is allowed is not closed to look what is left of it
HOPELESS = 10.0


@called(int)
def _fixed_step(loop, t, h, t1):
    """Try a fixed step of size h from t to t1; FINE, or why it is not possible."""
    state = loop.state
    status = attempt(loop, t, h)
    if status == FINE:
        estimate(loop, 1)
        state.step_error = max(state.step_error, plain_error(loop, h))
        carried = carried_error(loop, h, t1)
        status = close(loop, t1, h, False, False)
        if status == FINE:
            state.carried += carried
    return status


@called((int, float))
def _controlled_step(loop, t, h, t1):
    """Try a step of size h from t to t1; FINE or why it came to no end, and its error in units of what is allowed."""
    status = attempt(loop, t, h)
    if status != FINE:
        return status, math.inf
    estimate(loop, 2)
    error = weighed_error(loop, h)
    moved = loop.options.project and loop.plan.m > 0 and loop.plan.friction == 0 and not holds(loop)
    if not error <= (HOPELESS if moved else 1.0):
        return FINE, error
    status = close(loop, t1, h, True, False)
    if status != FINE:
        return status if error <= 1.0 else FINE, error
    if moved:
        settle(loop, t1)
        error = weighed_error(loop, h)
    motion, stage, options = loop.motion, loop.stage, loop.options
    enough = options.allowed / options.span
    if misses(loop.crossings, h, motion.v, motion.a, stage.v, stage.a, loop.scale, loop.plan.n, enough):
        return FINE, math.inf
    return FINE, error


@called((int, int))
def stand(loop, saved, rows, behind_touches):
    """Make the present state one from which a step can go: behind a kink or a touch, with the commands of controllers
    whose instant it is, and with accelerations anew where forces have jumped. Behind kinks the state is saved as row
    `rows`, behind touches if that is asked for. RUNNING, COMMANDED where the loop is to begin again, or how the segment
    ends; and the number of rows then."""
    state, options, motion, watched = loop.state, loop.options, loop.motion, loop.crossings
    t = state.time
    behind = behind_kink(loop.kinks, t, options.t_end)
    saves = behind > t
    if watched.state.hop > 0.0:
        behind = hop(watched, loop.plan, t, motion.q, motion.v, motion.a)
        saves = saves or behind_touches
    if behind > t:
        t = state.time = behind
        state.anew = 1.0
    if state.anew > 0.0:
        status = accelerate_anew(loop, t)
        if status != FINE:
            return OUT_OF_ROOM if status == NO_ROOM else DIVERGED, rows
        state.anew, state.renewed = 0.0, 1.0
        if options.step <= 0.0 and state.step <= 0.0:
            state.step = first_step(loop)
        if len(watched.side) > 0:
            size = max(state.step, options.step)
            watch_from(watched, loop.plan, loop.scratch, t, motion.q, motion.v, motion.a, motion.lam, size)
        if saves:
            save_row(loop.plan, t, motion.q, motion.v, motion.a, motion.lam, saved, rows)
            return COMMANDED, rows + 1
    happened = RUNNING
    if loop.sampling.controllers.shape[0] > 0:
        happened = act(
            loop.plan, loop.scratch, loop.sampling, t, options.together, motion.q, motion.v, motion.a, motion.lam,
            loop.work.weights,
        )  # fmt: skip
        if happened == COMMANDED:
            state.anew = 1.0
    return happened, rows


@called(int)
def arrive(loop, h, t1):
    """Make the end of a step of size h the present state; what :func:`keep` says."""
    state, motion, watched = loop.state, loop.motion, loop.crossings
    moving = rate(loop, motion.v, motion.a)
    found = keep(loop, t1)
    if found == CONTRADICT:
        return found
    if len(watched.side) > 0:
        keep_end(watched, loop.plan, motion.lam)
    state.radians += 0.5 * h * (moving + rate(loop, motion.v, motion.a))
    state.time = t1
    loop.counts.steps += 1
    return found


@called(int)
def ends_with(loop, found):
    """How the segment ends with a step of which :func:`arrive` has said what it `found`; RUNNING if it does not."""
    if found == FADE:
        return ROWS_FADE
    if loop.plan.m > 0 and loop.sampling.controllers.shape[0] == 0 and not holds(loop):
        if approaches(loop.watch, loop.state.sigma):
            return PASSAGE_DUE
    return RUNNING


@allocation_free
def advance(loop, saved):
    """Step until t_end, or until the rows of `saved` are full, one for each step; (status, rows filled).

    Steps end at the instants of sampled controllers, beside kinks, and where watched quantities go through zero. Where
    commands change the forces, and behind kinks and touches, the accelerations, which jump, are found anew. Those
    before the jump are saved, behind kinks the others too.
    """
    state, options, counts, motion, watched = loop.state, loop.options, loop.counts, loop.motion, loop.crossings
    fixed, watching = options.step > 0.0, len(watched.side) > 0
    rows = 0
    while True:
        t = state.time
        if watched.state.events > 0.0:
            watched.state.events = 0.0
            return EVENT, rows
        if t >= options.t_end:
            return DONE, rows
        if rows == saved.t.shape[0]:
            return RUNNING, rows
        status, rows = stand(loop, saved, rows, False)
        if status == COMMANDED:
            continue
        if status != RUNNING:
            return status, rows
        t = state.time
        error, stop = 0.0, next_stop(loop)
        h = next_step(loop, stop)
        if fixed:
            t1 = stop
            status = _fixed_step(loop, t, h, t1)
        else:
            t1 = stop if h == stop - t else t + h
            status, error = _controlled_step(loop, t, h, t1)
        if status == NO_ROOM:
            return OUT_OF_ROOM, rows
        if status != FINE or not error <= 1.0:
            if fixed or not shorten(loop, h, error if status == FINE else math.inf):
                return DIVERGED, rows
            continue
        stage = loop.stage
        end = stage.q, stage.v, stage.a, stage.lam
        if watching and judge(watched, loop.plan, loop.scratch, t, t1, *end, False) == AGAIN:
            counts.rejected += 1
            continue
        if not fixed and goes_through(watched):  # of such the estimate of high order may know nothing
            error = max(error, coarse_error(loop, h))
            if not error <= 1.0:
                if not shorten(loop, h, error):
                    return DIVERGED, rows
                continue
        found = arrive(loop, h, t1)
        if found == CONTRADICT:
            return ROWS_CONTRADICT, rows
        if t1 >= options.t_begin + (state.grid + 1.0) * options.step - options.together:
            state.grid += 1.0
        save_row(loop.plan, t1, motion.q, motion.v, motion.a, motion.lam, saved, rows)
        rows += 1
        if not fixed:
            propose(loop, h, error)
        status = ends_with(loop, found)
        if status != RUNNING:
            return status, rows
