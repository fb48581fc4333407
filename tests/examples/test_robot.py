"""The robot arm whose motors fail: its plan, its throw, and its rest."""

from __future__ import annotations

from itertools import pairwise

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


def test_what_is_thrown_passes_by_the_column():
    """Between the elbow and the load no line from joint to joint comes near the column, whose radius is 75 mm, nor near
    the base on it."""
    run = fm.simulate(robot.build(), robot.T_END, progress=False).at(np.linspace(0.0, robot.T_END, 301))
    places = [run[name].position for name in ("link4", "link5", "link6", "link7", "hand", "load")]
    part = np.linspace(0.0, 1.0, 6)[:, None, None]
    between = np.concatenate([a + part * (b - a) for a, b in pairwise(places)]).reshape(-1, 3)
    low = between[between[:, 2] < robot.HEIGHT + 0.35]
    assert len(low) > 1000 and np.min(np.hypot(low[:, 0], low[:, 1])) > 0.15
    assert np.min(between[:, 2]) > 0.05  # nor the floor
