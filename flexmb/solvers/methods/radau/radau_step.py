"""A step of Radau IIA in absolute or independent coordinates: its size, whether it is accepted, and the checks at its
end.

The functions that solve for the stages and estimate the error are arguments of :func:`radau_of`: for the DAE in
absolute coordinates they are in :mod:`flexmb.solvers.methods.radau.radau_loop`, for the ODE in independent coordinates
in :mod:`flexmb.solvers.methods.independent.reduced_radau_loop`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.events.crossings import AGAIN, judge, keep_end
from flexmb.solvers.events.touching import from_touch, goes_through, misses
from flexmb.solvers.march.march_loop import march_of, next_stop
from flexmb.solvers.march.step_size import (
    NO_CHANGE,
    SAFETY,
    fastest_angle,
    fastest_turn,
    next_size,
    towards,
    was_cut,
)
from flexmb.solvers.methods.radau.error_at_touches import error_at_touch, error_of_rubbing, error_through_touch
from flexmb.solvers.methods.radau.radau_state import NO_RANK
from flexmb.solvers.rows.left_out import check_left_out
from flexmb.solvers.rows.singular_value import approaches
from flexmb.solvers.statuses import CONTRADICT, DIVERGED, FADE, FAILED, NO_ROOM, OK, PASSAGE_DUE, TOO_FAST, WORN

#: Largest rotation of any angle in one step [rad], so that a mechanism cannot jump to another assembly mode, and
#: rotation vectors stay far from the limit of their chart.
LARGEST_TURN = 1.0
#: The next step is between LEAST_FACTOR and LARGEST_FACTOR times the last one.
LEAST_FACTOR, LARGEST_FACTOR = 0.125, 5.0
#: After a step with MANY iterations, the next may be longer only as far as its corrections are expected to shrink to
#: FAST_ENOUGH: where stiff members turn, their ratio grows with h².
MANY, FAST_ENOUGH = 4, 0.25
#: A step shorter than this part of the size that its error allows lies between two stops at nearly the same time. It
#: keeps the accelerations of its start: if they were solved for, round-off of positions, divided by h², would be in the
#: joint forces.
TINY = 1e-5


@called((float, float))
def next_step(loop, stop):
    """Size of the next step and the time at its end, at most `stop`. The size is 0 when an angle turns so fast that the
    step would have to be shorter than the shortest allowed."""
    options, state, motion = loop.options, loop.state, loop.motion
    t = state.time
    left, h = stop - t, state.step
    longest = min(h, left)
    fastest = fastest_turn(motion, loop.scales, longest)
    if longest * fastest > LARGEST_TURN:
        state.culprit = fastest_angle(motion, loop.scales)
        if LARGEST_TURN < options.shortest * fastest_turn(motion, loop.scales, 0.0):
            return 0.0, t
        h = min(h, max(LARGEST_TURN / fastest, options.shortest))  # accelerations of a vibration soon reverse
    h = towards(h, left)
    return h, stop if h == left else t + h


@called(None)
def propose(loop, h, error):
    """Choose the size of the next step, from the errors of this one and of the last (Gustafsson (1994))."""
    options, state = loop.options, loop.state
    if h < TINY * state.step:
        return  # a stop ended it almost at once: its error says nothing of longer steps
    error = max(error, 1e-10)
    safety = SAFETY * (2.0 * options.iterations + 1.0) / (2.0 * options.iterations + state.iterated)
    factor = safety * error**-0.25
    if state.last_error > 0.0 and state.rejected_last == 0.0:
        factor = min(factor, SAFETY * h / state.h_done * (state.last_error / (error * error)) ** 0.25)
    if factor >= 1.0 and was_cut(h, state.step):
        state.rejected_last = 0.0
        return  # a stop cut the step short, so that its error is no reason to change the size
    if factor > 1.0 and state.last_error > 0.0 and state.rejected_last == 0.0:
        # the error oscillates with a vibration; a longer step that two small errors allow may be too long when it rises
        factor = max(min(factor, safety * (error * state.last_error) ** -0.125), 1.0)
    state.last_error = max(error, 1e-2)
    largest = 1.0 if state.rejected_last > 0.0 else LARGEST_FACTOR
    if state.iterated >= MANY and state.rate > 0.0:
        largest = min(largest, max(1.0, math.sqrt(FAST_ENOUGH / state.rate)))
    state.rejected_last = 0.0
    state.step = next_size(h, factor, LEAST_FACTOR, largest, NO_CHANGE, options.longest)


@called(int)
def reject(loop, h, step, culprit):
    """Reject the step and set the size of the next trial; returns OK, or DIVERGED if the step has the shortest
    size allowed."""
    options, state = loop.options, loop.state
    loop.counts.rejected += 1
    state.rejected_last = 1.0
    if h <= options.shortest:
        state.culprit = culprit
        return DIVERGED
    state.step = max(step, options.shortest)
    return OK


@inlined
def _shorter(error):
    """Factor for the size of a step that is tried again because its error was too large."""
    return max(LEAST_FACTOR, SAFETY * error**-0.25)


@inlined
def _never(loop):
    """Never change the coordinates: absolute ones are valid everywhere."""
    return False


@inlined
def _as_estimated(loop, t0, h, error, estimated, of_speeds):
    """The size of the next step follows from the error by which this one was accepted."""
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
    """The march of Radau IIA, made of compiled functions of the tuple `loop`:

    - find_anew(loop, t): as in :func:`~flexmb.solvers.march.march_loop.march_of`, which takes the `others` too;
    - guess(loop, h): first guess of the stages; returns whether Newton's method is to correct it;
    - correct(loop, h, t): solve the equations of the stages; returns OK, FAILED, STALE or NO_ROOM;
    - local_error(loop, h, t): estimated errors of the positions and of the speeds [1/s] of the step, both as parts of
      the error allowed for positions; sets `state.culprit` to the position with the largest error;
    - arrive(loop, h, t0, t): fill `loop.end` (q, v, a, λ at the end), `state.sigma`, `state.off` and `state.rate_off`;
      returns a status, and the part of the step to try instead if its end cannot be used, else 0;
    - accept(loop, t): make the end of the step the present state;
    - worn(loop): whether other independent coordinates are to be chosen at the present state;
    - next_by(loop, t0, h, error, estimated, of_speeds): the error from which the size of the next step follows.
    """

    def keep(loop, h, t0, t):  # type: ignore[no-untyped-def]
        """Accept the step if its error is small enough and nothing cuts it, and choose the next size; returns OK,
        or the status with which the segment ends."""
        plan, options, state, motion, end, watched = (
            loop.plan, loop.options, loop.state, loop.motion, loop.end, loop.crossings,
        )  # fmt: skip
        estimated, of_speeds = local_error(loop, h, t0)
        error = max(estimated, error_of_rubbing(plan, options, state, t0, t, of_speeds))
        if not error <= 1.0:
            return reject(loop, h, _shorter(error) * h, state.culprit)
        status, part = arrive(loop, h, t0, t)
        if status == NO_ROOM:
            return NO_ROOM
        if part > 0.0:
            return reject(loop, h, part * h, NO_RANK)
        found = OK
        if loop.left_out.weights.shape[0] > 0:
            found = check_left_out(
                loop.left_out, plan, loop.scratch, loop.linear, t, end.q, end.v, loop.scales.coordinates,
                loop.scales.rows, state.off,
            )  # fmt: skip
            if found == CONTRADICT:
                return CONTRADICT
        scale = loop.scales.coordinates
        if watched.switches > 0:
            apart = from_touch(watched, plan, loop.scratch, t0, t, end.q, end.v, end.a, end.lam)
            error = max(error, error_at_touch(options, t0, t, apart, of_speeds))
            if misses(watched, h, motion.v, motion.a, end.v, end.a, scale, plan.n, options.allowed * options.slowest):
                error = math.inf
        if watched.side.shape[0] > 0 and error <= 1.0:
            if judge(watched, plan, loop.scratch, t0, t, end.q, end.v, end.a, end.lam, False) == AGAIN:
                loop.counts.rejected += 1
                return OK
            if goes_through(watched):
                error = max(error, error_through_touch(options, scale, plan.n, t0, t, motion.a, end.a))
        if error > 1.0:
            return reject(loop, h, _shorter(error) * h, state.culprit)
        if watched.side.shape[0] > 0:
            keep_end(watched)
        propose(loop, h, next_by(loop, t0, h, error, estimated, of_speeds))
        accept(loop, t)
        state.drift = max(state.drift, state.off)
        state.velocity_drift = max(state.velocity_drift, state.rate_off)
        state.time, state.h_done = t, h
        state.polynomial, state.unsaved = 1.0, 1
        loop.counts.steps += 1
        if found == FADE:
            state.due = FADE
        elif plan.m > 0 and loop.sampling.controllers.shape[0] == 0 and approaches(loop.watch, state.sigma):
            if state.sigma < options.near * loop.watch[1]:
                state.due = PASSAGE_DUE
        if state.due == OK and plan.m > 0 and worn(loop):
            state.due = WORN
        return OK

    kept = inlined(keep)

    def step(loop):  # type: ignore[no-untyped-def]
        """Guess the stages, solve for them, estimate the error, accept or reject; returns OK in both cases, or the
        status with which the segment ends."""
        state = loop.state
        t = state.time
        h, t1 = next_step(loop, next_stop(loop))
        if h <= 0.0:
            return TOO_FAST
        ended = OK
        if guess(loop, h):
            ended = correct(loop, h, t)
        if ended == OK:
            return kept(loop, h, t, t1)
        if ended == NO_ROOM:
            return NO_ROOM
        if ended == FAILED:
            state.polynomial = 0.0
            return reject(loop, h, 0.5 * h, state.culprit)
        return OK

    step.__module__ = keep.__module__ = find_anew.__module__
    return march_of(find_anew, inlined(step), **others)
