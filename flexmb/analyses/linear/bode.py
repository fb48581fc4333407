"""Bode plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.results.figures import INK, LINES, finish, new_figure, quiet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flexmb.analyses.linear.frequency_response import FrequencyResponse

STYLES = ("-", (0, (5, 2.5)), (0, (1.2, 1.8)), (0, (6, 2, 1.2, 2)))


def bode(responses: Sequence[FrequencyResponse], labels: Sequence[str], path: Any) -> Figure:
    """Magnitude and phase, a column an input; outputs of one unit share a panel, responses differ in their dashes."""
    first = responses[0]
    for other in responses:
        if (other.inputs, other.outputs) != (first.inputs, first.outputs):
            raise ModelError("Bode plot: the responses have other inputs and outputs; take the same part of each")
    units = list(dict.fromkeys(first.output_units))
    rows, columns = len(units) + 1, len(first.inputs)
    figure = new_figure(path, (1.4 + 5.2 * columns, 1.0 + 2.3 * rows))
    axes = figure.subplots(rows, columns, sharex=True, squeeze=False)
    for j, acting in enumerate(first.inputs):
        for i, output in enumerate(first.outputs):
            row = units.index(first.output_units[i])
            for r, (response, label) in enumerate(zip(responses, labels)):
                f = response.frequencies
                shown = f > 0.0
                name = f"{output}, {label}" if label else output
                style = {"color": LINES[i % len(LINES)], "linestyle": STYLES[r % len(STYLES)], "linewidth": 1.6}
                axes[row, j].loglog(f[shown], response.magnitude[shown, i, j], label=name, **style)
                phase = np.degrees(response.phase[shown, i, j])
                phase = phase - 360.0 * np.round((phase[:1] + 90.0) / 360.0)  # of turns the one nearest to −90°
                axes[-1, j].semilogx(f[shown], phase, label=name, **style)
        for row, unit in enumerate(units):
            axes[row, j].set_ylabel(f"[{_per(unit, first.input_units[j])}]", color=INK)
            if sum(u == unit for u in first.output_units) > 1 or len(responses) > 1 or len(units) > 1:
                axes[row, j].legend(frameon=False, fontsize=9, labelcolor=INK)
        axes[-1, j].set_ylabel("phase [°]", color=INK)
        axes[-1, j].yaxis.set_major_locator(_right_angles())
        axes[-1, j].set_xlabel("frequency [Hz]", color=INK)
        single = first.outputs[0] if len(first.outputs) == 1 else "outputs"
        axes[0, j].set_title(f"{single} for {acting}", color=INK, fontsize=11, loc="left")
        for ax in axes[:, j]:
            quiet(ax)
            ax.margins(x=0.0)
    figure.align_ylabels(axes)
    return finish(figure, path)


def _per(output: str, acting: str) -> str:
    return output if acting == "–" else f"{output} per {acting}"


def _right_angles() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(nbins=6, steps=[1, 1.8, 4.5, 9, 10])
