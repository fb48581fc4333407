"""Shapes of bodies: volume, mass center and inertia against integrals, closed surfaces against solids."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import tplquad
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import ModelError

LEAN = Rotation.from_rotvec([0.3, -0.4, 0.5])
PLACE = np.array([0.4, -0.2, 0.7])


def round_integrals(outer, inner, length):
    """Volume, ∫x² and ∫z² of a tube, in cylindrical coordinates."""

    def integral(f):
        low, high = -0.5 * length, 0.5 * length
        return tplquad(
            lambda z, angle, r: r * f(r, angle, z), 0.5 * inner, 0.5 * outer, 0.0, 2.0 * np.pi, low, high, epsabs=1e-12
        )[0]

    return (
        integral(lambda r, angle, z: 1.0),
        integral(lambda r, angle, z: (r * np.cos(angle)) ** 2),
        integral(lambda r, angle, z: z * z),
    )


@pytest.mark.parametrize(
    ("shape", "inner"),
    [
        (fm.Cylinder(diameter=0.4, length=0.9), 0.0),
        (fm.HollowCylinder(outer_diameter=0.4, inner_diameter=0.3, length=0.9), 0.3),
    ],
    ids=["full", "hollow"],
)
def test_round_shapes(shape, inner):
    volume, xx, zz = round_integrals(0.4, inner, 0.9)
    assert shape.volume == pytest.approx(volume, rel=1e-10)
    wanted = np.array([xx + zz, xx + zz, 2.0 * xx]) / volume
    np.testing.assert_allclose(shape.gyration, np.diag(wanted), rtol=1e-10, atol=1e-15)


def grid(shape_edges):
    """The surface of a box as triangles, one side cut into finer ones."""
    a, b, c = 0.5 * np.array(shape_edges)
    corners = np.array([(x, y, z) for x in (-a, a) for y in (-b, b) for z in (-c, c)])
    hull = ConvexHull(corners)
    faces = hull.simplices.copy()
    for face, normal in zip(faces, hull.equations[:, :3]):
        one, two, three = corners[face]
        if np.dot(np.cross(two - one, three - one), normal) < 0.0:
            face[[0, 1]] = face[[1, 0]]
    return corners, faces


@pytest.mark.parametrize("turn", [None, LEAN])
def test_a_surface_is_the_solid_that_it_encloses(turn):
    box = fm.Box((0.3, 0.5, 0.9), position=PLACE, orientation=turn)
    surface = fm.ClosedSurface(*grid((0.3, 0.5, 0.9)), position=PLACE, orientation=turn)
    assert surface.volume == pytest.approx(box.volume, rel=1e-14)
    np.testing.assert_allclose(surface.center, PLACE, atol=1e-15)
    np.testing.assert_allclose(surface.gyration, box.gyration, atol=1e-15)


def test_a_surface_away_from_its_origin_and_turned_inwards():
    corners, faces = grid((0.3, 0.5, 0.9))
    box = fm.Box((0.3, 0.5, 0.9), orientation=LEAN)
    far = np.array([100.0, -50.0, 20.0])
    surface = fm.ClosedSurface(LEAN.apply(corners) + far, faces[:, ::-1])
    np.testing.assert_allclose(surface.center, far, atol=1e-13)
    np.testing.assert_allclose(surface.gyration, box.gyration, atol=1e-12)
    drawn = surface.drawn
    a, b, c = (drawn.vertices[drawn.faces[:, k]] - far for k in range(3))
    assert np.all(np.einsum("ij,ij->i", a, np.cross(b, c)) > 0.0)


def test_a_fine_ball_comes_near_to_a_sphere():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(4000, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    hull = ConvexHull(points)
    faces = hull.simplices.copy()
    for face, normal in zip(faces, hull.equations[:, :3]):
        one, two, three = points[face]
        if np.dot(np.cross(two - one, three - one), normal) < 0.0:
            face[[0, 1]] = face[[1, 0]]
    ball, sphere = fm.ClosedSurface(points, faces), fm.Sphere(diameter=2.0)
    assert ball.volume == pytest.approx(hull.volume, rel=1e-12)
    np.testing.assert_allclose(ball.gyration, sphere.gyration, atol=2e-3)


def test_shapes_as_text():
    assert repr(fm.Box((0.1, 0.2, 0.3))) == "Box(0.1, 0.2, 0.3)"
    assert repr(fm.ClosedSurface(*grid((1.0, 1.0, 1.0)))) == "ClosedSurface(8 vertices, 12 faces)"
    assert repr(fm.SpatialModel("m").add_body("b", shape=fm.Sphere(diameter=0.1), density=1.0)).endswith(
        "shape=Sphere(diameter=0.1))"
    )


def test_a_hollow_is_taken_out():
    corners, faces = grid((1.0, 1.0, 1.0))
    both = fm.ClosedSurface(np.concatenate([corners, 0.5 * corners]), np.concatenate([faces, faces[:, ::-1] + 8]))
    assert both.volume == pytest.approx(1.0 - 0.125, rel=1e-14)
    np.testing.assert_allclose(both.gyration, np.eye(3) * (1.0 - 0.5**5) / 6.0 / 0.875, atol=1e-15)


def test_vertices_that_every_triangle_brings_anew_are_one():
    corners, faces = grid((0.3, 0.5, 0.9))
    loose = fm.ClosedSurface(corners[faces].reshape(-1, 3), np.arange(36).reshape(12, 3))
    assert loose.volume == pytest.approx(0.135, rel=1e-14)
    assert loose.drawn.vertices.shape == (8, 3)


CORNERS, FACES = grid((1.0, 1.0, 1.0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: fm.ClosedSurface(CORNERS, FACES[:-1]), "surface: it is open: 3 of its 18 edges have not a triangle"),
        (
            lambda: fm.ClosedSurface(CORNERS, [FACES[0][::-1], *FACES[1:]]),
            "surface: at 3 of its 18 edges two neighboring triangles turn opposite ways",
        ),
        (
            lambda: fm.ClosedSurface([*CORNERS, *(CORNERS + 5.0)], [*FACES, *(FACES[:, ::-1] + 8)]),
            "surface: it encloses no volume",
        ),
        (
            lambda: fm.ClosedSurface([*CORNERS, *(0.5 * CORNERS + 5.0)], [*FACES, *(FACES[:, ::-1] + 8)]),
            "surface: of its 2 parts that do not touch one is turned inside out",
        ),
        (lambda: fm.ClosedSurface(CORNERS, FACES + 1), "surface: faces name vertex 8; there are 8 vertices"),
        (lambda: fm.ClosedSurface(CORNERS[:, :2], FACES), r"surface: vertices must be points \(p, 3\)"),
        (lambda: fm.ClosedSurface(CORNERS, FACES + 0.5), r"surface: faces must be triangles \(f, 3\)"),
        (lambda: fm.Sphere(0.1), r"sphere: its size 0\.1 .* write Sphere\(diameter=0\.1\) or Sphere\(radius=0\.1\)"),
        (lambda: fm.Cylinder(0.1, 0.2), r"write Cylinder\(diameter=0\.1, length=0\.2\) or Cylinder\(radius="),
        (lambda: fm.HollowCylinder(0.2, 0.1, 1.0), r"write HollowCylinder\(outer_diameter=0\.2, inner_diameter=0\.1"),
        (lambda: fm.Disk(0.1), r"disk: its size 0\.1 .* write Disk\(diameter=0\.1\) or Disk\(radius=0\.1\)"),
        (lambda: fm.Cavity(0.1, (0, 0)), r"write Cavity\(diameter=0\.1\) or Cavity\(radius=0\.1\)"),
        (lambda: fm.Disk(), "disk: it has no size; give diameter=… or radius=…"),
        (lambda: fm.Disk(diameter=0.0), "disk: diameter is 0; it must be positive"),
        (lambda: fm.Cavity(radius=-1.0), "cavity: radius is -1; it must be positive"),
        (lambda: fm.Sphere(diameter=1.0, radius=0.5), "sphere: it has a diameter and a radius; give one of both"),
        (lambda: fm.Cylinder(radius=1.0), "cylinder: length must be a number, not None"),
        (lambda: fm.Box((1.0, 0.0, 1.0)), "box: an edge is 0; it must be positive"),
        (
            lambda: fm.HollowCylinder(outer_diameter=0.1, inner_diameter=0.2, length=1.0),
            "hollow cylinder: inner diameter 0.2 must be smaller",
        ),
        (lambda: fm.Cylinder(diameter=0.1, length=1.0, axis=(0, 0, 0)), "cylinder: axis has no direction"),
        (fm.Shape, "shape: take a Box"),
        (lambda: fm.Sphere(diameter=-1.0), "sphere: diameter is -1; it must be positive"),
    ],
)
def test_bad_shapes(make, message):
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize("axis", ["x", "y", "z", (0, 0, -1), (1, -2, 3)])
def test_the_axis_of_a_cylinder(axis):
    cylinder = fm.Cylinder(diameter=0.2, length=1.0, axis=axis)
    along = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}.get(axis, axis) if isinstance(axis, str) else axis
    along = np.array(along) / np.linalg.norm(along)
    np.testing.assert_allclose(cylinder.gyration @ along, 0.005 * along, atol=1e-15)
    drawn = Rotation.from_quat(np.roll(cylinder.drawn.axes, -1))
    np.testing.assert_allclose(drawn.apply([0, 0, 1]), along, atol=1e-15)
