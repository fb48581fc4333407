"""Mode shapes side by side, and modal assurance criteria as a table of colors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from flexmb.plots.drawing import draw_ground, draw_instant, prepare_axes
from flexmb.plots.figures import GivenAxes, Target, colors, picture, whole
from flexmb.plots.scene import Extent, Scene
from flexmb.plots.words import Words

#: the largest number of panels side by side
COLUMNS = 3


def modes(
    shapes: Sequence[Scene],
    rest: Scene,
    extent: Extent,
    titles: Sequence[str],
    words: Words,
    path: Target,
    background: str,
) -> Figure:
    """One panel for each mode, all to the same scale: the mode at its first instant and, faint, at its third one, half
    a period later, over the mechanism at rest."""
    width, height = extent[1] - extent[0]
    columns = 1 if isinstance(path, GivenAxes) else _columns(len(shapes), width / height)
    rows = -(-len(shapes) // columns)
    panel = np.clip(np.array([width, height]) / max(width, height) * 4.2, 1.1, 4.2)
    size = float(columns * (panel[0] + 0.35) + 0.3), float(rows * (panel[1] + 0.45) + 0.6)
    with picture(path, size, background) as figure:
        axes = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
        color = to_rgba(colors().lines[0])
        for ax in axes.ravel()[len(shapes) :]:
            ax.set_visible(False)
        for ax, shape, name in zip(axes.ravel(), shapes, titles):
            prepare_axes(ax, extent, rest.labels, words)
            ax.label_outer()
            draw_ground(ax, rest, extent)
            draw_instant(ax, rest, 0, to_rgba(colors().rest), 3.0)
            draw_instant(ax, shape, 2, (*color[:3], 0.22), 3.2)
            draw_instant(ax, shape, 0, color, 3.4)
            ax.set_title(name, fontsize=10)
        for row, column in ((r, c) for r in range(rows - 1) for c in range(columns)):
            if (row + 1) * columns + column >= len(shapes):  # no panel is below it
                axes[row, column].tick_params(labelbottom=True)
                axes[row, column].set_xlabel(axes[-1, 0].get_xlabel())
        figure.suptitle(words.title, fontsize=11, x=0.02, ha="left")
        # panels of equal scales shrink in their places, and ticks change with that: the second layout has room for all
        figure.draw_without_rendering()
    return whole(figure)


def _columns(count: int, shape: float) -> int:
    """The number of panels side by side: few for wide mechanisms."""
    if shape > 2.5:
        return 1 if count <= 3 else 2
    return min(count, COLUMNS)


def correlation(
    criteria: np.ndarray, computed: np.ndarray, measured: np.ndarray, path: Target, background: str
) -> Figure:
    """The criteria (n, m) of computed modes, upwards, and of measured ones, along, with their frequencies [Hz]."""
    n, m = criteria.shape
    with picture(path, (2.4 + 0.55 * m, 1.6 + 0.45 * n), background) as figure:
        ax = figure.subplots()
        image = ax.imshow(criteria, origin="lower", vmin=0.0, vmax=1.0, cmap="viridis", aspect="auto")
        figure.colorbar(image, ax=ax, label="MAC")
        ax.set_xticks(range(m), [f"{f:.4g}" for f in measured], rotation=60)
        ax.set_yticks(range(n), [f"{f:.4g}" for f in computed])
        ax.set(xlabel="measured [Hz]", ylabel="computed [Hz]")
        for i, j in np.argwhere(criteria >= 0.05):
            ax.text(j, i, f"{criteria[i, j]:.2f}", ha="center", va="center", fontsize=7,
                    color="black" if criteria[i, j] > 0.6 else "white")  # fmt: skip
    return whole(figure)
