"""Starts by names of joints: what they carry moves as a rigid body, with beams, rotors and all."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.batches.starts import Start
from flexmb.errors import ModelError, NamingError
from tests.batches.swings import STEEL, pendulum, whip

SECTION = fm.Circle(diameter=0.02)


def jointed(dimension, theory="cms"):
    """A body on a hinge with a clamped beam of two elements, on its end a second hinge with a beam, and a motor with a
    reducer that yields in the first hinge."""
    z = (0.0,) * (dimension - 2)
    m = fm.PlanarModel("jointed") if dimension == 2 else fm.SpatialModel("jointed")
    steel = fm.Material(density=7850, youngs_modulus=205e9, poissons_ratio=0.3)
    body = m.add_body("body", mass=1.0, inertia=0.1 if dimension == 2 else (0.1, 0.1, 0.1), position=(1, 0, *z))
    given = {"material": steel, "section": SECTION, "theory": theory}
    arm = m.add_beam("arm", body.frame, (2, 0, *z), elements=2, **given)
    tip = m.add_beam("tip", m.add_frame("root", (2, 0, *z)), (2, 1, *z), **given)
    about = {} if dimension == 2 else {"axis": "z"}
    m.revolute(m.ground, body.attach("pivot", (-1, 0, *z)), name="hinge", **about)
    m.revolute(arm.end, tip.start, name="elbow", **about)
    m.motor(m.ground, body.frame, inertia=1e-3, ratio=20.0, stiffness=1e4, name="motor", **about)
    return m


@pytest.mark.parametrize("theory", ["cms", "exact"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_beams_keep_their_shapes_and_turn_with_their_joints(dimension, theory):
    given = {"hinge.angle": 0.7, "hinge.rate": 2.0, "elbow.angle": -0.4, "elbow.rate": -1.5}
    model = jointed(dimension, theory)
    offset = Start(model, list(given), "m").state(dict.fromkeys(given, 0.0))["elbow.angle"]
    state = Start(model, list(given), "m").state({**given, "elbow.angle": offset + given["elbow.angle"]})
    assert state["energy.strain"] < 1e-15
    turn = lambda angle: np.array([np.cos(angle), np.sin(angle)])  # noqa: E731
    across = lambda angle: np.array([-np.sin(angle), np.cos(angle)])  # noqa: E731
    rest = np.zeros(dimension - 2)
    at_elbow, out = 2.0 * turn(0.7), across(0.7 - 0.4)
    np.testing.assert_allclose(state["tip.end"].position, [*(at_elbow + out), *rest], atol=1e-12)
    velocity = 2.0 * 2.0 * across(0.7) - (2.0 - 1.5) * turn(0.7 - 0.4)
    np.testing.assert_allclose(state["tip.end"].velocity, [*velocity, *rest], atol=1e-12)
    np.testing.assert_allclose([state["hinge.rate"], state["elbow.rate"]], [2.0, -1.5], atol=1e-12)
    begun = fm.simulate(model, 1e-6, "radau", initial=state, times=[0.0], progress=False)
    np.testing.assert_allclose(begun["energy.kinetic"][0], state["energy.kinetic"], rtol=1e-12)


def test_a_rotor_may_be_given():
    model = jointed(2)
    start = Start(model, ["hinge.angle", "motor.rotor"], "m")
    twisted = start.state({"hinge.angle": 0.5, "motor.rotor": 0.0})
    np.testing.assert_allclose(twisted["energy.strain"], 0.5 * 1e4 * 0.5**2, rtol=1e-9)


def test_members_begin_so():
    model, angles = jointed(2), [0.1, 0.9]
    given = {"outputs": ["tip.end.y"], "times": [0.0, 0.002], "progress": False}
    runs = fm.batch(model, 0.002, "radau", initial={"hinge.angle": angles}, **given)
    start = Start(model, ["hinge.angle"], "m")
    for k, angle in enumerate(angles):
        alone = fm.simulate(
            model, 0.002, "radau", initial=start.state({"hinge.angle": angle}), times=given["times"], progress=False
        )
        np.testing.assert_array_equal(runs["tip.end.y"][k], alone["tip.end.y"])


def test_members_with_another_geometry_begin_at_their_own_places():
    centers, angles = [(0.0, 0.0), (0.3, 0.1)], [0.4, 0.4]
    given = {"outputs": ["bob.x", "hinge.angle"], "times": [0.0, 0.1], "progress": False}
    vary, initial = {"bob.center": centers}, {"hinge.angle": angles}
    runs = fm.batch(pendulum(), 0.1, "dop853", vary=vary, initial=initial, **given)
    np.testing.assert_allclose(runs["hinge.angle"][:, 0], 0.4, rtol=1e-12)
    for k in range(2):
        m = pendulum()
        m.components["bob"].center = np.array(centers[k])
        state = Start(m, ["hinge.angle"], "m").state({"hinge.angle": 0.4})
        alone = fm.simulate(m, 0.1, "dop853", initial=state, times=given["times"], progress=False)
        np.testing.assert_array_equal(runs["bob.x"][k], alone["bob.x"])


def closed():
    m = pendulum()
    m.distance(m.ground.attach("post", (0, 1)), m.frame("bob"), name="stay")
    m.revolute(m.ground.attach("foot", (1, 0)), m.frame("bob"), name="peg")
    return m


def hanging():
    m = pendulum()
    m.add_beam("cable", m.frame("bob"), (2, 0), material=STEEL, section=SECTION, theory="ancf")
    return m


@pytest.mark.parametrize(
    "build, name, error, words",
    [
        (whip, "rod.end.x", ModelError, "'rod.end.x' is of a node that is carried by the one before it"),
        (whip, "hinge.speed", NamingError, "no joint coordinate or rate 'hinge.speed'"),
        (closed, "hinge.angle", ModelError, "closes a loop"),
        (hanging, "hinge.angle", ModelError, "'hinge.angle' would bend beam 'cable'"),
    ],
)
def test_what_cannot_be_said_so_is_refused(build, name, error, words):
    with pytest.raises(error, match=words):
        fm.batch(build(), 0.01, "radau", initial={name: [0.1]}, progress=False)
