"""Closed forms of spinning bodies, against equations of motion that are linearized by differences here."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmb.algebra.differences import derivative
from flexmb.validation.references import rigid_rotor, satellites, suspended_body


def eigenvalues(rates, rest):
    """Eigenvalues of a system of the first order about a state that stays."""
    np.testing.assert_allclose(rates(rest), 0.0, atol=1e-9)
    return np.linalg.eigvals(
        np.array([derivative(lambda h, e=e: rates(rest + h * e), 1e-3)[0] for e in np.eye(len(rest))]).T
    )


def rate_of_vector(turn, omega):
    """The rate of a rotation vector at an angular velocity in the body's axes, to the second order."""
    return omega + 0.5 * np.cross(turn, omega) + np.cross(turn, np.cross(turn, omega)) / 12.0


@pytest.mark.parametrize("gravity", [0.0, 9.81, 300.0])
def test_a_body_on_four_springs(gravity):
    mass, J, k, (b, d, h) = 3.0, np.array([0.3, 0.5, 0.4]), np.array([900.0, 700.0, 1500.0]), (0.4, 0.3, 0.2)
    feet = np.array([(b, d, -h), (b, -d, -h), (-b, d, -h), (-b, -d, -h)])
    sunk = mass * gravity / (4.0 * k[2])

    def rates(state):
        place, turn, speed, omega = np.split(state, 4)
        R = Rotation.from_rotvec(turn)
        force = -k * (place - (0.0, 0.0, sunk) + R.apply(feet) - feet)
        moment = np.sum(np.cross(feet, R.inv().apply(force)), axis=0)
        a = np.sum(force, axis=0) / mass - (0.0, 0.0, gravity)
        return np.concatenate([speed, rate_of_vector(turn, omega), a, (moment - np.cross(omega, J * omega)) / J])

    found = eigenvalues(rates, np.zeros(12))
    squares = np.sort((-(found**2)).real)[::2]
    np.testing.assert_allclose(suspended_body.squares(mass, J, k, (b, d, h), gravity), squares, rtol=1e-6)


@pytest.mark.parametrize(("inertia", "spin"), [((0.09, 0.09, 0.05), 40.0), ((0.1, 0.07, 0.05), 25.0)])
def test_a_rotor_in_bearings(inertia, spin):
    """In its own axes, which turn at the spin: places as they are seen there."""
    mass, J = 6.0, np.array(inertia)
    bearings = ((-0.15, 2500.0), (0.25, 1200.0))

    def rates(state):
        place, turn, speed, omega = np.split(state, 4)
        whole = np.array([0.0, 0.0, spin])
        R = Rotation.from_rotvec(turn)
        force, moment = np.zeros(3), np.zeros(3)
        for z, k in bearings:
            arm = np.array([0.0, 0.0, z])
            push = -k * (place + R.apply(arm) - arm)
            force, moment = force + push, moment + np.cross(arm, R.inv().apply(push))
        relative = omega - R.inv().apply(whole)
        a = force / mass - 2.0 * np.cross(whole, speed) - np.cross(whole, np.cross(whole, place))
        return np.concatenate([speed, rate_of_vector(turn, relative), a, (moment - np.cross(omega, J * omega)) / J])

    rest = np.zeros(12)
    rest[11] = spin
    found = eigenvalues(rates, rest)
    if inertia[0] == inertia[1]:  # seen from the ground: z e^{iλt}, shifted by the spin
        given = tuple((z, k, k) for z, k in bearings)
        wanted = rigid_rotor.eigenvalues(mass, inertia[0], inertia[2], spin, given)
        for value in wanted:
            shifted = np.array([value + 1j * spin, value - 1j * spin])
            assert np.min(np.abs(found[:, None] - shifted)) < 1e-5 * abs(value)
    else:
        equal = ((-0.2, 1850.0), (0.2, 1850.0))
        bearings = equal
        found = eigenvalues(rates, rest)
        for value in rigid_rotor.unequal(inertia, 2 * 1850.0 * 0.04, spin):
            assert np.min(np.abs(found - value)) < 1e-5 * abs(value)


def test_tilts_and_critical_speed():
    slow, fast = rigid_rotor.tilts(0.09, 0.05, 2400.0, 150.0)
    found = rigid_rotor.eigenvalues(6.0, 0.09, 0.05, 150.0, ((-0.2, 3e4, 3e4), (0.2, 3e4, 3e4)))
    for value in (slow, fast, 100.0):
        assert np.min(np.abs(found - 1j * value)) < 1e-9 * value
    speed = rigid_rotor.critical_speed(0.09, 0.05, 2400.0)
    assert rigid_rotor.tilts(0.09, 0.05, 2400.0, speed)[1] == pytest.approx(speed, rel=1e-14)


@pytest.mark.parametrize("inertia", [(90.0, 120.0, 150.0), (120.0, 150.0, 90.0), (90.0, 150.0, 120.0)])
@pytest.mark.parametrize("momentum", [0.0, 20.0, -4.0])
def test_a_satellite_that_spins(inertia, momentum):
    J = np.array(inertia)

    def rates(omega):
        return np.cross(J * omega + (0.0, 0.0, momentum), omega) / J

    found = eigenvalues(rates, np.array([0.0, 0.0, 0.3]))
    square = satellites.spin_square(J, 0.3, momentum)
    assert np.min(np.abs(found**2 - square)) < 1e-8 * abs(square)


@pytest.mark.parametrize("momentum", [0.0, 25.0, -40.0])
@pytest.mark.parametrize("inertia", [(100.0, 120.0, 40.0), (100.0, 65.0, 70.0), (40.0, 120.0, 100.0)])
def test_a_satellite_on_an_orbit(inertia, momentum):
    """Euler's equations in the body's own axes, with the torque 3 n × J n; the rate of the orbit is 1."""
    J = np.array(inertia)

    def rates(state):
        turn, relative = Rotation.from_rotvec(state[:3]), state[3:]
        orbit = turn.inv().apply((0.0, -1.0, 0.0))
        omega = relative + orbit
        down = turn.inv().apply((0.0, 0.0, 1.0))
        whole = J * omega + (0.0, momentum, 0.0)
        alpha = (3.0 * np.cross(down, J * down) - np.cross(omega, whole)) / J
        return np.concatenate([rate_of_vector(state[:3], relative), alpha + np.cross(relative, orbit)])

    found = eigenvalues(rates, np.zeros(6)) ** 2
    for square in satellites.orbit_squares(J, 1.0, momentum):
        assert np.min(np.abs(found - square)) < 1e-6 * max(1.0, abs(square))


def test_regions_are_those_of_the_eigenvalues():
    seen = set()
    for one in np.linspace(0.11, 1.93, 40):
        for three in np.linspace(0.07, 1.91, 40):
            J = np.array([one, 1.0, three])
            if abs(one - three) < 1.0 < one + three:
                region = satellites.region(J)
                seen.add(region)
                assert satellites.stable(satellites.orbit_squares(J)) == (region != "unstable")
    assert seen == {"Lagrange", "DeBra-Delp", "unstable"}
