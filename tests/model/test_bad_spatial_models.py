"""What cannot be right in a model of space is refused by name, where it is said."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm

TURN = Rotation.from_rotvec([0.1, 0.2, 0.3]).as_matrix()


def space() -> fm.SpatialModel:
    return fm.SpatialModel("m", gravity=(0.0, 0.0, -9.81))


def body(model, **said):
    return model.add_body("b", **({"mass": 1.0, "inertia": (0.1, 0.1, 0.1)} | said))


def hinge(axis, **said):
    model = space()
    return model.revolute(model.ground, body(model).frame, axis=axis, name="h", **said)


@pytest.mark.parametrize("axis", [(1e200, 1e200, 0.0), (1e-200, 1e-200, 0.0), (5e-324, 5e-324, 0.0)])
def test_an_axis_may_be_of_any_length(axis):
    table = hinge(axis).table()
    along = np.array([1.0, 1.0, 0.0]) / np.sqrt(2.0)
    np.testing.assert_allclose(np.cross(table[3].first, table[4].first), along, atol=1e-15)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (lambda: hinge((0, 0, 0)), "joint 'h': axis has no direction, since all its numbers are zero"),
        (lambda: hinge("w"), "joint 'h': axis is 'w'; give 'x', 'y', 'z', or a direction"),
        (lambda: hinge((1, 2)), r"joint 'h': axis must be 3 numbers, not \(1, 2\)"),
        (lambda: hinge("z", axis_b=(0, 0, 0)), "joint 'h': axis_b has no direction"),
        (lambda: hinge("z", axis_b=(0, 0, -1)), "joint 'h': at the start axis_b points 180° away from axis"),
        (lambda: body(space(), orientation=TURN + 1e-3), "'b': the columns .* off by 0.002"),
        (lambda: body(space(), orientation=-TURN), "'b': the axes of the matrix of orientation are left-handed"),
        (lambda: body(space(), orientation=(0.1, 0.2, 0.3)), "3 bare numbers may mean many things.*euler_angles"),
        (lambda: body(space(), orientation=(1, 0, 0, 0)), "4 bare numbers may mean many things.*euler_parameters"),
        (lambda: fm.euler_angles(None, (0.1, 0.2, 0.3)), "Euler angles need a sequence"),
        (lambda: fm.euler_angles("ZZX", (0.1, 0.2, 0.3)), "turns about one axis twice in a row"),
        (lambda: fm.euler_parameters((1, 1, 0, 0)), "has the length 1.41421.*it must be 1, scalar part first"),
        (lambda: body(space(), inertia=(-1, 1, 1)), "body 'b': inertia .* has the eigenvalue -1 about the axis"),
        (
            lambda: body(space(), inertia=np.diag([1, 1, 3])),
            "body 'b': its principal inertias .* are 1, 1 and 3; the last",
        ),
        (lambda: body(space(), inertia=[[1, 0.5, 0], [0.4, 1, 0], [0, 0, 1]]), "matrix of inertia is not symmetric"),
        (
            lambda: space().add_wheel("w", body(space()).frame, inertia=0.1, shape="disk"),
            "wheel 'w': shape is 'disk'; give a Box, a Cylinder",
        ),
        (lambda: body(space(), mass=0.0), "body 'b': mass is 0; it must be positive"),
        (lambda: body(space(), position=(0, 0)), r"body 'b': position must be 3 numbers, not \(0, 0\)"),
        (lambda: body(space()).move((1, 0, 0), 1.0), "frame 'b': angular_velocity must be 3 numbers, not 1.0"),
        (lambda: fm.SpatialModel("m", gravity=(0, -9.81)), "model 'm': gravity must be 3 numbers"),
        (lambda: fm.PlanarModel("m", gravity=(0, 0, -9.81)), "model 'm': gravity must be 2 numbers"),
    ],
)
def test_what_cannot_be_right_is_refused_where_it_is_said(said, message):
    with pytest.raises(fm.errors.ModelError, match=message):
        said()


def test_components_of_the_plane_are_not_for_space_and_the_reverse():
    model = space()
    leaf = body(model)
    for part in (
        fm.planar.RigidBody("r", leaf.frame, 1.0, 0.1),
        fm.planar.Revolute(model.ground, leaf.frame, name="r"),
        fm.planar.PointTorque(leaf.frame, 1.0, name="r"),
    ):
        with pytest.raises(fm.errors.ModelError, match=r"'r': \w+ is of the plane, and model 'm' is one of space"):
            model.add(part)
    flat = fm.PlanarModel("p")
    bar = flat.add_body("bar", mass=1.0, inertia=1.0)
    for other in (
        fm.spatial.Revolute(flat.ground, bar.frame, name="r"),
        fm.spatial.RigidBody("r", bar.frame, 1.0, (1, 1, 1)),
    ):
        with pytest.raises(fm.errors.ModelError, match=r"'r': \w+ is of space, and model 'p' is one of the plane"):
            flat.add(other)
    with pytest.raises(fm.errors.ModelError, match="frame 'b' belongs to model 'm', not to 'p'"):
        flat.revolute(flat.ground, leaf.frame)


def test_drives_that_contradict_say_by_how_much():
    model = space()
    wheel = body(model)
    model.revolute(model.ground, wheel.frame, axis="z")
    for name, amplitude in (("first", 1.0), ("second", 1.1)):
        wave = fm.Harmonic(amplitude=amplitude, frequency=1.0)
        model.drive_angle(model.ground, wheel.frame, wave, axis="z", name=name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.errors.RedundancyWarning)
        with pytest.raises(
            fm.errors.RedundancyError, match=r"second \(angle\).* contradicts the others in the speeds.* by 0\.1"
        ):
            fm.simulate(model, 0.1, progress=False)
