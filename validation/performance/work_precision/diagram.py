"""Error against time, log–log: one diagram for each problem, readable without colors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.plots.figures import colors, picture
from flexmb.solvers.methods.registry import METHODS
from flexmb.validation.performance.work_precision import own, peers, scipy_lines
from flexmb.validation.performance.work_precision.lines import Point
from flexmb.validation.performance.work_precision.measure import curve
from flexmb.validation.performance.work_precision.own import CODE
from flexmb.validation.performance.work_precision.summary import by_line

#: marks of methods here (full) and elsewhere (hollow)
OWN_MARKS, PEER_MARKS = "os^DvP*Xhp", "os^Dv<>h"
#: lines elsewhere, in the order of their marks
PEERS = (*scipy_lines.METHODS, *peers.IMPLICIT, *peers.EXPLICIT)
#: width and least height of a diagram, and the height of an entry of its legend [in]
WIDTH, HEIGHT, ENTRY = 7.4, 4.4, 0.17
#: the least error that is drawn: below it there is round-off, and the error of the reference
LEAST = 1e-12
#: dashes of fixed steps, of runs in joint coordinates or by a compiled integrator, and of other codes
FIXED: Any = (0, (5.0, 1.5, 1.0, 1.5))
OTHER_WAY: Any = (0, (2.5, 1.0))
#: how the marks of formulations in joint coordinates are filled
FILLED = {"by aba": "left", "by ada": "right", "by lagrange": "none"}
DASHES: dict[str, Any] = {peers.CODE: (0, (4.0, 2.0)), scipy_lines.CODE: (0, (1.0, 1.6))}


def draw(points: Sequence[Point], title: str, path: Path | None) -> Any:
    """The points of one problem. Methods here have colors and full marks, those elsewhere broken lines and hollow
    marks, the same in all diagrams; a method in joint coordinates has those of the method, thin and half full. The
    legend stands beside the diagram, in the order of the lines' ends."""
    lines = by_line(points)
    with picture(path, (WIDTH, max(HEIGHT, 0.6 + ENTRY * len(lines))), "light") as figure:
        ax = figure.subplots()
        look = colors()
        drawn: list[tuple[float, Any, str]] = []
        for (code, method), of in lines.items():
            errors, seconds = curve(of)
            if not len(errors):
                continue
            here = code == CODE
            name, comma, way = method.partition(", ") if here else (method, "", "")
            number = list(METHODS).index(name) if here else PEERS.index(name)
            marks = OWN_MARKS if here else PEER_MARKS
            look_of: dict[str, Any] = {"marker": marks[number % len(marks)], "markersize": 4.8}
            if here:
                dashes = FIXED if comma + way == own.FIXED else OTHER_WAY if way else "-"
                look_of |= {"color": look.lines[number % len(look.lines)], "linestyle": dashes}
                look_of |= {"linewidth": 1.6} if dashes != OTHER_WAY else {"linewidth": 1.1, "markersize": 4.0}
                look_of |= {"fillstyle": FILLED.get(way, "full")}
            else:
                look_of |= {"color": look.ink, "linewidth": 0.9, "linestyle": DASHES[code]}
                look_of |= {"markerfacecolor": look.paper}
            label = method.replace("_", " ") if here else f"{method} ({code})"
            (line,) = ax.plot(np.maximum(errors, LEAST), seconds, zorder=3.0 if here else 2.0, **look_of)
            drawn.append((float(seconds[-1]), line, label))
        ax.set(xscale="log", yscale="log", title=title)
        ax.set(xlabel="largest error of positions [model lengths; rad]", ylabel="time of a run [s]")
        ax.invert_xaxis()
        drawn.sort(key=lambda entry: -entry[0])
        ax.legend(
            [line for _, line, _ in drawn], [label for _, _, label in drawn],
            loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, handlelength=3.6, labelspacing=0.45,
            fontsize=8.0,
        )  # fmt: skip
    return figure
