"""States of linear models that are coordinates of joints: they are just these, and the model is the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples import bicycle


def rider(speed: float) -> Any:
    """A car on a straight way, a frame that leans on it and is held by a spring, a fork that steers, and an arm on a
    cross at its end."""
    m: Any = fm.SpatialModel("rider", gravity=(0.0, 0.0, -9.81))
    car = m.add_body("car", mass=5.0, inertia=(0.3, 0.4, 0.5))
    frame = m.add_body("frame", mass=3.0, inertia=(0.2, 0.3, 0.1), position=(0, 0, 0.8))
    fork = m.add_body("fork", mass=1.0, inertia=(0.05, 0.06, 0.02), position=(0.5, 0, 0.8), center=(0.1, 0, 0))
    arm = m.add_body("arm", mass=0.4, inertia=(0.02, 0.02, 0.01), position=(0.7, 0, 0.5))
    m.prismatic(m.ground, car.frame, axis="x", name="way")
    m.lean = m.revolute(car.frame, frame.attach("foot", (0, 0, -0.8)), axis="x", name="lean")
    m.steer = m.revolute(
        frame.attach("head", (0.4, 0, 0)), fork.attach("stem", (-0.1, 0, 0)), axis=(-1, 0, 3), name="steer"
    )
    m.universal(fork.attach("end", (0.2, 0, 0)), arm.attach("top", (0, 0, 0.3)), axis="y", axis_b="x", name="cross")
    m.joint_force(m.steer, 0.0, damping=0.2, name="hands")
    m.torsion_spring(car.frame, frame.frame, axis="x", stiffness=40.0, damping=0.5)
    m.torsion_spring(frame.frame, fork.frame, axis=(-1, 0, 3), stiffness=5.0)
    for body in (car, frame, fork, arm):
        body.frame.move((speed, 0, 0))
    return m


def joints_of(linear: fm.LinearModel, model: Any) -> list[str]:
    """Names of the states that are coordinates of joints, or their rates."""
    return [name for name in linear.states if name.partition(".")[0] in model.components and ".turn " not in name
            and ".own " not in name and name.removesuffix(" rate") not in linear.state.system.names]  # fmt: skip


def check_states(linear: fm.LinearModel, model: Any) -> None:
    """Each such state changes its own coordinate of a joint and no other, by differences of whole states."""
    known = joints_of(linear, model)
    size = 1e-4
    for k in range(len(linear)):
        values = []
        for side in (1.0, -1.0):
            moved = linear.restore(side * size * np.eye(len(linear))[k]).solution
            values.append(
                [float(moved[f"{n.removesuffix(' rate')}{'_rate' if n.endswith(' rate') else ''}"][0]) for n in known]
            )
        slopes = (np.array(values[0]) - values[1]) / (2.0 * size)
        wanted = [float(name == linear.states[k]) for name in known]
        np.testing.assert_allclose(slopes, wanted, rtol=0, atol=1e-6)


def test_a_rider_has_lean_and_steer():
    names = ["lean.angle", "steer.angle", "cross.angle1", "cross.angle2"]
    for speed in (0.0, 3.0):
        model = rider(speed)
        outputs = [*names, "lean.angle_rate", "way.position_rate"]
        linear = fm.linearize(model, ["hands"], outputs, steady=True)
        rates = [f"{name} rate" for name in names]
        assert sorted(linear.states) == sorted([*names, *rates, "way.position rate"])
        check_states(linear, model)
        at = [linear.states.index(name) for name in [*names, "lean.angle rate", "way.position rate"]]
        np.testing.assert_allclose(linear.C, np.eye(9)[at], rtol=0, atol=1e-9)
        # the rate of a position is the state of that name
        for name in names:
            unit = np.eye(9)[linear.states.index(f"{name} rate")]
            np.testing.assert_allclose(linear.A[linear.states.index(name)], unit, rtol=0, atol=1e-9)


def test_the_model_is_the_same_in_other_states():
    model = rider(3.0)
    linear = fm.linearize(model, ["hands"], ["steer.angle", "frame.wx"], steady=False)
    assert "way.position" in linear.states
    check_states(linear, model)
    other = fm.linearize(
        model, ["hands"], ["steer.angle", "frame.wx"], steady=False,
        coordinates=["car.x", "frame.wx", "fork.center.wz", "arm.wx", "arm.wy"],
    )  # fmt: skip
    assert other.states[:2] == ["car.x", "frame.turn x"]
    frequencies = [0.1, 0.5, 2.0]
    one, two = (x.response(frequencies).values for x in (linear, other))
    np.testing.assert_allclose(one, two, rtol=1e-7, atol=1e-9)


def test_a_bicycle_steers_by_its_name():
    model = bicycle.build(5.0)
    linear = fm.linearize(model, "frame.mx", ["steering.angle", "rear wheel hub.rate"], steady=True)
    assert {"steering.angle", "steering.angle rate", "rear wheel hub.angle rate"} < set(linear.states)
    assert "rear wheel hub.angle" not in linear.states  # how far it has rolled matters to nothing
    check_states(linear, model)
    at = [linear.states.index(name) for name in ("steering.angle", "rear wheel hub.angle rate")]
    np.testing.assert_allclose(linear.C, np.eye(5)[at], rtol=0, atol=1e-8)


def test_states_that_were_asked_for_and_those_of_the_plane_stay():
    m = fm.PlanarModel("cart")
    cart = m.add_body("cart", mass=2.0, inertia=1.0)
    m.prismatic(m.ground, cart.frame, name="rail")
    assert fm.linearize(m, "cart.fx", ["cart.x"]).states == ["cart.x", "cart.x rate"]
    space = fm.SpatialModel("cart")
    body = space.add_body("cart", mass=2.0, inertia=(1.0, 1.0, 1.0))
    space.prismatic(space.ground, body.frame, axis="x", name="rail")
    assert fm.linearize(space, "cart.fx", ["cart.x"]).states == ["rail.position", "rail.position rate"]
    given = fm.linearize(space, "cart.fx", ["cart.x"], coordinates=["cart.x"])
    assert given.states == ["cart.x", "cart.x rate"]


def test_the_coordinate_that_counts_the_turns_of_a_hinge_is_called_as_that():
    m = fm.SpatialModel("door")
    door = m.add_body("door", mass=2.0, inertia=(1.0, 1.0, 1.0), position=(0.5, 0, 0))
    m.revolute(m.ground, door.attach("edge", (-0.5, 0, 0)), axis="z", name="hinge", count_turns=True)
    linear = fm.linearize(m, "door.mz", ["hinge.angle"])
    assert linear.states == ["hinge.angle", "hinge.angle rate"]
    assert linear.C == pytest.approx(np.array([[1.0, 0.0]]))
