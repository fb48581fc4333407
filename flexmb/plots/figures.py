"""The look of pictures: few lines, distinct colors, units on the axes, on light or on dark ground.

The style sheets light.mplstyle and dark.mplstyle beside this file hold all that Matplotlib can read from a style sheet.
Users draw their own diagrams in the same look with `matplotlib.style.context("flexmb.plots.dark")`.
"""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import matplotlib
import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Colormap, LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure

from flexmb.errors import ModelError, ResultFileError
from flexmb.machine import files
from flexmb.model import checks
from flexmb.plots.labels import label_axis, legend, line_style
from flexmb.plots.words import Words, name_and_unit

#: colors of time, early to late, that stand out on each background
TIMES = {
    "light": ("#1d2f6f", "#27629c", "#1f9aa0", "#68b46a", "#e0a12e", "#d2572a", "#9c2040"),
    "dark": ("#6d8ff2", "#4fa8e8", "#45c4c0", "#8fd487", "#f2c757", "#f28e54", "#e8608a"),
}
#: Matplotlib's settings belong to the whole process, so one thread at a time draws
_SETTINGS_LOCK = threading.RLock()


def blended(*colors: str) -> Colormap:
    """A color map that blends the given colors, from the first at 0 to the last at 1."""
    return LinearSegmentedColormap.from_list("flexmb", colors)


for _background, _colors in TIMES.items():
    matplotlib.colormaps.register(blended(*_colors), name=f"flexmb {_background}")


def font_file() -> str:
    """The path of the font file that Matplotlib brings along."""
    return str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")


class Colors(NamedTuple):
    """The colors of a picture: `ink` for writing and outlines; `quiet` for axes and minor lines; `paper`, the
    background itself; `fill` for surfaces; `rest` for what is shown for comparison; `lines`, a cycle."""

    ink: str
    quiet: str
    paper: str
    fill: str
    rest: str
    lines: list[str]


def colors() -> Colors:
    """The colors of the background in use."""
    rc: Any = matplotlib.rcParams
    return Colors(
        ink=rc["text.color"],
        quiet=rc["axes.edgecolor"],
        paper=rc["axes.facecolor"],
        fill=rc["patch.facecolor"],
        rest=rc["lines.color"],
        lines=rc["axes.prop_cycle"].by_key()["color"],
    )


@contextlib.contextmanager
def on_background(background: str) -> Iterator[None]:
    """Draw all that follows in the `with` block for a background, 'light' or 'dark'.

    >>> with on_background("dark"):
    ...     colors().paper
    '#11171d'
    """
    checks.choice(background, TIMES, "background", "picture")
    with _SETTINGS_LOCK, style.context([f"flexmb.plots.{background}", {"image.cmap": f"flexmb {background}"}]):
        yield


class ShownFigure(Figure):
    """A figure that a notebook shows once. At the end of a cell a notebook shows the value of the last line, and then
    all figures that pyplot has open; so pyplot forgets a figure as soon as the notebook shows it."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Nothing; pyplot has set up how the notebook shows figures."""
        if _shows_below_cells():
            sys.modules["matplotlib.pyplot"].close(self)
        return {}

    def _repr_png_(self) -> bytes | None:
        """The picture, of a figure that was made for a file, if pyplot has not set up how figures are shown."""
        if self.canvas.manager is not None or _shows_below_cells():
            return None
        file = io.BytesIO()
        self.savefig(file, format="png", dpi=100)
        return file.getvalue()


def _shows_below_cells() -> bool:
    """Whether pyplot is in use and shows figures below the cells of a notebook."""
    loaded = {"matplotlib.pyplot", "matplotlib_inline.backend_inline"} <= sys.modules.keys()
    return loaded and "inline" in str(matplotlib.get_backend()).lower()


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
    """The place where a picture is drawn, by the `path` or the axes that a user gave."""
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


@contextlib.contextmanager
def picture(path: Target, size: tuple[float, float], background: str) -> Iterator[Any]:
    """A figure of a size [inch] to draw on, or the axes that were given in place of a path. At the end of the `with`
    block a figure is written to `path`, which needs no screen; when no path is given, `matplotlib.pyplot.show` shows
    it, and a notebook at the end of its cell."""
    if isinstance(path, GivenAxes):
        with on_background(background):
            yield path
        return
    pyplot: Any = _pyplot() if path is None else None
    with on_background(background):
        if path is None:
            figure = pyplot.figure(figsize=size, layout="constrained", FigureClass=ShownFigure)
            yield figure
            for axis in (axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)):
                for ticks in (axis.get_major_ticks, axis.get_minor_ticks):
                    ticks(1)  # ticks that Matplotlib makes later copy the style of the first one
        else:
            files.path_to_write(path, "picture")
            figure = ShownFigure(figsize=size, dpi=150, layout="constrained")
            FigureCanvasAgg(figure)
            yield figure
            _write(figure, path)


def _pyplot() -> Any:
    """Pyplot, with what shows its figures loaded. That changes Matplotlib's settings, those by which notebooks show
    figures too, and must not happen while the settings are those of one picture."""
    import matplotlib.pyplot as plt

    if not plt.get_fignums():
        plt.draw_if_interactive()  # there is nothing to draw; the backend is loaded
    return plt


def _write(figure: Figure, path: str | Path) -> None:
    """Write a figure; the ending of the path says the kind of file."""
    target = files.path_to_write(path, "picture")
    kinds = figure.canvas.get_supported_filetypes()
    if not target.suffix:
        target = target.with_name(f"{target.name}.{figure.canvas.get_default_filetype()}")
    kind = target.suffix[1:].lower()
    if kind not in kinds:
        raise ModelError(f"picture {target}: the ending {target.suffix!r} is unknown; use .png, .svg, .pdf or .jpg")
    with files.replaced(target, "picture") as sink:
        try:
            figure.savefig(cast(BinaryIO, sink), format=kind)
        except ValueError as why:  # too large for this kind of file
            raise ResultFileError(f"picture {target}: {why}") from why


def time_scale(begin: float, end: float) -> ScalarMappable:
    """The scale that gives times between two instants their colors."""
    return ScalarMappable(Normalize(begin, end if end > begin else begin + 1.0))


def time_line(points: np.ndarray, t: np.ndarray, scale: Any, **options: Any) -> LineCollection:
    """A line through points (k, 2) at times (k,), colored by time."""
    pieces = np.stack([points[:-1], points[1:]], axis=1)
    line = LineCollection(list(pieces), cmap=scale.cmap, norm=scale.norm, **options)
    line.set_array(0.5 * (t[:-1] + t[1:]))
    return line


def scale_bar(
    figure: Any, ax: Axes, scale: Any, quantity: tuple[str, str], given: str | None = None, marks: Any = ()
) -> None:
    """Draw the color scale of a quantity (name, unit) beside a picture, with dots at the values `marks` if they are
    few; a label `given` by a user stands instead of the name."""
    bar = figure.colorbar(scale, ax=ax, shrink=0.85, aspect=28, pad=0.02)
    bar.outline.set_visible(False)  # type: ignore[operator]
    label_axis(bar.ax.yaxis, *quantity, given)
    if 0 < len(marks) <= 12:
        bar.ax.plot([0.5] * len(marks), marks, "o", color=colors().paper, markersize=3.0, markeredgewidth=0.0)


def panels(figure: Any, groups: Mapping[str, list], what: str, across: str, words: Words) -> list[Axes]:
    """Lines (name, x, y) in one panel for each unit, all over the same axis `across` with its unit. A text `what`
    labels the vertical axes instead of the names."""
    axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    cycle, drawn = colors().lines, 0
    for panel, (ax, (unit, lines)) in enumerate(zip(axes, groups.items())):
        first = drawn
        for name, x, y in lines:
            ax.plot(x, y, **line_style(drawn, cycle, first), label=words.name(name))
            drawn += 1
        alone = len(lines) == 1 and not what
        name = words.name(lines[0][0]) if alone else what
        label_axis(ax.yaxis, name, unit, words.y_label_of(panel, len(groups)))
        if not alone:
            legend(ax)
        ax.margins(x=0.0)
    label_axis(axes[-1].xaxis, *name_and_unit(across), words.x_label)
    axes[0].set_title(words.title)
    figure.align_ylabels(axes)
    return list(axes)
