"""Mechanisms with hard contacts in the plane."""

from __future__ import annotations

import math

import numpy as np

import flexmb as fm

#: gravity [m/s²]
G = 9.81
#: phases (time, acceleration) of the gripper's lift
LIFT = [(0.2, 5.0), (0.2, -5.0), (0.2, 0.0)]


def ball(restitution: float = 0.7) -> fm.PlanarModel:
    """A ball that falls from 1 m on a floor."""
    m = fm.PlanarModel("ball", gravity=(0, -G))
    body = m.add_body("ball", mass=2.0, inertia=0.1, position=(0, 1.1))
    m.contact(
        m.ground, body.frame, fm.HalfPlane("y"), fm.Disk(radius=0.1), hard=True, restitution=restitution, name="floor"
    )
    return m


def spinning_disk() -> fm.PlanarModel:
    """A disk of radius .1 that falls from 1 m and spins backwards as it flies ahead."""
    m = fm.PlanarModel("disk", gravity=(0, -G))
    body = m.add_body("disk", mass=2.0, inertia=0.5 * 2.0 * 0.1**2, position=(0, 1.1))
    body.frame.move(velocity=(2.0, 0.0), angular_velocity=30.0)
    floor = fm.HalfPlane("y")
    m.contact(m.ground, body.frame, floor, fm.Disk(radius=0.1), hard=True, restitution=0.6, friction=0.15, name="floor")
    return m


def block(half_width: float = 0.2, half_height: float = 1.0, tilt: float = 0.1) -> fm.PlanarModel:
    """A block that stands on one of its lower corners."""
    m = fm.PlanarModel("block", gravity=(0, -G))
    c, s = math.cos(tilt), math.sin(tilt)
    inertia = (half_width**2 + half_height**2) / 3.0
    place = (-c * half_width + s * half_height, s * half_width + c * half_height)
    body = m.add_body("block", mass=1.0, inertia=inertia, position=place, angle=-tilt)
    corners = fm.Corners([(-half_width, -half_height), (half_width, -half_height)])
    m.contact(m.ground, body.frame, fm.HalfPlane("y"), corners, hard=True, friction=9.0, name="floor")
    return m


def wheel(spokes: int = 8, inertia: float = 0.5, slope: float = 0.08, speed: float = 1.2) -> fm.PlanarModel:
    """A wheel without a rim that begins to walk down a slope, on its foremost spoke."""
    m = fm.PlanarModel("wheel", gravity=(G * math.sin(slope), -G * math.cos(slope)))
    half = math.pi / spokes
    body = m.add_body("wheel", mass=1.0, inertia=inertia, position=(-math.sin(half), math.cos(half)), angle=half)
    body.frame.move(velocity=(speed * math.cos(half), speed * math.sin(half)), angular_velocity=-speed)
    turns = 2.0 * math.pi * np.arange(spokes) / spokes
    ends = fm.Corners([(math.sin(x), -math.cos(x)) for x in turns.tolist()])
    m.contact(m.ground, body.frame, fm.HalfPlane("y"), ends, hard=True, friction=5.0, name="floor")
    return m


def double_pendulum(restitution: float, friction: float = 0.0) -> fm.PlanarModel:
    """Two rods that hang from a hinge, and a wall beside them that keeps the tip at x ≥ −.2."""
    m = fm.PlanarModel("double pendulum", gravity=(0, -G))
    top, last = np.zeros(2), m.ground
    for k, angle in enumerate((math.pi / 3.0, math.pi / 2.0)):
        along = np.array([math.sin(angle), -math.cos(angle)])
        rod = m.add_body(f"rod {k + 1}", mass=1.0, inertia=1.0 / 12.0, position=tuple(top + 0.5 * along), angle=angle)
        m.revolute(last, rod.attach(f"top {k + 1}", (0, 0.5)), name=f"hinge {k + 1}")
        last, top = rod.attach(f"end {k + 1}", (0, -0.5)), top + along
    wall = fm.HalfPlane("x", (-0.2, 0))
    m.contact(m.ground, last, wall, hard=True, restitution=restitution, friction=friction or None, name="wall")
    return m


def slope(friction: float, angle: float = 0.2, speed: float = 2.0) -> fm.PlanarModel:
    """A box that slides down a slope on its two lower corners."""
    m = fm.PlanarModel("slope", gravity=(G * math.sin(angle), -G * math.cos(angle)))
    box = m.add_body("box", mass=1.0, inertia=0.1, position=(0, 0.1))
    box.frame.move(velocity=(speed, 0))
    corners = fm.Corners([(-0.2, -0.1), (0.2, -0.1)])
    m.contact(m.ground, box.frame, fm.HalfPlane("y"), corners, hard=True, friction=friction, name="floor")
    return m


def rod(friction: float = 1.5, angle: float = math.pi / 3.0, slip: float = -3.0) -> fm.PlanarModel:
    """A slender rod whose lower end slides on a floor."""
    m = fm.PlanarModel("rod", gravity=(0, -G))
    body = m.add_body("rod", mass=1.0, inertia=1.0 / 3.0, position=(math.cos(angle), math.sin(angle)), angle=angle)
    body.frame.move(velocity=(slip, 0.0))
    end = body.attach("end", (-1.0, 0.0))
    m.contact(m.ground, end, fm.HalfPlane("y"), hard=True, friction=friction, name="floor")
    return m


def gripper(force: float, friction: float = 0.4) -> fm.PlanarModel:
    """A body of .5 kg between two fingers, in the axes of the hand that lifts it."""
    m = fm.PlanarModel("gripper", gravity=(0, -G))
    body = m.add_body("body", mass=0.5, inertia=1e-3)
    ahead, back = (fm.Pulse(t, time, a) for t, (time, a) in zip((0.0, LIFT[0][0]), LIFT[:2]))
    m.point_force(body.frame, (0, -0.5), factor=ahead + back, name="lift")
    for side in (-1.0, 1.0):
        finger = m.add_body(f"finger {side:+g}", mass=0.2, inertia=1e-3, position=(side * 0.1, 0))
        m.prismatic(m.ground, finger.frame, name=f"guide {side:+g}")
        m.point_force(finger.frame, (-side * force, 0.0), name=f"press {side:+g}")
        face = fm.HalfPlane((-side, 0), (-side * 0.05, 0.0))
        corners = fm.Corners([(side * 0.05, -0.05), (side * 0.05, 0.05)])
        m.contact(finger.frame, body.frame, face, corners, hard=True, friction=friction, name=f"pad {side:+g}")
    return m


def slider_crank(turning: float = 0.0) -> fm.PlanarModel:
    """A slider-crank whose slider has a clearance of 1 mm in its guide, by Flores, Leine and Glocker (2010)."""
    m = fm.PlanarModel("slider-crank", gravity=(0, -G))
    l1, l2, a, b, c = 0.153, 0.306, 0.05, 0.025, 0.001
    crank = m.add_body("crank", mass=0.038, inertia=7.4e-5, position=(0.5 * l1, 0))
    link = m.add_body("link", mass=0.038, inertia=5.9e-4, position=(l1 + 0.5 * l2, 0))
    block = m.add_body("slider", mass=0.076, inertia=2.7e-6, position=(l1 + l2, 0))
    m.revolute(m.ground, crank.attach("foot", (-0.5 * l1, 0)), name="main")
    m.revolute(crank.attach("tip", (0.5 * l1, 0)), link.attach("big end", (-0.5 * l2, 0)), name="crank pin")
    m.revolute(link.attach("small end", (0.5 * l2, 0)), block.frame, name="wrist pin")
    crank.frame.move(velocity=(0, 75.0 * l1), angular_velocity=150.0)
    link.frame.move(velocity=(0, 150.0 * l1 - 37.5 * l2), angular_velocity=-75.0)
    block.frame.move(velocity=(0, 150.0 * l1 - 75.0 * l2), angular_velocity=turning)
    for name, side in (("floor", 1.0), ("roof", -1.0)):
        face = fm.HalfPlane((0, side), (0, -side * (b + c)))
        corners = fm.Corners([(-a, -side * b), (a, -side * b)])
        m.contact(m.ground, block.frame, face, corners, hard=True, restitution=0.4, friction=0.01, name=name)
    return m
