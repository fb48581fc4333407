"""Benches to try components on, one in the plane and one in space, and what is put on them."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm


def plane() -> Any:
    """A double pendulum, and a car on a rail with a wheel below it."""
    m: Any = fm.PlanarModel("plane", gravity=(0, -9.81))
    m.one = m.add_body("one", mass=1.0, inertia=0.1, position=(0.5, 0))
    m.two = m.add_body("two", mass=0.8, inertia=0.08, position=(1.4, 0.0), center=(0.05, 0.02))
    m.car = m.add_body("car", mass=2.0, inertia=0.3, position=(0, 2.0))
    m.wheel = m.add_body("wheel", mass=0.5, inertia=0.02, position=(0, 1.5))
    m.h1 = m.revolute(m.ground, m.one.attach("start", (-0.5, 0)), name="h1")
    m.h2 = m.revolute(m.one.attach("tip", (0.5, 0)), m.two.attach("start", (-0.4, 0)), name="h2")
    m.rail = m.prismatic(m.ground.attach("level", (0, 2.0)), m.car.frame, axis=0.0, name="rail")
    m.axle = m.revolute(m.car.attach("below", (0, -0.5)), m.wheel.frame, name="axle")
    m.car.frame.move((0.5, 0))
    m.wheel.frame.move((0.5, 0), -2.5)
    m.end = m.two.attach("end", (0.4, 0))
    return m


def space() -> Any:
    """A floating body with three others on a hinge, a slide and a ball, which turns."""
    m: Any = fm.SpatialModel("space", gravity=(0.5, 0, -9.81))
    m.base = m.add_body("base", mass=3.0, inertia=(0.3, 0.4, 0.5), position=(0, 0, 0.2))
    m.one = m.add_body("one", mass=1.0, inertia=(0.1, 0.12, 0.05), position=(0.5, 0, 0.5))
    m.two = m.add_body("two", mass=0.7, inertia=(0.06, 0.05, 0.03), position=(1.0, 0.3, 0.6), center=(0.02, 0.01, 0))
    m.three = m.add_body("three", mass=0.5, inertia=(0.03, 0.03, 0.03), position=(1.2, 0.6, 0.6))
    ends = m.base.attach("h", (0.2, 0, 0.1)), m.one.attach("h", (-0.3, 0, -0.2))
    m.h1 = m.revolute(*ends, axis=(0, 1, 1), name="h1")
    m.rail = m.prismatic(m.one.attach("s", (0.2, 0.1, 0.1)), m.two.attach("s", (-0.3, -0.2, 0)), axis="x", name="rail")
    m.ball = m.spherical(m.two.attach("b", (0.1, 0.2, 0)), m.three.attach("b", (-0.1, -0.1, 0)), name="ball")
    for body in (m.base, m.one, m.two, m.three):
        turning(body)
    m.spring_damper(m.ground.attach("hook", (0, 2, 0)), m.three.frame, stiffness=20.0, damping=0.3, name="rope")
    m.spring_damper(m.one.frame, m.two.frame, stiffness=100.0, damping=1.0, name="within")
    m.end = m.three.attach("end", (0.1, 0.1, 0.1))
    return m


def turning(body: Any) -> None:
    """Let a body take part in a turn of the whole about the origin."""
    body.frame.move(np.cross((0.3, 0.2, 0.9), body.frame.position), (0.3, 0.2, 0.9))


def tires(m: Any) -> None:
    """The tread is a coordinate with a row of speeds."""
    rubber = fm.TireLaw(load=20.0, cornering_stiffness=30.0, relaxation_length=0.2, friction=0.8)
    for name, at in (("front", (1.0, 0)), ("rear", (-1.0, 0.1))):
        m.tire(m.ground, m.car.attach(name, at), rubber, angle=0.3, name=f"{name} tire")


def counted_in_space(m: Any) -> None:
    """Angles between bodies on different branches, which no joint of the tree has."""
    for name, y, spin in (("left", 3.0, 3.0), ("right", 4.0, -9.0)):
        body = m.add_body(name, mass=1.0, inertia=(0.1, 0.12, 0.15), position=(0, y, 0))
        m.parallel_axes(m.ground, body.frame, axis="z")
        body.frame.move((0.1, 0, 0), (0, 0, spin))
    left, right = m.components["left"], m.components["right"]
    m.torsion_spring(left.frame, right.frame, stiffness=0.3, axis="z")
    m.motor(left.frame, right.frame, axis="z", inertia=0.01, ratio=5.0, torque=0.1)


def drives(m: Any) -> None:
    """An angle, a position and a distance that follow time; the first is let go."""
    m.drive_angle(m.ground, m.one.frame, fm.Harmonic(0.3, 4.0), name="turn")
    m.drive_position(m.ground, m.car.frame, fm.Polynomial([0, 0.5, 0.3]), name="go")
    m.drive_distance(m.ground.attach("peg", (1.8, 0.5)), m.end, fm.Polynomial([0.5, -0.1]), name="pull")
    m.add_event(0.3, fm.Switch(off=["turn"]), "let go")
