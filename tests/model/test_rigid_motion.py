"""A mechanism, or parts of it, started as one rigid body, in the plane and in space."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from flexmb.algebra.differences import derivative
from flexmb.spatial import SpatialModel
from flexmb.testing import RigidMotion
from flexmb.testing.recorder import Recorder

VELOCITY, OMEGA, ABOUT = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, -0.7]), np.array([0.4, 0.1, -0.6])
LEAN = Rotation.from_rotvec([0.3, -0.4, 0.5])


def in_space() -> SpatialModel:
    m = SpatialModel("m")
    m.add_body("a", mass=2.0, inertia=(0.2, 0.3, 0.4), position=(1.0, 0.2, -0.3), orientation=LEAN)
    b = m.add_body("b", mass=3.0, inertia=(0.5, 0.4, 0.3), position=(-0.7, 0.5, 0.8), orientation=LEAN * LEAN)
    b.attach("p", (-0.2, 0.1, 0.3), LEAN)
    m.add_frame("pillar", (2.0, 0.0, 0.0), fixed=True)
    m.add_body("c", mass=1.0, inertia=(1.0, 1.0, 1.0)).attach("p", (0.0, 1.0, 0.0))
    return m


def in_the_plane() -> fm.PlanarModel:
    m = fm.PlanarModel("m")
    m.add_body("a", mass=2.0, inertia=0.2, center=(0.1, 0.3))
    steel = fm.Material(density=7850.0, youngs_modulus=205e9)
    m.add_beam("rod", (1.0, 0.0), (2.0, 0.5), material=steel, section=fm.Circle(diameter=0.02), modes=2)
    return m


def finite_motion_of(system: fm.System, numbering, turn, velocity, about, h):  # type: ignore[no-untyped-def]
    """Where everything is a time h after it started: turned about an axis through `about`, which moves along."""
    to_origin = RigidMotion(np.zeros_like(turn), -about)
    back = RigidMotion(h * turn, about + h * velocity)
    return back.of_coordinates(numbering, to_origin.of_coordinates(numbering, system.q0))


@pytest.mark.parametrize(
    ("make", "velocity", "omega", "about"),
    [(in_space, VELOCITY, OMEGA, ABOUT), (in_the_plane, VELOCITY[:2], 1.7, ABOUT[:2])],
)
def test_speeds_are_those_of_a_turn_about_an_axis_through_a_point(make, velocity, omega, about):
    model = make()
    model.set_rigid_motion(velocity, omega, about)
    system = fm.System(model)
    numbering, turn = system.assembly.free, np.atleast_1d(omega)
    rate, error = derivative(
        lambda h: system.difference(finite_motion_of(system, numbering, turn, velocity, about, h), system.q0), 0.05
    )
    assert np.max(np.abs(system.v0 - rate)) < 1e-12 + 10.0 * np.max(error)


def test_frames_of_bodies_in_space_move_along():
    model = in_space()
    model.set_rigid_motion(VELOCITY, OMEGA, ABOUT)
    run = fm.simulate(model, 1e-3)
    for name in ("a", "b", "b.p", "c", "c.p"):
        place = model.frame(name).position
        np.testing.assert_allclose(run[name].velocity[0], VELOCITY + np.cross(OMEGA, place - ABOUT), atol=1e-14)
        np.testing.assert_allclose(run[name].angular_velocity[0], OMEGA, atol=1e-14)
    assert not run["pillar"].velocity.any()


def test_a_hinged_body_goes_on_about_its_axis():
    """The axis goes through a point off the mass center; without forces about it the turn is steady."""
    model = SpatialModel("m")
    body = model.add_body("body", mass=2.0, inertia=(0.2, 0.3, 0.4), position=(1.0, 0.2, -0.3), orientation=LEAN)
    post = model.add_frame("post", ABOUT, fixed=True)
    eye = body.attach("eye", LEAN.inv().apply(ABOUT - body.frame.position), LEAN.inv())
    model.revolute(post, eye, axis=OMEGA)
    model.set_rigid_motion(angular_velocity=OMEGA, about=ABOUT)
    run = fm.simulate(model, 2.0, method="independent")
    turn = Rotation.from_rotvec(np.outer(run.t, OMEGA))
    np.testing.assert_allclose(run["body"].position, ABOUT + turn.apply(body.frame.position - ABOUT), atol=1e-6)
    assert np.max((run["body"].orientation.inv() * turn * LEAN).magnitude()) < 1e-6


def test_some_components_start_and_the_others_rest():
    model = in_space()
    a, b = model.component("a"), model.component("b")
    model.set_rigid_motion(VELOCITY, OMEGA, ABOUT, components=[b])
    assert not a.frame.node.velocity.any() and not a.frame.node.angular_velocity.any()
    alone = in_space().component("b")
    alone.rigid_motion(VELOCITY, OMEGA.tolist(), tuple(ABOUT))
    for node in (b.frame.node, alone.frame.node):
        assert np.array_equal(node.velocity, VELOCITY + np.cross(OMEGA, b.frame.position - ABOUT))
        assert np.array_equal(node.angular_velocity, OMEGA)
    Recorder.of(b)


@pytest.mark.parametrize(
    ("make", "motion", "message"),
    [
        (in_space, ((1, 0), OMEGA, ABOUT), r"velocity must be 3 numbers, not \(1, 0\)"),
        (in_space, (VELOCITY, 2.0, ABOUT), "angular_velocity must be 3 numbers, not 2.0"),
        (in_space, (VELOCITY, (0, 0, np.nan), ABOUT), "angular_velocity"),
        (in_space, (VELOCITY, OMEGA, (0, 0)), r"about must be 3 numbers, not \(0, 0\)"),
        (in_the_plane, ((1, 0, 0), 2.0, (0, 0)), r"velocity must be 2 numbers, not \(1, 0, 0\)"),
        (in_the_plane, ((1, 0), (0, 0, 2), (0, 0)), r"angular_velocity must be a number, not \(0, 0, 2\)"),
        (in_the_plane, ((1, 0), 2.0, "ground"), "about must be 2 numbers, not 'ground'"),
    ],
)
def test_motions_of_a_wrong_shape_are_refused(make, motion, message):
    model = make()
    with pytest.raises(fm.errors.ModelError, match="^model 'm', rigid motion: " + message):
        model.set_rigid_motion(*motion)
    with pytest.raises(fm.errors.ModelError, match="^body 'a': " + message):
        model.component("a").rigid_motion(*motion)
    assert not fm.System(model).v0.any()
