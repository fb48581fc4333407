"""What a user says of the inertia of a body in space, and where its mass center is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.errors import ModelError, SolverError

LEAN = Rotation.from_rotvec([0.3, -0.4, 0.5])
OTHER = Rotation.from_rotvec([-0.2, 0.9, 0.1])
J = np.diag([0.2, 0.3, 0.4])


def test_inertia_about_another_point_and_in_other_axes():
    center, about = np.array([0.3, 0.1, -0.2]), np.array([-0.1, 0.5, 0.2])
    d = center - about
    principal = OTHER.as_matrix() @ J @ OTHER.as_matrix().T
    there = OTHER.as_matrix().T @ (principal + 2.0 * (d @ d * np.eye(3) - np.outer(d, d))) @ OTHER.as_matrix()
    m = fm.SpatialModel("m")
    body = m.add_body(
        "body", mass=2.0, inertia=there, center=center, inertia_about=about, inertia_axes=OTHER, position=(1, 2, 3),
        orientation=LEAN,
    )  # fmt: skip
    np.testing.assert_allclose(body.tensor(), principal, atol=1e-15)
    np.testing.assert_allclose(m.frames["body.center"].position, LEAN.apply(center) + [1, 2, 3], atol=1e-15)
    np.testing.assert_allclose(m.frames["body"].position, [1, 2, 3], atol=1e-15)
    assert m.frames["body.center"].is_node


def fall(**given):
    """A pendulum with its pivot at the origin of the body's frame."""
    m = fm.SpatialModel("pendulum", gravity=(0.0, 1.0, -9.81))
    rod = m.add_body("rod", orientation=LEAN, **given)
    m.spherical(m.ground, rod.frame)
    return fm.simulate(m, 0.5, step=1e-3, progress=False)["rod.center"].position


def test_a_body_moves_the_same_however_it_is_said():
    shape = fm.Box((1.0, 0.1, 0.2), position=(0.5, 0.0, 0.0))
    by_shape = fall(shape=shape, density=100.0)
    mass = 100.0 * 0.02
    about_end = np.diag([0.01 + 0.04, 1.0 + 0.04, 1.0 + 0.01]) * mass / 12.0 + np.diag([0.0, 0.25, 0.25]) * mass
    by_numbers = fall(mass=mass, inertia=about_end, inertia_about=(0, 0, 0), center=(0.5, 0, 0))
    np.testing.assert_allclose(by_shape, by_numbers, atol=1e-12)


def test_a_body_on_the_frame_of_another_moves_as_one_with_it():
    def swing(apart):
        m = fm.SpatialModel("two", gravity=(0.0, 1.0, -9.81))
        a = m.add_body("a", mass=1.0, inertia=(0.1, 0.2, 0.25), position=(0.5, 0, 0), orientation=LEAN)
        there = a.attach("there", (0.3, 0.2, -0.1), OTHER)
        m.spherical(m.ground, a.attach("pivot", LEAN.inv().apply((-0.5, 0, 0))))
        c = np.array([0.1, -0.2, 0.3])
        if apart:
            m.add_body("b", mass=0.7, inertia=J, center=c, frame=there)
            m.add_point_mass("p", there, 0.4)
        else:  # the same inertia about the common mass center, by hand
            m.components.pop("a")
            R = OTHER.as_matrix()
            at = np.array([0.3, 0.2, -0.1])
            parts = [(1.0, np.zeros(3), np.diag([0.1, 0.2, 0.25])), (0.7, at + R @ c, R @ J @ R.T), (0.4, at, 0.0 * J)]
            mass = sum(w for w, _, _ in parts)
            middle = sum(w * s for w, s, _ in parts) / mass
            whole = sum(
                own + w * ((s - middle) @ (s - middle) * np.eye(3) - np.outer(s - middle, s - middle))
                for w, s, own in parts
            )
            m.add_body("one", mass=mass, inertia=whole, center=middle, frame=a.frame)
        run = fm.simulate(m, 0.5, "dop853", tolerance=1e-10, progress=False)
        assert run.energy.error < 1e-8
        return run["a.there"].position[-1]

    np.testing.assert_allclose(swing(True), swing(False), atol=1e-9)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"mass": 1.0, "inertia": (0.1, -0.2, 0.3)},
            r"body 'b': inertia about its mass center has the eigenvalue -0.2 about the axis \(0, 1, 0\); it must",
        ),
        ({"mass": 1.0, "inertia": (0.0, 0.0, 0.0)}, "has the eigenvalue 0 about .*is a point mass, add_point_mass"),
        (
            {"mass": 1.0, "inertia": (0.1, 0.5, 0.3)},
            r"principal inertias about its mass center are 0.1, 0.3 and 0.5; the last, about the axis \(0, 1, 0\), is "
            "larger than the sum of the other two",
        ),
        (
            {"mass": 1.0, "inertia": (0.1, 0.2, 0.2), "inertia_about": (0.0, 0.0, 1.0)},
            "about its mass center, once mass times squared distance from inertia_about is taken off, has the eigenv",
        ),
        ({"mass": 1.0, "inertia": [[1, 1, 0], [0, 1, 0], [0, 0, 1]]}, "the matrix of inertia is not symmetric"),
        ({"mass": 0.0, "inertia": (1, 1, 1)}, "body 'b': mass is 0; it must be positive"),
        ({"mass": 1.0}, "body 'b': give its inertia or a shape"),
        ({"inertia": (1, 1, 1)}, "body 'b': give its mass, or a shape with a density"),
        ({"density": 1.0, "inertia": (1, 1, 1)}, "body 'b': density needs a shape"),
        ({"density": 1.0, "mass": 1.0, "shape": fm.Sphere(diameter=1.0)}, "has its mass and inertia; leave mass out"),
        (
            {"mass": 1.0, "center": (0, 0, 1), "shape": fm.Sphere(diameter=1.0)},
            "its shape says where the mass is; leave center",
        ),
        ({"density": 1.0, "shape": "box"}, "shape is 'box'; give a Box"),
        (
            {"mass": 1.0, "inertia": (1, 1, 1), "frame": "f", "position": (0, 0, 0)},
            "give either a frame, which has its",
        ),
    ],
)
def test_bad_bodies(given, message):
    m = fm.SpatialModel("m")
    with pytest.raises(ModelError, match=message):
        m.add_body("b", **given)
    assert list(m.frames) == ["ground"] and not m.components


def test_bad_point_masses():
    m = fm.SpatialModel("m", gravity=(0, 0, -9.81))
    with pytest.raises(ModelError, match="body 'p': frame 'ground' is fixed; a body there cannot move"):
        m.add_point_mass("p", m.ground, 1.0)
    with pytest.raises(ModelError, match="body 'p': mass is -1; it must be positive"):
        m.add_point_mass("p", m.add_frame("f"), -1.0)
    m.add_point_mass("p", m.frames["f"], 1.0)
    with pytest.raises(SolverError, match=r"'f\.wz' has no inertia"):
        fm.simulate(m, 0.1, progress=False)


def test_three_point_masses_make_a_body():
    m = fm.SpatialModel("m", gravity=(0, 0, -9.81))
    frame = m.add_frame("f")
    for k, place in enumerate([(1, 0, 0), (0, 1, 0), (0, 0, 1)]):
        m.add_point_mass(f"p{k}", frame.attach(f"f.{k}", place), 1.0 + k)
    run = fm.simulate(m, 0.2, step=1e-3, progress=False)
    np.testing.assert_allclose(run["f"].position[-1], [0, 0, -0.5 * 9.81 * 0.04], atol=1e-12)
