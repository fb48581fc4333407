"""Time histories."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmb.errors import ModelError, NamingError
from flexmb.results.figures import finish, new_figure, panels
from flexmb.results.names import key_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flexmb.results.recorded import Recorded
    from flexmb.results.signals import ControlLog


def plot(solution: Recorded, names: Sequence[str], path: str | Path | None) -> Figure:
    """One panel for each unit, in the order in which units come up."""
    if len(names) == 1 and isinstance(names[0], list | tuple):
        names = names[0]
    if not names:
        raise NamingError(f"{solution.where}: name what to plot, e.g. solution.plot('energy.kinetic')")
    lines = []
    for name in names:
        series = solution.series(key_name(solution, name))
        course = (solution.t, series.values) if series.course is None else series.course
        lines.append((series.unit, series.name, *course))
    return _histories(lines, solution.time_label, solution.name, path)


def plot_log(log: ControlLog, signals: Sequence[str], path: str | Path | None) -> Figure:
    """The signals of a controller, as long as the last ones are held."""
    if len(log.t) == 0:
        raise ModelError(f"{log.where}: it has read and commanded nothing; its run ended before")
    begin, end = float(log.t[0]), float(log.t[-1]) + float(np.median(np.diff(log.t)) if len(log.t) > 1 else 0.0)
    lines = [(log.unit(name), name, *log.course(name, begin, end)) for name in signals or log.signals]
    return _histories(lines, "t [s]", log.name, path)


def _histories(
    lines: list[tuple[str, str, np.ndarray, np.ndarray]], across: str, title: str, path: str | Path | None
) -> Figure:
    """Lines (unit, name, t, values) in panels."""
    groups: dict[str, list] = {}
    for unit, *line in lines:
        groups.setdefault(unit, []).append(line)
    figure = new_figure(path, (7.2, 1.1 + 2.5 * len(groups)))
    panels(figure, groups, "", across, title)
    return finish(figure, path)
