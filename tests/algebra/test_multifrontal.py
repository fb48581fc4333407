"""Cholesky factors by dense fronts, against SciPy's solutions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

from flexmb.algebra.multifrontal import Cholesky
from flexmb.errors import ModelError


def on_a_grid(count: int, width: int, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """A positive matrix that couples the neighbors on a grid of count³ points with `width` coordinates each."""
    rng = np.random.default_rng(seed)
    line = sp.diags([np.ones(count - 1), np.zeros(count), np.ones(count - 1)], [-1, 0, 1])
    pattern = sp.kron(sp.kronsum(sp.kronsum(line, line), line), np.ones((width, width))).tocoo()
    values = rng.normal(size=pattern.nnz)
    A = sp.csr_matrix((values, (pattern.row, pattern.col)), shape=pattern.shape)
    A = A + A.T
    A = A + sp.diags(np.asarray(abs(A).sum(axis=1)).ravel() + 0.1)
    points = np.stack(np.meshgrid(*[np.arange(float(count))] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    return A.tocsr(), np.repeat(points, width, axis=0)


@pytest.mark.parametrize(("count", "width"), [(1, 1), (3, 2), (9, 3)])
def test_solutions_of_several_right_sides(count, width):
    A, places = on_a_grid(count, width)
    mixed = np.random.default_rng(1).permutation(A.shape[0])  # no order helps it
    A, places = A[mixed][:, mixed].tocsr(), places[mixed]
    b = np.random.default_rng(2).normal(size=(A.shape[0], 4))
    x = Cholesky(A, places, "a grid").solve(b)
    np.testing.assert_allclose(x, spsolve(A.tocsc(), b).reshape(x.shape), rtol=1e-10, atol=1e-12)


def test_parts_that_are_not_connected():
    A, places = on_a_grid(4, 1)
    both = sp.block_diag([A, 2.0 * A]).tocsr()
    b = np.arange(float(both.shape[0]))[:, None]
    x = Cholesky(both, np.concatenate([places, places + 10.0]), "two grids").solve(b)
    np.testing.assert_allclose(both @ x, b, rtol=1e-12, atol=1e-12)


def test_a_matrix_that_is_not_positive_is_refused():
    A, places = on_a_grid(6, 2)
    A[100, 100] = -1.0
    with pytest.raises(ModelError, match="a grid: its stiffness matrix is not positive"):
        Cholesky(A, places, "a grid")
