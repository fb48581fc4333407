"""What explicit methods say where forces are too stiff for the step that was asked for."""

from __future__ import annotations

import pytest

import flexmb as fm
from tests.models.cantilevers import strip


@pytest.mark.parametrize("elements", [1, 4])
def test_a_step_that_is_too_long_names_a_shorter_one_and_implicit_methods(elements):
    """The states that the next step would meet are absurd; it is not the beam that is blamed for them."""
    with pytest.warns(
        fm.errors.DivergenceWarning, match=r"the step 0.001 s is too long.*take step=.*'generalized_alpha' or"
    ):
        run = fm.simulate(strip(elements), 0.1, "rkf45", step=1e-3, progress=False)
    assert run.status == "diverged" and run.t[-1] < 0.01


def test_steps_that_follow_the_error_are_right():
    run = fm.simulate(strip(1), 0.05, "rkf45", tolerance=1e-6, progress=False)
    exact = fm.simulate(strip(1), 0.05, "radau", tolerance=1e-8, progress=False)
    assert run["strip.end.z"][-1] == pytest.approx(exact["strip.end.z"][-1], abs=1e-5)
