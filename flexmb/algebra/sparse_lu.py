"""Sparse LU for the Newton matrices of mechanisms: fixed pattern, changing values.

The matrix is given by compressed columns (``colptr``, ``rowind``, ``values``).
With the row scaling R, the row order P and the column order Q,

    P R A Q = L U,

L with unit diagonal.  The work is split by how often it is done:

``analyse``
    once per pattern, in Python: the column order Q (:mod:`flexmb.algebra.sparse_order`).
``factor``
    when the pivots have to be chosen anew: left-looking elimination after
    Gilbert and Peierls (1988), with depth-first reach and threshold partial
    pivoting that prefers the diagonal.
``refactor``
    whenever only values have changed: the same pattern, scaling and pivots,
    with a check of the size of the pivots.  ``factorize`` does the one or the other.
    The columns eliminated before the first one with other values stay as they are:
    a mass matrix may be constant but for the rows of joints, which come last.
``solve``
    for each right-hand side.

Everything after ``analyse`` is compiled and free of allocation, and works on a
``Factor``, a named tuple of arrays which compiled code can take as an argument
and pass on::

    symbolic = analyse(n, n, colptr, rowind)
    status, lu = factorize_growing(allocate(symbolic), values)   # may enlarge

    @allocation_free
    def newton_step(lu, values, b, work):
        status = factorize(lu, values)
        if status == OK:
            solve(lu, b, work)
        return status

If compiled code meets ``NO_ROOM`` it returns to Python and continues with
``lu = enlarge(lu)``.

How the numeric part is laid out.  Row indices of L and U are positions in the
pivot order, ascending in each column.  Neighboring columns of L whose patterns
agree (apart from the triangle between them) are taken up to four at a time: in
a column of U they are a *segment*, and the update with a segment is a dense
triangular solve followed by one pass over the common rows.  The nodes of a
beam and the bodies of a mechanism give such groups by themselves.

Rectangular matrices with more rows than columns are admitted.  The rows
``rows.order[:n_cols]`` chosen as pivots are then linearly independent.
"""

from __future__ import annotations

import numpy as np

from flexmb.algebra.sparse_factor import factor, give_up
from flexmb.algebra.sparse_storage import NO_ROOM, OK, POOR, REFACTOR_THRESHOLD, REFACTORS, VALID, Factor, enlarge
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.views import vector_view


@inlined
def _first_changed(pattern, known, values):
    """The first elimination step whose column differs in value from the matrix with the values `known`."""
    colptr = pattern.colptr
    column_order = pattern.column_order
    n = column_order.size
    for k in range(n):
        column = column_order[k]
        begin = colptr[column]
        count = colptr[column + 1] - begin
        now, before = vector_view(values, begin, count), vector_view(known, begin, count)
        changed = 0
        for t in range(count):
            changed += now[t] != before[t]
        if changed > 0:
            return k
    return n


@inlined
def _size(z):
    """The size of a number: |z| if it is real; up to √2 |z| if it is complex, since the root would take as long as all
    other work on it."""
    return abs(z.real) + abs(z.imag)


@called(int)
def refactor(lu, values):
    """Factorize new values with the pivots and the scaling of the last ``factor``.

    Returns OK, or POOR if a pivot has become too small compared with the other entries of its column (or is not a
    number); ``lu`` is then void until ``factor``.
    """
    colptr = lu.pattern.colptr
    column_order = lu.pattern.column_order
    scatter_row = lu.rows.scatter
    scatter_scale = lu.rows.scatter_scale
    lower_start = lu.lower.start
    lower_row = lu.lower.row
    lower_value = lu.lower.value
    upper_start = lu.upper.start
    upper_value = lu.upper.value
    segment_start = lu.segments.start
    segment_first = lu.segments.first
    segment_size = lu.segments.size
    pivot_inverse = lu.pivot_inverse
    x = lu.work
    bound = 1.0 / lu.control[REFACTOR_THRESHOLD]
    lu.state[REFACTORS] += 1

    first = _first_changed(lu.pattern, lu.known, values)
    known = lu.known
    for p in range(values.size):
        known[p] = values[p]
    for k in range(first, column_order.size):
        column = column_order[k]
        for p in range(colptr[column], colptr[column + 1]):
            x[scatter_row[p]] = values[p] * scatter_scale[p]

        u = np.int64(upper_start[k])
        for s in range(segment_start[k], segment_start[k + 1]):
            j = np.int64(segment_first[s])
            size = np.int64(segment_size[s])
            if size == 4:
                a = np.int64(lower_start[j])
                b = np.int64(lower_start[j + 1])
                c = np.int64(lower_start[j + 2])
                d = np.int64(lower_start[j + 3])
                rows = np.int64(lower_start[j + 4]) - d
                x0 = x[j]
                x1 = x[j + 1] - lower_value[a] * x0
                x2 = x[j + 2] - lower_value[a + 1] * x0 - lower_value[b] * x1
                x3 = x[j + 3] - lower_value[a + 2] * x0 - lower_value[b + 1] * x1 - lower_value[c] * x2
                x[j] = 0.0
                x[j + 1] = 0.0
                x[j + 2] = 0.0
                x[j + 3] = 0.0
                upper_value[u] = x0
                upper_value[u + 1] = x1
                upper_value[u + 2] = x2
                upper_value[u + 3] = x3
                for t in range(rows):
                    x[lower_row[d + t]] -= (
                        lower_value[a + 3 + t] * x0
                        + lower_value[b + 2 + t] * x1
                        + lower_value[c + 1 + t] * x2
                        + lower_value[d + t] * x3
                    )
            elif size == 1:
                a = np.int64(lower_start[j])
                rows = np.int64(lower_start[j + 1]) - a
                x0 = x[j]
                x[j] = 0.0
                upper_value[u] = x0
                for t in range(rows):
                    x[lower_row[a + t]] -= lower_value[a + t] * x0
            elif size == 2:
                a = np.int64(lower_start[j])
                b = np.int64(lower_start[j + 1])
                rows = np.int64(lower_start[j + 2]) - b
                x0 = x[j]
                x1 = x[j + 1] - lower_value[a] * x0
                x[j] = 0.0
                x[j + 1] = 0.0
                upper_value[u] = x0
                upper_value[u + 1] = x1
                for t in range(rows):
                    x[lower_row[b + t]] -= lower_value[a + 1 + t] * x0 + lower_value[b + t] * x1
            else:
                a = np.int64(lower_start[j])
                b = np.int64(lower_start[j + 1])
                c = np.int64(lower_start[j + 2])
                rows = np.int64(lower_start[j + 3]) - c
                x0 = x[j]
                x1 = x[j + 1] - lower_value[a] * x0
                x2 = x[j + 2] - lower_value[a + 1] * x0 - lower_value[b] * x1
                x[j] = 0.0
                x[j + 1] = 0.0
                x[j + 2] = 0.0
                upper_value[u] = x0
                upper_value[u + 1] = x1
                upper_value[u + 2] = x2
                for t in range(rows):
                    x[lower_row[c + t]] -= (
                        lower_value[a + 2 + t] * x0 + lower_value[b + 1 + t] * x1 + lower_value[c + t] * x2
                    )
            u += size

        pivot = x[k]
        x[k] = 0.0
        limit = bound * _size(pivot)
        good = limit > 0.0 and limit < np.inf
        inverse = 1.0 / pivot if good else pivot  # a complex number divided by zero is an error
        pivot_inverse[k] = inverse
        for p in range(lower_start[k], lower_start[k + 1]):
            i = lower_row[p]
            xi = x[i]
            x[i] = 0.0
            lower_value[p] = xi * inverse
            good &= _size(xi) <= limit
        if not good:
            return give_up(lu, POOR, column)
    return OK


@called(int)
def factorize(lu, values):
    """Refactor if there are pivots and they are still good, otherwise factor."""
    if lu.state[VALID] == 1 and refactor(lu, values) == OK:
        return OK
    return factor(lu, values)


def factorize_growing(lu: Factor, values: np.ndarray) -> tuple[int, Factor]:
    """Factorize, enlarging as often as necessary; returns the status and the factor."""
    status = factorize(lu, values)
    while status == NO_ROOM:
        lu = enlarge(lu)
        status = factor(lu, values)
    return status, lu
