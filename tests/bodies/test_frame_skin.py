"""Surfaces of frames of beams, for pictures."""

from __future__ import annotations

import matplotlib.image
import numpy as np
import pytest

import flexmb as fm
from flexmb import bodies
from flexmb.bodies.meshes.surface import surface_triangles

STEEL = fm.Material(density=7850.0, youngs_modulus=2e11, poissons_ratio=0.3)
FIRST, SECOND = fm.Circle(diameter=0.05), fm.Rectangle(0.06, 0.03)


def frame(dimension: int) -> bodies.ReducedBody:
    places = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, 0.5, 0)}
    beams = [bodies.Member(("a", "b"), STEEL, FIRST), bodies.Member(("b", "c"), STEEL, SECOND, elements=2)]
    own = {key: place[:dimension] for key, place in places.items()}
    return bodies.from_frame(own, beams, interfaces={"a": "a", "c": "c"}, modes=3)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_surface_goes_with_its_frame(dimension):
    body = frame(dimension)
    mesh, end = body.mesh, body.interfaces["c"]
    lines = dict(mesh.cells)["line"]
    first = int(lines.max()) + 1
    assert len(surface_triangles(mesh)) > 0
    near = first + np.flatnonzero(np.linalg.norm(mesh.nodes[first:] - end.position, axis=1) < 0.05)
    assert len(near) == (2 if dimension == 2 else 4)
    for node in near:
        arm = mesh.nodes[node] - end.position
        turned = np.cross(end.rotation.T, arm).T if dimension == 3 else np.outer((-arm[1], arm[0]), end.rotation)
        np.testing.assert_allclose(mesh.shapes[node], end.translation + turned, atol=1e-9)


def test_substructures_keep_surfaces():
    parts = {}
    for name, x in (("left", 0.0), ("right", 1.0)):
        places = {"near": (x, 0, 0), "far": (x + 1.0, 0, 0)}
        parts[name] = bodies.frame_model(places, [bodies.Member(("near", "far"), STEEL, FIRST)], name=name)
    whole = bodies.from_substructures(
        parts, welds={"joint": [("left", "far"), ("right", "near")]}, interfaces={"root": ("left", "near")}, modes=2
    )
    one = bodies.from_frame(
        {"a": (0, 0, 0), "b": (2, 0, 0)}, [bodies.Member(("a", "b"), STEEL, FIRST)], interfaces={"a": "a"}, modes=2
    )
    assert np.ptp(whole.mesh.nodes, axis=0) == pytest.approx(np.ptp(one.mesh.nodes, axis=0))
    assert len(surface_triangles(whole.mesh)) == 2 * len(surface_triangles(one.mesh))


@pytest.mark.parametrize("dimension", [2, 3])
def test_frames_are_seen(dimension, tmp_path):
    model = fm.PlanarModel("p") if dimension == 2 else fm.SpatialModel("s")
    body = model.add_modal_body("frame", frame(dimension))
    model.weld(model.ground, body.at("a"))
    rest = fm.equilibrium(model).solution
    fm.View(rest).screenshot(tmp_path / "frame.png")
    seen = matplotlib.image.imread(tmp_path / "frame.png")[..., :3]
    assert np.mean(np.abs(seen - seen[0, -1]).max(axis=2) > 0.05) > 0.01
    if dimension == 2:
        figure = rest.draw(0.0)
        outlines = [p.get_xy() for p in figure.axes[0].patches if len(p.get_xy()) > 5]
        assert max(float(np.max(xy[:, 1])) for xy in outlines) == pytest.approx(0.5)  # the second beam too
