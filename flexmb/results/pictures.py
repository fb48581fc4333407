"""What pictures of a solution show, as arrays: lines over time, and where a mechanism is at several instants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from flexmb.errors import ModelError, NamingError
from flexmb.model import checks
from flexmb.plots.film import frame_count
from flexmb.plots.scene import Extent, Scene
from flexmb.results.names import Series, coordinate_rate, find_track, key_name
from flexmb.results.recorded import Recorded
from flexmb.results.scene import drawn_path, drawn_scene, zigzag

#: the rate of each quantity of a track that has one
RATES = {
    "x": "vx",
    "y": "vy",
    "angle": "angular_velocity",
    "vx": "ax",
    "vy": "ay",
    "angular_velocity": "angular_acceleration",
    **{"z": "vz", "vz": "az"},
    **{f"w{axis}": f"alpha_{axis}" for axis in "xyz"},
}
RATE_UNITS = {"m": "m/s", "rad": "rad/s", "–": "1/s"}
#: the number of times at which the trail of a point looks smooth
TRAIL_TIMES = 800
#: limits of the width and height of a picture [inch]
SMALLEST, LARGEST = 1.5, 200.0


def lines(solution: Recorded, names: Sequence[Any]) -> list[tuple[str, str, np.ndarray, np.ndarray]]:
    """Quantities as lines of a diagram: unit, name, times, values of each."""
    if len(names) == 1 and isinstance(names[0], list | tuple):
        names = names[0]
    if not names:
        raise NamingError(f"{solution.where}: name what to plot, e.g. solution.plot('energy.kinetic')")
    drawn = []
    for name in names:
        series = solution.series(key_name(solution, name))
        course = (solution.t, series.values) if series.course is None else series.course
        drawn.append((series.unit, series.name, *course))
    return drawn


def rate_of(solution: Recorded, name: str) -> Series:
    """The rate of a quantity. It is taken from the solution; nothing is differentiated."""
    head, _, tail = name.rpartition(".")
    if tail in RATES and find_track(solution, head) is not None:
        return solution.series(f"{head}.{RATES[tail]}")
    joint = solution.layout.pairs[head].joint if head in solution.layout.pairs else None
    if joint is not None and tail in joint.coordinates and tail not in ("rx", "ry", "rz"):
        return solution.series(f"{head}.{tail}_rate")
    unit = solution.series(name).unit
    if name in solution.layout.coordinates:
        return Series(f"d({name})/dt", RATE_UNITS[unit], coordinate_rate(solution, name))
    raise NamingError(f"{solution.where}: of {name!r} no rate is known; name what to draw it against, y='…'")


def instants(
    solution: Recorded, times: Any, trail: Any, camera: Any = None, up: Any = None
) -> tuple[Scene, list[np.ndarray], np.ndarray, Extent, str]:
    """The mechanism at chosen times; trails with their times, from the first chosen time to the last (from the start
    when there is one time only); the extent of both; a title."""
    first, last = solution.t[0], solution.t[-1]
    times = np.linspace(first, last, 9) if times is None else np.sort(checks.times(times, "times", solution.where))
    scene = drawn_scene(solution.at(times), camera, up)
    one = len(times) == 1
    begin, end = (first if one else times[0]), times[-1]
    through = solution.at(np.linspace(begin, end, TRAIL_TIMES)) if end > begin else solution.at([end])
    trails = [drawn_path(through, key, camera, up) for key in checks.several(trail, "trail", solution.where)]
    around = extent([scene], trails)
    title = f"{solution.name}, t = {times[0]:.4g} s" if one else solution.name
    return with_coils(scene, around), trails, through.t, around, title


def motion(
    solution: Recorded, fps: Any, speed: Any, trail: Any, camera: Any = None, up: Any = None
) -> tuple[Scene, list[np.ndarray], Extent, list[str], int]:
    """The mechanism at the instants of a film of `fps` pictures a second; trails, the extent of both, titles, and the
    checked `fps`."""
    where = f"animate {solution.where}"
    fps = checks.count(fps, "fps", where, least=1)
    speed = checks.positive(speed, "speed", where)
    first, last = float(solution.t[0]), float(solution.t[-1])
    frames = solution.at(np.linspace(first, last, max(2, frame_count((last - first) / speed, fps, where))))
    scene = drawn_scene(frames, camera, up)
    trails = [drawn_path(frames, key, camera, up) for key in checks.several(trail, "trail", where)]
    around = extent([scene], trails)
    return with_coils(scene, around), trails, around, [f"{solution.name}, t = {t:.3f} s" for t in frames.t], fps


def extent(scenes: Sequence[Scene], trails: Sequence[np.ndarray] = ()) -> Extent:
    """The corners of scenes and trails; the shorter side of each is at least a quarter of the longer one."""
    corners = []
    for scene in scenes:
        low, high = scene.bounds()
        for points in trails:
            low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        half = np.maximum(half, 0.25 * half.max()) + 0.02 * half.max()
        corners.append((middle - half, middle + half))
    return np.min([low for low, _ in corners], axis=0), np.max([high for _, high in corners], axis=0)


def with_coils(scene: Scene, around: Extent) -> Scene:
    """A scene whose springs are drawn as coils, whose width goes with the extent."""
    width = 0.012 * float(np.max(around[1] - around[0]))
    coils = [[zigzag(ends, width) for ends in spring] for spring in scene.springs]
    most = [max(map(len, coil)) for coil in coils]  # a spring without length is one point
    springs = [np.stack([np.resize(x, (n, 2)) for x in coil]) for coil, n in zip(coils, most)]
    return replace(scene, springs=springs)


def checked_size(size: Any, where: str) -> tuple[float, float] | None:
    """Width and height [inch] given by a user; None when not given."""
    if size is None:
        return None
    width, height = checks.vector(size, "size", where)
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise ModelError(
            f"{where}: size is ({width:g}, {height:g}); give width and height of {SMALLEST:g} to {LARGEST:g} inches"
        )
    return float(width), float(height)
