"""Dense LU against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from flexmb.algebra import dense_lu


@pytest.mark.parametrize("n", [1, 2, 5, 20, 47])
def test_solves_like_numpy_with_zero_diagonals_too(n):
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n))
    if n > 1:
        np.fill_diagonal(A, 0.0)
    b = rng.normal(size=n)
    factors, pivots, x = A.copy(), np.zeros(n, dtype=np.int64), b.copy()
    assert dense_lu.factor(factors, n, pivots) > 0.0
    dense_lu.solve(factors, n, pivots, x)
    np.testing.assert_allclose(A @ x, b, atol=1e-10 * np.linalg.cond(A))


def test_a_singular_matrix_is_told():
    A = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]])
    assert dense_lu.factor(A, 3, np.zeros(3, dtype=np.int64)) < 1e-15
    assert dense_lu.factor(np.full((2, 2), np.nan), 2, np.zeros(2, dtype=np.int64)) == 0.0
