"""Shapes and parameters of an ANCF cable element, see :mod:`flexmb.elements.planar.ancf_cable`."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation import compiled

# places of the parameters of an element
GX, GY, LENGTH, EA, EI, RHO_A, BETA = range(7)


def gauss(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss' quadrature on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return 0.5 * (nodes + 1.0), 0.5 * weights


def _tables(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows (h2, h4, L g2, L g4, weight) of the Gauss points, and weighted products of any two of
    (1, h2, h4, L g2, L g4)."""
    x, weight = gauss(count)
    h2, h4, g2, g4 = 1 - 4 * x + 3 * x**2, -2 * x + 3 * x**2, 6 * x - 4, 6 * x - 2
    values = np.column_stack([h2, h4, g2, g4, weight])
    both = [
        x**0, h2, h4, h2 * h2, h2 * h4, h4 * h4,
        g2, g4, h2 * g2, h2 * g4, h4 * g2, h4 * g4,
        g2 * g2, g2 * g4, g4 * g4,
    ]  # fmt: skip
    return np.ascontiguousarray(values), np.ascontiguousarray(weight[:, None] * np.column_stack(both))


AXIAL, AXIAL_PAIRS = _tables(5)
BENDING, BENDING_PAIRS = _tables(3)


@compiled
def hermite_mass(m, L, p1, s1, p2, s2):
    """m [[156, 22L, 54, −13L], …] (p1, s1, p2, s2), m = ρA L/420, through sums and differences."""
    total = p1 + p2
    change = p1 - p2
    bend = L * (s1 - s2)
    skew = L * (s1 + s2)
    a = m * (105.0 * total + 17.5 * bend)
    b = m * (51.0 * change + 4.5 * skew)
    c = m * L * (4.5 * change + 0.5 * skew)
    d = m * L * (17.5 * total + 3.5 * bend)
    return a + b, c + d, a - b, c - d


@compiled
def local(iq, i, il, z):
    """d, A, B of an element from a vector of coordinates or speeds."""
    dx = (z[iq[i, 4]] - z[iq[i, 0]]) * il
    dy = (z[iq[i, 5]] - z[iq[i, 1]]) * il
    return dx, dy, z[iq[i, 2]] - dx, z[iq[i, 3]] - dy, z[iq[i, 6]] - dx, z[iq[i, 7]] - dy
