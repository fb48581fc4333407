"""What acts along the coordinates of joints, against the laws of motion of the one body that hangs on the joint."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm

G, MASS, INERTIA, ARM = 9.81, 2.0, 0.3, 0.4


def pendulum(space: bool, friction: fm.JointFriction | None = None):
    """A body on a hinge about the horizontal, with what acts along the hinge between it and the ground."""
    if space:
        m = fm.SpatialModel("pendulum", gravity=(0, 0, -G))
        body = m.add_body("body", mass=MASS, inertia=(0.5, INERTIA, 0.6), position=(ARM, 0, 0))
        end = body.attach("end", (-ARM, 0, 0))
        hinge = m.revolute(m.ground, end, axis="y", name="hinge", friction=friction)
    else:
        m = fm.PlanarModel("pendulum", gravity=(0, -G))
        body = m.add_body("body", mass=MASS, inertia=INERTIA, position=(ARM, 0))
        end = body.attach("end", (-ARM, 0))
        hinge = m.revolute(m.ground, end, name="hinge", friction=friction)
    return m, hinge, end


def turned_down(run: fm.Solution, space: bool) -> np.ndarray:
    """The moment about the hinge that the motion of the body takes: J α less that of weight, right-handed."""
    of_weight = -MASS * G * ARM * np.cos(run["hinge.angle"])
    return (INERTIA + MASS * ARM**2) * run["hinge.acceleration"] - (-of_weight if space else of_weight)


@pytest.mark.parametrize("space", [False, True])
def test_springs_motors_and_stops_do_what_the_motion_takes(space, tmp_path):
    m, hinge, end = pendulum(space)
    about = {"axis": "y"} if space else {}
    m.torsion_spring(m.ground, end, stiffness=3.0, damping=0.2, **about)
    m.joint_force(hinge, fm.Harmonic(4.0, 9.0), damping=0.1, friction=fm.Friction(0.2, smoothing=0.5))
    m.motor(m.ground, end, inertia=1e-3, ratio=8.0, stiffness=60.0, damping=0.5, torque=0.2, **about)
    m.joint_stop(hinge, upper=0.3, lower=-0.3, stiffness=200.0)
    run = fm.simulate(m, 0.5, "radau", tolerance=1e-9, max_step=0.01, progress=False)
    wanted = turned_down(run, space)
    np.testing.assert_allclose(run["hinge.effort"], wanted, rtol=0, atol=1e-7)
    np.testing.assert_allclose(run["hinge.angle_effort"], run["hinge.effort"], rtol=0, atol=0)
    filed = fm.load(run.save(tmp_path / "run.h5"))
    np.testing.assert_array_equal(filed["hinge.effort"], run["hinge.effort"])
    assert filed.series("hinge.effort").unit == "Nm"


@pytest.mark.parametrize("space", [False, True])
def test_friction_by_the_joint_s_own_force_is_an_effort_and_a_drive_too(space):
    m, hinge, _ = pendulum(space, fm.JointFriction(0.3, radius=0.05, viscous=2.0))
    run = fm.simulate(m, 0.3, "radau", tolerance=1e-9, max_step=0.01, progress=False)
    np.testing.assert_allclose(run["hinge.effort"], turned_down(run, space), rtol=0, atol=1e-6)
    assert np.max(np.abs(run["hinge.effort"])) > 0.1
    m, hinge, end = pendulum(space)
    motion = fm.Polynomial([0.0, 0.2, 1.5])
    _ = m.drive_joint(hinge, motion) if space else m.drive_angle(m.ground, end, motion)
    run = fm.simulate(m, 0.3, "radau", tolerance=1e-9, max_step=0.01, progress=False)
    np.testing.assert_allclose(run["hinge.effort"], turned_down(run, space), rtol=0, atol=1e-6)


def test_commands_and_load_paths_count():
    m, hinge, _ = pendulum(False)
    motor = m.joint_force(hinge, 1.0, name="motor")
    read = [fm.control.JointAngle(hinge), fm.control.NamedQuantity(m, "hinge.effort")]
    m.add_controller("servo", period=0.02, sensors=read, commands=motor, law=[[-5.0, 0.0]])
    run = fm.simulate(m, 0.2, step=0.005, progress=False)
    np.testing.assert_allclose(run["hinge.effort"], 1.0 + run["servo.motor"], rtol=0, atol=1e-12)
    log = run.control["servo"]
    np.testing.assert_allclose(log.y[1:, 1], 1.0 + log.u[:-1, 0], rtol=0, atol=1e-12)
    m, hinge, end = pendulum(False)
    m.torsion_spring(m.ground, end, stiffness=50.0)
    push = m.joint_force(hinge, 6.0, name="push")
    path = fm.equilibrium_path(m, push, factor=2.0)
    weight = -MASS * G * ARM * np.cos(path["hinge.angle"])
    np.testing.assert_allclose(path["hinge.effort"], -weight, rtol=0, atol=1e-7)


def test_forces_along_slides_and_in_ball_joints():
    m = fm.SpatialModel("ball", gravity=(0, 0, -G))
    turned = fm.rotation_vector((0.3, -0.2, 0.5))
    post = m.ground.attach("post", (0.2, 0.1, 0.0), turned)
    inertia = np.diag([0.2, 0.3, 0.4])
    body = m.add_body("body", mass=1.0, inertia=np.diag(inertia), position=post.position, orientation=turned)
    ball = m.spherical(post, body.frame, name="ball")
    for axis, torque in zip(("rx", "ry", "rz"), (0.4, -0.3, 0.2)):
        m.joint_force(ball, torque, damping=0.1, coordinate=axis)
    body.move(angular_velocity=(1.0, -2.0, 0.5))
    rail = m.add_body("block", mass=3.0, inertia=(1, 1, 1))
    slide = m.prismatic(m.ground, rail.frame, axis=(0.6, 0.0, 0.8), name="slide")
    m.joint_force(slide, 5.0, damping=0.7)
    run = fm.simulate(m, 0.5, "radau", tolerance=1e-9, progress=False)
    efforts = np.column_stack([run[f"ball.r{x}_effort"] for x in "xyz"])
    spin = np.column_stack([run[f"ball.w{x}"] for x in "xyz"])
    np.testing.assert_allclose(efforts, [0.4, -0.3, 0.2] - 0.1 * spin, rtol=0, atol=1e-12)
    track = run["body"].in_own_axes()
    own = track.angular_acceleration @ inertia + np.cross(track.angular_velocity, track.angular_velocity @ inertia)
    moment = post.orientation.inv().apply(run["body"].orientation.apply(own))
    np.testing.assert_allclose(efforts, moment, rtol=0, atol=1e-8)
    np.testing.assert_allclose(run["slide.effort"], 5.0 - 0.7 * run["slide.rate"], rtol=0, atol=1e-11)
    np.testing.assert_allclose(run["slide.effort"], 3.0 * (run["slide.acceleration"] + 0.8 * G), rtol=0, atol=1e-7)
