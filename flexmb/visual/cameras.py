"""Directions of view: from where, and how upright, a mechanism in space is seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.results.recorded import Recorded
from flexmb.visual.stage.placing import Y, Z

#: directions of view: the turn about the direction that is up, and the elevation [rad]
CAMERAS = {
    "tilted": (-0.22, 0.27),
    "front": (0.0, 0.0),
    "isometric": (0.25 * np.pi, np.arcsin(1.0 / np.sqrt(3.0))),
    "side": (0.5 * np.pi, 0.0),
    "top": (0.0, 0.5 * np.pi),
}


def up_of(solution: Recorded) -> np.ndarray:
    """The direction (3,) that is up in pictures: against gravity in space, z where there is none, y in the plane."""
    if solution.layout.dimension == 2:
        return Y
    gravity = np.array(solution.layout.gravity or (0.0, 0.0, 0.0))
    size = float(np.linalg.norm(gravity))
    return -gravity / size if size > 0.0 else Z


def camera_axes(camera: str | np.ndarray, up: np.ndarray = Y) -> np.ndarray:
    """Directions (3, 3), as rows: to the right of a picture, up in it, and to the viewer."""
    right = min(np.eye(3), key=lambda axis: round(abs(float(axis @ up)), 9))
    right = right - (right @ up) * up
    right = right / np.linalg.norm(right)
    front = np.cross(right, up)
    if isinstance(camera, str):
        turn, height = CAMERAS[camera]
    else:
        x, y, z = (float(np.dot(camera, axis)) for axis in (right, up, front))
        turn, height = np.arctan2(x, z), np.arctan2(y, np.hypot(x, z))
    back = np.cos(height) * (np.sin(turn) * right + np.cos(turn) * front) + np.sin(height) * up
    across = np.cos(turn) * right - np.sin(turn) * front
    return np.array([across, np.cross(back, across), back])


def checked_camera(solution: Recorded, camera: Any, up: Any, where: str) -> np.ndarray:
    """The axes (3, 3) of a camera that a user chose, see :func:`camera_axes`: one of :data:`CAMERAS` or the direction
    (3,) from the mechanism to the viewer ('tilted' in the plane and 'isometric' in space when not given), and the
    direction `up` (3,), that of :func:`up_of` when not given."""
    upward = up_of(solution) if up is None else checked_direction(up, "up", where)
    if camera is None:
        camera = "tilted" if solution.layout.dimension == 2 else "isometric"
    if isinstance(camera, str):
        return camera_axes(checks.choice(camera, CAMERAS, "camera", where), upward)
    return camera_axes(checked_direction(camera, "camera", where), upward)


def checked_direction(given: Any, what: str, where: str) -> np.ndarray:
    """A unit direction (3,)."""
    direction = checks.vector(given, what, where, 3)
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        raise ModelError(f"{where}: {what} has no direction, since all its numbers are zero")
    return direction / length


def size_given(size: Any, where: str) -> tuple[int, int]:
    """The width and height [pixel] of a picture that a user gave, made even."""
    width, height = checks.vector(size, "size", where)
    return even_pixels(width, where), even_pixels(height, where)


def even_pixels(pixels: Any, where: str) -> int:
    """A number of pixels, made even, as films need it."""
    count = checks.count(pixels, "size", where, least=16)
    return count + count % 2
