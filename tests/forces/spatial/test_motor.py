"""The motor in space: its gyroscopic moment, against a rotor that is a body, and momentum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError

J, ACROSS = 0.05, 0.03
AXIS = np.array([1.0, -2.0, 0.5]) / np.sqrt(5.25)
TORQUE = fm.Harmonic(0.4, 3.0, 0.5, 0.1)
EXACT: dict[str, Any] = {"method": "dop853", "tolerance": 1e-11, "progress": False}


def satellite(rotor_is_a_body: bool) -> fm.SpatialModel:
    """A tumbling carrier with a rotor about an askew axis, driven by a torque, and an arm on a hinge along that axis.
    With a motor the carrier has the rotor's inertia across its axis; its reducer is too soft to matter."""
    m = fm.SpatialModel("satellite")
    tensor = np.diag([0.4, 0.5, 0.6])
    across = ACROSS * (np.eye(3) - np.outer(AXIS, AXIS))
    carrier = m.add_body("carrier", mass=2.0, inertia=tensor if rotor_is_a_body else tensor + across)
    arm = m.add_body("arm", mass=0.7, inertia=(0.05, 0.06, 0.03), position=(0.4, 0.0, 0.0))
    m.set_rigid_motion((0.1, 0.0, -0.2), (0.7, 0.9, -0.4))
    edge = carrier.attach("edge", (0.3, 0.0, 0.0))
    m.revolute(edge, arm.attach("edge", (-0.1, 0.0, 0.0)), axis=AXIS)
    if rotor_is_a_body:
        rotor = m.add_body("rotor", mass=1e-3, inertia=across + J * np.outer(AXIS, AXIS))
        rotor.move((0.1, 0.0, -0.2), (0.7, 0.9, -0.4))
        m.revolute(carrier.frame, rotor.frame, axis=AXIS)
        m.torsion_spring(carrier.frame, rotor.frame, axis=AXIS, stiffness=0.0, damping=2e-3, name="bearing")
        m.point_torque(rotor.frame, AXIS, factor=TORQUE, axes="body")
        m.point_torque(carrier.frame, -AXIS, factor=TORQUE, axes="body")
    else:
        carrier.mass += 1e-3
        m.motor(
            edge,
            arm.frame,
            axis=AXIS,
            inertia=J,
            ratio=5.0,
            stiffness=1e-12,
            friction=2e-3,
            torque=TORQUE,
            name="bearing",
        )
    return m


def test_a_rotor_is_a_body_that_turns_in_its_carrier() -> None:
    bodies, motor = (fm.simulate(satellite(x), 2.0, **EXACT) for x in (True, False))
    turn = bodies.coordinate("bearing.turn")[-1]
    assert abs(turn) > 3.0
    assert motor.coordinate("bearing.rotor")[-1] == pytest.approx(turn, abs=1e-8)
    for name in ("carrier", "arm"):
        one, other = bodies[name], motor[name]
        np.testing.assert_allclose(other.position[-1], one.position[-1], atol=1e-9)
        np.testing.assert_allclose(other.angular_velocity[-1], one.angular_velocity[-1], atol=1e-8)
        assert (one.orientation[-1].inv() * other.orientation[-1]).magnitude() < 1e-9


def test_momentum_of_a_free_satellite_is_kept() -> None:
    m = satellite(False)
    run, system = fm.simulate(m, 2.0, **EXACT), fm.System(m)
    momentum = np.array([system.momentum(t, q, v) for t, q, v in zip(run.t, run.q, run.v)])
    assert np.max(np.abs(momentum[0])) > 0.1
    np.testing.assert_allclose(momentum - momentum[0], 0.0, atol=1e-9)


def test_the_gyroscopic_moment_of_a_fast_rotor() -> None:
    """A rotor of given speed Ω on a body that turns at ω across the axis: the moment ω × J Ω u on the hinge."""
    m = fm.SpatialModel("gyroscope")
    body = m.add_body("body", mass=1.0, inertia=(0.2, 0.2, 0.2))
    wheel = m.add_body("wheel", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    m.revolute(m.ground, body.frame, axis="x", name="hinge")
    m.drive_angle(m.ground, body.frame, fm.Polynomial([0.0, 3.0]), axis="x")
    m.revolute(body.frame, wheel.frame, axis="z")
    m.motor(body.frame, wheel.frame, axis="z", inertia=J, ratio=1e3, angle=fm.Polynomial([0.0, 200.0]))
    run = fm.simulate(m, 0.5, **EXACT)
    force, moment = run.reaction("hinge")
    wanted = np.stack([0.0 * run.t, -np.sin(3.0 * run.t), np.cos(3.0 * run.t)], axis=1)
    wanted = np.cross([3.0, 0.0, 0.0], 200.0 * J * wanted)
    wheel_itself = 1e-3 * 0.2 * 3.0  # it turns by 0.2 rad/s against the body
    np.testing.assert_allclose(moment[:, 1:], wanted[:, 1:], atol=1.01 * wheel_itself)
    assert np.max(np.abs(force)) < 1e-9


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"inertia": J, "ratio": 0.0}, "motor 'motor 1': ratio is 0"),
        ({"stiffness": 10.0}, "motor 'motor 1': inertia is 0; it must be positive"),
        ({"inertia": J, "stiffness": -1.0}, "motor 'motor 1': stiffness is -1; it must be positive"),
        ({"inertia": J, "damping": 1.0}, "motor 'motor 1': damping of a reducer that cannot twist"),
        ({"inertia": J, "friction": -1.0}, "motor 'motor 1': friction is -1; it must not be negative"),
        ({"inertia": J, "axis": (0, 0, 0)}, "motor 'motor 1': axis has no direction"),
    ],
)
def test_wrong_data_are_named(options: dict[str, Any], says: str) -> None:
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
    with pytest.raises(ModelError, match=says):
        m.motor(m.ground, body.frame, **options)
