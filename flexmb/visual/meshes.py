"""Triangles of what is seen: swept tubes, rounded plates, balls, arrows, supports. Only numbers; nothing is drawn here.

Points are (p, 3) [m], faces (f, 3) numbers of points, counter-clockwise when seen from outside. Where a surface has an
edge its points stand twice, so that normals averaged over the faces at a point are smooth only where the surface is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np


@dataclass(frozen=True, eq=False)
class Mesh:
    """Points (p, 3) [m] and triangles (f, 3)."""

    points: np.ndarray
    faces: np.ndarray


@dataclass(frozen=True, eq=False)
class Profile:
    """The outline of a section: points (m, 2) along the normal and along z [m], and its edges (e, 2)."""

    points: np.ndarray
    edges: np.ndarray


def circle(radius: float, count: int = 16) -> Profile:
    """A round section."""
    turn = 2.0 * np.pi * np.arange(count) / count
    edges = np.stack([np.arange(count), (np.arange(count) + 1) % count], axis=1)
    return Profile(radius * np.stack([np.cos(turn), np.sin(turn)], axis=1), edges)


def rectangle(height: float, width: float) -> Profile:
    """A section of a height in the plane and a width across it, with sharp edges."""
    a, b = 0.5 * height, 0.5 * width
    corners = np.array([[a, -b], [a, b], [-a, b], [-a, -b]])
    points = np.repeat(corners, 2, axis=0)[[1, 2, 3, 4, 5, 6, 7, 0]]
    return Profile(points, np.arange(8).reshape(4, 2))


def sweep(path: np.ndarray, normal: np.ndarray, profile: Profile) -> np.ndarray:
    """Points of a tube along a path (p, 3) with unit normals (p, 3): p rings of the profile, then the ring of each cap.

    The points of ring i are path_i + y n_i + z b_i, with b the unit vector along t × n and t the direction of the
    path.
    """
    tangent = np.gradient(path, axis=0)
    size = np.linalg.norm(tangent, axis=1, keepdims=True)
    tangent = tangent / np.where(size > 0.0, size, 1.0)
    across = np.cross(tangent, normal)
    size = np.linalg.norm(across, axis=1, keepdims=True)
    across = np.where(size > 0.0, across / np.where(size > 0.0, size, 1.0), [0.0, 0.0, 1.0])
    y, z = profile.points[:, 0, None], profile.points[:, 1, None]
    rings = path[:, None, :] + y * normal[:, None, :] + z * across[:, None, :]
    return np.concatenate([rings.reshape(-1, 3), rings[0], rings[-1]])


def sweep_faces(count: int, profile: Profile) -> np.ndarray:
    """Faces of a tube of `count` rings, with its caps."""
    m = len(profile.points)
    ring = m * np.arange(count - 1)[:, None]
    i, j = profile.edges.T
    one = np.stack([ring + i, ring + j, ring + m + j], axis=2).reshape(-1, 3)
    two = np.stack([ring + i, ring + m + j, ring + m + i], axis=2).reshape(-1, 3)
    fan = np.stack([np.zeros(m - 2, dtype=int), np.arange(1, m - 1), np.arange(2, m)], axis=1)
    sides = np.stack([one, two], axis=1).reshape(-1, 3) if len(one) == len(two) else one
    return np.concatenate([sides, m * count + fan[:, ::-1], m * (count + 1) + fan]).astype(np.int64)


def flat_normals(path: np.ndarray) -> np.ndarray:
    """Unit normals (p, 3) in the plane of a path (p, 2), to the left of its direction."""
    tangent = np.gradient(path, axis=0)
    size = np.hypot(*tangent.T)[:, None]
    tangent = np.where(size > 0.0, tangent / np.where(size > 0.0, size, 1.0), [1.0, 0.0])
    return np.column_stack([-tangent[:, 1], tangent[:, 0], np.zeros(len(path))])


def lifted(path: np.ndarray, z: float = 0.0) -> np.ndarray:
    """A path (p, 2) of the plane in space."""
    return np.column_stack([path, np.full(len(path), z)])


def tube(path: np.ndarray, profile: Profile) -> Mesh:
    """A tube along a path (p, 2) in the plane."""
    return Mesh(sweep(lifted(path), flat_normals(path), profile), sweep_faces(len(path), profile))


def rounded(shape: np.ndarray, radius: float, arc: int = 9) -> np.ndarray:
    """The outline, counter-clockwise, of all points within a radius of a convex shape (c, 2), c = 1, 2, …"""
    if len(shape) == 1:
        turn = 2.0 * np.pi * np.arange(4 * arc) / (4 * arc)
        return shape[0] + radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    points = []
    for k, corner in enumerate(shape):
        before, after = corner - shape[k - 1], shape[(k + 1) % len(shape)] - corner
        first = np.arctan2(before[1], before[0])
        change = (np.arctan2(after[1], after[0]) - first) % (2.0 * np.pi)
        turn = first - 0.5 * np.pi + change * np.linspace(0.0, 1.0, arc)
        points.append(corner + radius * np.stack([np.cos(turn), np.sin(turn)], axis=1))
    return np.concatenate(points)


def plate(shape: np.ndarray, radius: float, half: float) -> Mesh:
    """A rounded plate about a convex shape (c, 2), from z = −half to half, its edges taken off."""
    cut = 0.25 * min(radius, half)
    inner, outer = rounded(shape, radius - cut), rounded(shape, radius)
    rings = [(inner, -half), (outer, cut - half), (outer, half - cut), (inner, half)]
    return _stacked([lifted(outline, z) for outline, z in rings])


def cylinder(radius: float, half: float) -> Mesh:
    """A round disc or pin about the origin."""
    return plate(np.zeros((1, 2)), radius, half)


def box(length: float, height: float, half: float) -> Mesh:
    """A block about the origin with rounded edges."""
    r = 0.18 * min(length, height)
    x, y = 0.5 * length - r, 0.5 * height - r
    return plate(np.array([[-x, -y], [x, -y], [x, y], [-x, y]]), r, half)


def prism(corners: np.ndarray, half: float) -> Mesh:
    """A sharp-edged prism over a convex polygon (c, 2), counter-clockwise."""
    parts = [_stacked([lifted(corners, -half), lifted(corners, half)], sides=False)]
    for k in range(len(corners)):
        a, b = corners[k], corners[(k + 1) % len(corners)]
        side = np.array([[*a, -half], [*b, -half], [*b, half], [*a, half]])
        parts.append(Mesh(side, np.array([[0, 1, 2], [0, 2, 3]])))
    return merged(parts)


def ring(inner: float, outer: float, half: float, count: int = 40) -> Mesh:
    """A flat ring about the origin."""
    turn = np.linspace(0.0, 2.0 * np.pi, count + 1)
    radial = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(count + 1)])
    profile = rectangle(outer - inner, 2.0 * half)
    m = len(profile.points)
    # the direction of the path is that of growing angles, its binormal −z: the outline stays counter-clockwise
    points = sweep(0.5 * (inner + outer) * radial, radial, profile)[: m * (count + 1)]
    return Mesh(points, sweep_faces(count + 1, profile)[: 2 * count * len(profile.edges)])


def ball(radius: float, count: int = 24) -> Mesh:
    """A ball about the origin."""
    turn = 2.0 * np.pi * np.arange(count) / count
    height = np.pi * (np.arange(count // 2 + 1) / (count // 2) - 0.5)
    c, s = np.cos(height)[:, None], np.sin(height)[:, None]
    points = radius * np.stack([c * np.cos(turn), c * np.sin(turn), s + 0.0 * turn], axis=2)
    return Mesh(points.reshape(-1, 3), _bands(len(height), count))


def arrow(radius: float, count: int = 16) -> Mesh:
    """An arrow along x, with x = 0 at its tail, 1 at its neck and 2 at its tip; :func:`stretched` gives it a length."""
    outline = [(0.0, 0.0), (0.0, 1.0), (0.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 2.6), (1.0, 2.6), (2.0, 0.0)]
    turn = 2.0 * np.pi * np.arange(count) / count
    rings = [
        np.column_stack([np.full(count, x), radius * r * np.cos(turn), radius * r * np.sin(turn)]) for x, r in outline
    ]
    bands = [k for k in range(len(outline) - 1) if outline[k] != outline[k + 1]]
    return Mesh(np.concatenate(rings), np.concatenate([_bands(2, count) + k * count for k in bands]))


def stretched(points: np.ndarray, length: float, head: float) -> np.ndarray:
    """The points of an :func:`arrow` of a length [m], with a head of a length; a short one is small as a whole."""
    size = min(1.0, length / head) if head > 0.0 else 0.0
    x = np.interp(points[:, 0], [0.0, 1.0, 2.0], [0.0, max(length - head, 0.0), length])
    return np.column_stack([x, size * points[:, 1:]])


def support(size: float, half: float) -> tuple[Mesh, Mesh]:
    """A support under the origin, and the hatches of the ground below it."""
    a, h = size, 1.6 * size
    foot = prism(np.array([[-a, -h], [a, -h], [0.28 * a, 0.12 * a], [-0.28 * a, 0.12 * a]]), 0.5 * half)
    slab = prism(np.array([[-1.7 * a, -h - 0.16 * a], [1.7 * a, -h - 0.16 * a], [1.7 * a, -h], [-1.7 * a, -h]]), half)
    return merged([foot, slab]), hatches(1.7 * a, -h - 0.16 * a, 0.55 * a, half)


def hatches(reach: float, y: float, size: float, half: float) -> Mesh:
    """Slanted hatches below the line at y from −reach to reach."""
    count = max(3, round(2.0 * reach / (0.85 * size)))
    w = 0.17 * size
    found = []
    for x in np.linspace(-reach + size, reach - w, count):
        found.append(prism(np.array([[x - size, y - size], [x - size + w, y - size], [x + w, y], [x, y]]), 0.9 * half))
    return merged(found)


def moved(mesh: Mesh, x: float = 0.0, y: float = 0.0, angle: float = 0.0) -> Mesh:
    """A mesh turned about z and shifted."""
    return Mesh(placed(mesh.points, np.array([x, y, angle])), mesh.faces)


def placed(points: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Points (p, 3) turned by place[2] about z and shifted by place[0:2]."""
    c, s = np.cos(place[2]), np.sin(place[2])
    x, y, z = points.T
    return np.column_stack([place[0] + c * x - s * y, place[1] + s * x + c * y, z])


def merged(meshes: Iterable[Mesh]) -> Mesh:
    """Several meshes as one."""
    points, faces, first = [], [], 0
    for mesh in meshes:
        points.append(mesh.points)
        faces.append(mesh.faces + first)
        first += len(mesh.points)
    return Mesh(np.concatenate(points), np.concatenate(faces))


def vertex_normals(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Unit normals (p, 3): those of the faces at a point, weighted by their areas."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    area = np.cross(b - a, c - a)
    out = np.zeros_like(points)
    for column in range(3):
        for k in range(3):
            out[:, column] += np.bincount(faces[:, k], weights=area[:, column], minlength=len(points))
    size = np.linalg.norm(out, axis=1, keepdims=True)
    return np.where(size > 0.0, out / np.where(size > 0.0, size, 1.0), [0.0, 0.0, 1.0])


def _bands(rows: int, count: int) -> np.ndarray:
    """Faces between closed rings of `count` points each."""
    row = count * np.arange(rows - 1)[:, None]
    i, j = np.arange(count), (np.arange(count) + 1) % count
    one = np.stack([row + i, row + j, row + count + j], axis=2).reshape(-1, 3)
    two = np.stack([row + i, row + count + j, row + count + i], axis=2).reshape(-1, 3)
    return np.concatenate([one, two])


def _stacked(rings: list[np.ndarray], sides: bool = True) -> Mesh:
    """Convex outlines above each other, an edge at each of them, closed below and above."""
    m = len(rings[0])
    fan = np.stack([np.zeros(m - 2, dtype=int), np.arange(1, m - 1), np.arange(2, m)], axis=1)
    parts = [Mesh(rings[0], fan[:, ::-1]), Mesh(rings[-1], fan)]
    if sides:
        for low, high in pairwise(rings):
            parts.append(Mesh(np.concatenate([low, high]), _bands(2, m)))
    return merged(parts)
