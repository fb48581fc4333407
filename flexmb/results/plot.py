"""Time histories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flexmb.errors import NamingError
from flexmb.results.figures import INK, LINES, finish, new_figure, quiet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flexmb.results.names import Series
    from flexmb.results.solution import Solution


def plot(solution: Solution, names: Sequence[str], path: str | Path | None) -> Figure:
    """One panel for each unit, in the order in which units come up."""
    if not names:
        raise NamingError(f"{solution.where}: name what to plot, e.g. solution.plot('energy.kinetic')")
    panels: dict[str, list[Series]] = {}
    for name in names:
        series = solution.series(name)
        panels.setdefault(series.unit, []).append(series)
    figure = new_figure(path, (7.2, 1.1 + 2.5 * len(panels)))
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    colour = 0
    for ax, (unit, group) in zip(axes, panels.items()):
        for series in group:
            ax.plot(solution.t, series.values, color=LINES[colour % len(LINES)], linewidth=1.6, label=series.name)
            colour += 1
        if len(group) == 1:
            ax.set_ylabel(f"{group[0].name} [{unit}]", color=INK)
        else:
            ax.set_ylabel(f"[{unit}]", color=INK)
            ax.legend(frameon=False, fontsize=9, labelcolor=INK, loc="best")
        quiet(ax)
        ax.margins(x=0.0)
    axes[-1].set_xlabel("t [s]", color=INK)
    axes[0].set_title(solution.name, color=INK, fontsize=11, loc="left")
    figure.align_ylabels(axes)
    return finish(figure, path)
