"""Gauss points on [0, 1], and the integral from 0 to each of them."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Legendre


def gauss(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points x (count,), weights (count,), and the matrix (count, count) that turns the values of a function at
    the points into its integrals from 0 to x; exact for polynomials of degree count − 1."""
    x, weight = np.polynomial.legendre.leggauss(count)
    x, weight = 0.5 * (x + 1.0), 0.5 * weight
    of = [Legendre.basis(k, domain=[0, 1]) for k in range(count)]
    values = np.array([p(x) for p in of]).T
    integrals = np.array([p.integ(lbnd=0)(x) for p in of]).T
    return x, weight, integrals @ np.linalg.inv(values)


def legendre(count: int, x: np.ndarray) -> np.ndarray:
    """The Legendre polynomials of [0, 1] up to degree count − 1 at x, (points, count)."""
    return np.array([Legendre.basis(k, domain=[0, 1])(x) for k in range(count)]).reshape(count, len(x)).T
