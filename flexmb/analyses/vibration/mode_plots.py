"""Pictures of mode shapes and of frequencies over speed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from flexmb.results.drawing import around, ground, instant
from flexmb.results.figures import INK, LINES, QUIET, finish, new_figure, quiet
from flexmb.results.scene import Scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flexmb.analyses.vibration.campbell import Campbell
    from flexmb.analyses.vibration.mode_shapes import AnyModes

#: panels side by side at most
COLUMNS = 3
AT_REST = (0.66, 0.70, 0.74, 1.0)


def plot_modes(modes: AnyModes, which: Sequence[int], path: str | Path | None, amplitude: float | None) -> Figure:
    """One panel a mode, all to the same scale."""
    from matplotlib.colors import to_rgba

    scenes = [Scene.of(modes.motion(k, amplitude, times=5)) for k in which]
    rest = Scene.of(modes.state.solution)
    corners = [around(scene, []) for scene in [*scenes, rest]]
    low = np.min([c[0] for c in corners], axis=0)
    high = np.max([c[1] for c in corners], axis=0)
    width, height = high - low
    columns = _columns(len(which), width / height)
    rows = -(-len(which) // columns)
    panel = np.clip(np.array([width, height]) / max(width, height) * 4.2, 1.1, 4.2)
    figure = new_figure(path, (float(columns * (panel[0] + 0.35) + 0.3), float(rows * (panel[1] + 0.45) + 0.6)))
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    unit = float(max(width, height))
    for ax in axes.ravel()[len(which) :]:
        ax.set_visible(False)
    for ax, k, scene in zip(axes.ravel(), which, scenes):
        quiet(ax)
        ax.set_aspect("equal")
        ax.set_xlim(low[0], high[0])
        ax.set_ylim(low[1], high[1])
        ground(ax, rest, unit)
        colour = to_rgba(LINES[0])
        instant(ax, rest, 0, unit, AT_REST, 3.0)
        instant(ax, scene, 2, unit, (*colour[:3], 0.22), 3.2)  # half a period later
        instant(ax, scene, 0, unit, colour, 3.4)
        ax.set_title(modes.title(k), color=INK, fontsize=10, loc="left")
    for ax in axes[-1]:
        ax.set_xlabel("x [m]", color=INK)
    for ax in axes[:, 0]:
        ax.set_ylabel("y [m]", color=INK)
    for row, column in ((r, c) for r in range(rows - 1) for c in range(columns) if (r + 1) * columns + c >= len(which)):
        axes[row, column].tick_params(labelbottom=True)  # nothing stands below it
        axes[row, column].set_xlabel("x [m]", color=INK)
    figure.suptitle(modes.name, color=INK, fontsize=11, x=0.02, ha="left")
    return finish(figure, path)


def _columns(count: int, shape: float) -> int:
    """Panels side by side: few for wide mechanisms."""
    if shape > 2.5:
        return 1 if count <= 3 else 2
    return min(count, COLUMNS)


def plot_campbell(campbell: Campbell, orders: Sequence[float], path: str | Path | None) -> Figure:
    """Frequencies over speed with engine orders; critical speeds are marked."""
    figure = new_figure(path, (7.4, 5.0))
    ax = figure.subplots()
    quiet(ax)
    speeds, frequencies = campbell.speeds, campbell.frequencies
    top = 1.08 * float(np.nanmax(frequencies))
    for order in orders:
        line = order * speeds / (2.0 * np.pi)
        ax.plot(speeds, line, color=QUIET, linewidth=1.0, linestyle=(0, (5, 3)), zorder=1)
        inside = line <= top
        k = int(np.flatnonzero(inside)[-1])
        # the label stands where the line leaves the picture
        end = speeds[-1] if inside.all() else top * 2.0 * np.pi / order
        if k > 0 or inside.all():
            ax.annotate(
                f"{order:g}×", (end, min(order * end / (2.0 * np.pi), top)), xytext=(3, 1), textcoords="offset points",
                color=QUIET, fontsize=9, annotation_clip=False,
            )  # fmt: skip
    for k in range(frequencies.shape[1]):
        colour = LINES[k % len(LINES)]
        ax.plot(speeds, frequencies[:, k], color=colour, linewidth=1.8, label=f"mode [{k}]", zorder=3)
        if len(speeds) <= 40:
            ax.plot(speeds, frequencies[:, k], "o", color=colour, markersize=3.2, zorder=3)
    critical = campbell.critical_speeds(orders)
    if critical:
        ax.plot(
            [c.speed for c in critical], [c.frequency for c in critical], "o", markersize=8, markerfacecolor="none",
            markeredgecolor=INK, markeredgewidth=1.3, zorder=4, label="critical speed",
        )  # fmt: skip
    ax.set_xlim(speeds[0], speeds[-1])
    ax.set_ylim(0.0, top)
    ax.set_xlabel("speed [rad/s]", color=INK)
    ax.set_ylabel("frequency in axes that turn along [Hz]", color=INK)
    figure.legend(frameon=False, fontsize=9, labelcolor=INK, loc="outside right center")
    ax.set_title(campbell.name, color=INK, fontsize=11, loc="left")
    return finish(figure, path)
