"""Trees with beams and rotors, also with joints at places within beams, and states in which they are bent."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm
from flexmb.validation.random_mechanisms.trees import random_inertia

SOFT = fm.Material(1000.0, 2e6)
STIFFER: dict[str, Any] = {"material": fm.Material(1000.0, 2e7), "section": fm.Rectangle(0.03, 0.04)}


def planar_beams(elements: int = 1, floating: bool = False) -> fm.PlanarModel:
    """A pendulum of two beams with a body between them, and a body on the last one."""
    m = fm.PlanarModel("beams of the plane", gravity=(1.0, -9.81))
    given: dict[str, Any] = {"material": SOFT, "section": fm.Rectangle(0.02, 0.03)}
    one = m.add_beam("one", (0.0, 0.0), (1.0, 0.2), elements=elements, axial_modes=1, **given)
    hub = m.add_body("hub", mass=0.5, inertia=0.02, position=(1.2, 0.2), angle=0.3)
    two = m.add_beam("two", hub.attach("socket", (0.1, 0.05)), (2.0, -0.3), modes=1, **given)
    tip = m.add_body("tip", mass=0.3, inertia=0.01, position=(2.2, -0.2))
    if not floating:
        m.revolute(m.ground, one.start, name="hinge")
    m.revolute(hub.attach("side", (-0.1, 0.0)), one.end, name="elbow")
    m.prismatic(two.end, tip.frame, axis=0.4, name="rail")
    return m


def spatial_beams(rng: np.random.Generator, floating: bool = False) -> fm.SpatialModel:
    """A beam of two elements, a body with a reaction wheel, and a beam that branches off a body on its own."""
    m = fm.SpatialModel("beams of space", gravity=(1.0, 2.0, -9.81))
    given: dict[str, Any] = {"material": SOFT, "section": fm.Rectangle(0.02, 0.03)}
    rod = m.add_beam("rod", (0, 0, 0), (1, 0.1, 0.2), elements=2, **given)
    hub = m.add_body("hub", mass=1.0, inertia=random_inertia(rng), position=(1.5, 0, 0))
    cross = m.add_body("cross", mass=0.7, inertia=random_inertia(rng), position=(1.5, 1, 0))
    if not floating:
        m.revolute(m.ground, rod.start, axis="y", name="hinge")
    m.universal(rod.end, hub.frame.attach("hub.in", (-0.2, 0.1, 0.0)), axis="z", axis_b="y", name="elbow")
    m.add_wheel("wheel", hub.frame, inertia=0.05, axis=(1, 2, 0), torque=0.3, speed=20.0)
    m.spherical(hub.frame, cross.frame.attach("cross.in", (0.0, -0.5, 0.1)), name="ball")
    arm = m.add_beam("arm", cross.frame, (2, 1, 0.4), modes=(1, 2), **given)
    leaf = m.add_beam("leaf", (0.5, 1.0, 0.0), (0.9, 1.3, 0.4), modes=1, **given)
    m.revolute(leaf.start.attach("leaf.in", (0.0, 0.1, 0.2)), cross.frame, axis="z", name="branch")
    end = m.add_body("end", mass=0.3, inertia=random_inertia(rng), position=(2.2, 1, 0.5))
    m.cylindrical(end.frame, arm.end, axis=(1, 2, 3), name="sleeve")
    return m


def planar_places(elements: int = 1, branch: bool = False, theory: str = "cms") -> fm.PlanarModel:
    """A beam of the plane with joints, a mass and a spring at places within, and with `branch` another beam."""
    m = fm.PlanarModel("places of the plane", gravity=(1.0, -9.81))
    more: dict[str, Any] = {"elements": elements, "axial_modes": 1} if theory == "cms" else {}
    one = m.add_beam("one", (0.0, 0.0), (1.0, 0.0), theory=theory, **more, **STIFFER)
    m.revolute(m.ground, one.start, name="hinge")
    bob = m.add_body("bob", mass=0.4, inertia=0.01, position=(0.4, -0.3), angle=0.5)
    up = (0.3 * float(np.sin(0.5)), 0.3 * float(np.cos(0.5)))
    m.revolute(bob.attach("top", up), one.at(0.4), name="mid")
    slide = m.add_body("slide", mass=0.3, inertia=0.01, position=(0.4, -0.3), angle=0.5)
    m.prismatic(bob.frame, slide.frame, axis=0.3, name="rail")
    tip = m.add_body("tip", mass=0.3, inertia=0.01, position=(1.0, 0.0))
    m.revolute(one.end, tip.frame, name="end")
    m.add_point_mass("weight", one.at(0.7), 0.2)
    if branch:
        two = m.add_beam("two", one.at(0.25), (0.25, 0.5), modes=1, **STIFFER)
        leaf = m.add_body("leaf", mass=0.1, inertia=0.01, position=(0.25, 0.5))
        m.revolute(two.end, leaf.frame, name="leaf hinge")
    return m


def spatial_places(
    rng: np.random.Generator, elements: int = 1, branch: bool = False, floating: bool = False, theory: str = "cms"
) -> fm.SpatialModel:
    """The same in space."""
    m = fm.SpatialModel("places of space", gravity=(1.0, 2.0, -9.81))
    more: dict[str, Any] = {"elements": elements} if theory == "cms" else {}
    rod = m.add_beam("rod", (0, 0, 0), (1, 0, 0), theory=theory, **more, **STIFFER)
    if not floating:
        m.revolute(m.ground, rod.start, axis="y", name="hinge")
    hub = m.add_body("hub", mass=1.0, inertia=random_inertia(rng), position=(0.3, 0.3, 0.1))
    m.universal(rod.at(0.3), hub.attach("hub.in", (0.0, -0.3, -0.1)), axis="z", axis_b="y", name="elbow")
    arm = m.add_body("arm", mass=1.0, inertia=random_inertia(rng), position=(0.3, 0.6, 0.1))
    m.spherical(arm.attach("arm.in", (0.0, -0.3, 0.0)), hub.frame, name="ball")
    tip = m.add_body("tip", mass=0.3, inertia=random_inertia(rng), position=(1, 0, 0))
    m.revolute(rod.end, tip.frame, axis="x", name="end")
    weight = m.add_body("weight", mass=0.2, inertia=(0.01, 0.02, 0.02), position=(0.7, 0, 0))
    m.weld(rod.at(0.7), weight.frame, name="bracket")
    if branch:
        two = m.add_beam("two", rod.at(0.6), (0.6, 0.1, 0.4), modes=1, **STIFFER)
        leaf = m.add_body("leaf", mass=0.1, inertia=random_inertia(rng), position=(0.6, 0.1, 0.4))
        m.revolute(two.end, leaf.frame, axis="y", name="leaf hinge")
    return m


def bent_state(rng: np.random.Generator, tree: fm.Tree, size: float = 0.02) -> tuple[np.ndarray, np.ndarray]:
    """Joint coordinates and speeds of a tree with beams: rigid joints far from the start, beams bent a little."""
    x, _ = tree.start()
    layout = tree.arrays.joints
    free = tree.nq - layout.inner
    beside = np.zeros(tree.nq, dtype=bool)
    for k in np.flatnonzero(tree.arrays.parent < 0):
        first, last = layout.first[k], layout.first[k + 1]
        beside[layout.at_q[first] : layout.at_q[last - 1] + (7 if last - first == 1 else 1)] = True
    beside[free:] = True
    joints = ~beside
    x = x + np.where(joints, 0.7, size) * rng.uniform(-1.0, 1.0, tree.nq)
    for k in np.flatnonzero([name.endswith(".e0") for name in tree.coordinate_names]):
        x[k : k + 4] /= np.linalg.norm(x[k : k + 4])
    return x, rng.normal(size=tree.nv)
