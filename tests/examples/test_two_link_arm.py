"""The two-link arm: printed frequencies, three modellings that agree, and what the motors do."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples import two_link_arm as arm


@pytest.mark.parametrize("modelling", arm.MODELLINGS)
def test_natural_frequencies_with_the_motors_held_are_the_printed_ones(modelling):
    found = fm.modes(arm.held(modelling), 2).frequencies
    np.testing.assert_allclose(found.round(2), arm.FREQUENCIES, atol=1e-9)


@pytest.mark.parametrize("case", arm.CASES)
def test_modellings_agree_in_acceleration(case):
    shared, clamped, cable = (arm.move(case, modelling, 2.5) for modelling in arm.MODELLINGS)
    assert arm.apart(shared, clamped) < 1e-6
    assert arm.apart(shared, cable) < 1e-3


def test_the_motors_come_to_their_angles():
    solution = arm.move("case 2", t_end=2.5)
    shoulder, elbow = arm.CASES["case 2"]
    rotors = [solution[f"{name} motor.rotor"][-1] / arm.RATIO for name in ("shoulder", "elbow")]
    np.testing.assert_allclose(rotors, [shoulder, elbow], atol=0.02)
    log = solution.control["shoulder motor servo"]
    np.testing.assert_allclose(np.diff(log.t), arm.PERIOD, rtol=1e-9)


def test_a_heavier_tip_swings_slower():
    light, heavy = (fm.modes(_held(mass), 1).frequencies[0] for mass in (arm.TIP_MASS, 1.2 * arm.TIP_MASS))
    assert 0.9 < heavy / light < 0.99


def _held(tip_mass: float) -> fm.PlanarModel:
    model = arm.build(tip_mass=tip_mass).model
    model.lock(model.ground, model.frame("hub"), "angle")
    model.lock(model.frame("elbow"), model.frame("forearm"), "angle")
    return model
