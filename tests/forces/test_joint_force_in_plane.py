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


LEAN, PUSH = 0.4, fm.Harmonic(6.0, 8.0)


def cart(by_hand: bool, joint: str = "prismatic") -> fm.PlanarModel:
    """A cart on a rail that leans on a swinging beam; a force along the rail and a damper, also by hand."""
    m = fm.PlanarModel("cart", gravity=(0, -G))
    beam = m.add_body("beam", mass=2.0, inertia=0.2, position=(0.5, 0))
    e = np.array([np.cos(LEAN), np.sin(LEAN)])
    car = m.add_body("car", mass=1.0, inertia=0.1, position=tuple(np.array([0.3, 0.2]) + 0.25 * e))
    m.revolute(m.ground, beam.attach("pivot", (-0.5, 0)), name="pivot")
    rail = beam.attach("rail", (-0.2, 0.2))
    slide = getattr(m, joint)(rail, car.frame, axis=LEAN, name="slide")
    if not by_hand:
        m.joint_force(slide, PUSH, damping=0.5, name="actuator", coordinate="position")
        return m

    def along(t, x, v):
        (xa, ya, turned), (xb, yb, _) = x
        (ua, va, w), (ub, vb, _) = v
        e = np.array([np.cos(turned + LEAN), np.sin(turned + LEAN)])
        d = np.array([xb - xa, yb - ya])
        rate = e @ (ub - ua + w * d[1], vb - va - w * d[0])
        force = (PUSH(t) - 0.5 * rate) * e
        return (*-force, -(d[0] * force[1] - d[1] * force[0])), (*force, 0.0)

    m.python_force([rail, car.frame], along)
    return m


@pytest.mark.parametrize("joint", ["prismatic", "pin_in_slot"])
def test_along_a_rail_it_is_a_pair_of_forces(joint):
    one, two = (fm.simulate(cart(x, joint), 0.5, "radau", tolerance=1e-9, progress=False) for x in (False, True))
    for name in ("beam.angle", "car.x", "car.y", "car.angle"):
        assert one[name][-1] == pytest.approx(two[name][-1], abs=1e-7)
    assert one.energy.error < 1e-7 and one.trustworthy
    slide = one["actuator.travel"]
    assert slide[0] == pytest.approx(0.25) and np.ptp(slide) > 0.1
    # what it exerts on the car
    force, moment = one.reaction("actuator")
    e = np.stack([np.cos(one["beam.angle"] + LEAN), np.sin(one["beam.angle"] + LEAN)], axis=1)
    wanted = PUSH(one.t) - 0.5 * one["actuator.travel rate"]
    assert np.allclose(force, wanted[:, None] * e, atol=1e-6) and np.allclose(moment, 0.0)
    tree = fm.simulate(cart(False, joint), 0.5, "radau", formulation="aba", tolerance=1e-9, progress=False)
    assert tree["car.x"][-1] == pytest.approx(one["car.x"][-1], abs=1e-7)


def test_along_a_rail_a_controller_commands_it():
    m = cart(False)
    actuator = m.components["actuator"]
    actuator.force, actuator.damping = 0.0, 20.0
    m.add_controller("hold", period=0.005, sensors=[fm.control.Reference(1.0)], commands=actuator, law=[[30.0]])
    run = fm.simulate(m, 0.5, progress=False)
    assert actuator.strength_unit == "N" and run["actuator.travel"][-1] > 0.3


def test_what_is_no_single_coordinate_is_refused():
    m = fm.PlanarModel("slide")
    body = m.add_body("body", mass=1.0, inertia=0.1)
    slot = m.pin_in_slot(m.ground, body.frame, name="slot")
    with pytest.raises(fm.errors.ModelError, match="'slot' has the coordinates position, angle; say which one"):
        m.joint_force(slot, 1.0)
    with pytest.raises(fm.errors.ModelError, match="give a joint"):
        m.joint_force(body, 1.0)
    weld = m.weld(m.ground, body.frame, name="weld")
    with pytest.raises(fm.errors.ModelError, match="'weld' has no coordinate that is one angle or one place"):
        m.joint_force(weld, 1.0)
    with pytest.raises(fm.errors.ModelError, match="coordinate of joint 'slot'"):
        m.joint_force(slot, 1.0, coordinate="x")
