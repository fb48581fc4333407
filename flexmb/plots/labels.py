"""Labels of axes and lines: units in which numbers are easy to read, and legends that leave room for the lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import Formatter

from flexmb.plots.words import power_of, with_unit

#: a legend of more entries stands beside the axes, in columns of so many
MOST_INSIDE, MOST_IN_COLUMN = 8, 14
#: the width of a letter of the legend, and of all else of it [inch]
LETTER, BESIDE = 0.075, 0.55
#: line styles of the lines that have a color first, of those that have it again, …
STYLES: Any = ("-", (0, (5, 2.5)), (0, (1.2, 1.8)), (0, (6, 2, 1.2, 2)))


class PowerFormatter(Formatter):
    """Writes numbers in units of a power of ten, all with as many digits as they need to differ."""

    def __init__(self, power: int = 0) -> None:
        self.power, self.digits = power, 3

    def format_ticks(self, values: Any) -> list[str]:
        shown = np.unique(np.asarray(values, dtype=float)) / 10.0**self.power
        step = float(np.min(np.diff(shown))) if len(shown) > 1 else float(np.max(np.abs(shown), initial=1.0))
        self.digits = 0
        while self.digits < 12 and np.max(np.abs(shown - shown.round(self.digits)), initial=0.0) > 1e-3 * step:
            self.digits += 1
        return [self(value, k) for k, value in enumerate(values)]

    def __call__(self, x: float, pos: int | None = None) -> str:
        text = f"{x / 10.0**self.power:.{self.digits}f}"
        return self.fix_minus(text if float(text) else text.lstrip("-"))


def label_axis(axis: Axis, name: str, unit: str, given: str | None = None) -> None:
    """Label an axis by a name and a unit, with the prefix or power of ten that suits the numbers in sight; a text
    `given` by a user stands as it is, and so do the numbers."""
    power = 0
    if axis.get_scale() == "linear":
        power = power_of(float(np.max(np.abs(axis.get_view_interval()))), unit) if given is None else 0
        axis.set_major_formatter(PowerFormatter(power))
    axis.set_label_text(with_unit(name, unit, power) if given is None else given)


def legend(ax: Axes) -> None:
    """Name the lines of axes: inside where they are few, else beside the axes."""
    count = len(ax.get_legend_handles_labels()[0])
    if not count:
        return
    if count <= MOST_INSIDE:
        ax.legend(loc="best")
        return
    place: Any = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0, "fontsize": 8}
    ax.legend(ncols=-(-count // MOST_IN_COLUMN), labelspacing=0.3, **place)


def room_beside(names: list[str]) -> float:
    """The width [inch] of a legend of so many names that stands beside the axes; zero for one inside."""
    if len(names) <= MOST_INSIDE:
        return 0.0
    return -(-len(names) // MOST_IN_COLUMN) * (BESIDE + LETTER * max(map(len, names)))


def line_style(number: int, colors: list[str], first: int = 0) -> dict[str, Any]:
    """Color and dashes of a line: lines of one panel that share a color differ in their dashes; `first`: the number of
    the first line of the panel.

    >>> line_style(1, ["red", "blue"]), line_style(2, ["red", "blue"], first=1)
    ({'color': 'blue', 'linestyle': '-'}, {'color': 'red', 'linestyle': '-'})
    """
    again = (number - first) // len(colors)
    return {"color": colors[number % len(colors)], "linestyle": STYLES[again % len(STYLES)]}
