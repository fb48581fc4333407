"""A step of generalized-α in absolute or joint coordinates: whether it is accepted, what is tried in its place, and
what is due at its end.

The functions that solve for the end of a step and estimate its error are arguments of :func:`alpha_of`: for absolute
coordinates they are in :mod:`flexmb.solvers.methods.generalized_alpha.alpha_loop`, for joint coordinates in
:mod:`flexmb.solvers.methods.generalized_alpha.alpha_joint_loop`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.events.crossings import AGAIN, end_earlier, is_cut, judge, keep_end, step_over
from flexmb.solvers.events.kinks import behind_kink
from flexmb.solvers.march.march_loop import march_of, next_stop
from flexmb.solvers.march.step_size import SAFETY
from flexmb.solvers.methods.generalized_alpha.alpha_steps import LEAST_FACTOR, mark_saved, next_step, propose
from flexmb.solvers.statuses import CONTRADICT, DIVERGED, FAILED, NO_ROOM, OK, TOO_FAST


@called(int)
def _shorter(loop, h, step):
    """Reject a step of size h and try one of size `step`; returns OK, or DIVERGED if it has the shortest size
    allowed."""
    loop.counts.rejected += 1
    if min(h, loop.state.step) <= loop.options.shortest:
        return DIVERGED
    loop.state.step = max(step, loop.options.shortest)
    return OK


@called(int)
def _cut_or_shorter(loop, h, part):
    """After a step failed, end the next trial earlier if it was to end at a touch, or try a `part` of the step, or of a
    fixed one that was to end beyond the grid; returns OK or DIVERGED."""
    options, watched = loop.options, loop.crossings
    if watched.side.shape[0] > 0 and is_cut(watched):
        loop.counts.rejected += 1
        if not end_earlier(watched, loop.state.time):
            step_over(watched)  # the whole step was possible
        return OK
    return _shorter(loop, h, part * (min(h, options.step) if options.step > 0.0 else h))


@inlined
def _as_proposed(loop, stop):
    """Steps have the proposed size, however far angles turn in them."""
    return loop.state.step, loop.options.longest, stop


@inlined
def _any(loop, t):
    """Any end that was found can be used."""
    return OK


@inlined
def _always(loop, h):
    """A step whose error is allowed resolves all changes of the forces in it."""
    return True


def alpha_of(
    find_anew: Callable[..., Any],
    solve: Callable[..., Any],
    local_error: Callable[..., Any],
    end_of: Callable[..., Any],
    rows: Callable[..., Any],
    carried_error: Callable[..., Any],
    accept: Callable[..., Any],
    no_change: Callable[..., Any],
    *,
    failed: float = 0.5,
    limits: Callable[..., Any] = _as_proposed,
    resolves: Callable[..., Any] = _always,
    usable: Callable[..., Any] = _any,
    **others: Any,
) -> Any:
    """The compiled loop of generalized-α, made of functions of the tuple `loop`. It has the fields that
    :func:`flexmb.solvers.march.march_loop.march_of` asks for, which takes `find_anew` and the `others`, and `counts`;
    its `options` also longest, shortest and save_every, its `state` last_error, part, carried and since_save:

    - solve(loop, h, t, at_stop): guess and correct the end of a step; returns OK, FAILED, STALE if another trial
      was chosen, or NO_ROOM;
    - failed: part of a step that failed which is tried next;
    - limits(loop, stop): proposed and largest size of the next step, 0 if an angle turns too fast, and the time at
      which it has to end at the latest;
    - local_error(loop, h, t): estimated error of a step that ends at t, as a part of the error allowed for its size;
    - end_of(loop, h, t): q, v, a, λ at the end of the step, with speeds that satisfy their constraints;
    - resolves(loop, h): whether the step resolves all changes of the forces in it;
    - rows(loop, t): OK, FADE or CONTRADICT of constraint rows that are left out;
    - usable(loop, t): whether the motion can go on from the end: OK, FAILED, STALE or NO_ROOM, as `solve`;
    - carried_error(loop, h, t): estimated displacement at the end of the run due to the error of this fixed step;
    - accept(loop, h, found): make the end of the step the present state, and set `state.due` if the segment is to end
      there; `found` is the result of `rows`;
    - no_change(loop): up to which factor a longer step is not tried, and whether round-off hides the error.
    """

    def step(loop):  # type: ignore[no-untyped-def]
        """Solve for the end of a step, accept it if its error is small enough and nothing cuts it, and choose the next
        size; returns OK, or the status with which the segment ends."""
        options, state, watched = loop.options, loop.state, loop.crossings
        h, limit, stop = limits(loop, next_stop(loop))
        if h <= 0.0:
            return TOO_FAST
        h, t = next_step(loop, h, limit, stop)
        ended = solve(loop, h, t, t == stop)
        if ended == NO_ROOM:
            return NO_ROOM
        if ended == FAILED:
            return _cut_or_shorter(loop, h, failed)
        if ended != OK:
            return OK
        fixed, error = options.step > 0.0, 0.0
        if not fixed:
            error = local_error(loop, h, t)
            if not error <= 1.0:
                return _shorter(loop, h, h * max(LEAST_FACTOR, SAFETY * error**-0.5))
        q, v, a, lam = end_of(loop, h, t)
        if watched.side.shape[0] > 0:
            small = watched.switches > 0 and not fixed and resolves(loop, h)
            if judge(watched, loop.plan, loop.scratch, state.time, t, q, v, a, lam, small) == AGAIN:
                loop.counts.rejected += 1
                return OK
        found = rows(loop, t)
        if found == CONTRADICT:
            return CONTRADICT
        ended = usable(loop, t)
        if ended == NO_ROOM:
            return NO_ROOM
        if ended == FAILED:
            return _shorter(loop, h, failed * h)
        if ended != OK:
            loop.counts.rejected += 1
            return OK
        if fixed:
            state.carried += carried_error(loop, h, t)
        accept(loop, h, found)
        state.time = t
        same, hidden = no_change(loop)
        propose(options, state, h, error, same, hidden)
        loop.counts.steps += 1
        mark_saved(options, state, loop.counts, t, t == stop)
        if watched.side.shape[0] > 0:
            keep_end(watched)
        jumps = watched.state.hop > 0.0 or behind_kink(loop.kinks, t, options.t_end) > t
        if jumps or watched.state.events > 0.0:  # always saved, whatever save_every: the states before and after
            state.unsaved = 1
        return OK

    step.__module__ = find_anew.__module__
    return march_of(find_anew, inlined(step), **others)
