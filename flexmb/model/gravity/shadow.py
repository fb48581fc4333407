"""Light and shadow behind a central body, by the geometry of its cone, as compiled code.

At r from the center, with the sun at r_s, sun and body are seen as disks with the half angles a = asin(R_s/|r_s − r|)
and b = asin(R/|r|), their middles c apart. It is dark where c ≤ b − a and light where c ≥ a + b; in between, with
x = (c² + a² − b²)/2c and y = √(a² − x²), the seen part of the sun's disk is that of two circles,

    ν = 1 − [a² acos(x/a) + b² acos((c − x)/b) − c y]/(π a²),      1 − (b/a)² where the body lies within the disk

ν and its rate are continuous; at the edges of the half shadow, c = b ± a, its second rate is not.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.optimize

from flexmb.errors import ModelError
from flexmb.kernels.compilation import compiled
from flexmb.kernels.vectors import cross, dot, minus, times
from flexmb.model.gravity.fields import CentralGravity

#: radius of the sun and its mean distance from the earth [m]
SUN_RADIUS, SUN_DISTANCE = 6.957e8, 1.495978707e11
#: places on an orbit between which an edge of the shadow is looked for
PLACES = 1440
#: more edges than these before the end of a run are refused
MOST_EDGES = 1_000_000


@compiled
def disks(r, sun, radius):
    """a, b and c, with the unit direction `sun` in which the sun stands, as far as from the earth."""
    to_sun = minus(times(SUN_DISTANCE, sun), r)
    a = math.asin(SUN_RADIUS / math.sqrt(dot(to_sun, to_sun)))
    b = math.asin(min(radius / math.sqrt(dot(r, r)), 1.0))
    beside = cross(r, to_sun)
    return a, b, math.atan2(math.sqrt(dot(beside, beside)), -dot(r, to_sun))


@compiled
def seen_part(r, sun, radius):
    """ν at the place r from the center of a body with a radius."""
    a, b, c = disks(r, sun, radius)
    if c >= a + b:
        return 1.0
    if c <= b - a:
        return 0.0
    if c <= a - b:
        return 1.0 - (b / a) ** 2
    x = (c * c + a * a - b * b) / (2.0 * c)
    y = math.sqrt(max(a * a - x * x, 0.0))
    first, second = min(max(x / a, -1.0), 1.0), min(max((c - x) / b, -1.0), 1.0)
    return 1.0 - (a * a * math.acos(first) + b * b * math.acos(second) - c * y) / (math.pi * a * a)


@compiled
def seen_parts(places, sun, radius, out):
    """Fill ν (k,) at places (k, 3)."""
    for i in range(len(out)):
        place = places[i]
        out[i] = seen_part((place[0], place[1], place[2]), (sun[0], sun[1], sun[2]), radius)


def edges_until(gravity: CentralGravity, sun: np.ndarray, t_start: float, t_end: float, where: str) -> list[float]:
    """The times [s] between two at which the origin of a model in orbit crosses an edge of the half shadow or of the
    full one behind the central body.

    >>> import flexmb as fm
    >>> earth = fm.spatial.CentralGravity(3.986004418e14, (7e6, 0, 0), (0, 7546.053290107541, 0), radius=6378137.0)
    >>> [round(t, 1) for t in edges_until(earth, np.array([1.0, 0, 0]), 0.0, earth.period, "here")]
    [1846.7, 1855.4, 3973.1, 3981.8]
    """
    if not t_end > t_start:
        return []
    radius = float(gravity.radius or 0.0)
    direction = tuple(np.asarray(sun, dtype=float).tolist())
    period = gravity.period
    first = np.linspace(0.0, period, PLACES + 1)
    places = gravity.origin(first)[0]
    found: list[float] = []
    for sign in (1.0, -1.0):

        def gap(t: float, sign: float = sign) -> float:
            a, b, c = disks(tuple(gravity.origin(t)[0].tolist()), direction, radius)
            return float(c - (b + sign * a))

        values = np.array([c - (b + sign * a) for a, b, c in (disks(tuple(x), direction, radius) for x in places)])
        for k in np.flatnonzero(values[:-1] * values[1:] < 0.0).tolist():
            found.append(float(scipy.optimize.brentq(gap, first[k], first[k + 1], xtol=1e-9 * period)))
    count = (t_end - t_start) / period + 1.0
    if len(found) * count > MOST_EDGES:
        raise ModelError(
            f"{where}: a run of {count:.3g} orbits crosses an edge of the shadow {len(found) * count:.3g} times, where "
            "steps would have to end; take a shorter run, or a mean pressure"
        )
    turns = np.arange(np.floor(t_start / period) - 1.0, np.ceil(t_end / period) + 1.0)
    times = np.add.outer(turns * period, sorted(found)).ravel() if found else np.zeros(0)
    return [float(t) for t in times if t_start <= t <= t_end]
