"""A bicycle at 3 m/s, where it falls over by itself, is kept upright by its steering."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples.bicycle import build

SPEED, PUSH = 3.0, 0.1


def lean(solution: fm.Solution) -> np.ndarray:
    """Its angle [°] over time."""
    return solution["frame"].orientation.as_euler("ZXY", degrees=True)[:, 1]


def with_servo(push: float, gain: float) -> fm.SpatialModel:
    """A sampled controller turns the fork by its angle."""
    model = build(SPEED, push)
    steering = model.component("steering")
    steering.count_turns = True
    servo = model.motor(steering.a, steering.b, axis=steering.axis, torque=0.0, name="servo")
    model.add_controller("rider", period=0.01, sensors=[fm.control.JointAngle(steering)], commands=servo, law=[[gain]])
    return model


def with_rider(push: float, gain: float) -> fm.SpatialModel:
    """A rider turns the handlebar by the rate of lean, into the fall."""
    model = build(SPEED, push)
    axis = np.array(model.component("steering").axis)

    def steer(t, frame, fork):
        moment = gain * (frame.orientation[:, 0] @ frame.angular_velocity) * (frame.orientation @ axis)
        return (np.zeros(3), -moment), (np.zeros(3), moment)

    model.python_force([model.frames["frame"], model.frames["fork"]], steer, name="rider")
    return model


def test_it_falls_over_by_itself():
    solution = fm.simulate(build(SPEED, PUSH), 3.0, "dop853", progress=False)
    assert np.abs(lean(solution)).max() > 15.0


def test_poles_say_what_a_rider_does():
    """Lean that is a sum of exp(s t) for four poles s obeys a recurrence with the roots exp(s h)."""
    linear = fm.linearize(with_rider(0.0, -10.0), "frame.mx", ["steering.angle"], steady=True)
    moving = linear.poles[np.abs(linear.poles) > 1e-3]
    assert len(moving) == 4 and moving.real.max() < -0.1
    times = np.arange(41) * 0.1
    solution = fm.simulate(with_rider(1e-3, -10.0), 4.0, "dop853", tolerance=1e-12, times=times[1:], progress=False)
    small = lean(solution)
    left = np.convolve(small, np.poly(np.exp(0.1 * moving)).real, "valid")
    assert np.abs(left).max() < 1e-4 * np.abs(small).max()


def test_a_servo_holds_it_upright_with_every_method_that_samples():
    open_loop = fm.linearize(with_servo(0.0, 0.0), "servo", ["steering.angle"], steady=True, controllers="held")
    closed = np.linalg.eigvals(open_loop.A - 5.0 * open_loop.B @ open_loop.C)
    assert open_loop.poles.real.max() > 1.0 and closed[np.abs(closed) > 1e-3].real.max() < -0.05
    ends = []
    for method in ("radau", "dop853", "rkf45", "generalized_alpha"):
        options = {"tolerance": 1e-8} if method != "generalized_alpha" else {"step": 2e-3}
        solution = fm.simulate(with_servo(PUSH, -5.0), 5.0, method, progress=False, **options)
        assert np.abs(lean(solution)).max() < 5.0 and np.abs(lean(solution)[solution.t > 4.0]).max() < 2.0
        ends.append(lean(solution)[-1])
    assert ends[:3] == pytest.approx([ends[0]] * 3, abs=1e-4) and ends[3] == pytest.approx(ends[0], abs=0.02)
