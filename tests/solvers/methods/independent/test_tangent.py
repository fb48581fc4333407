"""The exact Jacobian of the reduced equations against differences of the compiled rates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.algebra.factors import dense
from flexmb.examples.slider_crank import build as slider_crank
from flexmb.examples.spin_up import build as spin_up
from flexmb.solvers.methods.independent.partition import Partition
from flexmb.solvers.methods.independent.problem import Problem
from flexmb.solvers.methods.independent.reduced_equations import part_of_move
from flexmb.validation import heavy_top
from tests.models.chains import askew, chain
from tests.models.parallelograms import four_bars
from tests.models.vehicles import train
from tests.solvers.methods.independent.problems import assert_jacobian_is_that_of_differences, problem_of


def pushed() -> fm.PlanarModel:
    """A body in a force of Python that depends on place, angle, speeds and time."""
    m = fm.PlanarModel("pushed")
    body = m.add_body("body", mass=2.0, inertia=0.3)
    body.move((1.0, 0.3), 0.7)
    m.python_force(body.frame, lambda t, x, v: (-x[0] * v[1], np.sin(x[2]) + t, -v[2] * x[1]))
    return m


#: models, times and names of independent coordinates
MODELS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "chain": (lambda: chain(3), {}),
    "spin-up": (spin_up, {}),
    "slider-crank": (lambda: slider_crank(driven=False, start=0.3), {}),
    "parallelogram": (lambda: four_bars(1), {}),
    "velocity rows": (lambda: train(2), {}),
    "velocity rows, sparse": (lambda: train(12), {}),
    "heavy top": (heavy_top.build, {}),
    "hinges in space": (askew, {"coordinates": ["upper.wz", "lower.wy"]}),
    "force of Python": (pushed, {}),
}


def _problem(name: str, monkeypatch: pytest.MonkeyPatch) -> Problem:
    build, options = MODELS[name]
    return problem_of(build(), monkeypatch, **options)


@pytest.mark.parametrize("name", MODELS)
def test_how_far_dependent_coordinates_follow(name, monkeypatch):
    """Compiled, of a partition, and by the whole matrices."""
    problem = _problem(name, monkeypatch)
    system, t, q = problem.run.system, problem.run.t, problem.run.q
    if not system.m:
        return
    assert problem.arrive(t, problem.start())
    partition = Partition(system, t, q)
    w = np.zeros(system.n)
    for chosen, stretch in ((problem.partition, problem.equations.found.stretch), (partition, partition.stretch)):
        free, held = chosen.independent_speeds, chosen.dependent_speeds
        w[:] = 0.0
        w[free] = [part_of_move(int(k)) * system.scale[k] for k in free]
        G = dense(system.jacobian(t, q[: system.nq]))
        moves = np.linalg.solve(G[:, held], G @ w) / system.scale[held]
        assert stretch == pytest.approx(np.max(np.abs(moves)), rel=1e-8)


@pytest.mark.parametrize("name", MODELS)
def test_jacobian_is_that_of_differences(name, monkeypatch):
    problem = _problem(name, monkeypatch)
    assert_jacobian_is_that_of_differences(problem, problem.start() * (1.0 + 1e-4), 3e-6, 1e-6)
