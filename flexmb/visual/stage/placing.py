"""Where pieces stand in space, for mechanisms of the plane and of space alike.

A pose (7,) is a place r [m] and a unit quaternion, scalar first, from the axes of a piece to those of the ground. The
plane is z = 0: its point (x, y) is (x, y, 0), and its angle θ is a turn about z.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.kernels.rotations import rotation_matrix
from flexmb.model.orientations import rotation_of, scalar_first
from flexmb.results import names
from flexmb.results.recorded import Recorded
from flexmb.results.tracks.spatial_track import products
from flexmb.visual.stage.films import carry

#: the directions x, y, z of the ground
X, Y, Z = np.eye(3)


def in_space(points: np.ndarray, z: float = 0.0) -> np.ndarray:
    """Points (…, 2) of the plane at a height z [m] as points (…, 3); those of space as they are."""
    if points.shape[-1] == 3:
        return points
    return np.concatenate([points, np.full((*points.shape[:-1], 1), z)], axis=-1)


def planar_poses(places: np.ndarray) -> np.ndarray:
    """Poses (k, 7) of places (k, 3) in the plane: x, y [m], angle [rad]."""
    out = np.zeros((len(places), 7))
    out[:, 0:2] = places[:, 0:2]
    out[:, 3], out[:, 6] = np.cos(0.5 * places[:, 2]), np.sin(0.5 * places[:, 2])
    return out


def poses(track: Any) -> np.ndarray:
    """Poses (k, 7) of a track."""
    return track.values[:, 0:7] if track.values.shape[1] == 19 else planar_poses(track.values[:, 0:3])


def node_poses(solution: Recorded, frame: str) -> np.ndarray:
    """Poses (k, 7) of the node that carries a frame."""
    layout = solution.layout
    if layout.dimension == 3:
        return names.node_motion(solution, frame)[0]
    return planar_poses(names.node_motion(solution, frame)[0])


def upright(points: np.ndarray) -> np.ndarray:
    """Poses (k, 7) at points (k, 2 or 3) of a piece that does not turn."""
    return np.column_stack([in_space(points), np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1))])


def fastened(carriers: np.ndarray, offset: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Poses (k, 7) of what is fastened to carriers (k, 7) at `offset` (3,) [m], with `axes` (3, 3) as columns."""
    turn = rotations(carriers)
    return np.column_stack([carriers[:, 0:3] + turn.apply(offset), products(carriers[:, 3:7], quaternion(axes))])


def rotations(given: np.ndarray) -> Rotation:
    """SciPy's rotations (k) of poses (k, 7)."""
    return rotation_of(given[:, 3:7])


def quaternion(axes: np.ndarray) -> np.ndarray:
    """The quaternion (4,), scalar first, of axes (3, 3) that are columns."""
    return scalar_first(Rotation.from_matrix(axes))


def matrix(given: np.ndarray) -> np.ndarray:
    """The rotation matrix (3, 3) of a quaternion (4,), scalar first."""
    return np.reshape(rotation_matrix(tuple(given)), (3, 3))


def transform(pose: np.ndarray) -> np.ndarray:
    """The matrix (4, 4) that turns and shifts points with a 1 behind them to a pose (7,)."""
    out = np.eye(4)
    out[0:3, 0:3], out[0:3, 3] = matrix(pose[3:7]), pose[0:3]
    return out


def placed(points: np.ndarray, pose: np.ndarray) -> np.ndarray:
    """Points (p, 3) at a pose (7,)."""
    return points @ matrix(pose[3:7]).T + pose[0:3]


def along(direction: np.ndarray, reference: np.ndarray = Z) -> np.ndarray:
    """Right-handed axes (3, 3), as columns: the first in a direction (3,), the third as near to a reference direction
    as it can be. Along x in the plane these are the axes of the ground.

    >>> (along(np.array([0.0, 2.0, 0.0])) + 0.0).tolist()
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    length = float(np.linalg.norm(direction))
    first = direction / length if length > 0.0 else X
    if abs(first @ reference) > 0.999 * float(np.linalg.norm(reference)):
        reference = Y if abs(first @ Y) < 0.9 else X
    x, y, z = _cross(reference.tolist(), first.tolist())
    size = math.sqrt(x * x + y * y + z * z)
    second = x / size, y / size, z / size
    return np.array([first, second, _cross(first.tolist(), second)]).T


def _cross(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, float]:
    """a × b of two vectors, for which NumPy takes ten times as long."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def about(axis: np.ndarray) -> np.ndarray:
    """Right-handed axes (3, 3), as columns: the third along an axis (3,). For z these are the axes of the ground.

    >>> about(np.array([0.0, 0.0, 1.0])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    return along(axis, Y)[:, [1, 2, 0]]


def steady_reference(directions: np.ndarray, first: np.ndarray = Z) -> np.ndarray:
    """The reference (3,) that directions (k, 3) never come near, so that axes built on it do not jump between instants:
    `first` if it serves as well as any axis of the ground does."""
    sizes = np.linalg.norm(directions, axis=1, keepdims=True)
    units = np.divide(directions, sizes, out=np.zeros_like(directions), where=sizes > 0.0)
    candidates = [first, X, Y, Z]
    nearest = [float(np.max(np.abs(units @ one), initial=0.0)) for one in candidates]
    return candidates[0] if nearest[0] < 0.9 else candidates[int(np.argmin(nearest))]


def normals(path: np.ndarray, reference: np.ndarray | None = None) -> np.ndarray:
    """Unit normals (p, 3) of a path (p, 3): across its direction and a reference (3,), to the left as seen from there;
    without a reference, normals that do not turn about the path as they go along it."""
    tangent = np.gradient(path, axis=0)
    size = np.linalg.norm(tangent, axis=1, keepdims=True)
    tangent = np.where(size > 0.0, tangent / np.where(size > 0.0, size, 1.0), X)
    if reference is not None:
        across = np.cross(reference, tangent)
        size = np.linalg.norm(across, axis=1, keepdims=True)
        return np.where(size > 0.0, across / np.where(size > 0.0, size, 1.0), Y)
    return _carried_normals(path, tangent)


def _carried_normals(path: np.ndarray, tangent: np.ndarray) -> np.ndarray:
    """Normals carried along a path, see :func:`flexmb.visual.stage.films.carry`."""
    out = np.empty(path.shape)
    out[0] = along(tangent[0])[:, 1]
    carry(np.ascontiguousarray(path, dtype=float), np.ascontiguousarray(tangent, dtype=float), out)
    return out
