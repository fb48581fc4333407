"""The semi-implicit Euler method: its order, its energy, and what it has from the march."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from tests.models.chains import chain
from tests.models.pendulums import swung
from tests.models.tops import top


def run(model, t_end, step, **options):
    return fm.simulate(model, t_end, "euler", step=step, progress=False, second_run=False, **options)


@pytest.mark.parametrize("coordinates", [{}, {"formulation": "aba"}], ids=["bodies", "joints"])
@pytest.mark.warns(fm.errors.AccuracyWarning, "its energy balance is off by", coordinates={})
def test_it_is_of_first_order(coordinates):
    errors = []
    for step in (2e-3, 1e-3):
        swing = run(chain(1), 2.0, step, **coordinates)
        assert swing.statistics.evaluations == swing.statistics.steps + 1
        errors.append(np.max(np.abs(swing["link0"].angle - swung(swing.t))))
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.1)
    assert errors[1] < 2e-2


@pytest.mark.parametrize(
    "coordinates",
    [{}, {"rotations": "euler_parameters"}, {"rotations": "euler_angles"}, {"formulation": "aba"}],
    ids=["quaternions", "parameters", "angles", "joints"],
)
@pytest.mark.warns(
    fm.errors.AccuracyWarning, "its energy balance is off by", coordinates={"rotations": "euler_parameters"}
)
def test_a_top_turns_in_all_coordinates(coordinates):
    exact = fm.simulate(top(), 0.2, "dop853", tolerance=1e-10, progress=False)
    errors = [
        np.abs(run(top(), 0.2, h, **coordinates)["top"].position[-1] - exact["top"].position[-1]) for h in (2e-4, 1e-4)
    ]
    assert np.max(errors[0]) / np.max(errors[1]) == pytest.approx(2.0, abs=0.3)


def test_energy_does_not_drift():
    """An oscillator of 1 kg and 100 N/m over 160 periods: explicit Euler would gain e^(ω² h T) = e^20 times."""
    m = fm.PlanarModel("oscillator")
    body = m.add_body("body", mass=1.0, inertia=1.0, position=(1.1, 0.0))
    m.prismatic(m.ground, body.frame)
    m.spring_damper(m.ground, body.frame, stiffness=100.0, free_length=1.0)
    swing = run(m, 100.0, 2e-3)
    amplitude = np.abs(swing["body.x"] - 1.0)
    assert np.max(amplitude[-400:]) == pytest.approx(0.1, rel=0.02)


@pytest.mark.warns(fm.errors.AccuracyWarning, "the estimated error of its motion")
def test_the_error_is_estimated_by_half_the_step():
    swing = fm.simulate(chain(1), 2.0, "euler", step=1e-3, progress=False)
    error = np.max(np.abs(swing["link0"].angle - swung(swing.t)))
    assert swing.statistics.estimated_error == pytest.approx(error, rel=0.3)


def test_its_step_is_fixed():
    with pytest.raises(fm.errors.SolverError, match="method 'euler' has no option 'tolerance'"):
        fm.simulate(chain(1), 0.1, "euler", tolerance=1e-6)
    assert len(fm.simulate(chain(1), 0.1, "euler", progress=False, second_run=False, step=1e-3).t) == 101
