"""A small drawing of a mechanism in SVG, for reports in notebooks: made in milliseconds, without Matplotlib."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flexmb.plots.scene import Extent, Scene

#: the longer side of a drawing, and the shortest of its shorter one [pixel]
LONGER, SHORTEST = 320.0, 40.0
#: the largest number of points of a drawing
MOST_POINTS = 20_000
#: colors that stand out on light and on dark ground: of what moves, and of what stands still
MOVING, STILL = "#2f7fc4", "#8a8f98"


def thumbnail(mechanism: Scene, around: Extent) -> str:
    """A mechanism at its times, earlier ones paler; nothing if there are too many points to be drawn in short time."""
    if sum(points[..., 0].size for points in mechanism.moving()) > MOST_POINTS:
        return ""
    low, high = around
    scale = LONGER / float(np.max(high - low))
    width, height = np.maximum(np.rint((high - low) * scale), SHORTEST)
    shapes = [*_ground(mechanism, low, high, scale)]
    for k in range(len(mechanism.t)):
        opacity = 0.25 + 0.75 * (k + 1) / len(mechanism.t)
        inside = "".join(_instant(mechanism, k, low, high, scale))
        shapes.append(f'<g opacity="{opacity:.2f}" stroke="{MOVING}" fill="none">{inside}</g>')
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    return f'<div><svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(shapes)}</svg></div>'


def _ground(mechanism: Scene, low: np.ndarray, high: np.ndarray, scale: float) -> Iterator[str]:
    for path in (*mechanism.roads, *mechanism.guides):
        yield _line(_pixels(path, low, high, scale), f'stroke="{STILL}" fill="none" stroke-dasharray="5 3"')
    for x, y in (_pixels(place, low, high, scale)[0] for place in mechanism.grounds):
        yield f'<path d="M{x:.1f} {y:.1f}l-6 10h12z" fill="{STILL}"/>'


def _instant(mechanism: Scene, k: int, low: np.ndarray, high: np.ndarray, scale: float) -> Iterator[str]:
    for several, stroke in (
        (mechanism.rods, 1.2),
        (mechanism.springs, 1.2),
        (mechanism.bodies, 2.0),
        (mechanism.arms, 2.5),
        (mechanism.beams, 2.5),
        (mechanism.lines, 1.5),
        (mechanism.blocks, 2.5),
        (mechanism.pins, 1.2),
    ):
        for points in several:
            corners = _pixels(points[k], low, high, scale)
            if len(corners) == 1:
                x, y = corners[0]
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{2.0 * stroke:.1f}" fill="{MOVING}"/>'
                continue
            closed = several is mechanism.bodies and len(corners) > 2
            filling = f'fill="{MOVING}" fill-opacity="0.15"' if closed else ""
            yield _line(corners, f'stroke-width="{stroke}" {filling}', closed)


def _pixels(points: np.ndarray, low: np.ndarray, high: np.ndarray, scale: float) -> np.ndarray:
    """Points (p, 2) in pixels from the upper left corner; those without a place are left out."""
    points = points.reshape(-1, 2)
    points = points[np.all(np.isfinite(points), axis=1)]
    return np.stack([points[:, 0] - low[0], high[1] - points[:, 1]], axis=1) * scale


def _line(corners: np.ndarray, style: str, closed: bool = False) -> str:
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
    return f'<path d="M{path}{"z" if closed else ""}" {style}/>' if len(corners) else ""
