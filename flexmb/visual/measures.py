"""The sizes of a picture, computed from all that it will show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from flexmb.results.names import stress_track
from flexmb.results.pictures.deforming import DEFORMATION, deforming
from flexmb.results.pictures.displacement import DISPLACEMENT
from flexmb.results.pictures.roads import roads
from flexmb.results.pictures.scene import component_lines, scene_of
from flexmb.results.recorded import Recorded
from flexmb.results.tracks.stress_track import stress_names
from flexmb.visual.cameras import up_of
from flexmb.visual.stage.arrows import arrows, selected_loads, turning
from flexmb.visual.stage.bodies import corners, turning_bodies
from flexmb.visual.stage.hinges import reaches
from flexmb.visual.stage.joints import SLIDING, slide
from flexmb.visual.stage.placing import in_space
from flexmb.visual.stage.scales import PictureScales, Selection

#: Pins and bars are as thick as fits to all that a picture shows, or to so many times the mechanism if it travels far.
#: What turns about its end sweeps 2.24 times its length, with margins.
TRAVEL = 2.25
#: round numbers for the steps of a color scale
ROUND_NUMBERS = (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0)


def scales_of(
    solution: Recorded, selection: Selection, trails: Sequence[np.ndarray], up: np.ndarray | None = None,
    run: Recorded | None = None,
) -> PictureScales:  # fmt: skip
    """The scales of a solution, the same for all its times; `up` (3,) in its pictures, see
    :func:`~flexmb.visual.cameras.up_of`; `run`: the run of which it has some of the times only."""
    parts = _parts(solution)
    low, high = _bounds_of(solution, parts)
    for path in map(in_space, trails):
        low, high = np.minimum(low, path.min(axis=0)), np.maximum(high, path.max(axis=0))
    unit = max(min(float(np.max(high - low)), TRAVEL * _size_at_once(parts)), 1e-9)
    forces, densities, torques = [0.0], [0.0], [0.0]
    acting = list(selected_loads(solution, selection))
    for _, _, load in acting:
        if load.torques is not None:
            torques.append(_largest(np.linalg.norm(turning(load.torques), axis=1)))
        if load.forces is not None:
            (densities if load.spread else forces).append(_largest(np.linalg.norm(load.forces, axis=1)))
    limits = (0.0, 1.0)
    if selection.quantity is not None:
        rows: list[np.ndarray]
        if selection.quantity in (DEFORMATION, DISPLACEMENT):
            several = deforming(solution, few=True, displaced=selection.displaced)
            meshes, count = [mesh for mesh in several if mesh.name in selection.colored], len(solution.t)
            rows = [np.stack([mesh.quantity(selection.quantity, k) for k in range(count)]) for mesh in meshes]
            beams = [name for name in selection.colored if name in solution.layout.beams]
            rows += [np.zeros((1, 1)), *(selection.color_along(solution, name, selection.points) for name in beams)]
        elif selection.quantity in stress_names(solution.layout.dimension):  # peaks may be short: at all times
            whole = solution if run is None else run
            rows = [stress_track(whole, body, selection.quantity).range() for body in selection.colored]
        else:
            rows = [selection.color_along(solution, beam, selection.points) for beam in selection.colored]
        limits = nice_limits(min(_least(x) for x in rows), max(_largest(x) for x in rows))
    pairs = solution.layout.pairs
    slides = {name: slide(solution, name) for name, pair in pairs.items() if SLIDING & set(pair.glyphs)}
    up = up_of(solution) if up is None else up
    marked = turning_bodies(solution)
    largest = max(forces), max(densities), max(torques)
    scales = PictureScales(unit, *largest, low, high, limits, slides, up, marked=marked, hinges=reaches(solution, unit))
    for name, role, load in acting:
        for piece in arrows(load, name, role, scales):
            for k in range(0, len(solution.t), max(1, len(solution.t) // 40)):
                if piece.visible_faces(k):
                    points = piece.points(k) * [1.0, 1.0, solution.layout.dimension == 3]
                    low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
    return replace(scales, low=low, high=high)


def bounds(solution: Recorded) -> tuple[np.ndarray, np.ndarray]:
    """The corners (3,) [m] of a mechanism in all its motion, with a margin."""
    return _bounds_of(solution, _parts(solution))


def _parts(solution: Recorded) -> list[np.ndarray]:
    """The points (k, p, d) [m] of what moves, and in space of all else too, in groups."""
    return scene_of(solution).moving() if solution.layout.dimension == 2 else _points(solution)


def _bounds_of(solution: Recorded, parts: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    if solution.layout.dimension == 2:
        low, high = scene_of(solution).bounds()
        return in_space(low), in_space(high)
    points = np.concatenate([part.reshape(-1, 3) for part in parts]) if parts else np.zeros((1, 3))
    points = points[np.all(np.isfinite(points), axis=1)]
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.06 * max(float(np.max(high - low)), 1e-9)
    return low - margin, high + margin


def _points(solution: Recorded) -> list[np.ndarray]:
    """The points (k, p, 3) [m] of a mechanism in space, in groups."""
    layout, count = solution.layout, len(solution.t)
    parts = []
    for name, beam in layout.beams.items():
        axis, reach = solution.axis(name), np.max(np.linalg.norm(beam.outline or [(beam.radius, 0.0)], axis=1))
        parts += [axis - reach, axis + reach]
    both = (component_lines(solution), roads(solution))
    parts += [line for several in both for lines in several.values() for line in lines]
    parts += corners(solution)
    for mesh in deforming(solution, few=True):
        parts.append(np.stack([mesh.points(k) for k in range(count)]))
    for pair in layout.pairs.values():
        # of a plane on which something rolls only the road is seen
        ends = [x for x in (pair.a, pair.b) if not ("rolling" in pair.glyphs and layout.is_fixed(x))]
        parts += [solution.track(x).position for x in ends]
    return [part.reshape(count, -1, 3) for part in parts]


def _size_at_once(parts: list[np.ndarray]) -> float:
    """The largest size [m] that a mechanism with these points has at one time; infinite if it is a point."""
    if not parts:
        return np.inf
    points = np.concatenate(parts, axis=1)
    points = points[np.all(np.any(np.isfinite(points), axis=1), axis=1)]  # times at which something is seen
    size = float(np.max(np.nanmax(points, axis=1) - np.nanmin(points, axis=1), initial=0.0))
    return size or np.inf


def nice_limits(low: float, high: float) -> tuple[float, float]:
    """Round limits of a color scale that contain a range. They are symmetric about zero when both signs occur (a sign
    with less than a hundredth of the other does not count), and begin at zero when zero is near.

    >>> nice_limits(-1.903, 0.2), nice_limits(0.0, 82.2), nice_limits(7.03, 7.31), nice_limits(0.0, 0.0)
    ((-2.0, 2.0), (0.0, 88.0), (7.02, 7.38), (-1.0, 1.0))
    """
    most = max(abs(low), abs(high))
    if not most > 0.0 or not np.isfinite(most):
        return -1.0, 1.0
    if low < -0.01 * most and high > 0.01 * most:
        step = _round_up(0.5 * most)
        return -2.0 * step, 2.0 * step
    if max(low, -high) < 0.5 * most:
        low, high = (0.0, most) if high > 0.01 * most else (-most, 0.0)
    # four equal steps that begin at a round number
    step = _round_up(max(0.25 * (high - low), 0.01 * most))
    while (first := np.floor(low / step + 1e-9)) + 4 < high / step - 1e-9:
        step = _round_up(1.0001 * step)
    return float(f"{first * step:.6g}"), float(f"{(first + 4) * step:.6g}")


def _round_up(x: float) -> float:
    """The next round number, x or above."""
    scale = 10.0 ** np.floor(np.log10(x))
    return float(f"{scale * next((one for one in ROUND_NUMBERS if one * scale >= x * (1.0 - 1e-9)), 10.0):.6g}")


def _largest(x: np.ndarray) -> float:
    return float(np.nanmax(x)) if np.any(np.isfinite(x)) else 0.0


def _least(x: np.ndarray) -> float:
    return float(np.nanmin(x)) if np.any(np.isfinite(x)) else 0.0
