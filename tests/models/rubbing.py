"""Mechanisms with friction in their joints, smooth and truly sticking."""

from __future__ import annotations

import flexmb as fm

SMALL = {"smoothing": 0.0, "small_force": 1e-9}


def pushed(force: object, static: float = 0.4) -> fm.PlanarModel:
    """A block of 1 kg on a floor, with μ = 0.3 and g = 10 m/s²."""
    m = fm.PlanarModel("push", gravity=(0, -10.0))
    block = m.add_body("block", mass=1.0, inertia=0.1)
    law = fm.JointFriction(0.3, static=static, stribeck_speed=0.5, length=0.2, **SMALL)
    m.prismatic(m.ground, block.frame, friction=law, name="floor")
    m.point_force(block.frame, (1.0, 0.0), factor=force)
    return m


def sticking_crank(mu: float) -> fm.PlanarModel:
    """A slider-crank whose four joints all stick."""
    m = fm.PlanarModel("crank", gravity=(0, -9.81))
    parts = [
        m.add_body(name, mass=1.0, inertia=0.01, position=(x, 0.0))
        for name, x in (("crank", 0.1), ("rod", 0.35), ("slider", 0.5))
    ]
    shaft = fm.JointFriction(mu, static=1.5 * mu, radius=0.01, smoothing=0.0)
    m.revolute(m.ground, parts[0].attach("o", (-0.1, 0)), friction=shaft, name="main")
    m.revolute(parts[0].attach("p", (0.1, 0)), parts[1].attach("a", (-0.15, 0)), friction=shaft, name="pin")
    m.revolute(parts[1].attach("b", (0.15, 0)), parts[2].frame, friction=shaft, name="wrist")
    rail = fm.JointFriction(mu, static=1.5 * mu, length=0.1, smoothing=0.0)
    m.prismatic(m.ground, parts[2].frame, friction=rail, name="rail")
    parts[0].frame.move((0.0, 0.2), 2.0)
    return m


def sticking_swing(space: bool) -> fm.Model:
    """A bob of 2 kg, 1 m from a hinge that truly sticks, let go level in plane or space."""
    law = fm.JointFriction(0.6, static=0.78, radius=0.1, length=0.2, **SMALL)
    if space:
        m = fm.SpatialModel("swing", gravity=(0, 0, -9.81))
        bob = m.add_body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
        m.revolute(m.ground, bob.attach("h", (-1, 0, 0)), axis="y", friction=law, name="hinge")
        return m
    m = fm.PlanarModel("swing", gravity=(0, -9.81))
    bob = m.add_body("bob", mass=2.0, inertia=0.1, position=(1, 0))
    m.revolute(m.ground, bob.attach("h", (-1, 0)), friction=law, name="hinge")
    return m


def arm_that_goes_out(coefficient: float = 0.3) -> fm.SpatialModel:
    """A slide of 1 kg on a rail along z, from which another kilogram moves away along x at 0.5 m/s: at the distance x
    the bearing of length L jams when 2 μ x m/(L (m + M)) is 1, for μ = 0.3 and L = 0.1 m at x = 1/3 m."""
    m = fm.SpatialModel("arm", gravity=(0.0, 1.0, 0.0))
    carriage = m.add_body("carriage", mass=1.0, inertia=(0.01, 0.01, 0.01))
    carriage.frame.move((0.0, 0.0, 1.0))
    friction = fm.JointFriction(coefficient, length=0.1, smoothing=0.01)
    m.prismatic(m.ground, carriage.frame, axis="z", friction=friction, name="rail")
    load = m.add_body("load", mass=1.0, inertia=(0.01, 0.01, 0.01))
    load.frame.move((0.5, 0.0, 1.0))
    m.prismatic(carriage.frame, load.frame, axis="x", name="arm")
    return m


def door(friction: fm.JointFriction | None, m: fm.SpatialModel | None = None) -> fm.SpatialModel:
    """A door on two hinges, the second of which repeats the first, in a model of its own or in another one."""
    m = m or fm.SpatialModel("door", gravity=(0.0, 0.0, -9.81))
    leaf = m.add_body("leaf", mass=20.0, inertia=(1.0, 1.0, 1.5), position=(0.4, 0.0, 0.0))
    for name, height in (("upper", 0.8), ("lower", -0.8)):
        own = friction if name == "upper" else None
        on_wall = m.ground.attach(f"{name} wall", (0.0, 0.0, height))
        m.revolute(on_wall, leaf.attach(name, (-0.4, 0.0, height)), friction=own, name=name)
    return m


def block_on_rail() -> fm.SpatialModel:
    """A block of 2 kg on a rail along x with μ = 0.25, pushed by 7 N."""
    m = fm.SpatialModel("block", gravity=(0.0, 0.0, -9.81))
    block = m.add_body("block", mass=2.0, inertia=(0.1, 0.1, 0.1))
    friction = fm.JointFriction(0.25, smoothing=1e-4, small_force=1e-6)
    m.prismatic(m.ground, block.frame, axis="x", friction=friction, name="rail")
    m.point_force(block.frame, (7.0, 0.0, 0.0), name="push")
    return m
