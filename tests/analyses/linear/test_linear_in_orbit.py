"""Linear models in orbit, where gravity turns with time: of what turns along, or of an instant, which is said."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import BalanceWarning, LinearModelError, ModelError

MU, RADIUS = 3.986004418e14, 7.0e6
SPEED = float(np.sqrt(MU / RADIUS))
ORBIT = fm.spatial.CentralGravity(MU, (RADIUS, 0, 0), (0, SPEED, 0))


def rod(spin=0.0, gravity=ORBIT, turn=0.0):
    """A body that is no top of symmetry, upright or askew in the plane of its orbit."""
    m = fm.SpatialModel("rod", gravity=gravity)
    m.add_body("body", mass=1.0, inertia=(0.1, 1.0, 1.05), orientation=fm.rotation_vector((0, 0, turn)))
    m.set_rigid_motion((0, 0, 0), (0, 0, spin))
    return m


@pytest.mark.parametrize("about", ["equilibrium", "start"])
def test_poles_of_what_turns_with_the_orbit_are_its_librations(about):
    """Of pitch √(3 (Jy − Jx)/Jz), and of roll and yaw with Kane's k₁, k₃: s⁴ + (1 + 3 k₁ + k₁ k₃) s² + 4 k₁ k₃."""
    steady = fm.equilibrium(rod(), spin=ORBIT.rate, axis="z") if about == "equilibrium" else rod(ORBIT.rate)
    found = np.abs(fm.linearize(steady, steady=True).poles.imag) / ORBIT.rate
    k1, k3 = (1.05 - 0.1) / 1.0, (1.05 - 1.0) / 0.1
    across = np.sqrt(np.roots([1.0, -(1.0 + 3.0 * k1 + k1 * k3), 4.0 * k1 * k3]))
    for wanted in (np.sqrt(3.0 * 0.9 / 1.05), *across, 1.0):
        assert np.abs(found - wanted).min() < 1e-6
    assert np.abs(fm.linearize(steady, steady=True).poles.real).max() < 1e-6 * ORBIT.rate


@pytest.mark.parametrize(("spin", "turn"), [(0.0, 0.0), (5.0 * ORBIT.rate, 0.0), (ORBIT.rate, 0.3)])
def test_what_does_not_turn_with_the_orbit_has_no_constant_coefficients(spin, turn):
    with pytest.raises(LinearModelError, match="the state is no steady motion"):
        fm.linearize(rod(spin, turn=turn), steady=True)


def test_nothing_is_steady_on_an_ellipse():
    ellipse = fm.spatial.CentralGravity(MU, (RADIUS, 0, 0), (0, 1.01 * SPEED, 0))
    with pytest.raises(ModelError, match=r"eccentricity 0\.0201"):
        fm.linearize(rod(ellipse.rate, ellipse), steady=True)


def test_coefficients_of_an_instant_say_so():
    with pytest.warns(BalanceWarning, match="of one instant, at t = 0 s: gravity turns along its orbit"):
        one = fm.linearize(rod())
    assert np.array_equal(one.A, fm.linearize(rod(), steady=False).A)
