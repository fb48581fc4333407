"""Phase planes: one quantity over another, coloured by time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmb.errors import NamingError
from flexmb.results.figures import INK, finish, new_figure, quiet, time_bar, time_scale
from flexmb.results.names import Series, find_track

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flexmb.results.recorded import Recorded

#: the rate of each quantity of a track that has one
RATES = {
    "x": "vx",
    "y": "vy",
    "angle": "angular_velocity",
    "vx": "ax",
    "vy": "ay",
    "angular_velocity": "angular_acceleration",
}
RATE_UNITS = {"m": "m/s", "rad": "rad/s", "–": "1/s"}


def rate_of(solution: Recorded, name: str) -> Series:
    """The rate of a quantity, as the solution has it: nothing is differentiated."""
    head, _, tail = name.rpartition(".")
    if tail in RATES and find_track(solution, head) is not None:
        return solution.series(f"{head}.{RATES[tail]}")
    unit = solution.series(name).unit
    if name in solution.layout.coordinates:
        k = solution.layout.coordinates.index(name)
        return Series(f"d({name})/dt", RATE_UNITS[unit], solution.v[:, k])
    raise NamingError(f"{solution.where}: of {name!r} no rate is known; name what to draw it against, y='…'")


def plot_phase(solution: Recorded, x: str, y: str | None, path: str | Path | None) -> Figure:
    """A line through the states, early to late; a ring at the first, a dot at the last."""
    from matplotlib.collections import LineCollection

    across = solution.series(x)
    up = rate_of(solution, x) if y is None else solution.series(y)
    points = np.column_stack([across.values, up.values])
    figure = new_figure(path, (6.2, 4.8))
    ax = figure.subplots()
    quiet(ax)
    colours = time_scale(solution.t[0], solution.t[-1])
    pieces = np.stack([points[:-1], points[1:]], axis=1)
    line = LineCollection(list(pieces), cmap=colours.cmap, norm=colours.norm, linewidth=1.4, capstyle="round")
    line.set_array(0.5 * (solution.t[:-1] + solution.t[1:]))
    ax.add_collection(line)
    first, last = colours.to_rgba(solution.t[0]), colours.to_rgba(solution.t[-1])
    ax.plot(*points[0], "o", markersize=6, color="white", markeredgecolor=first, markeredgewidth=1.4, zorder=3)
    ax.plot(*points[-1], "o", markersize=6, color=last, zorder=3)
    ax.autoscale_view()
    ax.locator_params(axis="x", nbins=5)  # long numbers would run into each other
    ax.set_xlabel(f"{across.name} [{across.unit}]", color=INK)
    ax.set_ylabel(f"{up.name} [{up.unit}]", color=INK)
    ax.set_title(solution.name, color=INK, fontsize=11, loc="left")
    time_bar(figure, ax, colours)
    return finish(figure, path)
