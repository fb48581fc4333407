"""Rank and null vectors, dense and sparse, against singular values."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from flexmb.algebra import rank, sparse_storage

RNG = np.random.default_rng(11)


@pytest.fixture(params=["QR", "sparse LU"], autouse=True)
def largest(request, monkeypatch):
    """Matrices are small, or all are taken as large."""
    if request.param == "sparse LU":
        monkeypatch.setattr(rank, "LARGEST_DENSE", 0)


def of_rank(m, n, r):
    """A matrix (m, n) of rank r, about half of whose entries are zero."""
    rows = np.where(RNG.random((r, n)) < 0.5, RNG.normal(size=(r, n)), 0.0) + np.eye(r, n)
    return np.vstack([rows, RNG.choice([-1.0, 0.0, 2.0], (m - r, r)) @ rows])


def test_what_is_left_of_dependent_rows_has_full_rank():
    A = of_rank(9, 14, 6)
    found, partners = rank.dependent_rows(sp.csc_array(A))
    kept = np.setdiff1d(np.arange(9), found)
    assert len(found) == len(partners) == 3
    assert np.linalg.matrix_rank(A[kept]) == 6
    assert rank.dependent_rows(sp.csc_array(A[kept])) == ([], [])


def test_a_row_and_what_it_repeats():
    A = np.zeros((4, 6))
    A[0, 0] = A[1, 1] = A[2, 2] = A[3, 0] = A[3, 2] = 1.0
    (found,), (partners,) = rank.dependent_rows(sp.csc_array(A))
    assert len(partners) and {found, *partners.tolist()} <= {0, 2, 3}


def test_columns_that_determine_the_others():
    A = of_rank(7, 12, 7)
    columns = rank.independent_columns(sp.csc_array(A))
    assert columns.tolist() == sorted(set(columns.tolist())) and len(columns) == 7
    assert np.linalg.cond(A[:, columns]) < 1e4


@pytest.mark.parametrize("r", [5, 3])
def test_null_vectors(r):
    A = of_rank(5, 11, r)
    N = rank.null_vectors(sp.csc_array(A), 11)
    assert N.shape == (11, 11 - r)
    np.testing.assert_allclose(A @ N, 0.0, atol=1e-12 * np.abs(N).max())
    ones = [np.flatnonzero(row != 0.0)[0] for row in N if np.count_nonzero(row) == 1 and row.max() == 1.0]
    assert sorted(set(ones)) == list(range(11 - r)), "each has a coordinate of its own"


def test_without_rows_all_is_free():
    assert rank.null_vectors(sp.csc_array((0, 3)), 3).tolist() == np.eye(3).tolist()


def test_an_orthonormal_basis_of_the_null_space():
    A = of_rank(4, 9, 4)
    Z = rank.orthonormal_null_space(A)
    np.testing.assert_allclose(Z.T @ Z, np.eye(5), atol=1e-14)
    np.testing.assert_allclose(A @ Z, 0.0, atol=1e-13)
    with pytest.raises(np.linalg.LinAlgError):
        rank.orthonormal_null_space(of_rank(4, 9, 3))
    with pytest.raises(np.linalg.LinAlgError):
        rank.orthonormal_null_space(of_rank(9, 4, 4))


def test_the_rows_of_a_long_chain_fill_in_proportion():
    """Each row joins the place and the angle of a body with those of the one before, as a hinge does."""
    entries = []
    for count in (100, 400):
        hinges = [
            sp.eye_array(count) - sp.eye_array(count, k=-1),
            0.05 * (sp.eye_array(count) + sp.eye_array(count, k=-1)),
        ]
        status, lu = rank._pivots(sp.csc_array(sp.hstack(hinges).T), sparing=True)
        assert status == sparse_storage.OK
        entries.append(int(lu.lower.start[-1]) / count)
    assert entries[1] < 1.1 * entries[0]


@pytest.mark.parametrize("apart", [1.0, 1e-4, 1e-8])
def test_the_least_singular_value_is_bounded_from_below(apart):
    """The bound is at most √m times too small, and where rows depend on one another it is round-off."""
    rng = np.random.default_rng(1)
    for m, n in ((1, 1), (3, 3), (5, 8), (20, 21)):
        A = rng.normal(size=(m, n))
        A[-1] = A[:-1].sum(axis=0) + apart * A[-1]
        true = np.linalg.svd(A, compute_uv=False).min()
        found, part = (rank.least_singular_value(A.copy(), np.empty((m, m)), relative) for relative in (False, True))
        assert true / np.sqrt(m) * (1.0 - 1e-6) <= found <= true * (1.0 + 1e-6)
        assert part == pytest.approx(found / np.linalg.norm(A, axis=1).max(), rel=1e-12)
    A[-1] = A[:-1].sum(axis=0)
    assert rank.least_singular_value(A.copy(), np.empty((m, m)), False) < 1e-13
    assert rank.least_singular_value(np.zeros((0, 3)), np.empty((0, 0)), True) == np.inf
