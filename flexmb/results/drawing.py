"""A mechanism at several instants in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.model import checks
from flexmb.results.figures import FILL, INK, QUIET, figure_size, finish, new_figure, quiet, time_bar, time_scale
from flexmb.results.scene import Scene, zigzag

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from flexmb.results.recorded import Recorded

#: times between which the trail of a point is smooth to the eye
TRAIL_TIMES = 800


def draw(
    solution: Recorded,
    times: Any,
    trail: Any,
    path: str | Path | None,
    size: tuple[float, float] | None,
    label: str = "t [s]",
) -> Figure:
    """The mechanism at chosen times, early ones below late ones; trails run between the first and the last of them, or
    from the start to the one time."""
    first, last = solution.t[0], solution.t[-1]
    times = np.linspace(first, last, 9) if times is None else np.sort(checks.times(times, "times", solution.where))
    scene = Scene.of(solution.at(times))
    one = len(times) == 1
    begin, end = (first if one else times[0]), times[-1]
    through = solution.at(np.linspace(begin, end, TRAIL_TIMES)) if end > begin else solution.at([end])
    trails = [through.track(key).position for key in named(trail)]
    low, high = around(scene, trails)
    figure = new_figure(path, picture_size(low, high, room=1.3) if size is None else figure_size(size, solution.where))
    ax = figure.subplots()
    prepare(ax, low, high)
    from matplotlib.collections import LineCollection

    colours = time_scale(begin, end)
    for points in trails:
        pieces = np.stack([points[:-1], points[1:]], axis=1)
        lines = LineCollection(
            list(pieces), cmap=colours.cmap, norm=colours.norm, linewidth=1.1, alpha=0.75, zorder=1.5
        )
        lines.set_array(0.5 * (through.t[:-1] + through.t[1:]))
        ax.add_collection(lines)
    unit = float(np.max(high - low))
    ground(ax, scene, unit)
    for guide in scene.guides:
        ax.plot(*guide.T, color=QUIET, linewidth=1.0, linestyle=(0, (5, 3)), zorder=1)
    for k, t in enumerate(times):
        instant(ax, scene, k, unit, colours.to_rgba(t), 3.0 + 0.01 * k)
    if not one or trails:
        time_bar(figure, ax, colours, () if one else times, label)
    title = f"{solution.name}, t = {times[0]:.4g} s" if one else solution.name
    ax.set_title(title, color=INK, fontsize=11, loc="left")
    return finish(figure, path)


def named(trail: Any) -> Sequence[Any]:
    """One key or several as a sequence."""
    return list(trail) if isinstance(trail, list | tuple | set) else [trail]


def around(scene: Scene, trails: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The corners of scene and trails, neither side less than a quarter of the other."""
    low, high = scene.bounds()
    for points in trails:
        low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    half = np.maximum(half, 0.25 * half.max()) + 0.02 * half.max()
    return middle - half, middle + half


def picture_size(low: np.ndarray, high: np.ndarray, room: float = 0.6) -> tuple[float, float]:
    """Width and height [inch] of a picture of the given extent, with room for scales and bar."""
    w, h = high - low
    scale = 6.0 / max(w, h)
    return float(max(w * scale, 2.5) + room), float(max(h * scale, 2.0) + 0.8)


def prepare(ax: Axes, low: np.ndarray, high: np.ndarray) -> None:
    """Equal axes with units."""
    quiet(ax)
    ax.set_aspect("equal")
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    ax.set_xlabel("x [m]", color=INK)
    ax.set_ylabel("y [m]", color=INK)


def ground(ax: Axes, scene: Scene, unit: float) -> None:
    """A support at every fixed place that something is fastened to."""
    from matplotlib.patches import Polygon

    a = 0.022 * unit
    for x, y in scene.grounds:
        corners = [(x, y), (x - a, y - 1.6 * a), (x + a, y - 1.6 * a)]
        ax.add_patch(Polygon(corners, facecolor=FILL, edgecolor=INK, linewidth=1.0, zorder=2, joinstyle="round"))
        ax.plot([x - 1.7 * a, x + 1.7 * a], [y - 1.6 * a] * 2, color=INK, linewidth=1.2, zorder=2)
        for k in np.linspace(-1.3, 1.5, 5):
            ax.plot([x + k * a, x + (k - 0.5) * a], [y - 1.6 * a, y - 2.2 * a], color=INK, linewidth=0.7, zorder=2)


def instant(ax: Axes, scene: Scene, k: int, unit: float, colour: Any, zorder: float) -> None:
    """All that moves at the time k, in one colour."""
    style = {"color": colour, "solid_capstyle": "round", "solid_joinstyle": "round"}
    for points in scene.rods:
        ax.plot(*points[k].T, linewidth=1.3, zorder=zorder, **style)
    for points in scene.springs:
        ax.plot(*zigzag(points[k], 0.012 * unit).T, linewidth=1.2, zorder=zorder, **style)
    for points in scene.bodies:
        if points.shape[1] > 2:
            x, y = points[k].T
            ax.fill(
                x,
                y,
                facecolor=(*colour[:3], 0.16),
                edgecolor=colour,
                linewidth=1.8,
                zorder=zorder,
                joinstyle="round",
            )
        elif points.shape[1] == 2:
            ax.plot(*points[k].T, linewidth=3.4, zorder=zorder, **style)
        else:
            ax.plot(*points[k].T, "o", markersize=9, color=colour, markeredgecolor="white", zorder=zorder)
    for points in scene.arms:
        ax.plot(*_closed(points[k]).T, linewidth=3.0, zorder=zorder, **style)
    for points in scene.beams:
        ax.plot(*points[k].T, linewidth=2.4, zorder=zorder, **style)
    for points in scene.lines:
        ax.plot(*points[k].T, linewidth=1.6, zorder=zorder, **style)
    for points in scene.blocks:
        ax.plot(
            *points[k].T,
            "s",
            markersize=8,
            color="white",
            markeredgecolor=colour,
            markeredgewidth=1.6,
            zorder=zorder,
        )
    for points in scene.pins:
        ax.plot(
            *points[k].T,
            "o",
            markersize=4.5,
            color="white",
            markeredgecolor=colour,
            markeredgewidth=1.3,
            zorder=zorder + 0.005,
        )


def _closed(points: np.ndarray) -> np.ndarray:
    return np.concatenate([points, points[:1]]) if len(points) > 2 else points
