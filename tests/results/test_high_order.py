"""Interpolation between the steps of methods of high order: its orders, on the group too, and where it keeps away."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.results.between_steps.interpolation import Interpolation
from flexmb.results.between_steps.smooth import ROUGH, SMOOTH, UNKNOWN, between_times
from tests.models.tops import precession

NONE = np.zeros((0, 2), dtype=np.int64)
TURNING = np.array([[0, 3]])
TIMES = np.linspace(0.0, 2.0, 1003)


def swing(t):
    """Positions, speeds and accelerations of two coordinates."""
    x, slow = 3.0 * t + 0.4, 1.7 * t
    q = np.column_stack([np.sin(x), np.exp(-t) * np.cos(slow)])
    v = np.column_stack([3.0 * np.cos(x), np.exp(-t) * (-np.cos(slow) - 1.7 * np.sin(slow))])
    bent = np.exp(-t) * ((1.0 - 1.7**2) * np.cos(slow) + 3.4 * np.sin(slow))
    return q, v, np.column_stack([-9.0 * np.sin(x), bent])


def errors(motion, orientations, count, grid=None, order=5):
    """Largest errors of positions, speeds and accelerations between `count` steps."""
    t = np.linspace(0.0, 2.0, count + 1) if grid is None else grid(count)
    there = Interpolation(t, TIMES, "run", order).motion(*motion(t), orientations)
    return np.array([np.max(np.abs(x - exact)) for x, exact in zip(there, motion(TIMES))])


def uneven(count):
    """Steps that differ by factors up to two."""
    s = np.linspace(0.0, 1.0, count + 1)
    t = 2.0 * (s + 0.05 * np.sin(2.0 * np.pi * s))
    t[1:-1:2] += 0.3 / count
    return t


def turning(t):
    """An orientation: a cone about an axis that nods, with its angular velocity and acceleration in its own axes."""
    h = 1e-3  # of differences of eighth order
    e, omega = precession(t)
    ahead = [precession(t + k * h)[1] - precession(t - k * h)[1] for k in (1, 2, 3, 4)]
    alpha = (672.0 * ahead[0] - 168.0 * ahead[1] + 32.0 * ahead[2] - 3.0 * ahead[3]) / (840.0 * h)
    return np.roll(e, -1, axis=1), omega, alpha


@pytest.mark.parametrize("grid", [None, uneven])
@pytest.mark.parametrize(("motion", "orientations"), [(swing, NONE), (turning, TURNING)])
def test_orders_of_positions_speeds_and_accelerations(motion, orientations, grid):
    orders = np.log2(errors(motion, orientations, 40, grid) / errors(motion, orientations, 80, grid))
    np.testing.assert_array_less([5.7, 4.7, 5.4], orders)
    cubic = np.log2(errors(motion, orientations, 40, grid, 3) / errors(motion, orientations, 80, grid, 3))
    np.testing.assert_allclose(cubic, [4.0, 4.0 if motion is swing else 3.0, 2.0], atol=1.1)


def test_a_quintic_and_its_rates_are_met_exactly():
    t, times = np.array([0.3, 1.1, 2.0, 2.4]), np.linspace(0.3, 2.4, 30)
    x = np.polynomial.Polynomial([0.3, -1.0, 0.4, 0.7, 0.02, 0.01])

    def motion(s):
        return tuple(x.deriv(k)(s)[:, None] if k else x(s)[:, None] for k in range(3))

    there = Interpolation(t, times, "run", 5).motion(*motion(t), NONE)
    for k in (0, 1):
        np.testing.assert_allclose(there[k], motion(times)[k], rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("turn", [1.2, 2.9, 2.0 * np.pi, 21.0])
def test_a_quintic_turn_about_an_axis_is_met_exactly(turn):
    """However many turns there are in a step of 1 s; in the chart of the step and about a steady turn."""
    axis = np.array([0.6, 0.0, 0.8])
    angle = turn * np.polynomial.Polynomial([0.0, 0.8, 0.1, 0.1, -0.05, 0.02])

    def at(s):
        half = 0.5 * angle(s)
        q = np.column_stack([np.sin(half)[:, None] * axis, np.cos(half)])
        return q, angle.deriv()(s)[:, None] * axis, angle.deriv(2)(s)[:, None] * axis

    t, times = np.arange(7.0) / 6.0, np.linspace(0.0, 1.0, 23)
    there = Interpolation(6.0 * t, 6.0 * times, "run", 5)
    slow = [x / 6.0**k for k, x in enumerate(at(t))]
    for k, x in enumerate(there.motion(*slow, TURNING)[:2]):
        np.testing.assert_allclose(x, at(times)[k] / 6.0**k, rtol=0.0, atol=2e-12)


def test_nothing_goes_across_a_jump_or_a_kink():
    """Values beside it are as accurate as far from it, and in its own step they lie between those at the ends."""
    t = np.linspace(0.0, 2.0, 41)
    for jump, kink in ((1.0, 0.0), (0.0, 1.0)):

        def x(s, jump=jump, kink=kink):
            return np.sin(3.0 * s) + np.where(s > 1.01, jump + kink * (s - 1.01), 0.0)

        left = np.clip(np.searchsorted(t, TIMES, side="right") - 1, 0, 39)
        value, kinds, *_ = between_times(t, left, TIMES, x(t))
        in_it = left == 20
        assert np.all(kinds[in_it] == ROUGH) and np.all(kinds[~in_it] == SMOOTH)
        assert np.max(np.abs(value - x(TIMES))[~in_it]) < 3e-7
        low, high = np.sort(x(t[20:22]))
        assert np.all((value[in_it] >= low) & (value[in_it] <= high))


def test_steps_that_grow_fast_are_told():
    t = np.concatenate([[0.0], np.cumsum(30.0 ** np.arange(-4, 1))])
    value, kinds, *_ = between_times(t, np.array([2, 4]), np.array([0.5 * (t[2] + t[3]), 0.5 * (t[4] + t[5])]), t)
    assert np.all(kinds == UNKNOWN)
    np.testing.assert_allclose(value, [0.5 * (t[2] + t[3]), 0.5 * (t[4] + t[5])])


def test_vibration_in_accelerations_that_steps_do_not_resolve_does_not_spoil_positions():
    """A slow swing; its accelerations carry on from step to step what is left of a fast mode."""
    t = np.linspace(0.0, 2.0, 41)
    q, v, a = swing(t)
    noise = np.random.default_rng(5).normal(size=a.shape)
    exact = swing(TIMES)[0]
    cubic = errors(swing, NONE, 40, order=3)[0]
    for size in (1e3, 10.0, 0.1, 1e-3):
        there, speeds, _ = Interpolation(t, TIMES, "run", 5).motion(q, v, a + size * noise, NONE)
        assert np.max(np.abs(there - exact)) <= cubic * (1.0 + 1e-9), size
        plain = Interpolation(t, TIMES, "run", 3).hermite(v, a + size * noise)
        assert np.max(np.abs(speeds - swing(TIMES)[1])) <= 1.1 * np.max(np.abs(plain - swing(TIMES)[1]))
    few = Interpolation(t[:4], np.linspace(t[0], t[3], 50), "run", 5).motion(
        q[:4], v[:4], a[:4] + 1e3 * noise[:4], NONE
    )
    assert np.max(np.abs(few[0] - swing(np.linspace(t[0], t[3], 50))[0])) <= cubic
