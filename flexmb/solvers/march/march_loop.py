"""The compiled loop shared by all methods: it steps from stop to stop.

    while before the end:  compute accelerations anew if forces have jumped · save · end the segment if that is due ·
                           move across a kink or a touch · call controllers · step

Steps end at the instants of sampled controllers, next to kinks of functions of time, and where watched quantities go
through zero. After a kink, a touch, or a command the forces have jumped: accelerations and joint forces are computed
anew there. The states before and after the jump are both saved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flexmb.algebra.precision import ROUNDING
from flexmb.kernels.compilation import allocation_free, called, inlined
from flexmb.kernels.ctrl_c import ctrl_c_noted
from flexmb.solvers.events import crossings as crossings
from flexmb.solvers.events.crossings import watch_from
from flexmb.solvers.events.kinks import behind_kink, next_kink
from flexmb.solvers.march.clock import AT_COMMAND, AT_KINK, AT_TOUCH
from flexmb.solvers.march.stops import act, save_row
from flexmb.solvers.statuses import ASKED, COMMANDED, DONE, EVENT, OK
from flexmb.system.sampling import next_instant

#: After so many rejected steps in a row the loop asks Python why: a function of the user's may have failed.
REJECTED_IN_A_ROW = 4


@inlined
def together(options, t):
    """The time [s] within which instants count as one."""
    return options.together + ROUNDING * abs(t)


@called(float)
def next_stop(loop):
    """The time at which the next step has to end at the latest: the next point of the grid of fixed steps, instant of a
    controller, kink of a function of time, crossing of a watched quantity, or the end of the run."""
    options, state = loop.options, loop.state
    t, stop = state.time, options.t_end
    near = together(options, t)
    if options.step > 0.0:
        grid = options.t_start + (state.grid + 1.0) * options.step
        if grid < stop - near:
            stop = grid
    if loop.sampling.controllers.shape[0] > 0:
        instant = next_instant(loop.sampling)
        if t + near < instant < stop - near:
            stop = instant
    return next_kink(loop.kinks, t, min(stop, loop.crossings.state.stop))


@inlined
def as_they_are(loop):
    """The reported speeds, `motion.shown`, are those of the method itself."""


@inlined
def over_touch(loop, t):
    """Move the state across a touch with its accelerations; returns the time after it."""
    return crossings.hop(loop.crossings, loop.plan, t, loop.motion.q, loop.motion.v, loop.motion.a)


def march_of(
    find_anew: Callable[..., Any],
    step: Callable[..., Any],
    show: Callable[..., Any] = as_they_are,
    over: Callable[..., Any] = over_touch,
) -> Any:
    """The compiled loop of a method, made of functions of the tuple `loop`, which holds everything that the method
    reads and writes:

    - find_anew(loop, t): compute the accelerations of the present state from the equations of motion; `state.anew` says
      why. Returns OK, or the status with which the segment ends;
    - step(loop): try a step, and accept it if its error is small enough. Returns OK in both cases, or the status
      with which the segment ends. An accepted step sets `state.unsaved` if its end is to be saved, and `state.due` if
      the segment is to end there;
    - show(loop): write the speeds to be saved, seen by controllers and events too, into `motion.shown`;
    - over(loop, t): move the state across a touch; returns the time after it.

    The loop has at least the fields plan, scratch, sampling, motion (q, v, shown, a, lam), options (t_start, t_end,
    step, together), counts (steps, rejected), work, kinks, crossings, and `state`, a
    :class:`~flexmb.solvers.march.clock.Clock`.
    """

    def advance(loop, saved):  # type: ignore[no-untyped-def]
        """Step until t_end, until the rows of `saved` are full, until Ctrl-C, or until a function of Python's may
        have failed, since steps are rejected again and again; returns a status and the number of rows filled."""
        state, motion, watched, plan = loop.state, loop.motion, loop.crossings, loop.plan
        controlled = loop.sampling.controllers.shape[0] > 0
        rows, rejected, accepted = 0, loop.counts.rejected, loop.counts.steps
        while True:
            t = state.time
            if state.anew > 0:
                status = find_anew(loop, t)
                if status != OK:
                    return status, rows
                state.anew = 0
                if watched.side.shape[0] > 0:
                    show(loop)
                    watch_from(
                        watched, plan, loop.scratch, t, motion.q, motion.shown, motion.a, motion.lam, state.step
                    )  # fmt: skip
            if state.unsaved > 0:
                show(loop)
                save_row(plan, t, motion.q, motion.shown, motion.a, motion.lam, saved, rows)
                state.unsaved = 0
                rows += 1
            if watched.state.events > 0.0:
                watched.state.events = 0.0
                return EVENT, rows
            if t >= loop.options.t_end:
                return DONE, rows
            if state.due != OK:
                status, state.due = state.due, OK
                return status, rows
            if rows == saved.t.shape[0]:
                return OK, rows
            if ctrl_c_noted():
                return ASKED, rows
            if watched.state.failed > 0.0:
                watched.state.failed = 0.0
                return OK, rows
            if loop.counts.steps > accepted:
                rejected, accepted = loop.counts.rejected, loop.counts.steps
            elif loop.counts.rejected >= rejected + REJECTED_IN_A_ROW:
                return OK, rows
            behind = behind_kink(loop.kinks, t, loop.options.t_end)
            why = AT_KINK
            if watched.state.hop > 0.0:
                behind = over(loop, t)
                why = AT_TOUCH
            if behind > t:
                state.time = behind
                state.anew, state.unsaved = why, 1
                continue
            status = OK
            if controlled:
                show(loop)
                status = act(
                    plan, loop.scratch, loop.sampling, t, together(loop.options, t), motion.q, motion.shown, motion.a,
                    motion.lam, loop.work.weights,
                )  # fmt: skip
            if status == COMMANDED:
                state.anew = AT_COMMAND
                continue
            if status == OK:
                status = step(loop)
            if status != OK:
                return status, rows

    advance.__module__, advance.__qualname__ = step.__module__, "advance"  # so that the cache files it under the method
    return allocation_free(advance)
