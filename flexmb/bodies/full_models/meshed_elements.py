"""Meshes, of files or of scikit-fem, as finite elements with their Gauss points, checked and with their sets of
nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from flexmb.bodies.full_models.cell_kinds import CORNERS, gauss_points, nodes_of, shape_functions
from flexmb.bodies.full_models.joined_cells import (
    Blocks,
    elements_of,
    is_known,
    joined_cells,
    named_parts,
    sets_of,
    shape_of,
)
from flexmb.bodies.full_models.solid_elements import JoinedElements, SolidElements, lame_constants
from flexmb.bodies.stresses import ElasticCells
from flexmb.errors import MissingExtraError, ModelError
from flexmb.model import checks
from flexmb.model.geometry.sections import Material


@dataclass(frozen=True)
class _Kind:
    """A kind of cell: its mesh in scikit-fem; for elements of first and second order scikit-fem's name, meshio's name
    and the order of Gauss points that integrates the matrices of a cell with straight edges without error."""

    mesh: str
    first: tuple[str, str, int]
    second: tuple[str, str, int]


KINDS = (
    _Kind("MeshTet", ("ElementTetP1", "tetra", 2), ("ElementTetP2", "tetra10", 4)),
    _Kind("MeshHex", ("ElementHex1", "hexahedron", 3), ("ElementHex2", "hexahedron27", 5)),
    _Kind("MeshTri", ("ElementTriP1", "triangle", 2), ("ElementTriP2", "triangle6", 4)),
    _Kind("MeshQuad", ("ElementQuad1", "quad", 3), ("ElementQuad2", "quad9", 5)),
)
#: cells with nodes on their edges only: meshio's name, that of the cell with nodes on faces and inside too, and for
#: each of these the corners and the nodes of edges that span it; its place is −(corners)/4 + (edges)/2, inside −/4 and
#: +/4
FACES = ((0, 4, 7, 3, 16, 15, 19, 11), (1, 2, 6, 5, 9, 18, 13, 17), (0, 1, 5, 4, 8, 17, 12, 16),
         (3, 7, 6, 2, 19, 14, 18, 10), (0, 3, 2, 1, 11, 10, 9, 8), (4, 5, 6, 7, 12, 13, 14, 15))  # fmt: skip
#: the nodes of a hexahedron of scikit-fem in the order of meshio
HEXAHEDRON = (0, 3, 6, 2, 1, 5, 7, 4, 10, 16, 14, 9, 12, 18, 17, 11, 8, 15, 19, 13, 20, 25, 22, 23, 21, 24, 26)
#: the kinds of the facets of cells
FACETS = {"triangle": "line", "quad": "line", "tetra": "triangle", "hexahedron": "quad"}
#: part of the Jacobian of a cube of the same size below which an element counts as degenerate
FLAT = 1e-6


@dataclass(frozen=True, eq=False)
class MeshedElements:
    """A mesh ready for assembly: `nodes` (N, d) [m], `elements`, `sets` (numbers of nodes by names), `cells` by
    meshio's names and in its order, `elasticity` of each of these blocks, whether the elements are of the first order,
    and nodes by the numbers of a mesh of meshio (p,), −1 where no node or several are at the place of a point."""

    nodes: np.ndarray
    elements: SolidElements | JoinedElements
    sets: dict[str, np.ndarray]
    cells: Blocks
    elasticity: tuple[ElasticCells, ...]
    first_order: bool
    points: np.ndarray | None


def scikit_fem() -> Any:
    """The package scikit-fem.

    >>> scikit_fem().__name__
    'skfem'
    """
    try:
        import skfem
    except ImportError:
        raise MissingExtraError("bodies from meshes need the package scikit-fem: pip install 'flexmb[fem]'") from None
    return skfem


def meshed_elements(
    mesh: Any, material: Material, *, order: int = 2, scale: float = 1.0, thickness: float = 1.0,
    plane_strain: bool = False, where: str = "body",
) -> MeshedElements:  # fmt: skip
    """The finite elements of a mesh of meshio, of meshlane or of scikit-fem; see :func:`flexmb.bodies.from_mesh` for
    the other arguments.

    >>> import skfem
    >>> found = meshed_elements(skfem.MeshHex(), Material(1000, 1e9))
    >>> found.nodes.shape, round(float(found.elements.mass().sum()), 9)
    ((27, 3), 1000.0)
    """
    skfem = scikit_fem()
    sets_of_points: dict[str, np.ndarray] = {}
    points = None
    if type(mesh).__name__.startswith("MeshWedge"):
        mesh = _of_wedges(mesh)
    if hasattr(mesh, "points") and hasattr(mesh, "cells"):
        points = checks.matrix(mesh.points, "points of its mesh", where)
        _check_blocks(mesh.cells, len(points), where)
        kinds = _kinds(mesh, points, where)
        if len(kinds) > 1 or shape_of(kinds[0]) in ("wedge", "pyramid"):
            return _joined(mesh, kinds, material, order, scale, thickness, plane_strain, where)
        mesh, sets_of_points = _of_meshio(mesh, kinds[0])
    kind = next((k for k in KINDS if type(mesh).__name__.startswith(k.mesh)), None)
    if kind is None:
        raise ModelError(f"{where}: a mesh of scikit-fem or meshio is needed, not {checks.quoted(mesh)}")
    curved = type(mesh).__name__.endswith("2")
    if curved and order == 1:
        raise ModelError(f"{where}: its mesh has cells of second order; take order=2, or a mesh with corners alone")
    chosen = kind.first if order == 1 else kind.second
    name, cell_name, gauss = chosen
    checks.matrix(mesh.p.T, "points of its mesh", where)
    _check_cells_of(kind.mesh, np.asarray(mesh.t).T, mesh.p.shape[1], where)
    with np.errstate(divide="ignore", invalid="ignore"):  # scikit-fem divides by volumes, which are checked behind it
        basis = skfem.Basis(mesh, getattr(skfem, name)(), intorder=gauss)
    _check_cells(basis, mesh, where)
    d, used = basis.mesh.p.shape[0], basis.element_dofs
    nodes = np.ascontiguousarray(basis.doflocs.T) * scale
    volume = basis.dx * scale**d * (thickness if d == 2 else 1.0)
    shapes = [basis.basis[k][0] for k in range(len(basis.basis))]
    values = np.stack([_per_element(np.asarray(s)) for s in shapes], axis=-1)
    gradients = np.stack([np.broadcast_to(s.grad, (d, *basis.dx.shape)) for s in shapes], axis=-1)
    lame = lame_constants(material, d, plane_strain, where)
    elements = SolidElements(
        np.ascontiguousarray(used.T), values, np.ascontiguousarray(gradients.transpose(1, 2, 3, 0)) / scale, volume,
        lame, material.density,
    )  # fmt: skip
    sets = _sets(basis, mesh, sets_of_points)
    numbers = None if points is None else _at_points(basis.doflocs.T, points[:, :d])
    order_of_nodes = list(HEXAHEDRON[: used.shape[0]] if cell_name.startswith("hexahedron") else range(used.shape[0]))
    cells = [(cell_name, np.ascontiguousarray(used.T[:, order_of_nodes]))]
    across = material.poissons_ratio if d == 2 and plane_strain else 0.0
    elasticity = _elasticity(cells, order, lame, thickness if d == 2 else 1.0, across, material.density)
    return MeshedElements(nodes, elements, sets, cells, elasticity, chosen is kind.first, numbers)


def _elasticity(
    cells: Blocks, order: int, lame: tuple[float, float], thickness: float, across: float, density: float
) -> tuple[ElasticCells, ...]:
    """What the stresses of each block of cells follow from."""
    found = []
    for kind, _ in cells:
        shape = shape_of(kind)
        x, w = gauss_points(shape, order)
        at = [_polynomials(points, shape, order) for points in (x, nodes_of(shape, order))]
        root = np.sqrt(w)[:, None]
        fit = at[1] @ (np.linalg.pinv(root * at[0]) * root.T)
        found.append(ElasticCells(shape_functions(shape, order, x)[1], w * thickness, fit, lame, across, density))
    return tuple(found)


def _polynomials(points: np.ndarray, shape: str, order: int) -> np.ndarray:
    """The polynomials (p, m) of one order less than the displacements at points (p, d) of the reference cell."""
    d = points.shape[1]
    powers = np.array(list(np.ndindex(*(2,) * d)))
    total = order - 1 if shape in ("triangle", "tetra", "pyramid") else 1 if order == 1 else d
    kept = powers.sum(axis=1) <= total
    if shape == "wedge":  # of the first degree in the triangle
        kept &= powers[:, :2].sum(axis=1) <= 1
    return np.stack([np.prod(points**k, axis=1) for k in powers[kept]], axis=1)


def _per_element(value: np.ndarray) -> np.ndarray:
    """Values of a shape function (E or 1, q)."""
    return value if value.ndim == 2 else value[None]


def _check_blocks(blocks: Any, count: int, where: str) -> None:
    """Refuse cells of points that a mesh has not."""
    for block in blocks:
        _check_cells_of(block.type, np.asarray(block.data), count, where)


def _check_cells_of(kind: str, cells: np.ndarray, count: int, where: str) -> None:
    if cells.size and (cells.ndim != 2 or cells.dtype.kind not in "iu" or cells.min() < 0 or cells.max() >= count):
        raise ModelError(
            f"{where}: cells of its mesh of the kind {kind!r} name points that it has not; it has {count}, counted "
            "from 0"
        )


def _kinds(mesh: Any, points: np.ndarray, where: str) -> list[str]:
    """The kinds of those cells of a mesh of meshio, or of what descends from it, that make the body."""
    if points.shape[1] not in (2, 3):
        raise ModelError(f"{where}: its mesh has points of {points.shape[1]} coordinates; give 3, or 2 in the plane")
    width = {block.type: np.asarray(block.data).shape[1] for block in mesh.cells if len(block.data)}
    volumes = sorted(k for k in width if k.startswith(("tetra", "hexahedron", "wedge", "pyramid")))
    faces = sorted(k for k in width if k.startswith(("triangle", "quad")))
    flat = points.shape[1] == 2 or np.ptp(points[:, 2]) == 0.0
    chosen = volumes if volumes or not flat else faces
    if not chosen:
        raise ModelError(
            f"{where}: its mesh has no volume elements, only {', '.join(sorted(width)) or 'points'}; fill the "
            "surface with tetrahedra or hexahedra, or give a plane mesh in z = 0 for a body of the plane"
        )
    unknown = [k for k in chosen if not is_known(k, width[k])]
    if unknown:
        raise ModelError(
            f"{where}: its mesh has cells of the kind {unknown[0]!r}; give tetrahedra, hexahedra, wedges and pyramids, "
            "in the plane triangles and quadrilaterals, of the first or the second order"
        )
    return chosen


def _of_meshio(mesh: Any, kind: str) -> tuple[Any, dict[str, np.ndarray]]:
    """A mesh of meshio with cells of one kind as one of scikit-fem, with its named parts of cells and of faces, and the
    places of its sets of points, of lines and of vertices."""
    import meshio
    from skfem.io.meshio import from_meshio

    blocks, points = _filled([(b.type, np.asarray(b.data)) for b in mesh.cells], np.asarray(mesh.points, dtype=float))
    filled = {"quad8": "quad9", "hexahedron20": "hexahedron27"}.get(kind, kind)
    inner = [k for k, (name, _) in enumerate(blocks) if name == filled]
    data = np.concatenate([blocks[k][1] for k in inner])
    shape, used = shape_of(kind), np.unique(data)  # no other points are nodes
    points = points[:, : CORNERS[shape].shape[1]]
    plain = meshio.Mesh(
        points[used], [(filled, np.searchsorted(used, blocks[k][1])) for k in inner],
        cell_data={
            n: [x[k] for k in inner] for n, x in (mesh.cell_data or {}).items() if str(n).startswith("skfem:")
        },
    )  # fmt: skip
    made = from_meshio(plain, force_meshio_type=filled, ignore_orientation=True)
    places = {str(k): points[np.asarray(v, dtype=int)] for k, v in (mesh.point_sets or {}).items()}
    cells, faces, width = dict(made.subdomains or {}), dict(made.boundaries or {}), len(made.facets)
    facets = np.sort(made.facets, axis=0).T
    # scikit-fem counts the corners of cells of second order alone
    counted = np.unique(data[:, : len(CORNERS[shape])]) if type(made).__name__.endswith("2") else used
    number = np.full(len(points), -1)
    number[counted] = np.arange(len(counted))
    for name, parts in named_parts(mesh).items():
        own, around, first = [np.zeros(0, dtype=int)], [np.zeros((0, width), dtype=int)], 0
        for block, part in zip(mesh.cells, parts, strict=True):
            numbers = np.asarray(block.data)
            if block.type == kind:
                own.append(first + part)
                first += len(numbers)
            elif shape_of(block.type) == FACETS[shape]:
                around.append(number[numbers[part][:, :width]])
            elif shape_of(block.type) in ("line", "vertex") and len(part):
                ends = points[numbers[part][:, :2].ravel()]
                places[name] = np.concatenate([places.get(name, ends[:0]), ends])
        cells[name] = np.concatenate(own)
        faces[name] = _rows_in(np.sort(np.concatenate(around), axis=1), facets)
    return made.with_subdomains(cells).with_boundaries(faces), places


def _rows_in(rows: np.ndarray, table: np.ndarray) -> np.ndarray:
    """The numbers of those rows of a table that are among some rows."""
    if not len(rows):
        return np.zeros(0, dtype=int)
    _, of = np.unique(np.concatenate([table, rows]), axis=0, return_inverse=True)
    return np.flatnonzero(np.isin(of.ravel()[: len(table)], of.ravel()[len(table) :]))


def _of_wedges(mesh: Any) -> Any:
    """A mesh of scikit-fem's wedges, whose points of integration do not fill them, as one of meshio."""
    import meshio

    sets = {str(name): np.unique(mesh.facets[:, facets]) for name, facets in (mesh.boundaries or {}).items()}
    parts = {str(name): [np.asarray(cells)] for name, cells in (mesh.subdomains or {}).items()}
    return meshio.Mesh(mesh.p.T, [("wedge", mesh.t.T)], point_sets=sets, cell_sets=parts)


def _joined(
    mesh: Any, kinds: list[str], material: Material, order: int, scale: float, thickness: float, plane_strain: bool,
    where: str,
) -> MeshedElements:  # fmt: skip
    """The finite elements of a mesh of meshio with cells of several kinds, of wedges or of pyramids."""
    d = CORNERS[shape_of(kinds[0])].shape[1]
    blocks = [(b.type, np.asarray(b.data, dtype=np.int64)) for b in mesh.cells if b.type in kinds and len(b.data)]
    if order == 1 and any(data.shape[1] > len(CORNERS[shape_of(kind)]) for kind, data in blocks):
        raise ModelError(f"{where}: its mesh has cells of second order; take order=2, or a mesh with corners alone")
    joined = joined_cells(blocks, np.asarray(mesh.points, dtype=float)[:, :d], order, where)
    lame, depth = lame_constants(material, d, plane_strain, where), thickness if d == 2 else 1.0
    parts = elements_of(joined, order, lame, material.density, scale, depth, where)
    of_point, across = joined.of_point[: len(mesh.points)], material.poissons_ratio if plane_strain else 0.0
    return MeshedElements(
        joined.nodes * scale, JoinedElements(tuple(parts)), sets_of(joined, mesh), joined.cells,
        _elasticity(joined.cells, order, lame, depth, across if d == 2 else 0.0, material.density), order == 1,
        of_point,
    )  # fmt: skip


def _filled(
    blocks: list[tuple[str, np.ndarray]], points: np.ndarray
) -> tuple[list[tuple[str, np.ndarray]], np.ndarray]:
    """Cells with nodes on edges alone as cells with nodes on faces and inside, at the places that their own shape
    functions give these."""
    result = []
    for kind, data in blocks:
        if kind == "quad8":
            own = -0.25 * points[data[:, :4]].sum(1) + 0.5 * points[data[:, 4:]].sum(1)
            result.append(("quad9", np.column_stack([data, len(points) + np.arange(len(data))])))
            points = np.concatenate([points, own])
        elif kind == "hexahedron20":
            corners, numbers, many = np.array([f[:4] for f in FACES]), np.zeros((len(data), 6), dtype=int), len(points)
            keys = np.sort(data[:, corners], axis=2).reshape(-1, 4)
            _, first, of = np.unique(keys, axis=0, return_index=True, return_inverse=True)
            on_faces = points[data[:, np.array(FACES)]].reshape(-1, 8, points.shape[1])[first]
            numbers = many + of.reshape(len(data), 6)
            inside = -0.25 * points[data[:, :8]].sum(1) + 0.25 * points[data[:, 8:]].sum(1)
            own = many + len(first) + np.arange(len(data))
            result.append(("hexahedron27", np.column_stack([data, numbers, own])))
            faces = -0.25 * on_faces[:, :4].sum(1) + 0.5 * on_faces[:, 4:].sum(1)
            points = np.concatenate([points, faces, inside])
        else:
            result.append((kind, data))
    return result, points


def _check_cells(basis: Any, mesh: Any, where: str) -> None:
    """Refuse elements without volume or turned inside out."""
    det = np.atleast_2d(basis.mapping.detDF(basis.X))
    det = np.broadcast_to(det, basis.dx.shape)
    d = mesh.p.shape[0]
    corners = mesh.p[:, mesh.t]
    size = np.max(np.ptp(corners, axis=1), axis=0) ** d
    least, most = det.min(axis=1), det.max(axis=1)
    flat = np.flatnonzero(np.maximum(abs(least), abs(most)) < FLAT * size)
    if len(flat):
        raise ModelError(f"{where}: {_many(flat, len(size))} degenerate, without volume; repair the mesh")
    turned = least * most <= 0.0
    if len(mesh.t) == d + 1:  # the order of a simplex's corners tells nothing
        turned |= _overlapping(mesh)
    else:
        side = np.sign(np.median(0.5 * (least + most)))
        turned |= side * most <= 0.0
    inverted = np.flatnonzero(turned)
    if len(inverted):
        raise ModelError(
            f"{where}: {_many(inverted, len(size))} inverted, with a Jacobian that is negative somewhere, or over "
            "their neighbors; repair the mesh"
        )


def _overlapping(mesh: Any) -> np.ndarray:
    """Which simplices (E,) lie on the same side of a face as the neighbor there."""
    inner = np.flatnonzero(mesh.f2t[1] >= 0)
    faces, pair = mesh.facets[:, inner], mesh.f2t[:, inner]
    base = mesh.p[:, faces[0]]
    along = [mesh.p[:, corner] - base for corner in faces[1:]]
    sides = []
    for cells in pair:
        opposite = mesh.t[:, cells].sum(axis=0) - faces.sum(axis=0)
        sides.append(np.linalg.det(np.stack([*along, mesh.p[:, opposite] - base]).transpose(2, 0, 1)))
    wrong = sides[0] * sides[1] >= 0.0
    found = np.zeros(mesh.t.shape[1], dtype=bool)
    found[pair[:, wrong]] = True
    return found


def _many(which: np.ndarray, of: int) -> str:
    shown = ", ".join(map(str, which[:8])) + (", …" if len(which) > 8 else "")
    return f"{len(which)} of {of} elements ({shown}) {'is' if len(which) == 1 else 'are'}"


def _at_points(nodes: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The node (p,) at the place of each point, −1 where there are none or several."""
    apart, found = cKDTree(nodes).query(points, k=2)
    near = apart < FLAT * np.max(np.ptp(nodes, axis=0))
    return np.where(near[:, 0] & ~near[:, 1], found[:, 0], -1)


def _sets(basis: Any, mesh: Any, points: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Numbers of nodes of all named parts of a mesh."""
    sets = {}
    none = np.zeros(0, dtype=np.int64)
    for name, elements in (mesh.subdomains or {}).items():
        sets[str(name)] = np.unique(basis.element_dofs[:, elements])
    for name, facets in (mesh.boundaries or {}).items():
        own = basis.get_dofs(np.asarray(facets)).all() if len(facets) else none
        sets[str(name)] = np.union1d(sets.get(str(name), none), own)
    if points:
        corners = cKDTree(basis.doflocs.T)
        for name, places in points.items():
            found = corners.query(places)[1]
            dofs = [found]
            # nodes on edges and faces of which all corners are in the set
            at = np.isin(basis.nodal_dofs[0], found) if len(basis.nodal_dofs) else np.zeros(0, dtype=bool)
            pairs = [(mesh.facets, basis.facet_dofs)]
            if mesh.p.shape[0] == 3:
                pairs.append((mesh.edges, basis.edge_dofs))
            for corners_of, own in pairs:
                if len(own):
                    dofs.append(own[0][np.all(at[corners_of], axis=0)])
            sets[name] = np.unique(np.concatenate([*dofs, sets.get(name, none)]))
    return {name: np.asarray(numbers, dtype=np.int64) for name, numbers in sets.items() if len(numbers)}
