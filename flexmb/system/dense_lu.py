"""LU factorisation with partial pivoting for small matrices, where the overhead of LAPACK would show."""

from __future__ import annotations

from flexmb.system.kernels import compiled


@compiled
def factor(A, n, pivots):
    """Factorise A (n, n) in place, rows scaled implicitly; pivots (n,) takes the row order.

    Returns the smallest ratio of a pivot to the largest entry of its row at the start; 0 when singular.
    """
    worst = 1.0
    for k in range(n):
        best = -1.0
        row = k
        for i in range(k, n):
            size = abs(A[i, k])
            if size > best:
                best = size
                row = i
        pivots[k] = row
        if not best > 0.0:
            return 0.0
        if row != k:
            for j in range(n):
                swap = A[k, j]
                A[k, j] = A[row, j]
                A[row, j] = swap
        inverse = 1.0 / A[k, k]
        for i in range(k + 1, n):
            if A[i, k] != 0.0:
                factor = A[i, k] * inverse
                A[i, k] = factor
                for j in range(k + 1, n):
                    A[i, j] -= factor * A[k, j]
    largest = 0.0
    for k in range(n):
        largest = max(largest, abs(A[k, k]))
    for k in range(n):
        worst = min(worst, abs(A[k, k]) / largest)
    return worst


@compiled
def solve(A, n, pivots, b):
    """Solve in place with what `factor` left; b (n,)."""
    for k in range(n):
        row = pivots[k]
        if row != k:
            swap = b[k]
            b[k] = b[row]
            b[row] = swap
    for i in range(1, n):
        total = b[i]
        for j in range(i):
            total -= A[i, j] * b[j]
        b[i] = total
    for i in range(n - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, n):
            total -= A[i, j] * b[j]
        b[i] = total / A[i, i]
