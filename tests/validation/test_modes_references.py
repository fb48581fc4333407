"""The references for rotating blades and Beck's column, against other derivations of the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_bvp
from scipy.linalg import eigh

from flexmb.validation.references import beam_with_mass, beck, clamped_beam, curved_rods, rotating_beam, thick_beam


def test_at_rest_a_blade_is_a_cantilever():
    assert np.allclose(rotating_beam.flap(0.0), clamped_beam.frequencies(3, 1.0, 1.0, 1.0), rtol=1e-9)


@pytest.mark.parametrize("eta", sorted(rotating_beam.PUBLISHED))
def test_published_frequencies(eta):
    assert np.allclose(rotating_beam.flap(eta), rotating_beam.PUBLISHED[eta], rtol=0.0, atol=1.0e-4)


def test_first_frequency_as_a_boundary_value_problem():
    """w, w', w'', w''' and ω² by collocation instead of Ritz' method."""
    eta = 6.0

    def right(x, y, p):
        tension = 0.5 * eta**2 * (1.0 - x**2)
        return np.array([y[1], y[2], y[3], tension * y[2] - eta**2 * x * y[1] + p[0] * y[0]])

    def ends(a, b, p):
        return np.array([a[0], a[1], b[2], b[3], b[0] - 1.0])

    x = np.linspace(0.0, 1.0, 41)
    guess = np.array([x**2, 2 * x, 2 + 0 * x, 0 * x])
    found = solve_bvp(right, ends, x, guess, p=[54.0], tol=1e-9, max_nodes=20000)
    assert found.success
    assert np.isclose(np.sqrt(found.p[0]), rotating_beam.flap(eta)[0], rtol=1e-8)


def test_southwells_coefficient():
    slow = 1e-2
    slope = (rotating_beam.flap(slow) ** 2 - rotating_beam.flap(0.0) ** 2) / slow**2
    assert np.allclose(slope, rotating_beam.southwell(), rtol=1e-3)
    assert round(float(rotating_beam.southwell()[0]), 4) == 1.1933


def test_becks_column():
    load, frequency = beck.flutter()
    assert round(load, 2) == 20.05 and round(frequency, 2) == 11.02
    # without a load it is a cantilever
    for omega in clamped_beam.frequencies(2, 1.0, 1.0, 1.0):
        size = abs(beck.characteristic(0.0, 1.01 * omega))
        assert abs(beck.characteristic(0.0, omega)) < 1e-10 * size
    # below the flutter load two frequencies, above it none near
    values = [[beck.characteristic(share * load, w) for w in np.linspace(5.0, 18.0, 2001)] for share in (0.999, 1.001)]
    crossings = [int(np.sum(np.diff(np.sign(row)) != 0)) for row in values]
    assert crossings == [2, 0]


def test_a_mass_on_a_cantilever():
    """Without a mass, with one at the end (closed form), and with one so heavy that it clamps its place."""
    none = beam_with_mass.frequencies(4, 1.5, 2.0, 0.5, 0.0, 0.0, 0.7)
    assert np.allclose(none, clamped_beam.frequencies(4, 1.5, 2.0, 0.5), rtol=1e-12)
    k = np.sqrt(beam_with_mass.frequencies(2, 1.0, 1.0, 1.0, 0.7, 0.0, 1.0))
    tip = 1.0 + np.cos(k) * np.cosh(k) + 0.7 * k * (np.cos(k) * np.sinh(k) - np.sin(k) * np.cosh(k))
    assert np.abs(tip / np.cosh(k)).max() < 1e-12
    heavy = beam_with_mass.frequencies(3, 1.0, 1.0, 1.0, 1e6, 1e6, 0.4)
    assert np.allclose(heavy[2], clamped_beam.frequencies(1, 0.6, 1.0, 1.0), rtol=1e-5)


def test_a_thick_beam_is_two_coupled_oscillators():
    """Timoshenko's beam in one wave, as an eigenvalue problem of w and ψ; a slender one is Euler's."""
    length, EI, GA, rhoA, rhoI = 1.3, 20.0, 900.0, 2.0, 0.05
    found = thick_beam.frequencies(3, length, EI, GA, rhoA, rhoI)
    for n, omega in enumerate(found, start=1):
        k = n * np.pi / length
        K = np.array([[GA * k * k, -GA * k], [-GA * k, EI * k * k + GA]])
        assert np.sqrt(eigh(K, np.diag([rhoA, rhoI]))[0][0]) == pytest.approx(omega, rel=1e-12)
    euler = (np.arange(1, 4) * np.pi / length) ** 2 * np.sqrt(EI / rhoA)
    assert thick_beam.frequencies(3, length, EI, np.inf, rhoA, 0.0) == pytest.approx(euler, rel=1e-14)
    assert thick_beam.deflection(1.0, 1.0, 1.0, np.inf) == pytest.approx(1.0 / 48.0)


def test_a_straight_rod_by_the_exponential_of_a_matrix_is_that_of_euler_and_bernoulli():
    flexibility = np.diag([1e-6, 0.0, 0.0, 0.5, 1.0 / 3.0, 1.0 / 30.0])
    mass = np.diag([1.0, 1.0, 1.0, 1e-3, 0.0, 0.0])
    found = curved_rods.cantilever(4, 90.0, 1.0, np.zeros(3), flexibility, mass)
    first, second = 1.8751040687**2, 4.6940911330**2
    wanted = np.sort(np.append(np.sqrt([3.0, 30.0]) * first, [np.sqrt(3.0) * second, np.pi / 2 * np.sqrt(2e3)]))
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_a_thin_ring_bends_as_rayleigh_says():
    """Without stretching and shear: ω² = EI/ρA R⁴ k² (k² − 1)²/(k² + 1), out of the plane with GJ = EI/(1 + ν)."""
    k, R, EI, GJ, rhoA = 2, 1.0, 1.0, 1.0 / 1.3, 1.0
    inside = curved_rods.ring_in_plane(k, R, 1e6, 1e6, EI, rhoA, 1e-6)
    assert inside**2 == pytest.approx(k**2 * (k**2 - 1) ** 2 / (k**2 + 1), rel=5e-5)
    across = curved_rods.ring_out_of_plane(k, R, 1e6, EI, GJ, rhoA, 1e-6, 1e-6)
    assert across**2 == pytest.approx(k**2 * (k**2 - 1) ** 2 / (k**2 + 1.3), rel=5e-5)


def test_a_wedge_by_bessel_functions_satisfies_its_equation():
    """A Ritz approach by polynomials that are zero with their slope at the clamp."""
    first, last, count = 0.3, 1.0, 12
    x, weights = np.polynomial.legendre.leggauss(40)
    x, weights = first + 0.5 * (last - first) * (x + 1.0), 0.5 * (last - first) * weights
    clamped = np.polynomial.Legendre.fromroots([last, last], domain=[first, last])
    shapes = [clamped * np.polynomial.Legendre.basis(k, domain=[first, last]) for k in range(count)]
    w, bent = np.array([f(x) for f in shapes]), np.array([f.deriv(2)(x) for f in shapes])
    K, M = (bent * weights * x**3) @ bent.T, (w * weights * x) @ w.T
    wanted = np.sqrt(eigh(K, M, eigvals_only=True)[:3])
    np.testing.assert_allclose(curved_rods.wedge(3, first, last, 1.0, 1.0), wanted, rtol=1e-7)
