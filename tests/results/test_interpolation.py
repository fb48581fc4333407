"""Interpolation between the steps of a run, against the splines of scipy."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicHermiteSpline

import flexmb as fm
from flexmb.results.between_steps.interpolation import Interpolation, midpoint_rates, midpoints

RNG = np.random.default_rng(3)
T = np.cumsum(RNG.uniform(0.01, 0.3, 12))
X, RATE = RNG.normal(size=(12, 2, 3)), RNG.normal(size=(12, 2, 3))
SPLINE = CubicHermiteSpline(T, X, RATE)


def test_values_at_any_time():
    times = np.concatenate([T, RNG.uniform(T[0], T[-1], 40)])
    np.testing.assert_allclose(Interpolation(T, times, "run").hermite(X, RATE), SPLINE(times), rtol=0.0, atol=1e-14)


def test_values_and_rates_in_the_middle_of_steps():
    x, rate, h, middle = X[:, 0], RATE[:, 0], np.diff(T), 0.5 * (T[:-1] + T[1:])
    np.testing.assert_allclose(midpoints(x, rate, h), SPLINE(middle)[:, 0], rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(midpoint_rates(x, rate, h), SPLINE(middle, 1)[:, 0], rtol=0.0, atol=1e-12)


def test_a_path_on_which_no_time_passes():
    still = Interpolation(np.zeros(3), np.zeros(1), "path")
    assert still.linear(np.array([1.0, 2.0, 3.0])).tolist() == [2.0]
    assert midpoint_rates(np.ones((3, 1)), np.ones((3, 1)), np.zeros(2)).tolist() == [[0.0], [0.0]]


def test_at_a_jump_the_state_is_that_after_it_and_no_mean_of_both_sides():
    m = fm.SpatialModel("m")
    body = m.add_body("body", mass=1.0, inertia=(1, 1, 1))
    m.point_force(body.frame, (fm.Pulse(0.2, 0.1, -7.0), 0, 0))
    times = [0.1, 0.2, 0.2 + 0.1, 0.4]
    run = fm.simulate(m, 0.5, progress=False, times=times)
    np.testing.assert_allclose(run["body.ax"], [0.0, -7.0, 0.0, 0.0], rtol=1e-12, atol=1e-12)
    whole = fm.simulate(m, 0.5, progress=False)
    np.testing.assert_allclose(whole.at(times)["body.ax"], [0.0, -7.0, 0.0, 0.0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(whole.at([0.2, 0.2])["body.ax"], [0.0, -7.0], rtol=1e-12, atol=1e-12)


def test_at_the_ends_of_steps_orientations_are_those_of_the_steps():
    m = fm.SpatialModel("top")
    body = m.add_body("body", mass=1.0, inertia=(1.0, 2.0, 3.0))
    body.move(angular_velocity=(3.0, 0.2, 0.1))
    run = fm.simulate(m, 1.0, "rkf45", step=0.02, progress=False)
    assert len(run.t) > 40 and np.array_equal(run.at(run.t).q, run.q)
