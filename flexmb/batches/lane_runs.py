"""Runs of members in a lane: each begins, marches and is read, one after the other, in one thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from flexmb.batches.lane_image import LaneImage, put_all
from flexmb.batches.lanes import Lane
from flexmb.feedback.controller import control_logs
from flexmb.results.between_steps.interpolation import Interpolation
from flexmb.results.between_steps.nodes import States
from flexmb.results.layout import Layout
from flexmb.results.signals import Logs, held_commands
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from flexmb.solvers.one_run import divided_message
from flexmb.solvers.runs.at_times import STEPS_AHEAD, STEPS_BEHIND
from flexmb.solvers.runs.history import SavedSteps, joined
from flexmb.solvers.statuses import DONE, OK
from flexmb.system.sampling import Sampling


class LaneRuns:
    """Runs of members of a batch in a lane of their own, read at `times` (k,) [s], also for joint forces if these are
    read (`forces`); `stopped` says between two calls of compiled code whether to stop."""

    def __init__(self, image: LaneImage, times: np.ndarray, forces: bool, stopped: Callable[[], bool]) -> None:
        self.lane, self.times, self._forces, self._stopped = Lane(image), times, forces, stopped
        self.system = image.system
        self._only_end = len(times) == 1 and times[0] == image.t_end and not forces

    def run(self, q: np.ndarray | None, v: np.ndarray | None, sampling: Sampling | None) -> SavedSteps | None:
        """The states of a member at the times, which begins from positions (nq,) and speeds (n,), those of the image if
        not given, with these controllers; None if it needs Python or was stopped."""
        lane, system = self.lane, self.system
        lane.restore()
        if q is not None and v is not None:
            lane.motion.q[: system.nq], lane.motion.v[: system.n] = q, v
        if sampling is not None and not put_all(lane.loop.sampling, sampling):
            return None
        if lane.begin() != OK:
            return None
        return self._end() if self._only_end else self._whole()

    def _end(self) -> SavedSteps | None:
        """March, and keep the last state alone."""
        lane, saved = self.lane, self.lane.saved
        while (status := lane.march()) == OK and lane.rows and not self._stopped():
            pass
        last = lane.rows - 1
        if status != DONE or last < 0:
            return None
        return SavedSteps(self.times, *(x[last : last + 1].copy() for x in saved[1:]))

    def _whole(self) -> SavedSteps | None:
        """March, and keep the states at the times."""
        lane, motion = self.lane, self.lane.motion
        late, lam = lane.image.late, motion.lam[None, : self.system.m]
        states = (motion.q[None], motion.v[None], motion.a[None], lam if late is None else late.kept_of(lam))
        first = (x[:, : room.shape[1]].copy() for x, room in zip(states, lane.saved[1:]))
        parts = [SavedSteps(np.array([lane.image.t_start]), *first)]
        while True:
            status = lane.march()
            if status not in (OK, DONE) or self._stopped():
                return None
            parts.append(SavedSteps(*(x[: lane.rows].copy() for x in lane.saved)))
            if status == DONE:
                return self._at_times(parts)
            if not lane.rows:  # rejected steps may be due to a function of Python's
                return None

    def _at_times(self, parts: Sequence[SavedSteps]) -> SavedSteps | None:
        """The states at the times, as a run at these times has them (:mod:`flexmb.solvers.runs.at_times`)."""
        rows, image = joined(parts), self.lane.image
        places = np.searchsorted(rows.t, self.times)
        met = (rows.t[np.minimum(places, len(rows.t) - 1)] == self.times).all() and (np.diff(rows.t) > 0.0).all()
        if met and not self._forces:  # joint forces at a step have the rounding of an interpolation
            return SavedSteps(*(x[places] for x in rows))
        if image.again is not None:
            return None
        between = Interpolation(rows.t, np.minimum(self.times, rows.t[-1]), image.where, image.order)
        if image.late is not None and self._forces:
            near = between.left[:, None] + np.arange(-STEPS_BEHIND, STEPS_AHEAD + 1)
            which = np.unique(np.clip(near, 0, len(rows.t) - 1))
            lam = np.zeros((len(rows.t), len(self.system.assembly.every_row)))
            lam[which] = self._late_forces(rows, which)
            rows = rows._replace(lam=lam)
        there = between.states(States(*rows[1:]), self.system.orientations, again=None)
        return SavedSteps(self.times, *there[0])

    def solution(self, states: SavedSteps) -> Solution:
        """The states of the last run as a solution, whose results are found when they are read."""
        image, system = self.lane.image, self.system
        logs = self._logs()
        if image.late is None:
            forces = system.for_all_rows(states.lam)
        elif self._forces:
            forces = states.lam  # of all rows, since they were found for these times
        else:
            forces = np.zeros((len(states.t), len(system.assembly.every_row)))
        found = Solution(Layout.of(system), SystemSource(system), *states[:4], forces, model=system.model)
        if logs:
            found.control = Logs(logs)
        return found

    @property
    def message(self) -> str:
        """Message about the last run, as in the message of a single one."""
        loop = self.lane.loop
        divided = int(loop.counts.divided) if "divided" in loop.counts.fields else 0
        return divided_message(divided, loop.options.step)

    def _logs(self) -> dict[str, Any]:
        """Readings and commands of the last run's controllers, by their names."""
        controllers = list(self.system.model.controllers.values())
        if not controllers:
            return {}
        return control_logs(self.lane.loop.sampling, controllers, self.lane.image.t_end, {})

    def _late_forces(self, rows: SavedSteps, which: np.ndarray) -> np.ndarray:
        """The multipliers (p, all rows) of some of the states."""
        late, (t, q, v, a, kept) = self.lane.image.late, (x[which] for x in rows)
        assert late is not None
        return late.multipliers(t, q, v, a, kept, held_commands([*self._logs().values()], t, until=True))
