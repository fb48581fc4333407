"""Formulas: numbers of the state by address, derivatives along orientations and in groups of columns, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.errors import KernelError
from flexmb.kernels import formula
from flexmb.kernels.compilation import INTERPRETED, compiled
from flexmb.kernels.formula import SCRATCH, formula_address, gradient_of, reads_accelerations, value_at
from flexmb.kernels.rotations import quaternion_at, turned
from flexmb.kernels.vectors import dot, vector_at, vector_in


@formula
def power_of_a_force(row, iq, iv, t, q, v, a):
    """That of a force fixed to a body, and the square of what accelerates it."""
    force = turned(quaternion_at(q, iq, 3), vector_in(row, 0))
    return dot(force, vector_at(v, iv, 0)) + t * a[iv[1]] ** 2


@formula
def of_many(row, iq, iv, t, q, v, a):
    total = 0.0
    for k in range(iq.shape[0]):
        total += row[k] * q[iq[k]] * q[iq[0]] + v[iv[k]] ** 2
    return total


@formula
def constant(row, iq, iv, t, q, v, a):
    return row[0]


@compiled
def _called(where, row, iq, iv, t, q, v, a):
    return value_at(where, row, iq, iv, t, q, v, a)


def gradients(given, turns, row, iq, iv, t, q, v, a):
    found = np.zeros((3, len(iv)))
    for w, out in zip(np.eye(3), found):
        gradient_of(given, turns, len(iv))(row, iq[None], iv[None], t, q, v, a, w, out, np.zeros(SCRATCH))
    return found[::-1]


def test_derivatives_along_a_turn_are_those_of_small_turns():
    rng = np.random.default_rng(3)
    q, v, a = rng.normal(size=7), rng.normal(size=6), rng.normal(size=6)
    q[3:] /= np.linalg.norm(q[3:])
    row, iq, iv, t = rng.normal(size=3), np.arange(7), np.arange(6), 0.7
    by_q, by_v, by_a = gradients(power_of_a_force, ((3, 3),), row, iq, iv, t, q, v, a)
    h = 1e-5
    for k in range(6):
        moved = np.zeros((2, 6))
        for e, out in zip((h, -h), (0, 1)):
            y, at = np.zeros(6), np.zeros(7)
            y[k] = e
            at[:3] = q[:3] + y[:3]
            s, u = q[3], q[4:]
            half = 0.5 * y[3:]
            c, x = np.cos(np.linalg.norm(half)), half * np.sinc(np.linalg.norm(half) / np.pi)
            at[3], at[4:] = s * c - u @ x, s * x + c * u + np.cross(u, x)
            moved[out, 0] = power_of_a_force(row, iq, iv, t, at, v, a)
            moved[out, 1] = power_of_a_force(row, iq, iv, t, q, v + y, a)
            moved[out, 2] = power_of_a_force(row, iq, iv, t, q, v, a + y)
        slopes = (moved[0] - moved[1])[:3] / (2.0 * h)
        np.testing.assert_allclose((by_q[k], by_v[k], by_a[k]), slopes, atol=1e-9)


def test_more_columns_than_are_differentiated_at_once():
    n = 30
    rng = np.random.default_rng(4)
    row, q, v, numbers = rng.normal(size=n), rng.normal(size=n), rng.normal(size=n), np.arange(n)
    by_q, by_v, by_a = gradients(of_many, (), row, numbers, numbers, 0.0, q, v, v)
    expected = row * q[0]
    expected[0] += row @ q
    np.testing.assert_allclose(by_q, expected, rtol=1e-13)
    np.testing.assert_allclose(by_v, 2.0 * v, rtol=1e-15)
    assert not by_a.any()
    where = formula_address(of_many, "test")
    value = _called(where, row, numbers, numbers, 0.0, q, v, v)
    assert value == of_many(row, numbers, numbers, 0.0, q, v, v) == pytest.approx(row @ q * q[0] + v @ v, rel=1e-13)


def test_what_does_not_change_has_no_slopes():
    one = np.zeros(1, dtype=np.int64)
    assert not np.any(gradients(constant, (), np.ones(1), one, one, 0.0, np.ones(1), np.ones(1), np.ones(1)))


def test_which_formulas_read_accelerations():
    assert reads_accelerations(power_of_a_force)
    assert not reads_accelerations(of_many)


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_what_does_not_compile_is_refused_by_name():
    @formula
    def wrong(row, iq, iv, t, q, v, a):
        return row["x"]

    with pytest.raises(KernelError, match=r"sensor 'x': its formula cannot be compiled.*formula\(row, iq"):
        formula_address(wrong, "sensor 'x'")
