"""LU factorization with partial pivoting for small matrices, where the overhead of LAPACK would be noticeable.

Columns are eliminated in panels of four: the rest of the matrix is then updated once per panel, by four rows at a time.
That takes a quarter of the loads and stores, and keeps vector instructions busy on short rows.
"""

from __future__ import annotations

from flexmb.kernels.compilation import called, inlined

#: columns of a panel
WIDTH = 4


@inlined
def _panel(A, n, first, last, pivots):
    """Eliminate the columns `first` to `last` − 1; returns the smallest pivot, 0 if singular, and the largest. Diagonal
    entries become inverses of the pivots."""
    smallest = 1e300
    largest = 0.0
    for k in range(first, last):
        best = -1.0
        row = k
        for i in range(k, n):
            size = abs(A[i, k])
            if size > best:
                best = size
                row = i
        pivots[k] = row
        if not best > 0.0:
            return 0.0, largest
        smallest = min(smallest, best)
        largest = max(largest, best)
        if row != k:
            for j in range(n):
                A[k, j], A[row, j] = A[row, j], A[k, j]
        inverse = 1.0 / A[k, k]
        A[k, k] = inverse
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                factor = A[i, k] * inverse
                A[i, k] = factor
                for j in range(k + 1, last):
                    A[i, j] -= factor * A[k, j]
    return smallest, largest


@called(float)
def factor(A, n, pivots):
    """Factorize A (n, n) in place; the row order is written to pivots (n,). Diagonal entries become inverses of the
    pivots.

    Returns the ratio of the smallest pivot to the largest; 0 if singular.
    """
    smallest = 1e300
    largest = 0.0
    for first in range(0, n, WIDTH):
        last = min(first + WIDTH, n)
        low, high = _panel(A, n, first, last, pivots)
        smallest = min(smallest, low)
        largest = max(largest, high)
        if not smallest > 0.0:
            return 0.0
        if last == n:
            break
        # last - first is WIDTH here: rows of the panel, then the rows below
        f10 = A[first + 1, first]
        f20, f21 = A[first + 2, first], A[first + 2, first + 1]
        f30, f31, f32 = A[first + 3, first], A[first + 3, first + 1], A[first + 3, first + 2]
        for j in range(last, n):
            x0 = A[first, j]
            x1 = A[first + 1, j] - f10 * x0
            x2 = A[first + 2, j] - f20 * x0 - f21 * x1
            x3 = A[first + 3, j] - f30 * x0 - f31 * x1 - f32 * x2
            A[first + 1, j] = x1
            A[first + 2, j] = x2
            A[first + 3, j] = x3
        for i in range(last, n):
            f0, f1, f2, f3 = A[i, first], A[i, first + 1], A[i, first + 2], A[i, first + 3]
            if f0 != 0.0 or f1 != 0.0 or f2 != 0.0 or f3 != 0.0:
                for j in range(last, n):
                    A[i, j] -= f0 * A[first, j] + f1 * A[first + 1, j] + f2 * A[first + 2, j] + f3 * A[first + 3, j]
    return smallest / largest if n > 0 else 1.0


@called(None)
def solve(A, n, pivots, b):
    """Solve in place for b (n,) with the factors of `factor`; four rows at a time, whose sums are independent."""
    for k in range(n):
        row = pivots[k]
        if row != k:
            b[k], b[row] = b[row], b[k]
    whole = n - n % 4
    for i in range(0, whole, 4):
        s0, s1, s2, s3 = b[i], b[i + 1], b[i + 2], b[i + 3]
        for j in range(i):
            x = b[j]
            s0 -= A[i, j] * x
            s1 -= A[i + 1, j] * x
            s2 -= A[i + 2, j] * x
            s3 -= A[i + 3, j] * x
        s1 -= A[i + 1, i] * s0
        s2 -= A[i + 2, i] * s0 + A[i + 2, i + 1] * s1
        s3 -= A[i + 3, i] * s0 + A[i + 3, i + 1] * s1 + A[i + 3, i + 2] * s2
        b[i], b[i + 1], b[i + 2], b[i + 3] = s0, s1, s2, s3
    for i in range(whole, n):
        total = b[i]
        for j in range(i):
            total -= A[i, j] * b[j]
        b[i] = total
    for i in range(n - 1, whole - 1, -1):
        total = b[i]
        for j in range(i + 1, n):
            total -= A[i, j] * b[j]
        b[i] = total * A[i, i]
    for i in range(whole - 4, -1, -4):
        s0, s1, s2, s3 = b[i], b[i + 1], b[i + 2], b[i + 3]
        for j in range(i + 4, n):
            x = b[j]
            s0 -= A[i, j] * x
            s1 -= A[i + 1, j] * x
            s2 -= A[i + 2, j] * x
            s3 -= A[i + 3, j] * x
        s3 *= A[i + 3, i + 3]
        s2 = (s2 - A[i + 2, i + 3] * s3) * A[i + 2, i + 2]
        s1 = (s1 - A[i + 1, i + 2] * s2 - A[i + 1, i + 3] * s3) * A[i + 1, i + 1]
        s0 = (s0 - A[i, i + 1] * s1 - A[i, i + 2] * s2 - A[i, i + 3] * s3) * A[i, i]
        b[i], b[i + 1], b[i + 2], b[i + 3] = s0, s1, s2, s3
