"""Mechanisms of each kind that a formulation may take or refuse, small, slow and without symmetry.

Each is one idea: a tree, a loop, something that rolls, a body that bends, what surrounds the bodies. They begin where
their joints meet, those that float in rotation, and are compared after a while, when they have bent.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import flexmb as fm

#: soft and light, so that modes are slow
SOFT, TUBE = fm.Material(300.0, 1e6, 0.3), fm.Tube(outer_diameter=0.2, inner_diameter=0.18)
#: of beams of the same kind
BEAM = fm.spatial.BeamProperties(EA=3e4, EIy=40.0, EIz=60.0, GJ=30.0, rhoA=1.5, rhoIy=2e-3, rhoIz=3e-3)
ROUND = fm.spatial.BeamProperties(EA=3e4, EIy=40.0, EIz=40.0, GJ=30.0, rhoA=1.5)  # that bends alike in all planes
#: the earth's [m³/s²], and a low circle [m]
MU, RADIUS = 3.986004418e14, 7.0e6
#: with which what floats begins [rad/s]
SPIN = 0.5, -1.0, 1.2


def hull(name: str, gravity: Any = (0.3, -0.2, 0.5), torque: float = 1.0) -> tuple[fm.SpatialModel, Any]:
    """A body that floats, under a torque."""
    m = fm.SpatialModel(name, gravity=gravity)
    body = m.add_body("hull", mass=4.0, inertia=(1.8, 2.2, 2.0))
    m.point_torque(body.frame, (0.5 * torque, torque, -1.5 * torque), name="torque")
    return m, body


def arm(on: Any, name: str, place: Any, axis: Any = None, joint: str = "revolute", **options: Any) -> Any:
    """A body that reaches from a `place` of another one, by a joint about an `axis`, or a ball joint without one."""
    m, at = on.frame.model, np.array(place)
    given = {"mass": 0.7, "inertia": (0.05, 0.16, 0.12)} | options.pop("body", {})
    body = m.add_body(name, position=on.frame.position + 2.0 * at, **given)
    ends = on.frame.attach(f"to {name}", at), body.frame.attach(f"root of {name}", -at)
    if axis is None:
        m.spherical(*ends, name=f"ball of {name}")
    else:
        getattr(m, joint)(*ends, axis=axis, name=f"joint of {name}", **options)
    return body


def turning(m: fm.SpatialModel) -> fm.SpatialModel:
    """A mechanism that floats, as it begins."""
    m.set_rigid_motion(angular_velocity=SPIN)
    return m


def rod(field: str) -> fm.bodies.ReducedBody:
    """A soft tube of 2 m, with three modes in its mean frame and an interface at one of its ends."""
    side = fm.bodies.Member(("root", "tip"), SOFT, TUBE)
    places = {"root": (0.0, 0.0, 0.0), "tip": (2.0, 0.0, 0.0)}
    how = fm.bodies.Reduction(field=field)
    return fm.bodies.from_frame(places, [side], interfaces={"root": "root"}, modes=3, reduction=how)


def rigid_tree(
    more: Callable[[fm.SpatialModel], Any] | None = None, gravity: Any = (0.3, -0.2, 0.5)
) -> fm.SpatialModel:
    """A chain of three bodies on two hinges, and `more`."""
    m, body = hull("tree", gravity)
    b = arm(body, "b", (0.4, 0.0, 0.1), "y")
    c = arm(b, "c", (0.4, 0.1, 0.0), (0.0, 1.0, 1.0))
    m.torsion_spring(b.frame, c.frame, axis=(0.0, 1.0, 1.0), stiffness=3.0, damping=0.1, name="spring")
    if more is not None:
        more(m)
    return turning(m)


def branch() -> fm.SpatialModel:
    m, body = hull("branch")
    b = arm(body, "b", (0.4, 0.0, 0.1), "y")
    arm(body, "c", (-0.3, 0.2, 0.0))
    arm(b, "d", (0.4, 0.1, 0.0), "z")
    arm(b, "e", (0.0, -0.3, 0.2), (1.0, 0.0, 1.0))
    return turning(m)


def loop() -> fm.SpatialModel:
    m, body = hull("loop")
    b = arm(body, "b", (0.0, 0.5, 0.0), (1.0, 0.0, 0.2))
    c = arm(b, "c", (0.5, 0.0, 0.0))
    d = arm(body, "d", (0.5, 0.0, 0.1), "z")
    m.spherical(c.frame, d.frame.attach("far", c.frame.position - d.frame.position), name="closing")
    return turning(m)


def rolling() -> fm.SpatialModel:
    m = fm.SpatialModel("rolling", gravity=(0.5, 0.2, -9.81))
    ball = m.add_body("ball", mass=1.0, inertia=(0.1, 0.1, 0.12), position=(0.0, 0.0, 0.5))
    m.rolling_sphere(m.ground, ball.frame, radius=0.5, name="contact")
    arm(ball, "rider", (0.0, 0.1, 0.3))
    return m


def wheel(m: Any) -> None:
    m.add_wheel("rotor", m.frame("b"), inertia=0.2, axis=(0.0, 0.6, 0.8), torque=0.5)


def mean_frame() -> fm.SpatialModel:
    m, body = hull("mean frame", torque=0.1)
    bent = m.add_modal_body("rod", rod("linear"), position=(0.3, 0.0, 0.0), field="linear")
    m.revolute(body.frame.attach("side", bent.frame.position), bent.frame, axis="z", name="hinge")
    return turning(m)


def interface(field: str = "linear", gravity: Any = (0.3, -0.2, 0.5)) -> fm.SpatialModel:
    """A hull with a rod that hangs by its end."""
    m, body = hull("interface", gravity, torque=0.1)
    bent = m.add_modal_body("rod", rod(field), position=(0.3, 0.0, 0.1), field=field)
    m.revolute(body.frame.attach("side", (0.3, 0.0, 0.1)), bent.at("root"), axis="y", name="hinge")
    return turning(m)


def beam(theory: str, carrying: bool = False, **options: Any) -> fm.SpatialModel:
    m, body = hull(f"{theory} beam", torque=0.1)
    root = body.frame.attach("side", (0.3, 0.0, 0.1))
    given = ROUND if theory == "ancf" else BEAM
    boom = m.add_beam("boom", root, (2.3, 0.0, 0.1), properties=given, theory=theory, **options)
    if carrying:
        end = m.add_body("end", mass=0.5, inertia=(0.01, 0.02, 0.03), position=(2.4, 0.05, 0.12))
        m.spherical(boom.end, end.frame.attach("eye", (-0.1, -0.05, -0.02)), name="ball")
    return turning(m)


def falling() -> Any:
    return fm.spatial.CentralGravity(MU, position=(RADIUS, 0.0, 0.0), velocity=(0.0, (MU / RADIUS) ** 0.5, 0.0))


def states(m: Any) -> None:
    motor = m.point_torque(m.frame("b"), (0.3, 0.5, -0.2), factor=0.0, name="motor")
    law = fm.control.transfer_function([-3.0], [0.2, 1.0])
    m.add_states("lag", law, sensors=fm.control.JointRate(m.component("joint of b")), commands=motor)


def commands(m: Any) -> None:
    m.point_torque(m.frame("b"), (0.3, 0.5, -0.2), factor=0.0, name="motor")
    rate = fm.control.JointRate(m.component("joint of b"))
    m.add_controller("servo", period=0.05, sensors=rate, commands="motor", law=[[-5.0]])


def on_the_ground() -> fm.SpatialModel:
    m = fm.SpatialModel("on the ground", gravity=(0.0, 0.0, -9.81))
    body = m.add_body("hull", mass=4.0, inertia=(1.8, 2.2, 2.0), position=(0.2, 0.0, -0.5))
    m.universal(m.ground, body.attach("top", (-0.2, 0.0, 0.5)), axis="x", axis_b="y", name="gimbal")
    arm(body, "b", (0.4, 0.0, 0.1), "y")
    return m


def rail() -> fm.SpatialModel:
    m = fm.SpatialModel("rail", gravity=(0.0, 0.5, -9.81))
    body = m.add_body("cart", mass=4.0, inertia=(1.8, 2.2, 2.0))
    m.prismatic(m.ground, body.frame, axis="y", name="rail")
    arm(body, "b", (0.4, 0.0, 0.1), "y")
    return m


def with_joint(joint: str, **options: Any) -> fm.SpatialModel:
    """A floating body with an arm by a joint."""
    m, body = hull(joint)
    arm(arm(body, "b", (0.4, 0.0, 0.1), "y"), "c", (0.4, 0.1, 0.0), (0.0, 1.0, 1.0), joint, **options)
    return turning(m)


def cross(m: Any) -> None:
    """A frame without mass between two hinges."""
    body = m.component("hull")
    middle = m.add_frame("cross", (-0.4, 0.0, 0.0))
    last = m.add_body("d", mass=0.7, inertia=(0.05, 0.16, 0.12), position=(-0.8, 0.0, 0.0))
    m.revolute(body.frame.attach("to cross", (-0.4, 0.0, 0.0)), middle, axis="z", name="outer")
    m.revolute(middle, last.frame.attach("root of d", (0.4, 0.0, 0.0)), axis="y", name="inner")


def driven(m: Any) -> None:
    m.drive_angle(m.frame("to b"), m.frame("root of b"), fm.Polynomial([0.0, 0.0, 0.4]), axis="y", name="drive")


def gear(m: Any) -> None:
    m.coupling(m.component("joint of b"), m.component("joint of c"), ratio=-0.5, name="gear")


def motor(m: Any) -> None:
    m.motor(m.frame("to b"), m.frame("root of b"), axis="y", inertia=0.01, ratio=7.0, torque=0.1, name="motor")


def friction(m: Any) -> None:
    m.component("joint of b").friction = fm.JointFriction(0.1, radius=0.02, length=0.1)


def tank(m: Any) -> None:
    fuel = m.add_tank("fuel", m.frame("hull"), 2.0)
    always = fm.control.Reference(1.0)
    m.thruster(m.frame("hull"), 2.0, always, opens=0.5, axis="x", exhaust=20.0, tank=fuel, name="jet")


def plane(flexible: bool = False) -> fm.PlanarModel:
    m = fm.PlanarModel("plane", gravity=(0.2, -0.5))
    a = m.add_body("a", mass=4.0, inertia=2.0)
    m.point_torque(a.frame, 0.5)
    if flexible:
        given = fm.planar.BeamProperties(EA=3e4, EI=40.0, rhoA=1.5)
        m.add_beam("boom", a.frame.attach("side", (0.3, 0.0)), (2.3, 0.0), properties=given, theory="floating", modes=2)
    else:
        b = m.add_body("b", mass=0.7, inertia=0.1, position=(0.8, 0.1))
        m.revolute(a.frame.attach("side", (0.4, 0.1)), b.frame.attach("in", (-0.4, 0.0)), name="hinge")
        c = m.add_body("c", mass=0.5, inertia=0.1, position=(1.5, 0.1))
        m.pin_in_slot(c.frame.attach("slot", (-0.4, 0.0)), b.frame, name="slot")
    return m


#: what builds a mechanism of each kind: those that papers were written for
KINDS: dict[str, Callable[[], Any]] = {
    "rigid tree": rigid_tree,
    "branch": branch,
    "loop": loop,
    "rolling": rolling,
    "wheel": partial(rigid_tree, wheel),
    "reduced body by its mean frame": mean_frame,
    "reduced body by an interface": interface,
    "floating beam": partial(beam, "floating", modes=2, torsion_modes=1),
    "quadratic field": partial(interface, "quadratic"),
    "orbit": lambda: rigid_tree(gravity=falling()),
    "flexible in orbit": lambda: interface("quadratic", falling()),
    "states": partial(rigid_tree, states),
    "commands": partial(rigid_tree, commands),
}
#: further ones, which break one assumption or another
FURTHER: dict[str, Callable[[], Any]] = {
    "on the ground": on_the_ground,
    "on a rail": rail,
    "slider": partial(with_joint, "prismatic"),
    "screw": partial(with_joint, "screw", pitch=0.1),
    "link without mass": partial(rigid_tree, cross),
    "drive": partial(rigid_tree, driven),
    "gear": partial(rigid_tree, gear),
    "rigid reducer": partial(rigid_tree, motor),
    "friction": partial(rigid_tree, friction),
    "tank": partial(rigid_tree, tank),
    "plane": plane,
    "flexible in the plane": partial(plane, True),
    "body on a flexible one": partial(beam, "floating", carrying=True, modes=1, torsion_modes=0),
    "component modes": partial(beam, "cms", modes=1),
    "exact beam": partial(beam, "exact", elements=2),
    "ANCF cable": partial(beam, "ancf", elements=2),
}
