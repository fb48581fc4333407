"""Meshes of all kinds of cells, from meshio and from scikit-fem, and their named sets of nodes."""

from __future__ import annotations

import meshio
import numpy as np
import pytest
import skfem

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.full_models.meshed_elements import FACES, HEXAHEDRON
from flexmb.bodies.meshes.surface import FACES as SURFACE
from flexmb.bodies.meshes.surface import surface_triangles
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
    with pytest.raises(fm.errors.ResultFileError, match="there is no such file"):
        body_of(tmp_path / "none.vtu")


def in_wedges(cells):
    """Two wedges of each hexahedron."""
    return np.concatenate([cells[:, [0, 1, 2, 4, 5, 6]], cells[:, [0, 2, 3, 4, 6, 7]]])


def in_pyramids(points, cells):
    """Six pyramids of each hexahedron, with new points in its middle."""
    middle = len(points) + np.arange(len(cells))
    faces = SURFACE["hexahedron"]
    pyramids = [np.column_stack([cells[:, face[::-1]], middle]) for face in faces]
    return np.vstack([points, points[cells].mean(axis=1)]), np.concatenate(pyramids)


def in_tetrahedra(pyramids):
    """Two tetrahedra of each pyramid."""
    return np.concatenate([pyramids[:, [0, 1, 2, 4]], pyramids[:, [0, 2, 3, 4]]])


def mixed_bar():
    """The bar of hexahedra, a pyramid, tetrahedra and wedges, numbers of its hexahedra from the root on."""
    mesh = bar_of("hexahedron")
    cells = mesh.cells[0].data
    cells = cells[np.argsort(mesh.points[cells].mean(axis=1)[:, 0])]
    points, pyramids = in_pyramids(mesh.points, cells[3:4])
    towards = points[pyramids[:, :4]].mean(axis=1)[:, 0]
    at_root, at_tip = pyramids[towards == towards.min()], np.argmax(towards)
    rest = np.delete(pyramids, [np.argmin(towards), at_tip], axis=0)
    tip = pyramids[at_tip : at_tip + 1]
    blocks = [("hexahedron", cells[:3]), ("pyramid", np.concatenate([at_root, tip])), ("tetra", in_tetrahedra(rest)),
              ("wedge", in_wedges(cells[4:]))]  # fmt: skip
    return points, blocks, cells


def test_cells_of_several_kinds(reference):
    """One bar of hexahedra, pyramids, tetrahedra and wedges that share faces."""
    points, blocks, _ = mixed_bar()
    body = body_of(meshio.Mesh(points, blocks))
    assert body.mass == pytest.approx(7850.0 * np.prod(SIZE), rel=1e-12)
    assert body.origin == pytest.approx([0.25, 0.025, 0.02], abs=1e-12)
    assert np.diag(body.inertia) == pytest.approx(np.diag(reference.inertia), rel=1e-12)
    assert body.frequencies == pytest.approx(reference.frequencies, rel=1e-2)
    assert [kind for kind, _ in body.mesh.cells] == ["hexahedron27", "pyramid14", "tetra10", "wedge18"]
    assert len(surface_triangles(body.mesh)) > 0


@pytest.mark.parametrize("order", [1, 2])
def test_mixed_cells_bear_a_uniform_strain(order):
    """The patch test: displacements that are linear in the place (for the second order: quadratic) have the strain
    energy of their strains, wherever the nodes are."""
    points, blocks, _ = mixed_bar()
    rng = np.random.default_rng(3)
    inner = np.all((points > 1e-9) & (points < np.array(SIZE) - 1e-9), axis=1)
    points = points + 0.004 * rng.normal(size=points.shape) * inner[:, None]
    for kind in ({"tetra", "pyramid"}, {"hexahedron", "pyramid", "wedge", "tetra"}):
        chosen = [(name, data) for name, data in blocks if name in kind]
        model = bodies.mesh_model(meshio.Mesh(points, chosen), STEEL, order=order)
        volume = model.mass_field.matrix.sum() / 7850.0
        A = rng.normal(size=(3, 3))
        strain = 0.5 * (A + A.T)
        mu = 205e9 / 2.6
        lam = 205e9 * 0.3 / (1.3 * 0.4)
        u = (model.nodes @ A.T).ravel()
        energy = volume * (2 * mu * np.sum(strain**2) + lam * np.trace(strain) ** 2)
        assert u @ (model.stiffness @ u) == pytest.approx(energy, rel=1e-12)
        forces = (model.stiffness @ u).reshape(-1, 3)
        inside = np.all((model.nodes > 1e-9) & (model.nodes < np.array(SIZE) - 1e-9), axis=1)
        if len(chosen) == 4:
            assert np.any(inside) and np.abs(forces[inside]).max() < 1e-12 * np.abs(forces).max()


def test_nodes_of_a_file_are_shared_between_kinds():
    """Cells with and without nodes on their edges: what one has the other takes, also from a curved edge."""
    mesh = bar_of("hexahedron20")
    cells = mesh.cells[0].data
    cells = cells[np.argsort(mesh.points[cells[:, :8]].mean(axis=1)[:, 0])]
    points = mesh.points.copy()
    edge = cells[1, 8:20][np.argmax(points[cells[1, 8:20]] @ (10.0, 1.0, 1.0))]
    points[edge, 1] += 0.003
    mixed = [("hexahedron20", cells[:2]), ("wedge", in_wedges(cells[2:, :8]))]
    model = bodies.mesh_model(meshio.Mesh(points, mixed), STEEL)
    assert len(np.unique(model.nodes, axis=0)) == len(model.nodes)
    assert model.points[edge] >= 0 and np.array_equal(model.nodes[model.points[edge]], points[edge])
    for kind, data in model.cells:
        assert np.isin(model.points[edge], data), kind


def test_named_sets_of_mixed_cells(reference):
    """Sets of points, of faces and of cells, and Gmsh's physical groups, with the nodes between their corners."""
    points, blocks, cells = mixed_bar()
    face = (
        cells[0][[0, 3, 7, 4]]
        if np.all(points[cells[0][[0, 3, 7, 4]], 0] == 0.0)
        else cells[0][points[cells[0], 0] == 0.0]
    )
    around = points[face][:, 1:] - points[face][:, 1:].mean(axis=0)
    face = face[np.argsort(np.arctan2(around[:, 1], around[:, 0]))]
    with_face = [*blocks, ("quad", face[None])]
    none = [np.zeros(0, dtype=int)] * 4
    tags = [np.zeros(len(data), dtype=int) for _, data in blocks] + [np.array([7])]
    given = [
        meshio.Mesh(points, blocks, point_sets={"clamp": face}),
        meshio.Mesh(points, with_face, cell_sets={"clamp": [*none, np.array([0])]}),
        meshio.Mesh(points, with_face, cell_data={"gmsh:physical": tags}, field_data={"clamp": np.array([7, 2])}),
    ]
    for mesh in given:
        model = bodies.mesh_model(mesh, STEEL)
        assert np.array_equal(model.sets["clamp"], np.flatnonzero(model.nodes[:, 0] == 0.0))
        assert len(model.sets["clamp"]) == 9
    parts = [np.arange(3), none[0], none[0], none[0]]
    whole = bodies.mesh_model(meshio.Mesh(points, blocks, cell_sets={"first": parts}), STEEL)
    assert np.array_equal(whole.sets["first"], np.flatnonzero(whole.nodes[:, 0] < 3.01 / 16))


def test_wedges_of_scikit_fem():
    """Two wedges make the unit cube, one of them with its corners in the order of a mirror image."""
    for order in (1, 2):
        model = bodies.mesh_model(skfem.MeshWedge1(), STEEL, order=order)
        assert model.mass_field.matrix.sum() == pytest.approx(7850.0, rel=1e-12)


def test_triangles_and_quadrilaterals():
    quads = skfem.MeshQuad.init_tensor(np.linspace(0, 0.5, 9), np.array([0, 0.05]))
    root = {"root": bodies.on_plane((0, 0), (1, 0))}
    wanted = bodies.from_mesh(quads, STEEL, interfaces=root, modes=3, thickness=0.01)
    four = quads.t.T
    both = [("quad", four[:4]), ("triangle", np.concatenate([four[4:, [0, 1, 2]], four[4:, [0, 2, 3]]]))]
    body = bodies.from_mesh(meshio.Mesh(quads.p.T, both), STEEL, interfaces=root, modes=3, thickness=0.01)
    assert body.mass == pytest.approx(wanted.mass, rel=1e-12)
    assert body.frequencies == pytest.approx(wanted.frequencies, rel=1e-2)


def test_mixed_cells_that_do_not_fit():
    points, blocks, cells = mixed_bar()
    own = dict(blocks)
    parts = {"root": ROOT}

    def refused(words, points, blocks, **options):
        with pytest.raises(fm.errors.ModelError, match=words):
            bodies.from_mesh(meshio.Mesh(points, blocks), STEEL, interfaces=parts, modes=2, **options)

    middle, pyramids = in_pyramids(points, cells[3:4])
    tets = [("hexahedron", np.delete(cells, 3, axis=0)), ("tetra", in_tetrahedra(pyramids))]
    refused("2 faces of its cells with four corners, such as .* lie on triangles", middle, tets)
    twice = np.vstack([points, points])
    shifted = [("hexahedron", own["hexahedron"]), ("wedge", in_wedges(cells[3:]) + len(points))]
    refused("nodes of its cells are at the place of others", twice, shifted)
    over = [("hexahedron", cells[:4]), ("wedge", in_wedges(cells[3:]))]
    refused("faces of its cells both neighbors lie on one side, or there are more than two", points, over)
    flat = points * (1.0, 1.0, 1e-7)
    refused("elements of the kind hexahedron .* degenerate", flat, blocks)
    odd = [("tetra20", np.column_stack([cells[:3], np.zeros((3, 12), dtype=int)])), blocks[3]]
    refused("cells of the kind 'tetra20'", points, odd)
    edges = bar_of("hexahedron20")
    swapped = edges.cells[0].data.copy()
    swapped[:, 8:20] = swapped[:, 19:7:-1]
    refused(
        "far from the middle of their edges",
        edges.points,
        [("hexahedron20", swapped[:2]), ("wedge", in_wedges(swapped[2:, :8]))],
    )
    refused(
        "cells of second order; take order=2",
        edges.points,
        [("hexahedron20", swapped[:2]), ("wedge", in_wedges(swapped[2:, :8]))],
        order=1,
    )


def face_kind(kind):
    """The kinds of the faces and of the edges of cells."""
    faces = {"tetra": "triangle", "tetra10": "triangle6", "hexahedron": "quad", "hexahedron20": "quad8"}
    return faces.get(kind, "quad9"), "line" if kind in ("tetra", "hexahedron") else "line3"


@pytest.mark.parametrize("kind", ["tetra", "tetra10", "hexahedron", "hexahedron20", "hexahedron27"])
def test_physical_groups_of_gmsh(kind, tmp_path, caplog):
    """Named cells, faces and lines, of the first and of the second order, whatever the numbers of the points."""
    solid = bar_of(kind)
    order = np.random.default_rng(0).permutation(len(solid.points))
    points, data = solid.points[np.argsort(order)], order[solid.cells[0].data]

    def at(place):
        return int(np.argmin(np.linalg.norm(points - place, axis=1)))

    face, line = face_kind(kind)
    faces = []
    for corners in (data[:, list(one)] for one in SURFACE[kind.rstrip("0123456789")]):
        for own in corners[np.all(points[corners, 0] == 0.0, axis=1)]:
            middles = [at(points[[a, b]].mean(axis=0)) for a, b in zip(own, np.roll(own, -1), strict=True)]
            more = {"triangle": [], "quad": [], "quad9": [*middles, at(points[own].mean(axis=0))]}.get(face, middles)
            faces.append([*own, *more])
    faces = np.array(faces)
    lines = faces[:1, :2] if line == "line" else faces[:1, [0, 1, 3 if face == "triangle6" else 4]]
    blocks = [(kind, data), (face, faces), (line, lines)]
    tags = [np.full(len(x), tag) for tag, (_, x) in zip((3, 7, 9), blocks, strict=True)]
    mesh = meshio.Mesh(
        points, blocks, cell_data={"gmsh:physical": tags, "gmsh:geometrical": tags},
        field_data={"all": np.array([3, 3]), "clamp": np.array([7, 2]), "edge": np.array([9, 1])},
    )  # fmt: skip
    given = [mesh]
    if kind != "hexahedron20":  # meshio loses their order in files
        mesh.write(tmp_path / "bar.msh", file_format="gmsh22", binary=False)
        given.append(meshio.read(tmp_path / "bar.msh"))
    for one in given:
        model = bodies.mesh_model(one, STEEL)
        assert np.array_equal(model.sets["clamp"], np.flatnonzero(model.nodes[:, 0] == 0.0))
        assert len(model.sets["all"]) == len(model.nodes)
        assert len(model.sets["edge"]) == 3
    assert not caplog.records


def test_groups_of_a_plane_mesh_of_the_second_order():
    """Sets of cells and lines at an edge, as newer files of Gmsh have them."""
    flat = skfem.MeshTri2.from_mesh(skfem.MeshTri().refined(2))
    points, data = flat.doflocs.T, flat.dofs.element_dofs.T
    edges = data[:, [[0, 1, 3], [1, 2, 4], [2, 0, 5]]].reshape(-1, 3)
    edges = edges[np.all(points[edges, 1] == 0.0, axis=1)]
    half = np.flatnonzero(points[data[:, :3], 0].mean(axis=1) < 0.5)
    none = np.zeros(0, dtype=int)
    sets = {"bottom": [none, np.arange(len(edges))], "left": [half, none]}
    model = bodies.mesh_model(meshio.Mesh(points, [("triangle6", data), ("line3", edges)], cell_sets=sets), STEEL)
    assert np.array_equal(model.sets["bottom"], np.flatnonzero(model.nodes[:, 1] == 0.0))
    assert np.array_equal(model.sets["left"], np.flatnonzero(model.nodes[:, 0] <= 0.5))


@pytest.mark.parametrize("kind", ["hexahedron", "tetra10"])
def test_points_of_no_cell_are_no_nodes(kind):
    mesh = bar_of(kind)
    used = np.unique(mesh.cells[0].data)
    plain = meshio.Mesh(mesh.points[used], [(kind, np.searchsorted(used, mesh.cells[0].data))])
    stray = meshio.Mesh(np.concatenate([[[9.0, 9.0, 9.0]], plain.points]), [(kind, plain.cells[0].data + 1)])
    nodes = [bodies.mesh_model(x, STEEL).nodes for x in (plain, stray)]
    np.testing.assert_array_equal(*nodes)
