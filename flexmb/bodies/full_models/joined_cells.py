"""Cells of several kinds in one mesh, joined at the nodes of the faces that they share.

Edges and quadrilaterals are known by their corners, so cells that share corners share what lies between them too.
Where a quadrilateral of one cell lies on triangles of others the displacements would not fit together; such meshes are
refused with the number of these faces. The order of a cell's corners may be that of its mirror image.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from flexmb.bodies.full_models.cell_kinds import CORNERS, MIDDLES, gauss_points, nodes_of, shape_functions
from flexmb.bodies.full_models.solid_elements import SolidElements
from flexmb.bodies.meshes.surface import EDGES, FACES
from flexmb.errors import ModelError

#: part of the volume of a cube of the same size below which an element counts as degenerate
FLAT = 1e-6
#: nodes closer than this part of the mesh's size are at one place
ONE_PLACE = 1e-9
#: a given node may be off the middle of its edge by this part of the edge's length
OFF = 0.5

#: blocks of cells, each with the name of its kind and the numbers of its points (cells, points of each)
Blocks = list[tuple[str, np.ndarray]]


@dataclass(frozen=True, eq=False)
class JoinedCells:
    """Cells of the order 1 or 2 over one set of nodes: `nodes` (N, d); `cells`, by meshio's names in its order;
    `of_point` (p,), the node of each point of the mesh, −1 without one; `edges` and `quads`, corners, by points, and
    the node in their middle behind them."""

    nodes: np.ndarray
    cells: Blocks
    of_point: np.ndarray
    edges: np.ndarray
    quads: np.ndarray

    def nodes_on(self, corners: np.ndarray, edges: np.ndarray, quads: np.ndarray) -> np.ndarray:
        """Nodes at points `corners` (k,), and in the middle of edges (e, 2) and of quadrilaterals (f, 4) by points."""
        found = [self.of_point[corners]]
        found += [
            known[_among(known[:, :-1], asked), -1] for known, asked in ((self.edges, edges), (self.quads, quads))
        ]
        numbers = np.unique(np.concatenate(found))
        return np.asarray(numbers[numbers >= 0])

    def nodes_between(self, points: np.ndarray) -> np.ndarray:
        """Nodes at points (k,), and in the middle of edges and quadrilaterals of which all corners are among these."""
        inside = [known[np.all(np.isin(known[:, :-1], points), axis=1), -1] for known in (self.edges, self.quads)]
        numbers = np.unique(np.concatenate([self.of_point[points], *inside]))
        return np.asarray(numbers[numbers >= 0])


def shape_of(kind: str) -> str:
    """The kind of cell without the number of its nodes.

    >>> shape_of("tetra10"), shape_of("wedge")
    ('tetra', 'wedge')
    """
    return kind.rstrip("0123456789")


def is_known(kind: str, count: int) -> bool:
    """Whether cells of a kind with so many points are known: corners alone, those and edges, or all nodes.

    >>> is_known("wedge15", 15), is_known("hexahedron24", 24)
    (True, False)
    """
    shape = shape_of(kind)
    if shape not in CORNERS:
        return False
    return count in (len(CORNERS[shape]), len(CORNERS[shape]) + len(EDGES[shape]), len(nodes_of(shape, 2)))


def joined_cells(blocks: Blocks, points: np.ndarray, order: int, where: str) -> JoinedCells:
    """Cells that share nodes; the nodes that a file lacks for the second order are made in the middle of its edges and
    faces.

    >>> cube = np.array([(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], dtype=float)
    >>> both = np.vstack([cube, [(0.5, 0.5, 2)]])
    >>> blocks = [("hexahedron", np.arange(8)[None]), ("pyramid", np.array([[4, 5, 6, 7, 8]]))]
    >>> found = joined_cells(blocks, both, 2, "body")
    >>> len(found.nodes), [kind for kind, _ in found.cells]
    (32, ['hexahedron27', 'pyramid14'])
    """
    _check_faces(blocks, points, where)
    corners = [data[:, : len(CORNERS[shape_of(kind)])] for kind, data in blocks]
    if order == 1:
        cells: Blocks = [(shape_of(kind), c) for (kind, _), c in zip(blocks, corners, strict=True)]
        edges, quads = np.zeros((0, 3), dtype=np.int64), np.zeros((0, 5), dtype=np.int64)
    else:
        of_edges, edges, points = _on_edges(blocks, corners, points, where)
        of_quads, quads, points = _in_quads(blocks, corners, of_edges, points)
        cells = []
        for (kind, data), c, e, q in zip(blocks, corners, of_edges, of_quads, strict=True):
            shape, parts = shape_of(kind), [c, e, q]
            if shape == "hexahedron" and data.shape[1] == 27:
                parts.append(data[:, 26:])
            elif shape == "hexahedron":
                parts.append((len(points) + np.arange(len(c)))[:, None])
                inside = -0.25 * points[c].sum(axis=1) + 0.25 * points[e].sum(axis=1)
                points = np.concatenate([points, inside])
            whole = np.column_stack(parts)
            cells.append((f"{shape}{whole.shape[1]}", whole))
    used = np.unique(np.concatenate([c.ravel() for _, c in cells]))
    number = np.full(len(points), -1)
    number[used] = np.arange(len(used))
    nodes = np.ascontiguousarray(points[used])
    _check_places(nodes, where)
    for known in (edges, quads):
        known[:, -1] = number[known[:, -1]]
    return JoinedCells(nodes, [(kind, number[c]) for kind, c in cells], number, edges, quads)


def elements_of(
    joined: JoinedCells, order: int, lame: tuple[float, float], density: float, scale: float, depth: float, where: str
) -> list[SolidElements]:
    """The finite elements of each block: `scale`, meters for each unit of its nodes, `depth` [m] of a body of the
    plane, 1 in space."""
    found = []
    for kind, cells in joined.cells:
        shape = shape_of(kind)
        x, w = gauss_points(shape, order)
        values, slopes = shape_functions(shape, order, x)
        corners = joined.nodes[cells]
        d = corners.shape[2]
        J = np.einsum("eai,qaj->eqij", corners, slopes, optimize=True)
        det = np.linalg.det(J)
        _check_volumes(det, corners, shape, where)
        gradients = np.matmul(slopes[None], np.linalg.inv(J))
        found.append(SolidElements(
            cells, values[None], np.ascontiguousarray(gradients) / scale, np.abs(det) * w * scale**d * depth, lame,
            density, len(joined.nodes),
        ))  # fmt: skip
    return found


def _on_edges(
    blocks: Blocks, corners: list[np.ndarray], points: np.ndarray, where: str
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """The nodes (E, edges) in the middle of the edges of each block; all edges; the points with the new ones."""
    pairs, given = [], []
    for (kind, data), c in zip(blocks, corners, strict=True):
        edges = EDGES[shape_of(kind)]
        pairs.append(c[:, np.array(edges)])
        first = c.shape[1]
        own = data[:, first : first + len(edges)]
        given.append(own if data.shape[1] > first else np.full((len(c), len(edges)), -1))
    keys = np.concatenate([p.reshape(-1, 2) for p in pairs])
    own = np.concatenate([g.ravel() for g in given])
    ends = points[keys]
    told = own >= 0
    off = np.linalg.norm(points[own] - ends.mean(axis=1), axis=1) > OFF * np.linalg.norm(
        ends[:, 1] - ends[:, 0], axis=1
    )
    if np.any(off & told):
        raise ModelError(
            f"{where}: {int(np.sum(off & told))} nodes of its cells are far from the middle of their edges; give cells "
            "whose nodes on edges come in meshio's order"
        )
    return _numbered(pairs, keys, own, ends.mean(axis=1), points, where)


def _in_quads(
    blocks: Blocks, corners: list[np.ndarray], of_edges: list[np.ndarray], points: np.ndarray
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """The same of the quadrilaterals; the shape functions of their edges give their middle."""
    fours, given, places = [], [], []
    for (kind, data), c, e in zip(blocks, corners, of_edges, strict=True):
        shape = shape_of(kind)
        quads = np.array(MIDDLES.get(shape, ()), dtype=int).reshape(-1, 4)
        fours.append(c[:, quads])
        first = c.shape[1] + e.shape[1]
        own = data[:, first : first + len(quads)]
        given.append(own if data.shape[1] > first else np.full((len(c), len(quads)), -1))
        number = {frozenset(pair): k for k, pair in enumerate(EDGES[shape])}
        around = np.array([[number[frozenset((q[k], q[k - 1]))] for k in range(4)] for q in quads], dtype=int)
        middle = points[e[:, around.reshape(-1, 4)]].sum(axis=2)
        places.append(0.5 * middle - 0.25 * points[fours[-1]].sum(axis=2))
    keys = np.concatenate([f.reshape(-1, 4) for f in fours])
    place = np.concatenate([p.reshape(-1, points.shape[1]) for p in places])
    return _numbered(fours, keys, np.concatenate([g.ravel() for g in given]), place, points, "")


def _numbered(
    parts: list[np.ndarray], keys: np.ndarray, given: np.ndarray, places: np.ndarray, points: np.ndarray, where: str
) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """One node for each set of corners `keys` (k, c): the `given` one (k,), or, where that is −1, a new one at its
    place (k, d)."""
    known, first, of = np.unique(np.sort(keys, axis=1), axis=0, return_index=True, return_inverse=True)
    of = of.ravel()
    number = np.full(len(known), -1)
    told = given >= 0
    number[of[told]] = given[told]
    double = int(np.sum(number[of[told]] != given[told]))
    if double:
        raise ModelError(
            f"{where}: {double} edges of its cells have two nodes in their middle; merge points that are at one place"
        )
    new = np.flatnonzero(number < 0)
    number[new] = len(points) + np.arange(len(new))
    points = np.concatenate([points, places[first[new]]])
    ends = np.cumsum([part.shape[0] * part.shape[1] for part in parts])[:-1]
    each = [n.reshape(part.shape[:2]) for n, part in zip(np.split(number[of], ends), parts, strict=True)]
    return each, np.column_stack([known, number]), points


def _check_faces(blocks: Blocks, points: np.ndarray, where: str) -> None:
    """Refuse quadrilaterals that lie on triangles of other cells, and cells that lie over their neighbors."""
    d = points.shape[1]
    outer = {3: np.zeros((0, 3), dtype=np.int64), 4: np.zeros((0, 4), dtype=np.int64)}
    for size in (2, 3, 4):
        faces, middles = [], []
        for kind, data in blocks:
            shape = shape_of(kind)
            center = points[data[:, : len(CORNERS[shape])]].mean(axis=1)
            for face in FACES[shape] if d == 3 else EDGES[shape]:
                if len(face) == size:
                    faces.append(np.sort(data[:, list(face)], axis=1))
                    middles.append(center)
        if not faces:
            continue
        known, of, times = np.unique(np.concatenate(faces), axis=0, return_inverse=True, return_counts=True)
        outer[size] = known[times == 1]
        order = np.argsort(of.ravel(), kind="stable")
        first = (np.cumsum(times) - times)[times > 1]
        arms = [np.concatenate(middles)[order[first + k]] - points[known[times > 1]].mean(axis=1) for k in (0, 1)]
        along = [points[known[times > 1][:, k]] - points[known[times > 1][:, 0]] for k in range(1, d)]
        sides = [np.linalg.det(np.stack([*along, arm], axis=1)) for arm in arms]
        over = int(np.sum((sides[0] * sides[1] >= 0.0) | (times[times > 1] > 2)))
        if over:
            raise ModelError(
                f"{where}: at {over} faces of its cells both neighbors lie on one side, or there are more than two: an "
                "element is inverted or lies over its neighbors; repair the mesh"
            )
    on = np.zeros(len(outer[4]), dtype=bool)
    for left in range(4):
        on |= _among(np.delete(outer[4], left, axis=1), outer[3])
    if np.any(on):
        raise ModelError(
            f"{where}: {int(np.sum(on))} faces of its cells with four corners, such as that of the points "
            f"{', '.join(map(str, outer[4][on][0]))}, lie on triangles of other cells; put pyramids between them, or "
            "mesh the body with tetrahedra or with hexahedra alone"
        )


def _among(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Which rows (k,) of whole numbers, each in rising order, are rows of `others`, in any order."""
    both = np.concatenate([rows, np.sort(others, axis=1)])
    if not len(both):
        return np.zeros(0, dtype=bool)
    of = np.unique(both, axis=0, return_inverse=True)[1].ravel()
    return np.asarray(np.isin(of[: len(rows)], of[len(rows) :]))


def _check_places(nodes: np.ndarray, where: str) -> None:
    """Refuse cells that touch without sharing nodes, as where one face lies on several smaller ones."""
    near = cKDTree(nodes).query_pairs(ONE_PLACE * float(np.max(np.ptp(nodes, axis=0))), output_type="ndarray")
    if len(near):
        place = ", ".join(f"{x:g}" for x in nodes[near[0, 0]])
        raise ModelError(
            f"{where}: {len(near)} nodes of its cells are at the place of others, such as ({place}), and not joined to "
            "them; merge such points, and let cells share whole faces"
        )


def _check_volumes(det: np.ndarray, corners: np.ndarray, shape: str, where: str) -> None:
    """Refuse elements without volume or turned inside out."""
    size = np.max(np.ptp(corners, axis=1), axis=1) ** corners.shape[2]
    flat = np.flatnonzero(np.abs(det).max(axis=1) < FLAT * size)
    if len(flat):
        raise ModelError(f"{where}: {_many(flat, len(det), shape)} degenerate, without volume; repair the mesh")
    inverted = np.flatnonzero(det.min(axis=1) * det.max(axis=1) <= 0.0)
    if len(inverted):
        raise ModelError(
            f"{where}: {_many(inverted, len(det), shape)} inverted, with a Jacobian that changes its sign inside; "
            "repair the mesh"
        )


def _many(which: np.ndarray, of: int, shape: str) -> str:
    shown = ", ".join(map(str, which[:8])) + (", …" if len(which) > 8 else "")
    return f"{len(which)} of {of} elements of the kind {shape} ({shown}) {'is' if len(which) == 1 else 'are'}"


def named_parts(mesh: Any) -> dict[str, list[np.ndarray]]:
    """The numbers of cells in each block of a mesh of meshio that a set of cells or a physical group of Gmsh has, by
    its name."""
    none = np.zeros(0, dtype=int)
    chosen = {
        str(name): [none if part is None else np.asarray(part, dtype=int) for part in parts]
        for name, parts in (getattr(mesh, "cell_sets", None) or {}).items() if not str(name).startswith("gmsh:")
    }  # fmt: skip
    tags = (mesh.cell_data or {}).get("gmsh:physical")
    for name, (tag, _) in (mesh.field_data or {}).items():
        if tags is not None and str(name) not in chosen:
            chosen[str(name)] = [np.flatnonzero(np.asarray(t) == tag) for t in tags]
    return chosen


def sets_of(joined: JoinedCells, mesh: Any) -> dict[str, np.ndarray]:
    """Numbers of nodes of all named parts of a mesh of meshio: sets of points and of cells, and Gmsh's physical groups.

    A named part of faces has their nodes; one of cells those of all its cells.
    """
    sets = {str(name): joined.nodes_between(np.asarray(p, dtype=int)) for name, p in (mesh.point_sets or {}).items()}
    for name, parts in named_parts(mesh).items():
        found, own = [], iter(joined.cells)
        for block, part in zip(mesh.cells, parts, strict=True):
            shape = shape_of(block.type)
            inner = shape in CORNERS and CORNERS[shape].shape[1] == joined.nodes.shape[1] and len(block.data)
            cells = next(own)[1] if inner else None
            if not len(part):
                continue
            data = np.asarray(block.data)[part]
            if cells is not None:
                found.append(np.unique(cells[part]))
                continue
            if shape not in CORNERS:  # lines and points
                edges = data[:, :2] if shape == "line" else np.zeros((0, 2), dtype=int)
                found.append(joined.nodes_on(data[:, :2].ravel(), edges, np.zeros((0, 4), dtype=int)))
                continue
            corners = data[:, : len(CORNERS[shape])]
            quads = np.array(MIDDLES.get(shape, ()), dtype=int).reshape(-1, 4)
            four = corners[:, quads].reshape(-1, 4)
            found.append(joined.nodes_on(corners.ravel(), corners[:, np.array(EDGES[shape])].reshape(-1, 2), four))
        if found:
            sets[name] = np.unique(np.concatenate(found))
    return {name: numbers for name, numbers in sets.items() if len(numbers)}
