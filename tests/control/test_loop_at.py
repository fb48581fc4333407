"""Loops cut at one place: closing them again gives the closed loop; sampled controllers of a mechanism too."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.control import loop_at, stability_margins, transfer_function
from flexmb.errors import ControlError, NamingError


def two_carts() -> fm.LinearModel:
    A = [[0, 0, 1, 0], [0, 0, 0, 1], [-3.0, 2.0, -0.1, 0.05], [1.0, -1.0, 0.02, -0.3]]
    B, C = [[0, 0], [0, 0], [1.0, 0], [0, 0.5]], np.eye(4)[[0, 1, 3]]
    return fm.LinearModel(A, B, C, np.array([[0, 0], [0, 0.1], [0.2, 0]]), inputs=["left", "right"])


def sampled(delay: float, gain: float = 4.0, rate: float = 3.0) -> fm.PlanarModel:
    model = fm.PlanarModel("wheel")
    wheel = model.add_body("wheel", mass=1.0, inertia=0.5)
    model.revolute(model.ground, wheel.frame, name="axle")
    motor = model.point_torque(wheel.frame, 0.0, name="motor")
    read = [fm.control.RelativeAngle(model.ground, wheel.frame), fm.control.RelativeRate(model.ground, wheel.frame)]
    model.add_controller("servo", period=0.05, sensors=read, commands=motor, law=[[-gain, -rate]], delay=delay)
    return model


@pytest.mark.parametrize("place", ["left", "right", "y1", "y3"])
def test_closed_again_it_is_the_closed_loop(place):
    plant = two_carts()
    rng = np.random.default_rng(3)
    gain = rng.normal(size=(2, 3))
    loop = loop_at(plant, place, gain)
    assert loop.inputs == [place] and loop.outputs == [f"{place} returned"]
    again = np.sort_complex(loop.closed([[1.0]]).poles)
    np.testing.assert_allclose(again, np.sort_complex(plant.closed(gain).poles), atol=1e-10)


def test_the_loop_of_one_input_leaves_the_others_closed():
    """det(1 + K P) = (1 + L_i) det(1 + K P) without the feedback to input i."""
    plant, s = two_carts(), 0.7j
    gain = np.array([[1.0, 0.2, 0.3], [-0.4, 2.0, 0.5]])
    P = plant.C @ np.linalg.solve(s * np.eye(4) - plant.A, plant.B) + plant.D
    open_there = gain.copy()
    open_there[0] = 0.0
    wanted = np.linalg.det(np.eye(2) + gain @ P) / np.linalg.det(np.eye(2) + open_there @ P) - 1.0
    found = loop_at(plant, "left", gain).response([0.7 / (2.0 * np.pi)]).values[0, 0, 0]
    assert found == pytest.approx(wanted, rel=1e-12)


def test_a_controller_with_states():
    plant = fm.LinearModel([[0, 1.0], [0, 0]], [[0], [1.0]], [[1.0, 0]], [[0.0]], inputs=["force"])
    lead = transfer_function([4.0, 2.0], [0.1, 1.0])
    found = loop_at(plant, "force", lead).response([0.3]).values[0, 0, 0]
    s = 2j * np.pi * 0.3
    assert found == pytest.approx((4.0 * s + 2.0) / (0.1 * s + 1.0) / s**2, rel=1e-12)


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.13])
def test_sampled_controllers_of_a_mechanism(delay):
    model = sampled(delay)
    loop = loop_at(model, "motor")
    closed = fm.linearize(model, "wheel.moment", "wheel.angle", controllers="closed")
    ours, theirs = (np.sort_complex(x.poles.astype(complex)) for x in (loop.closed([[1.0]]), closed))
    np.testing.assert_allclose(ours, theirs, atol=1e-12)
    limit = stability_margins(loop).gain
    assert 1.0 < limit < np.inf
    sizes = []
    for share in (0.999, 1.001):
        edge = sampled(delay, 4.0 * limit * share, 3.0 * limit * share)
        closed = fm.linearize(edge, "wheel.moment", "wheel.angle", controllers="closed")
        sizes.append(np.abs(closed.poles).max())
    assert sizes[0] < 1.0 < sizes[1]


def test_bad_cuts():
    plant = two_carts()
    with pytest.raises(ControlError, match="give the controller too"):
        loop_at(plant, "left")
    with pytest.raises(ControlError, match=r"\(2, 3\) \(inputs, outputs\)"):
        loop_at(plant, "left", np.eye(2))
    with pytest.raises(NamingError, match="left, right, y1"):
        loop_at(plant, "middle", np.zeros((2, 3)))
    with pytest.raises(ControlError, match="other clocks"):
        loop_at(plant, "left", fm.LinearModel([[0.5]], np.ones((1, 3)), np.ones((2, 1)), np.zeros((2, 3)), period=0.1))
    with pytest.raises(ControlError, match="no place for a cut"):
        loop_at(plant, 3, np.zeros((2, 3)))
    with pytest.raises(ControlError, match="has its own controllers"):
        loop_at(sampled(0.0), "motor", [[1.0]])
    with pytest.raises(NamingError, match="it has: motor"):
        loop_at(sampled(0.0), "brake")
    model = fm.PlanarModel("free")
    model.add_body("box", mass=1.0, inertia=1.0)
    with pytest.raises(ControlError, match="no controllers"):
        loop_at(model, "motor")
