"""Pictures of a load path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.results.figures import INK, LINES, finish, new_figure, quiet

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from flexmb.analyses.statics.load_path import LoadPath


def plot(path: LoadPath, x: str, y: str, target: Any) -> Figure:
    """One quantity over another; dashed where the equilibrium is unstable, a mark at every critical point."""
    across, up = path.series(x), path.series(y)
    figure = new_figure(target, (6.4, 4.4))
    ax = figure.subplots()
    k = len(path)
    stable = path.stable if path.omega_squared.shape[1] else np.ones(k, dtype=bool)
    begin = 0
    while begin < k - 1:
        end = begin + 1
        while end < k - 1 and stable[end] == stable[end - 1]:
            end += 1
        style = "-" if stable[begin] or (begin == 0 and stable[min(1, k - 1)]) else (0, (4, 2.5))
        part = slice(begin, end + 1)
        ax.plot(across.values[part], up.values[part], linestyle=style, color=LINES[0], linewidth=1.9)
        begin = end
    said: set[str] = set()
    for critical in path.critical:
        seen = critical.state.solution
        place = [
            critical.factor if s.name == "load factor" else float(seen.series(s.name).values[0]) for s in (across, up)
        ]
        fill = {"limit": LINES[1], "bifurcation": "white"}[critical.kind]
        label = None if critical.kind in said else {"limit": "limit point", "bifurcation": "bifurcation"}[critical.kind]
        said.add(critical.kind)
        ax.plot(*place, "o", color=fill, markeredgecolor=LINES[1], markeredgewidth=1.6, markersize=7, label=label)
    if not stable.all():
        ax.plot([], [], linestyle=(0, (4, 2.5)), color=LINES[0], label="unstable")
    if said or not stable.all():
        ax.legend(frameon=False, fontsize=9, labelcolor=INK)
    ax.set_xlabel(f"{across.name} [{across.unit}]", color=INK)
    ax.set_ylabel(f"{up.name} [{up.unit}]", color=INK)
    ax.set_title(path.balance.system.model.name, color=INK, fontsize=11, loc="left")
    quiet(ax)
    return finish(figure, target)


def draw(path: LoadPath, count: int, trail: Any, target: Any) -> Figure:
    """The mechanism at points of the path that lie evenly apart, coloured by the load factor where it grows all the
    way, and by the order of the points where it does not."""
    factor = path.factor
    forward = bool(np.all(np.diff(factor) > 0.0))
    label = "load factor [–]" if forward else "points along the path"
    seen = path.ordered(factor if forward else np.arange(len(factor), dtype=float))
    chosen = np.unique(np.linspace(0, len(factor) - 1, max(2, int(count))).round().astype(int))
    return seen.draw(seen.t[chosen], trail=trail, path=target, label=label)
