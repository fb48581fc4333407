"""Pictures of a study."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.results.figures import INK, LINES, QUIET, finish, new_figure, quiet, time_colours
from flexmb.studies.parameters import words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flexmb.studies.table import Study

#: so many lines at most are drawn
MOST_LINES = len(LINES)


def plot(study: Study, x: str, y: str, path: str | Path | None, labels: Mapping[str, str]) -> Figure:
    """One column over another, the other parameters told apart by colour."""
    across, up = _numbers(study, x), _numbers(study, y)
    others = [
        name for name in study.parameter_names if name not in (x, y) and len({p[name] for p in study.parameters}) > 1
    ]
    kinds: dict[tuple, list[int]] = {}
    for k, parameters in enumerate(study.parameters):
        kinds.setdefault(tuple(parameters[name] for name in others), []).append(k)
    lines = x in study.parameter_names and len(kinds) <= MOST_LINES and all(len(rows) > 1 for rows in kinds.values())
    colour = study[others[0]] if len(others) == 1 and not lines else None
    figure = new_figure(path, (6.4, 4.4))
    ax = figure.subplots()
    if lines:
        for colour_of, (values, rows) in zip(LINES, kinds.items()):
            rows = sorted(rows, key=lambda k: across[k])
            label = words({labels.get(name, name): value for name, value in zip(others, values)}) or None
            ax.plot(across[rows], up[rows], ".-", color=colour_of, linewidth=1.6, markersize=5, label=label)
        if others:
            ax.legend(frameon=False, fontsize=9, labelcolor=INK)
    elif colour is not None and colour.dtype.kind in "if":
        dots = ax.scatter(across, up, c=colour, cmap=time_colours(), s=14, linewidths=0)
        bar = figure.colorbar(dots, ax=ax, shrink=0.85, aspect=28, pad=0.02)
        bar.outline.set_visible(False)
        bar.ax.tick_params(colors=INK, labelsize=9, color=QUIET)
        bar.set_label(labels.get(others[0], others[0]), color=INK)
    else:
        ax.plot(across, up, ".", color=LINES[0], markersize=5)
    lost = np.array([outcome.status in ("failed", "died") for outcome in study.outcomes]) & np.isfinite(across)
    if lost.any():
        ax.plot(
            across[lost], np.zeros(lost.sum()), "x", color=LINES[6], transform=ax.get_xaxis_transform(), clip_on=False,
            label="failed",
        )  # fmt: skip
        ax.legend(frameon=False, fontsize=9, labelcolor=INK)
    ax.set_xlabel(labels.get(x, x), color=INK)
    ax.set_ylabel(labels.get(y, y), color=INK)
    ax.set_title(study.name.rpartition(".")[2], color=INK, fontsize=11, loc="left")
    quiet(ax)
    return finish(figure, path)


def _numbers(study: Study, name: str) -> np.ndarray:
    values: Any = study[name]
    if values.ndim != 1 or values.dtype.kind not in "ifb":
        raise ModelError(f"{study.where}: {name!r} holds no single numbers, so that it cannot be an axis of a picture")
    return values.astype(float)
