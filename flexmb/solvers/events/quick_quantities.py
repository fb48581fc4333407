"""Quantities of events that follow directly from coordinates and speeds: coordinates, places of frames, and planar
joints.

A solution with one time has all quantities by name, but takes some hundred microseconds for one; these functions take
some microseconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from flexmb.model.events import Crossing
from flexmb.results.layout import FramePlace, Layout, SpatialPlace
from flexmb.results.meaning import COORDINATE, COORDINATE_RATE, Meaning, meaning
from flexmb.system.readings import (
    ANGLE_RATE,
    ATTITUDE,
    ATTITUDE_RATE,
    COORDINATES,
    DISTANCE,
    DISTANCE_RATE,
    PLACE,
    PLACE_RATE,
    PLANAR_DISTANCE,
    PLANAR_DISTANCE_RATE,
    PLANAR_VELOCITY,
    QUATERNION,
    SPIN,
    VELOCITY,
    measure,
    sensor_table,
)
from flexmb.system.system import System

#: A function of time [s], all coordinates (total_q,) and all speeds (total,), with those of fixed frames last.
Quick = Callable[[float, np.ndarray, np.ndarray], float]
#: x, y [m], angle [rad]; vx, vy [m/s], angular velocity [rad/s].
Motion = tuple[tuple[float, float, float], tuple[float, float, float]]
#: kinds of sensors that read coordinates and speeds alone, and count no turns
AT_ONCE = (
    PLANAR_VELOCITY, PLANAR_DISTANCE, PLANAR_DISTANCE_RATE, VELOCITY, SPIN, DISTANCE, DISTANCE_RATE, PLACE, PLACE_RATE,
    ANGLE_RATE, ATTITUDE, ATTITUDE_RATE, QUATERNION,
)  # fmt: skip
_PLACES, _SPEEDS = ("x", "y", "angle"), ("vx", "vy", "angular_velocity")
_PLACES_IN_SPACE, _SPEEDS_IN_SPACE = ("x", "y", "z"), ("vx", "vy", "vz")


def quick(crossing: Crossing, system: System, layout: Layout) -> Quick | None:
    """The quantity of a crossing as a function of coordinates and speeds; None if it needs more than these."""
    quantity = crossing.quantity
    if isinstance(quantity, str):
        return _by_name(meaning(layout, quantity), system, layout)
    if hasattr(quantity, "readings"):
        return _sensor(quantity, system)
    if layout.dimension != 2:
        return None
    places = [layout.frames[frame.name] for frame in crossing.frames]
    if len(places) == 1:
        return lambda t, q, v: quantity(t, *motion(places[0], q, v))
    return lambda t, q, v: quantity(t, *zip(*(motion(place, q, v) for place in places)))


def _by_name(known: Meaning | None, system: System, layout: Layout) -> Quick | None:
    """A coordinate, its rate if that is a speed, or a quantity of a frame; None for other quantities."""
    if known is None:
        return None
    if known.kind in (COORDINATE, COORDINATE_RATE):
        k = layout.coordinates.index(known.of)
        if known.kind == COORDINATE:
            return lambda t, q, v: float(q[k])
        if k >= system.n or k in _orientation_speeds(system):
            return None
        return lambda t, q, v: float(v[k])
    frame = known.spot.frame
    if frame in layout.spatial:
        return _in_space(layout.spatial[frame], known.what)
    return _of_frame(layout.frames[frame], known.what) if frame else None


def _sensor(sensor: Any, system: System) -> Quick | None:
    """A sensor that reads coordinates and speeds alone; None for other sensors."""
    terms = sensor.terms()
    if terms != [(1.0, sensor)]:
        parts = [(weight, _sensor(one, system)) for weight, one in terms]
        if any(part is None for _, part in parts):
            return None
        return lambda t, q, v: sensor.bias + sum(weight * part(t, q, v) for weight, part in parts)  # type: ignore[misc]
    reading = sensor.reading(system)
    if reading.kind in AT_ONCE:
        table, plan, scratch = sensor_table([reading]), system.plan, system.scratch
        rest, none = np.zeros(plan.total), np.zeros(plan.m)
        return lambda t, q, v: sensor.bias + measure(plan, scratch, table, 0, t, q, v, rest, none)
    if reading.kind != COORDINATES:
        return None
    (first, second), (own, x, vx, y, vy) = reading.numbers, reading.values

    def value(t: float, q: np.ndarray, v: np.ndarray) -> float:
        of_first = x * q[first] + vx * v[first] if first >= 0 else 0.0
        return float(sensor.bias + own + of_first + (y * q[second] + vy * v[second] if second >= 0 else 0.0))

    return value


def _orientation_speeds(system: System) -> list[int]:
    return (system.orientations[:, :1] + np.arange(3)).ravel().tolist()


def _of_frame(place: FramePlace, what: str) -> Quick | None:
    """A place or a velocity of a planar frame; None for other quantities."""
    if what in _PLACES:
        at = _PLACES.index(what)
        return lambda t, q, v: motion(place, q, v)[0][at]
    if what in _SPEEDS:
        at = _SPEEDS.index(what)
        return lambda t, q, v: motion(place, q, v)[1][at]
    return None


def _in_space(place: SpatialPlace, what: str) -> Quick | None:
    """A place [m] or a velocity [m/s] of a frame in space: r = r₀ + R u and ṙ = ṙ₀ + R (ω × u), ω in the axes of the
    node."""
    ux, uy, uz = u = place.offset
    q0, v0 = place.coordinates, place.speeds
    if what in _PLACES_IN_SPACE:
        k = _PLACES_IN_SPACE.index(what)
        return lambda t, q, v: float(q[q0[k]]) + _turned([float(q[i]) for i in q0[3:]], u)[k]
    if what not in _SPEEDS_IN_SPACE:
        return None
    k = _SPEEDS_IN_SPACE.index(what)

    def speed(t: float, q: np.ndarray, v: np.ndarray) -> float:
        x, y, z = (float(v[i]) for i in v0[3:])
        moved = y * uz - z * uy, z * ux - x * uz, x * uy - y * ux
        return float(v[v0[k]]) + _turned([float(q[i]) for i in q0[3:]], moved)[k]

    return speed


def _turned(e: Sequence[float], u: Sequence[float]) -> tuple[float, float, float]:
    """The vector u, given in the axes of a node with the quaternion e, in ground axes."""
    e0, a, b, c = e
    x, y, z = b * u[2] - c * u[1], c * u[0] - a * u[2], a * u[1] - b * u[0]
    return (
        u[0] + 2.0 * (e0 * x + b * z - c * y),
        u[1] + 2.0 * (e0 * y + c * x - a * z),
        u[2] + 2.0 * (e0 * z + a * y - b * x),
    )


def motion(place: FramePlace, q: np.ndarray, v: np.ndarray) -> Motion:
    """Pose and velocity of a planar frame."""
    i, j, k = place.numbers
    ux, uy, turned = place.offset
    angle, rate = float(q[k]), float(v[k])
    c, s = math.cos(angle), math.sin(angle)
    sx, sy = c * ux - s * uy, s * ux + c * uy
    speeds = float(v[i]) - rate * sy, float(v[j]) + rate * sx, rate
    return (float(q[i]) + sx, float(q[j]) + sy, angle + turned), speeds
