"""The places at which beams are drawn, and the axes of their sections there."""

from __future__ import annotations

import math

import numpy as np

from flexmb.model.orientations import rotation_of
from flexmb.results.recorded import Recorded

#: elements of a beam by whose length, all alike long, its places in a picture are chosen at most
MOST_DRAWN = 100


def places_drawn(solution: Recorded, beam: str, points: int) -> int:
    """The number of places at which a beam is drawn: at least where its elements meet, and at three places between; as
    near to each other as in its shortest element, but for very short ones."""
    elements = solution.layout.beams[beam].elements
    if elements == 1:
        return points
    stations = getattr(None if solution.model is None else solution.model.components[beam], "stations", None)
    if stations is not None:
        elements = max(elements, min(math.ceil(1.0 / np.min(np.diff(stations)) - 1e-6), MOST_DRAWN))
    return max(points, 4 * elements + 1)


def section_axes(solution: Recorded, beam: str, points: int) -> tuple[np.ndarray, np.ndarray]:
    """The directions y and z (k, p, 3) of the sections of a beam in space."""
    part, places = solution.layout.widths.orientation, solution.places(beam, points)
    turns = [rotation_of(solution.source.point(solution, beam, float(s))[:, part]).as_matrix() for s in places]
    axes = np.stack(turns, axis=1)
    return axes[..., 1], axes[..., 2]
