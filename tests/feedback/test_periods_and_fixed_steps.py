"""The instants of a controller are stops of a run with fixed steps, whether or not its period is a multiple of them."""

from __future__ import annotations

import pytest

import flexmb as fm

T_END, STEP = 2.0, 0.01


def wheel(period: float) -> fm.PlanarModel:
    m = fm.PlanarModel("wheel")
    body = m.add_body("wheel", mass=1.0, inertia=1.0)
    m.revolute(m.ground, body.frame)
    motor = m.point_torque(body.frame, 0.0, name="motor")
    read = [fm.control.RelativeAngle(m.ground, body.frame), fm.control.RelativeRate(m.ground, body.frame)]
    sensors = [*read, fm.control.Reference(1.0)]
    m.add_controller("servo", period=period, sensors=sensors, commands=motor, law=[[-4.0, -4.0, 4.0]])
    return m


def held(period: float) -> tuple[float, int]:
    """The angle at the end, of unit inertia under torques that are held for a period, and how many there were."""
    angle, rate, t, count = 0.0, 0.0, 0.0, 0
    while t < T_END - 1e-12:
        torque, h = 4.0 * (1.0 - angle - rate), min(period, T_END - t)
        angle, rate = angle + h * rate + 0.5 * h**2 * torque, rate + h * torque
        t, count = t + h, count + 1
    return angle, count


@pytest.mark.parametrize("formulation", [None, "aba"])
@pytest.mark.parametrize("method", ["generalized_alpha", "rkf45"])
@pytest.mark.parametrize("period", [0.007, 0.01, 0.013, 0.0333])
def test_a_period_need_not_be_a_multiple_of_the_step(period, method, formulation):
    own = {} if formulation is None else {"formulation": formulation}
    run = fm.simulate(wheel(period), T_END, method, step=STEP, progress=False, **own)
    angle, count = held(period)
    assert run.status == "finished" and len(run.control["servo"].t) == count
    assert run["wheel.angle"][-1] == pytest.approx(angle, abs=1e-13)
