"""Mathematics of the references: Gauss points and Legendre polynomials on [0, 1], motions, roots."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.polynomial import Legendre
from scipy.integrate import solve_ivp
from scipy.optimize import brentq


def gauss(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points x (count,), weights (count,), and the matrix (count, count) that turns the values of a function at
    the points into its integrals from 0 to x; exact for polynomials of degree count − 1."""
    x, weight = np.polynomial.legendre.leggauss(count)
    x, weight = 0.5 * (x + 1.0), 0.5 * weight
    integrals = np.array([Legendre.basis(k, domain=[0, 1]).integ(lbnd=0)(x) for k in range(count)]).T
    return x, weight, integrals @ np.linalg.inv(legendre(count, x))


def legendre(count: int, x: np.ndarray, order: int = 0) -> np.ndarray:
    """The Legendre polynomials of [0, 1] up to degree count − 1, or their derivatives of an order, at x
    (points, count)."""
    values = [Legendre.basis(k, domain=[0, 1]).deriv(order)(x) * np.ones_like(x) for k in range(count)]
    return np.array(values).reshape(count, len(x)).T


def motion(
    rate: Callable[[float, np.ndarray], Sequence[float] | np.ndarray],
    start: Sequence[float] | np.ndarray,
    times: np.ndarray,
) -> np.ndarray:
    """The solution (states, times) of ẏ = rate(t, y) from t = 0 on, to 1e-12."""
    span = (0.0, float(times[-1]))
    return solve_ivp(rate, span, start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times).y


def roots(function: Callable[[float], float], grid: np.ndarray) -> list[float]:
    """The roots of a function where it changes its sign between neighbors of a grid."""
    values = [function(x) for x in grid]
    neighbors = zip(grid[:-1], grid[1:], values[:-1], values[1:])
    return [float(brentq(function, a, b, xtol=1e-13)) for a, b, f, g in neighbors if f * g < 0.0]
