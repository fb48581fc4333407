"""How pictures look: few lines, colours that tell apart, units on the axes, on light or on dark ground.

What Matplotlib's style sheets can say stands in light.mplstyle and dark.mplstyle beside this file; for diagrams of a
user's own there is `matplotlib.style.context("flexmb.plots.dark")`.
"""

from __future__ import annotations

import contextlib
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
from flexmb.model import checks, files

#: colours of time, early to late, that stand out on each background
TIMES = {
    "light": ("#1d2f6f", "#27629c", "#1f9aa0", "#68b46a", "#e0a12e", "#d2572a", "#9c2040"),
    "dark": ("#6d8ff2", "#4fa8e8", "#45c4c0", "#8fd487", "#f2c757", "#f28e54", "#e8608a"),
}
#: Matplotlib's settings are those of the whole process: one thread at a time draws
_SETTINGS = threading.RLock()


def blended(*colours: str) -> Colormap:
    """A colour map through colours, from the one of zero to the one of one."""
    return LinearSegmentedColormap.from_list("flexmb", colours)


for _background, _colours in TIMES.items():
    matplotlib.colormaps.register(blended(*_colours), name=f"flexmb {_background}")


def font_file() -> str:
    """The file of the letters that Matplotlib brings."""
    return str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf")


class Colours(NamedTuple):
    """What is drawn in which colour: writing and outlines, `ink`; axes and what stands back, `quiet`; the background
    itself, `paper`; surfaces, `fill`; what is shown for comparison, `rest`; `lines` in turn."""

    ink: str
    quiet: str
    paper: str
    fill: str
    rest: str
    lines: list[str]


def colours() -> Colours:
    """The colours of the background that is drawn on."""
    rc: Any = matplotlib.rcParams
    return Colours(
        ink=rc["text.color"],
        quiet=rc["axes.edgecolor"],
        paper=rc["axes.facecolor"],
        fill=rc["patch.facecolor"],
        rest=rc["lines.color"],
        lines=rc["axes.prop_cycle"].by_key()["color"],
    )


@contextlib.contextmanager
def on(background: str) -> Iterator[None]:
    """What is drawn within is drawn for a background, 'light' or 'dark'.

    >>> with on("dark"):
    ...     colours().paper
    '#11171d'
    """
    checks.choice(background, TIMES, "background", "picture")
    with _SETTINGS, style.context([f"flexmb.plots.{background}", {"image.cmap": f"flexmb {background}"}]):
        yield


@contextlib.contextmanager
def picture(path: str | Path | None, size: tuple[float, float], background: str) -> Iterator[Figure]:
    """A figure of a size [inch] to draw on. In the end it is written to `path`, without a screen; when none is given,
    `matplotlib.pyplot.show` shows it."""
    with on(background):
        if path is None:
            import matplotlib.pyplot as plt

            figure = plt.figure(figsize=size, layout="constrained")
            yield figure
            for axis in (axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)):
                for ticks in (axis.get_major_ticks, axis.get_minor_ticks):
                    ticks(1)  # those that are made later, when it is drawn, take after the first one
        else:
            files.path_to_write(path, "picture")
            figure = Figure(figsize=size, dpi=150, layout="constrained")
            FigureCanvasAgg(figure)
            yield figure
            _write(figure, path)


def _write(figure: Figure, path: str | Path) -> None:
    """Write a figure; the kind of file is told by its ending."""
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
        except ValueError as why:  # too large for its kind
            raise ResultFileError(f"picture {target}: {why}") from why


def time_scale(begin: float, end: float) -> ScalarMappable:
    """What gives times between two instants their colours."""
    return ScalarMappable(Normalize(begin, end if end > begin else begin + 1.0))


def time_line(points: np.ndarray, t: np.ndarray, scale: Any, **options: Any) -> LineCollection:
    """A line through points (k, 2) at times (k,), coloured by time."""
    pieces = np.stack([points[:-1], points[1:]], axis=1)
    line = LineCollection(list(pieces), cmap=scale.cmap, norm=scale.norm, **options)
    line.set_array(0.5 * (t[:-1] + t[1:]))
    return line


def scale_bar(figure: Figure, ax: Axes, scale: Any, label: str, marks: Any = ()) -> None:
    """The scale of colours beside a picture, with dots at chosen values if they are few."""
    bar = figure.colorbar(scale, ax=ax, shrink=0.85, aspect=28, pad=0.02)
    bar.outline.set_visible(False)  # type: ignore[operator]
    bar.set_label(label)
    if 0 < len(marks) <= 12:
        bar.ax.plot([0.5] * len(marks), marks, "o", color=colours().paper, markersize=3.0, markeredgewidth=0.0)


def panels(figure: Figure, groups: Mapping[str, list], what: str, across: str, title: str) -> list[Axes]:
    """Lines (name, x, y) in a panel for each unit, all over one axis; `what` of the names is shown, if not they."""
    axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    turns, drawn = colours().lines, 0
    for ax, (unit, lines) in zip(axes, groups.items()):
        for name, x, y in lines:
            ax.plot(x, y, color=turns[drawn % len(turns)], label=name)
            drawn += 1
        if len(lines) == 1 and not what:
            ax.set_ylabel(f"{lines[0][0]} [{unit}]")
        else:
            ax.set_ylabel(f"{what} [{unit}]".strip())
            ax.legend(loc="best")
        ax.margins(x=0.0)
    axes[-1].set_xlabel(across)
    axes[0].set_title(title)
    figure.align_ylabels(axes)
    return list(axes)
