"""Diagrams over frequency: spectra and Bode plots; and frequencies over speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from flexmb.plots.figures import colors, panels, picture

#: line styles of the first response, the second, …
STYLES: Any = ("-", (0, (5, 2.5)), (0, (1.2, 1.8)), (0, (6, 2, 1.2, 2)))


def spectra(
    groups: Mapping[str, list], limit: float, log: bool, title: str, path: str | Path | None, background: str
) -> Figure:
    """Amplitudes (name, frequencies [Hz], amplitudes) in one panel for each unit, up to a frequency `limit` [Hz]."""
    with picture(path, (7.2, 1.1 + 2.5 * len(groups)), background) as figure:
        for ax in panels(figure, groups, "amplitude", "f [Hz]", title):
            if log:
                ax.set_yscale("log")
            else:
                ax.set_ylim(bottom=0.0)
            ax.set_xlim(0.0, limit)
    return figure


def bode(
    responses: Sequence[tuple[str, np.ndarray, np.ndarray, np.ndarray]],
    inputs: Sequence[tuple[str, str]],
    outputs: Sequence[tuple[str, str]],
    path: str | Path | None,
    background: str,
) -> Figure:
    """Magnitude and phase, one column for each input. Outputs with the same unit share a panel; responses differ in
    their dashes.

    A response is its label, frequencies (k,) [Hz], magnitudes and phases (k, outputs, inputs) [rad]; `inputs` and
    `outputs` are names with units.
    """
    units = list(dict.fromkeys(unit for _, unit in outputs))
    rows, across = len(units) + 1, len(inputs)
    with picture(path, (1.4 + 5.2 * across, 1.0 + 2.3 * rows), background) as figure:
        axes = figure.subplots(rows, across, sharex=True, squeeze=False)
        cycle = colors().lines
        for j, (acting, acting_unit) in enumerate(inputs):
            for i, (output, unit) in enumerate(outputs):
                for r, (label, f, magnitude, phase) in enumerate(responses):
                    shown = f > 0.0
                    name = f"{output}, {label}" if label else output
                    style = {"color": cycle[i % len(cycle)], "linestyle": STYLES[r % len(STYLES)], "label": name}
                    axes[units.index(unit), j].loglog(f[shown], magnitude[shown, i, j], **style)
                    degrees = np.degrees(phase[shown, i, j])
                    degrees -= 360.0 * np.round((degrees[:1] + 90.0) / 360.0)  # a phase that begins nearest to −90°
                    axes[-1, j].semilogx(f[shown], degrees, **style)
            for row, unit in enumerate(units):
                axes[row, j].set_ylabel(f"[{unit}]" if acting_unit == "–" else f"[{unit} per {acting_unit}]")
                if sum(u == unit for _, u in outputs) > 1 or len(responses) > 1 or len(units) > 1:
                    axes[row, j].legend()
            axes[-1, j].set(xlabel="frequency [Hz]", ylabel="phase [°]")
            axes[-1, j].yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 1.8, 4.5, 9, 10]))  # right angles
            single = outputs[0][0] if len(outputs) == 1 else "outputs"
            axes[0, j].set_title(f"{single} for {acting}")
            for ax in axes[:, j]:
                ax.margins(x=0.0)
        figure.align_ylabels(axes)
    return figure


def campbell(
    speeds: np.ndarray,
    frequencies: np.ndarray,
    critical: Sequence[tuple[float, float]],
    orders: Sequence[float],
    title: str,
    path: str | Path | None,
    background: str,
    label: str,
    jumps: np.ndarray | None = None,
) -> Figure:
    """Frequencies (k, c) [Hz], negative where motion goes against the rotation, over speeds (k,) [rad/s] with lines of
    engine orders; `critical` speeds are marked, and the `label` says in which axes frequencies are. Lines are broken
    between two speeds where they jump (k − 1, c)."""
    with picture(path, (7.4, 5.0), background) as figure:
        ax = figure.subplots()
        ink, quiet, *_, cycle = colors()
        known = frequencies[np.isfinite(frequencies)]
        bottom, top = (1.08 * float(size) for size in (np.min(known, initial=0.0), np.max(known, initial=0.0)))
        for order in orders:
            line = order * speeds / (2.0 * np.pi)
            inside = (line <= top) & (line >= bottom)
            if not inside.any():
                continue
            ax.plot(speeds, line, color=quiet, linewidth=1.0, linestyle=(0, (5, 3)), zorder=1)
            k = int(np.flatnonzero(inside)[-1])
            # the label stands where the line leaves the picture
            end = speeds[-1] if inside.all() else (top if order > 0.0 else bottom) * 2.0 * np.pi / order
            if k > 0 or inside.all():
                ax.annotate(
                    f"{order:g}×", (end, np.clip(order * end / (2.0 * np.pi), bottom, top)), xytext=(3, 1),
                    textcoords="offset points", color=quiet, fontsize=9, annotation_clip=False,
                )  # fmt: skip
        for k in range(frequencies.shape[1]):
            color = cycle[k % len(cycle)]
            breaks = np.flatnonzero(jumps[:, k]) + 1 if jumps is not None else np.zeros(0, dtype=int)
            branch = np.insert(speeds, breaks, np.nan), np.insert(frequencies[:, k], breaks, np.nan)
            ax.plot(*branch, color=color, linewidth=1.8, label=f"mode [{k}]", zorder=3)
            if len(speeds) <= 40:
                ax.plot(speeds, frequencies[:, k], "o", color=color, markersize=3.2, zorder=3)
        if critical:
            ax.plot(
                *zip(*critical), "o", markersize=8, markerfacecolor="none", markeredgecolor=ink, markeredgewidth=1.3,
                zorder=4, label="critical speed",
            )  # fmt: skip
        ax.set(xlim=(speeds[0], speeds[-1]), ylim=(bottom, top), title=title)
        ax.set(xlabel="speed [rad/s]", ylabel=f"{label} [Hz]")
        figure.legend(loc="outside right center")
    return figure
