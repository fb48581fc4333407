"""Meshes of reduced bodies: surfaces, places of their points, colors, meshes for ParaView, and files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.bodies import BodyMesh
from flexmb.bodies.full_models.cell_kinds import CORNERS, nodes_of
from flexmb.bodies.meshes.surface import surface_triangles
from flexmb.results.pictures.deforming import deforming
from flexmb.visual.paraview import skeleton_of
from flexmb.visual.stage.meshes import split_at_edges, vertex_normals
from tests.models.particles import Particles

CUBE = np.array([[x, y, z] for z in (0.0, 1.0) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))])
TRIANGLES = {"tetra": [[0, 1, 3, 4], [1, 2, 3, 6]], "hexahedron": [list(range(8))], "wedge": [[0, 1, 3, 4, 5, 7]]}


@pytest.mark.parametrize("kind", TRIANGLES)
def test_surfaces_are_closed_and_turn_outward(kind: str) -> None:
    """Every edge is that of two triangles, one each way; the volume within is positive."""
    faces = surface_triangles(BodyMesh(CUBE, [(kind, TRIANGLES[kind][:1])], np.zeros((8, 3, 1))))
    edges = [tuple(edge) for edge in faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).tolist()]
    assert len(set(edges)) == len(edges) and {(b, a) for a, b in edges} == set(edges)
    a, b, c = CUBE[faces].transpose(1, 0, 2)
    wanted = {"tetra": 1 / 6, "hexahedron": 1.0, "wedge": 0.5}[kind]
    assert np.sum(a * np.cross(b, c)) / 6.0 == pytest.approx(wanted)


def test_faces_with_nodes_on_their_edges_are_divided_there() -> None:
    middle = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
    corners = CUBE[[0, 1, 3, 4]]
    nodes = np.concatenate([corners, [corners[list(pair)].mean(axis=0) for pair in middle]])
    faces = surface_triangles(BodyMesh(nodes, [("tetra10", [range(10)])], np.zeros((10, 3, 1))))
    assert faces.shape == (16, 3)
    a, b, c = nodes[faces].transpose(1, 0, 2)
    assert np.sum(a * np.cross(b, c)) / 6.0 == pytest.approx(1 / 6)


@pytest.fixture(scope="module")
def run() -> Any:
    """Eight particles at the corners of a cell, which swing and turn."""
    particles = Particles.random(seed=3, size=8)
    reduced = particles.reduced()
    mesh = replace(reduced.mesh, cells=[("hexahedron", [range(8)])])
    m = fm.SpatialModel("m")
    body = m.add_modal_body("blob", replace(reduced, mesh=mesh), amplitudes=(0.2, -0.1, 0.3))
    body.frame.move((0.4, 0.0, 0.2), (1.0, -2.0, 0.5))
    return particles, fm.simulate(m, 0.2, step=0.01)


def test_points_are_those_of_the_particles(run: Any, tmp_path: Path) -> None:
    particles, solution = run
    for seen in (solution, fm.load(solution.save(tmp_path / "blob.h5"))):
        (mesh,) = deforming(seen)
        track, k = seen["blob"], 12
        eta = np.array([seen.coordinate(f"blob.mode{i}")[k] for i in (1, 2, 3)])
        wanted = track.position[k] + track.orientation[k].apply(particles.positions(eta))
        assert np.allclose(mesh.points(k), wanted, rtol=0.0, atol=1e-12)
    rate = (mesh.points(k + 1) - mesh.points(k - 1)) / (seen.t[k + 1] - seen.t[k - 1])
    assert np.allclose(mesh.velocities(k), rate, rtol=0.0, atol=2e-2 * np.max(np.abs(rate)))


def test_paraview_gets_the_cells(run: Any) -> None:
    _, solution = run
    skeleton = skeleton_of(solution)
    assert [len(row) for row, _, _ in skeleton.cells["hexahedron"]] == [8]
    (mesh,) = deforming(solution)
    assert np.allclose(skeleton.sections["deformation"][5], mesh.deformation(5))


def test_a_view_colors_the_mesh(run: Any) -> None:
    _, solution = run
    view = fm.View(solution, color="deformation")
    pieces = [piece for piece in view.stage(solution.t[:3]) if piece.name == "blob"]
    assert len(pieces) == 1 and pieces[0].values(2) is not None and len(pieces[0].faces) == 12
    with pytest.raises(fm.errors.NamingError, match=r"blob\.deformation"):
        fm.View(solution, color="bob.deformation")


def test_edges_of_a_body_are_sharp(run: Any) -> None:
    """Each side of a cube has its own points, whose normals are those of the side."""
    triangles = surface_triangles(BodyMesh(CUBE, [("hexahedron", [range(8)])], np.zeros((8, 3, 1))))
    numbers, faces = split_at_edges(CUBE, triangles)
    assert np.array_equal(np.sort(numbers), np.repeat(np.arange(8), 3))
    assert np.array_equal(numbers[faces], triangles)
    sides = np.cross(*(CUBE[triangles[:, k]] - CUBE[triangles[:, 0]] for k in (1, 2)))
    normals = vertex_normals(CUBE[numbers], faces)
    assert np.allclose(normals[faces], sides[:, None])
    _, solution = run
    (piece,) = (x for x in fm.View(solution, color="deformation").stage(solution.t[:1]) if x.name == "blob")
    assert len(piece.points(0)) == len(piece.values(0)) > 8


@pytest.mark.parametrize("kind", ["hexahedron", "wedge", "pyramid", "quad"])
def test_nodes_in_the_middle_of_faces_are_seen(kind: str) -> None:
    """A bent bar has no stress in the middle of its sides: pictures show all nodes on the surface."""
    nodes = nodes_of(kind, 2)
    none = np.zeros((*nodes.shape, 1))
    faces = surface_triangles(BodyMesh(nodes, [(f"{kind}{len(nodes)}", [range(len(nodes))])], none))
    inside = 1 if kind == "hexahedron" else 0
    assert len(np.unique(faces)) == len(nodes) - inside
    places = np.pad(nodes, ((0, 0), (0, 3 - nodes.shape[1])))
    area = np.cross(*(places[faces[:, k]] - places[faces[:, 0]] for k in (1, 2)))
    corners = surface_triangles(BodyMesh(nodes, [(kind, [range(len(CORNERS[kind]))])], none))
    plain = np.cross(*(places[corners[:, k]] - places[corners[:, 0]] for k in (1, 2)))
    assert np.linalg.norm(area, axis=1).sum() == pytest.approx(np.linalg.norm(plain, axis=1).sum())
    if nodes.shape[1] == 3:  # closed, and turned outward
        assert np.allclose(area.sum(axis=0), 0.0)
        outward = places[faces].mean(axis=1) - nodes.mean(axis=0)
        assert np.min(np.sum(area * outward, axis=1)) > 0.0
