"""Cells of meshes with their own shape functions: wedges and pyramids, and all others that share faces with them.

A cell is a space of functions x^a y^b z^c (1 − z)^−e on its reference cell and a node for each of them; the shape
functions are the combinations that are 1 at one node and 0 at all others. With P_r the polynomials of the total degree
r, and Q_r those of the degree r in each coordinate,

    triangle, tetrahedron  P_r        quadrilateral, hexahedron  Q_r        wedge  P_r(x, y) × P_r(z)
    pyramid                P_r + Σ_k (xy/(1 − z))^(r−k) P_k(x, y), k < r        (Bergot, Cohen and Duruflé (2010))

On a face all of them are P_r if it has three corners and Q_r if it has four, so that cells which share a face's nodes
fit together. The Gauss points integrate the matrices of cells with straight and parallel edges without error.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import scipy

from flexmb.bodies.meshes.surface import EDGES, MIDDLES

#: corners of the reference cells
CORNERS: dict[str, np.ndarray] = {
    "triangle": np.array([(0, 0), (1, 0), (0, 1)], dtype=float),
    "quad": np.array([(0, 0), (1, 0), (1, 1), (0, 1)], dtype=float),
    "tetra": np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype=float),
    "hexahedron": np.array([(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], dtype=float),
    "wedge": np.array([(x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (0, 1))], dtype=float),
    "pyramid": np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 1)], dtype=float),
}


def nodes_of(kind: str, order: int) -> np.ndarray:
    """Nodes (a, d) of a reference cell: corners, for the second order the middles of edges, of quadrilaterals and of
    a hexahedron behind them, as meshio orders them.

    >>> [len(nodes_of(kind, 2)) for kind in CORNERS]
    [6, 9, 10, 27, 18, 14]
    """
    corners = CORNERS[kind]
    if order == 1:
        return corners
    parts = [corners, *(corners[list(one)].mean(axis=0)[None] for one in (*EDGES[kind], *MIDDLES.get(kind, ())))]
    if kind == "hexahedron":
        parts.append(corners.mean(axis=0)[None])
    return np.concatenate(parts)


def shape_functions(kind: str, order: int, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values (q, a) and gradients (q, a, d) of the shape functions at points x (q, d) of the reference cell.

    >>> values, gradients = shape_functions("pyramid", 2, np.array([[0.1, 0.2, 0.3]]))
    >>> abs(values.sum() - 1.0) < 1e-12, np.abs(gradients.sum(axis=1)).max() < 1e-12
    (np.True_, np.True_)
    """
    nodes, powers = nodes_of(kind, order), _powers(kind, order)
    weights = np.linalg.inv(_functions(nodes, powers))
    d, parts = x.shape[1], []
    for k in range(d):  # ∂(x^a) = a x^(a−1); ∂z (1 − z)^−e = e (1 − z)^−(e+1)
        lower = powers.copy()
        lower[:, k] = np.maximum(lower[:, k] - 1, 0)
        part = powers[:, k] * _functions(x, lower)
        if k == 2:
            steeper = powers.copy()
            steeper[:, 3] += 1
            part = part + powers[:, 3] * _functions(x, steeper)
        parts.append(part @ weights)
    return _functions(x, powers) @ weights, np.stack(parts, axis=2)


def gauss_points(kind: str, order: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (q, d) and weights (q,) in a reference cell, order + 1 along each direction.

    >>> [round(float(gauss_points(kind, 2)[1].sum()), 9) for kind in CORNERS]
    [0.5, 1.0, 0.166666667, 1.0, 0.5, 1.333333333]
    """

    def line(power: int) -> tuple[np.ndarray, np.ndarray]:
        """Points from 0 to 1 for the weight (1 − t)^power."""
        t, w = scipy.special.roots_jacobi(order + 1, power, 0.0)
        return 0.5 * (t + 1.0), w / 2.0 ** (power + 1)

    shrinks = {"triangle": (0, 1), "tetra": (0, 1, 2), "wedge": (0, 1, 0), "pyramid": (0, 0, 2)}
    d = CORNERS[kind].shape[1]
    lines = [line(power) for power in shrinks.get(kind, (0,) * d)]
    t = np.array(list(product(*(one[0] for one in lines))))
    w = np.prod(list(product(*(one[1] for one in lines))), axis=1)
    if kind in ("triangle", "wedge"):  # x = s (1 − y)
        t[:, 0] *= 1.0 - t[:, 1]
    elif kind == "tetra":  # y = t (1 − z), x = s (1 − t)(1 − z)
        t[:, 0] *= (1.0 - t[:, 1]) * (1.0 - t[:, 2])
        t[:, 1] *= 1.0 - t[:, 2]
    elif kind == "pyramid":
        t[:, :2] = (2.0 * t[:, :2] - 1.0) * (1.0 - t[:, 2:])
        w = 4.0 * w
    return t, w


def _powers(kind: str, r: int) -> np.ndarray:
    """The powers (a, b, c, e) of the functions of a cell."""
    to = range(r + 1)
    flat = [(a, b, 0, 0) for a, b in product(to, to)]
    if kind == "triangle":
        found = [p for p in flat if p[0] + p[1] <= r]
    elif kind == "quad":
        found = flat
    else:
        found = [(a, b, c, 0) for a, b, c in product(to, to, to)]
        if kind == "wedge":
            found = [p for p in found if p[0] + p[1] <= r]
        elif kind != "hexahedron":
            found = [p for p in found if sum(p) <= r]
    if kind == "pyramid":
        for k in range(r):
            e = r - k
            found += [(a + e, b + e, 0, e) for a, b in product(range(k + 1), repeat=2) if a + b <= k]
    return np.array(found)


def _functions(x: np.ndarray, powers: np.ndarray) -> np.ndarray:
    """x^a y^b z^c (1 − z)^−e (q, a) at points (q, d); at the apex of a pyramid those with e > 0 vanish."""
    result = np.ones((len(x), len(powers)))
    for k in range(x.shape[1]):
        result *= x[:, k, None] ** powers[:, k]
    if np.any(powers[:, 3]):
        below = 1.0 - x[:, 2, None]
        safe = np.where(below > 0.0, below, 1.0)
        result *= np.where((below > 0.0) | (powers[:, 3] == 0), safe ** -powers[:, 3].astype(float), 0.0)
    return result
