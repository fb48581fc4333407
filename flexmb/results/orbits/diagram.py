"""Pictures of orbits: the plane, the ellipse, the flight along it, the shadow, and directions there.

The plane is that of the orbit of the model's origin. Its axes are the line of nodes, on which the orbit goes up through
the plane x–y, and the direction a quarter of a turn ahead; of an orbit in the plane x–y they are x and y.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.plots.words import words
from flexmb.results.orbits.sunlight import sunlight

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flexmb.model.gravity.fields import CentralGravity

#: places of the ellipse, and of the flight for each of its turns and at most; places of the shadow along
#: each axis, an even number, so that none is the center
ELLIPSE, EACH, MOST, SHADE = 361, 241, 4001, 400
#: margin beside the ellipse, and lengths of the arrows, as parts of the half size of the orbit
MARGIN, ARROW, SUN = 0.42, 0.24, 0.5
#: sine of the inclination below which an orbit lies in the plane x–y
FLAT = 1e-9


def plane_of(gravity: CentralGravity) -> tuple[np.ndarray, tuple[str, str]]:
    """The axes (2, 3) of the plane of an orbit, and their names."""
    normal = gravity.normal
    tilt = float(np.hypot(normal[0], normal[1]))
    if tilt < FLAT:
        first, names = np.array([1.0, 0.0, 0.0]), ("x", "y" if normal[2] > 0.0 else "−y")
    else:
        first, names = np.array([-normal[1], normal[0], 0.0]) / tilt, ("along the ascending node", "90° ahead of it")
    return np.array([first, np.cross(normal, first)]), names


class Flight(NamedTuple):
    """Motion in a picture: the `gravity`, times t (k,) and the name of these, the mass center (k, 3) [m] from the
    model's origin, Hill's axes at the end, the direction (3,) of the sun, and what the craft is called."""

    gravity: CentralGravity
    t: np.ndarray
    clock: str
    center: np.ndarray
    axes: Rotation
    sun: np.ndarray | None
    name: str


def plot(flight: Flight, path: str | Path | None, title: Any, background: str) -> Figure:
    """The picture of an orbit."""
    from flexmb.plots.orbit_plane import Direction, Shade, orbit_plane

    gravity, t, clock, center, axes, sun, name = flight
    plane, names = plane_of(gravity)
    ellipse = gravity.origin(np.linspace(0.0, gravity.period, ELLIPSE))[0] @ plane.T
    turns = (t[-1] - t[0]) / gravity.period
    dense = np.union1d(t, np.linspace(t[0], t[-1], int(min(MOST, EACH * (1.0 + turns))))) if turns > 0.0 else t[:1]
    beside = np.column_stack([np.interp(dense, t, x) for x in center.T])
    flown = (gravity.origin(dense)[0] + beside) @ plane.T
    round_body = (gravity.radius or 0.0) * np.array([[-1.0, -1.0], [1.0, 1.0]])
    shown = np.vstack([ellipse, flown, round_body])
    size = 0.5 * float(np.max(np.ptp(shown, axis=0)))
    corners = shown.min(axis=0) - MARGIN * size, shown.max(axis=0) + MARGIN * size
    directions = [
        Direction(called, flown[-1], ARROW * size * (plane @ axes.apply(axis)), color)
        for called, axis, color in (("outwards", np.eye(3)[0], 1), ("flight", np.eye(3)[1], 2))
    ]
    shade = None
    if sun is not None:
        sun = sun / np.linalg.norm(sun)
        within = plane @ sun
        above = np.degrees(np.arcsin(np.clip(gravity.normal @ sun, -1.0, 1.0)))
        if np.linalg.norm(within) > FLAT:
            called = f"sun, {abs(above):.0f}° {'above' if above > 0.0 else 'below'}" if abs(above) >= 0.5 else "sun"
            directions.append(Direction(called, np.zeros(2), SUN * size * within, 3))
        if gravity.radius is not None:
            x, y = np.linspace(*corners, SHADE).T
            places = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2) @ plane
            shade = Shade(x, y, sunlight(places, sun, gravity.radius).reshape(SHADE, SHADE))
    said = words(f"orbit of {name}", (), f"plot of the orbit of {name!r}", title=title)
    given = gravity.radius, shade, directions, corners, names, clock, said, path, background
    return orbit_plane(ellipse, dense, flown, *given)
