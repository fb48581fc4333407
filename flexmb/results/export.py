"""Quantities of a solution for other programs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from flexmb.results.names import Series
    from flexmb.results.solution import Solution


def chosen(solution: Solution, names: Sequence[str] | None) -> list[Series]:
    """Quantities by name; x, y and angle of all frames that move when no names are given."""
    if isinstance(names, str):
        names = [names]
    if names is None:
        n = solution.q.shape[1]
        moving = [name for name, place in solution.layout.frames.items() if place.numbers[0] < n]
        names = [f"{frame}.{quantity}" for frame in moving for quantity in ("x", "y", "angle")]
    return [solution.series(name, any_kind=True) for name in names]


def to_dict(solution: Solution, names: Sequence[str] | None) -> dict[str, np.ndarray]:
    """Quantities by name, and the times 't'."""
    return {"t": solution.t.copy(), **{s.name: np.array(s.values) for s in chosen(solution, names)}}


def to_csv(solution: Solution, path: str | Path, names: Sequence[str] | None) -> Path:
    """A table of quantities; numbers are written so that reading gives back the same."""
    found = chosen(solution, names)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["t [s]", *(f"{s.name} [{s.unit}]" for s in found)])
        writer.writerows(np.column_stack([solution.t, *(s.values for s in found)]).tolist())
    return Path(path)
