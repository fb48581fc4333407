"""Runs with Radau IIA that repeat given steps: between them differences are derivatives of the computed run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from flexmb.algebra.differences import OFFSETS, slope
from flexmb.results.solution import Solution
from flexmb.solvers.binding.bound import Bound, Choices
from flexmb.solvers.methods.radau.radau_loop import advance
from flexmb.solvers.methods.radau.radau_run import OnDae, loop_of
from flexmb.solvers.one_run import asked_of, placed
from flexmb.solvers.runs.history import SavedSteps
from flexmb.solvers.runs.run import Run
from flexmb.solvers.runs.solution_of_run import solution_of

#: what Newton's method leaves in these runs
NEWTON = 1e-13


class _SameSteps(OnDae):
    """Driver of a loop whose steps end at given times (k,), however large their errors."""

    in_lanes = None

    def __init__(self, run: Run, loop: Any, ends: np.ndarray) -> None:
        super().__init__(run, self._step, loop._replace(options=loop.options._replace(allowed=1e300)), 1.0)
        self.ends = ends

    def _step(self, loop: Any, part: SavedSteps) -> tuple[int, int]:
        later = self.ends[self.ends > self.state.time + 1e-12 * self.ends[-1]]
        if len(later):
            self.state.step = later[0] - self.state.time
        status, rows = advance(loop, part.part(0, 1))
        return int(status), int(rows)


def with_same_steps(model: Any, ends: np.ndarray, initial: Any = None) -> Solution:
    """The run of a model by steps that end at given times (k,); the first is its start."""
    bound = Bound(model, "radau", {"newton_tolerance": NEWTON}, Choices(), "simulate", again=False)
    run, _ = placed(bound, asked_of(bound, float(ends[-1]), float(ends[0]), initial, None, False), bound.options)
    with run:
        run.history.order = 5
        loop = loop_of(run, tolerance=1e-6, max_step=None, newton_tolerance=NEWTON, max_iterations=20)
        _SameSteps(run, loop, ends).drive()
    return solution_of(run)


def differences_of_the_same_steps(
    build: Callable[..., Any],
    parameters: Mapping[str, float],
    ends: np.ndarray,
    outputs: Sequence[str],
    part: float = 1e-3,
    initial: Callable[[Any], Any] = lambda model: None,
) -> np.ndarray:
    """Derivatives (k, outputs, parameters) at the end of each step, by differences of fourth order between runs with
    the same steps, in which each parameter changes by a `part` of itself."""
    columns = []
    for name, value in parameters.items():
        e = part * (abs(value) or 1.0)
        runs = []
        for offset in OFFSETS:
            model = build(**{**parameters, name: value + offset * e})
            solution = with_same_steps(model, ends, initial(model))
            _, first = np.unique(solution.t, return_index=True)
            runs.append(np.stack([solution.series(output).values[first] for output in outputs], axis=1))
        columns.append(slope(runs, e))
    return np.stack(columns, axis=2)
