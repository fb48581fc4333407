"""Runs of members in a lane: each begins, marches and is read, one after the other, in one thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from flexmb.batches.lane_image import Constants, LaneImage, put_all
from flexmb.batches.lanes import Lane
from flexmb.feedback.controller import control_logs
from flexmb.results.layout import Layout
from flexmb.results.signals import Logs
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from flexmb.solvers.coordinates.joints.late_forces import LateForces
from flexmb.solvers.one_run import divided_message
from flexmb.solvers.runs.at_times import COLLECTED, AtTimes, MotionAtTimes
from flexmb.solvers.runs.divergence import MANY
from flexmb.solvers.runs.history import SavedSteps, joined
from flexmb.solvers.statuses import DONE, OK
from flexmb.system.sampling import LOGGED, Sampling
from flexmb.system.system import System

#: Rows that a run keeps until it is known whether all times are those of steps.
MOST_KEPT = 8192


class LaneRuns:
    """Runs of members of a batch in a lane of their own, read at `times` (k,) [s], also for joint forces if these are
    read (`forces`), and for the work since the start (`work`), to which all steps add; `stopped` says between two calls
    of compiled code whether to stop. `system`: that of members with other constants, which has those of the member
    that runs."""

    def __init__(
        self, image: LaneImage, times: np.ndarray, forces: bool, work: bool, stopped: Callable[[], bool],
        system: System | None = None,
    ) -> None:  # fmt: skip
        self.lane, self.times, self._stopped = Lane(image), times, stopped
        #: the system with the numbers of this lane, into which reading results writes too
        self.system = system = image.system_of(self.lane.loop, system)
        self._forces, self._work = forces, work
        self._only_end = len(times) == 1 and times[0] == image.t_end and not forces and not work
        self._late = None
        if image.late is not None and (forces or work):
            self._late = LateForces(system, self.lane.loop.coordinates.joints)
        self._controllers = list(system.model.controllers.values())
        #: whether a single run of so large a system adds up its work in parts of other lengths
        self._in_short_parts = work and len(self._history().room().t) < COLLECTED

    def run(
        self, q: np.ndarray | None, v: np.ndarray | None, sampling: Sampling | None, constants: Constants | None = None
    ) -> Solution | None:
        """A member at the times, which begins from positions (nq,) and speeds (n,), those of the image if not given,
        with these controllers and constants: a solution, to be read before the next run of the lane. None if it needs
        Python or was stopped."""
        lane, system = self.lane, self.system
        lane.restore()
        if constants is not None:
            lane.put(constants)
            system.mass_scale = constants.mass_scale
            if self._late is not None:
                joints = lane.loop.coordinates.joints._replace(unit=constants.mass_scale)
                self._late = LateForces(system, joints)
        if q is not None and v is not None:
            lane.motion.q[: system.nq], lane.motion.v[: system.n] = q, v
        if sampling is not None and not put_all(lane.loop.sampling, sampling):
            return None
        if self._in_short_parts or lane.begin() != OK:
            return None
        found = self._end() if self._only_end else self._whole()
        if found is None:
            return None
        states, work = found
        solution = Solution(
            Layout.of(system), SystemSource(system, work), *states, model=system.model, order=lane.image.order
        )
        if self._controllers:
            solution.control = Logs(self._logs())
        return solution

    @property
    def message(self) -> str:
        """Message about the last run, as in the message of a single one."""
        loop = self.lane.loop
        divided = int(loop.counts.divided) if "divided" in loop.counts.fields else 0
        return divided_message(divided, loop.options.step)

    def _end(self) -> tuple[SavedSteps, np.ndarray] | None:
        """March, and keep the last state alone."""
        lane, quiet = self.lane, self._quiet()
        while (status := lane.march()) == OK and lane.rows and quiet() and not self._stopped():
            pass
        if status != DONE or not lane.rows or not quiet():
            return None
        last = SavedSteps(*(x[lane.rows - 1 : lane.rows] for x in lane.saved))
        return self._motion(last._replace(t=self.times)), np.zeros((1, 4))

    def _whole(self) -> tuple[SavedSteps, np.ndarray] | None:
        """March, and keep the states at the times."""
        lane, quiet, history = self.lane, self._quiet(), self._history()
        parts, count = [self._start()], 0
        while True:
            status = lane.march()
            if status not in (OK, DONE) or not quiet() or self._stopped():
                return None
            if status == OK and not lane.rows:  # rejected steps may be due to a function of Python's
                return None
            parts.append(self._saved())
            count += lane.rows
            if status == DONE and history.entered == 1 and (met := self._met(parts)) is not None:
                return met, np.zeros((len(self.times), 4))
            if status == DONE or count > (COLLECTED if self._work else MOST_KEPT):
                if lane.image.again is not None:
                    return None
                parts[1:] = [self._entered(history, joined(parts[1:]), status == DONE)]
                count = len(parts[1].t)
            if status == DONE:
                states = history.arrays()
                return states, history.work() if self._work else np.zeros((len(states.t), 4))

    def _entered(self, history: AtTimes, rows: SavedSteps, all_of_them: bool) -> SavedSteps:
        """Enter rows into the history, so many at a time as a single run does, on which the rounding of sums depends,
        and return the rest."""
        first = 0
        while len(rows.t) - first >= COLLECTED or (all_of_them and first < len(rows.t)):
            last = min(first + COLLECTED, len(rows.t))
            history.keep(rows, first, last)
            first = last
        return rows.part(first, len(rows.t))

    def _saved(self) -> SavedSteps:
        """The steps of the last segment; with multipliers of zero, if nobody reads them."""
        rows = SavedSteps(*(x[: self.lane.rows].copy() for x in self.lane.saved))
        read = self._forces or self._work
        return rows if read else rows._replace(lam=np.zeros((len(rows.t), self.system.m)))

    def _start(self) -> SavedSteps:
        """The state at the start."""
        motion, nq, n = self.lane.motion, self.system.nq, self.system.n
        states = motion.q[None, :nq].copy(), motion.v[None, :n].copy(), motion.a[None, :n].copy()
        return SavedSteps(np.array([self.lane.image.t_start]), *states, motion.lam[None, : self.system.m].copy())

    def _history(self) -> AtTimes:
        """Parts of its steps that a run at these times keeps (:mod:`flexmb.solvers.runs.at_times`), at its start."""
        image, start = self.lane.image, self._start()
        history = (AtTimes if self._work else MotionAtTimes)(self.system, self.times)
        history.order, history.late = image.order, self._late
        history.control = (self.lane.loop.sampling, self._controllers, {}) if self._controllers else None
        history.append(image.t_start, *(x[0] for x in start[1:]))
        return history

    def _met(self, parts: Sequence[SavedSteps]) -> SavedSteps | None:
        """The states at the times, if all of these are the ends of steps: an interpolation has the same numbers there,
        but for joint forces, and for work."""
        if self._forces or self._work:
            return None
        t = np.concatenate([part.t for part in parts])
        places = np.searchsorted(t, self.times)
        if not (t[np.minimum(places, len(t) - 1)] == self.times).all() or not (np.diff(t) > 0.0).all():
            return None
        q, v, a = (np.concatenate(column)[places] for column in zip(*(part[1:4] for part in parts)))
        return self._motion(SavedSteps(self.times, q, v, a, self.times))

    def _motion(self, states: SavedSteps) -> SavedSteps:
        """States with multipliers of zero, which nobody reads."""
        t, q, v, a, _ = states
        return SavedSteps(t, q.copy(), v.copy(), a.copy(), np.zeros((len(t), len(self.system.assembly.every_row))))

    def _quiet(self) -> Callable[[], bool]:
        """A function that is to be called after each segment: whether the last instant of a controller is not so long
        ago that the driver of a single run asks whether its loop is unstable
        (:class:`~flexmb.solvers.runs.divergence.LoopWatch`)."""
        if not self._controllers:
            return lambda: True
        lane, seen = self.lane, [-1, 0]

        def quiet() -> bool:
            instants = int(lane.loop.sampling.controllers[:, LOGGED].sum())
            seen[:] = instants, (lane.rows if instants != seen[0] else seen[1] + lane.rows)
            return seen[1] <= MANY

        return quiet

    def _logs(self) -> dict[str, Any]:
        """Readings and commands of the last run's controllers, by their names."""
        return control_logs(self.lane.loop.sampling, self._controllers, self.lane.image.t_end, {})
