"""Lines over time, and along a beam at several times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from flexmb.plots.figures import Target, colors, panels, picture, scale_bar, time_scale, whole
from flexmb.plots.labels import STYLES, label_axis, legend, room_beside
from flexmb.plots.words import Quantity, Words, name_and_unit


def histories(
    lines: Sequence[tuple[str, str, np.ndarray, np.ndarray]],
    across: str,
    words: Words,
    path: Target,
    background: str,
) -> Figure:
    """Lines (unit, name, t, values), one panel for each unit, in the order in which the units occur."""
    groups: dict[str, list] = {}
    for unit, *line in lines:
        groups.setdefault(unit, []).append(line)
    beside = max(room_beside([words.name(name) for name, _, _ in several]) for several in groups.values())
    with picture(path, (7.2 + beside, 1.1 + 2.5 * len(groups)), background) as figure:
        panels(figure, groups, "", across, words)
    return whole(figure)


class Course(NamedTuple):
    """A quantity of a run over time: its `name`, what the `run` is called, times (k,) and values (k,); `dots`: whether
    it was measured."""

    name: str
    run: str
    t: np.ndarray
    values: np.ndarray
    dots: bool = False


class Panel(NamedTuple):
    """Courses of one unit in a panel; `what` they are, empty for the quantities themselves."""

    what: str
    unit: str
    courses: list[Course]


def beside_each_other(
    several_panels: Sequence[Panel], across: str, words: Words, path: Target, background: str
) -> Figure:
    """Runs beside each other, panel below panel: one quantity has a color for each run, several have a color each, and
    their runs differ by dashes. What was measured is dots."""
    with picture(path, (7.2, 1.1 + 2.5 * len(several_panels)), background) as figure:
        axes = figure.subplots(len(several_panels), 1, sharex=True, squeeze=False)[:, 0]
        cycle = colors().lines
        runs = list(dict.fromkeys(course.run for panel in several_panels if not panel.what for course in panel.courses))
        for number, (ax, panel) in enumerate(zip(axes, several_panels)):
            several = list(dict.fromkeys(course.name for course in panel.courses))
            for course in panel.courses:
                run = runs.index(course.run.partition(" − ")[0] if panel.what else course.run)
                color = cycle[(run if len(several) == 1 else several.index(course.name)) % len(cycle)]
                style = {"color": color, "linestyle": STYLES[0 if len(several) == 1 else run % len(STYLES)]}
                if course.dots:
                    style |= {"linestyle": "none", "marker": "o", "markersize": 3.5}
                text = words.name(course.run) if not panel.what else course.run
                label = text if len(several) == 1 else f"{words.name(course.name)}, {text}"
                ax.plot(course.t, course.values, label=label, **style)
            alone = words.name(several[0]) if len(several) == 1 else ""
            name = f"{panel.what} of {alone}" if panel.what and alone else panel.what or alone
            label_axis(ax.yaxis, name, panel.unit, words.y_label_of(number, len(several_panels)))
            legend(ax)
            ax.margins(x=0.0)
        label_axis(axes[-1].xaxis, *name_and_unit(across), words.x_label)
        axes[0].set_title(words.title)
        figure.align_ylabels(axes)
    return whole(figure)


def profiles(
    across: Quantity,
    t: np.ndarray,
    up: Quantity,
    clock: str,
    words: Words,
    path: Target,
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
    return whole(figure)
