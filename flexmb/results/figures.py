"""How pictures look: light, few lines, colours that tell apart, units on the axes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from flexmb.errors import ModelError, ResultFileError
from flexmb.model import checks, files

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#22303c"
QUIET = "#8a97a3"
FILL = "#dfe6ec"
#: colours of lines, in this order; they differ in lightness too
LINES = ("#1f4e8c", "#d1622b", "#2a8c6e", "#8a3b8f", "#b8902a", "#4aa3c7", "#7a2e2e", "#5c6670")
#: colours of time, early to late, all dark enough for a white ground
TIMES = ("#1d2f6f", "#27629c", "#1f9aa0", "#68b46a", "#e0a12e", "#d2572a", "#9c2040")
#: a picture with scales is no smaller, and no picture is larger [inch]
SMALLEST, LARGEST = 1.5, 200.0


def new_figure(path: str | Path | None, size: tuple[float, float], layout: Any = "constrained") -> Figure:
    """A figure: for a file one that needs no screen, else one that `matplotlib.pyplot.show` shows."""
    from matplotlib.figure import Figure

    if path is not None:
        files.to_write(path, "picture")
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        figure = Figure(figsize=size, dpi=150, layout=layout)
        FigureCanvasAgg(figure)
        return figure
    import matplotlib.pyplot as plt

    return plt.figure(figsize=size, layout=layout)


def figure_size(size: Any, where: str) -> tuple[float, float]:
    """Width and height [inch] that a user gives."""
    width, height = checks.vector(size, "size", where)
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise ModelError(
            f"{where}: size is ({width:g}, {height:g}); give width and height of {SMALLEST:g} to {LARGEST:g} inches"
        )
    return float(width), float(height)


def finish(figure: Figure, path: str | Path | None, ground: str = "white") -> Figure:
    """Write the figure when a path is given; the kind of file is told by its ending."""
    if path is None:
        return figure
    target = files.to_write(path, "picture")
    kinds = figure.canvas.get_supported_filetypes()
    if not target.suffix:
        target = target.with_name(f"{target.name}.{figure.canvas.get_default_filetype()}")
    kind = target.suffix[1:].lower()
    if kind not in kinds:
        raise ModelError(f"picture {target}: the ending {target.suffix!r} is unknown; use .png, .svg, .pdf or .jpg")
    with files.replaced(target, "picture") as sink:
        try:
            figure.savefig(cast(BinaryIO, sink), format=kind, facecolor=ground)
        except ValueError as why:  # too large for its kind
            raise ResultFileError(f"picture {target}: {why}") from why
    return figure


def quiet(axes: Axes) -> None:
    """Take away what a reader does not need."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(QUIET)
    axes.tick_params(colors=INK, labelsize=9, color=QUIET)
    axes.grid(True, color="#e9edf1", linewidth=0.8)
    axes.set_axisbelow(True)


def time_colours() -> Any:
    """The colour map of time."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("flexmb", TIMES)


def time_scale(begin: float, end: float) -> Any:
    """What gives times between two instants their colours."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    return ScalarMappable(Normalize(begin, end if end > begin else begin + 1.0), time_colours())


def time_bar(figure: Figure, ax: Axes, colours: Any, times: Any = (), label: str = "t [s]") -> None:
    """The scale of time beside a picture, with dots at chosen times if they are few."""
    bar = figure.colorbar(colours, ax=ax, shrink=0.85, aspect=28, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.tick_params(colors=INK, labelsize=9, color=QUIET)
    bar.set_label(label, color=INK)
    if 0 < len(times) <= 12:
        bar.ax.plot([0.5] * len(times), times, "o", color="white", markersize=3.0, markeredgewidth=0.0)


def panels(figure: Figure, groups: Mapping[str, list], what: str, across: str, title: str) -> list[Axes]:
    """Lines (name, x, y) in a panel for each unit, all over one axis; `what` of the names is shown, if not they."""
    axes = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    colour = 0
    for ax, (unit, lines) in zip(axes, groups.items()):
        for name, x, y in lines:
            ax.plot(x, y, color=LINES[colour % len(LINES)], linewidth=1.6, label=name)
            colour += 1
        if len(lines) == 1 and not what:
            ax.set_ylabel(f"{lines[0][0]} [{unit}]", color=INK)
        else:
            ax.set_ylabel(f"{what} [{unit}]".strip(), color=INK)
            ax.legend(frameon=False, fontsize=9, labelcolor=INK, loc="best")
        quiet(ax)
        ax.margins(x=0.0)
    axes[-1].set_xlabel(across, color=INK)
    axes[0].set_title(title, color=INK, fontsize=11, loc="left")
    figure.align_ylabels(axes)
    return list(axes)
