"""A mechanism at several instants in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from flexmb.plots.figures import Target, colors, picture, scale_bar, time_line, time_scale, whole
from flexmb.plots.labels import label_axis
from flexmb.plots.scene import Extent, Scene
from flexmb.plots.words import Words, name_and_unit


def draw(
    mechanism: Scene,
    trails: Sequence[np.ndarray],
    trail_times: np.ndarray,
    extent: Extent,
    clock: str,
    words: Words,
    path: Target,
    size: tuple[float, float] | None,
    background: str,
) -> Figure:
    """A mechanism at its times, early ones below late ones, colored by time; `trails` (n, 2) of points at
    `trail_times` (n,) [s]; `clock`: the name of the times with their unit; `size` [inch], a fitting one when not
    given."""
    with picture(path, size or _size(extent), background) as figure:
        ax = figure.subplots()
        prepare_axes(ax, extent, mechanism.labels, words)
        scale = time_scale(trail_times[0], trail_times[-1])
        for points in trails:
            ax.add_collection(time_line(points, trail_times, scale, linewidth=1.1, alpha=0.75, zorder=1.5))
        draw_ground(ax, mechanism, extent)
        for k, t in enumerate(mechanism.t):
            draw_instant(ax, mechanism, k, scale.to_rgba(t), 3.0 + 0.01 * k)
        name_parts(ax, mechanism)
        one = len(mechanism.t) == 1
        if not one or trails:
            scale_bar(figure, ax, scale, name_and_unit(clock), words.color_label, () if one else mechanism.t)
        ax.set_title(words.title)
    return whole(figure)


def _size(extent: Extent) -> tuple[float, float]:
    """Width and height [inch] of a picture of the given extent, with room for the axes and the color scale."""
    w, h = extent[1] - extent[0]
    scale = 6.0 / max(w, h)
    return float(max(w * scale, 2.5) + 1.3), float(max(h * scale, 2.0) + 0.8)


def prepare_axes(ax: Axes, extent: Extent, labels: tuple[str, str], words: Words) -> None:
    """Give both axes the same scale, and labels with units."""
    (left, below), (right, above) = extent
    ax.set(aspect="equal", xlim=(left, right), ylim=(below, above))
    given = (words.x_label, words.y_label_of(0, 1))
    for axis, label, text in zip((ax.xaxis, ax.yaxis), labels, given):
        label_axis(axis, *name_and_unit(label), text)


def name_parts(ax: Axes, mechanism: Scene) -> None:
    """Write the names of parts and joints beside them, above all else; names at one place stand below each other."""
    ink, _, paper, *_ = colors()
    taken: list[np.ndarray] = []
    near = 1e-3 * float(np.ptp(ax.get_xlim()))
    for name, place in mechanism.labeled:
        row = sum(bool(np.linalg.norm(place - other) < near) for other in taken)
        taken.append(place)
        box = {"facecolor": paper, "edgecolor": "none", "alpha": 0.7, "pad": 1.0}
        how: dict[str, Any] = {"textcoords": "offset points", "fontsize": 8, "color": ink, "bbox": box, "zorder": 9}
        ax.annotate(name, (float(place[0]), float(place[1])), xytext=(7, 7 - 11 * row), **how)


def support_size(corners: np.ndarray) -> float:
    """The size of supports in a picture with the given corners (2, 2) [m]."""
    return 0.022 * float(np.max(corners[1] - corners[0]))


def draw_ground(ax: Axes, mechanism: Scene, extent: Extent) -> None:
    """Draw what stands still: a support at every fixed place to which something is fastened, the paths of blocks, and
    roads."""
    ink, quiet, _, fill, *_ = colors()
    a = support_size(np.array(extent))
    for x, y in mechanism.grounds:
        corners = [(x, y), (x - a, y - 1.6 * a), (x + a, y - 1.6 * a)]
        ax.add_patch(Polygon(corners, facecolor=fill, edgecolor=ink, linewidth=1.0, zorder=2, joinstyle="round"))
        ax.plot([x - 1.7 * a, x + 1.7 * a], [y - 1.6 * a] * 2, color=ink, linewidth=1.2, zorder=2)
        for k in np.linspace(-1.3, 1.5, 5):
            ax.plot([x + k * a, x + (k - 0.5) * a], [y - 1.6 * a, y - 2.2 * a], color=ink, linewidth=0.7, zorder=2)
    for road in mechanism.roads:
        ax.plot(*road.T, color=quiet, linewidth=0.6, alpha=0.6, zorder=1)
    for guide in mechanism.guides:
        ax.plot(*guide.T, color=quiet, linewidth=1.0, linestyle=(0, (5, 3)), zorder=1)


def draw_instant(ax: Axes, mechanism: Scene, k: int, color: Any, zorder: float) -> None:
    """Draw all that moves, at the k-th time, in one color (r, g, b, a); what a user gave a color in that, paler at
    earlier times."""
    paper = colors().paper
    left = 0.3 + 0.7 * (k + 1) / len(mechanism.t)
    round_ends: dict[str, Any] = {"solid_capstyle": "round", "solid_joinstyle": "round", "zorder": zorder}

    def shade(own: str) -> Any:
        return tuple(left * x + (1.0 - left) * y for x, y in zip(to_rgb(own), to_rgb(paper))) if own else color

    def plot(kind: str, width: float) -> None:
        for points, own in mechanism.entries(kind):
            line = _closed(points[k]) if kind == "arms" else points[k]
            ax.plot(*line.T, linewidth=width, color=shade(own), **round_ends)

    def dots(kind: str, marker: str, size: float, width: float, above: float = 0.0) -> None:
        for points, own in mechanism.entries(kind):
            style: dict[str, Any] = {"markersize": size, "markeredgewidth": width, "markeredgecolor": shade(own)}
            ax.plot(*points[k].T, marker, color=paper, zorder=zorder + above, **style)

    # an edge in the color of the paper parts lines from those of earlier instants that they cross
    bars = [x for x in mechanism.bodies if x.shape[1] == 2]
    near = 2.5 * support_size(np.array([ax.get_xlim(), ax.get_ylim()]).T)
    for several, width in ((mechanism.rods, 1.3), (bars, 3.4), (mechanism.beams, 2.4)):
        edges = [_without_ends(points[k], near) for points in several]
        ax.add_collection(LineCollection(edges, colors=paper, linewidths=width + 1.4, zorder=zorder - 0.003))
    plot("rods", 1.3)
    plot("springs", 1.2)
    for points, own in mechanism.entries("bodies"):
        shown = shade(own)
        if points.shape[1] > 2:
            outline: dict[str, Any] = {"edgecolor": shown, "linewidth": 1.8, "joinstyle": "round", "zorder": zorder}
            ax.fill(*points[k].T, facecolor=(*shown[:3], 0.16), **outline)
        elif points.shape[1] == 2:
            ax.plot(*points[k].T, linewidth=3.4, color=shown, **round_ends)
        else:
            ax.plot(*points[k].T, "o", markersize=9, color=shown, markeredgecolor=paper, zorder=zorder)
    plot("arms", 3.0)
    plot("beams", 2.4)
    plot("lines", 1.6)
    dots("blocks", "s", 8.0, 1.6)
    dots("pins", "o", 4.5, 1.3, above=0.005)


def _closed(points: np.ndarray) -> np.ndarray:
    return np.concatenate([points, points[:1]]) if len(points) > 2 else points


def _without_ends(points: np.ndarray, cut: float) -> np.ndarray:
    """A line (p, 2) without its ends, by which it is fastened: all that is nearer to one than a length along it [m]."""
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    kept = np.linspace(cut, along[-1] - cut, len(points))
    if not kept[-1] > kept[0]:
        return np.zeros((0, 2))
    return np.column_stack([np.interp(kept, along, x) for x in points.T])
