"""The robot arm whose motors fail: its plan, its throw, and its rest."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples import robot


def test_the_plan_is_within_the_limits():
    arm = robot.build(fails=False)
    planned = fm.kinematics(arm, robot.DURATION, steps=80, progress=False)
    places, rates, efforts = arm.positions(planned), arm.rates(planned), arm.efforts(planned)
    for name, (start, end) in robot.PLAN.items():
        joint = arm.joints[name]
        assert places[name][[0, -1]] == pytest.approx([start, end], abs=1e-12)
        assert np.abs(rates[name]).max() < joint.velocity
        assert np.abs(efforts[name]).max() < joint.effort


def test_the_work_of_the_drives_is_the_energy_of_the_throw():
    arm = robot.build()
    run = fm.simulate(arm, 1.6, progress=False)
    assert run.status == "finished" and run.trustworthy
    assert [event.t for event in run.events] == [robot.FAILURE]
    energy, before = run.energy, run.t <= robot.FAILURE
    assert np.ptp(energy.drives[~before]) < 1e-3 * energy.drives[-1]  # what still grips does no work
    assert energy.dissipated[-1] > 10.0
    for name, values in arm.positions(run).items():
        joint = arm.joints[name]
        assert joint.lower - 0.03 < values.min() and values.max() < joint.upper + 0.03
