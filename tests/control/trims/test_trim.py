"""Trims balance, hold what they are to hold, and say why there is none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import flexmb as fm
from flexmb.errors import ControlError, EquilibriumError, ModelError, NamingError

MASS, CENTER, INERTIA, WEIGHT = 2.0, 0.5, 0.1, 9.81


def rigid_arm() -> fm.PlanarModel:
    model = fm.PlanarModel("arm", gravity=(0, -WEIGHT))
    arm = model.add_body("arm", mass=MASS, inertia=INERTIA, center=(CENTER, 0))
    hinge = model.revolute(model.ground, arm.frame, name="hinge")
    model.joint_force(hinge, 0.0, name="motor")
    return model


def flexible_arm() -> fm.PlanarModel:
    model = fm.PlanarModel("robot", gravity=(0, -WEIGHT))
    steel = fm.Material(density=7850, youngs_modulus=205e9)
    hub = model.add_body("hub", mass=1.0, inertia=0.01)
    model.revolute(model.ground, hub.frame, name="shoulder")
    damping = fm.ModalDamping(0.005)
    model.add_beam("link", hub.frame, (0.8, 0), material=steel, section=fm.Circle(diameter=0.006), damping=damping)
    model.motor(model.ground, hub.frame, inertia=1e-4, ratio=50, stiffness=2000.0, damping=1.0, name="motor")
    return model


@settings(max_examples=15, deadline=None)
@given(st.floats(-3.0, 3.0))
def test_an_arm_is_held_against_its_weight(angle):
    held = fm.control.trim(rigid_arm(), by=["motor"], hold={"hinge.angle": angle})
    wanted = MASS * WEIGHT * CENTER * np.cos(angle)
    assert held.commands["motor"] == pytest.approx(wanted, abs=1e-12 * MASS * WEIGHT)
    assert held.residual < 1e-12
    assert held["hinge.angle"] == pytest.approx(angle, abs=1e-12)


def test_a_flexible_arm_stands_where_its_end_is_wanted_and_a_run_stays_there():
    model = flexible_arm()
    held = fm.control.trim(model, by="motor", hold={"link.end.y": 0.3})
    assert held["link.end.y"] == pytest.approx(0.3, abs=1e-12)
    assert held.residual < 1e-10
    # half the weight's moment is that of the joint, which the gear of 50 divides
    _, moment = held.state.reaction("motor")
    assert held.commands["motor"] == pytest.approx(abs(moment) / 50.0, rel=1e-6)
    run = fm.Simulator(model, step=1e-3).run(0.1, initial=held, commands=held.commands)
    assert np.abs(run["link.end.y"] - 0.3).max() < 1e-9
    assert len(fm.linearize(held, "motor", "link.end.y")) > 2  # and no warning that it is out of balance


def test_the_linear_model_of_a_trim_has_its_commands_in_its_stiffness():
    model = rigid_arm()
    push = model.point_force(model.frames["arm"].attach("end", (1.0, 0)), (0.0, 1.0), axes="ground", factor=0.0)
    held = fm.control.trim(model, by=[push], hold={"hinge.angle": 0.4})
    (force,) = held.commands.values()
    assert force == pytest.approx(MASS * WEIGHT * CENTER)
    plant = fm.linearize(held, "motor", "hinge.angle", coordinates=["arm.angle"])
    # the force at the end and the weight at the center balance at every angle: nothing restores
    assert plant.A[1, 0] == pytest.approx(0.0, abs=1e-9)


def test_a_shaft_that_its_bearing_brakes_turns_steadily_under_its_motor():
    model = fm.PlanarModel("shaft")
    wheel = model.add_body("wheel", mass=1.0, inertia=1.0)
    model.revolute(model.ground, wheel.frame, name="axle")
    model.torsion_spring(model.ground, wheel.frame, stiffness=0.0, damping=0.3, name="drag")
    model.point_torque(wheel.frame, 0.0, name="motor")
    assert fm.control.trim(model, "motor", {}, spin=5.0).commands["motor"] == pytest.approx(1.5)
    with pytest.raises(EquilibriumError, match="does not turn steadily"):
        fm.control.trim(model, [], {}, spin=5.0)
    with pytest.raises(EquilibriumError, match="do not act on what is held"):
        fm.control.trim(model, "motor", {"axle.angle": 0.0}, spin=5.0)


def test_in_space_a_governor_is_held_below_its_own_height():
    model = fm.SpatialModel("governor", gravity=(0, 0, -WEIGHT))
    ball = model.add_body("ball", mass=1.0, inertia=(1e-9, 1e-9, 1e-9), position=(0.5, 0, -0.5))
    post = model.add_body("post", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.revolute(model.ground, post.frame, axis="z")
    model.drive_angle(model.ground, post.frame, fm.Polynomial([0.0, 6.0]), axis="z")
    arm = model.revolute(post.frame, ball.frame.attach("top", (-0.5, 0, 0.5)), axis="y", name="arm")
    model.joint_force(arm, 0.0, name="lift")
    held = fm.control.trim(model, "lift", {"ball.z": -0.4}, spin=6.0)
    out = np.sqrt(0.5 - 0.4**2)
    assert held["ball.x"] == pytest.approx(out)
    assert held.commands["lift"] == pytest.approx(36.0 * out * 0.4 - WEIGHT * out, rel=1e-8)


def test_along_a_path_a_rigid_arm_has_its_inverse_dynamics():
    step = fm.SmoothStep(0.0, 1.0, 0.0, 1.2)
    path = fm.control.trim(rigid_arm(), "motor", {"hinge.angle": step}, along=np.linspace(0.0, 1.0, 21))
    t = path.solution.t
    wanted = MASS * WEIGHT * CENTER * np.cos(step(t)) + (INERTIA + MASS * CENTER**2) * step.second_rate(t)
    assert np.abs(path.commands["motor"](t) - wanted).max() < 1e-8
    assert not path.doubts
    run = fm.Simulator(rigid_arm(), "radau", tolerance=1e-9).run(1.0, initial=path, commands=path.commands)
    assert run["hinge.angle"][-1] == pytest.approx(1.2, abs=1e-4)  # of splines through 21 values


def test_along_a_run_a_flexible_arm_is_bent_by_inertia_and_its_vibration_is_doubted():
    way = fm.SmoothStep(0.0, 1.0)
    times = np.linspace(0.0, 1.0, 41)
    path = fm.control.trim(flexible_arm(), "motor", {"shoulder.angle": way}, along=times)
    assert path.doubts and "inertia of its bending" in path.doubts[0]
    slow = fm.control.trim(flexible_arm(), "motor", {"shoulder.angle": fm.SmoothStep(0.0, 30.0)}, along=30.0 * times)
    assert not slow.doubts
    rest = fm.control.trim(flexible_arm(), "motor", {"shoulder.angle": 0.5})
    assert float(slow.commands["motor"](15.0)) == pytest.approx(rest.commands["motor"], rel=1e-4)
    again = fm.control.trim(flexible_arm(), "motor", ["shoulder.angle"], along=path.solution)
    assert float(again.commands["motor"](0.5)) == pytest.approx(float(path.commands["motor"](0.5)), rel=1e-3)


@pytest.mark.parametrize(
    ("by", "hold", "error", "words"),
    [
        ("motor", {"link.end.y": 3.0}, EquilibriumError, "no trim with link.end.y = 3 .* as far as link.end.y = 0.7"),
        ("motor", {}, EquilibriumError, "1 commands .* cannot hold 0 quantities"),
        ([], {}, EquilibriumError, "nothing resists this motion.*no command acts on it"),
        ("motr", {"link.end.y": 0.1}, NamingError, "did you mean 'motor'"),
        (["motor", "motor"], {"link.end.y": 0.1}, NamingError, "given twice"),
        ("motor", {"hub.x": 0.1}, EquilibriumError, "hold hub.x by themselves"),
        ("push", {"shoulder.angle": 0.1}, EquilibriumError, "take up all that push does"),
        (
            ["motor", "other"],
            {"shoulder.angle": 0.1, "link.end.y": 0.2},
            EquilibriumError,
            "do not act on what is held",
        ),
        (["tip", "motor"], {"shoulder.angle": 0.1, "hub.angle": 0.1}, EquilibriumError, "depend on each other"),
        (["tip", "again"], {"shoulder.angle": 0.1, "link.end.y": 0.2}, EquilibriumError, "they push alike"),
        ("motor", {"shoulder.angle": fm.SmoothStep(0.0, 1.0)}, ControlError, "give the times of the path"),
        ("motor", ["shoulder.angle"], ModelError, "must be given by names"),
    ],
)
def test_what_cannot_be_held_is_named(by, hold, error, words):
    model = flexible_arm()
    hub, end = model.frames["hub"], model.components["link"].end
    model.point_force(hub, (0.0, 1.0), factor=0.0, name="push")
    model.point_torque(hub, 0.0, name="other")
    for name in ("tip", "again"):
        model.point_force(end, (0.0, 1.0), factor=0.0, name=name)
    with pytest.raises(error, match=words):
        fm.control.trim(model, by, hold)


def test_a_path_wants_a_motion_and_enough_times():
    with pytest.raises(ControlError, match="five or more"):
        fm.control.trim(rigid_arm(), "motor", {"hinge.angle": 0.1}, along=[0.0, 1.0])
    plain = rigid_arm()
    plain.gravity = (0.0, 0.0)
    with pytest.raises(ModelError, match="leave out spin"):
        fm.control.trim(plain, "motor", {"hinge.angle": 0.1}, along=np.linspace(0, 1, 9), spin=1.0)
    short = fm.simulate(rigid_arm(), 0.02, step=0.01)
    with pytest.raises(ControlError, match="the run has 3 times"):
        fm.control.trim(rigid_arm(), "motor", ["hinge.angle"], along=short)
