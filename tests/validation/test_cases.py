"""The quick validation cases hold, and the examples are the mechanisms of the references."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples import four_bar, spin_up
from flexmb.validation import cases, checks_of
from flexmb.validation.recorded import read
from flexmb.validation.references import parallelogram
from flexmb.validation.references import spin_up as data
from flexmb.validation.references.public_robots import path_of

RECORDED = Path(__file__).parents[2] / "docs" / "validation" / "results.json"


@pytest.mark.parametrize(
    "name",
    [
        "beam-frequencies",
        "beam-frequencies-space",
        "torsion-bending-modes",
        "interior-mass",
        "two-squares",
        "four-bar",
        "fold",
        "slider-crank",
        "spin-up",
        "tilted-analyses",
        "rssr",
        "survey-tables",
        "sensitivities-in-space",
        "public-robots",
    ],
)
@pytest.mark.warns(
    fm.errors.InitialConditionWarning, "the initial speeds do not fit the joints", name="sensitivities-in-space"
)
def test_case_holds_and_is_as_it_is_recorded(name):
    checks = checks_of(cases()[name].compute())
    assert not [check for check in checks if not check.passed]
    recorded = read(RECORDED).of(name).checks
    if name == "public-robots":  # some of which may not be installed
        recorded = [old for old in recorded if path_of(old["quantity"].partition(":")[0])]
    assert [check.quantity for check in checks] == [check["quantity"] for check in recorded]
    for check, old in zip(checks, recorded):
        assert (check.source, check.because) == (old["source"], old["because"])
        assert check.tolerance == pytest.approx(old["tolerance"], rel=1e-6)
        assert check.reference == pytest.approx(old["reference"], rel=1e-6, abs=check.tolerance)


def test_the_spin_up_example_has_the_data_of_the_reference():
    assert (spin_up.LENGTH, spin_up.SPEED, spin_up.DURATION) == (data.LENGTH, data.SPEED, data.DURATION)
    assert spin_up.T_END == data.T_END
    blade = spin_up.BLADE
    assert [blade.EA, blade.EI, blade.rhoA] == pytest.approx([data.EA, data.EI, data.RHO_A], rel=1e-14)
    assert (spin_up.REFERENCE, spin_up.REFERENCE_TIME) == (data.REFERENCE_DEFLECTION, data.REFERENCE_TIME)
    chord = next(row for row in data.CMS_ROWS if (row.axial, row.elements) == ("chord", 1))
    assert (spin_up.CHORD, spin_up.CHORD_TIME) == (chord.deflection, chord.time)
    times = np.linspace(0.0, data.T_END, 9)
    angle, rate, second = data.hub(times)
    np.testing.assert_allclose([spin_up.HUB(t) for t in times], angle, atol=1e-12)
    np.testing.assert_allclose([spin_up.HUB.rate(t) for t in times], rate, atol=1e-12)
    np.testing.assert_allclose([spin_up.HUB.second_rate(t) for t in times], second, atol=1e-12)


@pytest.mark.parametrize(
    ("method", "options", "off"),
    [
        ("generalized_alpha", {}, 0.05),
        ("generalized_alpha", {"step": 2e-3}, 5e-3),
        ("projection", {"tolerance": 1e-10, "absolute_tolerance": 1e-12}, 1e-8),
    ],
)
def test_feet_of_the_four_bar_carry_what_newton_says(method, options, off):
    """Both feet together: Σ m (a − g), with half the tip's acceleration a crank and all of it for the coupler."""
    solution = fm.simulate(four_bar.build(), 2.0, method, progress=False, **options)
    phi, rate = parallelogram.angle(solution.t), parallelogram.rate(solution.t)
    second = parallelogram.acceleration(solution.t)
    tip = np.column_stack([np.cos(phi) * second - np.sin(phi) * rate**2, -np.sin(phi) * second - np.cos(phi) * rate**2])
    feet = solution.reaction("left foot")[0] + solution.reaction("right foot")[0]
    np.testing.assert_allclose(feet, 2.0 * tip + [0.0, 3 * 9.81], atol=off)
