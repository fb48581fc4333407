"""Driven mechanisms with rows that repeat others, of which some fade on the way."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import flexmb as fm

pytestmark = pytest.mark.filterwarnings("ignore::flexmb.RedundancyWarning")

FEET = [(0.0, 0.0), (1.0, 0.0), (0.5, 0.6), (0.2, -0.3)]
TILT = Rotation.from_rotvec([0.7, -0.4, 1.1])
START, TURNS = 1.0, 10


def swing(count: int, space: bool) -> fm.Model:
    """A plate (2 kg) on parallel cranks (1 m, 1 kg), the first of which is driven at 1 rad/s. Where it stands in line
    with two feet the rows of these cranks depend on one another; as there are more, no position is singular."""
    turn = TILT if space else Rotation.identity()

    def at(x: float, y: float):
        return turn.apply((x, y, 0.0)) if space else (x, y)

    def body(name: str, mass: float, place: tuple[float, float], angle: float):
        if space:
            own = turn * Rotation.from_rotvec((0, 0, angle))
            return model.add_body(name, mass=mass, inertia=(0.1, 0.2, 0.3), position=at(*place), orientation=own)
        return model.add_body(name, mass=mass, inertia=0.3, position=place, angle=angle)

    def pin(b, name: str, x: float, angle: float, y: float = 0.0):
        """A frame on a body whose axes are those of the ground at the start."""
        return (
            b.attach(name, (x, y, 0.0), (turn * Rotation.from_rotvec((0, 0, angle))).inv())
            if space
            else b.attach(name, (x, y))
        )

    axis = {"axis": turn.apply((0, 0, 1))} if space else {}
    if space:
        model = fm.SpatialModel("swing", gravity=turn.apply((0, -9.81, 0)))
    else:
        model = fm.PlanarModel("swing", gravity=(0, -9.81))
    c, s = np.cos(START), np.sin(START)
    plate = body("plate", 2.0, (c, s), 0.0)
    for k, (x, y) in enumerate(FEET[:count]):
        crank = body(f"crank{k}", 1.0, (x + c / 2, y + s / 2), START)
        foot = model.ground.attach(f"foot{k}", at(x, y))
        low = pin(crank, "low", -0.5, START)
        model.revolute(foot, low, name=f"low{k}", **axis)
        model.revolute(pin(plate, f"at{k}", x, 0.0, y), pin(crank, "high", 0.5, START), name=f"high{k}", **axis)
        if k == 0:
            begin = 0.0 if space else START  # in space angles count from the start
            model.drive_angle(foot, low, fm.Polynomial([begin, 1.0]), name="motor", **axis)
    return model


@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize("count", [3, 4])
@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-3])
def test_rows_that_fade_are_exchanged_over_many_turns(count, space, off):
    """Positions in line, where a choice of rows is singular, are as exact as others, and so are their forces."""
    times = np.pi * np.arange(1, 2 * TURNS) - START + off
    motion = fm.kinematics(swing(count, space), times=times, progress=False)
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
    motion = fm.kinematics(swing(3, False), drive="motor", over=over, steps=300, progress=False)
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
