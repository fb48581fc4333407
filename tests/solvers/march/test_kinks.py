"""Steps end at kinks of functions of time: errors as asked for, few steps, and accelerations found anew."""

from __future__ import annotations

from contextlib import nullcontext
from itertools import pairwise

import numpy as np
import pytest

import flexmb as fm
from flexmb.model.given_times import kinks_until
from flexmb.solvers.runs.run import Run

#: accelerations along a function of time, which begins and ends within 1.2 s
FORCES = {
    "trapezoidal": fm.TrapezoidalSpeed(300.0, 0.2, 0.1, 0.2, t_start=0.3),
    "smooth": 100.0 * fm.SmoothStep(0.3, 0.01),
    "spline": fm.Spline([0.3, 0.4, 0.5, 0.7], [0.0, 300.0, -200.0, 100.0]),
    "step": 40.0 * fm.Step(0.35, -1.0, 2.0),
    "pulse": fm.Pulse(0.4, 0.02, 500.0),
    "pulses": fm.Pulse(0.1, 0.03, 50.0, period=0.11),
    "lines": fm.PiecewiseLinear([0.2, 0.5, 0.55, 0.9], [5.0, 100.0, -50.0, 0.0]),
    "sum": fm.SmoothStep(0.1, 0.3) - 20.0 * fm.TrapezoidalSpeed(1.0, 0.1, 0.0, 0.1, t_start=0.3),
}
METHODS = [
    ("dop853", {"tolerance": 1e-6}),
    ("rkf45", {"tolerance": 1e-6}),
    ("rosenbrock", {"tolerance": 1e-6}),
    ("radau", {"tolerance": 1e-6}),
    ("independent", {"tolerance": 1e-6, "absolute_tolerance": 1e-8}),
    ("independent", {"integrator": "radau", "tolerance": 1e-6}),
    ("projection", {"tolerance": 1e-6, "absolute_tolerance": 1e-8}),
    ("projection", {"ode_method": "RK45", "tolerance": 1e-6, "absolute_tolerance": 1e-8}),
    ("projection", {"ode_method": "LSODA", "tolerance": 1e-6, "absolute_tolerance": 1e-8}),
]
NAMED = [pytest.param(*x, id="-".join(str(y) for y in (x[0], *x[1].values()) if isinstance(y, str))) for x in METHODS]
END = 1.2


def thrown(force):
    model = fm.PlanarModel("thrown")
    body = model.add_body("body", mass=2.0, inertia=0.1)
    model.point_force(body.frame, (1.0, 0.0), factor=force)
    return model


def way(force):
    """How far the body has come at the end: the integral of the impulse, piece by piece by Gauss's rule."""
    ends = np.array([0.0, *(x for x in force.kinks_until(END) if 0.0 < x < END), END])
    ends = np.unique(np.concatenate([ends, np.linspace(0.0, END, 241), [0.4, 0.5]]))
    points, weights = np.polynomial.legendre.leggauss(5)
    total = 0.0
    for first, last in pairwise(ends):
        t = 0.5 * (first + last) + 0.5 * (last - first) * points
        total += 0.5 * (last - first) * weights @ ((END - t) * force(t))
    return total / 2.0


def driven():
    model = fm.PlanarModel("wheel")
    wheel = model.add_body("wheel", mass=1.0, inertia=0.1)
    bob = model.add_body("bob", mass=0.1, inertia=0.01, position=(2.0, 0.0))
    model.revolute(model.ground, wheel.frame)
    model.revolute(wheel.attach("tip", (1.0, 0.0)), bob.attach("eye", (-1.0, 0.0)))
    model.drive_angle(model.ground, wheel.frame, fm.TrapezoidalSpeed(3.0, 0.25, 0.4, 0.25, t_start=0.05))
    return model


def simulated(model, method, options):
    return fm.simulate(model, END, method, progress=False, **options)


@pytest.mark.parametrize("method, options", NAMED)
@pytest.mark.parametrize("force", FORCES.values(), ids=FORCES)
def test_a_force_with_kinks(method, options, force):
    # few steps are enough for the motion, too few for the work of the force
    coarse = method == "projection" and "ode_method" not in options and force is FORCES["spline"]
    with pytest.warns(fm.errors.AccuracyWarning, match="its energy balance is off") if coarse else nullcontext():
        run = simulated(thrown(force), method, options)
    assert run["body"].position[-1, 0] == pytest.approx(way(force), abs=1e-5)
    beside = run.t[:, None] - np.array([x for x in force.kinks_until(END) if 0.0 < x < END])
    assert np.max(np.min(np.abs(beside), axis=0)) < 1e-14


@pytest.mark.parametrize("method, options", [*NAMED, ("generalized_alpha", {})])
def test_a_jump_at_the_very_end_has_no_part_in_the_step_before_it(method, options):
    jumps, smooth = (
        simulated(thrown(fm.SmoothStep(0.1, 0.3) + fm.Step(time, 0.0, 500.0)), method, options) for time in (END, 2.0)
    )
    assert jumps.t[-1] == END and np.all(np.diff(jumps.t) > 0.0)
    assert jumps.statistics.steps == smooth.statistics.steps
    assert jumps["body"].position[-1] == pytest.approx(smooth["body"].position[-1], abs=1e-13)
    assert jumps.a[-2:, 0] == pytest.approx([0.5, 250.5])


@pytest.mark.filterwarnings("ignore::flexmb.errors.AccuracyWarning")  # of runs over the kinks, as LSODA's
@pytest.mark.parametrize(
    "method, options", [x for x in NAMED if x.id in ("dop853", "rkf45", "independent", "projection", "projection-RK45")]
)
def test_a_drive_with_kinks(method, options, monkeypatch):
    """Clearly less work than steps that come upon the kinks, and the error is still what was asked for."""
    exact = fm.simulate(driven(), END, "radau", tolerance=1e-11, progress=False)
    run = simulated(driven(), method, options)
    assert np.max(np.abs(run.q[-1] - exact.q[-1])) < 1e-5
    monkeypatch.setattr(Run, "kinks", lambda self: np.zeros(0))
    over = simulated(driven(), method, options)
    assert run.statistics.steps < (0.7 if method == "independent" else 0.65) * over.statistics.steps
    assert run.statistics.evaluations < 0.65 * over.statistics.evaluations
    assert run.statistics.rejected <= 0.1 * over.statistics.rejected


@pytest.mark.parametrize("method, options", [x for x in NAMED if x.id in ("dop853", "projection")])
def test_states_inside_a_step_that_begins_behind_a_kink(method, options):
    """The step that is made again begins with the force behind the kink."""
    force = FORCES["trapezoidal"] + 50.0 * fm.SmoothStep(0.2, 1e-9)
    run = simulated(thrown(force), method, options)
    first = int(np.argmin(np.abs(run.t - 0.2))) + 2
    t = np.linspace(0.2 + 1e-8, 0.3 - 1e-8, 7)
    assert run.t[first] > 0.2
    np.testing.assert_allclose(run.at(t)["body"].position[:, 0], 12.5 * (t - 0.2) ** 2, atol=1e-7)
    np.testing.assert_allclose(run.at(t)["body"].velocity[:, 0], 25.0 * (t - 0.2), atol=1e-6)


def test_fixed_steps_stay_on_their_grid():
    run = simulated(thrown(fm.SmoothStep(0.1234, 0.3)), "rkf45", {"step": 0.01})
    np.testing.assert_allclose(run.t, 0.01 * np.arange(121), atol=1e-13)


JUMPING = [
    *METHODS,
    ("generalized_alpha", {"tolerance": 1e-6}),
    ("baumgarte", {"tolerance": 1e-6, "absolute_tolerance": 1e-8}),
]


@pytest.mark.parametrize("method, options", JUMPING)
def test_accelerations_jump_and_the_ledger_is_kept(method, options):
    """Two states at the jump, with the acceleration before and behind it; work and energy agree over jumps."""
    model = fm.PlanarModel("pushed")
    body = model.add_body("body", mass=2.0, inertia=0.1)
    model.prismatic(model.ground, body.frame, axis=0.0)
    model.bushing(model.ground, body.frame, stiffness=(8.0, 0.0, 0.0))
    model.point_force(body.frame, (1.0, 0.0), factor=fm.Step(0.35, 2.0, 8.0) + fm.Pulse(0.5, 0.1, 6.0, period=0.3))
    run = simulated(model, method, options)
    for time, jump in ((0.35, 3.0), (0.5, 3.0), (0.6, -3.0), (0.8, 3.0), (0.9, -3.0), (1.1, 3.0)):
        near = np.flatnonzero(np.abs(run.t - time) < 1e-13)
        assert len(near) == 2
        assert np.diff(run["body"].acceleration[near, 0])[0] == pytest.approx(jump, abs=1e-3)
    # x'' + 4 x = f/2 from rest: each piece of f/8 (1 - cos 2 (t - its start))
    steps = ((0.0, 2.0), (0.35, 6.0), (0.5, 6.0), (0.6, -6.0), (0.8, 6.0), (0.9, -6.0), (1.1, 6.0))
    exact = sum(f / 8.0 * (1.0 - np.cos(2.0 * (END - t))) for t, f in steps if t < END)
    assert run["body"].position[-1, 0] == pytest.approx(exact, abs=1e-5)
    assert run.energy.error < 1e-5
    between = run.at(np.linspace(0.0, END, 200))["body"]
    wanted = [sum(f / 4.0 * np.sin(2.0 * (x - t)) for t, f in steps if t < x) for x in np.linspace(0.0, END, 200)]
    np.testing.assert_allclose(between.velocity[:, 0], wanted, atol=2e-5)


def test_states_beside_a_jump_are_saved_whatever_save_every_says():
    force = fm.Step(0.35, 2.0, 8.0) + fm.Pulse(0.5, 0.1, 6.0, period=0.3)
    every, some = (simulated(thrown(force), "generalized_alpha", {"save_every": n}) for n in (1, 1000))
    assert every.statistics.steps == some.statistics.steps
    ends = np.array([0.0, *force.kinks_until(END), END])
    assert some.t.tolist() == [t for t in every.t if np.min(np.abs(t - ends)) < 1e-13]
    assert len(some) < len(every) and some.energy.error == pytest.approx(every.energy.error, rel=0.1)


@pytest.mark.parametrize("method, options", NAMED)
def test_a_jump_at_time_zero_in_the_middle_of_a_run(method, options):
    solution = fm.simulate(thrown(fm.Step(0.0, 0.0, 2000.0)), 1.0, method, t_start=-1.0, progress=False, **options)
    assert solution.status == "finished" and abs(solution["body.vx"][-1] - 1000.0) < 1e-8
    assert len(solution.t) < 60


@pytest.mark.parametrize("method, options", [*NAMED, ("generalized_alpha", {})])
def test_a_drive_that_ends_with_the_run_leaves_no_step_of_round_off(method, options):
    model = driven()
    end = max(kinks_until(model.components.values(), END))
    run = fm.simulate(model, end, method, progress=False, **options)
    assert run.t[-1] == end and run.t[-1] - run.t[-2] > 1e-4 and run.status == "finished" and not run.doubts
    assert run["wheel.angle"][-1] == pytest.approx(3.0, abs=1e-6)
    late = 3.0 / 0.65 / 0.25  # the wheel is still slowed down just before the end
    assert run["wheel.angular_acceleration"][-1] == pytest.approx(-late, rel=1e-6)
    assert run.at([end - 1e-3])["wheel.angle"][0] == pytest.approx(3.0 - 0.5e-6 * late, abs=1e-6)


def test_kinks_within_round_off_are_one_stop():
    """Kinks at 0.3 and 0.1 + 0.2 s, which round-off keeps apart."""
    ramps = [fm.PiecewiseLinear([0.0, kink, 1.0], [0.0, 6.0, 0.0]) for kink in (0.3, 0.1 + 0.2)]
    run = fm.simulate(thrown(ramps[0] + ramps[1]), 1.0, "dop853", progress=False)
    assert np.count_nonzero(np.abs(run.t - 0.3) < 1e-12) == 2
    assert run["body.vx"][-1] == pytest.approx(3.0, abs=1e-12)  # impulse 6 Ns, 2 kg
