"""Rank: dependent rows, independent columns, and null vectors of a matrix.

Small matrices are handled by QR factorizations with column pivoting, large ones by the pivots of a sparse LU. The
caller scales rows and columns to a similar size.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy

from flexmb.algebra import sparse_lu, sparse_storage
from flexmb.algebra.factors import Factors, dense
from flexmb.algebra.sparse_order import analyse
from flexmb.algebra.sparse_storage import Factor
from flexmb.kernels.compilation import allocation_free

#: a pivot below this fraction of the largest one counts as zero
RELATIVE_RANK = 1e-9
#: a row repeats another one if its coefficient of that row is larger than this
SHARE = 1e-6
#: Where some rows are known to depend on others, a pivot below this part of the largest is none: positions that were
#: typed close joints no better. Nor is one below FINENESS times the error with which the rows are known.
TYPED, FINENESS = 1e-5, 10.0
#: rows are independent if a bound of the least singular value is so many times the smallest pivot that is none
SURELY = 100.0
#: largest number of entries of a matrix whose rank is found by a dense QR factorization
LARGEST_DENSE = 60_000


def dependent_rows(
    A: Any, later: np.ndarray | None = None, least: float = RELATIVE_RANK
) -> tuple[list[int], list[np.ndarray]]:
    """Rows of A (m, n) without which the others are independent, and the rows that each of them repeats (in a large
    matrix, those with which it shares columns). Of rows that repeat each other, those that are `later` (m,) count as
    dependent. A pivot below the fraction `least` of the largest counts as zero.

    >>> dependent_rows(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [2.0, 0.0, 2.0]]))
    ([2], [array([0])])
    >>> dependent_rows(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [2.0, 0.0, 2.0]]), np.array([True, False, False]))
    ([0], [array([2])])
    """
    if later is not None:
        if A.shape[0] * A.shape[1] <= LARGEST_DENSE and _are_independent(dense(A), np.sqrt(A.shape[1]) * least):
            return [], []
        return _dependent_later(scipy.sparse.csr_array(A), np.flatnonzero(~later), np.flatnonzero(later), least)
    if isinstance(A, np.ndarray) or A.shape[0] * A.shape[1] <= LARGEST_DENSE:
        return _dependent_in_dense(dense(A), least)
    return _dependent_in_sparse(scipy.sparse.csc_array(A.T), least)


def independent_columns(A: Any) -> np.ndarray:
    """Indices, ascending, of m columns of A (m, n), an array or a sparse one, that form a regular matrix; raises
    LinAlgError if a large one has none.

    >>> independent_columns(np.array([[1.0, 5.0, 0.0], [0.0, 0.0, 2.0]])).tolist()
    [1, 2]
    """
    m, n = A.shape
    if m * n <= LARGEST_DENSE:
        _, order = scipy.linalg.qr(dense(A), mode="r", pivoting=True)
        return np.sort(order[:m]).astype(np.int64)
    status, lu = _pivots(scipy.sparse.csc_array(A.T))
    if status != sparse_storage.OK:
        raise np.linalg.LinAlgError("rows depend on one another")
    return np.sort(np.asarray(lu.rows.order[:m], dtype=np.int64))


def best_rows(A: np.ndarray, later: np.ndarray, least: float) -> np.ndarray:
    """Indices, ascending, of the rows of a dense A (m, n) that are most independent of one another, by QR pivots;
    `later` (m,) rows are taken only where they are independent of the others. A pivot below the fraction `least` of the
    largest counts as zero.

    >>> best_rows(np.array([[1.0, 0.0], [1.0, 1e-3], [0.0, 1.0]]), np.zeros(3, dtype=bool), 1e-6).tolist()
    [1, 2]
    """
    chosen: list[int] = []
    size = 0.0
    left = A
    for group in (np.flatnonzero(~later), np.flatnonzero(later)):
        if not len(group):
            continue
        Q, R, order = scipy.linalg.qr(left[group].T, mode="economic", pivoting=True)
        diagonal = np.abs(np.diag(R))
        size = max(size, float(diagonal.max(initial=0.0)))
        rank = int(np.sum(diagonal > least * max(size, 1e-300)))
        chosen += group[order[:rank]].tolist()
        left = left - (left @ Q[:, :rank]) @ Q[:, :rank].T
    return np.sort(np.array(chosen, dtype=np.int64))


def shares(A: np.ndarray, kept: np.ndarray, others: np.ndarray) -> np.ndarray:
    """C with A[others] = C A[kept], where the rows `kept` of a dense A are independent; the least-squares C for rows
    that do not depend on these."""
    return np.asarray(np.linalg.lstsq(A[kept].T, A[others].T, rcond=None)[0].T)


def shortest_way(A: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The shortest x (n,) with A x = −g for a dense A (m, n) whose rows may depend on one another where g vanishes: how
    nearly they do is not told more finely than g is zero.

    >>> shortest_way(np.array([[2.0, 0.0], [2.0, 1e-6]]), np.array([1e-3, 1.1e-3])).round(5).tolist()
    [-0.00052, -0.0]
    """
    return np.asarray(np.linalg.lstsq(A, -g, rcond=max(TYPED, FINENESS * float(np.max(np.abs(g)))))[0])


def row_space(A: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Orthonormal bases of the range of A (m, n), as columns (m, rank), and of the null space of Aᵀ, (m, m − rank). The
    projection of x onto the first is the smallest vector with the same Aᵀ x.

    >>> first, none = row_space(np.array([[1.0, 0.0], [1.0, 0.0]]), 1)
    >>> (first @ (first.T @ np.array([3.0, 0.0]))).round(12).tolist()
    [1.5, 1.5]
    """
    Q, _, _ = scipy.linalg.qr(A, pivoting=True)
    return Q[:, :rank], Q[:, rank:]


def orthonormal_null_space(A: np.ndarray) -> np.ndarray:
    """Z (n, n − m) with A Z = 0 and Zᵀ Z = 1 for a dense A (m, n); raises LinAlgError where rows depend on one another.

    They are the last columns of Q in  Aᵀ = Q [R; 0], see Kim and Vanderploeg (1986).

    >>> abs(orthonormal_null_space(np.array([[0.0, 3.0]]))).tolist()
    [[1.0], [0.0]]
    """
    m, n = A.shape
    Q, R, _ = scipy.linalg.qr(A.T, pivoting=True)
    diagonal = np.abs(np.diag(R))
    if m and (m > n or diagonal[-1] <= RELATIVE_RANK * diagonal[0]):
        raise np.linalg.LinAlgError("rows depend on one another")
    return np.asarray(Q[:, m:])


def null_vectors(A: scipy.sparse.csc_array, wanted: int) -> np.ndarray:
    """All null vectors (n, f) of A (m, n), whose rank may be any. Each has a one where all others have zeros. If A is
    large, only the first `wanted` of them are computed in full; the others have no more than their one."""
    m, n = A.shape
    if m == 0:
        return np.eye(n)
    if m * n <= 25 * LARGEST_DENSE:
        _, R, order = scipy.linalg.qr(dense(A), mode="economic", pivoting=True)
        size = np.abs(np.diag(R))
        r = int(np.sum(size > RELATIVE_RANK * max(size.max(initial=0.0), 1e-300)))
        N = np.zeros((n, n - r))
        N[order[:r]] = -scipy.linalg.solve_triangular(R[:r, :r], R[:r, r:])
        N[order[r:]] = np.eye(n - r)
        return N
    dependent, _ = _dependent_in_sparse(scipy.sparse.csc_array(A.T))
    rows = scipy.sparse.csc_array(A.tocsr()[np.setdiff1d(np.arange(m), dependent)])
    r = rows.shape[0]
    _, lu = _pivots(scipy.sparse.csc_array(rows.T))
    held = np.sort(np.asarray(lu.rows.order[:r]))
    free = np.setdiff1d(np.arange(n), held)
    N = np.zeros((n, len(free)))
    if r:
        shown = free[:wanted]
        N[np.ix_(held, np.arange(len(shown)))] = -Factors(rows[:, held]).solve(rows[:, shown].toarray())
    N[free, np.arange(len(free))] = 1.0
    return N


def _dependent_later(
    A: scipy.sparse.csr_array, first: np.ndarray, later: np.ndarray, least: float
) -> tuple[list[int], list[np.ndarray]]:
    """The rows among the `first` that depend on one another, and the `later` rows that depend on these or on each
    other. The combination of first rows closest to a later one is subtracted from it; later rows are few."""
    dependent, partners = dependent_rows(A[first], least=least) if len(first) else ([], [])
    found = [(int(first[k]), first[others]) for k, others in zip(dependent, partners)]
    first = np.delete(first, dependent)
    rows = dense(A[later])
    size = np.max(np.abs(rows), axis=1, initial=1e-300)
    shares = np.zeros((len(first), len(later)))
    if len(first):
        columns = independent_columns(scipy.sparse.csc_array(A[first]))
        square = Factors(scipy.sparse.csc_array(A[first][:, columns]))
        shares = square.solve_transposed(np.ascontiguousarray(rows[:, columns].T))
        rows = rows - (A[first].T @ shares).T
    kept: list[int] = []
    for k, row in enumerate(rows):
        part, *_ = np.linalg.lstsq(rows[kept].T, row, rcond=None)
        if np.max(np.abs(row - part @ rows[kept])) > least * size[k]:
            kept.append(k)
            continue
        own = np.abs(shares[:, k] - shares[:, kept] @ part) > SHARE
        found.append((int(later[k]), np.concatenate([first[own], later[kept][np.abs(part) > SHARE]])))
    return [k for k, _ in found], [others for _, others in found]


@allocation_free
def least_singular_value(A, L, relative):
    """A number that the least singular value of A (m, n), m ≤ n, is not below, within a factor of √m: 1/|L⁻¹| in the
    Frobenius norm, where A = L Q by the modified Gram–Schmidt process; 0 if rows depend on one another. With `relative`
    as a part of the largest row. A is overwritten; L (m, m) is scratch."""
    m, n = A.shape
    largest = 0.0
    for k in range(m):
        size = 0.0
        for i in range(n):
            size += A[k, i] * A[k, i]
        largest = max(largest, size)
    by = 1.0 / math.sqrt(largest) if relative and largest > 0.0 else 1.0
    for k in range(m):
        for j in range(k):
            L[k, j] = 0.0
            for i in range(n):
                L[k, j] += A[j, i] * A[k, i]
            for i in range(n):
                A[k, i] -= L[k, j] * A[j, i]
        L[k, k] = 0.0
        for i in range(n):
            L[k, k] += A[k, i] * A[k, i]
        L[k, k] = math.sqrt(L[k, k])
        if not L[k, k] > 0.0:
            return 0.0
        for i in range(n):
            A[k, i] /= L[k, k]
    square = 0.0
    for c in range(m):  # the columns of the inverse, one after the other, in the first row of A
        for k in range(c, m):
            total = 1.0 if k == c else 0.0
            for j in range(c, k):
                total -= L[k, j] * A[0, j]
            A[0, k] = total / L[k, k]
            square += A[0, k] * A[0, k]
    return by / math.sqrt(square) if square > 0.0 else math.inf


def _dependent_in_dense(A: np.ndarray, relative: float = RELATIVE_RANK) -> tuple[list[int], list[np.ndarray]]:
    if _are_independent(A, relative):
        return [], []
    m = A.shape[0]
    least = relative * float(np.linalg.norm(A, axis=1).max(initial=1e-300))
    factors, *_ = scipy.linalg.lapack.dgeqp3(A.T)  # QR with column pivoting; R is the upper triangle
    diagonal = np.abs(factors.diagonal())
    if len(diagonal) == m and np.all(diagonal > least):
        return [], []
    # Of rows that repeat each other, the later ones count as dependent.
    dependent = []
    kept: list[int] = []
    for k in range(m):
        if np.linalg.matrix_rank(A[[*kept, k]], tol=relative * diagonal.max(initial=1.0)) > len(kept):
            kept.append(k)
        else:
            dependent.append(k)
    partners = []
    for k in dependent:
        share, *_ = np.linalg.lstsq(A[kept].T, A[k], rcond=None)
        partners.append(np.array(kept)[np.abs(share) > SHARE])
    return dependent, partners


def _are_independent(A: np.ndarray, relative: float) -> bool:
    """Whether no combination of rows of A, with coefficients whose squares add up to one, is as small as the fraction
    `relative` of the largest row. Then no pivot of a QR factorization is as small either.

    A bound of the least singular value mostly decides; else NumPy gives it, so that a run of independent rows does not
    import SciPy's linear algebra, a tenth of a process in which everything is compiled."""
    m = A.shape[0]
    if m > A.shape[1]:
        return False
    if least_singular_value(np.array(A, dtype=float, order="C"), np.empty((m, m)), True) > SURELY * relative:
        return True
    least = relative * float(np.linalg.norm(A, axis=1).max(initial=1e-300))
    return bool(np.linalg.svd(A, compute_uv=False).min(initial=np.inf) > least)


def _dependent_in_sparse(
    columns: scipy.sparse.csc_array, least: float = RELATIVE_RANK
) -> tuple[list[int], list[np.ndarray]]:
    """As :func:`_dependent_in_dense`, for the columns of a sparse matrix: a column with a vanishing pivot is left out,
    until none vanishes."""
    dependent: list[int] = []
    partners: list[np.ndarray] = []
    left = np.arange(columns.shape[1])
    while len(left):
        part = scipy.sparse.csc_array(columns[:, left])
        status, lu = _pivots(part, least, sparing=True)
        if status == sparse_storage.OK:
            break
        bad = int(lu.state[sparse_storage.COLUMN])
        dependent.append(int(left[bad]))
        rows = part[:, [bad]].indices
        near = np.unique(scipy.sparse.csr_array(part)[rows].indices)
        partners.append(left[near[near != bad]])
        left = np.delete(left, bad)
    return dependent, partners


def _pivots(A: scipy.sparse.csc_array, least: float = 1e-14, sparing: bool = False) -> tuple[int, Factor]:
    """Status and factors of a sparse LU of A (n, m), m ≤ n; a pivot below the fraction `least` of its column counts as
    zero."""
    A.sort_indices()
    n, m = A.shape
    symbolic = analyse(n, m, A.indptr, A.indices, sparing=sparing and n > m)
    return sparse_lu.factorize_growing(sparse_storage.allocate(symbolic, singular_tolerance=least), A.data)
