"""The latest states of a compiled loop, from which a run moves across a singular position."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any

import numpy as np

from flexmb.kernels.charts import normalize
from flexmb.solvers.changes.passage import KEPT, Passage
from flexmb.solvers.coordinates.coordinates import Coordinates
from flexmb.solvers.rows.singular_value import LEAP, POOR, see_start
from flexmb.solvers.runs.history import SavedSteps
from flexmb.solvers.runs.right_hand_side import RightHandSide, SingularPositionError
from flexmb.solvers.runs.run import Run
from flexmb.solvers.statuses import OK
from flexmb.system.accelerations import Work, with_room

#: Error allowed for a passage without which a run could not continue, and for a passage through a position that the
#: next fixed step would reach.
ERROR_IN_HASTE = 1e-6


class Trail:
    """Keeps the latest steps of a loop and makes passages from them, see :mod:`flexmb.solvers.changes.passage`.

    Arguments: `run`; `watch` (3,), the loop's record of σ, and `rows` (m,), the combination of rows that is about to
    vanish; the `error` allowed for a passage; `grid` [s] of fixed steps; `f`, the equations, if they exist already; the
    `coordinates` of the loop. If joint coordinates are projected onto further rows of the tree, the loop's σ is that of
    these rows, and the passage has to use the same one.
    """

    def __init__(
        self,
        run: Run,
        watch: np.ndarray,
        rows: np.ndarray,
        error: float,
        *,
        grid: float = 0.0,
        f: RightHandSide | None = None,
        coordinates: Coordinates | None = None,
    ) -> None:
        self.run, self.watch, self.rows = run, watch, rows
        self.error, self.grid, self.f = error, grid, f
        if coordinates is not None and coordinates.joints.rows.meets == 1:
            self.f = RightHandSide(run, coordinates=coordinates)
        start = np.array([run.t]), run.q[None, : run.system.nq].copy(), run.v[None, : run.system.n].copy()
        #: pieces of the latest states: times (k,), positions and speeds, a row for each time
        self._pieces: deque[tuple[np.ndarray, ...]] = deque([start])

    def begin(self, work: Work) -> None:
        """Record σ of the present state, from which a loop begins, and the combination of rows that it belongs to."""
        run, system = self.run, self.run.system
        if self.f is not None:
            passage = self.passage()
            self.rows[:], self.watch[:] = passage.u, passage.watch
        elif not system.plan.friction:  # σ is constant then, see `smallest_singular_value`
            q, (v, a), lam = run.q.copy(), np.zeros((2, system.plan.total)), np.zeros(system.m)
            v[: system.n] = run.v[: system.n]
            if len(system.orientations):
                normalize(system.orientations, q)
            args = q, v, a, lam, work, system.row_scale, self.rows, self.watch
            if with_room(system, see_start, run.t, *args) != OK or not np.isfinite(a).all():
                run.suspect = run.t, q, v, np.zeros_like(a)

    def note(self, rows: SavedSteps, count: int) -> None:
        """Keep the last of the `count` rows that a loop has filled."""
        if not count:
            return
        self._pieces.append(tuple(x[max(0, count - KEPT) : count] for x in rows[:3]))
        while sum(len(piece[0]) for piece in islice(self._pieces, 1, None)) >= KEPT:
            self._pieces.popleft()

    @property
    def states(self) -> list[tuple[Any, ...]]:
        """Times, positions and speeds of the latest states."""
        return [state for piece in self._pieces for state in zip(*piece)][-KEPT:]

    def passage(self, error: float | None = None) -> Passage:
        """A passage that has seen the latest states."""
        f, system = self.f or RightHandSide(self.run), self.run.system
        f.lam[:] = 0.0  # after a failed step the multipliers of the run may be infinite
        error = self.error if error is None else error
        passage = Passage(self.run, f, error, error, self.grid)
        passage.asked = self.error, self.error
        passage.watch[1] = self.watch[1]
        passage.u[:] = self.rows
        if system.plan.friction:  # σ is constant then, see `smallest_singular_value`
            return passage
        for t, q, v in self.states:
            try:
                f(float(t), f.carried(q[: system.nq], v[: system.n]))
            except SingularPositionError:  # a step that was too long ended in the singular position
                continue
            passage.see(float(t))
        return passage

    def through(self) -> bool:
        """Try a passage; returns whether the run is now beyond the singular position."""
        passage = self.passage()
        sigmas = [x.sigma for x in passage.seen][-2:]
        if self.grid and len(sigmas) == 2 and sigmas[1] < LEAP * (sigmas[0] - sigmas[1]):
            passage.rtol = passage.atol = max(self.error, ERROR_IN_HASTE)
        return bool(passage.seen) and passage.through()

    def last_resort(self) -> bool:
        """Try a passage for a run that cannot continue otherwise: from the latest states, or else from earlier ones
        that are so far from the singular position that their accelerations are accurate. Returns whether it
        succeeded."""
        passage = self.passage(max(self.error, ERROR_IN_HASTE))
        if passage.near and passage.through():
            return True
        while passage.seen and passage.seen[-1].sigma < POOR * passage.largest:
            passage.seen.pop()
        return passage.near and passage.through()
