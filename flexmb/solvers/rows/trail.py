"""The latest states of a compiled loop, from which it may pass through a singular position."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any

import numpy as np

from flexmb.solvers.coordinates import Coordinates
from flexmb.solvers.history import SavedSteps
from flexmb.solvers.rows.passage import KEPT, LEAP, POOR, Passage
from flexmb.solvers.run import Run
from flexmb.solvers.scipy_methods.right_hand_side import RightHandSide, SingularPositionError

#: the error of a passage without which a run cannot go on, and of one into whose position the next step would lead
ERROR_IN_HASTE = 1e-6


class Trail:
    """Remembers steps, and makes passages that have seen them, see :mod:`flexmb.solvers.rows.passage`.

    Arguments: `run`; `watch` (3,), what the loop knows of σ, and `rows` (m,), the combination of rows that is about to
    vanish; `error` that a passage may have; `grid` [s] of fixed steps; `f`, the equations, where there are
    some already; the `coordinates` of the loop. σ is that of rows on the tree where joint coordinates are put onto
    these, and the passage has to speak of the same one.
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
        #: times (k,), positions and speeds, rows of each, piece by piece
        self._pieces: deque[tuple[np.ndarray, ...]] = deque([start])

    def note(self, rows: SavedSteps, count: int) -> None:
        """Remember the last of the rows that a loop has filled."""
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
        """A passage that has seen the states."""
        f, system = self.f or RightHandSide(self.run), self.run.system
        f.lam[:] = 0.0  # after a step that failed, those of the run are not finite
        error = self.error if error is None else error
        passage = Passage(self.run, f, error, error, self.grid)
        passage.asked = self.error, self.error
        passage.watch[1] = self.watch[1]
        passage.u[:] = self.rows
        if system.plan.friction:  # which leads to no passage, see `smallest_singular_value`
            return passage
        for t, q, v in self.states:
            try:
                f(float(t), f.carried(q[: system.nq], v[: system.n]))
            except SingularPositionError:  # a step that was too long ended in the position
                continue
            passage.see(float(t))
        return passage

    def through(self) -> bool:
        """Try a passage; whether the run is on the other side."""
        passage = self.passage()
        sigmas = [x.sigma for x in passage.seen][-2:]
        if self.grid and len(sigmas) == 2 and sigmas[1] < LEAP * (sigmas[0] - sigmas[1]):
            passage.rtol = passage.atol = max(self.error, ERROR_IN_HASTE)
        return bool(passage.seen) and passage.through()

    def last_resort(self) -> bool:
        """The same for a run that cannot go on otherwise, also from states that are not so near the singular position
        that rounding spoils their accelerations."""
        passage = self.passage(max(self.error, ERROR_IN_HASTE))
        if passage.near and passage.through():
            return True
        while passage.seen and passage.seen[-1].sigma < POOR * passage.largest:
            passage.seen.pop()
        return passage.near and passage.through()
