"""Symmetric linear systems of which some rows follow from others: Cholesky's factors with the largest pivot first."""

from __future__ import annotations

from flexmb.kernels.compilation import called

#: pivots below this part of the largest are rounding
ROUNDING = 1e-11


@called(None)
def solve_semidefinite(A, b, most, order, x):
    """Overwrite b (n,) by a solution x of A x = b with a symmetric A (n, n), negative semidefinite, which is lost;
    unknowns that others make superfluous are zero, and so are all but the `most` of the largest pivots. `order` (2n,)
    and x (n,) are room. What is zero costs no product, as where unknowns hang together in a chain."""
    n = b.shape[0]
    largest, rank = 0.0, 0
    for i in range(n):
        order[i] = i
        x[i] = A[i, i]
        largest = max(largest, -x[i])
    for step in range(min(n, most)):
        best, least = step, x[order[step]]
        for i in range(step + 1, n):
            if x[order[i]] < least:
                best, least = i, x[order[i]]
        order[step], order[best] = order[best], order[step]
        pivot = order[step]
        if not -least > ROUNDING * largest:
            break
        rank = step + 1
        of_pivot, coupled = A[pivot], 0
        for i in range(rank, n):
            if of_pivot[order[i]] != 0.0:
                order[n + coupled] = order[i]
                coupled += 1
        for i in range(coupled):
            row = order[n + i]
            of_row, factor = A[row], of_pivot[row] / x[pivot]
            b[row] -= factor * b[pivot]
            for k in range(coupled):
                of_row[order[n + k]] -= factor * of_pivot[order[n + k]]
            x[row] = of_row[row]
    for i in range(rank, n):
        b[order[i]] = 0.0
    for step in range(rank - 1, -1, -1):
        pivot = order[step]
        total, of_pivot = b[pivot], A[pivot]
        for k in range(step + 1, rank):
            total -= of_pivot[order[k]] * b[order[k]]
        b[pivot] = total / x[pivot]
