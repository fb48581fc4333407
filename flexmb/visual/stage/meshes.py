"""Triangle meshes: swept tubes, rounded plates, balls, arrows, supports.

Pyvista makes the shapes that keep their form; a form that occurs in several sizes is made once, for a mechanism of
size 1. Tubes that bend have new points at every instant, which formulas give.
Points are (p, 3) [m], faces (f, 3) numbers of points, counter-clockwise when seen from outside. The points of a sharp
edge occur twice, so that normals, averaged over the faces at a point, are smooth only where the surface is.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from scipy.spatial import ConvexHull

from flexmb.visual.screens import pyvista
from flexmb.visual.stage.films import add_areas, put_tube
from flexmb.visual.stage.placing import about, in_space

if TYPE_CHECKING:
    from pyvista import PolyData

F = TypeVar("F", bound=Callable[..., Any])

#: radius and length of the head of an arrow, as multiples of its shaft's radius
HEAD_RADIUS, HEAD_LENGTH = 2.6, 7.0


def made_once(make: F) -> F:
    """Keep each mesh that is made. They are let go before Python takes its modules apart, since pyvista complains of
    meshes that outlive its own."""
    kept = cache(make)
    atexit.register(kept.cache_clear)
    return cast(F, kept)


@dataclass(frozen=True, eq=False)
class Profile:
    """The outline of a section: points (m, 2) along the normal and across it [m] (in the plane along z), its edges
    (e, 2), and the triangles (f, 3) of its face, a fan from the first point where not given."""

    points: np.ndarray
    edges: np.ndarray
    face: np.ndarray | None = None


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


def polygon(corners: np.ndarray) -> Profile:
    """A section with the corners (c, 2) of any polygon without holes, with sharp edges."""
    y, z = corners.T
    if np.sum(y * np.roll(z, -1) - np.roll(y, -1) * z) < 0.0:
        corners = corners[::-1]
    count = len(corners)
    flat = pyvista().PolyData(in_space(corners), np.array([count, *range(count)])).triangulate()
    # each corner occurs twice, for the side before it and for the one behind it
    points = np.repeat(corners, 2, axis=0)
    first = 2 * np.arange(count) + 1
    edges = np.stack([first, (first + 1) % (2 * count)], axis=1)
    return Profile(points, edges, 2 * np.asarray(flat.regular_faces))


def sweep(path: np.ndarray, normal: np.ndarray, profile: Profile, widths: np.ndarray | None = None) -> np.ndarray:
    """Points of a tube along a path (p, 3) with unit normals (p, 3): p rings of the profile, then the ring of each cap.

    The points of ring i are path_i + y n_i + z b_i, with b the unit vector along t × n and t the direction of the
    path; y and z times the `widths` (p, 2) of a tube that tapers.
    """
    count, m = len(path), len(profile.points)
    shares = np.ones((count, 2)) if widths is None else widths
    out = np.empty(((count + 2) * m, 3))
    put_tube(*(np.ascontiguousarray(x, dtype=float) for x in (path, normal, profile.points, shares)), out)
    return out


def sweep_faces(count: int, profile: Profile) -> np.ndarray:
    """Faces of a tube of `count` rings, with its caps."""
    m = len(profile.points)
    ring = m * np.arange(count - 1)[:, None]
    i, j = profile.edges.T
    one = np.stack([ring + i, ring + j, ring + m + j], axis=2).reshape(-1, 3)
    two = np.stack([ring + i, ring + m + j, ring + m + i], axis=2).reshape(-1, 3)
    fan = profile.face
    if fan is None:
        fan = np.stack([np.zeros(m - 2, dtype=int), np.arange(1, m - 1), np.arange(2, m)], axis=1)
    sides = np.stack([one, two], axis=1).reshape(-1, 3) if len(one) == len(two) else one
    return np.concatenate([sides, m * count + fan[:, ::-1], m * (count + 1) + fan]).astype(np.int64)


def plate(shape: np.ndarray, radius: float, half: float) -> PolyData:
    """A rounded plate around the corners (c, 2) of a convex shape, from z = −half to half, with beveled edges."""
    cut = 0.25 * min(radius, half)
    rims = [(radius - cut, -half), (radius, cut - half), (radius, half - cut), (radius - cut, half)]
    disks = [in_space(corner + circle(r, 36).points, z) for corner in shape for r, z in rims]
    return convex_hull(np.concatenate(disks))


@made_once
def cylinder(radius: float, half: float) -> PolyData:
    """A round disk or pin about the origin."""
    return plate(np.zeros((1, 2)), radius, half)


@made_once
def box(length: float, height: float, half: float) -> PolyData:
    """A block about the origin with rounded edges."""
    r = 0.18 * min(length, height)
    x, y = 0.5 * length - r, 0.5 * height - r
    return plate(np.array([[-x, -y], [x, -y], [x, y], [-x, y]]), r, half)


def prism(corners: np.ndarray, half: float) -> PolyData:
    """A sharp-edged prism over the corners (c, 2) of a convex polygon."""
    return convex_hull(np.concatenate([in_space(corners, -half), in_space(corners, half)]))


def convex_hull(points: np.ndarray) -> PolyData:
    """The surface of the convex hull of points (p, 3)."""
    corners, faces = np.unique(ConvexHull(points).simplices, return_inverse=True)
    surface = pyvista().PolyData.from_regular_faces(points[corners], faces.reshape(-1, 3))
    return _sharp(surface, auto_orient_normals=True)


@made_once
def cube() -> PolyData:
    """The sharp-edged cube of half the length 1 about the origin."""
    return prism(np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]), 1.0)


@made_once
def drum(count: int = 48) -> PolyData:
    """The sharp-edged round drum of the radius 1 and half the length 1 about the origin."""
    return prism(circle(1.0, count).points, 1.0)


def bar(ends: np.ndarray, radius: float) -> PolyData:
    """A round bar between two points (2, 3)."""
    length = float(np.linalg.norm(ends[1] - ends[0]))
    axes = about(ends[1] - ends[0]) * [radius, radius, 0.5 * length]
    return moved(drum(16), axes, 0.5 * (ends[0] + ends[1]))


@made_once
def thread(radius: float, half: float, turns: int) -> PolyData:
    """A threaded rod along z: a bar with a coil around it."""
    u = np.linspace(-1.0, 1.0, 20 * turns + 1)
    turn = turns * np.pi * u
    path = np.column_stack([radius * np.cos(turn), radius * np.sin(turn), half * u])
    wire = circle(0.22 * radius, 8)
    out = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(len(u))])
    coil = pyvista().PolyData.from_regular_faces(sweep(path, out, wire), sweep_faces(len(path), wire))
    return merged([cylinder(radius, half), _sharp(coil)])


def surface(points: np.ndarray, faces: np.ndarray) -> PolyData:
    """Triangles (f, 3) between points (p, 3), with sharp edges."""
    return _sharp(pyvista().PolyData.from_regular_faces(points, faces))


@made_once
def foot(size: float) -> PolyData:
    """A round support under the origin: a cone whose tip is cut off, on a disk; up is along z."""
    h = 1.6 * size
    cone = [in_space(circle(r, 32).points, z) for r, z in ((0.8 * size, -h), (0.28 * size, 0.12 * size))]
    disk = [in_space(circle(1.25 * size, 32).points, z) for z in (-h - 0.16 * size, -h)]
    return merged([convex_hull(np.concatenate(part)) for part in (cone, disk)])


def moved(
    mesh: PolyData, axes: np.ndarray, shift: np.ndarray | tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> PolyData:
    """A mesh turned, and stretched, to axes (3, 3), which are columns, and shifted."""
    points = np.asarray(mesh.points) @ axes.T + shift
    return pyvista().PolyData.from_regular_faces(points, mesh.regular_faces)


@made_once
def ring(inner: float, outer: float, half: float, count: int = 40) -> PolyData:
    """A flat ring about the origin, with so many points around it."""
    disk = pyvista().Disc(center=(0.0, 0.0, half), inner=inner, outer=outer, c_res=count)
    return _sharp(disk.extrude((0.0, 0.0, -2.0 * half), capping=True))


@made_once
def flywheel() -> PolyData:
    """A small wheel with three spokes about the origin, its axis z."""
    turn = 2.0 * np.pi * np.arange(3) / 3.0
    rim = 0.04 * np.stack([np.cos(turn), np.sin(turn), np.zeros(3)], axis=1)
    spokes = [bar(np.array([np.zeros(3), end]), 0.0045) for end in rim]
    return merged([ring(0.037, 0.05, 0.01), cylinder(0.01, 0.012), *spokes])


@made_once
def ball(radius: float, count: int = 24) -> PolyData:
    """A ball about the origin, with so many points around it."""
    return _sharp(pyvista().Sphere(radius=radius, theta_resolution=count, phi_resolution=count // 2 + 1))


@made_once
def arrow() -> PolyData:
    """An arrow along x whose shaft has the radius 1, as long as its head; :func:`stretched` changes its sizes."""
    shaft = pyvista().Cylinder(center=(0.5 * HEAD_LENGTH, 0.0, 0.0), radius=1.0, height=HEAD_LENGTH, resolution=16)
    return merged([_sharp(shaft), tip().translate((HEAD_LENGTH, 0.0, 0.0))])


@made_once
def tip() -> PolyData:
    """The head of an arrow whose shaft has the radius 1, from x = 0 on. Its point is cut off, since the
    surface has no unique normal there."""
    rims = [in_space(r * circle(1.0, 16).points, z) for r, z in ((HEAD_RADIUS, 0.0), (0.01 * HEAD_RADIUS, HEAD_LENGTH))]
    return convex_hull(np.concatenate(rims)[:, [2, 0, 1]])


def stretched(points: np.ndarray, length: float, radius: float) -> np.ndarray:
    """The points of an :func:`arrow` of a length and a shaft's radius [m]. An arrow shorter than its head shrinks as a
    whole."""
    head = HEAD_LENGTH * radius
    size = min(1.0, length / head)
    x = np.interp(points[:, 0], [0.0, HEAD_LENGTH, 2.0 * HEAD_LENGTH], [0.0, max(length - head, 0.0), length])
    return np.column_stack([x, size * radius * points[:, 1:]])


@made_once
def support(size: float, half: float) -> tuple[PolyData, PolyData]:
    """A support under the origin, and the hatching of the ground below it."""
    a, h = size, 1.6 * size
    foot = prism(np.array([[-a, -h], [a, -h], [0.28 * a, 0.12 * a], [-0.28 * a, 0.12 * a]]), 0.5 * half)
    slab = prism(np.array([[-1.7 * a, -h - 0.16 * a], [1.7 * a, -h - 0.16 * a], [1.7 * a, -h], [-1.7 * a, -h]]), half)
    return merged([foot, slab]), hatches(1.7 * a, -h - 0.16 * a, 0.55 * a, half)


def hatches(reach: float, y: float, size: float, half: float) -> PolyData:
    """Slanted hatching below the line at y, from −reach to reach."""
    count = max(3, round(2.0 * reach / (0.85 * size)))
    w = 0.17 * size
    one = prism(np.array([[-size, y - size], [w - size, y - size], [w, y], [0.0, y]]), 0.9 * half)
    return merged([one.translate((x, 0.0, 0.0)) for x in np.linspace(size - reach, reach - w, count)])


def merged(parts: list[PolyData]) -> PolyData:
    """Several meshes as one."""
    return parts[0].append_polydata(*parts[1:])


def vertex_normals(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Unit normals (p, 3): those of the faces at a point, weighted by their areas."""
    out = np.zeros((len(points), 3))
    add_areas(np.ascontiguousarray(points, dtype=float), np.ascontiguousarray(faces, dtype=np.int64), out)
    return out


def _sharp(surface: PolyData, **options: bool) -> PolyData:
    """The triangles of a surface with outward normals; each side of a sharp edge has its own points."""
    return surface.triangulate().compute_normals(cell_normals=False, split_vertices=True, **options)


def split_at_edges(points: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers (q,) of the points (p, 3) of a surface, those on sharp edges once for each side, and the triangles
    (f, 3) by places in this row.

    >>> corner = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    >>> numbers, faces = split_at_edges(corner, np.array([(0, 1, 2), (1, 0, 3)]))
    >>> sorted(numbers.tolist()), np.sort(numbers[faces], axis=1).tolist()
    ([0, 0, 1, 1, 2, 3], [[0, 1, 2], [0, 1, 3]])
    """
    if not len(faces):
        return np.arange(len(points)), faces
    surface = pyvista().PolyData.from_regular_faces(points, faces)
    surface.point_data["number"] = np.arange(len(points))
    split = _sharp(surface, consistent_normals=False)
    return np.asarray(split.point_data["number"]), np.asarray(split.regular_faces)
