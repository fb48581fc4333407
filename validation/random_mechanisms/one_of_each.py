"""One mechanism of the plane and one of space that have something of each kind of which one can ask."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import skfem

import flexmb as fm

STEEL = fm.Material(density=7850.0, youngs_modulus=2e11, poissons_ratio=0.3)
RUBBER = fm.TireLaw(load=200.0, cornering_stiffness=2e3, relaxation_length=0.3, vertical_stiffness=2e4)


@cache
def sheet(dimension: int) -> Any:
    """A body from a mesh of the plane or of space."""
    along, across = np.linspace(0.0, 0.4, 3), np.array([0.0, 0.1])
    kind = skfem.MeshQuad if dimension == 2 else skfem.MeshHex
    mesh, none = kind.init_tensor(along, *[across] * (dimension - 1)), (0.0,) * (dimension - 1)
    ends = {name: fm.bodies.on_plane((x, *none), (1.0, *none)) for name, x in (("foot", 0.0), ("tip", 0.4))}
    more: dict[str, Any] = {"thickness": 0.01} if dimension == 2 else {}
    return fm.bodies.from_mesh(mesh, STEEL, interfaces=ends, modes=1, **more)


def _alike(m: Any, base: Any, held: bool) -> None:
    """What is the same in the plane and in space: a sheet, and a wheel, which has no rest."""
    plate = m.add_modal_body("plate", sheet(m.dimension))
    m.weld(m.ground, plate.at("foot"))
    m.torsion_spring(
        base, m.frame("arm.root" if m.dimension == 2 else "arm"), stiffness=3.0, free_angle=0.1, name="twist"
    )
    if held:
        return
    if m.dimension == 2:
        wheel = m.add_body("wheel", mass=20.0, inertia=1.0, position=(0, -3.0), angle=0.1)
        wheel.frame.move((3.0, 0.5), 0.2)
        m.tire(m.ground, wheel.frame, RUBBER, name="tire")
        return
    wheel = m.add_body("wheel", mass=20.0, inertia=(0.5, 1.0, 0.5), position=(0, -3.0, 0.3))
    wheel.move((3.0, 0.5, 0.0), (0.0, 9.0, 0.2))
    m.tire(m.ground, wheel.frame, RUBBER, 0.3, name="tire")


def plane(held: bool = False, gravity: float = 9.81, states: bool = True) -> fm.PlanarModel:
    """A mechanism of the plane with something of each kind; or, `held` by springs, one that can be at rest,
    with `states` of first order or without."""
    m = fm.PlanarModel("plane", gravity=(0.0, -gravity))
    arm = m.add_body("arm", mass=1.0, inertia=0.2, position=(0.5, 0.1), angle=0.2)
    arm.attach("tip", (0.4, 0.1), 0.3)
    root = arm.attach("root", (-0.5, 0.0))
    base = m.ground.attach("base", root.position)
    hinge = m.revolute(base, root, name="hinge")
    slide = m.add_body("slide", mass=0.5, inertia=0.1, position=(0.6, 0.3), angle=0.2)
    m.prismatic(slide.attach("back", (-0.1, -0.2)), arm.frame, axis=0.4, name="rail")
    pin = m.add_body("pin", mass=0.3, inertia=0.1, position=(2.0, 1.0))
    slot = m.ground.attach("slot", (1.5, 1.0))
    m.pin_in_slot(slot, pin.frame, name="slot")
    m.spring_damper(slot, pin.frame, stiffness=30.0, free_length=0.3, name="coil")
    m.motor(base, root, inertia=1e-3, ratio=5.0, stiffness=200.0, torque=0.3, name="motor")
    m.joint_stop(hinge, lower=-2.0, stiffness=100.0, name="buffer")
    ball = m.add_body("ball", mass=1.0, inertia=0.01, position=(3.0, 0.09))
    m.contact(m.ground, ball.frame, fm.HalfPlane(), fm.Disk(diameter=0.2), stiffness=1e4, friction=0.3, name="floor")
    m.bushing(m.ground, pin.frame, stiffness=(20.0, 30.0, 4.0), damping=(0.1, 0.1, 0.1), name="mount")
    _alike(m, base, held)
    m.add_beam("rod", (0, 3), (1, 3), material=STEEL, section=fm.Rectangle(0.02, 0.01), modes=1)
    m.revolute(m.ground.attach("peg", (0, 3)), m.frame("rod.start"), name="peg")
    for name, motion in {"arm": 0.3, "slide": 0.3, "pin": -0.7, "ball": 0.2}.items():
        if held:
            place = m.ground.attach(f"{name} held", m.frame(name).position, m.frame(name).angle)
            m.bushing(place, m.frame(name), stiffness=(500.0, 500.0, 50.0), damping=(1.0, 1.0, 0.1))
            continue
        m.components[name].move((0.1, 0.0), motion)  # type: ignore[attr-defined]
    if not states:
        return m
    m.add_states("lag", fm.control.transfer_function([1.0], [0.05, 1.0]), sensors=fm.control.Reference(1.0))
    return m


def space(held: bool = False, gravity: float = 9.81, states: bool = True) -> fm.SpatialModel:
    """A mechanism in space with something of each kind; or, `held` by springs, one that can be at rest, with
    `states` of first order or without."""
    m = fm.SpatialModel("space", gravity=(0.0, 0.0, -gravity))
    turned = fm.rotation_vector((0.2, -0.3, 0.4))

    def body(name: str, *place: float) -> Any:
        added = m.add_body(name, mass=1.0, inertia=(0.2, 0.3, 0.4), position=place, orientation=turned)
        if held:
            at = m.ground.attach(f"{name} held", place, turned)
            m.bushing(at, added.frame, stiffness=(500.0,) * 3 + (50.0,) * 3, damping=(1.0,) * 3 + (0.1,) * 3)
        else:
            added.move((0.1, 0.2, 0.0), (0.3, -0.2, 0.4))
        return added

    arm = body("arm", 0.5, 0.1, 0.0)
    arm.attach("tip", (0.4, 0.1, 0.2))
    hinge = m.revolute(m.ground.attach("base", (0.5, 0.1, 0.0)), arm.frame, axis="z", name="hinge")
    m.prismatic(arm.frame, body("slide", 0.5, 0.1, 0.0).frame, axis="x", name="rail")
    m.universal(arm.frame, body("yoke", 0.5, 0.1, 0.0).frame, axis="x", axis_b="y", name="cross")
    stiff, damped = (0.0, 0.0, 0.0, 2.0, 3.0, 4.0), (0.0,) * 3 + (0.2,) * 3
    m.bushing(arm.frame, m.frame("yoke"), stiffness=stiff, damping=damped, name="mount")
    m.spherical(arm.frame, body("loose", 0.5, 0.1, 0.0).frame, name="ball")
    m.motor(m.frame("base"), arm.frame, axis="z", inertia=1e-3, ratio=5.0, stiffness=200.0, torque=0.3, name="motor")
    m.joint_stop(hinge, lower=-2.0, stiffness=100.0, name="buffer")
    stone = body("stone", 3.0, 0.0, 0.09)
    m.contact(
        m.ground, stone.frame, fm.HalfSpace("z"), fm.Sphere(diameter=0.2), stiffness=1e4, friction=0.3, name="floor"
    )
    m.spring_damper(
        m.ground.attach("post", (3.0, 0.5, 0.09)), stone.frame, stiffness=30.0, free_length=0.3, name="coil"
    )
    _alike(m, m.frame("base"), held)
    m.add_beam("rod", (0, 3, 0), (1, 3, 0), material=STEEL, section=fm.Rectangle(0.02, 0.01), modes=1)
    m.weld(m.ground.attach("peg", (0, 3, 0)), m.frame("rod.start"), name="peg")
    if not states:
        return m
    m.add_states("lag", fm.control.transfer_function([1.0], [0.05, 1.0]), sensors=fm.control.Reference(1.0))
    return m
