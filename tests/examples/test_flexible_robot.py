"""The robot whose links bend: what the gains do that were designed on its linear model."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.examples import flexible_robot as example


@pytest.mark.filterwarnings("error::flexmb.errors.AccuracyWarning")
def test_gauges_damp_what_joint_control_leaves():
    gains, plant = example.damping_gains()
    alone = np.hstack([example.joint_gains(), np.zeros((6, 4))])
    damped = []
    for K in (alone, gains):
        poles = plant.closed(K).poles
        slow = poles[(poles.imag > 0.0) & (poles.imag < example.LOW)]
        damped.append(np.min(-slow.real / np.abs(slow)))
    assert plant.closed(gains).stable
    assert damped[0] < 0.1 and damped[1] > 0.4


def test_when_the_load_has_settled():
    t = np.linspace(0.0, 1.0, 5)
    assert example.settled(t, np.array([1.0, 0.0, 1.0, 0.0, 0.0])) == 0.75
    assert example.settled(t, np.zeros(5)) == 0.0
    assert example.settled(t, np.ones(5)) == np.inf
