"""Lines over time, and along a beam at several times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from flexmb.plots.figures import colors, panels, picture, scale_bar, time_scale
from flexmb.plots.labels import label_axis, room_beside
from flexmb.plots.words import Quantity, Words, name_and_unit


def histories(
    lines: Sequence[tuple[str, str, np.ndarray, np.ndarray]],
    across: str,
    words: Words,
    path: str | Path | None,
    background: str,
) -> Figure:
    """Lines (unit, name, t, values), one panel for each unit, in the order in which the units occur."""
    groups: dict[str, list] = {}
    for unit, *line in lines:
        groups.setdefault(unit, []).append(line)
    beside = max(room_beside([words.name(name) for name, _, _ in several]) for several in groups.values())
    with picture(path, (7.2 + beside, 1.1 + 2.5 * len(groups)), background) as figure:
        panels(figure, groups, "", across, words)
    return figure


def profiles(
    across: Quantity,
    t: np.ndarray,
    up: Quantity,
    clock: str,
    words: Words,
    path: str | Path | None,
    background: str,
) -> Figure:
    """Values `up` (k, p) over the places `across` (p,) of a beam, a line for each time (k,), colored by time; `clock`:
    the name of the times with their unit."""
    s = across.values
    with picture(path, (7.2, 4.0), background) as figure:
        ax = figure.subplots()
        ax.axhline(0.0, color=colors().quiet, linewidth=0.8, zorder=1.5)
        scale = time_scale(t[0], t[-1])
        for time, row in zip(t, up.values):
            ax.plot(s, row, color=scale.to_rgba(time), zorder=2)
        ax.set(xlim=(s[0], s[-1]), title=words.title)
        label_axis(ax.xaxis, across.name, across.unit, words.x_label)
        label_axis(ax.yaxis, up.name, up.unit, words.y_label_of(0, 1))
        if len(t) > 1:
            scale_bar(figure, ax, scale, name_and_unit(clock), words.color_label, t)
    return figure
