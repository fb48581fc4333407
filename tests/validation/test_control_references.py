"""The closed forms of a satellite with reaction wheels, against general solvers."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from scipy.spatial.transform import Rotation

from flexmb.validation.references import attitude_control as reference
from flexmb.validation.references import filtered_loop
from flexmb.validation.references import jets as of_jets

J = np.array([100.0, 80.0, 120.0])


def test_the_regulator_of_one_axis_solves_riccatis_equation():
    A, B = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [-1.0 / J[0]]])
    P = scipy.linalg.solve_continuous_are(A, B, np.diag([2.0, 5.0]), np.array([[0.01]]))
    np.testing.assert_allclose(-(B.T @ P / 0.01)[0], reference.regulator(J[0], 2.0, 5.0, 0.01), rtol=1e-9)


@pytest.mark.parametrize("delay", [0.0, 0.07, 0.2])
def test_sampled_poles_of_one_axis(delay):
    A, B = reference.small_motions(J, np.zeros(3), np.zeros(3))
    K = np.hstack([np.diag(0.04 * J), np.diag(0.4 * J), np.zeros((3, 3))])
    found = reference.sampled_poles(A, B, K, 0.2, delay)
    late = np.array([0.5 * 0.2**2 - 0.5 * (0.2 - delay) ** 2, delay])  # of the held command, from the kinematics
    fresh = np.array([0.5 * (0.2 - delay) ** 2, 0.2 - delay])
    k = np.array([[0.04, 0.4]])
    one = np.block([[np.array([[1.0, 0.2], [0.0, 1.0]]) - fresh[:, None] @ k, -late[:, None]], [k, np.zeros((1, 1))]])
    for pole in np.linalg.eigvals(one):
        assert np.sort(np.abs(found - pole))[2] < 1e-7
    if delay == 0.0:
        for pole in np.linalg.eigvals(reference.sampled_axis(0.04, 0.4, 0.2)):
            assert np.sort(np.abs(found - pole))[2] < 1e-7


def test_small_motions_are_those_of_the_nonlinear_equations():
    turn, h = np.array([0.1, -0.2, 0.05]), np.array([5.0, -8.0, 3.0])
    A, B = reference.small_motions(J, h, turn)

    def rates(omega, momentum, torque):
        return (-torque - np.cross(omega, J * omega + momentum)) / J

    e = 1e-6
    for k, unit in enumerate(np.eye(3)):
        none = np.zeros(3)
        by_omega = (rates(turn + e * unit, h, none) - rates(turn - e * unit, h, none)) / (2 * e)
        by_momentum = (rates(turn, h + e * unit, none) - rates(turn, h - e * unit, none)) / (2 * e)
        by_torque = (rates(turn, h, e * unit) - rates(turn, h, -e * unit)) / (2 * e)
        for found, wanted in ((A[3:6, 3 + k], by_omega), (A[3:6, 6 + k], by_momentum), (B[3:6, k], by_torque)):
            np.testing.assert_allclose(found, wanted, atol=1e-8)
        small = Rotation.from_rotvec(e * unit)  # against axes that turn at Ω, 1 ms later
        later = Rotation.from_rotvec(1e-3 * turn).inv() * (small * Rotation.from_rotvec(1e-3 * turn))
        np.testing.assert_allclose((later.as_rotvec() / e - unit) / 1e-3, A[:3, k], atol=1e-4)


def test_a_slew_without_momentum_is_that_of_one_axis():
    start, K = np.array([0.5, -1.0, 1.5]), np.hstack([np.diag(0.04 * J), np.diag(0.4 * J)])
    turned, omega, h = reference.slew(J, np.zeros(3), start, K, 0.2, 30)
    angle, rate = np.linalg.matrix_power(reference.sampled_axis(0.04, 0.4, 0.2), 30) @ (np.linalg.norm(start), 0.0)
    axis = start / np.linalg.norm(start)
    np.testing.assert_allclose(turned.as_rotvec(), angle * axis, atol=1e-11)
    np.testing.assert_allclose(omega, rate * axis, atol=1e-11)
    np.testing.assert_allclose(J * omega + h, 0.0, atol=1e-10)


def test_noise_moves_one_axis_as_lyapunovs_equation_says():
    P = reference.noisy_axis(0.04, 0.4, 0.2, 1.0, 0.5)
    random, state, total = np.random.default_rng(0), np.zeros((2, 20000)), 0.0
    step = reference.sampled_axis(0.04, 0.4, 0.2)
    for _ in range(400):
        torque = 0.04 * random.normal(size=20000) + 0.4 * 0.5 * random.normal(size=20000)
        state = step @ state + np.outer([0.02, 0.2], torque)
    total = state @ state.T / 20000
    np.testing.assert_allclose(total, P, rtol=0.05, atol=0.05 * np.sqrt(P[0, 0] * P[1, 1]))


def test_a_filtered_loop_is_that_of_a_general_solver():
    b, a, dt = np.array([3.0, -5.0]), np.array([0.05, 0.4, 1.0]), 1e-3
    A = filtered_loop.loop(2.0, 0.1, 8.0, b, a)
    # characteristic polynomial of the loop: (m s² + d s + k) a(s) − b(s)
    whole = np.polysub(np.polymul([2.0, 0.1, 8.0], a), b)
    np.testing.assert_allclose(np.sort_complex(np.linalg.eigvals(A)), np.sort_complex(np.roots(whole)), rtol=1e-9)
    x = filtered_loop.after(A, 1.0, 1.5)[0]
    apart = [filtered_loop.sampled(2.0, 0.1, 8.0, b, a, 1.0, h, round(1.5 / h))[0] - x for h in (2 * dt, dt)]
    assert apart[0] / apart[1] == pytest.approx(2.0, rel=0.01)


@pytest.mark.parametrize("share", [0.5, 0.3])
def test_a_cycle_of_jets_step_by_step(share):
    change, dead, ahead, pulse, delay, h = 0.01, 0.02, 2.0, 0.1, 0.02, 1e-4
    theta, rate, opened, told, left, t = 0.0, share * change, [], [-1.0, -1.0], [0.0, 0.0], 0.0
    angles = []
    for _ in range(round(30.0 / h)):
        t += h
        for k, way in enumerate((1.0, -1.0)):
            if way * (theta + ahead * rate) > dead and left[k] <= 0.0 and told[k] < 0.0:
                told[k] = delay
            elif told[k] >= 0.0:
                told[k] -= h
                if told[k] < 0.0:
                    left[k] = pulse
                    opened += [t] * (k == 0)
            if left[k] > 0.5 * h:
                rate -= way * change / pulse * h
                left[k] -= h
        theta += rate * h
        angles.append(theta)
    period, top, low = of_jets.cycle(share * change, change, dead, ahead, pulse, delay)
    assert np.diff(opened)[-1] == pytest.approx(period, abs=5e-3)
    assert max(angles) == pytest.approx(top, abs=2e-5)
    assert min(angles) == pytest.approx(low, abs=2e-5)
