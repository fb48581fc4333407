"""The sizes of a picture, computed from all that it will show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from flexmb.results.scene import scene_of
from flexmb.results.solution import Solution
from flexmb.visual.arrows import arrows, selected_loads
from flexmb.visual.joints import slide
from flexmb.visual.scales import PictureScales, Selection

#: round numbers for the steps of a colour scale
ROUND_NUMBERS = (1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.2, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0)


def scales_of(solution: Solution, selection: Selection, trails: Sequence[np.ndarray]) -> PictureScales:
    """The scales of a solution, the same for all its times."""
    low, high = scene_of(solution).bounds()
    for path in trails:
        low, high = np.minimum(low, path.min(axis=0)), np.maximum(high, path.max(axis=0))
    unit = max(float(np.max(high - low)), 1e-9)
    forces, densities, torques = [0.0], [0.0], [0.0]
    acting = list(selected_loads(solution, selection))
    for _, _, load in acting:
        if load.torques is not None:
            torques.append(_largest(np.abs(load.torques)))
        if load.forces is not None:
            (densities if load.spread else forces).append(_largest(np.hypot(*load.forces.T)))
    limits = (0.0, 1.0)
    if selection.quantity is not None:
        rows = [solution.along(beam, selection.quantity, selection.points) for beam in selection.coloured]
        limits = nice_limits(min(_least(x) for x in rows), max(_largest(x) for x in rows))
    pairs = solution.layout.pairs
    slides = {name: slide(solution, name) for name, pair in pairs.items() if "slider" in pair.glyphs}
    scales = PictureScales(unit, max(forces), max(densities), max(torques), low, high, limits, slides)
    for name, role, load in acting:
        for piece in arrows(load, name, role, scales):
            for k in range(0, len(solution.t), max(1, len(solution.t) // 40)):
                if piece.visible_faces(k):
                    points = piece.points(k)[:, :2]
                    low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
    return replace(scales, low=low, high=high)


def nice_limits(low: float, high: float) -> tuple[float, float]:
    """Round limits of a colour scale that contain a range. They are symmetric about zero when both signs occur (a sign
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
