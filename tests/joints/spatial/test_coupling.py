"""Couplings of joints, and forces on their coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm


def hinge_and_slide():
    """A wheel on z and a slide along x; J = 0.2, m = 3."""
    m = fm.SpatialModel("m")
    wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    slide = m.add_body("slide", mass=3.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 1.0, 0))
    rail = m.ground.attach("rail", (0, 1.0, 0))
    return (
        m,
        m.revolute(m.ground, wheel.frame, name="hinge"),
        m.prismatic(rail, slide.frame, axis="x", name="slide way"),
    )


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "dop853", "independent", "projection"])
def test_a_coupling_carries_torque_over(method):
    """(J + i² m) θ̈ = τ, x = x₀ + i θ."""
    m, hinge, slide = hinge_and_slide()
    m.coupling(hinge, slide, 0.3, name="rack")
    m.joint_force(hinge, 2.0, name="push")
    run = fm.simulate(m, 1.0, method, progress=False)
    theta = 0.5 * 2.0 / (0.2 + 0.09 * 3.0)
    assert run["hinge.angle"][-1] == pytest.approx(theta, rel=2e-3)
    assert run["slide way.position"][-1] == pytest.approx(0.5 + 0.3 * run["hinge.angle"][-1], abs=1e-8)
    assert abs(run.energy.balance).max() < 2e-3
    assert run.coordinate("rack.turn_a")[-1] == pytest.approx(run["hinge.angle"][-1], abs=1e-8)


def test_a_coupling_that_comes_on_couples_changes():
    m, hinge, slide = hinge_and_slide()
    rack = m.coupling(hinge, slide, 0.3, name="rack")
    m.switch_off(rack)
    m.joint_force(hinge, 2.0)
    m.add_event(0.5, fm.Switch(on=rack), name="on")
    run = fm.simulate(m, 1.0, progress=False)
    at = run.is_on("rack")
    turned = run["hinge.angle"][at][-1] - run["hinge.angle"][at][0]
    moved = run["slide way.position"][at][-1] - run["slide way.position"][at][0]
    assert moved == pytest.approx(0.3 * turned, abs=1e-8) and moved > 0.01
    assert np.all(run["slide way.position"][~at] == 0.5)


def test_dry_friction_of_a_slide_brings_it_to_rest():
    m, _, slide = hinge_and_slide()
    m.joint_force(slide, damping=1.0, friction=fm.Friction(2.0, smoothing=1e-4))
    m.components["slide"].move((1.0, 0, 0))
    run = fm.simulate(m, 3.0, "radau", progress=False)
    way = 3.0 * (1.0 - 2.0 * np.log(1.5))  # of m v̇ = −v − 2 from v = 1
    assert run["slide way.position"][-1] - 0.5 == pytest.approx(way, rel=1e-3)
    assert run.energy.dissipated[-1] == pytest.approx(1.5, rel=1e-4)


@pytest.mark.warns(fm.errors.BalanceWarning, "the state is not an equilibrium")
def test_forces_of_joints_are_commanded():
    m, hinge, slide = hinge_and_slide()
    push = m.joint_force(slide, 1.5, name="push")
    assert (push.strength_unit, m.joint_force(hinge).strength_unit) == ("N", "Nm")
    run = fm.simulate(m, 1.0, "radau", progress=False)
    assert run["slide way.rate"][-1] == pytest.approx(0.5, rel=1e-6)
    linear = fm.linearize(m, inputs=["push"], outputs=["slide way.position"])
    assert (linear.C @ linear.A @ linear.B)[0, 0] == pytest.approx(1.0 / 3.0)
    m.spring_damper(m.ground, m.components["slide"].frame, stiffness=100.0)
    m.lock(m.ground, m.components["wheel"].frame, "angle")
    path = fm.equilibrium_path(m, push, factor=2.0)
    assert path["slide way.position"][-1] > 0.5


def test_wrong_input():
    m, hinge, slide = hinge_and_slide()
    table = m.planar_joint(m.ground, m.add_body("puck", mass=1.0, inertia=(1, 1, 1)).frame, name="table")
    ball = m.spherical(m.ground, m.add_body("ball", mass=1.0, inertia=(1, 1, 1)).frame, name="ball joint")
    for make, message in (
        (lambda: m.coupling(hinge, slide, 0.0), "ratio is 0"),
        (lambda: m.coupling(hinge, hinge, 2.0), "couples angle of joint 'hinge' with itself"),
        (lambda: m.coupling(hinge, table, 2.0), "joint 'table' has the coordinates x, y, angle; say which one"),
        (lambda: m.coupling(hinge, m.ground, 2.0), "give a joint that has coordinates"),
        (lambda: m.joint_force(ball), "turns about any axis; say about which of its axes"),
        (lambda: m.joint_force(ball, coordinate="angle"), "coordinate of joint 'ball joint' is 'angle'"),
        (lambda: m.joint_force(ball, coordinate="rx", friction=fm.Friction(1.0)), "against its slip"),
        (lambda: m.joint_force(hinge, coordinate="position"), "coordinate of joint 'hinge' is 'position'"),
        (lambda: m.joint_force(hinge, friction=0.3), r"friction is 0\.3; give fm\.Friction"),
        (lambda: m.joint_force(hinge, damping=-1.0), "damping"),
    ):
        with pytest.raises(fm.errors.ModelError, match=message):
            make()
