"""Curves in space for the axes of beams: arcs, helices, polylines with fillets, splines, any function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.geometry.axis_paths import AxisPath, Piece
from flexmb.model.hints import AnswersCalls
from flexmb.model.spatial_frames import unit_axis

#: points of a function through which its curve is made, and the part of its size by which it may be off between them
POINTS, CLOSE = 513, 1e-8
#: two points nearer to each other, in lengths of the whole, are the same
SAME = 1e-12
#: a direction this near to that of a beam [rad] tells no section axis
SMALLEST_ANGLE = 1e-6


@dataclass(frozen=True, eq=False)
class Axis(metaclass=AnswersCalls):
    """The undeformed axis of a beam in space, in coordinates of the ground: what :class:`Arc`, :class:`Helix`,
    :class:`Polyline`, :class:`SplineCurve` and :class:`Curve` are."""

    @property
    def where(self) -> str:
        return type(self).__name__

    def pieces(self) -> list[Piece]:
        """The smooth pieces of which it is made; elements end where they meet."""
        raise NotImplementedError

    def path(self) -> AxisPath:
        """Its places by the distance from the start."""
        return AxisPath(self.pieces(), self.where)

    @property
    def length(self) -> float:
        """Its length [m]."""
        return self.path().length


@dataclass(frozen=True, eq=False)
class Helix(Axis):
    """A helix: the point `start` (3,) [m] turns by `angle` [rad] about an `axis` through `center` (3,) [m], and moves
    along it by `pitch` [m] in each turn. `axis`: a direction (3,), or 'x', 'y', 'z'; the angle is right-handed.

    >>> import flexmb as fm
    >>> coil = fm.Helix((0, 0, 0), (0.02, 0, 0), 2 * 3.141592653589793 * 5, pitch=0.008)
    >>> round(coil.length, 6)
    0.62959
    """

    center: Vector
    start: Vector
    angle: float
    pitch: float = 0.0
    axis: Any = "z"

    def __post_init__(self) -> None:
        for what in ("center", "start"):
            object.__setattr__(self, what, checks.vector(getattr(self, what), what, self.where, 3))
        for what in ("angle", "pitch"):
            object.__setattr__(self, what, checks.number(getattr(self, what), what, self.where))
        object.__setattr__(self, "axis", unit_axis(self.axis, self.where, "axis", "of the ground"))
        if self.angle == 0.0:
            raise ModelError(f"{self.where}: its angle is zero, so it has no length")
        if not np.linalg.norm(self._arm()[1]) > SAME * (1.0 + np.linalg.norm(self.start)):
            raise ModelError(f"{self.where}: its start is on the axis through its center, so it has no radius")

    def _arm(self) -> tuple[np.ndarray, np.ndarray]:
        """The point of the axis beside the start, and the radius from there."""
        arm = np.asarray(self.start) - self.center
        foot = self.center + (arm @ self.axis) * self.axis
        return foot, self.start - foot

    def pieces(self) -> list[Piece]:
        foot, radius = self._arm()
        across, lift = np.cross(self.axis, radius), self.pitch / (2.0 * np.pi) * self.axis
        sense = np.sign(self.angle)

        def points(u: np.ndarray) -> np.ndarray:
            turned = np.outer(np.cos(u), radius) + sense * np.outer(np.sin(u), across)
            return np.asarray(foot + turned + np.outer(u, lift))

        def slopes(u: np.ndarray) -> np.ndarray:
            turned = sense * np.outer(np.cos(u), across) - np.outer(np.sin(u), radius)
            return np.asarray(turned + lift)

        return [Piece(points, slopes, abs(float(self.angle)))]


@dataclass(frozen=True, eq=False)
class Arc(Axis):
    """A circular arc: the point `start` (3,) [m] turns by `angle` [rad] about an `axis` through `center` (3,) [m].
    `axis`: a direction (3,), or 'x', 'y', 'z'; the angle is right-handed.

    >>> import flexmb as fm
    >>> bend = fm.Arc((0, 0, 0), (0.5, 0, 0), 3.141592653589793 / 2)
    >>> round(bend.length, 6)
    0.785398
    """

    center: Vector
    start: Vector
    angle: float
    axis: Any = "z"

    def __post_init__(self) -> None:
        whole = _helix(self)
        for what in ("center", "start", "angle", "axis"):
            object.__setattr__(self, what, getattr(whole, what))

    def pieces(self) -> list[Piece]:
        return Helix(self.center, self.start, self.angle, 0.0, self.axis).pieces()


def _helix(arc: Arc) -> Helix:
    """The arc as a helix without pitch; errors name the arc."""
    try:
        return Helix(arc.center, arc.start, arc.angle, 0.0, arc.axis)
    except ModelError as error:
        raise ModelError(str(error).replace("Helix", "Arc", 1)) from None


@dataclass(frozen=True, eq=False)
class Polyline(Axis):
    """Straight lines through `points` (n, 3) [m], rounded at inner points by arcs of the radius `fillet` [m]: one for
    all, or one for each inner point. A corner with the fillet 0 is a kink, as of a frame welded of straight beams.

    >>> import flexmb as fm
    >>> pipe = fm.Polyline(((0, 0, 0), (1, 0, 0), (1, 1, 0)), fillet=0.1)
    >>> round(pipe.length, 6)
    1.95708
    """

    points: Any
    fillet: float | Sequence[float] = 0.0

    def __post_init__(self) -> None:
        points = _points(self.points, self.where, least=2)
        given = checks.numbers(self.fillet, "fillet", self.where, "a radius, or one for each inner point")
        if given.shape not in ((), (len(points) - 2,)):
            raise ModelError(
                f"{self.where}: fillet has {given.size} radii for {len(points) - 2} inner points; give one radius, or "
                "one for each inner point"
            )
        if np.any(given < 0.0):
            raise ModelError(f"{self.where}: fillet is {checks.quoted(self.fillet)}; a radius must not be negative")
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "fillet", np.broadcast_to(given, len(points) - 2).copy())
        ways = np.linalg.norm(np.diff(points, axis=0), axis=1)
        cuts = np.concatenate([[0.0], self._cuts(), [0.0]])
        for k, way in enumerate(ways):
            if cuts[k] + cuts[k + 1] > way * (1.0 + 1e-12):
                raise ModelError(
                    f"{self.where}: its fillets take {cuts[k] + cuts[k + 1]:.4g} m of the line from point {k} to point "
                    f"{k + 1}, which is {way:.4g} m long; give smaller ones"
                )

    def _turns(self) -> np.ndarray:
        """The angles (n - 2,) between lines that follow one another."""
        ahead = np.diff(self.points, axis=0)
        ahead = ahead / np.linalg.norm(ahead, axis=1)[:, None]
        sines = np.linalg.norm(np.cross(ahead[:-1], ahead[1:]), axis=1)
        turns = np.arctan2(sines, np.sum(ahead[:-1] * ahead[1:], axis=1))
        if np.any(turns > np.pi - 1e-6):
            k = int(np.argmax(turns)) + 1
            raise ModelError(f"{self.where}: it goes back upon itself at point {k}; give other points")
        return np.asarray(turns)

    def _cuts(self) -> np.ndarray:
        """What the fillets take of the lines on both of their sides (n - 2,)."""
        return np.asarray(self.fillet * np.tan(0.5 * self._turns()))

    def pieces(self) -> list[Piece]:
        ahead = np.diff(self.points, axis=0)
        ahead = ahead / np.linalg.norm(ahead, axis=1)[:, None]
        pieces, start = [], self.points[0]
        for point, cut, radius, turn, one, two in zip(
            self.points[1:-1], self._cuts(), np.asarray(self.fillet), self._turns(), ahead[:-1], ahead[1:]
        ):
            pieces += _line(start, point - cut * one)
            start = point + cut * two
            if cut > 0.0:
                axis = np.cross(one, two)
                center = point - cut * one + radius * np.cross(axis, one) / np.linalg.norm(axis)
                pieces += Helix(center, point - cut * one, turn, 0.0, axis).pieces()
        return pieces + _line(start, self.points[-1])


def _line(start: np.ndarray, end: np.ndarray) -> list[Piece]:
    """A straight piece, or none where two fillets meet."""
    way = end - start
    length = float(np.linalg.norm(way))
    if length < SAME * (1.0 + float(np.linalg.norm(end))):
        return []
    ahead = way / length
    return [Piece(lambda u: start + np.outer(u, ahead), lambda u: np.tile(ahead, (len(u), 1)), length)]


@dataclass(frozen=True, eq=False)
class SplineCurve(Axis):
    """The cubic spline through `points` (n, 3) [m], by the lengths of its chords; `closed`: it goes on from the last
    point to the first without a kink.

    >>> import flexmb as fm
    >>> hook = fm.SplineCurve(((0, 0, 0), (0.1, 0.02, 0), (0.2, 0, 0.05), (0.25, -0.1, 0.05)))
    >>> round(hook.length, 4)
    0.3397
    """

    points: Any
    closed: bool = False

    def __post_init__(self) -> None:
        checks.flag(self.closed, "closed", self.where)
        points = _points(self.points, self.where, least=3)
        if self.closed and np.linalg.norm(points[-1] - points[0]) < SAME * np.ptp(points):
            points = points[:-1]
        object.__setattr__(self, "points", points)

    def pieces(self) -> list[Piece]:
        points = np.vstack([self.points, self.points[:1]]) if self.closed else self.points
        knots = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
        spline = scipy.interpolate.CubicSpline(knots, points, bc_type="periodic" if self.closed else "not-a-knot")
        return [Piece(spline, spline.derivative(), float(knots[-1]), 4 * len(knots))]


@dataclass(frozen=True, eq=False)
class Curve(Axis):
    """A smooth curve by a `function` of a number from 0 to `end`, which returns the point (3,) [m]; the number need not
    be a length. The curve is the spline of seventh degree through 513 points of it.

    >>> import math
    >>> import flexmb as fm
    >>> spiral = fm.Curve(lambda u: ((1 + u) * math.cos(6 * u), (1 + u) * math.sin(6 * u), 0.0))
    >>> round(spiral.length, 4)
    9.0575
    """

    function: Callable[..., Any]
    end: float = 1.0

    def __post_init__(self) -> None:
        checks.positive(self.end, "end", self.where)
        if not callable(self.function):
            raise ModelError(
                f"{self.where}: {checks.quoted(self.function)} is no function; give one of a number, which returns "
                "a point"
            )

    def pieces(self) -> list[Piece]:
        u = np.linspace(0.0, self.end, 2 * POINTS - 1)
        points = np.array([checks.vector(self.function(x), f"point at {x:g}", self.where, 3) for x in u.tolist()])
        spline = scipy.interpolate.make_interp_spline(u[::2], points[::2], k=7)
        off = np.linalg.norm(spline(u) - points, axis=1)
        size = float(np.max(np.ptp(points, axis=0)))
        if np.max(off) > CLOSE * size:
            raise ModelError(
                f"{self.where}: its function is not smooth near {u[np.argmax(off)]:.4g}: between neighboring points it "
                f"is off a smooth curve by {np.max(off):.2g} m; give several beams that meet there, or a Polyline or a "
                "SplineCurve through points"
            )
        return [Piece(spline, spline.derivative(), float(self.end), (POINTS - 1) // 4)]


def _points(given: Any, where: str, least: int) -> np.ndarray:
    """Points (n, 3), of which no two that follow one another are the same."""
    points = checks.numbers(given, "points", where, "points (n, 3)")
    if points.ndim != 2 or points.shape[1] != 3 or len(points) < least:
        raise ModelError(f"{where}: points must be {least} points or more with three coordinates each")
    ways = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if np.min(ways) <= SAME * np.sum(ways) or not np.sum(ways) > 0.0:
        k = int(np.argmin(ways))
        raise ModelError(f"{where}: points {k} and {k + 1} are the same, {points[k].tolist()}; leave one out")
    return points


def turned_to(before: np.ndarray, after: np.ndarray) -> scipy.spatial.transform.Rotation:
    """The smallest turn from a unit vector (3,) to another.

    >>> turned_to(np.array([1.0, 0, 0]), np.array([0, 1.0, 0])).as_rotvec().round(6).tolist()
    [0.0, 0.0, 1.570796]
    """
    axis = np.cross(before, after)
    sine = float(np.linalg.norm(axis))
    angle = np.arctan2(sine, before @ after)
    return scipy.spatial.transform.Rotation.from_rotvec(axis * (angle / sine if sine > 0.0 else 1.0))


def y_across(ahead: np.ndarray, given: np.ndarray | None) -> np.ndarray:
    """What is across `ahead`, the x of a section, of the direction that is given for its y: else of a horizontal one,
    and where x is along z of the y-axis of the ground.

    >>> y_across(np.array([1.0, 0, 0]), None).tolist(), y_across(np.array([0, 0, 1.0]), None).tolist()
    ([0.0, 1.0, 0.0], [0.0, 1.0, 0.0])
    """
    y = np.cross((0.0, 0.0, 1.0), ahead) if given is None else np.asarray(given)
    if given is None and np.linalg.norm(y) < SMALLEST_ANGLE:
        y = np.array([0.0, 1.0, 0.0])
    return np.asarray(y - (y @ ahead) * ahead)
