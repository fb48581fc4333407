"""A step of Radau IIA in whichever coordinates: its size, whether it is kept, and what happens at its end.

The stages and the estimate of their error are those of a formulation: of the DAE of absolute coordinates
(:mod:`flexmb.solvers.radau.radau_loop`) or of the equations in independent ones
(:mod:`flexmb.solvers.independent.reduced_radau_loop`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.events.crossings import AGAIN, judge, keep_end
from flexmb.solvers.events.touching import from_touch, goes_through, misses
from flexmb.solvers.march.march_loop import march_of, next_stop
from flexmb.solvers.march.step_size import fastest_angle, fastest_turn, towards
from flexmb.solvers.march.stops import (
    DIVERGED,
    OUT_OF_ROOM,
    PASSAGE_DUE,
    ROWS_CONTRADICT,
    ROWS_FADE,
    RUNNING,
    TOO_FAST,
    WORN,
)
from flexmb.solvers.radau.error_at_touches import error_at_touch, error_of_rubbing, error_through_touch
from flexmb.solvers.radau.radau_newton import CONVERGED, FAILED, NO_SPACE
from flexmb.solvers.radau.radau_state import NO_RANK
from flexmb.solvers.rows.left_out import CONTRADICT, FADE, check_left_out
from flexmb.solvers.rows.passage import approaches
from flexmb.system.linear import NO_ROOM, OK

#: largest turn of any angle in one step [rad], so that a mechanism cannot jump to another way of being assembled, and
#: charts of orientations do not come to their end
LARGEST_TURN = 1.0
#: The error may shorten or lengthen the next step at most by the first two factors. Up to the third the step stays as
#: it is, because a new step needs new matrices.
LEAST_FACTOR, LARGEST_FACTOR, NO_CHANGE = 0.125, 5.0, 1.2
#: a step is chosen shorter than the error asks for, by this factor and the more the more iterations it took
SAFETY = 0.9
#: After a step with MANY iterations, steps grow only so far that corrections shrink to FAST_ENOUGH: where stiff members
#: turn, their factor grows with h².
MANY, FAST_ENOUGH = 4, 0.25
#: Steps that are shorter than this part of what their error allows, since two things happen at nearly the same time, go
#: on with the accelerations of their start: positions, rounded and divided by h², would be in the joints' forces.
TINY = 1e-5


@called((float, float))
def next_step(loop, stop):
    """The step from here that goes to `stop` or towards it; (size, time at its end). The size is 0 when angles turn so
    fast that the step would have to be shorter than is allowed."""
    options, state, motion = loop.options, loop.state, loop.motion
    t = state.time
    left, h = stop - t, state.step
    longest = min(h, left)
    fastest = fastest_turn(motion, loop.scales, longest)
    if longest * fastest > LARGEST_TURN:
        state.culprit = fastest_angle(motion, loop.scales)
        if LARGEST_TURN < options.shortest * fastest_turn(motion, loop.scales, 0.0):
            return 0.0, t
        h = min(h, max(LARGEST_TURN / fastest, options.shortest))  # the accelerations of a vibration change soon
    h = towards(h, left)
    return h, stop if h == left else t + h


@called(None)
def propose(loop, h, error):
    """Propose the size of the next step, from the errors of this one and of the one before (Gustafsson (1994))."""
    options, state = loop.options, loop.state
    if h < TINY * state.step:
        return  # it ended at once, where something happens, and its error says nothing of longer ones
    error = max(error, 1e-10)
    safety = SAFETY * (2.0 * options.iterations + 1.0) / (2.0 * options.iterations + state.iterated)
    factor = safety * error**-0.25
    if state.last_error > 0.0 and state.rejected_last == 0.0:
        factor = min(factor, SAFETY * h / state.h_done * (state.last_error / (error * error)) ** 0.25)
    if factor >= 1.0 and h < 0.99 * state.step:
        state.rejected_last = 0.0
        return  # the step was cut short by a given time, so its error is no reason to change the proposed size
    if factor > 1.0 and state.last_error > 0.0 and state.rejected_last == 0.0:
        # the error goes up and down with a vibration; what was enough twice may be too much where it goes up again
        factor = max(min(factor, safety * (error * state.last_error) ** -0.125), 1.0)
    state.last_error = max(error, 1e-2)
    factor = min(max(factor, LEAST_FACTOR), LARGEST_FACTOR)
    if state.iterated >= MANY and state.rate > 0.0:
        factor = min(factor, max(1.0, math.sqrt(FAST_ENOUGH / state.rate)))
    if state.rejected_last > 0.0:
        factor = min(factor, 1.0)
    state.rejected_last = 0.0
    state.step = min(h * (1.0 if 1.0 <= factor <= NO_CHANGE else factor), options.longest)


@called(int)
def reject(loop, h, step, culprit):
    """Try again with another step; RUNNING, or DIVERGED if none that is shorter is allowed."""
    options, state = loop.options, loop.state
    loop.counts.rejected += 1
    state.rejected_last = 1.0
    if h <= options.shortest:
        state.culprit = culprit
        return DIVERGED
    state.step = max(step, options.shortest)
    return RUNNING


@inlined
def _shorter(error):
    """The part of a step to try instead of one whose error is too large."""
    return max(LEAST_FACTOR, SAFETY * error**-0.25)


@inlined
def _never(loop):
    """Coordinates serve everywhere."""
    return False


@inlined
def _as_estimated(loop, t0, h, error, estimated, of_speeds):
    """The next step is chosen by the error by which this one was kept."""
    return error


def radau_of(
    find_anew: Callable[..., Any],
    guess: Callable[..., Any],
    correct: Callable[..., Any],
    local_error: Callable[..., Any],
    arrive: Callable[..., Any],
    accept: Callable[..., Any],
    worn: Callable[..., Any] = _never,
    next_by: Callable[..., Any] = _as_estimated,
    **others: Callable[..., Any],
) -> Any:
    """The march of Radau IIA, made of compiled functions that take the tuple `loop`:

    - find_anew(loop, t): as in :func:`~flexmb.solvers.march.march_loop.march_of`, which takes the `others` too;
    - guess(loop, h): the stages with which Newton's method begins; whether they are to be corrected at all;
    - correct(loop, h, t): solve the equations of the stages; CONVERGED, FAILED, STALE or NO_SPACE;
    - local_error(loop, h, t): the estimated error of the positions of the step as a part of the error allowed, and that
      of its speeds [1/s] as a part of the same; `state.culprit` says of which coordinate the former is;
    - arrive(loop, h, t0, t): fill `loop.end` (q, v, a, λ of the end) and `state.sigma`, `state.off` and
      `state.rate_off`; a status, and the part of the step to try instead if its end is no place to be, else 0;
    - accept(loop, t): make the end the present state;
    - worn(loop): whether other independent coordinates are to be chosen at the present state;
    - next_by(loop, t0, h, error, estimated, of_speeds): the error by which the next step is chosen.
    """

    def keep(loop, h, t0, t):  # type: ignore[no-untyped-def]
        """Keep a step if its error is small enough, and choose the next one; how the segment goes on."""
        plan, options, state, motion, end, watched = (
            loop.plan, loop.options, loop.state, loop.motion, loop.end, loop.crossings,
        )  # fmt: skip
        estimated, of_speeds = local_error(loop, h, t0)
        error = max(estimated, error_of_rubbing(plan, options, state, t0, t, of_speeds))
        if not error <= 1.0:
            return reject(loop, h, _shorter(error) * h, state.culprit)
        status, part = arrive(loop, h, t0, t)
        if status == NO_ROOM:
            return OUT_OF_ROOM
        if part > 0.0:
            return reject(loop, h, part * h, NO_RANK)
        found = OK
        if loop.left_out.weights.shape[0] > 0:
            found = check_left_out(
                loop.left_out, plan, loop.scratch, loop.linear, t, end.q, end.v, loop.scales.coordinates,
                loop.scales.rows, state.off,
            )  # fmt: skip
            if found == CONTRADICT:
                return ROWS_CONTRADICT
        scale = loop.scales.coordinates
        if watched.switches > 0:
            apart = from_touch(watched, plan, loop.scratch, t0, t, end.q, end.v, end.a, end.lam)
            error = max(error, error_at_touch(options, t0, t, apart, of_speeds))
            if misses(watched, h, motion.v, motion.a, end.v, end.a, scale, plan.n, options.allowed * options.slowest):
                error = math.inf
        if watched.side.shape[0] > 0 and error <= 1.0:
            if judge(watched, plan, loop.scratch, t0, t, end.q, end.v, end.a, end.lam, False) == AGAIN:
                loop.counts.rejected += 1
                return RUNNING
            if goes_through(watched):
                error = max(error, error_through_touch(options, scale, plan.n, t0, t, motion.a, end.a))
        if error > 1.0:
            return reject(loop, h, _shorter(error) * h, state.culprit)
        if watched.side.shape[0] > 0:
            keep_end(watched, plan, end.lam)
        propose(loop, h, next_by(loop, t0, h, error, estimated, of_speeds))
        accept(loop, t)
        state.drift = max(state.drift, state.off)
        state.velocity_drift = max(state.velocity_drift, state.rate_off)
        state.time, state.h_done = t, h
        state.polynomial, state.unsaved = 1.0, 1
        loop.counts.steps += 1
        if found == FADE:
            state.due = ROWS_FADE
        elif plan.m > 0 and loop.sampling.controllers.shape[0] == 0 and approaches(loop.watch, state.sigma):
            if state.sigma < options.near * loop.watch[1]:
                state.due = PASSAGE_DUE
        if state.due == RUNNING and plan.m > 0 and worn(loop):
            state.due = WORN
        return RUNNING

    kept = inlined(keep)

    def step(loop):  # type: ignore[no-untyped-def]
        """Predict, correct, estimate the error, keep; RUNNING, whether or not the step was kept, or why none can be."""
        state = loop.state
        t = state.time
        h, t1 = next_step(loop, next_stop(loop))
        if h <= 0.0:
            return TOO_FAST
        ended = CONVERGED
        if guess(loop, h):
            ended = correct(loop, h, t)
        if ended == CONVERGED:
            return kept(loop, h, t, t1)
        if ended == NO_SPACE:
            return OUT_OF_ROOM
        if ended == FAILED:
            state.polynomial = 0.0
            return reject(loop, h, 0.5 * h, state.culprit)
        return RUNNING

    step.__module__ = keep.__module__ = find_anew.__module__
    return march_of(find_anew, inlined(step), **others)
