"""Vibration modes of the uniform beam, accurate for any mode number.

The textbook form of the clamped-clamped and the clamped-free mode shape, with η = x/L,

    W(η) = cosh λη − cos λη − σ (sinh λη − sin λη),      cosh λ cos λ = ±1                          (13)

loses all digits for high modes, since cosh and sinh are huge and cancel. At the characteristic values sin λ = ±
tanh λ, and with z = e^−λ and c = (−1)^(n+1) both kinds of ends have one form without large numbers:

    W(η) = (e^−λη + c e^−λ(1−η)) / (1 + c z) − cos λη + (1 − c z)/(1 + c z) sin λη
    λ    = (n ± ½)π + arcsin(c / cosh λ)           + clamped-clamped (cosh λ cos λ = 1), − clamped-free (−1)

It is normalized: ∫ W² dη = 1 over the beam. The number of the equation is that of Kobayashi (n.d.).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np


@lru_cache(maxsize=64)
def _values(n: int, half: float) -> np.ndarray:
    """The first n characteristic values near (k + half) π."""
    if n < 0:
        raise ValueError(f"number of modes is {n}; it must not be negative")
    result = np.empty(n)
    for k in range(1, n + 1):
        start = (k + half) * math.pi
        value = start
        for _ in range(60):  # each step reduces the error by 1/cosh λ, below 0.3
            # with e^-λ the hyperbolic secant cannot overflow
            z = math.exp(-value)
            new = start + math.asin((-1.0) ** (k + 1) * 2.0 * z / (1.0 + z * z))
            if new == value:
                break
            value = new
        result[k - 1] = value
    result.flags.writeable = False
    return result


def _shape(n: int, value: float, eta: Any) -> tuple[Any, Any, Any, Any]:
    """The shape of mode n with the characteristic value, and its first three derivatives with respect to η."""
    c = (-1.0) ** (n + 1)
    z = math.exp(-value)
    left = np.exp(-value * eta) / (1.0 + c * z)
    right = c * np.exp(-value * (1.0 - eta)) / (1.0 + c * z)
    sigma = (1.0 - c * z) / (1.0 + c * z)
    cos, sin = np.cos(value * eta), np.sin(value * eta)
    shape = left + right - cos + sigma * sin
    slope = value * (right - left + sin + sigma * cos)
    curvature = value**2 * (left + right + cos - sigma * sin)
    change = value**3 * (right - left - sin - sigma * cos)
    return shape, slope, curvature, change


def clamped_clamped_values(n: int) -> np.ndarray:
    """The first `n` roots λ of cosh λ cos λ = 1.

    >>> clamped_clamped_values(3).round(9).tolist()
    [4.730040745, 7.853204624, 10.995607838]
    """
    return _values(n, 0.5)


def clamped_free_values(n: int) -> np.ndarray:
    """The first `n` roots λ of cosh λ cos λ = −1.

    >>> clamped_free_values(3).round(9).tolist()
    [1.875104069, 4.694091133, 7.854757438]
    """
    return _values(n, -0.5)


def clamped_clamped(n: int, eta: np.ndarray | float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mode `n` (from 1) of the beam clamped at both ends, at the places `eta` ∈ [0, 1].

    Returns shape, slope and curvature: W, dW/dη, d²W/dη², with ∫ W² dη = 1.

    >>> shape, slope, curvature = clamped_clamped(1, 0.5)
    >>> round(float(shape), 6)
    1.588146
    """
    return clamped_clamped_derivatives(n, eta)[:3]


def clamped_clamped_derivatives(n: int, eta: np.ndarray | float) -> tuple[Any, Any, Any, Any]:
    """W, dW/dη, d²W/dη², d³W/dη³ of mode `n` of :func:`clamped_clamped`; the last one goes with its shear force.

    >>> round(float(clamped_clamped_derivatives(2, 0.5)[3]), 1)
    666.1
    """
    return _shape(n, float(clamped_clamped_values(n)[-1]), np.asarray(eta, dtype=float))


def clamped_free(n: int, eta: np.ndarray | float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mode `n` (from 1) of the beam clamped at η = 0 and free at η = 1, at the places `eta` ∈ [0, 1].

    Returns shape, slope and curvature: W, dW/dη, d²W/dη², with ∫ W² dη = 1.

    >>> shape, slope, curvature = clamped_free(2, 1.0)
    >>> round(float(shape), 12)
    -2.0
    """
    return _shape(n, float(clamped_free_values(n)[-1]), np.asarray(eta, dtype=float))[:3]
