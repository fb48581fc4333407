"""Sums over the functions of CMS beams of the plane and of space: their pairs, and their integrals times many loads."""

from __future__ import annotations

from flexmb.kernels.compilation import called, inlined


@inlined
def pair(j, k, ng):
    """Number of the pair {j, k} among the pairs in the order (0, 0), (0, 1), …, (1, 1), …"""
    if j > k:
        j, k = k, j
    return j * ng - (j * (j - 1)) // 2 + k - j


@called(None)
def loads_of_all(gram, fields, loads):
    """G times all columns (nf, 2 nc)."""
    nf, columns = fields.shape
    whole = nf - nf % 4
    for e in range(nf):
        for k in range(columns):
            loads[e, k] = 0.0
        for f in range(0, whole, 4):
            g0, g1, g2, g3 = gram[e, f], gram[e, f + 1], gram[e, f + 2], gram[e, f + 3]
            for k in range(columns):
                loads[e, k] += g0 * fields[f, k] + g1 * fields[f + 1, k] + g2 * fields[f + 2, k] + g3 * fields[f + 3, k]
        for f in range(whole, nf):
            g0 = gram[e, f]
            for k in range(columns):
                loads[e, k] += g0 * fields[f, k]
