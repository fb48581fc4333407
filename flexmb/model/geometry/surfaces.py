"""Bodies inside closed surfaces of triangles."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.geometry.shapes import Shape
from flexmb.model.orientations import Orientation, quaternion_of


class ClosedSurface(Shape):
    """What a closed surface of triangles encloses.

    By the divergence theorem volume, mass center and inertia are sums over the tetrahedra that each triangle (a, b, c)
    makes with one point, from which a, b and c are measured; V of a tetrahedron is positive if its triangle is
    counter-clockwise from outside, s = a + b + c:

        V = Σ a · (b × c)/6,   ∫ r dV = Σ V s/4,   ∫ r rᵀ dV = Σ V (a aᵀ + b bᵀ + c cᵀ + s sᵀ)/20

    Arguments: `vertices` (p, 3) [m]; `faces` (f, 3), the numbers of the vertices of each triangle; `position` (3,) [m]
    and `orientation` of the axes in which the vertices are given, in the axes of the body's frame. Vertices at one
    place count as one. Faces that all look inwards are turned round. A surface around a hollow has an inner part, whose
    faces look into the hollow. A surface with open edges, or with faces that look both ways, encloses nothing and is
    refused. :func:`flexmb.read_surface` reads one from a file.

    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> part = ClosedSurface(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    >>> round(part.volume, 6), part.center.tolist()
    (0.166667, [0.25, 0.25, 0.25])
    """

    def __init__(
        self,
        vertices: Any,
        faces: Any,
        *,
        position: Vector = (0.0, 0.0, 0.0),
        orientation: Orientation = None,
        name: str = "surface",
    ) -> None:
        checks.text(name, "name", "surface")
        where = name if name == "surface" else f"surface {name!r}"
        points, triangles = _checked(vertices, faces, where)
        _check_closed(triangles, where)
        # sums about the middle of the points lose the fewest digits
        middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
        a, b, c = (points[triangles[:, k]] - middle for k in range(3))
        volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
        parts = _check_parts(points, triangles, volumes, where)
        if parts < 0:
            triangles, volumes = triangles[:, ::-1], -volumes
        volume, s = float(np.sum(volumes)), a + b + c
        center = volumes @ s / 4.0 / volume
        second = sum((x * volumes[:, None]).T @ x for x in (a, b, c, s)) / 20.0 / volume - np.outer(center, center)
        gyration = np.trace(second) * np.eye(3) - second
        axes = quaternion_of(orientation, "orientation", where)
        self._place(
            "surface", (), volume, gyration, position, axes, center + middle,
            vertices=points, faces=np.ascontiguousarray(triangles),
        )  # fmt: skip

    def __repr__(self) -> str:
        vertices, faces = np.asarray(self.drawn.vertices), np.asarray(self.drawn.faces)
        return f"ClosedSurface({len(vertices)} vertices, {len(faces)} faces)"


def _checked(vertices: Any, faces: Any, where: str) -> tuple[np.ndarray, np.ndarray]:
    """Points (p, 3), each place once, and triangles (f, 3) that have an area in them."""
    points = checks.numbers(vertices, "vertices", where, "points (p, 3)")
    if points.ndim != 2 or points.shape[1] != 3:
        raise ModelError(f"{where}: vertices must be points (p, 3), not {checks.quoted(points)}")
    given = checks.numbers(faces, "faces", where, "triangles (f, 3), numbers of vertices")
    triangles = given.astype(np.int64)
    if given.ndim != 2 or given.shape[1] != 3 or np.any(triangles != given) or not len(given):
        raise ModelError(f"{where}: faces must be triangles (f, 3), numbers of vertices, not {checks.quoted(given)}")
    if triangles.min() < 0 or triangles.max() >= len(points):
        raise ModelError(
            f"{where}: faces name vertex {triangles.max() if triangles.min() >= 0 else triangles.min()}; there are "
            f"{len(points)} vertices, numbered from 0"
        )
    points, number = np.unique(points + 0.0, axis=0, return_inverse=True)  # −0 is 0
    triangles = number.reshape(-1)[triangles]
    twice = (triangles == np.roll(triangles, 1, axis=1)).any(axis=1)
    return points, triangles[~twice]


def looks_outwards(points: np.ndarray, triangles: np.ndarray) -> bool | None:
    """Whether triangles that close around a volume look outwards, True, or inwards, False. None: they do not close.

    >>> corners = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    >>> faces = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    >>> looks_outwards(corners, faces), looks_outwards(corners, faces[:, ::-1]), looks_outwards(corners, faces[:3])
    (True, False, None)
    """
    a, b, c = (points[triangles[:, k]] - points.mean(axis=0) for k in range(3))
    volumes = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    try:
        _check_closed(triangles, "")
        return _check_parts(points, triangles, volumes, "") > 0
    except ModelError:
        return None


def _check_closed(triangles: np.ndarray, where: str) -> None:
    """Refuse a surface with open edges, or one on which neighboring triangles turn opposite ways."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    forward = edges[:, 0] < edges[:, 1]
    _, which = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    count = np.bincount(which.reshape(-1))
    turns = np.bincount(which.reshape(-1), weights=np.where(forward, 1.0, -1.0))
    odd = int(np.sum(count % 2))
    if odd:
        raise ModelError(
            f"{where}: it is open: {odd} of its {len(count)} edges have not a triangle on either side; close it"
        )
    if np.any(turns):
        raise ModelError(
            f"{where}: at {int(np.sum(turns != 0))} of its {len(count)} edges two neighboring triangles turn opposite "
            "ways; order the vertices of each triangle counter-clockwise, seen from outside"
        )


def _check_parts(points: np.ndarray, triangles: np.ndarray, volumes: np.ndarray, where: str) -> int:
    """1 if the triangles look outwards, −1 if inwards. Parts that do not touch may turn the other way inside of others
    only, where they are hollows."""
    ends = triangles[:, [0, 1, 1, 2]].reshape(-1, 2)
    links = sp.coo_array((np.ones(len(ends)), tuple(ends.T)), (len(points), len(points)))
    _, labels = connected_components(links, directed=False)
    of = np.unique(labels[triangles[:, 0]], return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(of, weights=volumes)
    boxes = []
    for part in range(len(sizes)):
        own = points[triangles[of == part].ravel()]
        boxes.append((own.min(axis=0), own.max(axis=0)))
    span = np.ptp(points, axis=0)
    if abs(float(np.sum(sizes))) <= 1e-12 * float(np.max(span)) ** 3:
        raise ModelError(f"{where}: it encloses no volume; give a surface around a body")
    sign = 1 if np.sum(sizes) > 0.0 else -1
    for k in np.flatnonzero(sign * sizes < 0.0):
        low, high = boxes[k]
        around = any(
            np.all(boxes[j][0] <= low) and np.all(high <= boxes[j][1]) for j in np.flatnonzero(sign * sizes > 0)
        )
        if not around:
            raise ModelError(
                f"{where}: of its {len(sizes)} parts that do not touch one is turned inside out, and it is no hollow "
                "of another; turn its triangles round"
            )
    return sign
