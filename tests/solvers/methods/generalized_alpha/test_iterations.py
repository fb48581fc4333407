"""How many iterations of Newton's method fixed steps of generalized-α take, and what these leave of the error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples import spin_up
from flexmb.validation import spin_up_space


def top() -> fm.SpatialModel:
    """A fast top on its tip."""
    model = fm.SpatialModel("top", gravity=(0.0, 0.0, -9.81))
    body = model.add_body("body", mass=15.0, inertia=(0.234375, 0.46875, 0.234375), position=(0.0, 1.0, 0.0))
    model.spherical(model.ground, body.attach("tip", (0.0, -1.0, 0.0)))
    body.move((0.0, 0.0, 0.0), (0.0, 10.0, 0.0))
    return model


def blade() -> fm.SpatialModel:
    """One element that a hub turns: in one step by 0.1 rad at last, while its weight lets it swing."""
    return spin_up_space.build(modes=1, torsion_modes=0)


#: build, step [s], end [s], most iterations a step
CASES: tuple[tuple[Callable[[], fm.Model], float, float, float], ...] = (
    (top, 0.01, 2.0, 2.1),
    (top, 0.02, 2.0, 2.1),
    (blade, 0.025, 20.0, 2.4),
    (blade, 0.01, 12.0, 2.2),
    (lambda: spin_up.build(modes=1), 0.025, 20.0, 2.1),
)


@pytest.mark.parametrize(("build", "step", "t_end", "most"), CASES)
@pytest.mark.warns(fm.errors.AccuracyWarning, "the estimated error of its motion", step=0.02)
def test_about_two_iterations_a_step_leave_less_than_a_percent_of_the_error(build, step, t_end, most):
    model = build()
    usual, exact, finer = (
        fm.simulate(model, t_end, progress=False, **options)
        for options in ({"step": step}, {"step": step, "newton_tolerance": 1e-13}, {"step": step / 4})
    )
    assert usual.statistics.iterations < most * usual.statistics.steps
    scale = fm.System(model).scale
    n = len(scale)
    error = np.abs(exact.q[:, :n] - finer.q[::4, :n]) / scale
    left = np.abs(usual.q[:, :n] - exact.q[:, :n]) / scale
    assert left.max() < 1e-2 * error.max()
