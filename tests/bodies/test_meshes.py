"""Meshes of all kinds of cells, from meshio and from scikit-fem, and their named sets of nodes."""

from __future__ import annotations

import meshio
import numpy as np
import pytest
import skfem

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.full_models.meshed_elements import FACES, HEXAHEDRON
from flexmb.bodies.reducing.ties import tied_sets

STEEL = fm.Material(density=7850.0, youngs_modulus=205e9, poissons_ratio=0.3)
SIZE = (0.5, 0.05, 0.04)
ROOT = bodies.on_plane((0, 0, 0), (1, 0, 0))


def bricks(cells=8):
    return skfem.MeshHex.init_tensor(np.linspace(0, SIZE[0], cells + 1), np.array([0, SIZE[1]]), np.array([0, SIZE[2]]))


def body_of(mesh, **options):
    return bodies.from_mesh(
        mesh, STEEL, interfaces={"root": ROOT}, modes=3, reduction=bodies.Reduction(estimate=False), **options
    )


@pytest.fixture(scope="module")
def reference():
    """The bar of 27-node bricks that scikit-fem makes."""
    return body_of(bricks())


def bar_of(kind):
    """The bar as a mesh of meshio with cells of a kind."""
    hexes = bricks()
    if kind == "tetra":
        tets = hexes.to_meshtet()
        return meshio.Mesh(tets.p.T, [("tetra", tets.t.T)])
    if kind == "tetra10":
        tets = skfem.MeshTet2.from_mesh(hexes.to_meshtet())
        return meshio.Mesh(tets.doflocs.T, [("tetra10", tets.dofs.element_dofs.T)])
    full = skfem.MeshHex2.from_mesh(hexes)
    cells = full.dofs.element_dofs.T[:, list(HEXAHEDRON)]
    if kind == "hexahedron":
        return meshio.Mesh(full.doflocs.T, [("hexahedron", cells[:, :8])])
    if kind == "hexahedron20":
        return meshio.Mesh(full.doflocs.T, [("hexahedron20", cells[:, :20])])
    return meshio.Mesh(full.doflocs.T, [("hexahedron27", cells)])


@pytest.mark.parametrize("kind", ["tetra", "tetra10", "hexahedron", "hexahedron20", "hexahedron27"])
def test_solid_cells_of_meshio(kind, reference):
    """One bar by all of them, of the second order."""
    body = body_of(bar_of(kind))
    assert body.mass == pytest.approx(7850.0 * np.prod(SIZE), rel=1e-12)
    assert body.origin == pytest.approx([0.25, 0.025, 0.02], abs=1e-12)
    assert np.diag(body.inertia) == pytest.approx(np.diag(reference.inertia), rel=1e-12)
    accuracy = 1e-9 if kind.startswith("hexahedron") else 1e-2
    assert body.frequencies == pytest.approx(reference.frequencies, rel=accuracy)


def test_order_of_bricks_is_that_of_meshio():
    """Nodes on edges are halfway between their corners, those on faces in the middle of four, in meshio's order."""
    full = skfem.MeshHex2.from_mesh(skfem.MeshHex())
    places = full.doflocs.T[full.dofs.element_dofs[:, 0]][list(HEXAHEDRON)]
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)]
    for k, pair in enumerate(edges):
        assert places[8 + k] == pytest.approx(places[list(pair)].mean(axis=0))
    for k, face in enumerate(FACES):
        assert places[20 + k] == pytest.approx(places[list(face[:4])].mean(axis=0))
        assert places[list(face[4:])].mean(axis=0) == pytest.approx(places[20 + k])
    volume = np.linalg.det(places[[1, 3, 4]] - places[0])
    assert volume > 0.0


def test_plane_cells():
    """A plate in its plane, of triangles and quadrilaterals; z = 0 of meshio's points is left out."""
    quads = skfem.MeshQuad.init_tensor(np.linspace(0, 0.5, 9), np.array([0, 0.05]))
    root = {"root": bodies.on_plane((0, 0), (1, 0))}
    wanted = bodies.from_mesh(quads, STEEL, interfaces=root, modes=3, thickness=0.01)
    assert wanted.dimension == 2 and wanted.mass == pytest.approx(7850.0 * 0.5 * 0.05 * 0.01)
    eight = skfem.MeshQuad2.from_mesh(quads)
    points = np.column_stack([eight.doflocs.T, np.zeros(eight.doflocs.shape[1])])
    triangles = quads.to_meshtri()
    flat = np.column_stack([triangles.p.T, np.zeros(triangles.p.shape[1])])
    for mesh, accuracy in (
        (meshio.Mesh(points, [("quad8", eight.dofs.element_dofs.T[:, :8])]), 1e-9),
        (meshio.Mesh(flat, [("triangle", triangles.t.T)]), 1e-2),
    ):
        body = bodies.from_mesh(mesh, STEEL, interfaces=root, modes=3, thickness=0.01)
        assert body.frequencies == pytest.approx(wanted.frequencies, rel=accuracy)
    strain = bodies.from_mesh(quads, STEEL, interfaces=root, modes=3, thickness=0.01, plane_strain=True)
    assert strain.frequencies[0] == pytest.approx(wanted.frequencies[0] / np.sqrt(1.0 - 0.3**2), rel=1e-2)


def test_named_sets(reference):
    """Sets of points and of faces in a file, and boundaries of scikit-fem, with the nodes between their corners."""
    mesh = bar_of("hexahedron")
    at_root = np.flatnonzero(mesh.points[:, 0] == 0.0)
    named = meshio.Mesh(mesh.points, mesh.cells, point_sets={"clamp": at_root})
    own = bricks().with_boundaries({"clamp": lambda x: x[0] == 0.0})
    for given in (named, own):
        body = bodies.from_mesh(given, STEEL, interfaces={"root": "clamp"}, modes=3)
        assert body.frequencies == pytest.approx(reference.frequencies, rel=1e-9)
    face = [[k for k in cell if mesh.points[k, 0] == 0.0] for cell in mesh.cells[0].data if 0.0 in mesh.points[cell, 0]]
    order = np.argsort(np.arctan2(*(mesh.points[face[0], 1:] - mesh.points[face[0], 1:].mean(axis=0)).T))
    both = [("hexahedron", mesh.cells[0].data), ("quad", np.array(face)[:, order])]
    sets = {"clamp": [np.zeros(0, dtype=int), np.array([0])]}
    body = bodies.from_mesh(
        meshio.Mesh(mesh.points, both, cell_sets=sets), STEEL, interfaces={"root": "clamp"}, modes=3
    )
    assert body.frequencies == pytest.approx(reference.frequencies, rel=1e-9)


def test_numbers_of_nodes_are_those_of_the_mesh():
    """Also where a file numbers corners and middles of edges at random and has points that no element takes."""
    mesh = bar_of("tetra10")
    order = np.random.default_rng(1).permutation(len(mesh.points))
    points = np.vstack([[9.0, 9.0, 9.0], mesh.points[order]])
    shuffled = meshio.Mesh(points, [("tetra10", 1 + np.argsort(order)[mesh.cells[0].data])])
    model = bodies.mesh_model(shuffled, STEEL)
    numbers = np.flatnonzero(points[:, 0] == 0.0)[::-1]
    tie = tied_sets(model, {"root": bodies.Tie(numbers)})[0]
    assert np.all(model.nodes[tie.nodes, 0] == 0.0) and len(tie.nodes) == len(numbers)
    with pytest.raises(fm.errors.ModelError, match="names the point 0, at whose place the elements have no node"):
        tied_sets(model, {"root": bodies.Tie([0, *numbers])})


def test_files_and_scales(tmp_path, reference):
    mesh = bar_of("tetra10")
    meshio.Mesh(1e3 * mesh.points, mesh.cells).write(tmp_path / "bar.vtu")
    body = body_of(tmp_path / "bar.vtu", scale=1e-3)
    assert body.mass == pytest.approx(reference.mass, rel=1e-9)
    with pytest.raises(fm.errors.ModelError, match="no mesh can be read"):
        body_of(tmp_path / "none.vtu")
