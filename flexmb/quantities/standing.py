"""How safely a mechanism stands: how far the zero-moment point lies inside the polygon of its contacts with the ground.

The corners of the polygon are where contacts press, as an observer above sees them. Its edges are those lines between
two of them that have all others on one side. Inside, the margin is the distance from the nearest edge; outside, or
where the polygon is a line or a point, it is less the distance from it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from flexmb.forces.contact_force import refuse_corners
from flexmb.kernels.compilation import compiled
from flexmb.kernels.formula import formula
from flexmb.kernels.vectors import cross, dot, minus, plus, times, vector_in
from flexmb.quantities.given import Whole
from flexmb.quantities.of_contacts import of_contact
from flexmb.quantities.of_joints import JointFrames
from flexmb.quantities.of_system import LEAST
from flexmb.quantities.places import Places
from flexmb.quantities.quantity import Quantity
from flexmb.system.whole import FORCE, FORCES, LOAD, LOAD_TORQUE, LOADS, MASS, TORQUE, WEIGHT, WIDTH

#: points closer to a line than this part of their distance lie on it
FLAT = 1e-9
#: of each contact: its normal force, and the place of its force
NUMBERS = 4


@compiled
def _seen(x, at, k, e, f):
    """The place of contact number k as an observer above sees it."""
    P = vector_in(x, at + NUMBERS * k + 1)
    return dot(e, P), dot(f, P)


@compiled
def _presses(x, at, k):
    return x[at + NUMBERS * k] > 0.0


@compiled
def _to_segment(begin, end, z):
    """The distance of a point from the line between two others, and on which side of it it is."""
    ex, ey, zx, zy = end[0] - begin[0], end[1] - begin[1], z[0] - begin[0], z[1] - begin[1]
    square = ex * ex + ey * ey
    part = 0.0 if square == 0.0 else min(1.0, max(0.0, (zx * ex + zy * ey) / square))
    return math.hypot(zx - part * ex, zy - part * ey), ex * zy - ey * zx


@compiled
def _is_edge(x, at, count, i, j, e, f):
    """Whether all contacts that press lie on the left of the line from contact i to contact j."""
    begin, end = _seen(x, at, i, e, f), _seen(x, at, j, e, f)
    ex, ey = end[0] - begin[0], end[1] - begin[1]
    length = math.hypot(ex, ey)
    for k in range(count):
        if _presses(x, at, k):
            p = _seen(x, at, k, e, f)
            px, py = p[0] - begin[0], p[1] - begin[1]
            if ex * py - ey * px < -FLAT * length * math.hypot(px, py):
                return False
    return length > 0.0


@compiled
def margin_of(x, at, count, e, f, planar, point):
    """How far a point (3,) lies inside the polygon of `count` contacts, the numbers of which stand in x from `at` on; e
    and f are the directions of the floor, of the plane e alone. NaN where nothing presses."""
    z = dot(e, point), dot(f, point)
    low, high, nearest, corner, inside = math.inf, -math.inf, math.inf, math.inf, True
    for i in range(count):
        if not _presses(x, at, i):
            continue
        p = _seen(x, at, i, e, f)
        low, high, corner = min(low, p[0]), max(high, p[0]), min(corner, math.hypot(z[0] - p[0], z[1] - p[1]))
        for j in range(0 if planar else count):
            if j != i and _presses(x, at, j) and _is_edge(x, at, count, i, j, e, f):
                distance, side = _to_segment(p, _seen(x, at, j, e, f), z)
                nearest, inside = min(nearest, distance), inside and side >= 0.0
    if corner == math.inf or not (z[0] == z[0] and z[1] == z[1]):
        return math.nan
    if planar:
        return min(z[0] - low, high - z[0])
    if nearest == math.inf:  # all in one point
        return -corner
    return nearest if inside else -nearest


@formula
def margin(row, iq, iv, t, q, v, f):
    """Row: the number of contacts, whether all is in a plane, the normal of the floor, its directions, and the smallest
    force for a mass that presses on it."""
    count, up, height, pressing = int(row[0]), vector_in(row, 2), 0.0, 0
    for k in range(count):
        if _presses(f, WIDTH, k):
            height, pressing = height + dot(up, vector_in(f, WIDTH + NUMBERS * k + 1)), pressing + 1
    force, torque = (
        minus(vector_in(f, FORCE), vector_in(f, LOAD)),
        minus(vector_in(f, TORQUE), vector_in(f, LOAD_TORQUE)),
    )
    upward = dot(up, force)
    if pressing == 0 or not upward > row[11] * f[MASS]:
        return math.nan
    point = times(1.0 / upward, plus(cross(up, torque), times(height / pressing, force)))
    return margin_of(f, WIDTH, count, vector_in(row, 5), vector_in(row, 8), row[1] != 0.0, point)


def on_floor(up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The directions (3,) of a floor with the unit normal up (2,) or (3,), along which an observer above measures; in
    the plane the second one is zero."""
    if len(up) == 2:
        return np.array([up[1], -up[0], 0.0]), np.zeros(3)
    first = np.eye(3)[int(np.argmin(np.abs(up)))]
    e = np.cross(up, np.cross(first, up))
    e /= np.linalg.norm(e)
    return e, np.cross(up, e)


def of_margin(contacts: Sequence[JointFrames], gravity: Sequence[float], places: Places) -> Quantity:
    """The margin [m] of a mechanism that stands on some contacts."""
    g = np.array(gravity)
    size = float(np.linalg.norm(g))
    up = -g / size
    e, f = on_floor(up)
    for one in contacts:
        assert one.pair.contact is not None
        refuse_corners(one.name, one.pair.contact)
    beside = [of_contact(one, what, places) for one in contacts for what in ("normal_force", "x", "y", "z")]
    normal = np.zeros(3)
    normal[: len(up)] = up
    row = [float(len(contacts)), float(len(up) == 2), *normal, *e, *f, LEAST * size]
    return Quantity(margin, [], row, given=Whole(FORCES | LOADS | WEIGHT, tuple(beside)))
