"""Solutions with the sparse factors of :mod:`flexmb.algebra.sparse_lu`: a right-hand side at a time."""

from __future__ import annotations

import numpy as np

from flexmb.algebra.sparse_storage import LOWER_BLOCKS, UPPER_BLOCKS
from flexmb.kernels.compilation import allocation_free, called, inlined


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


@allocation_free
def rcond_estimate(lu):
    """Smallest over largest pivot of the scaled matrix: a cheap sign of trouble."""
    smallest = np.inf
    largest = 0.0
    for k in range(lu.pivot_inverse.size):
        a = abs(lu.pivot_inverse[k])
        smallest = min(smallest, a)
        largest = max(largest, a)
    return smallest / largest if largest > 0.0 else 0.0
