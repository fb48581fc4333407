"""Random mechanisms whose joints stick: two methods that have little in common come to the same motion and events."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexmb as fm
from flexmb.solvers.binding.initial_state import initial_state
from flexmb.validation.random_mechanisms.friction import with_sticking_joints
from flexmb.validation.random_mechanisms.making import Maker, Mechanism


def mechanism(number: int) -> Mechanism:
    return with_sticking_joints(Maker(np.random.default_rng([7, number])), space=number % 3 != 0)


def run(number: int, method: str, tolerance: float) -> tuple[np.ndarray, list[tuple[str, str]]]:
    """Positions of the bodies at some times in model lengths, and what their joints did."""
    made = mechanism(number)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.InitialConditionWarning)
        start = initial_state(made.model)  # whose speeds the joints need not allow
        solution = fm.simulate(made.model, 3.0 * made.time, method, initial=start, tolerance=tolerance, progress=False)
    assert solution.status == "finished" and solution.trustworthy
    at = solution.at(np.linspace(0.0, 3.0 * made.time, 31))
    bodies = [name for name in made.model.components if name.startswith("link")]
    places = np.concatenate([at[name].position for name in bodies], axis=1)
    return places / made.length, [(event.name, event.done[0]) for event in solution.events]


@pytest.mark.parametrize(("number", "tolerance"), [(12, 1e-4), (66, 1e-5), (74, 1e-3), (98, 1e-3), (138, 1e-3)])
def test_generalized_alpha_and_dop853_agree(number: int, tolerance: float) -> None:
    places, events = run(number, "generalized_alpha", tolerance)
    exact, their = run(number, "dop853", 1e-9)
    assert events == their
    assert np.abs(places - exact).max() < tolerance
