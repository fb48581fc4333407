"""How far pins of hinges in space reach: through the bodies that they hold, so that their ends can be seen."""

from __future__ import annotations

import numpy as np

from flexmb.model.appearance import PairPlace
from flexmb.results.recorded import Recorded
from flexmb.visual.stage.placing import Z, matrix
from flexmb.visual.stage.solids import Solid, loaded_nodes

#: half the length and the radius of a pin that holds nothing with a size, as parts of the size of the mechanism; the
#: radius of one that is longer than LONG; and how far a pin stands out of a body
HALF, RADIUS, LONG, THIN, PROUD = 0.03, 0.011, 0.12, 0.006, 0.014
#: kinds of solids through which a pin goes
PIERCED = ("box", "cylinder")


def reaches(solution: Recorded, unit: float) -> dict[str, tuple[float, float]]:
    """For each hinge in space that holds bodies with a size, between which places on its axis [m], counted from its
    frames, these bodies are; `unit`: the size of the mechanism [m]."""
    layout = solution.layout
    pins = {name: pair for name, pair in layout.pairs.items() if "pin" in pair.glyphs}
    if layout.dimension == 2 or not pins:
        return {}
    solids = {layout.node_of(node.frames[0]): node.every_solid for node in loaded_nodes(solution)}
    found = {}
    for name, pair in pins.items():
        several = []
        for frame, axis in zip((pair.a, pair.b), _axes(pair)):
            place = layout.spatial[frame]
            if layout.is_fixed(frame):
                continue
            origin, direction = np.array(place.offset), matrix(np.array(place.axes)) @ axis
            on_node = solids.get(place.coordinates, [])
            several += [part for solid in on_node if (part := pierced(solid, origin, direction, RADIUS * unit))]
        near = [(low, high) for low, high in several if low < HALF * unit and high > -HALF * unit]
        if near:
            found[name] = min(low for low, _ in near), max(high for _, high in near)
    return found


def pierced(solid: Solid, origin: np.ndarray, direction: np.ndarray, radius: float) -> tuple[float, float] | None:
    """Between which places a pin of a radius, along a unit direction from an origin (3,), is in the box around a solid;
    None if it misses the box, or goes through what a pin does not pierce."""
    if solid.kind not in PIERCED or solid.spin is not None:
        return None
    start, way = solid.axes.T @ (origin - solid.center), solid.axes.T @ direction
    half = solid.half + radius * np.sqrt(np.maximum(1.0 - way**2, 0.0))
    moving = np.abs(way) > 1e-9
    if np.any(np.abs(start[~moving]) > half[~moving]):
        return None
    ends = (np.array([[-1.0], [1.0]]) * half[moving] - start[moving]) / way[moving]
    low, high = float(np.max(ends.min(axis=0))), float(np.min(ends.max(axis=0)))
    return (low, high) if low < high else None


def _axes(pair: PairPlace) -> tuple[np.ndarray, np.ndarray]:
    """The directions of a hinge in frame a and in frame b."""
    on_a = Z if pair.axis is None else np.array(pair.axis)
    on_b = on_a if pair.axis_b is None else np.array(pair.axis_b)
    return on_a / np.linalg.norm(on_a), on_b / np.linalg.norm(on_b)
