"""Symmetric matrices of units coupled in a chain, factorized within their envelope.

An element of a beam couples two nodes only. In an order from the far end to the head, the reverse of that in which
Cuthill and McKee (1969) number a graph, the rows of L in A = L Lᵀ begin at the same columns as those of A, and the time
for the factorization is linear in the number of elements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from flexmb.kernels.compilation import compiled

#: a pivot below this fraction of the diagonal entry is rounding
ROUNDING = 1e-14


def order_from(widths: Sequence[int], cliques: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """An elimination order of units with the given numbers of rows, `widths`, in which the first unit comes last: the
    position (rows,) of each row, and for each position the first column of the row's envelope. `cliques`: sets of units
    that are all coupled with one another; units that are not connected with the first one come before all that are.

    >>> place, begins = order_from([2, 1, 1], [(0, 1), (1, 2)])
    >>> place.tolist(), begins.tolist()
    ([2, 3, 1, 0], [0, 0, 1, 1])
    """
    beside: list[set[int]] = [{unit} for unit in range(len(widths))]
    for clique in cliques:
        for unit in clique:
            beside[unit].update(clique)
    found: list[int] = []
    seen: set[int] = set()
    for start_unit in range(len(widths)):
        if start_unit not in seen:
            waiting = [start_unit]
            seen.add(start_unit)
            for unit in waiting:
                new = sorted(beside[unit] - seen, key=lambda other: (len(beside[other]), other))
                waiting += new
                seen.update(new)
            found += waiting
    first, start = np.concatenate([[0], np.cumsum(widths)]), {}
    at = 0
    for unit in reversed(found):
        start[unit] = at
        at += widths[unit]
    place, begins = np.zeros((2, at), dtype=np.int64)
    for unit, width in enumerate(widths):
        place[first[unit] : first[unit] + width] = start[unit] + np.arange(width)
        begins[start[unit] : start[unit] + width] = min(start[other] for other in beside[unit])
    return place, begins


@compiled
def factorize(L, begins, n):
    """Overwrite the first n rows of A, on and below the diagonal, by L of A = L Lᵀ; returns −1, or the row without
    positive pivot."""
    for i in range(n):
        reduce_row(L, begins, i, i)
        row, whole = L[i], L[i, i]
        pivot = whole
        for k in range(begins[i], i):
            pivot -= row[k] * row[k]
        if not pivot > ROUNDING * whole:
            return i
        row[i] = math.sqrt(pivot)
    return -1


@compiled
def reduce_row(L, begins, i, n):
    """Overwrite row i of A by that of L in the first n columns, whose rows are factorized already."""
    row, begin = L[i], begins[i]
    for j in range(begin, n):
        other, entry = L[j], row[j]
        for k in range(max(begin, begins[j]), j):
            entry -= row[k] * other[k]
        row[j] = entry / other[j]


@compiled
def forwards(L, begins, first, n, y):
    """y[:n] ← L⁻¹ y, where y is zero before `first`."""
    for i in range(first, n):
        row, entry = L[i], y[i]
        for k in range(max(begins[i], first), i):
            entry -= row[k] * y[k]
        y[i] = entry / row[i]


@compiled
def backwards(L, begins, n, y):
    """y[:n] ← L⁻ᵀ y."""
    for i in range(n - 1, -1, -1):
        row = L[i]
        entry = y[i] / row[i]
        for k in range(begins[i], i):
            y[k] -= row[k] * entry
        y[i] = entry
