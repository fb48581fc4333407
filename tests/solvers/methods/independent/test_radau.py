"""Radau IIA on the reduced equations: order, the error that was asked for, flat positions, what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import flexmb as fm
from flexmb.errors import SolverError
from flexmb.examples import spin_up
from flexmb.examples.four_bar import build as four_bar
from flexmb.solvers.methods.independent import reduced_radau_run as radau_run
from flexmb.validation import heavy_top, n_four_bar
from flexmb.validation.references import heavy_top as top
from flexmb.validation.references import parallelogram
from tests.models.chains import askew, chain
from tests.models.parallelograms import falling, four_bars
from tests.models.pendulums import pendulum
from tests.models.vehicles import train


def reduced(model, t_end, **options):
    return fm.simulate(model, t_end, "independent", integrator="radau", progress=False, **options)


def swing(t):
    """The angle of a pendulum that is released level."""
    way = solve_ivp(
        lambda t, y: [y[1], -9.81 * np.cos(y[0]) / 1.1], (0, t[-1]), [0, 0], "DOP853", t, rtol=1e-13, atol=1e-14
    )
    return way.y[0]


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5, 1e-7, 1e-9])
def test_the_tolerance_is_the_error(tolerance):
    options = {"tolerance": tolerance, "absolute_tolerance": 1e-2 * tolerance}
    run = reduced(four_bar(), 3.0, **options)
    assert np.max(np.abs(0.5 * np.pi - run["left"].angle - parallelogram.angle(run.t))) < tolerance
    run = reduced(pendulum(), 5.0, **options)
    assert np.max(np.abs(run["bob.angle"] - swing(run.t))) < 10.0 * tolerance
    run = reduced(heavy_top.build(), 0.5, **options)
    assert np.max(np.abs(run["top"].position - top.center(top.motion(run.t)[0]))) < 10.0 * tolerance


@pytest.mark.parametrize(
    ("build", "t_end", "h"), [(pendulum, 1.0, 0.04), (four_bar, 0.8, 0.04), (heavy_top.build, 0.1, 2.5e-3)]
)
def test_places_speeds_and_forces_are_of_fifth_order(build, t_end, h, monkeypatch):
    monkeypatch.setattr(radau_run, "NEWTON", 1e-10)
    exact = fm.simulate(build(), t_end, "dop853", tolerance=1e-13, progress=False)
    found = []
    for longest in (h, h / 2):
        run = reduced(build(), t_end, tolerance=1e-3, max_step=longest)
        assert run.statistics.rejected == 0 and run.statistics.steps == pytest.approx(t_end / longest, abs=5)
        pairs = ((run.q, exact.q), (run.v, exact.v), (run.multipliers, exact.multipliers))
        found.append([np.max(np.abs(x[-1] - y[-1])) for x, y in pairs])
    np.testing.assert_allclose(np.log2(np.divide(*found)), 5.0, atol=0.4)
    assert found[0][0] > 1e-10


def test_between_steps_the_solution_is_of_fifth_order():
    run = reduced(pendulum(), 2.0, tolerance=1e-7)
    t = np.linspace(0.0, 2.0, 301)
    assert np.max(np.abs(run.at(t)["bob.angle"] - swing(t))) < 1e-6


@pytest.mark.parametrize("build", [lambda: chain(3), lambda: train(2), lambda: train(12), askew, spin_up.build])
def test_the_motion_is_that_of_other_methods(build):
    """With velocity rows, four numbers, charts, and flexible members; chains are sensitive to their start."""
    run = reduced(build(), 0.5, tolerance=1e-8)
    exact = fm.simulate(build(), 0.5, "dop853", tolerance=1e-11, progress=False)
    assert run.status == "finished" and run.statistics.jacobians > 0
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=1e-6)
    assert run.statistics.position_drift < 1e-12 and run.statistics.velocity_drift < 1e-10


def test_stiff_members_are_followed_with_few_steps():
    """A blade that is spun up: the vibration along it, which does not move, asks for nothing."""
    exact = fm.simulate(spin_up.build(), 8.0, "radau", tolerance=1e-9, progress=False)
    run = reduced(spin_up.build(), 8.0, tolerance=1e-6)
    assert np.max(np.abs(run.at(exact.t).q - exact.q)) < 1e-5
    by_bdf = fm.simulate(spin_up.build(), 8.0, "independent", tolerance=1e-6, absolute_tolerance=1e-8, progress=False)
    assert run.statistics.steps < 0.1 * by_bdf.statistics.steps


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8, 1e-10])
def test_through_flat_positions(rtol):
    """Errors grow where the cranks pass slowly through upright: measured are up to 17 times `rtol`, of CVODE up to 75
    times. A passage has an error of its own, which is some 1e-7."""
    for count in (1, 2):
        run = reduced(four_bars(count), 4.0, tolerance=rtol)
        assert run.status == "finished" and run.trustworthy, run.message
        for k in range(count + 1):
            assert np.max(np.abs(run[f"crank{k}"].angle - falling(count, run.t))) < max(20.0 * rtol, 1e-6)
    run = reduced(n_four_bar.build(4), 10.0, tolerance=rtol)
    assert run.status == "finished" and np.ptp(run.energy.total) < max(1e3 * rtol, 1e-5)


def test_a_run_goes_on_in_other_partitions_and_charts():
    run = reduced(askew(), 3.0, tolerance=1e-7)
    exact = fm.simulate(askew(), 3.0, "dop853", tolerance=1e-11, progress=False)
    assert run.statistics.repartitions > 0
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=1e-5)


def test_what_it_cannot_do_is_refused(monkeypatch):
    with pytest.raises(SolverError, match=r"max_order is 2, and integrator 'radau' has order 5; .*integrator='cvode'"):
        reduced(chain(1), 0.1, max_order=2)
    monkeypatch.setattr(radau_run, "DENSE_LIMIT", 2)
    with pytest.raises(SolverError, match=r"3 independent coordinates, and integrator 'radau' .* up to 2; .*'radau'"):
        reduced(chain(3), 0.1)


def test_a_force_without_end_is_named():
    """It grows beyond all bounds at 0.5 s."""
    model = fm.PlanarModel("wall")
    body = model.add_body("body", mass=1.0, inertia=1.0)
    model.python_force(body.frame, lambda t, x, v: (1.0 / (0.5 - t) ** 3, 0.0, 0.0))
    with pytest.warns(
        fm.errors.DivergenceWarning, match=r"steps shrink to nothing, worst in 'body.x': a force .* jumps"
    ):
        run = reduced(model, 1.0)
    assert run.status == "diverged" and 0.499 < run.t[-1] <= 0.5
