"""Cubic Hermite shapes of an element with places and slopes at both ends: Gauss points and mass.

With ξ = x/L, d = (r2 − r1)/L, A = r1' − d and B = r2' − d,

    r'  = d + h2 A + h4 B,     h2 = 1 − 4ξ + 3ξ²,   h4 = −2ξ + 3ξ²
    r'' = g2 A + g4 B,         g2 = (6ξ − 4)/L,     g4 = (6ξ − 2)/L
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation import compiled


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
