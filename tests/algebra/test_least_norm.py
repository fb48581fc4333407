"""Least squares of few dependent equations."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.algebra.least_norm import least_norm

RANDOM = np.random.default_rng(0)


def solved(C, b, cutoff=1e-9):
    x = np.zeros(C.shape[1])
    return least_norm(C.copy(), b.copy(), cutoff, x), x


@pytest.mark.parametrize("shape", [(1, 3), (3, 5), (4, 4), (6, 3), (0, 2)])
def test_the_solution_is_that_of_singular_values(shape):
    C, b = RANDOM.normal(size=shape), RANDOM.normal(size=shape[0])
    rank, x = solved(C, b)
    assert rank == min(shape)
    assert x == pytest.approx(np.linalg.pinv(C) @ b, rel=1e-12, abs=1e-13)


def test_rows_that_depend_on_others_restrict_nothing():
    C = RANDOM.normal(size=(2, 5))
    C = np.vstack([C, C[0] + 2.0 * C[1], np.zeros(5)])
    b = RANDOM.normal(size=4)
    rank, x = solved(C, b)
    assert rank == 2
    assert x == pytest.approx(np.linalg.pinv(C, rcond=1e-9) @ b, rel=1e-12, abs=1e-13)


def test_small_singular_values_keep_their_accuracy_and_count_above_the_cutoff():
    U, V = (np.linalg.qr(RANDOM.normal(size=(3, 3)))[0] for _ in range(2))
    values = np.array([1.0, 1e-3, 1e-6])
    C, b = (U * values) @ V.T, RANDOM.normal(size=3)
    assert solved(C, b, 1e-7)[0] == 3
    rank, x = solved(C, b, 1e-5)
    assert rank == 2
    assert x == pytest.approx(V[:, :2] @ (U.T @ b / values)[:2], rel=1e-9)
