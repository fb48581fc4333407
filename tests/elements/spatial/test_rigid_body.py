"""The rigid body in space: its equations, its tangent, its points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmb.algebra.differences import derivative
from flexmb.elements.spatial.rigid_body import SPATIAL_RIGID_BODY
from tests.by_hand import Instance, agree, check_power, check_tangent, later, rotation

INERTIA = np.array([[2.0, 0.3, -0.2], [0.3, 1.5, 0.1], [-0.2, 0.1, 1.1]])
GRAVITY = np.array([0.5, -0.7, -9.81])
MASS = 3.0


def body():
    J = INERTIA
    six = [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]
    return Instance(SPATIAL_RIGID_BODY, [*GRAVITY, MASS, *six], nodes=1)


@pytest.mark.parametrize("seed", range(3))
def test_residual_is_the_rate_of_momentum(seed):
    instance = body()
    q, v, a = instance.state(seed)

    def momentum(h):
        there, speeds = later(instance, q, v, a, h)
        R = rotation(there[3:])
        return np.concatenate([MASS * speeds[:3], R.apply(INERTIA @ speeds[3:])])

    rate, error = derivative(momentum, 0.02)
    rate[3:] = rotation(q[3:]).inv().apply(rate[3:])
    rate[:3] -= MASS * GRAVITY
    agree(instance.call("residual", q, v, a)[0], rate, error)


@pytest.mark.parametrize("seed", range(3))
def test_tangent_and_energy(seed):
    instance = body()
    q, v, a = instance.state(seed)
    check_tangent(instance, q, v, a)
    check_power(instance, q, v, a)
    R = rotation(q[3:])
    momentum, omega = R.apply(INERTIA @ v[3:]), R.apply(v[3:])
    kinetic, strain, potential, lost, given = instance.call("energy", q, v, a)[0]
    assert kinetic == pytest.approx(0.5 * MASS * v[:3] @ v[:3] + 0.5 * momentum @ omega, rel=1e-14)
    assert potential == pytest.approx(-MASS * GRAVITY @ q[:3], rel=1e-14)
    assert (strain, lost, given) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("seed", range(3))
def test_point_and_its_rates(seed):
    instance = body()
    q, v, a = instance.state(seed)
    arm = np.array([0.3, -0.4, 0.8])

    def motion(h):
        there, speeds = later(instance, q, v, a, h)
        return instance.call("point", there, speeds, a, w=arm)[0]

    now = motion(0.0)
    R = rotation(q[3:])
    agree(now[:3], q[:3] + R.apply(arm), 0.0, 1e-15)
    assert np.array_equal(now[3:7], q[3:])
    agree(now[10:13], R.apply(v[3:]), 0.0, 1e-15)
    rate, error = derivative(motion, 0.02)
    agree(now[7:10], rate[:3], error)
    agree(now[13:16], rate[7:10], error)
    agree(now[16:19], rate[10:13], error)


@pytest.mark.parametrize("seed", range(3))
def test_forces_at_a_point_and_their_change(seed):
    """J v is the velocity of the point, Jᵀ f the force and the moment that a force at the point puts on the mass
    center; K is the change of Jᵀ f along a turn."""
    instance = body()
    q, v, _ = instance.state(seed)
    arm, f = np.array([0.3, -0.4, 0.8]), np.array([1.3, 0.2, -0.7, 0.5, -1.1, 0.9])

    def on_center(R):
        force, moment = f[:3], f[3:] + np.cross(R.apply(arm), f[:3])
        return np.concatenate([force, R.inv().apply(moment)])

    R, omega = rotation(q[3:]), rotation(q[3:]).apply(v[3:])
    out, K = instance.call("point_jacobian", q, v, lam=f, w=[*arm, 0.7])
    J = out.reshape(6, 6)
    agree(J @ v, np.concatenate([v[:3] + np.cross(omega, R.apply(arm)), omega]), 0.0, 1e-15)
    agree(J.T @ f, on_center(R), 0.0, 1e-15)
    for k, axis in enumerate(np.eye(3)):
        slope, error = derivative(lambda h, axis=axis: on_center(R * Rotation.from_rotvec(h * axis)), 0.02)
        agree(K[:, 3 + k], 0.7 * slope, error)
    assert not K[:, :3].any() and not instance.call("point_jacobian", q, v, lam=f, w=[*arm, 0.0])[1].any()
