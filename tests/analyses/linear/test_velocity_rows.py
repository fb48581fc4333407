"""Linear models with velocity rows: fewer speeds than positions, about rest and about steady motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import flexmb as fm
from flexmb.validation.references.skate import Sleigh
from flexmb.validation.references.trailer import Trailer
from flexmb.validation.skate import sleigh
from flexmb.validation.trailer import SHIMMY, STIFFNESS, castor, trailer


def test_a_skate_has_three_places_and_two_speeds():
    data = Sleigh(speed=2.0, spin=0.0)
    linear = fm.linearize(sleigh(data), "sleigh.moment", ["sleigh.angular_velocity", "blade.fy"])
    assert linear.states == ["sleigh.x", "sleigh.y", "sleigh.angle", "sleigh.x rate", "sleigh.angle rate"]
    A = np.zeros((5, 5))
    A[0, 3] = A[2, 4] = 1.0
    A[1, 2] = data.speed
    A[4, 4] = -data.decay
    np.testing.assert_allclose(linear.A, A, atol=1e-12)
    moment = 1.0 / (data.mass * data.k**2)
    np.testing.assert_allclose(linear.B[:, 0], [0.0, 0.0, 0.0, 0.0, moment], atol=1e-12)
    # N = m (u ω + ℓ ω̇)
    force = data.mass * np.array([data.speed - data.ahead * data.decay, data.ahead * moment])
    np.testing.assert_allclose([linear.C[1, 4], linear.D[1, 0]], force, rtol=1e-9)


@pytest.mark.parametrize("speed", [1.5, -1.5])
def test_a_drawn_trailer_has_one_place_and_no_speed(speed):
    data = Trailer(speed=speed, start=0.0)
    linear = fm.linearize(trailer(data, wheels=1), "tow", ["trailer.angle", "wheel.fy"])
    assert linear.states == ["trailer.angle", "tow", "tow rate"]
    np.testing.assert_allclose(linear.A, [[-speed / 2.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]], atol=1e-12)
    assert linear.stable is False or speed > 0.0
    inertia = data.inertia + data.mass * data.behind**2
    assert linear.C[1, 0] == pytest.approx(-inertia / data.length * (speed / data.length) ** 2, rel=1e-9)


@pytest.mark.parametrize(("speed", "behind"), [(1.5, 0.4), (6.0, 0.4), (1.5, 0.05), (0.0, 0.3)])
def test_shimmy_has_two_places_and_one_speed(speed, behind):
    data = replace(SHIMMY, speed=speed, behind=behind)
    linear = fm.linearize(castor(data, STIFFNESS), "tow", "trailer.angle")
    assert len(linear) == 2 + 1 + 1 + 1
    found = np.sort_complex(linear.poles[np.argsort(-np.abs(linear.poles))][:3])
    np.testing.assert_allclose(found, data.shimmy(STIFFNESS), atol=1e-9)
    beyond = data.length - behind
    if speed:
        assert (np.max(found.real) < 0.0) == (data.mass * behind * beyond > data.inertia)


def test_the_linear_model_is_the_motion_near_the_steady_one():
    model = castor(SHIMMY, STIFFNESS)
    linear = fm.linearize(model, "tow", ["trailer.y", "trailer.angle", "wheel.fy", "tow.fx"])
    x = np.zeros(len(linear))
    x[:2], x[linear.states.index("trailer.angle rate")] = [1e-4, -2e-4], 1e-3
    start = linear.restore(x)
    run = fm.simulate(model, 2.0, "rkf45", step=2e-3, initial=start, progress=False)
    small = linear.simulate(run.t, np.zeros((len(run.t), 1)), x)
    for k, name in enumerate(linear.outputs):
        got = run[name] - linear.operating_outputs[k]
        np.testing.assert_allclose(got, small.y[:, k], atol=2e-4 * np.max(np.abs(small.y[:, k])) + 1e-6)


def test_a_sampled_controller_stops_the_shimmy():
    """The loop with its controller, by its linear model and in the motion."""
    model = castor(replace(SHIMMY, behind=0.05), STIFFNESS)
    damper = model.point_torque(model.frames["trailer"], 0.0, name="damper")
    push = model.point_torque(model.frames["trailer"], 0.0, name="push")
    assert not fm.linearize(model, push, "trailer.angle").stable
    rate = fm.control.RelativeRate(model.ground, model.frames["trailer"])
    model.add_controller("servo", period=0.02, sensors=[rate], commands=damper, law=[[-2.0]])
    closed = fm.linearize(model, push, "trailer.angle", controllers="closed")
    assert closed.stable
    x = np.zeros(len(closed))
    x[closed.states.index("trailer.angle rate")] = 1e-3
    start = closed.restore(x)
    run = fm.simulate(model, 2.0, step=1e-3, initial=start, progress=False)
    small = closed.simulate(run.t[::20], np.zeros((len(run.t[::20]), 1)), x)
    np.testing.assert_allclose(run["trailer.angle"][::20], small.y[:, 0], atol=1e-2 * np.max(np.abs(small.y)))
    assert np.abs(run["trailer.angle"][-1]) < 0.2 * np.max(np.abs(small.y))
