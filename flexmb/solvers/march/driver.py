"""The driver of a compiled loop in Python: it calls the loop segment by segment, through singular positions, to the end
of a run.

Between segments Python handles Ctrl-C, which ends one before its next step, events, the progress bar and the memory for
factors. A subclass of :class:`Driver` adds what depends on the method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from signal import SIGINT, raise_signal
from typing import Any

from flexmb.forces.callbacks import raise_failures
from flexmb.solvers.changes.events_on_passages import let_passed_happen
from flexmb.solvers.changes.trail import Trail
from flexmb.solvers.march.in_lanes import FirstStep, InLanes
from flexmb.solvers.rows.left_out import RowsFadeError
from flexmb.solvers.runs.divergence import LoopWatch, controllers_hint, failure_message, runaway_message
from flexmb.solvers.runs.history import SavedSteps, joined
from flexmb.solvers.runs.known_begin import about_to_begin
from flexmb.solvers.runs.reasons import TimedState
from flexmb.solvers.runs.run import Run
from flexmb.solvers.statuses import (
    ASKED,
    CONTRADICT,
    CONTROL_FAILED,
    DIVERGED,
    DONE,
    EVENT,
    FADE,
    NO_ROOM,
    OK,
    PASSAGE_DUE,
    RUNAWAY,
)

#: Number of rows that a segment fills: at most WORK divided by the number of unknowns, which takes up to a second or
#: two where systems are large, and at most MOST_ROWS. Each segment costs some 0.1 ms, in which Python passes the arrays
#: of the loop, keeps rows and shows progress: that is ten steps of a robot's arm. The number must not depend on the
#: speed of the machine: sums over segments depend on it by round-off.
WORK, MOST_ROWS = 98304, 1024
#: Counters of the loops, by their names in the statistics.
COUNTED = ("steps", "rejected", "iterations", "factorizations", "jacobians", "evaluations", "divided")
#: Largest values over a run: variables of the loops, and their names in the statistics.
LARGEST = {"drift": "position_drift", "velocity_drift": "velocity_drift", "step_error": "step_error"}


class Driver:
    """Runs the compiled loop `advance` of a method from the start of a run to its end.

    `loop` is the tuple of everything that the loop reads and writes, `trail` its latest states if it can pass through
    singular positions; `save_every`: only every n-th step fills a row.
    """

    #: First step after a passage without which the run could not continue, as a part of the run.
    shortest_behind = 1e-6
    #: functions that begin and march in a lane, without Python; None: the method needs Python
    in_lanes: InLanes | None = None

    def __init__(self, run: Run, advance: Callable[..., Any], loop: Any, save_every: int = 1) -> None:
        self.run, self.advance, self.loop, self.save_every = run, advance, loop, save_every
        self.state, self.counts = loop.state, loop.counts
        self.trail: Trail | None = None
        #: whether the loop was given σ at the start
        self.follows = False

    # -- for methods to define --------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Prepare for the first segment."""

    def grow(self) -> None:
        """Enlarge the memory for factors."""
        raise NotImplementedError

    def behind_passage(self) -> None:
        """Continue from the present state of the run, after a singular position."""

    def in_need(self) -> bool:
        """Whether to try a passage because no further step is possible."""
        return True

    def trouble(self, status: int) -> str:
        """Why the method cannot go on, in words."""
        raise NotImplementedError

    def tried(self) -> Iterable[TimedState]:
        """States of the last trial step."""
        return ()

    def first(self) -> FirstStep:
        """The first step of a run, where the method does not find it in its loop."""
        return FirstStep()

    # -- shared by all methods --------------------------------------------------------------------------------------

    def drive(self) -> None:
        """Simulate to the end of the run, or until it has to stop; then write the counters to the statistics."""
        self.run.guarded(self.to_end)
        self.report()

    def follow_singular_values(self, trail: Trail) -> None:
        """Give the loop the value of σ at the start, so that it stops where a passage is due."""
        self.trail, self.follows = trail, True
        if not self.run.begun:  # or it has it
            trail.begin(self.loop.work)

    def to_end(self) -> None:
        """Simulate to the end of the run, or until it diverges."""
        self.begin()
        about_to_begin(self.run, self)
        while True:
            try:
                status = self.march()
            finally:
                self.run.step = float(self.state.step)
            if not self.resumes(status):
                break
            self.run.show()
        if status != DONE:
            self.run.diverged(self.why(status), self.tried() if status == DIVERGED else ())

    def resumes(self, status: int) -> bool:
        """Whether the run continues after it ended with `status`, that is, after a passage through a singular
        position."""
        if self.trail is None:
            return False
        if status == PASSAGE_DUE:
            if self.trail.through():
                self.behind_passage()
            return True
        if status == DIVERGED and self.in_need() and self.trail.last_resort():
            self.behind_passage()
            self.state.step = self.shortest_behind * (self.run.t_end - self.run.t_start)
            return True
        return False

    def name_of(self, number: int) -> str:
        """The name of coordinate `number`, or of the component of a constraint row; rows are counted after the
        coordinates."""
        system = self.run.system
        return system.names[number] if number < system.n else system.rows[number - system.n].where

    def why(self, status: int) -> str:
        """Why a run ended early, in words."""
        if status == RUNAWAY:
            return runaway_message(self.run)
        if status == CONTROL_FAILED:
            return failure_message(self.run)
        return f"{self.trouble(status)}{controllers_hint(self.run)}"

    def report(self) -> None:
        """Add the counters of the loop to the statistics of the run."""
        statistics, state = self.run.report.statistics, self.state
        for name in COUNTED:
            if name in self.counts.fields:
                setattr(statistics, name, getattr(statistics, name) + int(self.counts[name]))
        for name, largest in LARGEST.items():
            if name in state.fields:
                setattr(statistics, largest, max(getattr(statistics, largest), float(state[name])))
        if "carried" in state.fields:
            self.run.report.carried_error += float(state.carried)

    def march(self) -> int:
        """Call the loop until it ends for a reason other than full rows; returns DONE, or the status with which the run
        ended early; raises a :class:`~flexmb.solvers.rows.left_out.RowsFadeError` if other constraint rows are needed.

        A loop ends a segment with full rows before it begins a step, so that events that are due belong to the state of
        the last row. When the memory for factors is too small, or accelerations are not determined, this state may not
        be saved yet: its events wait until it is.
        """
        run, save_every = self.run, self.save_every
        chunk, filled = run.history.room(), 0
        newest, loops = (chunk, 0), LoopWatch(run)
        batch = max(1, min(MOST_ROWS, WORK // run.system.plan.size) // save_every)
        while True:
            part = chunk.part(filled, min(filled + batch, len(chunk.t)))
            status, rows = self.advance(self.loop, part)
            if self.trail is not None:
                self.trail.note(part, rows)
            due = status == EVENT or (status not in (NO_ROOM, DIVERGED) and run.events.take_due())
            if due:
                run.history.keep(chunk, filled, filled + rows - 1)
                let_passed_happen(run, _last_two(newest, chunk, filled + rows))
                run.history.keep(chunk, filled + rows - 1, filled + rows)
            else:
                run.history.keep(chunk, filled, filled + rows)
            filled += rows
            if rows:
                newest = chunk, filled - 1
            run.t = float(self.state.time)
            if due:  # before a passage, and before other rows are chosen
                of, row = newest
                run.happen(of.q[row], of.v[row], of.a[row], of.lam[row])
            if status == NO_ROOM:
                self.grow()
            elif status == ASKED:
                raise_signal(SIGINT)
            elif status in (FADE, CONTRADICT):
                raise RowsFadeError(status)
            elif status not in (OK, EVENT):
                return status
            elif rows == 0:
                raise_failures(run.system.model.components.values())
            elif (unstable := loops.unstable(chunk.v[filled - 1], rows * save_every)) >= 0:
                run.sampling.failed[1] = unstable
                return RUNAWAY
            if filled == len(chunk.t):
                chunk = run.history.room(2 * len(chunk.t))
                filled = 0
            run.show()


def _last_two(newest: tuple[SavedSteps, int], chunk: SavedSteps, end: int) -> SavedSteps:
    """The two rows before row `end` of a chunk, where the first may be `newest`, the last row of the chunk before; or
    the only row."""
    before, row = newest
    if end > 1 or before is chunk:
        return chunk.part(max(end - 2, 0), end)
    return joined([before.part(row, row + 1), chunk.part(0, end)])
