"""Light and shadow behind a central body, by the geometry of its cone.

At r from the center, with the sun at r_s, sun and body are seen as disks with the half angles a = asin(R_s/|r_s − r|)
and b = asin(R/|r|), their middles c apart. It is dark where c ≤ b − a and light where c ≥ a + b; in between, with
x = (c² + a² − b²)/2c and y = √(a² − x²), the seen part of the sun's disk is that of two circles,

    ν = 1 − [a² acos(x/a) + b² acos((c − x)/b) − c y]/(π a²),      1 − (b/a)² where the body lies within the disk
"""

from __future__ import annotations

import numpy as np

#: radius of the sun and its mean distance from the earth [m]
SUN_RADIUS, SUN_DISTANCE = 6.957e8, 1.495978707e11


def sunlight(places: np.ndarray, sun: np.ndarray, radius: float) -> np.ndarray:
    """The part ν (k,) of the sun's disk that is seen at places (k, 3) [m] from the center of a body with a `radius`
    [m]; `sun` (3,) is the direction in which the sun stands, as far as from the earth.

    >>> sunlight(np.array([[7e6, 0, 0], [-7e6, 0, 0]]), np.array([1.0, 0, 0]), 6378137.0).tolist()
    [1.0, 0.0]
    """
    to_sun = SUN_DISTANCE * sun / np.linalg.norm(sun) - places
    r, distance = np.linalg.norm(places, axis=1), np.linalg.norm(to_sun, axis=1)
    a, b = np.arcsin(SUN_RADIUS / distance), np.arcsin(np.minimum(radius / r, 1.0))
    across = np.linalg.norm(np.cross(-places, to_sun), axis=1)
    c = np.arctan2(across, -np.einsum("ki,ki->k", places, to_sun))
    out = np.where(c >= a + b, 1.0, 0.0)
    within = c <= a - b
    out[within] = 1.0 - (b[within] / a[within]) ** 2
    partly = (c > np.abs(b - a)) & (c < a + b)
    a, b, c = a[partly], b[partly], c[partly]
    x = (c**2 + a**2 - b**2) / (2.0 * c)
    y = np.sqrt(np.maximum(a**2 - x**2, 0.0))
    covered = a**2 * np.arccos(np.clip(x / a, -1, 1)) + b**2 * np.arccos(np.clip((c - x) / b, -1, 1)) - c * y
    out[partly] = 1.0 - covered / (np.pi * a**2)
    return out
