"""The references of screws, universal joints and differentials: closed forms, energies, differences."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.validation.references import cardan
from flexmb.validation.references.differential import Differential
from flexmb.validation.references.screw import Nut


def test_a_plain_nut_falls_evenly():
    nut = Nut()
    assert nut.acceleration(0.0) == nut.acceleration(2.0)
    assert nut.turn(1.5) == pytest.approx(0.5 * nut.acceleration(0.0) * 1.5**2, rel=1e-12)


def test_an_eccentric_nut_keeps_its_energy():
    nut, t, h = Nut(eccentricity=0.12, tilt=0.7), 1.2, 1e-4
    s, rate = nut.turn(t), (nut.turn(t + h) - nut.turn(t - h)) / (2.0 * h)
    along, across = np.cos(nut.tilt), np.sin(nut.tilt)
    height = nut.pitch * s * along + nut.eccentricity * across * (1.0 - np.cos(s))
    assert 0.5 * nut.whole * rate**2 == pytest.approx(-nut.mass * nut.weight * height, rel=1e-6)


def test_the_ratio_of_a_cross_is_the_slope_of_its_angles():
    phi, h = np.linspace(0.0, 7.0, 50), 1e-5
    slope = (cardan.turned(phi + h, 0.6) - cardan.turned(phi - h, 0.6)) / (2.0 * h)
    assert cardan.ratio(phi, 0.6) == pytest.approx(slope, rel=1e-8)
    assert cardan.turned(np.array(40.0 * np.pi), 0.6) == pytest.approx(40.0 * np.pi, rel=1e-14)


def test_the_angles_of_a_cross_keep_its_pins_at_right_angles():
    """Both pins turned about their shafts by Rodrigues' formula."""
    bend, up, second = 0.6, np.array([0.0, 0.0, 1.0]), np.array([np.sin(0.6), 0.0, np.cos(0.6)])
    for phi in np.linspace(0.0, 6.0, 13):
        psi = float(cardan.turned(np.array(phi), bend))
        p = np.array([np.cos(phi), np.sin(phi), 0.0])
        q = np.cos(psi) * np.array([0.0, 1.0, 0.0]) + np.sin(psi) * np.cross(second, [0.0, 1.0, 0.0])
        assert abs(p @ q) < 1e-14 and abs(p @ up) < 1e-15 and abs(q @ second) < 1e-14


def test_free_shafts_keep_their_energy():
    inertias, speed, bend, h = (0.2, 0.3), 10.0, 0.6, 1e-4
    whole = inertias[0] + inertias[1] / np.cos(bend) ** 2
    for t in (0.3, 2.9):
        before, phi, after = (cardan.free_spin(x, bend, inertias, speed) for x in (t - h, t, t + h))
        now = inertias[0] + inertias[1] * cardan.ratio(np.array(phi), bend) ** 2
        assert now * ((after - before) / (2.0 * h)) ** 2 == pytest.approx(whole * speed**2, rel=1e-6)


def test_a_differential_with_equal_wheels_swings_in_closed_form():
    given = Differential(left=0.2, right=0.2)
    omega = np.sqrt(given.stiffness / (given.cage + 0.4))
    for t in (0.4, 3.0):
        left, right = given.turns(t)
        assert 0.5 * (left + right) == pytest.approx(given.wound * (1.0 - np.cos(omega * t)), abs=1e-12)
        assert left - right == pytest.approx(2.0 * given.speed * t, rel=1e-12)
