"""Between its steps a run is as accurate as at their ends, whatever the order of its method."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from tests.models.chains import chain
from tests.models.pendulums import flexible_pendulum
from tests.models.tops import top

BUILDS = {chain: 1.0, flexible_pendulum: 0.04, top: 0.15}
#: methods with options, and their orders
RUNS = {
    "independent": ({"tolerance": 1e-9, "absolute_tolerance": 1e-11}, 5),
    "radau": ({"tolerance": 1e-10}, 5),
    "rkf45": ({"step": 1e-3}, 5),
    "baumgarte": ({}, 8),
    "projection": ({}, 8),
    "RK45": ({"ode_method": "RK45"}, 5),
    "Radau": ({"ode_method": "Radau"}, 5),
    "BDF": ({"ode_method": "BDF", "tolerance": 1e-8}, 5),
}


@pytest.fixture(scope="module")
def exact():
    return {
        build: fm.simulate(build(), t_end, "projection", tolerance=1e-12, absolute_tolerance=1e-14, progress=False)
        for build, t_end in BUILDS.items()
    }


def errors(run, exact, times):
    """Of positions, speeds, accelerations and multipliers, as parts of the largest."""
    there, truth = run.at(times), exact.at(times)
    pairs = [(getattr(there, name), getattr(truth, name)) for name in ("q", "v", "a", "multipliers")]
    return np.array([np.max(np.abs(x - y)) / np.max(np.abs(y)) for x, y in pairs])


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("name", RUNS)
def test_errors_between_steps_are_those_at_their_ends(name, build, exact):
    options, order = RUNS[name]
    method = name if name in ("independent", "radau", "rkf45", "baumgarte") else "projection"
    if build is flexible_pendulum and method == "rkf45":
        options = {"step": 2e-4}
    run = fm.simulate(build(), BUILDS[build], method, progress=False, **options)
    assert run.status == "finished" and run.order == order
    ends = run.t[run.t <= BUILDS[build]]
    at_ends = errors(run, exact[build], ends)
    between = errors(run, exact[build], np.linspace(ends[0], ends[-1], 397))
    assert np.all(between[:2] < 3.0 * at_ends[:2] + 1e-10), (at_ends, between)
    assert np.all(between[2:] < 3.0 * at_ends[2:] + 1e-7), (at_ends, between)


def test_a_step_of_eighth_order_made_again_is_of_eighth_order(exact):
    """Steps of fixed length: the errors inside fall by 2⁸ when it is halved, those of quintics by 2⁶ at best."""
    worst = []
    for step in (0.02, 0.01):
        run = fm.simulate(
            chain(), BUILDS[chain], "baumgarte", tolerance=1e-1, absolute_tolerance=1e-1, max_step=step, progress=False
        )
        assert np.ptp(np.diff(run.t)[3:-2]) < 1e-9
        within = 0.5 * (run.t[5:-5] + run.t[6:-4])
        worst.append(errors(run, exact[chain], within))
    assert np.all(np.log2(worst[0] / worst[1]) > 7.0), worst


def test_files_have_the_order_and_fall_back_on_polynomials(tmp_path, exact):
    run = fm.simulate(top(), BUILDS[top], "projection", max_step=2e-3, progress=False)
    again = fm.load(run.save(tmp_path / "top.h5"))
    assert run.order == again.order == 8
    times = np.linspace(0.0, BUILDS[top], 313)
    assert np.all(errors(again, exact[top], times)[:2] < 1e-8)
    assert np.all(errors(again, exact[top], times)[2:] < 1e-6)
    track, exactly = again.at(times)["top"], exact[top].at(times)["top"]
    np.testing.assert_allclose(track.position, exactly.position, atol=1e-8)
    assert again.at(times).order == 8


def test_methods_of_second_order_have_cubics_and_lines():
    run = fm.simulate(chain(), 0.2, step=1e-2, progress=False)
    assert run.order == 2
    half = 0.5 * (run.t[:-1] + run.t[1:])
    np.testing.assert_allclose(run.at(half).a, 0.5 * (run.a[:-1] + run.a[1:]), rtol=1e-13, atol=1e-12)
    low = fm.simulate(chain(), 0.1, "independent", max_order=2, progress=False)
    assert low.order == 2


def test_a_stiff_rod_whose_fast_modes_the_steps_do_not_resolve():
    """Radau damps them; accelerations that they leave do not reach positions, which stay those of finer steps."""
    fine = fm.simulate(flexible_pendulum(), 0.3, "radau", tolerance=1e-9, progress=False)
    run = fm.simulate(flexible_pendulum(), 0.3, "radau", tolerance=1e-4, progress=False)
    assert len(run.t) < 0.6 * len(fine.t)
    times = np.linspace(0.0, 0.3, 1001)
    between = np.max(np.abs(run.at(times).q - fine.at(times).q))
    at_ends = np.max(np.abs(run.q - fine.at(run.t).q))
    run.order = 3
    cubic = np.max(np.abs(run.at(times).q - fine.at(times).q))
    assert between < 1.5 * max(at_ends, cubic)


@pytest.mark.warns(fm.errors.AccuracyWarning, "the estimated error of its motion")
def test_where_the_motion_has_a_kink_polynomials_stop():
    """A torque that sets in at once: speeds of a wheel are 0, then 10 (t − ½)."""
    m = fm.PlanarModel("wheel")
    wheel = m.add_body("wheel", mass=2.0, inertia=1.0)
    m.revolute(m.ground, wheel.frame)
    m.python_force(wheel.frame, lambda t, x, v: (0.0, 0.0, 10.0 if t >= 0.5 else 0.0), name="push")
    for method, options in (("independent", {"max_step": 0.02}), ("rkf45", {"step": 0.02})):
        run = fm.simulate(m, 1.0, method, progress=False, **options)
        times = np.linspace(0.0, 1.0, 777)
        there = run.at(times)
        far = np.abs(times - 0.5) > 0.03
        straight = np.interp(times, run.t, run["wheel"].angle)
        assert np.max(np.abs(there["wheel"].angle - straight)) <= 10.0 / 8.0 * np.max(np.diff(run.t)) ** 2 + 1e-12
        acceleration = there["wheel"].angular_acceleration
        assert np.all((acceleration > -1e-6) & (acceleration < 10.0 + 1e-6))
        np.testing.assert_allclose(acceleration[far], 10.0 * (times[far] > 0.5), atol=1e-6)
