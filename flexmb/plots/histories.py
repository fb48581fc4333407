"""Lines over time, and along a beam at several times."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from flexmb.plots.figures import colors, panels, picture, scale_bar, time_scale


def histories(
    lines: Sequence[tuple[str, str, np.ndarray, np.ndarray]],
    across: str,
    title: str,
    path: str | Path | None,
    background: str,
) -> Figure:
    """Lines (unit, name, t, values), one panel for each unit, in the order in which the units occur."""
    groups: dict[str, list] = {}
    for unit, *line in lines:
        groups.setdefault(unit, []).append(line)
    with picture(path, (7.2, 1.1 + 2.5 * len(groups)), background) as figure:
        panels(figure, groups, "", across, title)
    return figure


def profiles(
    s: np.ndarray,
    t: np.ndarray,
    rows: np.ndarray,
    across: str,
    up: str,
    title: str,
    label: str,
    path: str | Path | None,
    background: str,
) -> Figure:
    """Values (k, p) over the places s (p,) of a beam, a line for each time (k,), colored by time; `label`: the label
    of the color scale."""
    with picture(path, (7.2, 4.0), background) as figure:
        ax = figure.subplots()
        ax.axhline(0.0, color=colors().quiet, linewidth=0.8, zorder=1.5)
        scale = time_scale(t[0], t[-1])
        for time, row in zip(t, rows):
            ax.plot(s, row, color=scale.to_rgba(time), zorder=2)
        ax.set(xlim=(s[0], s[-1]), xlabel=across, ylabel=up, title=title)
        if len(t) > 1:
            scale_bar(figure, ax, scale, label, t)
    return figure
