"""Quantities of a solution for other programs."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from flexmb.machine import files
from flexmb.results.names import Series, key_name, quantities_shown
from flexmb.results.recorded import Recorded


def chosen_series(solution: Recorded, names: Sequence[str] | None) -> list[Series]:
    """Quantities by name; place and orientation of all frames that move when no names are given."""
    if names is None:
        n, layout = solution.v.shape[1], solution.layout
        first = {name: place.numbers[0] for name, place in layout.frames.items()}
        first |= {name: place.speeds[0] for name, place in layout.spatial.items()}
        shown = quantities_shown(layout.dimension)
        names = [f"{frame}.{quantity}" for frame, number in first.items() if number < n for quantity in shown]
    given = names if isinstance(names, list | tuple | set | dict) else [names]
    return [solution.series(key_name(solution, name), any_kind=True) for name in given]


def to_dict(solution: Recorded, names: Sequence[str] | None) -> dict[str, np.ndarray]:
    """Quantities by name, and the times 't'."""
    return {"t": solution.t.copy(), **{s.name: np.array(s.values) for s in chosen_series(solution, names)}}


def to_csv(solution: Recorded, path: str | Path, names: Sequence[str] | None) -> Path:
    """A table of quantities, with so many digits that reading gives back the same numbers."""
    target = files.path_to_write(path, "table")
    series = chosen_series(solution, names)
    with files.replaced(target, "table", streams=True) as sink, files.text_to(sink) as file:
        writer = csv.writer(file)
        writer.writerow([solution.time_label, *(f"{s.name} [{s.unit}]" for s in series)])
        columns = [solution.t, *(s.values for s in series)]
        writer.writerows([float(column[k]) for column in columns] for k in range(len(solution.t)))
    return target
