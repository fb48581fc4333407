"""Mode shapes of the uniform beam: characteristic equation, ends, orthonormality, high modes."""

from decimal import Decimal, getcontext

import numpy as np
import pytest

from flexmb.elements.beam_modes import (
    clamped_clamped,
    clamped_clamped_values,
    clamped_free,
    clamped_free_values,
)

ENDS = {
    "clamped": (clamped_clamped, clamped_clamped_values, 1),
    "free": (clamped_free, clamped_free_values, -1),
}


@pytest.fixture(autouse=True)
def digits():
    """Compute with so many digits that hyperbolic functions of high modes may cancel."""
    before, getcontext().prec = getcontext().prec, 250
    yield
    getcontext().prec = before


def circular(x):
    """cos x, sin x by their series."""
    sums, term, k = [Decimal(0), Decimal(0)], Decimal(1), 0
    while k < 20 or abs(term) > Decimal(10) ** -240:
        sums[k % 2] += term if k % 4 < 2 else -term
        k += 1
        term *= x / k
    return sums


def hyperbolic(x):
    return (x.exp() + (-x).exp()) / 2, (x.exp() - (-x).exp()) / 2


def root(value, sign):
    """The characteristic value to all digits, by Newton's method on cos λ − ± 1/cosh λ."""
    x = Decimal(float(value))
    for _ in range(8):
        (c, s), (ch, sh) = circular(x), hyperbolic(x)
        x -= (c - sign / ch) / (-s + sign * sh / ch**2)
    return x


@pytest.mark.parametrize("end", ENDS)
def test_values_solve_the_characteristic_equation(end):
    _, values, sign = ENDS[end]
    for value in values(12):
        assert abs(float(root(value, sign) - Decimal(float(value)))) <= 2 * np.spacing(value)


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_shape_is_the_textbook_one(end, n):
    shape, values, sign = ENDS[end]
    x = root(values(n)[-1], sign)
    (c, s), (ch, sh) = circular(x), hyperbolic(x)
    sigma = (ch - c) / (sh - s) if end == "clamped" else (sh - s) / (ch + c)
    for eta in (0.0, 0.1, 0.5, 0.83, 1.0):
        (c, s), (ch, sh) = circular(x * Decimal(eta)), hyperbolic(x * Decimal(eta))
        expected = [
            ch - c - sigma * (sh - s),
            x * (sh + s - sigma * (ch - c)),
            x**2 * (ch + c - sigma * (sh + s)),
        ]
        for order, (one, other) in enumerate(zip(shape(n, eta), expected)):
            # the argument λη is rounded to double precision, and its sine and cosine with it
            assert abs(float(one) - float(other)) < 1e-15 * (2 + float(x)) * float(x) ** order, (eta, order)


@pytest.mark.parametrize("end", ENDS)
def test_modes_are_orthonormal(end):
    shape = ENDS[end][0]
    x, w = np.polynomial.legendre.leggauss(120)
    table = np.array([shape(n, 0.5 * (x + 1.0))[0] for n in (1, 2, 3, 8, 30)])
    np.testing.assert_allclose((table * 0.5 * w) @ table.T, np.eye(5), atol=2e-13)


@pytest.mark.parametrize("n", [1, 2, 7, 400])
def test_ends(n):
    value = clamped_clamped_values(n)[-1]
    shape, slope, _ = clamped_clamped(n, np.array([0.0, 1.0]))
    assert np.abs(shape).max() < 1e-15 * (10 + value)
    assert np.abs(slope).max() < 1e-15 * (10 + value) * value
    shape, slope, curvature = clamped_free(n, np.array([0.0, 1.0]))
    assert abs(shape[0]) < 1e-15 and abs(slope[0]) < 1e-15 * value
    assert abs(abs(shape[1]) - 2.0) < 1e-15 * (10 + value)
    assert abs(curvature[1]) < 1e-15 * (10 + value) * value**2
