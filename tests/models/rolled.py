"""Joints of rolling in space, between two frames of a model; a frame is attached to the body of b where it touches."""

from __future__ import annotations

import numpy as np

import flexmb as fm

NORMAL = (0.3, -0.2, 0.9)
AXLE = (0.2, 1.0, 0.3)


def unit(u):
    return np.array(u) / np.linalg.norm(u)


def center(a, b, place):
    """A frame on the body of b at a place (3,) in the axes of frame a, at the start."""
    return b.attach("center", b.orientation.inv().apply(a.position + a.orientation.apply(place) - b.position))


def wheel(m, a, b, crown=0.0, **options):
    """A wheel of the radius 0.4 m."""
    n, u = unit(NORMAL), a.orientation.inv().apply(b.orientation.apply(unit(AXLE)))
    height = (0.4 - crown) * np.linalg.norm(np.cross(n, u)) + crown
    at = center(a, b, np.cross(n, (0.3, 0.1, 0.2)) + height * n)
    return m.rolling_wheel(a, at, 0.4, normal=NORMAL, axle=AXLE, crown=crown, **options)


RUBBER = fm.TireLaw(
    load=40.0,
    cornering_stiffness=300.0,
    relaxation_length=(0.3, 0.5),
    longitudinal_stiffness=400.0,
    friction=0.8,
    vertical_stiffness=200.0,
    vertical_damping=2.0,
    tread_damping=3.0,
    smoothing=20.0,  # as smooth as the differences of the suite ask for
)


def tire(m, a, b, depth=0.2):
    """A wheel of the radius 0.4 m, deep in the plane."""
    n, u = unit(NORMAL), a.orientation.inv().apply(b.orientation.apply(unit(AXLE)))
    height = 0.35 * np.linalg.norm(np.cross(n, u)) + 0.05 - depth
    at = center(a, b, np.cross(n, (0.3, 0.1, 0.2)) + height * n)
    return m.tire(a, at, RUBBER, 0.4, normal=NORMAL, axle=AXLE, crown=0.05)


def sphere(m, a, b, **options):
    n = unit(NORMAL)
    at = center(a, b, np.cross(n, (0.3, 0.1, 0.2)) + 0.4 * n)
    return m.rolling_sphere(a, at, 0.4, normal=NORMAL, **options)


def round_body(m, a, b, verb, inside=False, **options):
    """A sphere of the radius 0.2 m on a body of the radius 0.7 m, or in it."""
    across = np.cross((0.3, -0.4, 0.2), NORMAL)
    at = center(a, b, (0.5 if inside else 0.9) * across / np.linalg.norm(across))
    return getattr(m, verb)(a, at, 0.7, 0.2, inside=inside, **options)


def on_sphere(m, a, b, **options):
    return round_body(m, a, b, "rolling_on_sphere", **options)


def on_cylinder(m, a, b, **options):
    return round_body(m, a, b, "rolling_on_cylinder", axis=NORMAL, **options)


def knife_edge(m, a, b):
    return m.knife_edge(a, center(a, b, np.cross(NORMAL, (0.3, 0.1, 0.2))), normal=NORMAL, heading=(1.0, 0.2, 0.3))


#: what rolls, between any two frames
ROLLED = {
    "RollingWheel": wheel,
    "RollingWheel: tire": lambda m, a, b: wheel(m, a, b, crown=0.1),
    "RollingWheel: castor": lambda m, a, b: wheel(m, a, b, lateral=False),
    "RollingOnSphere": on_sphere,
    "RollingOnSphere: inside": lambda m, a, b: on_sphere(m, a, b, inside=True, free_spin=False, axis=(0.2, 0.3, 1.0)),
    "RollingOnCylinder": on_cylinder,
    "RollingOnCylinder: inside": lambda m, a, b: on_cylinder(m, a, b, inside=True, free_spin=False),
    "RollingOnCylinder: parallel": lambda m, a, b: on_cylinder(m, a, b, parallel=True),
    "KnifeEdge": knife_edge,
    "Tire": tire,
    "Tire: in the air": lambda m, a, b: tire(m, a, b, depth=-9.0),
    "RollingSphere": sphere,
    "RollingSphere: no spin": lambda m, a, b: sphere(m, a, b, free_spin=False),
}
