"""Motion with loops closed, in joint coordinates: forces that follow time, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import flexmb as fm
from flexmb.examples.four_bar import build


def test_forces_follow_time():
    m = build()
    first = next(c for c in m.components.values() if hasattr(c, "frame"))
    m.point_torque(first.frame, fm.Harmonic(5.0, 20.0), name="drive")
    motion = fm.closed_motion(m, 0.3)
    wanted = fm.simulate(m, 0.3, "dop853", tolerance=1e-10, progress=False)
    found = motion.tree.state(motion.q[-1], motion.v[-1])
    assert found.q == pytest.approx(wanted.q[-1], abs=1e-7)
    assert found.v == pytest.approx(wanted.v[-1], abs=1e-6)
    still = fm.simulate(build(), 0.3, "dop853", tolerance=1e-10, progress=False)
    assert np.abs(still.q[-1] - wanted.q[-1]).max() > 1e-3


def test_events_are_refused():
    m = build()
    m.add_event(0.1, fm.StopRun(), name="end")
    with pytest.raises(fm.FormulationError, match="has event or controller 'end'"):
        fm.closed_motion(m, 0.3)


@pytest.mark.parametrize(
    "wrong, kind, words",
    [
        (3, fm.ModelError, "accelerations must be a function of q and v, .* not 3"),
        ("ada", fm.ModelError, "accelerations must be a function of q and v, .* not 'ada'"),
        (lambda q, v: np.zeros(7), fm.ModelError, r"must return an array of 3 numbers, not an array of shape \(7,\)"),
        (lambda q, v: None, fm.ModelError, "must return an array of 3 numbers, not None"),
        (
            lambda q, v: np.array([0.0, np.nan, 0.0]),
            fm.FormulationError,
            "the acceleration of '.*angle' at t = 0 s is nan",
        ),
    ],
)
def test_wrong_accelerations_are_named(wrong, kind, words):
    with pytest.raises(kind, match=words):
        fm.closed_motion(build(), 0.1, accelerations=wrong)
