"""Euler angles of all sequences against SciPy's, and against differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmb.algebra.differences import derivative
from flexmb.kernels import euler_angles as kernels

SEQUENCES = [a + b + c for a in "XYZ" for b in "XYZ" for c in "XYZ" if a != b != c]
NONE = (0.0, 0.0, 0.0)


def axes_of(sequence):
    return tuple("XYZ".index(letter) for letter in sequence)


def random(seed):
    rng = np.random.default_rng(seed)
    return Rotation.from_rotvec(1.2 * rng.normal(size=3)), *rng.normal(size=(3, 3))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_angles_of_all_sequences(sequence, seed):
    axes, (turn, near, _, _) = axes_of(sequence), random(seed)
    e, x = np.roll(turn.as_quat(), 1), turn.as_euler(sequence)
    np.testing.assert_allclose(kernels.angles_of(axes, tuple(e)), x, atol=1e-14)
    again = np.array(kernels.quaternion_of_angles(axes, tuple(x)))
    assert abs(abs(again @ e) - 1.0) < 1e-15
    close = kernels.angles_near(axes, tuple(e), tuple(10.0 * near))
    assert (Rotation.from_euler(sequence, close).inv() * turn).magnitude() < 1e-14
    assert np.linalg.norm(close - 10.0 * near) <= np.sqrt(3.0) * np.pi


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_rates_of_all_sequences(sequence, seed):
    axes, (turn, u, dx, du) = axes_of(sequence), random(seed)
    x = turn.as_euler(sequence)
    omega, change = kernels.angular_velocity(axes, tuple(x), tuple(u), tuple(dx), tuple(du))
    moved = derivative(lambda h: (turn.inv() * Rotation.from_euler(sequence, x + h * u)).as_rotvec(), 0.01)[0]
    np.testing.assert_allclose(omega, moved, atol=1e-11)
    np.testing.assert_allclose(kernels.angle_rates(axes, tuple(x), omega), u, rtol=1e-12)

    def at(h):
        return np.array(kernels.angular_velocity(axes, tuple(x + h * dx), tuple(u + h * du), NONE, NONE)[0])

    np.testing.assert_allclose(change, derivative(at, 0.01)[0], atol=1e-11)
    s = kernels.distance_from_singular(axes, tuple(x))
    middle = np.sin(x[1]) if sequence[0] == sequence[2] else np.cos(x[1])
    assert abs(abs(s) - middle) < 1e-15


def test_angles_at_singular_positions():
    for theta in (0.0, np.pi):
        x = (0.3, theta, 0.4)
        assert abs(kernels.distance_from_singular((2, 0, 2), x)) < 2e-16
        found = kernels.angles_of((2, 0, 2), kernels.quaternion_of_angles((2, 0, 2), x))
        assert found[1] == pytest.approx(theta, abs=1e-15)
