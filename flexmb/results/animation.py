"""Films of a mechanism."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.model import checks
from flexmb.plots.film import film_target, frame_count, write_film
from flexmb.results.drawing import around, ground, named, prepare
from flexmb.results.figures import FILL, INK, LINES, QUIET, figure_size, new_figure
from flexmb.results.scene import Scene, zigzag

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flexmb.results.solution import Solution

#: pixels of an inch
DPI = 100
#: around the mechanism, for scales and title [inch]: left, right, below, above
MARGINS = (0.78, 0.2, 0.6, 0.38)
#: the longer side of the mechanism, and the width of a letter of the title [inch]
LONGER, LETTER = 6.0, 0.085


def animate(
    solution: Solution, path: str | Path, fps: int, speed: float, trail: Any, size: tuple[float, float] | None
) -> Path:
    """Write a film; the kind of file is told by its ending."""
    from matplotlib.colors import to_rgb

    where = f"animate {solution.where}"
    fps = checks.count(fps, "fps", where, least=1)
    speed = checks.positive(speed, "speed", where)
    target = film_target(path)
    first, last = float(solution.t[0]), float(solution.t[-1])
    count = max(2, frame_count((last - first) / speed, fps, where))
    seen = solution.at(np.linspace(first, last, count))
    scene = Scene.of(seen)
    trails = [seen.track(key).position for key in named(trail)]
    low, high = around(scene, trails)
    titles = [f"{solution.name}, t = {t:.3f} s" for t in seen.t]
    given = None if size is None else figure_size(size, where)
    figure = _figure(target, high - low, max(map(len, titles)), given)
    ax = figure.subplots()
    prepare(ax, *_extent(low, high, np.array(figure.get_size_inches())))
    unit = float(np.max(high - low))
    ground(ax, scene, unit)
    for guide in scene.guides:
        ax.plot(*guide.T, color=QUIET, linewidth=1.0, linestyle=(0, (5, 3)), zorder=1)
    moving = _artists(ax, scene, trails, unit)
    clock = ax.set_title("", color=INK, fontsize=10, loc="left")

    def images() -> Iterator[np.ndarray]:
        canvas: Any = figure.canvas
        for k, title in enumerate(titles):
            for artist, points in moving:
                artist(points, k)
            clock.set_text(title)
            canvas.draw()
            yield np.array(canvas.buffer_rgba())[:, :, :3]

    colours = np.array([255.0 * np.array(to_rgb(colour)) for colour in (*LINES, INK, QUIET, FILL)])
    write_film(target, images(), fps, colours)
    return target


def _extent(low: np.ndarray, high: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The extent that fills a figure of a size [inch] in both directions, with what is to be seen in its middle."""
    left, right, below, above = MARGINS
    room = size - (left + right, below + above)
    half = 0.5 * room * np.max((high - low) / room)
    return 0.5 * (low + high) - half, 0.5 * (low + high) + half


def _figure(target: Path, extent: np.ndarray, letters: int, size: tuple[float, float] | None) -> Figure:
    """A figure of the shape of what it shows, or of a size [inch]; of an even number of pixels, as films need it."""
    left, right, below, above = MARGINS
    if size is None:
        w, h = LONGER * extent / np.max(extent)
        size = (max(w, min(letters * LETTER, LONGER)) + left + right, h + below + above)
    width, height = 2.0 * np.rint(0.5 * DPI * np.array(size)) / DPI
    figure = new_figure(target, (float(width), float(height)), "none")
    figure.set_dpi(DPI)
    figure.subplots_adjust(left / width, below / height, 1.0 - right / width, 1.0 - above / height)
    return figure


def _artists(ax: Any, scene: Scene, trails: list[np.ndarray], unit: float) -> list[tuple[Any, np.ndarray]]:
    """What moves, each with a function that puts it where it is at the time k."""
    found = []

    def line(points: np.ndarray, shape: Any = None, **style: Any) -> None:
        (artist,) = ax.plot([], [], solid_capstyle="round", solid_joinstyle="round", **style)

        def put(points: np.ndarray, k: int) -> None:
            artist.set_data(*(points[k] if shape is None else shape(points, k)).T)

        found.append((put, points))

    for j, points in enumerate(trails):
        line(points, lambda x, k: x[: k + 1], color=LINES[(j + 1) % len(LINES)], linewidth=1.2, zorder=1.5)
    for points in scene.rods:
        line(points, color=INK, linewidth=1.4, zorder=3)
    for points in scene.springs:
        line(points, lambda x, k: zigzag(x[k], 0.012 * unit), color=LINES[2], linewidth=1.4, zorder=3)
    for points in scene.bodies:
        if points.shape[1] > 2:
            (patch,) = ax.fill([0.0], [0.0], facecolor=FILL, edgecolor=LINES[0], linewidth=1.8, zorder=3)
            found.append((_filling(patch), points))
        elif points.shape[1] == 2:
            line(points, color=LINES[0], linewidth=4.0, zorder=3)
        else:
            line(points, marker="o", markersize=12, color=LINES[0], zorder=3)
    for points in scene.arms:
        line(points, color=INK, linewidth=3.0, zorder=3)
    for points in scene.beams:
        line(points, color=LINES[0], linewidth=2.8, zorder=3.5)
    for points in scene.lines:
        line(points, color=LINES[0], linewidth=1.8, zorder=3.5)
    for points in scene.blocks:
        line(
            points,
            marker="s",
            markersize=10,
            color="white",
            markeredgecolor=INK,
            markeredgewidth=1.6,
            zorder=4,
        )
    for points in scene.pins:
        line(
            points,
            marker="o",
            markersize=5.5,
            color="white",
            markeredgecolor=INK,
            markeredgewidth=1.4,
            zorder=4,
        )
    return found


def _filling(patch: Any) -> Any:
    def put(points: np.ndarray, k: int) -> None:
        patch.set_xy(points[k])

    return put
