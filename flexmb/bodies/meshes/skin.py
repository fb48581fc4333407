"""The outer faces of a body, on which light and gases act."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from flexmb.bodies.meshes.body_mesh import BodyMesh
from flexmb.bodies.meshes.surface import surface_triangles
from flexmb.errors import ModelError
from flexmb.model.geometry.surfaces import looks_outwards


class Skin(NamedTuple):
    """The surface of a body in space: `triangles` (f, 3), counter-clockwise from outside, and whether each is a shell
    that has an inner side as well (f,)."""

    triangles: np.ndarray
    is_shell: np.ndarray


def skin_of(mesh: BodyMesh, where: str) -> Skin:
    """The outer faces of a mesh in space. Triangles and quadrilaterals that close around a volume, as those around the
    beams of a frame do, are its outside; others are shells with two sides.

    >>> cube = np.array([[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], dtype=float)
    >>> mesh = BodyMesh(cube, [("hexahedron", [range(8)]), ("quad", [[0, 1, 6, 7]])], np.zeros((8, 3, 1)))
    >>> skin = skin_of(mesh, "here")
    >>> len(skin.triangles), int(skin.is_shell.sum())
    (14, 2)
    """
    flat = [kind.startswith(("triangle", "quad")) for kind, _ in mesh.cells]
    found = []
    for shells in (False, True):
        cells = tuple(block for block, own in zip(mesh.cells, flat) if own == shells)
        found.append(surface_triangles(replace(mesh, cells=cells, elasticity=())))
    solids, sheets = found
    if not len(solids) + len(sheets):
        raise ModelError(f"{where}: its mesh has no faces, only lines or points; give a mesh with faces")
    outside = looks_outwards(mesh.nodes, sheets) if len(sheets) else None
    if outside is False:
        raise ModelError(
            f"{where}: the faces of its mesh are turned inwards; order the nodes of each counter-clockwise, seen from "
            "outside"
        )
    triangles = np.concatenate([solids, sheets])
    areas = face_areas(mesh.nodes[triangles])
    if np.any(areas == 0.0):
        k = int(np.argmin(areas))
        raise ModelError(
            f"{where}: {np.sum(areas == 0.0)} faces of its mesh have no area and no normal, the first with the nodes "
            f"{triangles[k].tolist()}; take them out of the mesh"
        )
    return Skin(triangles, np.repeat([False, outside is None], [len(solids), len(sheets)]))


def face_areas(corners: np.ndarray) -> np.ndarray:
    """The areas (f,) of triangles with the corners (f, 3, 3)."""
    a = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return np.asarray(0.5 * np.linalg.norm(a, axis=1))
