"""What compiled loops have in common: how a segment ends, sampled controllers, and the march from segment to segment,
between which Python looks after Ctrl-C and the progress bar."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.references import by_reference
from flexmb.solvers.clock import Clock
from flexmb.solvers.divergence import LoopWatch
from flexmb.solvers.events_across import let_passed_happen
from flexmb.solvers.history import SavedSteps, joined
from flexmb.solvers.left_out import CONTRADICT, FADE, RowsFadeError
from flexmb.solvers.run import Run
from flexmb.system import sampling as control
from flexmb.system.evaluation import energies

#: how a segment ended: RUNNING when the rows are full; ROWS_…: other constraint rows are needed
RUNNING, DONE, DIVERGED, OUT_OF_ROOM, CONTROL_FAILED, RUNAWAY, TOO_FAST, ROWS_FADE, ROWS_CONTRADICT = range(9)
#: what controllers may have done besides: they changed the forces
COMMANDED = 9
#: a segment may also end because a passage through a singular position is to be tried
PASSAGE_DUE = 10
#: or because another partition into independent and dependent coordinates is to be chosen, or events are at its end
WORN, EVENT = 11, 12


#: Rows of a segment: WORK in unknowns times steps, which take some 0.03 to 0.3 s, and MOST_ROWS where hardly anything
#: moves. Each segment costs the time in which Python lends the arrays of the loop, that of some ten steps of a small
#: system. The number must not depend on how fast the machine is: what is summed from segment to segment is rounded.
WORK, MOST_ROWS = 8192, 2048


@by_reference
class Scales(NamedTuple):
    """Sizes by which coordinates (n,) and constraint rows (m,) are measured, and which coordinates are angles whose
    turn in a step is limited (n,)."""

    coordinates: np.ndarray
    rows: np.ndarray
    turning: np.ndarray


@inlined
def beside_kink(kink):
    """How far from a kink a step ends before it, and the next one begins behind it: rounding of the time, at a kink at
    t = 0, which a run that starts before it meets, that of steps of seconds."""
    return 4e-15 * abs(kink) if kink != 0.0 else 1e-15


@inlined
def _first_kink(kinks, t):
    """The number of the first kink before which a step may end at t or later; kinks are in their order."""
    low, high = 0, kinks.shape[0]
    while low < high:
        middle = (low + high) // 2
        if kinks[middle] - beside_kink(kinks[middle]) < t:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def next_kink(kinks, t, stop):
    """Where a step to `stop` has to end before the next kink, or `stop`."""
    k = _first_kink(kinks, t)
    while k < kinks.shape[0] and kinks[k] - beside_kink(kinks[k]) == t:
        k += 1
    return stop if k == kinks.shape[0] else min(stop, kinks[k] - beside_kink(kinks[k]))


@inlined
def behind_kink(kinks, t, end):
    """The time behind a kink before which a step has just ended, the `end` of the run at the latest; elsewhere t
    itself."""
    k = _first_kink(kinks, t)
    if k < kinks.shape[0] and kinks[k] - beside_kink(kinks[k]) == t:
        return min(kinks[k] + beside_kink(kinks[k]), end)
    return t


@called(None)
def save_row(plan, t, q, v, a, lam, saved, row):
    """Write a state into a row of `saved`."""
    saved.t[row] = t
    for i in range(plan.nq):
        saved.q[row, i] = q[i]
    for i in range(plan.n):
        saved.v[row, i] = v[i]
        saved.a[row, i] = a[i]
    for k in range(plan.m):
        saved.lam[row, k] = lam[k]


@called(int)
def act(plan, scratch, sampling, t, near, q, v, a, lam, weights):
    """Let the controllers act whose instant a time is, or that is `near`; RUNNING, COMMANDED, CONTROL_FAILED or
    RUNAWAY."""
    happened = control.run_controllers(plan, scratch, sampling, t, near, q, v, a, lam)
    if happened == control.FAILED:
        return CONTROL_FAILED
    if sampling.failed[1] >= 0:
        energies(plan, scratch, t, q, v, a, weights, sampling.energies)
        if sampling.energies[0] > sampling.bounds[sampling.failed[1]]:
            return RUNAWAY
        sampling.failed[1] = -1
    return COMMANDED if happened == control.COMMANDED else RUNNING


def _last_two(newest: tuple[SavedSteps, int], chunk: SavedSteps, end: int) -> SavedSteps:
    """The two rows before row `end` of a chunk, the first of which may be the newest of the one before; or one."""
    before, row = newest
    if end > 1 or before is chunk:
        return chunk.part(max(end - 2, 0), end)
    return joined([before.part(row, row + 1), chunk.part(0, end)])


def march(
    run: Run,
    advance: Callable[[SavedSteps], tuple[int, int]],
    clock: Clock,
    grow: Callable[[], None],
    save_every: int = 1,
) -> int:
    """Run a loop to its end. `advance` fills rows, one for each `save_every` steps, and gives a status with their
    number, the `clock` tells the time, and `grow` makes room for factors. The status is DONE, or why the run ended
    before its time; a :class:`~flexmb.solvers.left_out.RowsFadeError` where other constraint rows are needed.

    A loop ends a segment whose rows are full before it begins a step, so that events that are due are at the state of
    the last row. Where there is no room for factors, or accelerations are not determined, that state may still be
    unsaved: its events wait until it is."""
    chunk, filled = run.history.room(), 0
    newest, loops = (chunk, 0), LoopWatch(run)
    batch = max(1, min(MOST_ROWS, WORK // run.system.plan.size) // save_every)
    while True:
        stop = min(filled + batch, len(chunk.t))
        status, rows = advance(chunk.part(filled, stop))
        due = status == EVENT or (status not in (OUT_OF_ROOM, DIVERGED) and run.events.take_due())
        if due:
            run.history.keep(chunk, filled, filled + rows - 1)
            let_passed_happen(run, _last_two(newest, chunk, filled + rows))
            run.history.keep(chunk, filled + rows - 1, filled + rows)
        else:
            run.history.keep(chunk, filled, filled + rows)
        filled += rows
        if rows:
            newest = chunk, filled - 1
        run.t = float(clock.time)
        if due:  # before a passage, and before other rows take part
            of, row = newest
            run.happen(of.q[row], of.v[row], of.a[row], of.lam[row])
        if status == OUT_OF_ROOM:
            grow()
        elif status in (ROWS_FADE, ROWS_CONTRADICT):
            raise RowsFadeError(FADE if status == ROWS_FADE else CONTRADICT)
        elif status not in (RUNNING, EVENT):
            return status
        elif rows and (unstable := loops.unstable(chunk.v[filled - 1], rows * save_every)) >= 0:
            run.sampling.failed[1] = unstable
            return RUNAWAY
        if filled == len(chunk.t):
            chunk = run.history.room(2 * len(chunk.t))
            filled = 0
        run.show()
