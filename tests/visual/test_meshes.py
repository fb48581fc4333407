"""Meshes are closed, have outward faces, and have the right sizes."""

from __future__ import annotations

import atexit
import weakref
from collections import Counter

import numpy as np
import pytest
import pyvista as pv

from flexmb.visual.stage import meshes, placing
from flexmb.visual.stage.films import carry


def volume(mesh):
    """∫ r · n dA / 3: the volume of a closed mesh whose faces look outwards."""
    a, b, c = (np.asarray(mesh.points, dtype=float)[mesh.regular_faces[:, k]] for k in range(3))
    return float(np.sum(a * np.cross(b, c))) / 6.0


def is_closed(mesh):
    """Whether each edge occurs once in each direction, with points in one place counted as one."""
    keys = {}
    number = np.array([keys.setdefault(tuple(np.round(p, 9) + 0.0), len(keys)) for p in mesh.points])
    edges = Counter()
    for face in number[mesh.regular_faces]:
        for i, j in ((0, 1), (1, 2), (2, 0)):
            if face[i] != face[j]:
                edges[face[i], face[j]] += 1
    return all(edges[j, i] == count for (i, j), count in edges.items())


def polygon(count):
    """The area of a regular polygon in the unit circle."""
    return 0.5 * count * np.sin(2.0 * np.pi / count)


def tube(path, profile):
    """A tube along a path in the plane."""
    path = placing.in_space(path)
    points = meshes.sweep(path, placing.normals(path, placing.Z), profile)
    return pv.PolyData.from_regular_faces(points, meshes.sweep_faces(len(path), profile))


SQUARE = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]])
STRAIGHT = np.linspace([0.0, 0.0], [3.0, 4.0], 6)


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: tube(STRAIGHT, meshes.circle(0.1, 16)), 5.0 * polygon(16) * 0.01),
        (lambda: tube(STRAIGHT, meshes.rectangle(0.2, 0.3)), 5.0 * 0.06),
        (lambda: meshes.prism(SQUARE, 0.5), 2.0),
        (lambda: meshes.ring(0.3, 0.5, 0.1), 0.2 * polygon(40) * (0.25 - 0.09)),
    ],
    ids=["round tube", "rectangular tube", "prism", "ring"],
)
def test_volumes_are_exact(make, expected):
    mesh = make()
    assert is_closed(mesh)
    assert volume(mesh) == pytest.approx(expected, rel=1e-6)  # VTK's own shapes have numbers of 4 bytes


@pytest.mark.parametrize(
    ("make", "low", "high"),
    [
        (lambda: meshes.ball(1.0), 0.93 * 4.0 / 3.0 * np.pi, 4.0 / 3.0 * np.pi),
        (lambda: meshes.cylinder(1.0, 0.5), 0.95 * np.pi, np.pi),
        (lambda: meshes.plate(SQUARE, 0.1, 0.5), 2.55, 2.0 + 0.6 + 0.01 * np.pi),
        (lambda: meshes.plate(SQUARE[:2], 0.1, 0.5), 0.4, 0.4 + 0.01 * np.pi),
        (lambda: meshes.box(2.0, 1.0, 0.5), 1.75, 2.0),
        (lambda: meshes.support(1.0, 0.5)[0], 0.0, 10.0),
        (lambda: meshes.support(1.0, 0.5)[1], 0.0, 10.0),
    ],
    ids=["ball", "cylinder", "plate", "bar", "box", "support", "hatches"],
)
def test_solids_are_closed_and_look_outwards(make, low, high):
    mesh = make()
    assert is_closed(mesh)
    assert low < volume(mesh) < high
    normals = meshes.vertex_normals(mesh.points, mesh.regular_faces)
    assert np.allclose(np.linalg.norm(normals, axis=1), 1.0)


def test_tubes_are_rings_about_their_path():
    turn = np.linspace(0.0, 1.0, 9)
    path = np.stack([np.sin(turn), np.cos(turn)], axis=1)
    mesh = tube(path, meshes.circle(0.05, 12))
    rings = mesh.points[: 9 * 12].reshape(9, 12, 3)
    assert np.allclose(rings.mean(axis=1), np.column_stack([path, np.zeros(9)]), atol=1e-15)
    assert np.allclose(np.linalg.norm(rings - rings.mean(axis=1, keepdims=True), axis=2), 0.05)


def test_arrows_have_the_length_asked_for():
    mesh = meshes.arrow().copy()
    long, short = (meshes.stretched(mesh.points, length, 0.1) for length in (5.0, 0.35))
    assert (long[:, 0].min(), long[:, 0].max()) == (0.0, 5.0)
    assert np.abs(long[:, 1]).max() == pytest.approx(0.26)
    assert short[:, 0].max() == 0.35
    assert np.abs(short[:, 1]).max() == pytest.approx(0.13)
    mesh.points = long
    assert is_closed(mesh)
    assert volume(mesh) == pytest.approx(polygon(16) * (0.01 * 4.3 + 0.26**2 * 0.7 * 1.0101 / 3.0), rel=1e-6)


def test_meshes_are_placed_by_turning_then_shifting():
    (pose,) = placing.planar_poses(np.array([[10.0, 20.0, 0.5 * np.pi]]))
    assert np.allclose(placing.placed(np.array([[1.0, 0.0, 3.0]]), pose), [[10.0, 21.0, 3.0]])


def test_meshes_that_are_kept_are_let_go_before_python_takes_its_modules_apart(monkeypatch):
    at_end = []
    monkeypatch.setattr(atexit, "register", at_end.append)
    sphere = meshes.made_once(pv.Sphere)
    kept = weakref.ref(sphere())
    assert sphere() is kept()
    (end,) = at_end
    end()
    assert kept() is None


def test_normals_carried_along_a_path_stay_across_it():
    """Along a circle those in its plane turn with it, and the one across the plane stays."""
    angle = np.linspace(0.0, 2.0, 50)
    path = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(50)])
    tangent = np.column_stack([-np.sin(angle), np.cos(angle), np.zeros(50)])
    for first, all_along in ((path[0], path), (np.array([0.0, 0.0, 1.0]), np.tile([0.0, 0.0, 1.0], (50, 1)))):
        normals = np.zeros((50, 3))
        normals[0] = first
        carry(path, tangent, normals)
        np.testing.assert_allclose(normals, all_along, rtol=0, atol=1e-12)
