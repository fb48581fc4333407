"""The reduced equations of a run at its end, and their Jacobian against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.solvers.methods.independent.problem import Problem


def problem_of(model: Any, monkeypatch: pytest.MonkeyPatch, **options: Any) -> Problem:
    """The problem of a run of a model by 'independent', at its end."""
    made = []
    use = Problem.use
    monkeypatch.setattr(Problem, "use", lambda self, *args: (made.append(self), use(self, *args))[1])
    fm.simulate(model, 0.11, "independent", progress=False, **options)
    return made[-1]


def assert_jacobian_is_that_of_differences(problem: Problem, x: np.ndarray, step: float, near: float) -> None:
    """At a state x a little behind the end; differences are steps of that size, and both are `near` one another, in
    units of the numbers that are carried."""
    t, size, scale = problem.run.t + 1e-3, len(x), problem.scale
    rates, J, by_differences = np.empty(size), np.full((size, size), np.nan), np.zeros((size, size))
    problem.derivative(t, x, rates)
    problem.jacobian(t, x, rates, J)
    for k in range(size):
        sides = []
        for way in (1.0, -1.0):
            moved, out = x.copy(), np.empty(size)
            moved[k] += way * step * scale[k]
            problem.derivative(t, moved, out)
            sides.append(out)
        by_differences[:, k] = (sides[0] - sides[1]) / (2.0 * step * scale[k])
    in_units = scale[:, None] / scale
    np.testing.assert_allclose(J / in_units, by_differences / in_units, atol=near * np.max(np.abs(J / in_units)))
