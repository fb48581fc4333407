"""Steps of explicit methods, made again for the states within them."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.solvers.methods.scipy_methods import steps_again


@pytest.fixture
def run():
    m = fm.PlanarModel("pendulum", gravity=(0.0, -9.81))
    rod = m.add_body("rod", mass=1.0, inertia=0.1, position=(1.0, 0.0))
    m.revolute(m.ground, rod.attach("eye", (-1.0, 0.0)), name="hinge")
    return fm.simulate(m, 1.0, "dop853", tolerance=1e-9, progress=False)


def test_a_step_is_made_again_once_for_all_that_ask(run, monkeypatch):
    made = []
    again = steps_again.StepsAgain._again
    monkeypatch.setattr(steps_again.StepsAgain, "_again", lambda *given: made.append(1) or again(*given))
    times = 0.5 * (run.t[:-1] + run.t[1:])
    first = run.at(times)["rod.angle"]
    count = len(made)
    assert count == len(run.t) - 1
    assert np.array_equal(run.at(times)["rod.angle"], first)
    assert len(made) == count
    half = run.at(times[:2] + 1e-3)["rod.angle"]  # other times of the same steps
    assert len(made) == count and np.all(half != first[:2])


def test_all_are_forgotten_before_they_take_much_memory(run, monkeypatch):
    times = 0.5 * (run.t[:-1] + run.t[1:])
    known = run.at(times)["rod.angle"]
    monkeypatch.setattr(steps_again, "MOST_NUMBERS", 300)  # those of three steps
    m = run.model
    again = fm.simulate(m, 1.0, "dop853", tolerance=1e-9, progress=False)
    assert np.array_equal(again.at(times)["rod.angle"], known)
