"""Arms: trees of bodies with springs, drives and loads."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm


def arm():
    """An arm in the plane with a slider, springs, a torque that follows time, and a load."""
    m = fm.PlanarModel("arm", gravity=(0, -9.81))
    upper = m.add_body("upper", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    lower = m.add_body("lower", mass=0.8, inertia=0.08, position=(1.0, -0.4), angle=-0.5 * np.pi)
    slide = m.add_body("slide", mass=0.3, inertia=0.02, position=(1.0, -0.5), angle=0.2)
    m.revolute(m.ground, upper.attach("start", (-0.5, 0)), name="shoulder")
    m.revolute(lower.attach("start", (-0.4, 0)), upper.attach("end", (0.5, 0)), name="elbow")
    m.prismatic(lower.frame, slide.frame, axis=0.0, name="rail")
    m.spring_damper(m.ground.attach("hook", (2, 0)), slide.frame, stiffness=30.0, damping=0.5, name="spring")
    m.torsion_spring(m.ground, upper.frame, stiffness=3.0, damping=0.1, name="coil")
    m.point_torque(upper.frame, fm.Harmonic(2.0, 3.0), name="drive")
    m.point_force(slide.attach("tip", (0.1, 0.1)), (1.0, 2.0), name="push")
    return m


def robot():
    """An arm in space with a screw, a counted hinge, actuators and springs, on a floating base."""
    m = fm.SpatialModel("robot", gravity=(1.0, 0.5, -9.0))
    base = m.add_body("base", mass=3.0, inertia=(0.3, 0.4, 0.5), position=(0, 0, 0.2))
    one = m.add_body("one", mass=1.0, inertia=(0.1, 0.12, 0.05), position=(0.5, 0, 0.5))
    two = m.add_body("two", mass=0.7, inertia=(0.06, 0.05, 0.03), position=(1.0, 0.3, 0.6))
    three = m.add_body("three", mass=0.4, inertia=(0.02, 0.03, 0.03), position=(1.2, 0.3, 0.9))
    ends = base.attach("h", (0.2, 0, 0.1)), one.attach("h", (-0.3, 0, -0.2))
    hinge = m.revolute(*ends, axis=(0, 1, 1), name="hinge")
    m.screw(two.attach("s", (-0.3, -0.2, 0)), one.attach("s", (0.2, 0.1, 0.1)), 0.1, axis="x", name="thread")
    m.spherical(two.attach("b", (0.1, 0, 0.2)), three.attach("b", (-0.1, 0, -0.1)), name="ball")
    for body in (base, one, two, three):
        body.frame.move(np.cross((0.3, 0.2, 0.9), body.frame.position), (0.3, 0.2, 0.9))
    m.spring_damper(m.ground.attach("hook", (0, 2, 0)), three.frame, stiffness=20.0, damping=0.3, name="rope")
    m.joint_force(hinge, 0.8, damping=0.1, name="drive")
    m.point_torque(three.frame, (0.05, 0.0, 0.02), name="twist")
    return m


def driven_arm(drive=True):
    """Two bodies: one turns about the vertical as it is driven, the other swings on a hinge at its tip."""
    m = fm.SpatialModel("arm", gravity=(0, 0, -9.81))
    column = m.add_body("column", mass=3.0, inertia=(0.2, 0.3, 0.4), position=(0.5, 0, 0))
    bob = m.add_body("bob", mass=1.0, inertia=(0.05, 0.02, 0.06), position=(1.0, 0, -0.4))
    m.revolute(m.ground, column.attach("root", (-0.5, 0, 0)), name="bearing")
    m.revolute(
        column.attach("tip", (0.5, 0, 0)), bob.attach("eye", (0, 0, 0.4), Rotation.from_rotvec([0, 0.3, 0])), axis="x",
        name="hinge",
    )  # fmt: skip
    if drive:
        m.drive_angle(m.ground, m.frames["column.root"], smooth_angle(), name="drive")
    return m


def smooth_angle():
    """An angle that grows smoothly from rest."""
    return fm.Harmonic(amplitude=0.8, frequency=2.0)
