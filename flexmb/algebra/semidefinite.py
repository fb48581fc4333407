"""Symmetric semidefinite linear systems with dependent rows: LDLᵀ factors with large pivots first."""

from __future__ import annotations

from flexmb.kernels.compilation import called

#: pivots below this fraction of the largest are rounding
ROUNDING = 1e-11
#: A pivot is at least this fraction of the largest one left. For a semidefinite matrix every order is stable, and
#: keeping the order of the rows as far as possible preserves zeros.
LARGE = 0.1


@called(int)
def factor_semidefinite(A, most, order, x):
    """Overwrite a symmetric, negative semidefinite A (n, n) by its factors, and return the number of their pivots, at
    most `most`; dependent rows have none. On return `order` (2n,) has the order of the pivots and x (n,) their values.
    Zero entries cost no multiplication, as where rows are coupled in a chain."""
    n = x.shape[0]
    least, rank = 0.0, 0
    for i in range(n):
        order[i], x[i] = i, A[i, i]  # diagonal entries, kept in the same order
        least = min(least, x[i])
    none = ROUNDING * least
    for step in range(min(n, most) if least < 0.0 else 0):
        best = step
        if x[step] > min(LARGE * least, none):  # `least` is a bound: remaining entries only shrink
            least = 0.0
            for i in range(step, n):
                least = min(least, x[i])
            if not least < none:
                break
            while x[best] > min(LARGE * least, none):
                best += 1
        order[step], order[best] = order[best], order[step]
        x[step], x[best] = x[best], x[step]
        rank = step + 1
        pivot_of, of_pivot, coupled = x[step], A[order[step]], 0
        for i in range(rank, n):
            if of_pivot[order[i]] != 0.0:
                order[n + coupled] = i
                coupled += 1
        for i in range(coupled):
            place = order[n + i]
            row = order[place]
            of_row, factor = A[row], of_pivot[row] / pivot_of
            for k in range(coupled):
                column = order[order[n + k]]
                of_row[column] -= factor * of_pivot[column]
            x[place] = of_row[row]
    return rank


@called(None)
def solve_semidefinite(A, rank, order, x, b):
    """Overwrite b (n,) by the solution, with `rank` pivots of :func:`factor_semidefinite`; unknowns without pivot are
    zero."""
    n = b.shape[0]
    for step in range(rank):
        of_pivot, part = A[order[step]], b[order[step]]
        if part != 0.0:
            for i in range(step + 1, n):
                b[order[i]] -= of_pivot[order[i]] / x[step] * part
    for i in range(rank, n):
        b[order[i]] = 0.0
    for step in range(rank - 1, -1, -1):
        pivot = order[step]
        of_pivot = A[pivot]
        one, other = b[pivot], 0.0  # two independent sums, which the processor computes at the same time
        for k in range(step + 1, rank - 1, 2):
            one -= of_pivot[order[k]] * b[order[k]]
            other -= of_pivot[order[k + 1]] * b[order[k + 1]]
        if (rank - step) % 2 == 0:
            one -= of_pivot[order[rank - 1]] * b[order[rank - 1]]
        b[pivot] = (one + other) / x[step]
