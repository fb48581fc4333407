"""One quantity over another: phase planes, load paths, results of studies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from flexmb.plots.figures import Target, colors, picture, scale_bar, time_line, time_scale, whole
from flexmb.plots.labels import label_axis, legend
from flexmb.plots.words import Quantity, Words, name_and_unit

#: dashes of unstable equilibria
DASHES: Any = (0, (4, 2.5))


def phase_plane(
    t: np.ndarray, x: Quantity, y: Quantity, clock: str, words: Words, path: Target, background: str
) -> Figure:
    """A line through the states at times (k,), colored by time, whose name and unit is `clock`; a ring at the first, a
    dot at the last."""
    points = np.column_stack([x.values, y.values])
    with picture(path, (6.2, 4.8), background) as figure:
        ax = figure.subplots()
        scale = time_scale(t[0], t[-1])
        ax.add_collection(time_line(points, t, scale, linewidth=1.4, capstyle="round"))
        first, last = scale.to_rgba(t[0]), scale.to_rgba(t[-1])
        hollow: dict[str, Any] = {"color": colors().paper, "markeredgecolor": first, "markeredgewidth": 1.4}
        ax.plot(*points[0], "o", markersize=6, zorder=3, **hollow)
        ax.plot(*points[-1], "o", markersize=6, color=last, zorder=3)
        ax.autoscale_view()
        ax.locator_params(axis="x", nbins=5)  # long numbers would run into each other
        _name_axes(ax, x, y, words)
        scale_bar(figure, ax, scale, name_and_unit(clock), words.color_label)
    return whole(figure)


def equilibria(
    x: Quantity,
    y: Quantity,
    stable: np.ndarray,
    critical: Sequence[tuple[str, float, float]],
    words: Words,
    path: Target,
    background: str,
) -> Figure:
    """A path of equilibria, dashed where they are not `stable` (k,). Each of the `critical` points is its kind, 'limit'
    (a dot) or 'bifurcation' (a ring), and its place."""
    k = len(stable)
    with picture(path, (6.4, 4.4), background) as figure:
        ax = figure.subplots()
        first, second, *_ = colors().lines
        begin = 0
        while begin < k - 1:
            end = begin + 1
            while end < k - 1 and stable[end] == stable[end - 1]:
                end += 1
            solid = stable[begin] or (begin == 0 and stable[1])
            part = slice(begin, end + 1)
            ax.plot(x.values[part], y.values[part], linestyle="-" if solid else DASHES, color=first, linewidth=1.9)
            begin = end
        looks = {"limit": (second, "limit point"), "bifurcation": (colors().paper, "bifurcation")}
        for kind, *place in critical:
            fill, label = looks[kind]
            looks[kind] = (fill, "")  # the legend names it once
            edge: dict[str, Any] = {"markeredgecolor": second, "markeredgewidth": 1.6}
            ax.plot(*place, "o", color=fill, markersize=7, label=label or None, **edge)
        if not stable.all():
            ax.plot([], [], linestyle=DASHES, color=first, linewidth=1.5, label="unstable")
        legend(ax)
        _name_axes(ax, x, y, words)
    return whole(figure)


def columns(
    x: Quantity,
    y: Quantity,
    groups: Sequence[tuple[str | None, list[int]]],
    shade: Quantity | None,
    lost: np.ndarray,
    words: Words,
    path: Target,
    background: str,
) -> Figure:
    """One column of a table over another: a line through the rows of each group (label, rows). Without groups it is
    dots, colored by a third column, `shade`, if one is given. Crosses on the axis show the runs that were `lost`
    (k,)."""
    across, up = x.values, y.values
    with picture(path, (6.4, 4.4), background) as figure:
        ax = figure.subplots()
        cycle = colors().lines
        for color, (label, rows) in zip(cycle, groups):
            ax.plot(across[rows], up[rows], ".-", color=color, markersize=5, label=label)
        if not groups and shade is not None:
            dots = ax.scatter(across, up, c=shade.values, s=14, linewidths=0)
            given = words.label_of(shade, words.color_label)
            scale_bar(figure, ax, dots, (words.name(shade.name), shade.unit), given)
        elif not groups:
            ax.plot(across, up, ".", color=cycle[0], markersize=5)
        if lost.any():
            ax.plot(
                across[lost], np.zeros(lost.sum()), "x", color=cycle[6], transform=ax.get_xaxis_transform(),
                clip_on=False, label="failed",
            )  # fmt: skip
        legend(ax)
        _name_axes(ax, x, y, words)
    return whole(figure)


def _name_axes(ax: Axes, x: Quantity, y: Quantity, words: Words) -> None:
    """Label both axes, and write the title."""
    label_axis(ax.xaxis, words.name(x.name), x.unit, words.label_of(x, words.x_label))
    label_axis(ax.yaxis, words.name(y.name), y.unit, words.label_of(y, words.y_label_of(0, 1)))
    ax.set_title(words.title)
