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
    with a watch on the size of the pivots.  ``factorise`` does the one or the other.
``solve``, ``solve_transposed``, ``refine``
    for each right-hand side.

Everything after ``analyse`` is compiled and free of allocation, and works on a
``Factor``, a named tuple of arrays which compiled code can take as an argument
and pass on::

    symbolic = analyse(n, n, colptr, rowind)
    status, lu = factorise_growing(allocate(symbolic), values)   # may enlarge

    @bare
    def newton_step(lu, values, b, work):
        status = factorise(lu, values)
        if status == OK:
            solve(lu, b, work)
        return status

If compiled code meets ``NO_ROOM`` it returns to Python and continues with
``lu = enlarge(lu)``.

How the numeric part is laid out.  Row indices of L and U are positions in the
pivot order, ascending in each column.  Neighbouring columns of L whose patterns
agree (apart from the triangle between them) are taken up to four at a time: in
a column of U they are a *segment*, and the update with a segment is a dense
triangular solve followed by one pass over the common rows.  The nodes of a
beam and the bodies of a mechanism give such groups by themselves.

Rectangular matrices with more rows than columns are admitted.  The rows
``row_order[:n_cols]`` chosen as pivots are then linearly independent;
``solve_transposed`` gives the solution of A^T x = b which vanishes on all other
rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation import bare, called, inlined
from flexmb.kernels.references import by_reference

OK = 0
SINGULAR = 1
POOR = 1
NO_ROOM = 2

# entries of Factor.state
VALID = 0
COLUMN = 1
NEED_LOWER = 2
NEED_UPPER = 3
LOWER_BLOCKS = 4
UPPER_BLOCKS = 5
FACTORS = 6
REFACTORS = 7

# entries of Factor.control
THRESHOLD = 0
REFACTOR_THRESHOLD = 1
SINGULAR_TOLERANCE = 2
SCALE_ROWS = 3

# Unsigned indices spare the compiled code the test for negative ones.
INDEX = np.uint32


class Symbolic(NamedTuple):
    """Pattern and column order, from ``analyse``."""

    n_rows: int
    n_cols: int
    colptr: np.ndarray
    rowind: np.ndarray
    column_order: np.ndarray  # the column eliminated in each step
    preferred: np.ndarray  # the row preferred as pivot in each step, or -1
    lower_nonzeros: int  # in L without its diagonal, for well-behaved values
    upper_nonzeros: int  # in U without its diagonal
    operations: int  # multiplications in the elimination
    ordering: str  # which of the orderings was taken
    scale_rows: bool


@by_reference
class Factor(NamedTuple):
    """The factors, their bookkeeping and the work space of the elimination."""

    colptr: np.ndarray
    rowind: np.ndarray
    column_order: np.ndarray  # column eliminated in step k
    preferred: np.ndarray
    row_order: np.ndarray  # row at position k; the pivot of step k if k < n_cols
    row_position: np.ndarray  # its inverse
    row_scale: np.ndarray  # factor applied to each row of A
    scatter_row: np.ndarray  # position of the row of each entry of A
    scatter_scale: np.ndarray  # scale of the row of each entry of A
    lower_start: np.ndarray
    lower_row: np.ndarray
    lower_value: np.ndarray
    upper_start: np.ndarray
    upper_row: np.ndarray
    upper_value: np.ndarray
    pivot_inverse: np.ndarray
    segment_start: np.ndarray  # segments of each column of U
    segment_first: np.ndarray
    segment_size: np.ndarray
    lower_block: np.ndarray  # first columns of the groups of columns of L
    upper_block: np.ndarray  # ... of U
    work: np.ndarray  # zero between calls
    mark: np.ndarray
    stack: np.ndarray
    path: np.ndarray
    reach: np.ndarray
    state: np.ndarray
    control: np.ndarray


# --------------------------------------------------------------------------
# factorisation with choice of pivots


@inlined
def _sort(index, value, begin, end):
    """Shell sort of index[begin:end] with the values alongside."""
    gap = 1
    while gap < (end - begin) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for a in range(begin + gap, end):
            i = index[a]
            v = value[a]
            b = a
            while b >= begin + gap and index[b - gap] > i:
                index[b] = index[b - gap]
                value[b] = value[b - gap]
                b -= gap
            index[b] = i
            value[b] = v
        gap //= 3


@inlined
def _abandon(lu, status, column):
    lu.work[:] = 0.0
    lu.state[VALID] = 0
    lu.state[COLUMN] = column
    return status


@called(int)
def factor(lu, values):
    """Choose pivots and factorise.

    Returns OK; SINGULAR, the column (of A) without pivot, or with numbers that
    are not finite, being ``lu.state[COLUMN]``; or NO_ROOM, the room wanted being
    ``lu.state[NEED_LOWER]`` and ``lu.state[NEED_UPPER]``.
    """
    colptr = lu.colptr
    rowind = lu.rowind
    column_order = lu.column_order
    row_order = lu.row_order
    row_position = lu.row_position
    row_scale = lu.row_scale
    lower_start = lu.lower_start
    lower_row = lu.lower_row
    lower_value = lu.lower_value
    upper_start = lu.upper_start
    upper_row = lu.upper_row
    upper_value = lu.upper_value
    x = lu.work
    mark = lu.mark
    reach = lu.reach
    path = lu.path
    stack = lu.stack
    preferred_row = lu.segment_first  # both free until the patterns are known
    preferring = lu.segment_size
    state = lu.state
    m = row_order.size
    n = column_order.size
    none = m
    threshold = lu.control[THRESHOLD]
    singular_tolerance = lu.control[SINGULAR_TOLERANCE]
    state[VALID] = 0
    state[COLUMN] = -1
    state[FACTORS] += 1

    for i in range(m):
        row_position[i] = -1
        mark[i] = 0
        row_scale[i] = 0.0
        x[i] = 0.0
        preferring[i] = none
    if lu.control[SCALE_ROWS] != 0.0:
        for p in range(values.size):
            a = abs(values[p])
            if a > row_scale[rowind[p]]:
                row_scale[rowind[p]] = a
    for i in range(m):
        row_scale[i] = 1.0 / row_scale[i] if row_scale[i] > 0.0 else 1.0
    for k in range(n):
        if lu.preferred[k] >= 0:
            preferred_row[k] = lu.preferred[k]
            preferring[lu.preferred[k]] = k
        else:
            preferred_row[k] = none

    n_lower = 0
    n_upper = 0
    for k in range(n):
        column = column_order[k]
        lower_start[k] = n_lower
        upper_start[k] = n_upper

        # pattern of the column: depth-first search from each of its rows; the pivotal
        # rows go to reach[top:] in topological order, the others to reach[:count]
        top = m
        count = 0
        for q in range(colptr[column], colptr[column + 1]):
            i = rowind[q]
            if mark[i] == k + 1:
                continue
            mark[i] = k + 1
            j = row_position[i]
            if j < 0:
                reach[count] = i
                count += 1
                continue
            depth = 0
            p = np.int64(lower_start[j])
            end = np.int64(lower_start[j + 1])
            while True:
                if p < end:
                    h = np.int64(lower_row[p])
                    p += 1
                    if mark[h] != k + 1:
                        mark[h] = k + 1
                        j = row_position[h]
                        if j < 0:
                            reach[count] = h
                            count += 1
                        else:
                            stack[depth] = i
                            path[depth] = p
                            depth += 1
                            i = h
                            p = np.int64(lower_start[j])
                            end = np.int64(lower_start[j + 1])
                else:
                    top -= 1
                    reach[top] = i
                    if depth == 0:
                        break
                    depth -= 1
                    i = stack[depth]
                    p = path[depth]
                    end = np.int64(lower_start[row_position[i] + 1])
        if n_lower + count > lower_row.size or n_upper + (m - top) > upper_row.size:
            part = (n + 1.0) / (k + 1.0)
            state[NEED_LOWER] = max(np.int64(1.1 * (n_lower + count) * part), lower_row.size)
            state[NEED_UPPER] = max(np.int64(1.1 * (n_upper + m - top) * part), upper_row.size)
            return _abandon(lu, NO_ROOM, column)

        # values of the column
        size = 0.0
        for p in range(colptr[column], colptr[column + 1]):
            i = rowind[p]
            x[i] = values[p] * row_scale[i]
            size = max(size, abs(x[i]))
        for t in range(top, m):
            i = reach[t]
            j = row_position[i]
            xj = x[i]
            x[i] = 0.0
            size = max(size, abs(xj))
            upper_row[n_upper] = j
            upper_value[n_upper] = xj
            n_upper += 1
            for p in range(lower_start[j], lower_start[j + 1]):
                x[lower_row[p]] -= lower_value[p] * xj

        # pivot
        best = -1
        largest = 0.0
        finite = size < np.inf
        for t in range(count):
            a = abs(x[reach[t]])
            finite &= a < np.inf
            if a > largest:
                largest = a
                best = reach[t]
        if not (finite and largest > singular_tolerance * size):
            return _abandon(lu, SINGULAR, column)
        wanted = np.int64(preferred_row[k])
        if wanted != none:
            if mark[wanted] == k + 1 and abs(x[wanted]) >= threshold * largest:
                best = wanted
            elif best != wanted:
                # the wanted row is free to serve the column which loses its own
                other = np.int64(preferring[best])
                if other != none:
                    preferred_row[other] = wanted
                preferring[wanted] = other
        pivot = x[best]
        x[best] = 0.0
        row_position[best] = k
        row_order[k] = best
        inverse = 1.0 / pivot
        lu.pivot_inverse[k] = inverse
        for t in range(count):
            i = reach[t]
            if i != best:
                lower_row[n_lower] = i
                lower_value[n_lower] = x[i] * inverse
                x[i] = 0.0
                n_lower += 1
        lower_start[k + 1] = n_lower
    upper_start[n] = n_upper

    # rows without pivot go last
    k = n
    for i in range(m):
        if row_position[i] < 0:
            row_position[i] = k
            row_order[k] = i
            k += 1
    for p in range(n_lower):
        lower_row[p] = row_position[lower_row[p]]
    for k in range(n):
        _sort(lower_row, lower_value, lower_start[k], lower_start[k + 1])
        _sort(upper_row, upper_value, upper_start[k], upper_start[k + 1])
    for p in range(rowind.size):
        lu.scatter_row[p] = row_position[rowind[p]]
        lu.scatter_scale[p] = row_scale[rowind[p]]
    _group(lu)
    state[VALID] = 1
    return OK


@inlined
def _group(lu):
    """Find the groups of like columns of L and U and the segments of U."""
    lower_start = lu.lower_start
    lower_row = lu.lower_row
    upper_start = lu.upper_start
    upper_row = lu.upper_row
    n = lu.column_order.size
    like = lu.mark  # like[k]: column k of L continues the pattern of column k - 1

    like[0] = 0
    count = 0
    for k in range(n):
        joined = False
        if k > 0:
            a = np.int64(lower_start[k - 1])
            b = np.int64(lower_start[k])
            c = np.int64(lower_start[k + 1])
            if b - a == c - b + 1 and lower_row[a] == k:
                joined = True
                for t in range(c - b):
                    if lower_row[a + 1 + t] != lower_row[b + t]:
                        joined = False
                        break
        like[k] = 1 if joined else 0
        if not (joined and k - np.int64(lu.lower_block[count - 1]) < 4):
            lu.lower_block[count] = k
            count += 1
    lu.lower_block[count] = n
    lu.state[LOWER_BLOCKS] = count

    count = 0
    for k in range(n):
        joined = False
        if k > 0:
            a = np.int64(upper_start[k - 1])
            b = np.int64(upper_start[k])
            c = np.int64(upper_start[k + 1])
            if c - b == b - a + 1 and upper_row[c - 1] == k - 1:
                joined = True
                for t in range(b - a):
                    if upper_row[a + t] != upper_row[b + t]:
                        joined = False
                        break
        if not (joined and k - np.int64(lu.upper_block[count - 1]) < 4):
            lu.upper_block[count] = k
            count += 1
    lu.upper_block[count] = n
    lu.state[UPPER_BLOCKS] = count

    count = 0
    for k in range(n):
        lu.segment_start[k] = count
        p = np.int64(upper_start[k])
        end = np.int64(upper_start[k + 1])
        while p < end:
            j = np.int64(upper_row[p])
            size = 1
            while size < 4 and p + size < end and upper_row[p + size] == j + size and like[j + size] == 1:
                size += 1
            lu.segment_first[count] = j
            lu.segment_size[count] = size
            count += 1
            p += size
    lu.segment_start[n] = count


# --------------------------------------------------------------------------
# factorisation with given pivots


@called(int)
def refactor(lu, values):
    """Factorise new values with the pivots and the scaling of the last ``factor``.

    Returns OK, or POOR if a pivot has become too small beside the other entries
    of its column (or is not a number); ``lu`` is then void until ``factor``.
    """
    colptr = lu.colptr
    column_order = lu.column_order
    scatter_row = lu.scatter_row
    scatter_scale = lu.scatter_scale
    lower_start = lu.lower_start
    lower_row = lu.lower_row
    lower_value = lu.lower_value
    upper_start = lu.upper_start
    upper_value = lu.upper_value
    segment_start = lu.segment_start
    segment_first = lu.segment_first
    segment_size = lu.segment_size
    pivot_inverse = lu.pivot_inverse
    x = lu.work
    bound = 1.0 / lu.control[REFACTOR_THRESHOLD]
    lu.state[REFACTORS] += 1

    for k in range(column_order.size):
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
        limit = bound * abs(pivot)
        good = limit > 0.0 and limit < np.inf
        inverse = 1.0 / pivot
        pivot_inverse[k] = inverse
        for p in range(lower_start[k], lower_start[k + 1]):
            i = lower_row[p]
            xi = x[i]
            x[i] = 0.0
            lower_value[p] = xi * inverse
            good &= abs(xi) <= limit
        if not good:
            return _abandon(lu, POOR, column)
    return OK


@called(int)
def factorise(lu, values):
    """Refactor if there are pivots and they are still good, else factor."""
    if lu.state[VALID] == 1 and refactor(lu, values) == OK:
        return OK
    return factor(lu, values)


# --------------------------------------------------------------------------
# solution


@inlined
def _solve_lower(lu, w):
    start = lu.lower_start
    row = lu.lower_row
    value = lu.lower_value
    block = lu.lower_block
    for s in range(lu.state[LOWER_BLOCKS]):
        j = np.int64(block[s])
        size = np.int64(block[s + 1]) - j
        if size == 4:
            a = np.int64(start[j])
            b = np.int64(start[j + 1])
            c = np.int64(start[j + 2])
            d = np.int64(start[j + 3])
            x0 = w[j]
            x1 = w[j + 1] - value[a] * x0
            x2 = w[j + 2] - value[a + 1] * x0 - value[b] * x1
            x3 = w[j + 3] - value[a + 2] * x0 - value[b + 1] * x1 - value[c] * x2
            w[j + 1] = x1
            w[j + 2] = x2
            w[j + 3] = x3
            for t in range(np.int64(start[j + 4]) - d):
                w[row[d + t]] -= (
                    value[a + 3 + t] * x0 + value[b + 2 + t] * x1 + value[c + 1 + t] * x2 + value[d + t] * x3
                )
        else:
            for k in range(j, j + size):
                xk = w[k]
                for p in range(start[k], start[k + 1]):
                    w[row[p]] -= value[p] * xk


@inlined
def _solve_upper(lu, w):
    start = lu.upper_start
    row = lu.upper_row
    value = lu.upper_value
    inverse = lu.pivot_inverse
    block = lu.upper_block
    for s in range(lu.state[UPPER_BLOCKS] - 1, -1, -1):
        j = np.int64(block[s])
        size = np.int64(block[s + 1]) - j
        if size == 4:
            a = np.int64(start[j])
            b = np.int64(start[j + 1])
            c = np.int64(start[j + 2])
            d = np.int64(start[j + 3])
            rows = b - a
            x3 = w[j + 3] * inverse[j + 3]
            x2 = (w[j + 2] - value[d + rows + 2] * x3) * inverse[j + 2]
            x1 = (w[j + 1] - value[d + rows + 1] * x3 - value[c + rows + 1] * x2) * inverse[j + 1]
            x0 = (w[j] - value[d + rows] * x3 - value[c + rows] * x2 - value[b + rows] * x1) * inverse[j]
            w[j] = x0
            w[j + 1] = x1
            w[j + 2] = x2
            w[j + 3] = x3
            for t in range(rows):
                w[row[a + t]] -= value[a + t] * x0 + value[b + t] * x1 + value[c + t] * x2 + value[d + t] * x3
        else:
            for k in range(j + size - 1, j - 1, -1):
                xk = w[k] * inverse[k]
                w[k] = xk
                for p in range(start[k], start[k + 1]):
                    w[row[p]] -= value[p] * xk


@called(None)
def solve(lu, b, work):
    """Solve A x = b in place; ``work`` has at least n_rows entries."""
    row_order = lu.row_order
    row_scale = lu.row_scale
    column_order = lu.column_order
    for k in range(row_order.size):
        i = row_order[k]
        work[k] = b[i] * row_scale[i]
    _solve_lower(lu, work)
    _solve_upper(lu, work)
    for k in range(column_order.size):
        b[column_order[k]] = work[k]


@bare
def solve_transposed(lu, b, work):
    """Solve A^T x = b in place; ``work`` has at least n_rows entries.

    If A has more rows than columns, ``b`` has n_rows entries, the first n_cols of
    which are the right-hand side, and x vanishes on the rows without pivot.
    """
    row_order = lu.row_order
    row_scale = lu.row_scale
    column_order = lu.column_order
    n = column_order.size
    for k in range(n):
        xk = b[column_order[k]]
        for p in range(lu.upper_start[k], lu.upper_start[k + 1]):
            xk -= lu.upper_value[p] * work[lu.upper_row[p]]
        work[k] = xk * lu.pivot_inverse[k]
    for k in range(n, row_order.size):
        work[k] = 0.0
    for k in range(n - 1, -1, -1):
        xk = work[k]
        for p in range(lu.lower_start[k], lu.lower_start[k + 1]):
            xk -= lu.lower_value[p] * work[lu.lower_row[p]]
        work[k] = xk
    for k in range(row_order.size):
        i = row_order[k]
        b[i] = work[k] * row_scale[i]


@bare
def refine(lu, values, b, x, residual, work):
    """One step of iterative refinement of the solution x of A x = b.

    ``values`` are those which ``lu`` was made from (or near to them).  Returns
    the largest change of an entry of x.
    """
    colptr = lu.colptr
    rowind = lu.rowind
    n = x.size
    for i in range(n):
        residual[i] = b[i]
    for j in range(n):
        xj = x[j]
        for p in range(colptr[j], colptr[j + 1]):
            residual[rowind[p]] -= values[p] * xj
    solve(lu, residual, work)
    change = 0.0
    for i in range(n):
        x[i] += residual[i]
        change = max(change, abs(residual[i]))
    return change


@bare
def rcond_estimate(lu):
    """Smallest over largest pivot of the scaled matrix: a cheap sign of trouble."""
    smallest = np.inf
    largest = 0.0
    for k in range(lu.pivot_inverse.size):
        a = abs(lu.pivot_inverse[k])
        smallest = min(smallest, a)
        largest = max(largest, a)
    return smallest / largest if largest > 0.0 else 0.0


# --------------------------------------------------------------------------
# set-up


def allocate(
    symbolic: Symbolic,
    threshold: float = 0.1,
    refactor_threshold: float = 1e-3,
    singular_tolerance: float = 1e-14,
    room: float = 2.0,
) -> Factor:
    """Arrays for the factors, with ``room`` times the space expected.

    threshold: a preferred pivot is taken if it reaches this part of the largest
    entry of its column.  refactor_threshold: the same for pivots kept by
    ``refactor``.  singular_tolerance: a pivot below this part of the largest
    number met in its column is a zero.
    """
    m, n = symbolic.n_rows, symbolic.n_cols
    lower = int(room * symbolic.lower_nonzeros) + m + 1
    upper = int(room * symbolic.upper_nonzeros) + m + 1
    nonzeros = symbolic.rowind.size
    lu = Factor(
        colptr=symbolic.colptr,
        rowind=symbolic.rowind,
        column_order=symbolic.column_order,
        preferred=symbolic.preferred,
        row_order=np.zeros(m, np.int64),
        row_position=np.zeros(m, np.int64),
        row_scale=np.ones(m),
        scatter_row=np.zeros(nonzeros, INDEX),
        scatter_scale=np.ones(nonzeros),
        lower_start=np.zeros(n + 1, INDEX),
        lower_row=np.zeros(lower, INDEX),
        lower_value=np.zeros(lower),
        upper_start=np.zeros(n + 1, INDEX),
        upper_row=np.zeros(upper, INDEX),
        upper_value=np.zeros(upper),
        pivot_inverse=np.ones(n),
        segment_start=np.zeros(n + 1, INDEX),
        segment_first=np.zeros(upper, INDEX),
        segment_size=np.zeros(upper, INDEX),
        lower_block=np.zeros(n + 1, INDEX),
        upper_block=np.zeros(n + 1, INDEX),
        work=np.zeros(m),
        mark=np.zeros(m + 1, np.int64),
        stack=np.zeros(m, np.int64),
        path=np.zeros(m, np.int64),
        reach=np.zeros(m, np.int64),
        state=np.zeros(8, np.int64),
        control=np.zeros(4),
    )
    lu.control[THRESHOLD] = threshold
    lu.control[REFACTOR_THRESHOLD] = refactor_threshold
    lu.control[SINGULAR_TOLERANCE] = singular_tolerance
    lu.control[SCALE_ROWS] = 1.0 if symbolic.scale_rows else 0.0
    lu.state[COLUMN] = -1
    return lu


def enlarge(lu: Factor) -> Factor:
    """A copy of ``lu``, without factors, with the room asked for by ``factor``."""
    lower = max(int(lu.state[NEED_LOWER]), lu.lower_row.size) + 16
    upper = max(int(lu.state[NEED_UPPER]), lu.upper_row.size) + 16
    state = lu.state.copy()
    state[VALID] = 0
    return lu._replace(
        lower_row=np.zeros(lower, INDEX),
        lower_value=np.zeros(lower),
        upper_row=np.zeros(upper, INDEX),
        upper_value=np.zeros(upper),
        segment_first=np.zeros(upper, INDEX),
        segment_size=np.zeros(upper, INDEX),
        state=state,
    )


def factorise_growing(lu: Factor, values: np.ndarray) -> tuple[int, Factor]:
    """Factorise, enlarging as often as necessary; returns the status and the factor."""
    status = factorise(lu, values)
    while status == NO_ROOM:
        lu = enlarge(lu)
        status = factor(lu, values)
    return status, lu
