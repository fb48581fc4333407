"""References of periodic motions against characteristic values, constant coefficients and series."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

from flexmb.validation.references import periodic


@pytest.mark.parametrize("order", [0, 1, 2])
def test_borders_of_mathieus_equation(order):
    a = float(scipy.special.mathieu_a(order, 0.7))
    assert np.trace(periodic.mathieu(a, 0.7)) == pytest.approx(2.0 * (-1.0) ** order, abs=1e-8)


def test_a_flat_shaft_is_unstable_between_its_critical_speeds():
    largest = [np.abs(periodic.flat_shaft(w, 90.0, 110.0, 0.0)).max() for w in (89.0, 91.0, 109.0, 111.0)]
    assert largest[0] < 1.0 + 1e-9 < largest[1] and largest[2] > 1.0 + 1e-9 > largest[3]


def test_stiff_bearings_leave_the_flat_shaft():
    stiff = periodic.flat_shaft_in_bearings(100.0, (8100.0, 12100.0), (3e6, 3e6), (0.1, 1.0), 0.5)
    assert np.abs(stiff).max() == pytest.approx(np.abs(periodic.flat_shaft(100.0, 90.0, 110.0, 0.5)).max(), rel=1e-2)


def test_van_der_pols_cycle_for_a_small_parameter():
    """Amplitude 2, T = 2π (1 + μ²/16), multiplier exp(−2π μ), to the order of the next terms."""
    amplitude, period, multiplier = periodic.van_der_pol(0.1)
    assert amplitude == pytest.approx(2.0, abs=1e-3)
    assert period == pytest.approx(2.0 * np.pi * (1.0 + 0.1**2 / 16.0), rel=1e-5)
    assert np.log(multiplier) == pytest.approx(-2.0 * np.pi * 0.1, rel=2e-3)
