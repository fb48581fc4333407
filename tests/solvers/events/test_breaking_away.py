"""The instant at which a joint that sticks breaks away while the mechanism moves, against motions integrated apart from
the code under test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import flexmb as fm

GRAVITY = 9.81
INERTIA, RADIUS = 2.0, 0.5
LAW = {"smoothing": 0.0, "small_force": 1e-9}


def arm_with_block(friction: float, spin: float, space: bool) -> fm.Model:
    """An arm that swings about its mass center, with a block of 1 kg that sticks in a slot along it."""
    law = fm.JointFriction(friction, length=1.0, **LAW)
    if not space:
        m = fm.PlanarModel("swing", gravity=(0.0, -GRAVITY))
        arm = m.add_body("arm", mass=1.0, inertia=INERTIA)
        m.revolute(m.ground, arm.frame)
        block = m.add_body("block", mass=1.0, inertia=0.1, position=(RADIUS, 0.0))
        m.pin_in_slot(arm.frame, block.frame, friction=law, name="slot")
        m.set_rigid_motion(angular_velocity=spin)
        return m
    m = fm.SpatialModel("swing", gravity=(0.0, 0.0, -GRAVITY))
    arm = m.add_body("arm", mass=1.0, inertia=(0.1, INERTIA, INERTIA))
    m.revolute(m.ground, arm.frame, axis="y")
    block = m.add_body("block", mass=1.0, inertia=(1e-9,) * 3, position=(RADIUS, 0.0, 0.0))
    m.prismatic(arm.frame, block.frame, axis="x", friction=law, name="slot")
    m.set_rigid_motion(angular_velocity=(0.0, -spin, 0.0))
    return m


def broken_away(friction: float, spin: float, end: float) -> tuple[float, float]:
    """The time at which friction does not hold the block any more, and its radius at the end, from

    (I + r²) θ̈ = −g r cos θ − 2 r ṙ θ̇,   r̈ = r θ̇² − g sin θ − μ |N|,   N = r θ̈ + 2 ṙ θ̇ + g cos θ.
    """

    def held(t: float, y: np.ndarray) -> list[float]:
        return [y[1], -GRAVITY * RADIUS * np.cos(y[0]) / (INERTIA + RADIUS**2)]

    def left(t: float, y: np.ndarray) -> float:
        angle, speed = y
        normal = RADIUS * held(t, y)[1] + GRAVITY * np.cos(angle)
        return float(friction * abs(normal) - abs(RADIUS * speed**2 - GRAVITY * np.sin(angle)))

    def slides(t: float, y: np.ndarray) -> list[float]:
        r, u, angle, speed = y
        bend = -r * (GRAVITY * np.cos(angle) + 2.0 * u * speed) / (INERTIA + r * r)
        normal = r * bend + 2.0 * u * speed + GRAVITY * np.cos(angle)
        return [u, r * speed**2 - GRAVITY * np.sin(angle) - friction * abs(normal), speed, bend]

    left.terminal = True  # type: ignore[attr-defined]
    exact = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12}
    first = solve_ivp(held, (0.0, end), [0.0, spin], events=left, **exact)
    then = solve_ivp(slides, (first.t[-1], end), [RADIUS, 0.0, *first.y[:, -1]], **exact)
    return float(first.t[-1]), float(then.y[0, -1])


@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
@pytest.mark.parametrize(("friction", "spin"), [(0.3, 0.0), (0.5, -1.0)])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-4, 1e-6])
def test_a_block_on_an_arm_that_swings(friction: float, spin: float, tolerance: float, space: bool) -> None:
    """Its acceleration does not jump as it breaks away, so that there is hardly anything to choose from there."""
    time, radius = broken_away(friction, spin, 0.8)
    run = fm.simulate(
        arm_with_block(friction, spin, space), 0.8, "generalized_alpha", tolerance=tolerance, progress=False
    )
    assert [event.done for event in run.events] == [["slides forward"]]
    assert run.events[0].t == pytest.approx(time, abs=max(0.1 * tolerance, 1e-8))
    assert np.linalg.norm(run["block"].position[-1]) == pytest.approx(radius, abs=tolerance)
    assert run.trustworthy


@pytest.mark.parametrize("method", ["generalized_alpha", "radau", "dop853"])
def test_a_block_on_an_incline_that_is_turned(method: str) -> None:
    """It slides where g sin Ωt + r Ω² = μ g cos Ωt, whatever the steps."""
    friction, rate, radius = 0.4, 0.3, 1.0
    m = fm.PlanarModel("incline", gravity=(0.0, -GRAVITY))
    plank = m.add_body("plank", mass=1.0, inertia=0.1)
    m.revolute(m.ground, plank.frame)
    m.drive_angle(m.ground, plank.frame, fm.Polynomial([0.0, -rate]))
    block = m.add_body("block", mass=2.0, inertia=0.05, position=(radius, 0.0))
    m.prismatic(plank.frame, block.frame, friction=fm.JointFriction(friction, length=0.2, **LAW), name="top")
    m.set_rigid_motion(angular_velocity=-rate)
    run = fm.simulate(m, 2.0, method, progress=False)

    def pulls(t: float) -> float:
        angle = rate * t
        return float(GRAVITY * (np.sin(angle) - friction * np.cos(angle)) + radius * rate**2)

    assert [event.done for event in run.events] == [["slides forward"]]
    assert run.events[0].t == pytest.approx(brentq(pulls, 0.0, 2.0), abs=1e-7)
