"""Lines that show wheels, gears, belts and racks in space in pictures: teeth, rims, and belts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from flexmb.kernels.rotations import turned_back
from flexmb.model.appearance import ShownMotion
from flexmb.model.spatial_frames import Frame, across, looks_like

#: the least number of teeth of a wheel that is drawn, and the most
FEWEST, MOST = 14, 240
#: pitch circles with a radius of more than so many distances of the wheels are no gears that one could build
LARGEST = 4.0
#: the outline of a tooth: place along the pitch circle over the pitch, and height over the addendum
TOOTH = np.array([[-0.34, -1.0], [-0.16, 1.0], [0.16, 1.0], [0.34, -1.0]])
#: directions that are nearer to one another are parallel
PARALLEL = 1e-9


def carried(solution: ShownMotion, frame: Frame, points: np.ndarray) -> np.ndarray:
    """Points (p, 3) [m] in the axes of a frame as they move in a solution, (k, p, 3), or (p, 3) if the frame does
    not."""
    track: Any = solution.track(frame.name)
    axes = track.orientation.as_matrix()
    moved: np.ndarray = track.position[:, None] + points @ np.transpose(axes, (0, 2, 1))
    return moved[0] if frame.node.fixed else moved


def fastened(frame: Frame, points: np.ndarray) -> np.ndarray:
    """Points (p, 3) [m] of the ground at the start, in the axes of a frame."""
    return np.array([turned_back(tuple(frame.quaternion), tuple(x)) for x in points - frame.position])


def circle(center: np.ndarray, axis: np.ndarray, radius: float, count: int = 48) -> np.ndarray:
    """A closed circle (count + 1, 3) about an axis."""
    turn = np.linspace(0.0, 2.0 * np.pi, count + 1)
    x, y = across(axis)
    return np.asarray(center + radius * (np.outer(np.cos(turn), x) + np.outer(np.sin(turn), y)))


# -- wheels ----------------------------------------------------------------------------------------------------------


def rim_lines(solution: ShownMotion, b: Frame, axle: np.ndarray, radius: float, crown: float) -> list[np.ndarray]:
    """The rim of a wheel about the origin of frame b, and the edges of a round tire."""
    rims = [circle(np.zeros(3), axle, radius)]
    if crown > 0.0:
        rims += [circle(side * crown * axle, axle, radius - crown) for side in (-1.0, 1.0)]
    return [carried(solution, b, rim) for rim in rims]


def ball_lines(solution: ShownMotion, frame: Frame, radius: float) -> list[np.ndarray]:
    """A sphere about the origin of a frame as three circles, unless its body has that shape anyway."""
    if looks_like(frame, "sphere", 2.0 * radius):
        return []
    return [carried(solution, frame, circle(np.zeros(3), axis, radius)) for axis in np.eye(3)]


def drum_lines(
    solution: ShownMotion, a: Frame, b: Frame, axis: np.ndarray, radius: float, room: float
) -> list[np.ndarray]:
    """A cylinder about an axis of frame a, as far as frame b goes along it and by `room` [m] further: its two ends and
    four lines along it."""
    tracks: list[Any] = [solution.track(frame.name) for frame in (a, b)]
    seen = tracks[0].orientation.inv().apply(tracks[1].position - tracks[0].position) @ axis
    ends = [circle(s * axis, axis, radius) for s in (np.min(seen) - room, np.max(seen) + room)]
    along = [np.array([ends[0][k], ends[1][k]]) for k in range(0, len(ends[0]) - 1, (len(ends[0]) - 1) // 4)]
    return [carried(solution, a, line) for line in (*ends, *along)]


# -- gears -----------------------------------------------------------------------------------------------------------


def pitch_points(
    places: Sequence[np.ndarray], axes: Sequence[np.ndarray], ratio: float
) -> tuple[np.ndarray, np.ndarray] | None:
    """Points (3,) of the pitch circles of two wheels, at `places` (3,) with unit `axes` (3,), each in the plane of its
    wheel, where wheel b turns `ratio` times as much as wheel a; None where they cannot be.

    Against wheel b, wheel a turns about u_a − i u_b, on the axis of the relative screw, which both circles meet. Where
    the axes are parallel it is the pitch point; where they meet, the common line of both pitch cones.
    """
    (a, b), (u_a, u_b) = places, axes
    omega = u_a - ratio * u_b
    square = float(omega @ omega)
    apart = float(np.linalg.norm(b - a))
    if square < PARALLEL**2 * (1.0 + ratio**2) or apart == 0.0:
        return None
    middle = a + np.cross(omega, -ratio * np.cross(u_b, a - b)) / square
    way = omega / np.sqrt(square)
    points: list[np.ndarray | None] = []
    for place, axis in ((a, u_a), (b, u_b)):
        slope = float(way @ axis)
        point = middle + ((place - middle) @ axis / slope) * way if abs(slope) > 1e-6 else None
        points.append(point if point is not None and np.linalg.norm(point - place) > 1e-6 * apart else None)
    first, second = points
    first, second = (second if first is None else first), (first if second is None else second)
    if first is None or second is None:
        return None
    radii = [_arm(x, place, axis) for x, place, axis in ((first, a, u_a), (second, b, u_b))]
    if max(float(np.linalg.norm(arm)) for arm in radii) > LARGEST * apart:
        return None
    return first, second


def teeth_of(ratio: float) -> tuple[int, int]:
    """Numbers of teeth of wheels a and b: their quotient is |i|, exactly where it is one of small numbers.

    >>> teeth_of(-2.0), teeth_of(0.75), teeth_of(-0.01)
    ((28, 14), (15, 20), (2, 200))
    """
    quotient = Fraction(abs(ratio)).limit_denominator(60)
    if quotient and abs(float(quotient) / abs(ratio) - 1.0) < 1e-9:
        least, most = sorted((quotient.numerator, quotient.denominator))
        if most * -(-FEWEST // least) <= MOST:
            times = -(-FEWEST // least)
            return quotient.numerator * times, quotient.denominator * times
    small = max(2, min(FEWEST, round(MOST * min(abs(ratio), 1.0 / abs(ratio)))))
    large = min(MOST, round(small * max(abs(ratio), 1.0 / abs(ratio))))
    return (large, small) if abs(ratio) > 1.0 else (small, large)


def toothed(
    place: np.ndarray, axis: np.ndarray, point: np.ndarray, count: int, height: float, shift: float
) -> np.ndarray:
    """The closed outline (4 count + 1, 3) of a wheel with teeth about an axis, whose pitch circle goes through a point,
    where a tooth is, or with `shift` 0.5 a gap; `height` of a tooth above the pitch circle [m]."""
    arm = _arm(point, place, axis)
    radius = float(np.linalg.norm(arm))
    x = arm / radius
    y = np.cross(axis, x)
    turn = (2.0 * np.pi / count) * (np.arange(count)[:, None] + TOOTH[:, 0] + shift).ravel()
    reach = radius + height * np.tile(TOOTH[:, 1], count)
    line = point - arm + (reach * np.cos(turn))[:, None] * x + (reach * np.sin(turn))[:, None] * y
    return np.concatenate([line, line[:1]])


def gear_lines(frames: Sequence[Frame], axes: Sequence[np.ndarray], ratio: float) -> list[np.ndarray]:
    """The teeth of both wheels of a gear, at the start in the axes of their frames; `axes` (3,) in those of the ground.
    Nothing where wheels of such a ratio would not meet."""
    places = [frame.position for frame in frames]
    points = pitch_points(places, axes, ratio)
    if points is None:
        return []
    counts = teeth_of(ratio)
    arms = [_arm(x, place, axis) for x, place, axis in zip(points, places, axes)]
    height = 0.9 * min(2.0 * float(np.linalg.norm(arm)) / count for arm, count in zip(arms, counts))
    # a tooth of a is in a gap of b; inside a ring, what stands out of its circle is the gap
    inside = float(arms[0] @ arms[1]) > 0.0
    lines = []
    for frame, axis, point, count, shift in zip(frames, axes, points, counts, (0.0, 0.0 if inside else 0.5)):
        lines.append(fastened(frame, toothed(frame.position, axis, point, count, height, shift)))
    return lines


def rack_line(point: np.ndarray, way: np.ndarray, out: np.ndarray, pitch: float, reach: tuple[float, float]) -> Any:
    """The teeth (p, 3) of a rack along a direction, through a point of its pitch line, where a gap is; `out` points
    away from the pinion; `pitch` [m], and from where to where it reaches [m]."""
    first, last = int(np.floor(reach[0] / pitch)), int(np.ceil(reach[1] / pitch))
    along = pitch * (np.arange(first, last)[:, None] + 0.5 + TOOTH[:, 0]).ravel()
    height = -0.9 * pitch / np.pi * np.tile(TOOTH[:, 1], last - first)
    return point + along[:, None] * way + height[:, None] * out


def _arm(point: np.ndarray, place: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """From an axis through a place to a point, across the axis."""
    away = point - place
    return np.asarray(away - (away @ axis) * axis)


# -- belts -----------------------------------------------------------------------------------------------------------


def belt_line(
    places: Sequence[np.ndarray], axes: Sequence[np.ndarray], radii: Sequence[float], crossed: bool, count: int = 25
) -> np.ndarray:
    """The closed line of a belt over two pulleys at `places` (3,) with unit `axes` (3,): two arcs of `count` points and
    the strands between them, which touch both circles where the axes are parallel."""
    (a, b), (u_a, u_b) = places, axes
    if u_a @ u_b < 0.0:  # opposite axes turn in the same way where the belt is crossed
        u_b, crossed = -u_b, not crossed
    if np.linalg.norm(np.cross(u_a, u_b)) < 1e-6:
        away = _arm(b, a, u_a)
        apart = float(np.linalg.norm(away))
        part = (radii[0] + radii[1] if crossed else radii[0] - radii[1]) / apart if apart > 0.0 else 2.0
        bend = float(np.arccos(np.clip(part, -1.0, 1.0)))
    else:
        bend = 0.5 * np.pi
    # angles from the direction to the other pulley: a is touched at ± bend, b at ± (π − bend), crossed at ∓ bend
    turns = [np.linspace(bend, 2.0 * np.pi - bend, count)]
    ends = (-bend, bend - 2.0 * np.pi) if crossed else (np.pi - bend, np.pi + bend)
    turns.append(np.linspace(*ends, count))
    towards = _arm(b, a, u_a), _arm(a, b, u_b)
    arcs = [_arc(*given) for given in zip(places, (u_a, u_b), towards, radii, turns)]
    return np.concatenate([*arcs, arcs[0][:1]])


def _arc(center: np.ndarray, axis: np.ndarray, towards: np.ndarray, radius: float, turn: np.ndarray) -> np.ndarray:
    """Points (p, 3) of a circle about an axis, at angles from a direction (3,)."""
    size = float(np.linalg.norm(towards))
    x = towards / size if size > 0.0 else across(axis)[0]
    return np.asarray(center + radius * (np.outer(np.cos(turn), x) + np.outer(np.sin(turn), np.cross(axis, x))))
