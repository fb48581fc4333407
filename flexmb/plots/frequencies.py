"""Diagrams over frequency: spectra and Bode plots; and frequencies over speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from flexmb.plots.figures import Target, colors, panels, picture, whole
from flexmb.plots.labels import STYLES, label_axis, legend, line_style, room_beside
from flexmb.plots.words import NO_UNIT, Words, with_unit


def spectra(groups: Mapping[str, list], limit: float, log: bool, words: Words, path: Target, background: str) -> Figure:
    """Amplitudes (name, frequencies [Hz], amplitudes) in one panel for each unit, up to a frequency `limit` [Hz]."""
    beside = max(room_beside([words.name(name) for name, _, _ in several]) for several in groups.values())
    with picture(path, (7.2 + beside, 1.1 + 2.5 * len(groups)), background) as figure:
        axes = panels(figure, groups, "amplitude", "f [Hz]", words)
        for panel, (ax, unit) in enumerate(zip(axes, groups)):
            if log:
                ax.set_yscale("log")
                label_axis(ax.yaxis, "amplitude", unit, words.y_label_of(panel, len(groups)))
            else:
                ax.set_ylim(bottom=0.0)
            ax.set_xlim(0.0, limit)
        label_axis(axes[-1].xaxis, "f", "Hz", words.x_label)
    return whole(figure)


def bode(
    responses: Sequence[tuple[str, np.ndarray, np.ndarray, np.ndarray]],
    inputs: Sequence[tuple[str, str]],
    outputs: Sequence[tuple[str, str]],
    words: Words,
    path: Target,
    background: str,
) -> Figure:
    """Magnitude and phase, one column for each input. Outputs with the same unit share a panel; responses differ in
    their dashes.

    A response is its label, frequencies (k,) [Hz], magnitudes and phases (k, outputs, inputs) [rad]; `inputs` and
    `outputs` are names with units.
    """
    units = list(dict.fromkeys(unit for _, unit in outputs))
    rows, across = len(units) + 1, len(inputs)
    several = len(outputs) * len(responses)
    most = max(len(words.name(output)) + len(words.name(label)) + 2 for output, _ in outputs for label, *_ in responses)
    beside = room_beside(["m" * most] * several) if len(units) > 1 or several > 1 else 0.0
    with picture(path, (1.4 + (5.2 + beside) * across, 1.0 + 2.3 * rows), background) as figure:
        axes = figure.subplots(rows, across, sharex=True, squeeze=False)
        cycle = colors().lines
        for j, (acting, acting_unit) in enumerate(inputs):
            for i, (output, unit) in enumerate(outputs):
                for r, (label, f, magnitude, phase) in enumerate(responses):
                    shown = f > 0.0
                    name = f"{words.name(output)}, {words.name(label)}" if label else words.name(output)
                    # responses differ in their dashes; where there is one only, outputs that share a color do
                    style = line_style(i, cycle) if len(responses) == 1 else {"color": cycle[i % len(cycle)]}
                    style |= {"label": name} | ({"linestyle": STYLES[r % len(STYLES)]} if len(responses) > 1 else {})
                    axes[units.index(unit), j].loglog(f[shown], magnitude[shown, i, j], **style)
                    degrees = np.degrees(phase[shown, i, j])
                    degrees -= 360.0 * np.round((degrees[:1] + 90.0) / 360.0)  # a phase that begins nearest to −90°
                    axes[-1, j].semilogx(f[shown], degrees, **style)
            for row, unit in enumerate(units):
                given = words.y_label_of(row, rows)
                axes[row, j].set_ylabel(_ratio(unit, acting_unit) if given is None else given)
                if sum(u == unit for _, u in outputs) > 1 or len(responses) > 1 or len(units) > 1:
                    legend(axes[row, j])
            given = words.y_label_of(rows - 1, rows)
            axes[-1, j].set_ylabel("phase [°]" if given is None else given)
            axes[-1, j].set_xlabel("frequency [Hz]" if words.x_label is None else words.x_label)
            axes[-1, j].yaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 1.8, 4.5, 9, 10]))  # right angles
            single = words.name(outputs[0][0]) if len(outputs) == 1 else "outputs"
            axes[0, j].set_title(f"{single} for {words.name(acting)}")
            for ax in axes[:, j]:
                ax.margins(x=0.0)
        figure.align_ylabels(axes)
        if words.title:
            figure.suptitle(words.title, fontsize=11, x=0.02, ha="left")
    return whole(figure)


def _ratio(unit: str, acting: str) -> str:
    """The label of amplitudes of a quantity for an input of another unit."""
    if acting in NO_UNIT:
        return with_unit("magnitude", unit)
    return f"magnitude [{'1' if unit in NO_UNIT else unit} per {acting}]"


def campbell(
    speeds: np.ndarray,
    frequencies: np.ndarray,
    critical: Sequence[tuple[float, float]],
    orders: Sequence[float],
    name: str,
    words: Words,
    path: Target,
    background: str,
    jumps: np.ndarray | None = None,
) -> Figure:
    """Frequencies (k, c) [Hz], negative where motion goes against the rotation, over speeds (k,) [rad/s] with lines of
    engine orders; `critical` speeds are marked, and the `name` of frequencies says in which axes they are. Lines are
    broken between two speeds where they jump (k − 1, c)."""
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
            ax.plot(*branch, color=color, linewidth=1.8, label=words.name(f"mode {k}"), zorder=3)
            if len(speeds) <= 40:
                ax.plot(speeds, frequencies[:, k], "o", color=color, markersize=3.2, zorder=3)
        if critical:
            ax.plot(
                *zip(*critical), "o", markersize=8, markerfacecolor="none", markeredgecolor=ink, markeredgewidth=1.3,
                zorder=4, label=words.name("critical speed"),
            )  # fmt: skip
        ax.set(xlim=(speeds[0], speeds[-1]), ylim=(bottom, top), title=words.title)
        label_axis(ax.xaxis, "speed", "rad/s", words.x_label)
        label_axis(ax.yaxis, name, "Hz", words.y_label_of(0, 1))
        figure.legend(loc="outside right center")
    return whole(figure)
