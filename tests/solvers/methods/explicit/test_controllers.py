"""Sampled controllers in the loop of explicit methods: steps end at their instants, commands are held between them."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import DivergenceWarning
from tests.solvers.sampled_wheel import DELAY, GAINS, PERIOD, by_hand, wheel

#: fixed steps that meet the instants, and that do not; steps that follow the error
OPTIONS = {
    "dop853": {}, "rkf45": {"step": PERIOD}, "rkf45, off the instants": {"step": 0.0037},
    "rosenbrock": {"step": PERIOD},
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
def test_commands_are_held_and_delayed(name):
    run = fm.simulate(wheel(delay=DELAY), 2.0, name.split(",")[0], progress=False, **OPTIONS[name])
    log, exact = run.control["servo"], by_hand(100)
    np.testing.assert_allclose(log.t, PERIOD * np.arange(100), atol=1e-12)
    np.testing.assert_allclose(log.y[:, :2], exact[:, :2], atol=1e-11)
    np.testing.assert_allclose(log.u[:, 0], exact[:, 2], atol=1e-9)
    for instant in (*log.t[1:], *(log.t + DELAY)):
        assert np.min(np.abs(run.t - instant)) < 1e-9
    assert np.all(np.diff(run.t) > 1e-6) and run.t[-1] == 2.0
    if "step" in OPTIONS[name]:  # the grid goes on between the instants
        grid = OPTIONS[name]["step"] * np.arange(int(2.0 / OPTIONS[name]["step"]))
        assert all(np.min(np.abs(run.t - t)) < 1e-9 for t in grid)


@pytest.mark.parametrize("method", ["dop853", "rkf45"])
def test_methods_agree_on_a_pendulum_that_is_held_up(method):
    def swing():
        model = fm.PlanarModel("swing", gravity=(0.0, -9.81))
        rod = model.add_body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0))
        model.revolute(model.ground, rod.attach("near", (-0.5, 0.0)))
        motor = model.point_torque(rod.frame, 0.0, name="motor")
        sensors = [fm.control.RelativeAngle(model.ground, rod.frame), fm.control.RelativeRate(model.ground, rod.frame)]
        model.add_controller("servo", period=0.01, sensors=sensors, commands=motor, law=[[-30.0, -4.0]])
        return model

    exact = fm.simulate(swing(), 1.0, step=1e-4, progress=False)
    run = fm.simulate(swing(), 1.0, method, progress=False)
    assert run["rod"].angle[-1] == pytest.approx(exact["rod"].angle[-1], abs=1e-6)
    np.testing.assert_allclose(run.control["servo"].u, exact.control["servo"].u, atol=1e-4)
    assert run.trustworthy


def test_commands_that_grow_stop_the_run():
    with pytest.warns(DivergenceWarning, match="commands of controller 'servo' grew from .* the loop is unstable"):
        run = fm.simulate(wheel(100.0 * GAINS), 20.0, "dop853", progress=False)
    assert run.status == "diverged" and run.t[-1] < 5.0
