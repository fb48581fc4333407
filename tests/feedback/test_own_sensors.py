"""A sensor of a user's own: one compiled function, which controllers, events and linear models read."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import KernelError, ModelError
from flexmb.kernels import formula, kernel


@formula
def spin_energy(row, iq, iv, t, q, v, a):
    return 0.5 * row[0] * v[iv[2]] ** 2 + row[1] * q[iq[2]]


@formula
def spin_up(row, iq, iv, t, q, v, a):
    return a[iv[2]]


@formula
def asks_for_too_many_places(row, iq, iv, t, q, v, a):
    return v[iv[3]]


@formula
def asks_for_too_many_values(row, iq, iv, t, q, v, a):
    return row[5]


def fan():
    model = fm.PlanarModel("fan")
    wheel = model.add_body("wheel", mass=1.0, inertia=2.0)
    model.revolute(model.ground, wheel.frame, name="axle")
    wheel.move(angular_velocity=1.5)
    model.point_torque(wheel.frame, 0.0, name="motor")
    return model, fm.control.OwnSensor(spin_energy, [wheel.frame], [2.0, 0.25], name="e", unit="J")


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


@pytest.mark.parametrize("asking", [asks_for_too_many_places, asks_for_too_many_values])
def test_a_formula_that_takes_what_is_not_there_is_refused(asking):
    model, _ = fan()
    with pytest.raises(ModelError, match=r"OwnSensor 'x'.*not there"):
        fm.control.OwnSensor(asking, [model.frame("wheel")], [1.0], name="x")


def test_what_is_no_formula_is_refused():
    model, _ = fan()

    @kernel
    def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
        out[0, 0] = 1.0

    for given, why in ((residual, "has other arguments"), (abs, "is no formula; put @flexmb.kernels.formula above")):
        with pytest.raises(KernelError, match=f"OwnSensor 'x': .*{why}"):
            fm.control.OwnSensor(given, [model.frame("wheel")], name="x")


def test_states_of_first_order_take_no_formula_of_accelerations():
    model, _ = fan()
    fast = fm.control.OwnSensor(spin_up, [model.frame("wheel")], name="fast")
    model.add_states("lag", fm.control.transfer_function([1.0], [0.1, 1.0]), sensors=fast)
    with pytest.raises(ModelError, match="fast: what it reads comes out of the same equations"):
        fm.System(model)
