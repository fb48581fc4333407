"""Differences of polynomials, which they must hold exactly, and of functions."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.algebra.differences import OFFSETS, ONE_SIDED, WEIGHTS, derivative, slope


@pytest.mark.parametrize("offsets", [OFFSETS, ONE_SIDED])
def test_a_slope_is_exact_for_the_fourth_power_and_of_fourth_order(offsets):
    polynomial = np.polynomial.Polynomial([3.0, -2.0, 1.0, 0.5, 0.25])
    values = [polynomial(0.7 + 0.1 * offset) for offset in offsets]
    assert slope(values, 0.1) == pytest.approx(polynomial.deriv()(0.7), rel=1e-13)
    errors = [slope([np.exp(offset * h) for offset in offsets], h) - 1.0 for h in (0.1, 0.05)]
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.2)


@pytest.mark.parametrize("offsets", [OFFSETS, ONE_SIDED])
def test_what_does_not_change_has_no_slope(offsets):
    values = [np.array([0.1, 1e20, -3.0])] * len(offsets)
    assert slope(values, 1e-3).tolist() == [0.0, 0.0, 0.0]


def test_weights_say_the_same():
    values = np.sin(0.3 + 0.01 * np.array(OFFSETS))
    assert slope(values, 0.01) == pytest.approx(float(np.dot(WEIGHTS, values)) / 0.12, rel=1e-13)


def test_an_extrapolated_derivative_knows_its_error():
    value, error = derivative(lambda x: np.array([np.exp(3.0 * x), np.sqrt(1.0 + x)]), 0.2)
    off = np.abs(value - [3.0, 0.5])
    assert np.all(off < 1e-10) and np.all(error < 1e-9) and np.all(off <= 10.0 * error + 1e-14)
