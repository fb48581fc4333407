"""The sparse factorization that chooses its pivots, after Gilbert and Peierls (1988), and finds the groups of like
columns that make later factorizations fast; see :mod:`flexmb.algebra.sparse_lu`."""

from __future__ import annotations

import numpy as np

from flexmb.algebra import sparse_storage as at
from flexmb.algebra.sparse_storage import NO_ROOM, OK, SINGULAR
from flexmb.kernels.compilation import called, inlined


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
def give_up(lu, status, column):
    """Mark the factors as void and record the column at which elimination ended; returns the status."""
    lu.work[:] = 0.0
    lu.state[at.VALID] = 0
    lu.state[at.COLUMN] = column
    return status


@called(int)
def factor(lu, values):
    """Choose pivots and factorize.

    Returns OK; SINGULAR, the column (of A) without pivot, or with numbers that are not finite, being
    ``lu.state[at.COLUMN]``; or NO_ROOM, the room needed being ``lu.state[at.NEED_LOWER]`` and
    ``lu.state[at.NEED_UPPER]``.
    """
    colptr = lu.pattern.colptr
    rowind = lu.pattern.rowind
    column_order = lu.pattern.column_order
    row_order = lu.rows.order
    row_position = lu.rows.position
    row_scale = lu.rows.scale
    lower_start = lu.lower.start
    lower_row = lu.lower.row
    lower_value = lu.lower.value
    upper_start = lu.upper.start
    upper_row = lu.upper.row
    upper_value = lu.upper.value
    x = lu.work
    mark = lu.search.mark
    reach = lu.search.reach
    path = lu.search.path
    stack = lu.search.stack
    preferred_row = lu.segments.first  # both arrays are unused until the patterns are known
    preferring = lu.segments.size
    state = lu.state
    m = row_order.size
    n = column_order.size
    none = m
    threshold = lu.control[at.THRESHOLD]
    singular_tolerance = lu.control[at.SINGULAR_TOLERANCE]
    state[at.VALID] = 0
    state[at.COLUMN] = -1
    state[at.FACTORS] += 1

    for i in range(m):
        row_position[i] = -1
        mark[i] = 0
        row_scale[i] = 0.0
        x[i] = 0.0
        preferring[i] = none
    if lu.control[at.SCALE_ROWS] != 0.0:
        for p in range(values.size):
            a = abs(values[p])
            if a > row_scale[rowind[p]]:
                row_scale[rowind[p]] = a
    for i in range(m):
        row_scale[i] = 1.0 / row_scale[i] if row_scale[i] > 0.0 else 1.0
    for k in range(n):
        if lu.pattern.preferred[k] >= 0:
            preferred_row[k] = lu.pattern.preferred[k]
            preferring[lu.pattern.preferred[k]] = k
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
            state[at.NEED_LOWER] = max(np.int64(1.1 * (n_lower + count) * part), lower_row.size)
            state[at.NEED_UPPER] = max(np.int64(1.1 * (n_upper + m - top) * part), upper_row.size)
            return give_up(lu, NO_ROOM, column)

        # values of the column
        size = 0.0
        for p in range(colptr[column], colptr[column + 1]):
            i = rowind[p]
            lu.known[p] = values[p]
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
            return give_up(lu, SINGULAR, column)
        wanted = np.int64(preferred_row[k])
        if wanted != none:
            if mark[wanted] == k + 1 and abs(x[wanted]) >= threshold * largest:
                best = wanted
            elif best != wanted:
                # the wanted row becomes the preferred row of the column that loses its own
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
        lu.rows.scatter[p] = row_position[rowind[p]]
        lu.rows.scatter_scale[p] = row_scale[rowind[p]]
    _group(lu)
    state[at.VALID] = 1
    return OK


@inlined
def _same(index, a, b, count):
    """Whether `count` entries from a on equal those from b on."""
    for t in range(count):
        if index[a + t] != index[b + t]:
            return False
    return True


@inlined
def _group(lu):
    """Find the groups of like columns of L and U and the segments of U."""
    lower_start = lu.lower.start
    lower_row = lu.lower.row
    upper_start = lu.upper.start
    upper_row = lu.upper.row
    n = lu.pattern.column_order.size
    like = lu.search.mark  # like[k]: column k of L continues the pattern of column k - 1

    like[0] = 0
    count = 0
    for k in range(n):
        joined = False
        if k > 0:
            a = np.int64(lower_start[k - 1])
            b = np.int64(lower_start[k])
            c = np.int64(lower_start[k + 1])
            if b - a == c - b + 1 and lower_row[a] == k:
                joined = _same(lower_row, a + 1, b, c - b)
        like[k] = 1 if joined else 0
        if not (joined and k - np.int64(lu.lower.block[count - 1]) < 4):
            lu.lower.block[count] = k
            count += 1
    lu.lower.block[count] = n
    lu.state[at.LOWER_BLOCKS] = count

    count = 0
    for k in range(n):
        joined = False
        if k > 0:
            a = np.int64(upper_start[k - 1])
            b = np.int64(upper_start[k])
            c = np.int64(upper_start[k + 1])
            if c - b == b - a + 1 and upper_row[c - 1] == k - 1:
                joined = _same(upper_row, a, b, b - a)
        if not (joined and k - np.int64(lu.upper.block[count - 1]) < 4):
            lu.upper.block[count] = k
            count += 1
    lu.upper.block[count] = n
    lu.state[at.UPPER_BLOCKS] = count

    count = 0
    for k in range(n):
        lu.segments.start[k] = count
        p = np.int64(upper_start[k])
        end = np.int64(upper_start[k + 1])
        while p < end:
            j = np.int64(upper_row[p])
            size = 1
            while size < 4 and p + size < end and upper_row[p + size] == j + size and like[j + size] == 1:
                size += 1
            lu.segments.first[count] = j
            lu.segments.size[count] = size
            count += 1
            p += size
    lu.segments.start[n] = count
