"""Joints of rolling in space, between two frames of a model; a frame is attached to the body of b where it touches."""

from __future__ import annotations

import numpy as np

NORMAL = (0.3, -0.2, 0.9)
AXLE = (0.2, 1.0, 0.3)


def unit(u):
    return np.array(u) / np.linalg.norm(u)


def centre(a, b, place):
    """A frame on the body of b at a place (3,) in the axes of frame a, at the start."""
    return b.attach("centre", b.orientation.inv().apply(a.position + a.orientation.apply(place) - b.position))


def wheel(m, a, b, crown=0.0, **options):
    """A wheel of the radius 0.4 m."""
    n, u = unit(NORMAL), a.orientation.inv().apply(b.orientation.apply(unit(AXLE)))
    height = (0.4 - crown) * np.linalg.norm(np.cross(n, u)) + crown
    at = centre(a, b, np.cross(n, (0.3, 0.1, 0.2)) + height * n)
    return m.rolling_wheel(a, at, 0.4, normal=NORMAL, axle=AXLE, crown=crown, **options)


def sphere(m, a, b, **options):
    n = unit(NORMAL)
    at = centre(a, b, np.cross(n, (0.3, 0.1, 0.2)) + 0.4 * n)
    return m.rolling_sphere(a, at, 0.4, normal=NORMAL, **options)


#: what rolls, between any two frames
ROLLED = {
    "RollingWheel": wheel,
    "RollingWheel: tyre": lambda m, a, b: wheel(m, a, b, crown=0.1),
    "RollingWheel: castor": lambda m, a, b: wheel(m, a, b, lateral=False),
    "RollingSphere": sphere,
    "RollingSphere: no spin": lambda m, a, b: sphere(m, a, b, spin=False),
}
