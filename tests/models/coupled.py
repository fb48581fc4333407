"""Joints of space that count or couple, and drives, between two frames of a model that has bodies a and b."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import flexmb as fm

WAVE = fm.Harmonic(1.3, 2.5, 0.3, 0.4)
#: the same at t = 0 as the model
SWING = fm.Harmonic(0.3, 2.0)
DRY = fm.JointFriction(
    0.3,
    static=0.4,
    stribeck_speed=2.0,
    viscous=0.2,
    smoothing=1.0,
    radius=0.2,
    length=0.5,
    preload=0.7,
    small_force=0.5,
)
RUBS = fm.Friction(0.2, 0.3, 2.0, 0.1, smoothing=1.0)
LEAN = Rotation.from_rotvec([0.3, -0.4, 0.5])
_ANGLES = 0.05 + np.linspace(0.0, 2.0 * np.pi, 5, endpoint=False)
RING = np.stack([np.cos(_ANGLES), np.sin(_ANGLES), 0.3 * np.sin(2.0 * _ANGLES)], axis=1)
TIMES = (-1.0, 0.4, 1.0, 1.7, 2.5)
TURNS = Rotation.from_rotvec([[0.1, 0.2, 0.3], [0.6, -0.2, 0.1], [1.5, 0.3, -0.4], [2.0, 1.0, 0.2], [1.0, 1.4, 0.9]])


def rotation_of(frame):
    return frame.orientation


def carrier(m):
    """A third body with a frame off its node."""
    body = m.add_body("carrier", mass=2.0, inertia=(0.5, 0.4, 0.3), position=(0.2, 0.6, -0.5), orientation=LEAN**0.7)
    return body.attach("mount", (0.3, 0.1, 0.2), Rotation.from_rotvec([0.4, 0.0, -1.0]))


def mount(m):
    """A frame of a third body, which is made once."""
    return m.frames["mount"] if "mount" in m.frames else carrier(m)


def beside(frame, other):
    """A frame on the body of a frame, at the place of another one."""
    return frame.attach("beside", rotation_of(frame).inv().apply(other.position - frame.position))


def across(a, b, axis=(0.0, 0.0, 1.0)):
    """A direction in the axes of b across one of a."""
    return rotation_of(b).inv().apply(np.cross(rotation_of(a).apply(axis), [0.3, 0.5, 0.7]))


def leaning(a, b, angle=0.4):
    """A direction in the axes of b, at an angle to the x-axis of a."""
    u = rotation_of(a).apply([1.0, 0.0, 0.0])
    normal = np.cross(u, [0.3, 0.5, 0.7])
    return rotation_of(b).inv().apply(Rotation.from_rotvec(angle * normal / np.linalg.norm(normal)).apply(u))


#: whatever stands between any two frames
ANYWHERE = {
    "Screw": lambda m, a, b: m.screw(a, b, -0.03, axis=(0.3, 0.2, 1.0)),
    "Screw: friction": lambda m, a, b: m.screw(a, b, -0.03, axis=(0.3, 0.2, 1.0), friction=DRY),
    "Screw: skew": lambda m, a, b: m.screw(a, b, 0.7, axis="x", axis_b=leaning(a, b, 0.1)),
    "ConstantVelocity": lambda m, a, b: m.constant_velocity(a, b, axis=(0.3, 0.2, 1.0)),
    "ConstantVelocity: bent": lambda m, a, b: m.constant_velocity(a, b, axis="x", axis_b=leaning(a, b)),
    "PointOnCurve": lambda m, a, b: m.point_on_curve(a, b, RING, closed=True),
    "PointOnCurve: open": lambda m, a, b: m.point_on_curve(a, b, [(-5.1, -4, 3), (0.2, 0.1, 0), (6, 5, 7)]),
    "DriveRotation: Euler angles": lambda m, a, b: m.drive_rotation(
        a, b, (WAVE, fm.Polynomial([0.3, 0.4]), 0.3), sequence="ZXZ"
    ),
    "DriveRotation: from the start": lambda m, a, b: m.drive_rotation(
        a, b, (WAVE, fm.Polynomial([0.3, 0.4]), 0.3), sequence="xyz", relative_to_start=True
    ),
    "DriveRotation: vector": lambda m, a, b: m.drive_rotation(a, b, (WAVE, fm.Polynomial([0.3, 0.4, 1.0]), 0.3)),
    "DriveRotation: table": lambda m, a, b: m.drive_rotation(a, b, TURNS, times=TIMES),
    "DriveRotation: held": lambda m, a, b: m.drive_rotation(a, b, LEAN),
    "DrivePosition": lambda m, a, b: m.drive_position(a, b, WAVE, axis=(1, 2, 3), relative_to_start=True),
    "DrivePosition: three": lambda m, a, b: m.drive_position(a, b, (WAVE, 2.0 * WAVE, 0.3)),
    "DriveJoint: angle": lambda m, a, b: m.drive_joint(m.cylindrical(a, b, axis="y"), WAVE, coordinate="angle"),
    "DriveJoint: place": lambda m, a, b: m.drive_joint(m.planar_joint(a, b, axis=(1, 2, 0.1)), WAVE, coordinate="y"),
    "DriveJoint: angle1": lambda m, a, b: m.drive_joint(
        m.universal(a, b, axis="z", axis_b=across(a, b)), WAVE, coordinate="angle1"
    ),
    "Coupling: angles": lambda m, a, b: m.coupling(
        m.revolute(a, b, axis="y"), m.cylindrical(b, mount(m), axis=(1, 0.2, 0)), -0.7, other_coordinate="angle"
    ),
    "Coupling: places": lambda m, a, b: m.coupling(
        m.prismatic(a, b, axis="y"), m.planar_joint(b, mount(m), axis="z"), 1.7, other_coordinate="x"
    ),
    "Coupling: a place by an angle": lambda m, a, b: m.coupling(
        m.revolute(a, b, axis="y"), m.prismatic(b, mount(m), axis=(1, 0.2, 0)), 0.3
    ),
    "JointForce: angle": lambda m, a, b: m.joint_force(
        m.revolute(a, b, axis=(0.3, 0.2, 1)), WAVE, damping=0.3, friction=RUBS
    ),
    "JointForce: angle1": lambda m, a, b: m.joint_force(
        m.universal(a, b, axis="z", axis_b=across(a, b)), WAVE, coordinate="angle1"
    ),
    "JointForce: rotation": lambda m, a, b: m.joint_force(m.spherical(a, b), WAVE, damping=0.3, coordinate="ry"),
    "JointForce: place": lambda m, a, b: m.joint_force(
        m.cylindrical(a, b, axis=(1, 2, 0.1)), WAVE, damping=0.3, friction=RUBS, coordinate="position"
    ),
    "DriveJoint: angle2": lambda m, a, b: m.drive_joint(
        m.universal(a, b, axis="x", axis_b=leaning(a, b, 1.1), angle=1.1), WAVE, coordinate="angle2"
    ),
}
#: what has two frames that are apart
APART = {"DriveDistance": lambda m, a, b: m.drive_distance(a, b, 1.0 + WAVE)}
#: what stands between two bodies, on a carrier
CARRIED = {
    "Gear": lambda m, a, b: m.gear(a, b, -0.7, axis=(1, 2, 0.3), axis_b=(0.2, 1, 1)),
    "Gear: carriers": lambda m, a, b: m.gear(a, b, 1.7, axis="x", carrier=carrier(m), carrier_b=m.ground),
    "Belt": lambda m, a, b: m.belt(a, b, 0.3, 0.5, axis=(1, 2, 0.3), axis_b=(0.2, 1, 1), crossed=True),
    "RackAndPinion": lambda m, a, b: m.rack_and_pinion(a, b, 0.3, axis="z", along=across(a, b)),
    "RackAndPinion: carrier": lambda m, a, b: m.rack_and_pinion(a, b, 0.3, along=across(a, b), carrier=carrier(m)),
}
#: all of them, with no row that is not met at the start, for frames that share a place
CLOSED = {
    "screw": ANYWHERE["Screw"],
    "constant velocity": ANYWHERE["ConstantVelocity"],
    "constant velocity, bent": ANYWHERE["ConstantVelocity: bent"],
    "curve": lambda m, a, b: m.point_on_curve(a, b, [(-2, -4, 3), (1, 2, -1.5)]),
    "rotation": lambda m, a, b: m.drive_rotation(a, b, (SWING, SWING, SWING), relative_to_start=True),
    "position": lambda m, a, b: m.drive_position(a, b, (SWING, SWING, SWING)),
    "distance": lambda m, a, b: m.drive_distance(
        a, m.components["b"].frame, SWING + float(np.linalg.norm(a.position - m.components["b"].frame.position))
    ),
    "joint": lambda m, a, b: m.drive_joint(m.revolute(a, b, axis="y"), SWING),
    "coupled joints": lambda m, a, b: m.coupling(
        m.revolute(a, b, axis="y"), m.prismatic(b, beside(mount(m), b), axis=(1, 0.2, 0)), 0.3
    ),
    "gear": lambda m, a, b: m.gear(a, b, 1.7, axis="x", axis_b="z", carrier=carrier(m)),
    "belt": lambda m, a, b: m.belt(a, b, 0.3, 0.4, axis="x", carrier=carrier(m)),
    "rack": CARRIED["RackAndPinion: carrier"],
}
