"""The reference of the RSSR linkage, tested by its own loop."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.validation.references import rssr


@pytest.mark.parametrize("alpha", [-2.0, 0.0, 0.7, 3.0])
def test_the_rod_keeps_its_length(alpha):
    beta = rssr.rocker_angle(alpha)
    top = rssr.FOOT + rssr.ROCKER * np.array([0.0, -np.sin(beta), np.cos(beta)])
    assert np.linalg.norm(top - rssr.crank_ball(alpha)) == pytest.approx(rssr.ROD, rel=1e-14)
    h = 1e-4
    rate = (rssr.rocker_angle(alpha + h) - rssr.rocker_angle(alpha - h)) / (2 * h)
    assert rssr.rate(alpha) == pytest.approx(rate, abs=1e-7)


def test_it_begins_upright_and_its_ends_are_extreme():
    assert rssr.rocker_angle(0.0) == pytest.approx(0.0, abs=1e-14)
    every = [rssr.rocker_angle(a) for a in np.linspace(-np.pi, np.pi, 2001)]
    assert rssr.dead_points() == pytest.approx((min(every), max(every)), abs=1e-5)
