"""Outlines of bodies and rigid arms: the convex hull of all that is fastened to a moving node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.results.recorded import Recorded


@dataclass(frozen=True, eq=False)
class Carrier:
    """A moving node with all that is fastened to it: the name of its body (of a frame when it has none), the numbers
    (3,) of its coordinates, the convex hull (c, 2) [m] of its frames and centers of mass in the axes of the node, and
    whether it has a body."""

    name: str
    numbers: tuple[int, int, int]
    shape: np.ndarray
    body: bool

    def outline(self, solution: Recorded) -> np.ndarray:
        """The hull as it moves (k, c, 2) [m]."""
        x, y, angle = (solution.q[:, number, None] for number in self.numbers)
        c, s = np.cos(angle), np.sin(angle)
        u, w = self.shape.T
        return np.stack([x + c * u - s * w, y + s * u + c * w], axis=2)


def carriers(solution: Recorded) -> list[Carrier]:
    """The moving nodes that carry a body, or rigid arms."""
    layout = solution.layout
    n = solution.q.shape[1]
    local: dict[tuple[int, int, int], list[np.ndarray]] = {}
    called: dict[tuple[int, int, int], str] = {}
    first: dict[tuple[int, int, int], str] = {}
    for name, frame in layout.frames.items():
        if frame.numbers[0] < n:
            local.setdefault(frame.numbers, []).append(np.array(frame.offset[:2]))
            first.setdefault(frame.numbers, name)
    for name, body in layout.bodies.items():
        frame = layout.frames[body.frame]
        if frame.numbers[0] < n:
            c, s = np.cos(frame.offset[2]), np.sin(frame.offset[2])
            x, y = body.center
            local[frame.numbers].append(np.array(frame.offset[:2]) + np.array([c * x - s * y, s * x + c * y]))
            called.setdefault(frame.numbers, name)
    meshed = {name for name, body in layout.bodies.items() if body.mesh is not None}
    several = []
    for numbers, points in local.items():
        shape = hull(np.array(points))
        if called.get(numbers) in meshed:  # its mesh is drawn
            continue
        if numbers in called or len(shape) > 1:
            several.append(Carrier(called.get(numbers, first[numbers]), numbers, shape, numbers in called))
    return several


def hull(points: np.ndarray) -> np.ndarray:
    """The corners of the convex hull of points (p, 2), turning left from the leftmost one; the two ends when all lie on
    a line.

    >>> hull(np.array([[1.0, 1.0], [0.5, 0.2], [0.0, 0.0], [1.0, 0.0]])).tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
    """
    from scipy.spatial import ConvexHull

    points = np.unique(points.round(12), axis=0)
    away = points - points[0]
    if np.linalg.matrix_rank(away, tol=1e-9 * float(np.max(np.abs(away)))) < 2:
        return points if len(points) == 1 else points[[0, -1]]
    corners = ConvexHull(points).vertices
    return points[np.roll(corners, -int(np.argmin(corners)))]
