"""Runs that came to their end although their motion is wrong say so; those that are right say nothing."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import flexmb as fm
from flexmb.errors import AccuracyWarning
from flexmb.solvers.trust import promised_balance
from flexmb.validation import andrews, n_four_bar
from tests.models.chains import chain
from tests.models.pendulums import flexible_pendulum, spinning


@pytest.mark.parametrize(
    ("method", "speed", "step"), [("generalized_alpha", 1000.0, 5e-3), ("rkf45", 60.0, 0.1), ("rkf45", 60.0, 0.05)]
)
@pytest.mark.warns(fm.errors.AccuracyWarning, "the estimated error of its motion", step=(5e-3, 0.1))
def test_a_step_that_is_too_long_is_told(method, speed, step):
    says = "the estimated error of its motion" if step == 0.05 else "its energy balance is off by"
    with pytest.warns(AccuracyWarning, match=rf"model 'rotor': {says} .*take a smaller step"):
        run = fm.simulate(spinning(speed), 0.5, method, step=step, progress=False)
    assert run.status == "finished" and not run.trustworthy
    assert f"doubtful: {says}" in run.summary()


def test_a_loose_tolerance_is_told_only_beyond_what_it_promises():
    assert promised_balance("generalized_alpha", {"tolerance": 1e-2}) == 0.1
    assert promised_balance("projection", {"tolerance": 1e-12}) == 2e-3
    with pytest.warns(AccuracyWarning, match="take a smaller tolerance"):
        fm.simulate(chain(3), 30.0, tolerance=1.0, progress=False)


@pytest.mark.parametrize(
    "method", ["generalized_alpha", "radau", "independent", "baumgarte", "projection", "rkf45", "dop853"]
)
@pytest.mark.parametrize("build", [chain, flexible_pendulum])
def test_good_runs_are_trusted(method, build):
    with warnings.catch_warnings():
        warnings.simplefilter("error", AccuracyWarning)
        step = {"step": 2e-4} if method == "rkf45" else {}
        run = fm.simulate(build(), 1.0, method, progress=False, **step)
    assert run.trustworthy and run.doubts == []
    assert run.at(0.5).trustworthy


def test_what_rests_or_hardly_moves_is_no_error():
    """Energies of 1e-20 J are rounding."""
    model = fm.PlanarModel("resting", gravity=(0.0, -9.81))
    bob = model.add_body("bob", mass=3.0, inertia=0.1, position=(0.0, -1.0))
    model.revolute(model.ground, bob.attach("pivot", (0.0, 1.0)))
    rod = model.add_beam("rod", (1.0, 0.0), (1.0, -1.0), properties=fm.planar.BeamProperties(EA=1e6, EI=1.0, rhoA=0.3))
    model.revolute(model.ground.attach("eye", (1.0, 0.0)), rod.start)
    for start in (None, fm.equilibrium(model)):
        run = fm.simulate(model, 1.0, initial=start, progress=False)
        assert run.trustworthy
        assert run.energy.error < 1e-2
    loose = fm.PlanarModel("loose")
    loose.add_body("stone", mass=1.0, inertia=1.0)
    assert fm.simulate(loose, 1.0, progress=False).energy.error == 0.0


def test_a_run_that_did_not_come_to_its_end_is_not_trusted():
    model = chain(1)
    model.python_force(model.frame("link0"), lambda t, x, v: (float("nan") if t > 0.1 else 0.0, 0.0, 0.0))
    with pytest.warns(fm.errors.DivergenceWarning):
        run = fm.simulate(model, 1.0, step=0.01, progress=False)
    assert run.status == "diverged" and not run.trustworthy and run.doubts == []


def test_doubts_are_filed(tmp_path):
    with pytest.warns(AccuracyWarning):
        run = fm.simulate(spinning(1000.0), 0.2, step=5e-3, progress=False)
    again = fm.load(run.save(tmp_path / "run.h5"))
    assert again.doubts == run.doubts and not again.trustworthy
    assert again.energy.error == pytest.approx(run.energy.error, rel=1e-12)


def test_commands_that_swing_leave_the_balance_closed():
    """At each instant accelerations jump; the work of the torque is counted with those behind the jump."""
    model = fm.PlanarModel("wheel")
    wheel = model.add_body("wheel", mass=2.0, inertia=1.0, angle=0.01)
    model.revolute(model.ground, wheel.frame)
    motor = model.point_torque(wheel.frame, 0.0, name="motor")
    rate = [fm.control.RelativeAngle(model.ground, wheel.frame), fm.control.RelativeRate(model.ground, wheel.frame)]
    model.add_controller("servo", period=0.01, sensors=rate, commands=motor, law=[[-4.0, -500.0]], limits=[(-5.0, 5.0)])
    run = fm.simulate(model, 2.0, step=0.01, progress=False)
    assert np.ptp(run.control["servo"].u) == 10.0
    assert run.energy.error < 1e-9


def test_rounding_that_leaves_more_than_was_asked_for_is_told():
    """Andrews' mechanism: at 1e-12 an error of 6e-9 is left, at 1e-9 one of 2e-10."""
    with pytest.warns(AccuracyWarning, match=r"rounding may have left an error of .* where tolerance=1e-12 was asked"):
        told = fm.simulate(andrews.build(), 0.03, "radau", tolerance=1e-12, progress=False)
    assert not told.trustworthy and told.statistics.rounding_error > 1e-10
    run = fm.simulate(andrews.build(), 0.03, "radau", tolerance=1e-9, progress=False)
    assert run.trustworthy and run.statistics.rounding_error < 1e-10


def test_rounding_in_passages_through_singular_positions_is_told():
    """Parallelograms that are laid flat, where the accelerations divide rounding by the square of what is left."""
    with pytest.warns(AccuracyWarning, match="rounding may have left an error of .* and singular positions"):
        told = fm.simulate(n_four_bar.build(40), 2.0, "radau", tolerance=1e-10, progress=False)
    assert told.statistics.rounding_error > 1e-9


def test_the_error_of_a_method_in_passages_is_not_called_rounding():
    """A smaller tolerance makes it better, so that nothing is to be said of rounding, in a long run either: what is
    counted is the rounding of accelerations alone, here below 1e-11 of the lengths."""
    coarse, fine = (
        fm.simulate(n_four_bar.build(2), 30.0, "projection", tolerance=rtol, progress=False) for rtol in (1e-4, 1e-7)
    )
    assert max(coarse.statistics.rounding_error, fine.statistics.rounding_error) < 1e-11
    assert np.abs(coarse.q[-1] - fine.q[-1]).max() > 1e-6
    assert not any("rounding" in said for said in coarse.doubts)
