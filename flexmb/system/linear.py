"""The linear solver of a system: dense for small systems; sparse, with the symbolic work done once, for large ones."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from flexmb.algebra import dense_lu, sparse_lu, sparse_solve, sparse_storage
from flexmb.algebra.sparse_order import analyse
from flexmb.algebra.sparse_storage import Factor, Symbolic
from flexmb.kernels.compilation import allocation_free, called
from flexmb.kernels.references import by_reference
from flexmb.kernels.views import matrix_view
from flexmb.system.near import lacks
from flexmb.system.plan import Compressed, Plan

OK, SINGULAR, NO_ROOM = sparse_storage.OK, sparse_storage.SINGULAR, sparse_storage.NO_ROOM

#: Sparse factors of up to SMALL unknowns are made as accurate as dense ones: a pivot is at least PIVOT times the
#: largest entry of its column when it is chosen, and LATER_PIVOT times with later values. In larger systems sparsity,
#: and pivots that can be kept for many factorizations, matter more than the last digits.
SMALL, PIVOT, LATER_PIVOT = 48, 0.5, 0.1
#: a pivot below this fraction of the largest one counts as zero
SINGULAR_RATIO = 1e-15


@by_reference
class Linear(NamedTuple):
    """Values of the matrix, and its factors: a dense matrix is factorized in place, a sparse one in `sparse`."""

    values: np.ndarray
    pivots: np.ndarray
    sparse: Factor
    work: np.ndarray


def linear_for(plan: Plan, pattern: Compressed | None, kind: type = float) -> Linear:
    """The linear solver of a plan; `pattern` is that of a large matrix, None for a dense one; `kind`: float or
    complex."""
    return linear_of(plan.size, pattern, kind)


def linear_of(size: int, pattern: Compressed | None, kind: type = float, small: bool | None = None) -> Linear:
    """The linear solver for `size` unknowns; sparse factors are as accurate as dense ones if `small`, which follows
    from `size` if not given."""
    if pattern is None:
        count, factor = size * size, _unused_factor(kind)
    else:
        exact = size <= SMALL if small is None else small
        thresholds = {"threshold": PIVOT, "refactor_threshold": LATER_PIVOT} if exact else {}
        count, factor = pattern.nnz, sparse_storage.allocate(analyzed(pattern), kind=kind, **thresholds)
    return Linear(np.zeros(count, kind), np.zeros(size, dtype=np.int64), factor, np.zeros(max(size, 1), kind))


def analyzed(pattern: Compressed) -> Symbolic:
    """The elimination order of a pattern."""
    return _analyzed(len(pattern.indptr) - 1, pattern.indptr.tobytes(), pattern.indices.tobytes())


@lru_cache(maxsize=8)
def _analyzed(size: int, columns: bytes, rows: bytes) -> Symbolic:
    """The elimination order of a pattern, given as bytes of 64-bit integers; cached, since the real and complex factors
    of a run share it, and so do the runs of a study."""
    return analyse(size, size, np.frombuffer(columns, dtype=np.int64), np.frombuffer(rows, dtype=np.int64))


@lru_cache(maxsize=2)
def _unused_factor(kind: type) -> Factor:
    """Empty sparse factors for a dense system, so that compiled code has one type for both: those of one number, which
    needs no analysis."""
    zero = np.zeros(1, dtype=np.int64)
    one = Symbolic(1, 1, np.arange(2), zero, zero, zero, 0, 0, 0, "natural", True)
    return sparse_storage.allocate(one, kind=kind)


def enlarged(linear: Linear) -> Linear:
    """The linear solver with more room for its sparse factors, after NO_ROOM."""
    return linear._replace(sparse=sparse_storage.enlarge(linear.sparse))


@called(int)
def factorize(plan, linear):
    """Factorize the values; returns OK, SINGULAR or NO_ROOM, the last also if the matrix lacks entries for a pair that
    touches."""
    if lacks(plan.near):
        return NO_ROOM
    if plan.dense == 1:
        size = linear.pivots.shape[0]
        ratio = dense_lu.factor(matrix_view(linear.values, 0, size, size), size, linear.pivots)
        return OK if ratio > SINGULAR_RATIO else SINGULAR
    return sparse_lu.factorize(linear.sparse, linear.values)


@called(None)
def solve(plan, linear, b):
    """Solve in place for b (size,)."""
    if plan.dense == 1:
        size = linear.pivots.shape[0]
        dense_lu.solve(matrix_view(linear.values, 0, size, size), size, linear.pivots, b)
    else:
        sparse_solve.solve(linear.sparse, b, linear.work)


@called(None)
def solve_both(plan, one, b, other, c):
    """Solve two systems of the same plan in place, b and c (size,)."""
    if plan.dense == 1:
        solve(plan, one, b)
        solve(plan, other, c)
    else:
        sparse_solve.solve_both(one.sparse, b, one.work, other.sparse, c, other.work)


@called(None)
def add_product(plan, values, colptr, rowind, factor, x, y):
    """y (n,) += factor A x with the upper left block A (n, n) of the matrix; `colptr` and `rowind` are its pattern if
    it is sparse."""
    n = plan.n
    if plan.dense == 1:
        for i in range(n):
            total = 0.0
            for j in range(n):
                total += values[i * plan.size + j] * x[j]
            y[i] += factor * total
        return
    for j in range(n):
        if x[j] != 0.0:
            for p in range(colptr[j], colptr[j + 1]):
                if rowind[p] < n:
                    y[rowind[p]] += factor * (values[p] * x[j])


def diagonal(plan: Plan, pattern: Compressed | None, values: np.ndarray) -> np.ndarray:
    """The first n entries on the diagonal of the matrix with these values."""
    if pattern is None:
        step = plan.size + 1
        return values[: step * plan.n : step]
    out = np.empty(plan.n)
    _put_diagonal(*pattern, values, out)
    return out


@allocation_free
def _put_diagonal(colptr, rowind, values, out):
    """out (n,) = the first entries on the diagonal of a sparse matrix; zero where the pattern has none."""
    for j in range(out.shape[0]):
        out[j] = 0.0
        for p in range(colptr[j], colptr[j + 1]):
            if rowind[p] == j:
                out[j] = values[p]


@allocation_free
def put_scaled_rows(colptr, rowind, values, scale, row_scale, out):
    """out (m, n), zero on entry, = the first n columns of the rows from n on of a sparse matrix, in units of the scales
    (n,) of columns and (m,) of rows."""
    n = out.shape[1]
    for j in range(n):
        for p in range(colptr[j], colptr[j + 1]):
            if rowind[p] >= n:
                out[rowind[p] - n, j] = values[p] * (scale[j] / row_scale[rowind[p] - n])


@called(float)
def determinant_sign(plan, linear):
    """The sign of the determinant of a factorized real matrix: 1 or −1."""
    sign = 1.0
    if plan.dense == 1:
        A = matrix_view(linear.values, 0, plan.size, plan.size)
        for k in range(plan.size):
            if (A[k, k] < 0.0) != (linear.pivots[k] != k):
                sign = -sign
        return sign
    lu = linear.sparse
    for k in range(plan.size):
        if lu.pivot_inverse[k] < 0.0:
            sign = -sign
    return sign * _parity(lu.rows.order, linear.pivots) * _parity(lu.pattern.column_order, linear.pivots)


@called(float)
def _parity(order, seen):
    """1 for an even permutation, −1 for an odd one; `seen` is scratch."""
    n, sign = seen.shape[0], 1.0
    for k in range(n):
        seen[k] = 0
    for k in range(n):
        if seen[k] == 1:
            continue
        place, length = k, 0
        while seen[place] == 0:
            seen[place] = 1
            place = order[place]
            length += 1
        if length % 2 == 0:
            sign = -sign
    return sign
