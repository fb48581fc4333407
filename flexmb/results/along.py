"""Quantities along a beam: numbers, and a picture with a line for each time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.model import checks
from flexmb.results.figures import INK, QUIET, finish, new_figure, quiet, time_bar, time_scale
from flexmb.results.sections import SECTION_UNITS, section_values, words
from flexmb.results.track import UNITS, Track

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flexmb.results.recorded import Recorded

#: unit of everything that can be asked along a beam
ALONG_UNITS = {**UNITS, **SECTION_UNITS}


def along(solution: Recorded, beam: str, quantity: str, places: np.ndarray) -> np.ndarray:
    """A quantity (k, p) at places s (p,) of a beam."""
    if not isinstance(quantity, str) or quantity not in ALONG_UNITS:
        raise checks.unknown(quantity, ALONG_UNITS, "quantity along a beam", solution.where)
    columns = []
    for s in places.tolist():
        if quantity in SECTION_UNITS:
            columns.append(section_values(solution, beam, s, quantity))
        else:
            track = Track(f"{beam}@{s:g}", solution.t, solution.source.point(solution, beam, s))
            columns.append(getattr(track, quantity))
    return np.stack(columns, axis=1)


def plot_along(
    solution: Recorded, beam: str, quantity: str, times: Any, points: int, path: str | Path | None, label: str
) -> Figure:
    """The quantity over the distance from the beam's start, coloured by time."""
    first, last = solution.t[0], solution.t[-1]
    if times is None:
        chosen = np.linspace(first, last, 9 if last > first else 1)
    else:
        chosen = np.sort(checks.times(times, "times", solution.where))
    seen = solution.at(chosen)
    places = _both_sides(solution, beam, points)
    values = along(seen, beam, quantity, places)
    length = solution.layout.beams[beam].length
    s = places * (length or 1.0)
    figure = new_figure(path, (7.2, 4.0))
    ax = figure.subplots()
    quiet(ax)
    ax.axhline(0.0, color=QUIET, linewidth=0.8, zorder=1.5)
    colours = time_scale(seen.t[0], seen.t[-1])
    for t, row in zip(seen.t, values):
        ax.plot(s, row, color=colours.to_rgba(t), linewidth=1.6, zorder=2)
    ax.set_xlim(s[0], s[-1])
    ax.set_xlabel("distance from the start [m]" if length else "fraction of the length [–]", color=INK)
    ax.set_ylabel(f"{words(quantity)} [{ALONG_UNITS[quantity]}]", color=INK)
    title = f"{solution.name}, {beam}"
    ax.set_title(title if len(seen) > 1 else f"{title}, t = {seen.t[0]:.4g} s", color=INK, fontsize=11, loc="left")
    if len(seen) > 1:
        time_bar(figure, ax, colours, seen.t, label)
    return finish(figure, path)


def _both_sides(solution: Recorded, beam: str, points: int) -> np.ndarray:
    """Places to draw at: of a fresh solution both sides of every node between two elements as well, where forces may
    jump."""
    places = solution.places(beam, points)
    count = solution.layout.beams[beam].elements
    if solution.model is None or count == 1:
        return places
    nodes = np.arange(1, count) / count
    return np.unique(np.concatenate([places, nodes, nodes - 1e-12]))
