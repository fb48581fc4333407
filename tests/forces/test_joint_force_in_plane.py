"""A torque about a joint of the plane is a point torque on b and its opposite on a, with a damper and friction."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm

G = 9.81


def arm(torque, with_pair: bool, **options) -> fm.PlanarModel:
    """A double pendulum with a torque in its elbow, as one component or as two torques."""
    m = fm.PlanarModel("arm", gravity=(0, -G))
    upper = m.add_body("upper", mass=2.0, inertia=0.2, position=(0.5, 0))
    lower = m.add_body("lower", mass=1.0, inertia=0.1, position=(1.5, 0))
    m.revolute(m.ground, upper.attach("shoulder", (-0.5, 0)), name="shoulder")
    elbow = m.revolute(upper.attach("end", (0.5, 0)), lower.attach("start", (-0.5, 0)), name="elbow")
    if with_pair:
        m.point_torque(lower.frame, torque)
        m.point_torque(upper.frame, fm.Harmonic(-3.0, 8.0))
    else:
        m.joint_force(elbow, torque, name="actuator", **options)
    return m


def test_it_is_a_pair_of_torques():
    torque = fm.Harmonic(3.0, 8.0)
    one, two = (fm.simulate(arm(torque, pair), 1.0, tolerance=1e-9, progress=False) for pair in (False, True))
    for name in ("upper.angle", "lower.angle", "lower.x"):
        assert one[name][-1] == pytest.approx(two[name][-1], abs=1e-8)
    assert one.energy.error < 1e-7
    # in joint coordinates too
    tree = fm.simulate(arm(torque, False), 1.0, "radau", formulation="aba", tolerance=1e-9, progress=False)
    assert tree["lower.angle"][-1] == pytest.approx(one["lower.angle"][-1], abs=1e-7)


def test_damper_and_friction_take_the_energy_that_is_lost():
    friction = fm.Friction(coulomb=0.3, smoothing=0.05, viscous=0.1)
    run = fm.simulate(arm(0.0, False, damping=0.2, friction=friction), 2.0, progress=False)
    rate = run["lower.angular_velocity"] - run["upper.angular_velocity"]
    lost = np.trapezoid(0.2 * rate**2 + rate * friction.torque(rate), run.t)
    assert run.energy.dissipated[-1] == pytest.approx(lost, rel=1e-2)
    assert run.energy.total[-1] < run.energy.total[0]


def test_a_controller_commands_it_and_it_has_a_name_and_a_unit():
    m = arm(0.0, False)
    actuator = m.components["actuator"]
    sensor = fm.control.RelativeAngle(m.frame("upper"), m.frame("lower"))
    m.add_controller("hold", period=0.005, sensors=[sensor], commands=actuator, law=[[-400.0]])
    run = fm.simulate(m, 0.5, progress=False)
    assert np.abs(run["lower.angle"] - run["upper.angle"]).max() < 0.1
    assert actuator.strength_unit == "Nm" and "actuator" in run.control["hold"].commands


def test_what_is_no_angle_is_refused():
    m = fm.PlanarModel("slide")
    body = m.add_body("body", mass=1.0, inertia=0.1)
    rail = m.prismatic(m.ground, body.frame, name="rail")
    with pytest.raises(fm.errors.ModelError, match="in the plane it is a torque about a joint"):
        m.joint_force(rail, 1.0)
    with pytest.raises(fm.errors.ModelError, match="give a joint"):
        m.joint_force(body, 1.0)
