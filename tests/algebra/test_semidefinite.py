"""Systems of which some rows follow from others."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.algebra.semidefinite import factor_semidefinite, solve_semidefinite


def solved(A, b, most):
    x, n = b.copy(), len(b)
    factors, order, pivots = A.copy(), np.zeros(2 * n, dtype=np.int64), np.zeros(n)
    rank = factor_semidefinite(factors, most, order, pivots)
    kept = factors.copy()
    solve_semidefinite(factors, rank, order, pivots, x)
    np.testing.assert_array_equal(factors, kept)  # they serve for more right-hand sides
    return x


@pytest.mark.parametrize("seed", range(5))
def test_chains_and_full_matrices(seed):
    """Rows that are coupled with the next ones alone, or with all; some are sums of others."""
    rng = np.random.default_rng(seed)
    n, wide = 12, 5
    R = np.zeros((n, n + wide))
    for k in range(n):
        R[k, k : k + wide] = rng.normal(size=wide)
    R = R if seed % 2 else rng.normal(size=R.shape)
    R[4], R[9] = R[3] - 2.0 * R[5], R[8] + R[10]
    A, b = -R @ R.T, R @ rng.normal(size=n + wide)
    x = solved(A, b, n)
    np.testing.assert_allclose(A @ x, b, atol=1e-9 * np.abs(b).max())
    assert np.count_nonzero(x) == n - 2


def test_no_more_than_the_largest_pivots_are_kept():
    A = -np.diag([3.0, 1e-3, 2.0, 1.0])
    np.testing.assert_allclose(solved(A, np.ones(4), 2), [-1.0 / 3.0, 0.0, -0.5, 0.0])


def test_nothing_couples_to_what_is_rounding():
    A = -np.array([[1.0, 1.0], [1.0, 1.0 + 1e-13]])
    np.testing.assert_allclose(solved(A, np.array([-2.0, -2.0]), 2).sum(), 2.0)


def test_what_is_left_over_may_be_positive():
    """Rounding has either sign."""
    A = -np.diag([2.0, -1e-15, -1e-16, 0.0])
    np.testing.assert_array_equal(solved(A, np.array([4.0, 1e-15, 0.0, 0.0]), 4), [-2.0, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(solved(np.zeros((2, 2)), np.ones(2), 2), [0.0, 0.0])
