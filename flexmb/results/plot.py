"""Time histories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flexmb.errors import NamingError
from flexmb.results.figures import finish, new_figure, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flexmb.results.solution import Solution


def plot(solution: Solution, names: Sequence[str], path: str | Path | None) -> Figure:
    """One panel for each unit, in the order in which units come up."""
    if len(names) == 1 and not isinstance(names[0], str):
        names = tuple(names[0])  # a list of names
    if not names:
        raise NamingError(f"{solution.where}: name what to plot, e.g. solution.plot('energy.kinetic')")
    groups: dict[str, list] = {}
    for name in names:
        series = solution.series(name)
        groups.setdefault(series.unit, []).append((series.name, solution.t, series.values))
    figure = new_figure(path, (7.2, 1.1 + 2.5 * len(groups)))
    panels(figure, groups, "", solution.time_label, solution.name)
    return finish(figure, path)
