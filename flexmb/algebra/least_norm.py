"""Least squares of few equations that may depend on one another, where the overhead of LAPACK would be noticeable.

Rotations of pairs of rows, which leave |C x − b| as it is, make the rows of C orthogonal to one another (one-sided
Jacobi rotations: Hestenes, 1958). Their lengths are then the singular values of C, and

    x = Σ cᵢ bᵢ/|cᵢ|²

is the solution of least norm, without the rows that are as good as zero. Small singular values keep their relative
accuracy (Demmel and Veselić, 1992).
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import called, inlined

#: rows are orthogonal when the cosine of their angle is below this; so much shorter than the longest, they are zero
ROUNDING = 1e-15
#: rounds through all pairs of rows; the rotations converge quadratically, in six to ten rounds
ROUNDS = 40


@inlined
def _product(C, i, j):
    total = 0.0
    for k in range(C.shape[1]):
        total += C[i, k] * C[j, k]
    return total


@called(int)
def least_norm(C, b, cutoff, x):
    """Put into x (n,) the vector of least norm among those with the smallest |C x − b|; C (m, n) and b (m,) are
    overwritten. Singular values below the part `cutoff` of the largest count as zero; returns the number of others.

    >>> import numpy as np
    >>> C, b, x = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 0.0]]), np.array([1.0, 3.0]), np.zeros(3)
    >>> least_norm(C, b, 1e-9, x), x.round(9).tolist()
    (1, [0.7, 0.7, 0.0])
    """
    m, n = C.shape
    largest = 0.0
    for i in range(m):
        largest = max(largest, _product(C, i, i))
    nothing = ROUNDING * ROUNDING * largest
    for _ in range(ROUNDS):
        turned = False
        for i in range(m):
            for j in range(i + 1, m):
                first, second, both = _product(C, i, i), _product(C, j, j), _product(C, i, j)
                if min(first, second) <= nothing or abs(both) <= ROUNDING * math.sqrt(first * second):
                    continue
                turned = True
                half = (second - first) / (2.0 * both)
                tangent = (1.0 if half >= 0.0 else -1.0) / (abs(half) + math.sqrt(1.0 + half * half))
                c = 1.0 / math.sqrt(1.0 + tangent * tangent)
                s = c * tangent
                for k in range(n):
                    C[i, k], C[j, k] = c * C[i, k] - s * C[j, k], s * C[i, k] + c * C[j, k]
                b[i], b[j] = c * b[i] - s * b[j], s * b[i] + c * b[j]
        if not turned:
            break
    largest = 0.0
    for i in range(m):
        largest = max(largest, _product(C, i, i))
    for k in range(n):
        x[k] = 0.0
    rank = 0
    for i in range(m):
        square = _product(C, i, i)
        if square > cutoff * cutoff * largest:
            rank += 1
            for k in range(n):
                x[k] += C[i, k] * (b[i] / square)
    return rank
