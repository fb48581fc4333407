"""A sensor of a user's own: one compiled function, which controllers, events and linear models read."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import ModelError
from flexmb.kernels import Kernels, kernel


@kernel
def spin_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = 0.5 * p[i, 0] * v[iv[i, 2]] ** 2 + p[i, 1] * q[iq[i, 2]]


@kernel
def asks_for_scratch(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        work[9] = v[iv[i, 2]]
        out[i, 0] = work[9]


@kernel
def asks_for_too_many_values(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = p[i, 5]


def fan():
    model = fm.PlanarModel("fan")
    wheel = model.add_body("wheel", mass=1.0, inertia=2.0)
    model.revolute(model.ground, wheel.frame, name="axle")
    wheel.move(angular_velocity=1.5)
    model.point_torque(wheel.frame, 0.0, name="motor")
    values = [2.0, 0.25]
    return model, fm.control.OwnSensor(Kernels("e", residual=spin_energy), [wheel.frame], values, name="e", unit="J")


def test_controllers_events_and_linear_models_read_it():
    model, sensor = fan()
    model.add_controller("log", period=0.1, sensors=[sensor], commands="motor", law=[[-0.1]])
    model.add_event(fm.crossing(sensor, 2.26), fm.Note(), name="less")
    run = fm.simulate(model, 3.0, "rkf45", step=0.01, progress=False)
    closed = run["wheel.angular_velocity"] ** 2 + 0.25 * run["wheel.angle"]
    np.testing.assert_allclose(sensor.readings(run), closed, rtol=1e-13)
    log = run.control["log"]
    np.testing.assert_allclose(log.y[:, 0], np.interp(log.t, run.t, closed), rtol=1e-6)
    assert run.events
    np.testing.assert_allclose(sensor.readings(run.at([event.t for event in run.events])), 2.26, rtol=1e-6)
    own, sensor = fan()
    linear = fm.linearize(own, "motor", sensor)
    by = dict(zip(linear.states, linear.C[0]))
    assert sorted(np.abs(list(by.values()))) == pytest.approx([0.25, 3.0] if len(by) == 2 else [0.0, 0.25, 3.0])


@pytest.mark.parametrize("residual", [asks_for_scratch, asks_for_too_many_values])
def test_a_kernel_that_takes_what_is_not_there_is_refused(residual):
    model, _ = fan()
    with pytest.raises(ModelError, match=r"OwnSensor 'x'.*not there"):
        fm.control.OwnSensor(Kernels("x", residual=residual), [model.frame("wheel")], [1.0], name="x")
