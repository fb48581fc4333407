"""The surface of a mesh as triangles."""

from __future__ import annotations

import numpy as np

from flexmb.bodies.meshes.body_mesh import BodyMesh

#: corners of the faces of each solid, turning left as seen from outside
FACES: dict[str, tuple[tuple[int, ...], ...]] = {
    "tetra": ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)),
    "hexahedron": ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)),
    "wedge": ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)),
    "pyramid": ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)),
    "triangle": ((0, 1, 2),),
    "quad": ((0, 1, 2, 3),),
}
#: edges in the order in which their middle nodes stand behind the corners
EDGES: dict[str, tuple[tuple[int, int], ...]] = {
    "tetra": ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)),
    "hexahedron": (
        (0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7),
    ),
    "wedge": ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)),
    "pyramid": ((0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (2, 4), (3, 4)),
    "triangle": ((0, 1), (1, 2), (2, 0)),
    "quad": ((0, 1), (1, 2), (2, 3), (3, 0)),
}  # fmt: skip

#: corners of the quadrilaterals that have a node in their middle, in the order of these nodes in meshio
MIDDLES: dict[str, tuple[tuple[int, ...], ...]] = {
    "quad": ((0, 1, 2, 3),),
    "hexahedron": ((0, 4, 7, 3), (1, 2, 6, 5), (0, 1, 5, 4), (3, 7, 6, 2), (0, 3, 2, 1), (4, 5, 6, 7)),
    "wedge": ((0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5)),
    "pyramid": ((0, 1, 2, 3),),
}


def surface_triangles(mesh: BodyMesh) -> np.ndarray:
    """The triangles (f, 3) of the surface of solids, and those of cells in a plane, all by numbers of nodes; faces with
    nodes on their edges and in their middle are divided there. Lines have none.

    >>> cube = np.array([[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], dtype=float)
    >>> surface_triangles(BodyMesh(cube, [("hexahedron", [range(8)])], np.zeros((8, 3, 1)))).shape
    (12, 3)
    """
    corners: list[np.ndarray] = []
    triangles: list[np.ndarray] = []
    for kind, cells in mesh.cells:
        shape = kind.rstrip("0123456789")
        for face in FACES.get(shape, ()):
            found = _divided(shape, face, cells)
            key = np.sort(cells[:, list(face)], axis=1)
            corners.append(np.pad(key, ((0, 0), (0, 4 - len(face))), constant_values=-1))
            triangles.append(np.pad(found, ((0, 0), (0, 8 - found.shape[1]), (0, 0)), constant_values=-1))
    if not corners:
        return np.zeros((0, 3), dtype=np.int64)
    _, first, times = np.unique(np.concatenate(corners), axis=0, return_index=True, return_counts=True)
    outside = np.concatenate(triangles)[np.sort(first[times == 1])].reshape(-1, 3)
    return np.asarray(outside[outside[:, 0] >= 0])


def _divided(shape: str, face: tuple[int, ...], cells: np.ndarray) -> np.ndarray:
    """The triangles (cells, t, 3) of one face of all cells."""
    corner = [cells[:, k] for k in face]
    numbers, edges = len({k for f in FACES[shape] for k in f}), EDGES[shape]
    if cells.shape[1] < numbers + len(edges):
        halves = [(0, 1, 2)] if len(face) == 3 else [(0, 1, 2), (0, 2, 3)]
        return np.stack([np.stack([corner[k] for k in half], axis=1) for half in halves], axis=1)
    pairs = [frozenset((face[k], face[(k + 1) % len(face)])) for k in range(len(face))]
    of_edge = {frozenset(edge): numbers + k for k, edge in enumerate(edges)}
    middle = [cells[:, of_edge[pair]] for pair in pairs]
    n = len(face)
    quads = [frozenset(quad) for quad in MIDDLES.get(shape, ())]
    if frozenset(face) in quads and cells.shape[1] >= numbers + len(edges) + len(quads):
        around = [node for pair in zip(corner, middle, strict=True) for node in pair]
        center = cells[:, numbers + len(edges) + quads.index(frozenset(face))]
        return np.stack([np.stack([around[k - 1], around[k], center], axis=1) for k in range(2 * n)], axis=1)
    rows = [np.stack([corner[k], middle[k], middle[k - 1]], axis=1) for k in range(n)]
    rows += [np.stack([middle[0], middle[k], middle[k + 1]], axis=1) for k in range(1, n - 1)]
    return np.stack(rows, axis=1)
