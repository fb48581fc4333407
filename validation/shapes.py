"""Shapes of bodies for pictures: bodies of a case have their mass and inertia, whatever they look like. Where a shape
has its middle beside the origin of the body, the body says where its mass `center` is."""

from __future__ import annotations

from typing import Any

import numpy as np

import flexmb as fm


def bar(start: Any, end: Any, part: float = 0.03) -> fm.Cylinder:
    """A round bar between two places (3,) [m] in the axes of a body, its radius a part of its length."""
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    length = float(np.linalg.norm(end - start))
    return fm.Cylinder(radius=part * length, length=length, axis=end - start, position=0.5 * (start + end))


def arms(places: Any, part: float = 0.03) -> fm.Shape | None:
    """Bars from the origin of a body to places (n, 3) [m]; nothing if all of them are there."""
    bars = [bar(np.zeros(3), place, part) for place in places if np.linalg.norm(place) > 0.0]
    return fm.CompoundShape(bars) if bars else None
