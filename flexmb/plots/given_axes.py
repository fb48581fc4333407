"""Diagrams on axes that a user made, so that people compose figures of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from flexmb.errors import ModelError
from flexmb.model import checks


class GivenAxes:
    """Axes in place of a figure: one for each panel of a diagram, from above, of the picture that `where` says."""

    def __init__(self, axes: list[Axes], where: str) -> None:
        self.axes, self.where = axes, where

    @property
    def figure(self) -> Figure:
        """The figure in which the axes are."""
        whole = self.axes[0].get_figure(root=True)
        assert whole is not None
        return whole

    def subplots(self, rows: int = 1, columns: int = 1, *, squeeze: bool = True, **_: Any) -> Any:
        """The axes in rows and columns; one alone where there is one only."""
        if len(self.axes) != rows * columns:
            raise ModelError(
                f"{self.where}: ax has {len(self.axes)} axes, and the picture has {rows * columns} panels; give one "
                "for each, from above"
            )
        grid = np.array(self.axes, dtype=object).reshape(rows, columns)
        return grid[0, 0] if squeeze and grid.size == 1 else grid

    def colorbar(self, *given: Any, **options: Any) -> Any:
        """A scale of colors beside the axes."""
        return self.figure.colorbar(*given, **options)

    def align_ylabels(self, _: Any) -> None:
        """Nothing: a user's figure has a layout of its own."""

    def draw_without_rendering(self) -> None:
        """Nothing, likewise."""

    def suptitle(self, text: str, **_: Any) -> None:
        """The title of the whole, above the first axes where these have none yet."""
        if not self.axes[0].get_title(loc="left") and not self.axes[0].get_title():
            self.axes[0].set_title(text)

    def legend(self, **_: Any) -> None:
        """The names of lines, beside the last axes."""
        self.axes[-1].legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)


#: where a picture is drawn: into a file, on axes, or on a figure of its own, shown by pyplot
Target = str | Path | GivenAxes | None


def target(path: str | Path | None, ax: Any, where: str) -> Target:
    """Where a picture is drawn, by the `path` or the axes that a user gave."""
    if ax is None:
        return path
    if path is not None:
        raise ModelError(f"{where}: both path and ax are given; leave out path, and write the figure by savefig")
    several = list(ax.flat) if isinstance(ax, np.ndarray) else list(ax) if isinstance(ax, list | tuple) else [ax]
    if not several or not all(isinstance(one, Axes) for one in several):
        raise ModelError(
            f"{where}: ax is {checks.quoted(ax)}; give axes of Matplotlib, or one for each panel in a list"
        )
    odd = next((one for one in several if one.name != "rectilinear"), None)
    if odd is not None:
        raise ModelError(f"{where}: ax has the projection {odd.name!r}; give plain axes")
    return GivenAxes(several, where)


def whole(figure: Any) -> Figure:
    """The figure of a picture, also of one on given axes."""
    return figure.figure if isinstance(figure, GivenAxes) else figure
