"""Rotations inside kernels against sums of series in exact or long numbers, SciPy's rotations, and differences."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmb.algebra.differences import derivative
from flexmb.kernels import rotations, vectors

ANGLES = [0.0, 1e-160, 1e-12, 1e-8, 1e-3, 0.1, 0.499, 0.5, 0.501, 0.999, 1.0, 1.001, 2.0, 3.1, np.pi]
EPSILON = np.finfo(float).eps


def directions():
    rng = np.random.default_rng(1)
    found = [np.eye(3)[2], *rng.normal(size=(3, 3))]
    return [u / np.linalg.norm(u) for u in found]


def tilde(u):
    x, y, z = u
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=np.longdouble)


def series(A, weights):
    """Σ wₖ Aᵏ in long numbers."""
    power = np.eye(3, dtype=np.longdouble)
    total = 0.0 * power
    for w in weights:
        total += w * power
        power = power @ A
    return total


def factorials(n):
    found = [np.longdouble(1)]
    for k in range(1, n):
        found.append(found[-1] * k)
    return found


FACTORIALS = factorials(60)


def matrix(numbers):
    return np.array(numbers).reshape(3, 3)


def off(given, wanted):
    return float(np.max(np.abs(np.asarray(given) - wanted)))


@pytest.mark.parametrize("angle", ANGLES)
def test_exponential_is_the_sum_of_powers(angle):
    for u in directions():
        phi = angle * u
        q = rotations.exp(tuple(phi))
        R = series(tilde(phi), [1 / f for f in FACTORIALS])
        assert off(matrix(rotations.rotation_matrix(q)), R) < 4 * EPSILON
        assert abs(np.dot(q, q) - 1.0) < 4 * EPSILON
        assert off(np.roll(q, -1), Rotation.from_rotvec(phi).as_quat()) < 2 * EPSILON


@pytest.mark.parametrize("angle", ANGLES)
def test_logarithm_undoes_the_exponential_whatever_the_sign(angle):
    for u in directions():
        q = np.array(rotations.exp(tuple(angle * u)))
        for sign in (1.0, -1.0):
            back = np.array(rotations.log(tuple(sign * q)))
            if angle == np.pi:  # both directions are the same turn
                back *= np.sign(back @ u)
            assert off(back, angle * u) <= 4 * EPSILON * angle


def test_logarithm_just_short_of_half_a_turn_and_beyond():
    u = directions()[1]
    for short in (1e-3, 1e-9, 1e-14):
        assert off(rotations.log(rotations.exp(tuple((np.pi - short) * u))), (np.pi - short) * u) < 1e-15
        assert off(rotations.log(rotations.exp(tuple((np.pi + short) * u))), -(np.pi - short) * u) < 1e-15


def test_products_and_turned_vectors():
    rng = np.random.default_rng(2)
    for _ in range(10):
        p, q = (tuple(x / np.linalg.norm(x)) for x in rng.normal(size=(2, 4)))
        u = rng.normal(size=3)
        P, Q = (Rotation.from_quat(np.roll(x, -1)) for x in (p, q))
        found = Rotation.from_quat(np.roll(rotations.product(p, q), -1))
        assert off(found.as_matrix(), (P * Q).as_matrix()) < 1e-15
        assert off(rotations.turned(p, tuple(u)), P.apply(u)) < 2e-15
        assert off(rotations.turned_back(p, tuple(u)), P.inv().apply(u)) < 2e-15
        assert off(rotations.product(p, rotations.inverse(p)), [1, 0, 0, 0]) < 1e-15
        long = tuple(3.0 * np.array(q))
        assert off(rotations.normalized(long), q) < 1e-15


@pytest.mark.parametrize("angle", ANGLES)
def test_rate_map_is_the_sum_of_powers_and_has_its_inverse(angle):
    """T = Σ (−φ̃)ᵏ/(k + 1)!."""
    for u in directions():
        phi = tuple(angle * u)
        A = -tilde(phi)
        T = series(A, [1 / f for f in FACTORIALS[1:]])
        assert off(matrix(rotations.rate_map(phi)), T) < 2 * EPSILON
        inverse = matrix(rotations.inverse_rate_map(phi)).astype(np.longdouble)
        assert off(inverse @ T, np.eye(3)) < 4 * EPSILON
        # what is left when 1 is taken away has its digits too
        assert off(matrix(rotations.rate_map(phi)) - np.eye(3), T - np.eye(3)) <= 2 * EPSILON * min(1.0, 1e16 * angle)


def test_rate_map_is_the_derivative_of_the_exponential():
    """2 q⁻¹ ∘ q̇ = T φ̇."""
    rng = np.random.default_rng(3)
    for angle in (0.0, 1e-3, 0.499, 0.5, 3.1):
        phi, rate = angle * directions()[2], rng.normal(size=3)
        change, error = derivative(lambda h, phi=phi, rate=rate: np.array(rotations.exp(tuple(phi + h * rate))), 0.05)
        omega = 2.0 * np.array(rotations.product(rotations.inverse(rotations.exp(tuple(phi))), tuple(change)))[1:]
        assert off(omega, matrix(rotations.rate_map(tuple(phi))) @ rate) < 1e-11 + 10 * np.max(error)


def exact_coefficients(angle):
    """c and c′/φ of T⁻¹ by series in exact numbers."""
    x = Fraction(angle) / 2
    sine = sum((-1) ** k * x ** (2 * k + 1) / int(np.prod(range(1, 2 * k + 2), dtype=object)) for k in range(25))
    cosine = sum((-1) ** k * x ** (2 * k) / int(np.prod(range(1, 2 * k + 1), dtype=object)) for k in range(25))
    c = (1 - x * cosine / sine) / (4 * x * x)
    change = (1 / (4 * sine * sine) - cosine / sine / (4 * x) - 2 * c) / (4 * x * x)
    return float(c), float(change)


@pytest.mark.parametrize("angle", [a for a in ANGLES if a > 1e-100])
def test_coefficients_of_the_inverse(angle):
    c, change = exact_coefficients(angle)
    given = rotations._inverse_coefficients(angle * angle)
    # of the closed form above 1 rad some digits are lost, as in 1 − cos φ, and those are small beside 1
    assert given[0] == pytest.approx(c, rel=3e-15)
    assert given[1] == pytest.approx(change, rel=1e-15 if angle < 1.0 else 3e-13)


def test_change_of_the_inverse_rate_map():
    rng = np.random.default_rng(4)
    for angle in (0.0, 1e-3, 0.5, 0.999, 1.0, 2.5, 3.1):
        for u in directions():
            phi, m, change = angle * u, rng.normal(size=3), rng.normal(size=3)
            for turn in (1.0, -1.0):

                def moved(h, turn=turn, phi=phi, m=m, change=change):
                    return matrix(rotations.inverse_rate_map(tuple(turn * (phi + h * change)))) @ m

                wanted, error = derivative(moved, 0.05)
                given = matrix(rotations.inverse_rate_map_change(tuple(phi), tuple(m), turn)) @ change
                assert off(given, wanted) < 1e-11 + 10 * np.max(error)


def test_vectors_and_matrices():
    rng = np.random.default_rng(5)
    A, B = rng.normal(size=(2, 3, 3))
    u, v = rng.normal(size=(2, 3))
    a, b, x, y = tuple(A.ravel()), tuple(B.ravel()), tuple(u), tuple(v)
    assert vectors.dot(x, y) == pytest.approx(u @ v, rel=1e-14)
    assert off(vectors.cross(x, y), np.cross(u, v)) < 1e-15
    assert off(vectors.plus(x, y), u + v) == off(vectors.minus(x, y), u - v) == off(vectors.times(3.0, x), 3 * u) == 0
    assert off(vectors.applied(a, x), A @ u) < 1e-15
    assert off(matrix(vectors.transposed(a)), A.T) == 0
    assert off(matrix(vectors.matrix_product(a, b)), A @ B) < 2e-15
    assert off(matrix(vectors.combined(2.0, a, -3.0, b)), 2 * A - 3 * B) < 1e-15
    assert off(matrix(vectors.tilde(x)), tilde(u)) == 0
    assert off(matrix(vectors.tilde_product(x, y)), tilde(u) @ tilde(v)) < 1e-15
    assert off(matrix(vectors.outer(x, y)), np.outer(u, v)) < 1e-16
