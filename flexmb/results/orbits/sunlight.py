"""Light and shadow behind a central body, at many places."""

from __future__ import annotations

import numpy as np

from flexmb.model.gravity.shadow import seen_parts


def sunlight(places: np.ndarray, sun: np.ndarray, radius: float) -> np.ndarray:
    """The part ν (k,) of the sun's disk that is seen at places (k, 3) [m] from the center of a body with a `radius`
    [m]; `sun` (3,) is the direction in which the sun stands, as far as from the earth
    (:mod:`flexmb.model.gravity.shadow`).

    >>> sunlight(np.array([[7e6, 0, 0], [-7e6, 0, 0]]), np.array([1.0, 0, 0]), 6378137.0).tolist()
    [1.0, 0.0]
    """
    out = np.zeros(len(places))
    seen_parts(np.ascontiguousarray(places, dtype=float), np.asarray(sun / np.linalg.norm(sun)), float(radius), out)
    return out
