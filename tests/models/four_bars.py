"""Four-bar linkages in plane and space, with friction, and with rotors and a beam as coupler."""

from __future__ import annotations

import numpy as np

import flexmb as fm


def four_bar():
    """Three bars on a ground link of 1.5 m, let go with the left crank upright."""
    m = fm.PlanarModel("four-bar", gravity=(0, -9.81))
    bars = {}
    for name, at, angle, half in (
        ("left", (0, 0.5), 0.5 * np.pi, 0.5), ("top", (0.5, 1), 0.0, 0.5),
        ("right", (1.25, 0.5), np.arctan2(1, -0.5), 0.5 * np.hypot(0.5, 1)),
    ):  # fmt: skip
        body = m.add_body(name, mass=1.0, inertia=0.1, position=at, angle=angle)
        bars[name] = body.attach("start", (-half, 0)), body.attach("end", (half, 0))
    m.revolute(m.ground, bars["left"][0], name="A")
    m.revolute(bars["left"][1], bars["top"][0], name="B")
    m.revolute(bars["top"][1], bars["right"][1], name="C")
    m.revolute(m.ground.attach("D0", (1.5, 0)), bars["right"][0], name="D")
    return m


def four_bar_in_space():
    """The same linkage in space, all hinges about y, where rows repeat one another."""
    m = fm.SpatialModel("four-bar", gravity=(0, 0, -9.81))
    ends = []
    for name, at, half in (
        ("left", (0, 0, 0.5), (0, 0, 0.5)), ("top", (0.5, 0, 1), (0.5, 0, 0)),
        ("right", (1.25, 0, 0.5), (0.25, 0, -0.5)),
    ):  # fmt: skip
        body = m.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=at)
        ends.append((body.attach("start", -np.array(half)), body.attach("end", half)))
    m.revolute(m.ground, ends[0][0], axis="y", name="A")
    m.revolute(ends[0][1], ends[1][0], axis="y", name="B")
    m.revolute(ends[1][1], ends[2][0], axis="y", name="C")
    m.revolute(m.ground.attach("D0", (1.5, 0, 0)), ends[2][1], axis="y", name="D")
    return m


def four_bar_that_rubs():
    """A four-bar linkage with friction in all hinges, two of which are those of the tree."""
    m = fm.PlanarModel("four-bar", gravity=(0, -9.81))
    ends = []
    for name, at, angle, half in (
        ("left", (0, 0.5), 0.5 * np.pi, 0.5), ("top", (0.75, 1), 0.0, 0.75),
        ("right", (1.75, 0.5), np.arctan2(1, -0.5), 0.5 * np.hypot(0.5, 1)),
    ):  # fmt: skip
        body = m.add_body(name, mass=1.0, inertia=0.1, position=at, angle=angle)
        body.frame.move((0.0, 0.0))
        ends.append((body.attach("start", (-half, 0)), body.attach("end", (half, 0))))
    shaft = fm.JointFriction(0.3, radius=0.05, smoothing=0.05)
    m.revolute(m.ground, ends[0][0], name="A", friction=shaft)
    m.revolute(ends[0][1], ends[1][0], name="B", friction=shaft)
    m.revolute(ends[1][1], ends[2][1], name="C", friction=shaft)
    m.revolute(m.ground.attach("foot", (2, 0)), ends[2][0], name="D", friction=shaft)
    m.point_force(ends[1][1], (30.0, 0.0), name="push")
    return m


def four_bar_with_rotors() -> fm.PlanarModel:
    """A four-bar whose coupler is a beam, with a rotor without inertia on a crank, and another one that has inertia."""
    m = fm.PlanarModel("rotors", gravity=(0, -9.81))
    left, right = (m.add_body(name, mass=1.0, inertia=0.1, position=(x, 0.5)) for name, x in (("l", 0), ("r", 1)))
    material, section = fm.Material(2700, 70e9), fm.Rectangle(0.02, 0.02)
    top = m.add_beam("top", (0, 1), (1, 1), material=material, section=section, modes=1)
    m.revolute(m.ground, left.attach("low", (0, -0.5)), name="A")
    m.revolute(left.attach("high", (0, 0.5)), top.start, name="B")
    m.revolute(top.end, right.attach("high", (0, 0.5)), name="C")
    m.revolute(m.ground.attach("D0", (1, 0)), right.attach("low", (0, -0.5)), name="D")
    m.motor(m.ground, left.frame, inertia=0.0, ratio=5.0, torque=0.5, name="light")
    m.motor(m.ground, right.frame, inertia=1e-3, ratio=3.0, torque=0.2, name="heavy")
    return m
