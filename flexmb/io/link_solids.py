"""Solids of links of a robot file: closed surfaces filled with tetrahedra, and the nodes around a joint.

The package pytetwild fills a surface; it is asked for where it is used only.
"""

from __future__ import annotations

from contextlib import chdir
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from flexmb.bodies.full_models.node_sets import NodeSet
from flexmb.errors import MissingExtraError, ModelError
from flexmb.io.urdf_file import LinkData, yourdfpy
from flexmb.io.urdf_shapes import Figures
from flexmb.model import checks

#: size of the tetrahedra, in diagonals of the body, where it is not given
COARSE = 0.1
#: how far the surface of the tetrahedra may be from the given one, in diagonals of the body
ENVELOPE = 1e-3
#: a joint that is deeper inside a solid than this part of its diagonal has no surface around it to stand on
DEEP = 0.01
#: nodes that carry a joint where none are given, at least
FEWEST = 6


class Surface(NamedTuple):
    """A closed surface: `points` (p, 3) [m], `faces` (f, 3), and the `size` [m] of the tetrahedra within."""

    points: np.ndarray
    faces: np.ndarray
    size: float

    @property
    def diagonal(self) -> float:
        """The diagonal of its box [m]."""
        return float(np.linalg.norm(np.ptp(self.points, axis=0)))

    def height(self, point: np.ndarray) -> float:
        """The distance [m] of a point (3,) from the surface, negative inside."""
        import pyvista as pv

        outside = pv.PolyData.from_regular_faces(self.points, self.faces)
        place = pv.PolyData(np.asarray(point, dtype=float)[None]).compute_implicit_distance(outside)
        return float(place["implicit_distance"][0])


def tetrahedra_of(link: LinkData, which: str, figures: Figures, size: float | None, where: str) -> tuple[Any, Surface]:
    """The visual or collision geometry of a link as a mesh of tetrahedra, in the axes of the link, and its surface."""
    surface = surface_of(link, which, figures, size, where)
    try:
        import pytetwild
    except ImportError:
        raise MissingExtraError(
            f"{where}: the package pytetwild, which fills its surface with tetrahedra, is not installed: pip install "
            "'flexmb[tetrahedra]'; or give a mesh of its volume, mesh=…"
        ) from None
    import meshio

    with TemporaryDirectory() as folder, chdir(folder):  # the package leaves a file where it runs
        points, cells = pytetwild.tetrahedralize(
            np.ascontiguousarray(surface.points), np.ascontiguousarray(surface.faces, dtype=np.int32),
            edge_length_abs=surface.size, epsilon=ENVELOPE, num_threads=1, quiet=True,
        )  # fmt: skip
    return meshio.Mesh(np.asarray(points), [("tetra", np.asarray(cells, dtype=np.int64))]), surface


def surface_of(link: LinkData, which: str, figures: Figures, size: float | None, where: str) -> Surface:
    """The one closed surface of the visual or collision geometry of a link; refused where it is not one."""
    yourdfpy()
    import trimesh

    shapes = link.visuals if which == "visual" else link.collisions
    other = "mesh='collision'" if which == "visual" else "mesh='visual'"
    give = f"give a mesh of its volume, mesh=…, or {other}"
    if len(shapes) != 1:
        many = f"{len(shapes)} bodies of {which} geometry" if shapes else f"no {which} geometry"
        raise ModelError(f"{where}: it has {many}; a flexible link is one solid, so {give}")
    parts = list(figures.surfaces(shapes[0]))
    if len(parts) != 1:
        raise ModelError(f"{where}: its {which} mesh has {len(parts)} bodies; a flexible link is one solid, so {give}")
    solid = trimesh.Trimesh(*parts[0], process=True)
    if not solid.is_watertight or not solid.is_winding_consistent:
        open_edges = len(trimesh.grouping.group_rows(solid.edges_sorted, require_count=1))
        raise ModelError(
            f"{where}: the surface of its {which} mesh is not closed: {open_edges} edges have a triangle on one side "
            f"only; repair it, or {give}"
        )
    if solid.volume < 0.0:
        solid.invert()
    pieces = [piece for piece in solid.split(only_watertight=False) if piece.volume > 0.0]  # hollows count negative
    if len(pieces) > 1:
        volumes = ", ".join(f"{1e3 * piece.volume:.3g}" for piece in pieces[:4])
        raise ModelError(
            f"{where}: its {which} mesh has {len(pieces)} bodies, of {volumes} liters; a flexible link is one solid, "
            f"so {give}"
        )
    points, faces = np.asarray(solid.vertices, dtype=float), np.asarray(solid.faces)
    diagonal = float(np.linalg.norm(np.ptp(points, axis=0)))
    return Surface(points, faces, COARSE * diagonal if size is None else checks.positive(size, "size", where))


def near_joint(place: np.ndarray, surface: Surface | None, where: str, name: str) -> NodeSet:
    """The nodes around a joint: those no farther from it than the nearest one and half of an element, and at least
    :data:`FEWEST`."""
    give = f"give its nodes, interfaces={{{name!r}: …}}"
    if surface is None:
        raise ModelError(f"{where}: a mesh that is given does not say which of its nodes carry the joint; {give}")
    depth = -surface.height(place)
    if depth > DEEP * surface.diagonal:
        raise ModelError(
            f"{where}: it stands inside the solid of the link, {depth:.3g} m below its surface, where no node is free "
            f"to carry it; {give}"
        )
    size = surface.size

    def rule(nodes: np.ndarray) -> np.ndarray:
        apart = np.linalg.norm(nodes - place, axis=1)
        least = np.partition(apart, FEWEST - 1)[FEWEST - 1]
        return np.asarray(apart <= max(apart.min() + 0.5 * size, least))

    return NodeSet(rule, f"around the joint {name!r}")
