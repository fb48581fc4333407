"""Drawings, films and mode shapes as lines in a plane: of a mechanism in space as a camera sees it from far away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import FlexmbError, ModelError
from flexmb.model import checks, given_times
from flexmb.plots.film import film_target, frame_count
from flexmb.plots.scene import Extent, Scene
from flexmb.plots.thumbnail import thumbnail
from flexmb.plots.words import Words, words
from flexmb.results.pictures.magnified import checked_factor, gaping, magnified, with_factor
from flexmb.results.pictures.scene import scene_of
from flexmb.results.recorded import Recorded
from flexmb.results.subject import at_time
from flexmb.visual.cameras import checked_camera
from flexmb.visual.chosen import part_colors
from flexmb.visual.labels import labels_of
from flexmb.visual.projection import projected

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flexmb.plots.figures import Target

#: the number of times at which the trail of a point looks smooth
TRAIL_TIMES = 800
#: limits of the width and height of a picture [inch]
SMALLEST, LARGEST = 1.5, 200.0


def drawing(
    solution: Recorded,
    times: Any,
    marked: Any,
    magnify: Any,
    path: Target,
    size: Any,
    given: dict[str, Any],
    background: str,
    camera: Any,
    up: Any,
    names: Any = False,
    colors: Any = None,
) -> Figure:
    """The mechanism at chosen times in one picture, see :meth:`flexmb.results.pictures.shown.Shown.draw`. Trails go
    from the first chosen time to the last, from the start when there is one time only."""
    from flexmb.plots.drawing import draw

    first, last = float(solution.t[0]), float(solution.t[-1])
    if times is None:
        times = np.linspace(first, last, 9 if last > first else 1)
    else:
        times = np.sort(given_times.times(times, "times", solution.where))
    factor = checked_factor(magnify, solution)
    shown = magnified(solution.at(times), factor)
    scene = drawn_scene(shown, camera, up)
    scene.labeled = labels_of(shown, names, camera, up, f"drawing of {solution.where}")
    scene.colors = part_colors(solution, colors, f"drawing of {solution.where}")
    one = len(times) == 1
    begin, end = (first if one else times[0]), times[-1]
    dense = solution.at(np.linspace(begin, end, TRAIL_TIMES)) if end > begin else solution.at([end])
    through = magnified(dense, factor)
    trails = [drawn_path(through, key, camera, up) for key in checks.several(marked, "trails", solution.where)]
    around = extent([scene], trails)
    title = f"{solution.name}, {at_time(solution.time_label, f'{times[0]:.4g}')}" if one else solution.name
    said = words(title, (), f"drawing of {solution.where}", **given)
    said = replace(said, title=with_factor(said.title, factor, gaping(shown)))
    inches, clock = checked_size(size, solution.where), solution.time_label
    return draw(with_coils(scene, around), trails, through.t, around, clock, said, path, inches, background)


def small_drawing(solution: Recorded, count: int) -> str:
    """The mechanism at `count` times as a small SVG; nothing if it cannot be drawn, as after a run that diverged."""
    first, last = float(solution.t[0]), float(solution.t[-1])
    checks.count(count, "count", solution.where, least=1)
    try:
        scene = drawn_scene(solution.at(np.linspace(first, last, count if last > first else 1)))
        around = extent([scene])
    except (FlexmbError, ValueError):
        return ""
    return thumbnail(with_coils(scene, around), around) if np.all(np.isfinite(around)) else ""


def film(
    solution: Recorded,
    path: str | Path,
    fps: Any,
    pace: Any,
    marked: Any,
    magnify: Any,
    size: Any,
    given: dict[str, Any],
    background: str,
    camera: Any,
    up: Any,
    colors: Any = None,
) -> Path:
    """A film of the mechanism, see :meth:`flexmb.results.pictures.shown.Shown.animate`."""
    from flexmb.plots.animation import animate

    target = film_target(path)
    where = f"animate {solution.where}"
    fps = checks.count(fps, "fps", where, least=1)
    pace = checks.positive(pace, "pace", where)
    inches = checked_size(size, where)
    first, last = float(solution.t[0]), float(solution.t[-1])
    factor = checked_factor(magnify, solution)
    at_rate = solution.at(np.linspace(first, last, max(2, frame_count((last - first) / pace, fps, where))))
    frames = magnified(at_rate, factor)
    scene = drawn_scene(frames, camera, up)
    scene.colors = part_colors(solution, colors, where)
    # paths go through all steps, not only through what the film shows of them
    steps = solution.t[(solution.t > first) & (solution.t < last)]
    keys = checks.several(marked, "trails", where)
    dense = magnified(solution.at(np.union1d(frames.t, steps)), factor) if keys else frames
    passed = np.searchsorted(dense.t, frames.t, side="right")
    trails = [drawn_path(dense, key, camera, up) for key in keys]
    around = extent([scene], trails)
    said = words(solution.name, (), where, **given)
    clock, open_at = solution.time_label, gaping(frames)
    titles = [with_factor(f"{said.title}, {at_time(clock, f'{t:.3f}')}", factor, open_at) for t in frames.t]
    grown = [(path, passed) for path in trails]
    return animate(with_coils(scene, around), grown, around, titles, said, fps, target, inches, background)


def mode_shapes(
    rest: Recorded,
    swings: Sequence[Recorded],
    titles: Sequence[str],
    said: Words,
    path: Target,
    background: str,
    camera: Any,
    up: Any,
) -> Figure:
    """Modes side by side, each a swing of five instants, over the mechanism at rest."""
    from flexmb.plots.modes import modes

    below, *shapes = (drawn_scene(solution, camera, up) for solution in (rest, *swings))
    around = extent([*shapes, below])
    below, *shapes = (with_coils(scene, around) for scene in (below, *shapes))
    return modes(shapes, below, around, titles, said, path, background)


def drawn_scene(solution: Recorded, camera: Any = None, up: Any = None) -> Scene:
    """The scene at the times of a solution; of a mechanism in space as a camera sees it."""
    if solution.layout.dimension == 3:
        return projected(solution, camera, up)
    for what, given in (("camera", camera), ("up", up)):
        if given is not None:
            raise ModelError(
                f"drawing of {solution.where}: {what} is for mechanisms in space, and this one is in the plane; leave "
                f"it out, or take solution.view({what}=…)"
            )
    return scene_of(solution)


def drawn_path(solution: Recorded, key: Any, camera: Any = None, up: Any = None) -> np.ndarray:
    """The path (k, 2) of a point in drawings."""
    path = solution.track(key).position
    if solution.layout.dimension == 3:
        return np.asarray(path @ checked_camera(solution, camera, up, f"drawing of {solution.where}")[:2].T)
    return np.asarray(path)


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


def zigzag(ends: np.ndarray, width: float, turns: int = 7) -> np.ndarray:
    """The corners of a spring drawn between two points (2, 2) [m]."""
    along = ends[1] - ends[0]
    length = float(np.hypot(*along))
    if length == 0.0:
        return ends
    across = np.array([-along[1], along[0]]) / length * width
    s = np.concatenate([[0.0, 0.15], 0.15 + 0.7 * (np.arange(2 * turns) + 0.5) / (2 * turns), [0.85, 1.0]])
    side = np.concatenate([[0.0, 0.0], np.where(np.arange(2 * turns) % 2, -1.0, 1.0), [0.0, 0.0]])
    return ends[0] + s[:, None] * along + side[:, None] * across
