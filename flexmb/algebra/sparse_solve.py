"""Solutions with the sparse factors of :mod:`flexmb.algebra.sparse_lu`: for one right-hand side, or for two systems at
once.

The time is spent waiting: a group of columns needs the unknowns of the group before. So in each sum the unknown that is
found last is added last, and pivots are multiplied with what is known before; the error stays one in the last digit of
each entry of U.
"""

from __future__ import annotations

import numpy as np

from flexmb.algebra.sparse_storage import LOWER_BLOCKS, UPPER_BLOCKS
from flexmb.kernels.compilation import allocation_free, called, inlined
from flexmb.kernels.fours import subtract_columns


@inlined
def _group_of_lower(lower, s, w):
    """Solve for the unknowns of a group of columns of L, and subtract their contribution from the other rows; four
    neighboring rows are processed at a time."""
    start = lower.start
    row = lower.row
    value = lower.value
    j = np.int64(lower.block[s])
    size = np.int64(lower.block[s + 1]) - j
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
        rows = np.int64(start[j + 4]) - d
        first = np.int64(0)
        while first + 4 <= rows and row[d + first + 3] == row[d + first] + 3:
            subtract_columns(
                w, np.int64(row[d + first]), value, (a + 3 + first, b + 2 + first, c + 1 + first, d + first),
                (x0, x1, x2, x3),
            )  # fmt: skip
            first += 4
        for t in range(first, rows):
            y = w[row[d + t]] - value[a + 3 + t] * x0 - value[b + 2 + t] * x1 - value[c + 1 + t] * x2
            w[row[d + t]] = y - value[d + t] * x3
    else:
        for k in range(j, j + size):
            xk = w[k]
            for p in range(start[k], start[k + 1]):
                w[row[p]] -= value[p] * xk


@inlined
def _group_of_upper(upper, inverse, s, w):
    """As :func:`_group_of_lower`, for a group of columns of U."""
    start = upper.start
    row = upper.row
    value = upper.value
    j = np.int64(upper.block[s])
    size = np.int64(upper.block[s + 1]) - j
    if size == 4:
        a = np.int64(start[j])
        b = np.int64(start[j + 1])
        c = np.int64(start[j + 2])
        d = np.int64(start[j + 3])
        rows = b - a
        i0, i1, i2 = inverse[j], inverse[j + 1], inverse[j + 2]
        x3 = w[j + 3] * inverse[j + 3]
        x2 = w[j + 2] * i2 - (value[d + rows + 2] * i2) * x3
        x1 = w[j + 1] * i1 - (value[d + rows + 1] * i1) * x3 - (value[c + rows + 1] * i1) * x2
        x0 = w[j] * i0 - (value[d + rows] * i0) * x3 - (value[c + rows] * i0) * x2 - (value[b + rows] * i0) * x1
        w[j] = x0
        w[j + 1] = x1
        w[j + 2] = x2
        w[j + 3] = x3
        first = np.int64(0)
        while first + 4 <= rows and row[a + first + 3] == row[a + first] + 3:
            subtract_columns(
                w, np.int64(row[a + first]), value, (d + first, c + first, b + first, a + first), (x3, x2, x1, x0)
            )
            first += 4
        for t in range(first, rows):
            y = w[row[a + t]] - value[d + t] * x3 - value[c + t] * x2 - value[b + t] * x1
            w[row[a + t]] = y - value[a + t] * x0
    else:
        for k in range(j + size - 1, j - 1, -1):
            xk = w[k] * inverse[k]
            w[k] = xk
            for p in range(start[k], start[k + 1]):
                w[row[p]] -= value[p] * xk


@inlined
def _put_rows(rows, b, work):
    for k in range(rows.order.size):
        i = rows.order[k]
        work[k] = b[i] * rows.scale[i]


@inlined
def _put_columns(pattern, work, b):
    for k in range(pattern.column_order.size):
        b[pattern.column_order[k]] = work[k]


@called(None)
def solve(lu, b, work):
    """Solve A x = b in place; ``work`` has at least n_rows entries."""
    _put_rows(lu.rows, b, work)
    zeros = 0  # number of leading zeros of b in elimination order; errors of joints alone have many
    while zeros < lu.rows.order.size and work[zeros] == 0.0:
        zeros += 1
    for s in range(lu.state[LOWER_BLOCKS]):
        if lu.lower.block[s + 1] > zeros:
            _group_of_lower(lu.lower, s, work)
    for s in range(lu.state[UPPER_BLOCKS] - 1, -1, -1):
        _group_of_upper(lu.upper, lu.pivot_inverse, s, work)
    _put_columns(lu.pattern, work, b)


@called(None)
def solve_both(lu, b, work, lu2, b2, work2):
    """Solve two systems at once, in less time than one after the other: while a group of columns of one waits for the
    group before, the other proceeds."""
    _put_rows(lu.rows, b, work)
    _put_rows(lu2.rows, b2, work2)
    count, count2 = lu.state[LOWER_BLOCKS], lu2.state[LOWER_BLOCKS]
    for s in range(max(count, count2)):
        if s < count:
            _group_of_lower(lu.lower, s, work)
        if s < count2:
            _group_of_lower(lu2.lower, s, work2)
    count, count2 = lu.state[UPPER_BLOCKS], lu2.state[UPPER_BLOCKS]
    for s in range(1, max(count, count2) + 1):
        if s <= count:
            _group_of_upper(lu.upper, lu.pivot_inverse, count - s, work)
        if s <= count2:
            _group_of_upper(lu2.upper, lu2.pivot_inverse, count2 - s, work2)
    _put_columns(lu.pattern, work, b)
    _put_columns(lu2.pattern, work2, b2)


@allocation_free
def rcond_estimate(lu):
    """Smallest over largest pivot of the scaled matrix: a cheap indicator of ill-conditioning."""
    smallest = np.inf
    largest = 0.0
    for k in range(lu.pivot_inverse.size):
        a = abs(lu.pivot_inverse[k])
        smallest = min(smallest, a)
        largest = max(largest, a)
    return smallest / largest if largest > 0.0 else 0.0
