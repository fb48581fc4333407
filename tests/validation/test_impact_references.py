"""References of impacts: quadratures against integrations in time, and collisions of two balls."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from flexmb.validation.references.impacts import Impact, bounce, damping_of, elastic_period, row_of_balls


@pytest.mark.parametrize("damping", [0.0, 0.4, 3.0])
@pytest.mark.parametrize("n", [1.0, 1.5, 3.0])
def test_an_impact_by_quadrature_is_that_in_time(damping: float, n: float) -> None:
    one = Impact(2.0, 1e6, n, damping, 0.7)

    def law(t: float, y: np.ndarray) -> list[float]:
        return [y[1], -1e6 / 2.0 * max(y[0], 0.0) ** n * (1.0 + damping * y[1])]

    def gone(t: float, y: np.ndarray) -> float:
        return float(y[0]) if t > 1e-5 else 1.0

    gone.terminal = True  # type: ignore[attr-defined]
    run = solve_ivp(law, (0.0, 10.0), [0.0, 0.7], method="DOP853", rtol=1e-12, atol=1e-16, events=gone)
    assert one.speed_after() == pytest.approx(-run.y[1, -1], rel=1e-7)
    assert one.duration() == pytest.approx(run.t[-1], rel=2e-6)
    if damping == 0.0:
        assert 1e6 * one.depth(0.0) ** (n + 1.0) / (n + 1.0) == pytest.approx(0.5 * 2.0 * 0.7**2)


def test_a_linear_spring_throws_back_after_half_a_period() -> None:
    assert Impact(2.0, 1e6, 1.0, 0.0, 0.7).duration() == pytest.approx(math.pi * math.sqrt(2e-6), rel=1e-6)


def test_an_elastic_ball_is_back_after_its_period() -> None:
    period = elastic_period(0.5, 1e6, 1.5, 0.3, 9.81)
    height, speed = bounce(0.5, 1e6, 1.5, 0.0, 0.3, 9.81, 2.0 * period)
    assert height == pytest.approx(0.3, abs=1e-9)
    assert speed == pytest.approx(0.0, abs=1e-7)


def test_two_balls_exchange_their_speeds() -> None:
    speeds = row_of_balls(0.1, 1e9, np.array([1e-6]), 0.5, 1e-3)
    assert speeds == pytest.approx([0.0, 0.5], abs=1e-9)


@pytest.mark.parametrize("restitution", [0.05, 0.3, 0.7, 0.95])
def test_an_impact_leaves_the_restitution_of_its_damping(restitution: float) -> None:
    d = damping_of(restitution, 2.0)
    assert Impact(0.5, 1e7, 1.5, d, 2.0).speed_after() == pytest.approx(2.0 * restitution, rel=1e-10)
