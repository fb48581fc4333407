"""Thin walls: torsion, shear flow and shear center of any section that is made of straight walls, open or closed.

A wall goes along its middle line from one point to another and has a thickness t. In it there is a shear flow q(s)
[N/m]. A shear force (Qy, Qz) makes the axial stress grow along the beam by σ' = α y + β z, about the centroid, and each
piece of wall is held in balance by

    dq/ds = −t σ',   (α, β) = [∫y² dA, ∫yz dA; ∫yz dA, ∫z² dA]⁻¹ (Qy, Qz),   what flows into a point flows out of it

Around cells the flow is the one of least energy ½ ∫ q²/(G t) ds, for which no cell twists. From it follow the shear
center, through which the resultant of q passes, and the shear flexibility 1/(G A_s) = ∫ q²/(G t) ds of a unit force
(Pilkey (2002); for I-sections and boxes it is the coefficient of Cowper (1966) at ν = 0).

In torsion the walls twist like strips, Σ l t³/3, and around each cell a constant flow runs (Bredt (1896)), for one cell
J = 4 A_m²/∮ ds/t, for several the sum of flows that has the least energy for a torque.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.geometry.sections import Section
from flexmb.model.hints import answers

#: Gauss points on [0, 1] and weights, exact for the square of a quadratic shear flow
_AT = 0.5 + np.array([-1.0, 0.0, 1.0]) * math.sqrt(0.15)
_WEIGHTS = np.array([5.0, 8.0, 5.0]) / 18.0
_WORDS = {
    **dict.fromkeys(("b",), "width"),
    **dict.fromkeys(("h",), "height"),
    **dict.fromkeys(("t", "wall", "wall_thickness"), "thickness"),
    **dict.fromkeys(("web", "tw", "s"), "web_thickness"),
    **dict.fromkeys(("flange", "tf"), "flange_thickness"),
}


class Moments(NamedTuple):
    """Area [m²], centroid (y, z) [m], and ∫y² dA, ∫z² dA, ∫yz dA [m⁴] about the centroid."""

    area: float
    centroid: np.ndarray
    yy: float
    zz: float
    yz: float


class WallConstants(NamedTuple):
    """Of thin walls: torsion constant [m⁴], shear center (y, z) [m], and the shear flexibility times G and the area of
    the walls (2, 2) [–]."""

    torsion: float
    shear_center: np.ndarray
    shear: np.ndarray


def polygon_moments(corners: np.ndarray) -> Moments:
    """The moments of the area inside of a polygon with the corners (c, 2), in either sense (Green's theorem).

    >>> moments = polygon_moments(np.array([(0.0, 0.0), (3.0, 0.0), (3.0, 2.0), (0.0, 2.0)]))
    >>> moments.area, moments.centroid.tolist(), round(moments.yy, 9), round(moments.zz, 9), round(moments.yz, 9)
    (6.0, [1.5, 1.0], 4.5, 2.0, 0.0)
    """
    origin = corners.mean(axis=0)
    y, z = (corners - origin).T
    y1, z1 = np.roll(y, -1), np.roll(z, -1)
    cross = y * z1 - y1 * z
    area = 0.5 * cross.sum()
    center = np.array([((y + y1) * cross).sum(), ((z + z1) * cross).sum()]) / (6.0 * area)
    yy = ((y * y + y * y1 + y1 * y1) * cross).sum() / 12.0
    zz = ((z * z + z * z1 + z1 * z1) * cross).sum() / 12.0
    yz = ((y * z1 + 2.0 * y * z + 2.0 * y1 * z1 + y1 * z) * cross).sum() / 24.0
    sign = math.copysign(1.0, area)
    central = [yy - area * center[0] ** 2, zz - area * center[1] ** 2, yz - area * center[0] * center[1]]
    return Moments(abs(float(area)), origin + center, *(sign * float(x) for x in central))


def wall_moments(starts: np.ndarray, ends: np.ndarray, thickness: np.ndarray) -> Moments:
    """The moments of straight walls (w, 2), with their thickness."""
    along = ends - starts
    lengths = np.linalg.norm(along, axis=1)
    areas = lengths * thickness
    center = areas @ (starts + ends) / (2.0 * areas.sum())
    middle = 0.5 * (starts + ends) - center
    across = np.column_stack([-along[:, 1], along[:, 0]]) / lengths[:, None] * thickness[:, None]
    tensor = np.einsum("w,wi,wj->ij", areas, middle, middle)
    for line in (along, across):
        tensor = tensor + np.einsum("w,wi,wj->ij", areas / 12.0, line, line)
    return Moments(float(areas.sum()), center, float(tensor[0, 0]), float(tensor[1, 1]), float(tensor[0, 1]))


def wall_constants(starts: np.ndarray, ends: np.ndarray, thickness: np.ndarray, nodes: np.ndarray) -> WallConstants:
    """The constants of walls from `starts` to `ends` (w, 2) that join the points number `nodes` (w, 2)."""
    count, along = len(thickness), ends - starts
    lengths = np.linalg.norm(along, axis=1)
    areas = lengths * thickness
    center = areas @ (starts + ends) / (2.0 * areas.sum())
    first, last = starts - center, ends - center
    weight = (areas / 3.0)[:, None, None]
    tensor = weight * (first[:, :, None] * first[:, None] + last[:, :, None] * last[:, None])
    tensor = tensor + 0.5 * weight * (first[:, :, None] * last[:, None] + last[:, :, None] * first[:, None])
    growth = np.linalg.inv(tensor.sum(axis=0))  # (α, β) of unit forces; symmetric
    at_start, slope = first @ growth, along @ growth  # σ' = at_start + slope x, x from 0 to 1, (w, 2) for two forces

    def flow(x: float) -> np.ndarray:
        return -areas[:, None] * (at_start * x + slope * (0.5 * x * x))

    out = np.zeros((nodes.max() + 1, count))  # what flows out of the points, for the flow at the start of each wall
    at_points = np.zeros((len(out), 2))
    for wall, (i, j) in enumerate(nodes):
        out[i, wall] += 1.0
        out[j, wall] -= 1.0
        at_points[j] += flow(1.0)[wall]
    give = lengths / thickness
    mean = -areas[:, None] * (at_start / 2.0 + slope / 6.0)
    matrix = np.block([[np.diag(give), out.T], [out, np.zeros((len(out), len(out)))]])
    scale = np.concatenate([give**-0.5, np.full(len(out), give.mean() ** 0.5)])
    right = np.vstack([-give[:, None] * mean, at_points])
    begin = (scale[:, None] * np.linalg.lstsq(scale[:, None] * matrix * scale, scale[:, None] * right, rcond=None)[0])[
        :count
    ]
    flows = np.array([begin + flow(x) for x in _AT])
    flexibility = np.einsum("p,w,pwi,pwj->ij", _WEIGHTS, give, flows, flows)
    swept = starts[:, 0] * along[:, 1] - starts[:, 1] * along[:, 0]  # twice the area that the wall spans to the origin
    torque = np.einsum("p,w,pwi->i", _WEIGHTS, swept, flows)
    torsion = float(np.sum(lengths * thickness**3)) / 3.0
    cells = _null_space(out)
    if cells.shape[1]:
        turning = cells.T @ swept
        torsion += float(turning @ np.linalg.solve(cells.T @ (give[:, None] * cells), turning))
    return WallConstants(torsion, np.array([torque[1], -torque[0]]), flexibility * areas.sum())


def _null_space(matrix: np.ndarray) -> np.ndarray:
    _, values, rows = np.linalg.svd(matrix)
    return rows[np.sum(values > 1e-9 * values.max()) :].T


def walled(moments: Moments, walls: WallConstants, corners: Any) -> dict[str, Any]:
    """The fields of a section with moments of its area, constants of its walls and corners of its outline, all from one
    origin; the axis of the beam is at its centroid."""
    difference = moments.yy - moments.zz
    size = moments.yy + moments.zz
    angle = 0.0
    if abs(moments.yz) > 1e-12 * size:  # the principal axes that are nearest to y and z
        sign = -1.0 if difference < -1e-12 * size else 1.0
        angle = 0.5 * math.atan2(2.0 * sign * moments.yz, max(sign * difference, 0.0))
    co, si = math.cos(angle), math.sin(angle)
    turn = np.array([[co, si], [-si, co]])
    own = turn @ np.array([[moments.yy, moments.yz], [moments.yz, moments.zz]]) @ turn.T
    shear = turn @ walls.shear @ turn.T
    coupling = float(shear[0, 1])
    outline = tuple((float(y), float(z)) for y, z in np.asarray(corners).reshape(-1, 2) - moments.centroid)
    offset = walls.shear_center - moments.centroid
    offset[np.abs(offset) < 1e-9 * math.sqrt(size / moments.area)] = 0.0  # by symmetry, but for round-off
    return {
        "area": moments.area,
        "second_moment": float(own[0, 0]),
        "shear_coefficient": 1.0 / float(shear[0, 0]),
        "outer_fiber": max((abs(y) for y, _ in outline), default=0.0),
        "second_moment_y": float(own[1, 1]),
        "torsion_constant": walls.torsion,
        "shear_coefficient_z": 1.0 / float(shear[1, 1]),
        "outline": outline,
        "shear_center": (float(offset[0]), float(offset[1])) if offset.any() else None,
        "principal_angle": angle,
        "shear_coupling": coupling if abs(coupling) > 1e-9 else 0.0,
    }


def _of_points(points: Sequence[tuple[float, float]], walls: Sequence[tuple[int, int, float]]) -> tuple[Any, ...]:
    places = np.array(points, dtype=float)
    nodes = np.array([wall[:2] for wall in walls])
    return places[nodes[:, 0]], places[nodes[:, 1]], np.array([wall[2] for wall in walls]), nodes


@answers(**_WORDS)
class ThinWalls(Section):
    """Straight thin walls between `points` (y, z) [m]: `walls` are rows (from, to, thickness [m]) with the numbers of
    points, from 0, along the middle lines. The axis of the beam is at the centroid.

    >>> web, flange = 0.004, 0.006
    >>> corners = [(-0.05, 0.03), (-0.05, 0.0), (0.05, 0.0), (0.05, -0.03)]
    >>> zed = ThinWalls(corners, [(0, 1, flange), (1, 2, web), (2, 3, flange)])
    >>> round(zed.principal_angle, 4), zed.shear_center
    (-0.2236, None)
    """

    def __init__(self, points: Any, walls: Any) -> None:
        where = "section of thin walls"
        places = checks.numbers(points, "points", where, "places (y, z) of the ends of walls")
        if places.ndim != 2 or places.shape[1] != 2:
            raise ModelError(f"{where}: points must be places (y, z), not {checks.quoted(points)}")
        rows = checks.numbers(walls, "walls", where, "rows (from, to, thickness)")
        if rows.ndim != 2 or rows.shape[1] != 3 or not len(rows):
            raise ModelError(f"{where}: walls must be rows (from, to, thickness), not {checks.quoted(walls)}")
        nodes = [[checks.count(n, "a point of walls", where, most=len(places) - 1) for n in row[:2]] for row in rows]
        used, numbers = np.unique(nodes, return_inverse=True)
        if len(used) < len(places):
            lone = min(set(range(len(places))) - set(used.tolist()))
            raise ModelError(f"{where}: point {lone} is on no wall; leave it out")
        numbers = numbers.reshape(-1, 2)
        starts, ends, thickness = places[numbers[:, 0]], places[numbers[:, 1]], rows[:, 2].copy()
        for k, (t, length) in enumerate(zip(thickness, np.linalg.norm(ends - starts, axis=1))):
            checks.positive(t, f"the thickness of wall {k}", where)
            if t >= length:
                raise ModelError(f"{where}: wall {k} is {t:g} m thick and {length:g} m long, so it is no thin wall")
        if not _connected(numbers, len(places)):
            raise ModelError(f"{where}: its walls are in pieces that do not touch; join them by points that they share")
        spread = np.linalg.svd(places - places.mean(axis=0), compute_uv=False)
        if spread[1] < 1e-9 * spread[0]:
            raise ModelError(f"{where}: all of its walls lie on one line; take Rectangle")
        constants = wall_constants(starts, ends, thickness, numbers)
        super().__init__(**walled(wall_moments(starts, ends, thickness), constants, ()))


def _connected(nodes: np.ndarray, count: int) -> bool:
    out = np.zeros((count, len(nodes)))
    for wall, (i, j) in enumerate(nodes):
        out[i, wall] += 1.0
        out[j, wall] -= 1.0
    return bool(np.linalg.matrix_rank(out) == count - 1)


@answers(**_WORDS)
class HollowRectangle(Section):
    """A rectangular tube; `height` [m] lies along y, in the plane of motion, `width` [m] along z, both measured
    outside; `thickness` [m] of its walls.

    Area and second moments are exact for sharp corners. Torsion and shear are those of thin walls.

    >>> tube = HollowRectangle(width=0.05, height=0.1, thickness=0.004)
    >>> round(tube.area * 1e6, 3), round(tube.torsion_constant * 1e6, 4)
    (1136.0, 1.1047)
    """

    def __init__(self, width: float, height: float, thickness: float) -> None:
        b, h, t = _sizes("hollow rectangle section", width=width, height=height, thickness=thickness)
        if 2.0 * t >= min(b, h):
            raise ModelError(
                f"hollow rectangle section: thickness {t:g} must be less than half of its width {b:g} and of its "
                f"height {h:g}"
            )
        y, z = 0.5 * (h - t), 0.5 * (b - t)
        walls = _of_points([(y, z), (-y, z), (-y, -z), (y, -z)], [(k, (k + 1) % 4, t) for k in range(4)])
        inner, outer = (h - 2 * t, b - 2 * t), (h, b)
        A, yy, zz = (p - q for p, q in zip(_rectangle(*outer), _rectangle(*inner)))
        moments = Moments(A, np.zeros(2), yy, zz, 0.0)
        corners = [(sy * h / 2, sz * b / 2) for sy, sz in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
        super().__init__(**walled(moments, wall_constants(*walls), corners))


@answers(**_WORDS)
class DoubleTee(Section):
    """An I-section; `height` [m] over all lies along y, `width` [m] of both flanges along z; `web_thickness` and
    `flange_thickness` [m].

    Area and second moments are exact without fillets. Torsion and shear are those of thin walls.

    >>> beam = DoubleTee(width=0.1, height=0.2, web_thickness=0.0056, flange_thickness=0.0085)
    >>> round(beam.area * 1e4, 2), round(beam.second_moment * 1e8, 1), round(beam.second_moment_y * 1e8, 1)
    (27.25, 1845.6, 141.9)
    """

    def __init__(self, width: float, height: float, web_thickness: float, flange_thickness: float) -> None:
        b, h, s, t = _flanged("I-section", width, height, web_thickness, flange_thickness)
        y, z, w = 0.5 * h, 0.5 * b, 0.5 * s
        m = y - 0.5 * t
        points = [(m, 0), (-m, 0), (m, z), (m, -z), (-m, z), (-m, -z)]
        walls = _of_points(points, [(0, 1, s), (2, 0, t), (3, 0, t), (4, 1, t), (5, 1, t)])
        half = [(y, -z), (y, z), (y - t, z), (y - t, w), (t - y, w), (t - y, z)]
        corners = [*half, *((-a, -c) for a, c in half)]
        super().__init__(**walled(polygon_moments(np.array(corners)), wall_constants(*walls), corners))


@answers(**_WORDS)
class Channel(Section):
    """A U-section, a channel; its web of the `height` [m] over all lies along y, its flanges point along z from there;
    `width` [m] of the flanges over all, `web_thickness` and `flange_thickness` [m].

    The axis of the beam is at the centroid; the shear center lies on the other side of the web. Area and second moments
    are exact without fillets. Torsion and shear are those of thin walls.

    >>> channel = Channel(width=0.05, height=0.1, web_thickness=0.004, flange_thickness=0.006)
    >>> tuple(round(x * 1e3, 2) for x in channel.shear_center)  # [mm]
    (0.0, -34.21)
    """

    def __init__(self, width: float, height: float, web_thickness: float, flange_thickness: float) -> None:
        b, h, s, t = _flanged("U-section", width, height, web_thickness, flange_thickness)
        y, m = 0.5 * h, 0.5 * (h - t)
        points = [(m, b), (m, s / 2), (-m, s / 2), (-m, b)]
        walls = _of_points(points, [(0, 1, t), (1, 2, s), (2, 3, t)])
        corners = [(y, 0.0), (y, b), (y - t, b), (y - t, s), (t - y, s), (t - y, b), (-y, b), (-y, 0.0)]
        super().__init__(**walled(polygon_moments(np.array(corners)), wall_constants(*walls), corners))


@answers(**_WORDS)
class AngleSection(Section):
    """An L-section, an angle; its legs of the `height` and `width` [m] over all point along y and along z from the
    corner; `thickness` [m] of both.

    The axis of the beam is at the centroid; the shear center lies where the middle lines of the legs meet, and the
    principal axes are turned. Area and second moments are exact without fillets. Torsion and shear are those of thin
    walls.

    >>> angle = AngleSection(width=0.06, height=0.06, thickness=0.006)
    >>> round(angle.area * 1e6, 6), round(angle.principal_angle / math.pi, 6)
    (684.0, -0.25)
    """

    def __init__(self, width: float, height: float, thickness: float) -> None:
        b, h, t = _sizes("L-section", width=width, height=height, thickness=thickness)
        if t >= 0.5 * min(b, h):
            raise ModelError(
                f"L-section: thickness {t:g} must be less than half of its width {b:g} and of its height {h:g}"
            )
        walls = _of_points([(t / 2, t / 2), (h, t / 2), (t / 2, b)], [(1, 0, t), (2, 0, t)])
        corners = [(0.0, 0.0), (h, 0.0), (h, t), (t, t), (t, b), (0.0, b)]
        super().__init__(**walled(polygon_moments(np.array(corners)), wall_constants(*walls), corners))


def _rectangle(h: float, b: float) -> tuple[float, float, float]:
    """Area, ∫y² dA and ∫z² dA of a rectangle."""
    return h * b, b * h**3 / 12.0, h * b**3 / 12.0


def _sizes(where: str, **given: float) -> list[float]:
    return [checks.positive(value, what, where) for what, value in given.items()]


def _flanged(where: str, width: float, height: float, web: float, flange: float) -> list[float]:
    """Sizes of a section with a web and flanges, checked."""
    b, h, s, t = _sizes(where, width=width, height=height, web_thickness=web, flange_thickness=flange)
    for what, thick, of, size in (("web_thickness", s, "width", b), ("flange_thickness", t, "height", h)):
        if 2.0 * thick >= size:
            raise ModelError(f"{where}: {what} {thick:g} must be less than half of its {of} {size:g}")
    return [b, h, s, t]
