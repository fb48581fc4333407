"""An orbit in its plane: the ellipse around the central body, the flight along it, the shadow, and directions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from flexmb.plots.figures import colors, picture, scale_bar, time_line, time_scale
from flexmb.plots.labels import label_axis, legend
from flexmb.plots.words import Words, name_and_unit

#: the light below which a place is drawn as one in the shadow: half of the sun's disk is seen there
HALF = 0.5


class Direction(NamedTuple):
    """An arrow: its name, the place (2,) [m] where it begins and the vector (2,) [m]; the number of its color among
    those of lines."""

    name: str
    place: np.ndarray
    vector: np.ndarray
    color: int


class Shade(NamedTuple):
    """The light (n, n) at places x (n,) and y (n,) [m] of the plane."""

    x: np.ndarray
    y: np.ndarray
    light: np.ndarray


def orbit_plane(
    ellipse: np.ndarray,
    t: np.ndarray,
    path: np.ndarray,
    radius: float | None,
    shade: Shade | None,
    directions: Sequence[Direction],
    corners: tuple[np.ndarray, np.ndarray],
    axes: tuple[str, str],
    clock: str,
    words: Words,
    to: str | Path | None,
    background: str,
) -> Figure:
    """The whole `ellipse` (n, 2) [m] about the center (0, 0), and what has been flown of it, a `path` (k, 2) at times
    `t` (k,) whose name and unit is `clock`: a ring at its first place, a dot at its last. The central body is a disk of
    a `radius` [m], or a cross where it has none. The picture lies between two `corners` (2,) [m]; `axes` are named."""
    with picture(to, (6.6, 5.4), background) as figure:
        ax, look = figure.subplots(), colors()
        ax.set_aspect("equal")
        if shade is not None:
            ax.contourf(shade.x, shade.y, shade.light, levels=[-1.0, HALF], colors=[look.quiet], alpha=0.35, zorder=0.5)
            ax.fill([], [], color=look.quiet, alpha=0.35, label="shadow")
        if radius is None:
            ax.plot(0.0, 0.0, "+", color=look.ink, markersize=10, label="center")
        else:
            ax.add_patch(Circle((0.0, 0.0), radius, facecolor=look.fill, edgecolor=look.ink, linewidth=0.8))
        ax.plot(*ellipse.T, color=look.rest, linewidth=1.0, label="orbit")
        scale = time_scale(t[0], t[-1])
        if len(t) > 1:
            ax.add_collection(time_line(path, t, scale, linewidth=3.0, capstyle="round", zorder=3))
        first, last = scale.to_rgba(t[0]), scale.to_rgba(t[-1])
        hollow: dict[str, Any] = {"color": look.paper, "markeredgecolor": first, "markeredgewidth": 1.6}
        ax.plot(*path[0], "o", markersize=7, zorder=5, label="start", linestyle="", **hollow)
        if len(t) > 1:
            ax.plot(*path[-1], "o", markersize=7, zorder=5, color=last, label="end", linestyle="")
        for one in directions:
            color = look.lines[one.color % len(look.lines)]
            arrow = {"arrowstyle": "-|>", "color": color, "linewidth": 1.6, "shrinkA": 0.0, "shrinkB": 0.0}
            tip = one.place + one.vector
            ax.annotate("", tip, one.place, arrowprops=arrow, zorder=4)
            beyond = 0.015 * float(np.max(corners[1] - corners[0])) * one.vector / np.linalg.norm(one.vector)
            side = {"ha": "left" if beyond[0] >= 0.0 else "right", "va": "center"}
            ax.text(*(tip + beyond), one.name, color=color, zorder=6, **side)
        ax.set(xlim=(corners[0][0], corners[1][0]), ylim=(corners[0][1], corners[1][1]))
        for axis, name in zip((ax.xaxis, ax.yaxis), axes):
            label_axis(axis, name, "m")
        ax.set_title(words.title)
        if len(t) > 1:
            scale_bar(figure, ax, scale, name_and_unit(clock))
        legend(ax)
    return figure
