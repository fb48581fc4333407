"""Quantities along a beam: numbers, and what a picture with a line for each time shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.model import given_names, given_times
from flexmb.plots.words import Quantity
from flexmb.results.beams.means import is_mean, warn_if_it_varies
from flexmb.results.beams.sections import quantity_label, section_units, section_values
from flexmb.results.beams.shears import warn_if_twisted
from flexmb.results.layout import Layout
from flexmb.results.meaning import track_units
from flexmb.results.names import point_track
from flexmb.results.recorded import Recorded
from flexmb.results.subject import at_time


def along_units(layout: Layout) -> dict[str, str]:
    """The unit of every quantity along a beam of a mechanism."""
    return {**track_units(layout), **section_units(layout)}


def along(solution: Recorded, beam: str, quantity: str, places: np.ndarray) -> np.ndarray:
    """A quantity (k, p) along a beam, at the places s (p,)."""
    units = along_units(solution.layout)
    if not isinstance(quantity, str) or quantity not in units:
        raise given_names.unknown(quantity, units, "quantity along a beam", solution.where)
    columns = []
    for s in places.tolist():
        if quantity in section_units(solution.layout):
            columns.append(section_values(solution, beam, s, quantity))
        else:
            columns.append(getattr(point_track(solution, beam, s), quantity))
    return np.stack(columns, axis=1)


def profiles(
    solution: Recorded, beam: str, quantity: str, times: Any, points: int
) -> tuple[Quantity, np.ndarray, Quantity, str]:
    """A quantity over the distance from the beam's start: places (p,), times (k,), values (k, p), and a title."""
    first, last = solution.t[0], solution.t[-1]
    if times is None:
        chosen = np.linspace(first, last, 9 if last > first else 1)
    else:
        chosen = np.sort(given_times.times(times, "times", solution.where))
    instants = solution.at(chosen)
    places = _both_sides(solution, beam, points)
    values = along(instants, beam, quantity, places)
    length = solution.layout.beams[beam].length
    across = ("distance from the start", "m") if length else ("fraction of the length", "–")
    mean = ", element mean" if is_mean(solution, beam, quantity) else ""
    warn_if_it_varies(solution, beam, 0.0, quantity)
    warn_if_twisted(solution, beam, quantity)
    up = Quantity(f"{quantity_label(quantity)}{mean}", along_units(solution.layout)[quantity], values)
    title = f"{solution.name}, {beam}"
    if len(instants) == 1:
        title += f", {at_time(solution.time_label, f'{instants.t[0]:.4g}')}"
    return Quantity(*across, places * (length or 1.0)), instants.t, up, title


def _both_sides(solution: Recorded, beam: str, points: int) -> np.ndarray:
    """Places to draw at. A solution with its model also shows both sides of every node between two elements, since
    forces may jump there."""
    places = solution.places(beam, points)
    count = solution.layout.beams[beam].elements
    if solution.model is None or count == 1:
        return places
    nodes = getattr(solution.model.components[beam], "stations", np.linspace(0.0, 1.0, count + 1))[1:-1]
    return np.unique(np.concatenate([places, nodes, nodes - 1e-12]))
