"""Runs at chosen times: what they have is the run's own motion between its steps, and of the steps little is kept."""

from __future__ import annotations

import os
import signal
import threading
import tracemalloc

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import AccuracyWarning, DivergenceWarning, ModelError, RedundancyWarning, SolverError
from flexmb.solvers.methods.registry import METHODS
from tests.models.arms import driven_arm
from tests.models.chains import chain
from tests.models.pendulums import spinning
from tests.models.swings import swing
from tests.models.tops import top

OPTIONS = {"rkf45": {"step": 1e-3}, "newmark": {"step": 1e-3, "beta": 0.26}}
#: methods that can follow their error
FOLLOW = [method for method in METHODS if METHODS.about(method).usual]
#: the start and the end are not among them, and many are in one step
TIMES = np.sort(np.concatenate([np.random.default_rng(2).uniform(0.02, 0.28, 30), 0.1 + 1e-6 * np.arange(9.0)]))


def at_times(build, t_end, method, times, **options):
    """The whole run between its steps, and the run at these times."""
    whole = fm.simulate(build(), t_end, method, progress=False, **options)
    some = fm.simulate(build(), t_end, method, times=times, progress=False, **options)
    assert whole.status == some.status
    return whole, some


@pytest.mark.parametrize("build", [chain, top, driven_arm])
@pytest.mark.parametrize("method", METHODS)
def test_it_is_the_run_between_its_steps(build, method):
    whole, some = at_times(build, 0.3, method, TIMES, **OPTIONS.get(method, {}))
    assert (some.status, some.message) == ("finished", "") and some.t.tolist() == TIMES.tolist()
    assert some.statistics.steps == whole.statistics.steps and some.doubts == whole.doubts
    between = whole.at(TIMES)
    for name in ("q", "v", "a", "multipliers"):
        np.testing.assert_allclose(getattr(some, name), getattr(between, name), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_all_steps_as_times_give_the_ledger_of_the_run(method):
    options = OPTIONS.get(method, {})
    steps = fm.simulate(driven_arm(), 0.3, method, progress=False, **options)
    whole, some = at_times(driven_arm, 0.3, method, steps.t[steps.t <= 0.3], **options)
    same = slice(0, len(some.t))
    np.testing.assert_allclose(some.q, whole.q[same], rtol=0.0, atol=1e-15)  # quaternions are made unit ones
    for name in ("kinetic", "potential", "dissipated", "input", "drives"):
        reference = getattr(whole.energy, name)
        np.testing.assert_allclose(getattr(some.energy, name), reference[same], atol=1e-12 * np.ptp(reference) + 1e-14)
    assert abs(some.energy.error - whole.energy.error) < 1e-12


def damped():
    """A wheel on a damper, moved by a motor."""
    m = fm.PlanarModel("wheel")
    wheel = m.add_body("wheel", mass=2.0, inertia=1.0)
    hinge = m.revolute(m.ground, wheel.frame, name="hinge")
    m.torsion_spring(m.ground, wheel.frame, stiffness=900.0, damping=2.0, name="spring")
    m.point_torque(wheel.frame, 30.0, name="motor")
    assert hinge.name == "hinge"
    return m


@pytest.mark.parametrize("method", FOLLOW)
def test_few_times_have_the_work_of_all_steps(method):
    """With x = x₀ (1 − e^(−t) (cos ω t + sin ω t/ω)), ω² = 899, the work of the motor is 30 x."""
    times = np.array([0.1, 0.37, 1.5])
    options = {"rkf45": {"step": 1e-3}, "generalized_alpha": {"step": 2e-4}}.get(method, {"max_step": 5e-3})
    run = fm.simulate(damped(), 2.0, method, times=times, progress=False, **options)
    omega = np.sqrt(899.0)
    x = 30.0 / 900.0 * (1.0 - np.exp(-times) * (np.cos(omega * times) + np.sin(omega * times) / omega))
    np.testing.assert_allclose(run.energy.input, 30.0 * (x - x[0]), atol=3e-5)
    assert run.energy.dissipated[-1] > 0.1 and run.energy.error < 1e-4 and run.trustworthy
    later = run.at([0.37, 1.5]).energy
    assert later.input[-1] == pytest.approx(run.energy.input[-1] - run.energy.input[1], abs=1e-12)


def test_coarse_times_raise_no_doubt_and_hide_none():
    with pytest.warns(AccuracyWarning) as told:
        steps = fm.simulate(spinning(1000.0), 0.2, step=5e-3, progress=False)
    with pytest.warns(AccuracyWarning) as told_of_times:
        times = fm.simulate(spinning(1000.0), 0.2, step=5e-3, times=[0.0, 0.1], progress=False)
    assert [str(x.message) for x in told] == [str(x.message) for x in told_of_times]
    assert steps.doubts == times.doubts
    assert fm.simulate(damped(), 2.0, times=[0.0, 1.99], progress=False).trustworthy


@pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")
@pytest.mark.parametrize("method", FOLLOW)
def test_where_constraint_rows_are_exchanged(method):
    times = np.linspace(0.01, 2.97, 101)
    options = {"step": 1e-3} if method in ("rkf45", "generalized_alpha") else {}
    whole, some = at_times(lambda: swing(3), 3.0, method, times, **options)
    assert some.statistics.other_rows == whole.statistics.other_rows > 1
    between = whole.at(times)
    for name in ("q", "v", "a", "basic_multipliers"):
        reference = getattr(between, name)
        np.testing.assert_allclose(getattr(some, name), reference, rtol=1e-12, atol=1e-11 * np.abs(reference).max())


def test_with_a_sampled_controller():
    """Its commands jump; the run and its log are those without times, and the balance closes."""

    def controlled():
        model = fm.PlanarModel("wheel")
        wheel = model.add_body("wheel", mass=2.0, inertia=1.0, angle=0.01)
        model.revolute(model.ground, wheel.frame)
        motor = model.point_torque(wheel.frame, 0.0, name="motor")
        read = [fm.control.RelativeAngle(model.ground, wheel.frame), fm.control.RelativeRate(model.ground, wheel.frame)]
        law, limits = [[-4.0, -500.0]], [(-5.0, 5.0)]
        model.add_controller("servo", period=0.01, sensors=read, commands=motor, law=law, limits=limits)
        return model

    times = np.linspace(0.1, 11.9, 400)  # more than a thousand steps, so that they are entered in pieces
    whole, some = at_times(controlled, 12.0, "generalized_alpha", times, step=0.01)
    np.testing.assert_array_equal(some.q, whole.at(times).q)
    for name in ("t", "y", "u"):
        np.testing.assert_array_equal(getattr(some.control["servo"], name), getattr(whole.control["servo"], name))
    assert some["servo.motor"].shape == (400,)
    _, some = at_times(controlled, 12.0, "generalized_alpha", whole.t[::3], step=0.01)
    np.testing.assert_allclose(some.energy.input, whole.energy.input[::3], rtol=0.0, atol=1e-15)
    assert some.energy.error < 1e-9


@pytest.mark.parametrize("method", FOLLOW)
def test_a_run_that_diverges_has_the_times_until_then(method):
    def build():
        m = fm.PlanarModel("falling", gravity=(0, -10))
        m.add_body("stone", mass=1.0, inertia=0.1)
        m.python_force(m.frame("stone"), lambda t, x, v: (0.0, np.nan if t > 0.5 else 0.0, 0.0), name="gust")
        return m

    options = {"rkf45": {"step": 1e-3}, "generalized_alpha": {"step": 1e-3}}.get(method, {"max_step": 0.01})
    times = np.array([0.1, 0.2, 0.45, 0.6, 0.9])
    with pytest.warns(DivergenceWarning, match="the times until then are kept"):
        run = fm.simulate(build(), 1.0, method, times=times, progress=False, **options)
    assert run.t.tolist() == times[:3].tolist() and run.status == "diverged"
    np.testing.assert_allclose(run["stone"].y, -5.0 * times[:3] ** 2, atol=1e-6)
    with pytest.warns(DivergenceWarning):
        none = fm.simulate(build(), 1.0, method, times=[0.8], progress=False, **options)
    assert len(none.t) == 1 and 0.45 < none.t[0] <= 0.51 and "none of the times was reached" in none.message


def test_a_run_that_is_interrupted_has_the_times_until_then():
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    fm.simulate(top(), 0.01, step=1e-3, times=[0.0], progress=False)
    timer.start()
    run = fm.simulate(top(), 2000.0, step=1e-4, times=np.linspace(0.0, 2000.0, 200_001), progress=False)
    timer.cancel()
    assert run.status == "interrupted" and 0 < len(run.t) < 200_001 and np.all(np.isfinite(run.q))


@pytest.mark.parametrize(
    ("times", "said"),
    [
        ([], "there is no time in times"),
        ([0.2, 0.2], "times must rise, but 0.2 s comes after 0.2 s"),
        ([0.3, 0.1], "times must rise, but 0.1 s comes after 0.3 s"),
        ([0.1, 1.5], "times has 1.5 s, which is outside the run from 0 s to 1 s"),
        ([-0.1, 0.5], "times has -0.1 s, which is outside"),
        ([0.1, np.nan], "times has a time that is NaN or infinite"),
        ("all", "times must be a time or a list of times"),
        ([[0.1], [0.2]], "times must be a time or a list of times"),
    ],
)
def test_wrong_times_are_refused(times, said):
    with pytest.raises(ModelError, match=said):
        fm.simulate(chain(), 1.0, times=times)


def test_times_and_save_every_are_refused_together():
    with pytest.raises(SolverError, match="save_every keeps steps, and times has its own; give one of them"):
        fm.simulate(chain(), 1.0, times=[0.5], save_every=2)


def test_ten_thousands_of_steps_take_the_memory_of_a_few():
    """The numbers of 20 000 steps would be 11 MB. Both runs are made twice, to estimate their error."""

    def most(t_end):
        model = chain(6)
        tracemalloc.start()
        run = fm.simulate(model, t_end, step=1e-4, times=[0.0, 0.5 * t_end, t_end], progress=False)
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert run.statistics.steps == round(t_end / 1e-4) and len(run.t) == 3
        assert run.statistics.estimated_error > 0.0
        return size

    most(0.01)
    assert most(3.0) < most(1.0) + 5e5


def test_files_hold_them(tmp_path):
    run = fm.simulate(damped(), 2.0, times=[0.1, 0.37, 1.5], progress=False)
    again = fm.load(run.save(tmp_path / "run.h5"))
    assert again.t.tolist() == run.t.tolist()
    np.testing.assert_array_equal(again.energy.dissipated, run.energy.dissipated)


def test_a_start_that_repeats_rows_warns_once_as_without_times():
    with pytest.warns(RedundancyWarning) as told:
        fm.simulate(swing(3), 0.1, times=[0.05], progress=False)
    assert len(told) == 1
