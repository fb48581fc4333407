"""Driven mechanisms with rows that repeat others, of which some fade on the way."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm
from tests.models.swings import START, TILT, driven_swing

pytestmark = pytest.mark.filterwarnings("ignore::flexmb.errors.RedundancyWarning")

TURNS = 10

FEET = [(0.0, 0.0), (1.0, 0.0), (0.5, 0.6), (0.2, -0.3)]


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("count", [3, 4])
@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-3])
def test_rows_that_fade_are_exchanged_over_many_turns(count, space, off):
    """Positions in line, where a choice of rows is singular, are as exact as others, and so are their forces."""
    times = np.pi * np.arange(1, 2 * TURNS) - START + off
    motion = fm.kinematics(driven_swing(count, space), times=times, progress=False)
    assert motion.status == "finished" and not motion.events and len(motion.t) == len(times)
    assert motion.statistics.other_rows >= 2 * TURNS - 2
    c, s = np.cos(START + times), np.sin(START + times)
    turn = TILT if space else Rotation.identity()
    place = turn.apply(np.column_stack([c, s, 0.0 * c]))[:, : 3 if space else 2]
    np.testing.assert_allclose(motion["plate"].position, place, atol=1e-11)
    np.testing.assert_allclose(motion["plate"].acceleration, -place, atol=1e-11)
    moment = (count / 2 + 2.0) * 9.81 * c
    if not space:
        np.testing.assert_allclose(motion["motor.moment"], moment, atol=1e-9)
    row = next(k for k, (owner, name, _) in enumerate(motion.layout.rows) if (owner, name) == ("motor", "angle"))
    np.testing.assert_allclose(-motion.multipliers[:, row], moment, atol=1e-9)
    whole = motion.source.system.whole
    for k in range(len(times)):
        state = (motion.t[k], motion.q[k], motion.v[k], motion.a[k])
        assert np.max(np.abs(whole.residual(*state, motion.multipliers[k]))) < 1e-9
        assert np.max(np.abs(whole.residual(*state, motion.basic_multipliers[k]))) < 1e-9
    assert np.max(np.abs(motion.basic_multipliers)) < 1e3


@pytest.mark.parametrize("over", [(-20.0, 20.0), (0.0, 63.0)])
def test_a_sweep_exchanges_rows_both_ways(over):
    motion = fm.kinematics(driven_swing(3, False), drive="motor", over=over, steps=300, progress=False)
    assert motion.status == "finished" and not motion.events and motion.statistics.other_rows > 10
    for k in range(3):
        np.testing.assert_allclose(motion[f"crank{k}"].angle, motion.t, atol=1e-11)


def test_a_true_change_point_stays_one():
    """With feet in one line all rows together lose rank where the cranks stand in that line."""
    model = fm.PlanarModel("in line")
    plate = model.add_body("plate", mass=1.0, inertia=1.0, position=(0.0, 1.0))
    for k in range(3):
        crank = model.add_body(f"crank{k}", mass=1.0, inertia=0.1, position=(k, 0.5), angle=0.5 * np.pi)
        model.revolute(model.ground.attach(f"foot{k}", (k, 0)), crank.attach("low", (-0.5, 0)))
        model.revolute(plate.attach(f"at{k}", (k, 0)), crank.attach("high", (0.5, 0)))
    model.drive_angle(model.ground, model.frames["crank0"], fm.Polynomial([0.5 * np.pi, 1.0]), name="motor")
    motion = fm.kinematics(model, 6.0 * np.pi, steps=150, progress=False)
    assert motion.status == "finished"
    np.testing.assert_allclose([event.t for event in motion.events], np.pi * (np.arange(6) + 0.5), atol=1e-7)
    for k in range(3):
        np.testing.assert_allclose(motion[f"crank{k}"].angle, 0.5 * np.pi + motion.t, atol=1e-9)
