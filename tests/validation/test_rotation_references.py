"""The references of turning bodies: numbers computed elsewhere, Euler's equations, laws of conservation."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.algebra.differences import derivative
from flexmb.validation.references import free_rotation, heavy_top

TIMES = np.array([0.0, 10.0, 20.0])


def test_free_rotation_has_the_known_numbers():
    omega = free_rotation.angular_velocity(free_rotation.INERTIA, free_rotation.START, TIMES)
    q = free_rotation.orientation(free_rotation.INERTIA, free_rotation.START, TIMES)
    known = [[-0.04104997, -1.99960369, 0.02506724], [0.13008114, 1.99579029, 0.07554491]]
    assert omega[0] == pytest.approx(free_rotation.START, abs=1e-13)
    assert np.max(np.abs(omega[1:] - known)) < 6e-9
    known = [[-0.01293112, 0.99854831, -0.00666567, -0.05186167], [0.99420628, -0.02264888, 0.1034766, 0.01826186]]
    assert np.max(np.abs(q[1:] - known)) < 6e-9


@pytest.mark.parametrize("start", [(0.01, 2.0, 0.01), (0.3, -1.0, 0.4), (-0.5, 0.2, 0.1), (1.0, 0.3, -2.0)])
def test_elliptic_functions_obey_eulers_equations(start):
    J = np.array([1.0, 2.0, 3.5])
    for t in (0.0, 1.7):
        rate, error = derivative(lambda h, t=t: free_rotation.angular_velocity(J, start, np.array(t + h)), 0.05)
        omega = free_rotation.angular_velocity(J, start, np.array(t))
        assert np.max(np.abs(J * rate + np.cross(omega, J * omega))) < 1e-10 + 10 * np.max(error)
    assert free_rotation.angular_velocity(J, start, np.array(0.0)) == pytest.approx(start, abs=1e-13)


def test_angular_momentum_stays_in_space():
    J, start, times = free_rotation.INERTIA, free_rotation.START, np.linspace(0.0, 20.0, 21)
    q = free_rotation.orientation(J, start, times)
    turn = heavy_top.Rotation.from_quat(np.roll(q, -1, axis=1))
    momentum = turn.apply(J * free_rotation.angular_velocity(J, start, times))
    assert np.max(np.abs(momentum - J * start)) < 1e-11


def test_symmetric_body_is_the_limit_of_others():
    start, times = np.array([0.5, 0.2, 3.0]), np.array([0.0, 1.0, 4.0])
    turn, omega = free_rotation.symmetric(1.0, 1.6, start, times)
    found = []
    for off in (1e-6, 2e-6):
        J = np.array([1.0 - off, 1.0, 1.6])
        found.append(
            np.hstack([free_rotation.orientation(J, start, times), free_rotation.angular_velocity(J, start, times)])
        )
    limit = 2.0 * found[0] - found[1]
    q = np.roll(turn.as_quat(), 1, axis=1)
    q *= np.sign(np.sum(q * limit[:, :4], axis=1))[:, None]
    assert np.max(np.abs(np.hstack([q, omega]) - limit)) < 1e-10


def test_heavy_top_has_the_known_numbers():
    q, omega = heavy_top.motion(np.array([0.0, 0.1, 0.5, 1.0, 2.0]))
    known = [
        [0.421296658925, 0.894571974346, -0.149164700562],
        [-0.702468297057, -0.021165184702, -0.711400257652],
        [0.173343964098, 0.640088592070, -0.748490791134],
        [-0.150416822746, -0.724165591637, -0.673022269560],
    ]
    assert np.max(np.abs(heavy_top.center(q)[1:] - known)) < 2e-10
    known = [
        [4.8089413317, 150.0, 1.0283007567],
        [-0.8220781017, 150.0, -5.9232913481],
        [0.1222332195, 150.0, -5.8556245892],
    ]
    assert np.max(np.abs(omega[[1, 3, 4]] - known)) < 1e-8
    assert q[3] == pytest.approx([0.732943980680, -0.278285719338, 0.531824611334, -0.320176142736], abs=1e-10)
    assert heavy_top.energy(q, omega) == pytest.approx(5435.6967908655, rel=1e-12)


def test_heavy_top_starts_with_the_known_accelerations():
    _, alpha = heavy_top.rates(np.array([1.0, 0, 0, 0]), heavy_top.START)
    assert alpha == pytest.approx([661.34616923, 0, 0], rel=1e-10)
    assert heavy_top.force_at_start() == pytest.approx([0.0, -319.52598817, -317.26246154], rel=1e-10)
