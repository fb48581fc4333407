"""The closed forms of small motions in space, against equations of motion that are linearized by differences here."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from flexmb.algebra.differences import derivative
from flexmb.validation.references import small_motions as reference
from flexmb.validation.references.free_rotation import quaternion_rate


def frequencies(rates, rest, count):
    """Imaginary parts (count,) of the eigenvalues of a system of the first order about a rest, the largest first."""
    columns = [derivative(lambda h, e=e: rates(rest + h * e), 1e-3)[0] for e in np.eye(len(rest))]
    found = np.linalg.eigvals(np.array(columns).T)
    return np.sort(found.imag)[::-1][:count]


@pytest.mark.parametrize("spin", [0.0, 0.3, -0.5])
def test_nutation(spin):
    J, h = np.array([120.0, 90.0, 150.0]), 32.0

    def rates(omega):
        momentum = J * omega + (0.0, 0.0, h)
        return np.cross(momentum, omega) / J

    found = frequencies(rates, np.array([0.0, 0.0, spin]), 1)
    assert reference.nutation(J, h, spin) == pytest.approx(found[0], rel=1e-8)


def test_a_symmetric_gyrostat_obeys_eulers_equations():
    across, axial, h, start = 100.0, 140.0, 30.0, np.array([0.3, -0.2, 0.5])
    J = np.array([across, across, axial])
    for t in (0.0, 3.0):
        rate, _ = derivative(lambda x, t=t: reference.symmetric_gyrostat(across, axial, h, start, [t + x])[1][0], 0.05)
        turn, omega = reference.symmetric_gyrostat(across, axial, h, start, [t])
        momentum = J * omega[0] + (0.0, 0.0, h)
        assert np.max(np.abs(J * rate + np.cross(omega[0], momentum))) < 1e-8
        np.testing.assert_allclose(turn.apply(momentum)[0], J * start + (0.0, 0.0, h), atol=1e-12)
        moved = reference.symmetric_gyrostat(across, axial, h, start, [t + 1e-6, t - 1e-6])[0]
        np.testing.assert_allclose((moved[1].inv() * moved[0]).as_rotvec() / 2e-6, omega[0], atol=1e-8)
    assert reference.symmetric_gyrostat(across, axial, h, start, [0.0])[1][0] == pytest.approx(start, abs=1e-14)


def test_librations():
    """The angles against the axes of a circular orbit, by Euler's equations with the torque 3 n × J n."""
    J = np.array([100.0, 120.0, 40.0])

    def rates(state):
        turn, relative = Rotation.from_rotvec(state[:3]), state[3:]
        orbit = turn.inv().apply((0.0, -1.0, 0.0))  # rate 1 against the second axis
        omega = relative + orbit
        down = turn.inv().apply((0.0, 0.0, 1.0))
        alpha = (3.0 * np.cross(down, J * down) - np.cross(omega, J * omega)) / J
        # the rate of the rotation vector is the relative angular velocity to the first order, as the rest is zero
        return np.concatenate([relative + 0.5 * np.cross(state[:3], relative), alpha + np.cross(relative, orbit)])

    found = frequencies(rates, np.zeros(6), 3)
    assert np.sort(reference.librations(J)) == pytest.approx(found[::-1], rel=1e-6)


def top(spin, lean, times):
    """A heavy top in its own axes: A = 0.055, C = 0.008, m g l = 2.943."""
    J = np.array([0.055, 0.055, 0.008])

    def rates(_, state):
        q, omega = state[:4], state[4:]
        up = Rotation.from_quat(np.roll(q, -1)).inv().apply((0.0, 0.0, 1.0))
        moment = 2.943 * np.cross((0.0, 0.0, 1.0), -up)
        return np.concatenate([quaternion_rate(q, omega), (moment - np.cross(omega, J * omega)) / J])

    start = np.array([np.cos(0.5 * lean), np.sin(0.5 * lean), 0.0, 0.0, 0.0, 0.0, spin])
    run = solve_ivp(rates, (0.0, times[-1]), start, method="DOP853", rtol=1e-12, atol=1e-14, t_eval=times)
    axis = Rotation.from_quat(np.roll(run.y[:4].T, -1, axis=1)).apply((0.0, 0.0, 1.0))
    return axis[:, 0] + 1j * axis[:, 1]


@pytest.mark.parametrize("part", [0.8, 1.1, 2.0])
def test_sleeping_top(part):
    least = reference.least_spin(0.055, 0.008, 2.943)
    rates = reference.sleeping_top(0.055, 0.008, 2.943, part * least)
    assert (np.max(rates.real) > 1e-6) == (part < 1.0)
    times = np.linspace(0.0, 0.8, 81)
    place = top(part * least, 1e-5, times)
    # from a lean without speed of the axis
    weights = np.linalg.solve([[1.0, 1.0], rates], [place[0], 0.0])
    np.testing.assert_allclose(place, np.exp(np.outer(times, rates)) @ weights, atol=1e-5 * np.max(np.abs(place)))


def test_exponents_of_samples():
    t = np.linspace(0.0, 7.0, 300)
    found = reference.exponents(t, 0.3 * np.cos(2.0 * t + 0.4) + 0.1 * np.sin(5.0 * t), 1j * np.array([2.05, 4.9]))
    np.testing.assert_allclose(found, [2j, 5j], atol=1e-9)
    x = np.exp((0.2 + 3.0j) * t) - 0.4j * np.exp(-1.5j * t)
    np.testing.assert_allclose(reference.exponents(t, x, np.array([3.1j, -1.4j])), [0.2 + 3j, -1.5j], atol=1e-9)
