"""Natural frequencies of a cantilever of Euler and Bernoulli with a mass at a place of it.

On both sides of the mass m, of moment of inertia J, at x = a:  w'''' = k⁴ w,  k⁴ = ρA ω²/EI. Clamped at x = 0, free at
x = L. The stationary value of ∫ (EI w''² − ω² ρA w²) dx − ω² (m w² + J w'²) at a gives what jumps there:

    EI [w'''] = m ω² w,      EI [w''] = −J ω² w'

The state (w, w', w'', w''') goes from 0 to x by Krylov's functions (Rayleigh's, half sums of cosh, cos, sinh, sin). Of
the two solutions that are clamped at 0 a combination has w'' = w''' = 0 at L: a determinant of 2 × 2 is zero.
"""

from __future__ import annotations

import itertools

import numpy as np
from scipy.optimize import brentq

#: steps in which roots are looked for, as parts of the distance of the roots of a long beam in k L
SCAN = 0.02


def _transfer(k: float, x: float) -> np.ndarray:
    """The state (w, w', w'', w''') at x from that at 0, (4, 4)."""
    z = k * x
    c = [
        0.5 * (np.cosh(z) + np.cos(z)),
        0.5 * (np.sinh(z) + np.sin(z)),
        0.5 * (np.cosh(z) - np.cos(z)),
        0.5 * (np.sinh(z) - np.sin(z)),
    ]
    return np.array([[c[(j - i) % 4] * k ** (i - j) for j in range(4)] for i in range(4)])


def _determinant(k: float, length: float, EI: float, rhoA: float, mass: float, inertia: float, place: float) -> float:
    ratio = k**4 / rhoA  # ω²/EI
    jump = np.eye(4)
    jump[3, 0] = mass * ratio
    jump[2, 1] = -inertia * ratio
    end = _transfer(k, length - place) @ jump @ _transfer(k, place)
    scale = np.diag(1.0 / k ** np.arange(4.0))
    free = (scale @ end @ np.linalg.inv(scale))[2:, 2:]
    return float(np.linalg.det(free) / np.cosh(k * length) ** 2)


def frequencies(
    count: int, length: float, EI: float, rhoA: float, mass: float, inertia: float, place: float
) -> np.ndarray:
    """The first `count` natural frequencies (count,) [rad/s] with `mass` [kg] and `inertia` [kg m²] at x = `place`
    [m]."""
    given = (length, EI, rhoA, mass, inertia, place)
    step = SCAN * np.pi / length
    grid = itertools.chain(step * np.geomspace(1e-3, 1.0, 100), itertools.count(2.0 * step, step))  # heavy masses first
    roots: list[float] = []
    low = float(next(grid))
    before = _determinant(low, *given)
    while len(roots) < count:
        high = float(next(grid))
        value = _determinant(high, *given)
        if before * value < 0.0:
            roots.append(brentq(_determinant, low, high, args=given, xtol=1e-15, rtol=8.9e-16))
        low, before = high, value
    return np.array(roots) ** 2 * np.sqrt(EI / rhoA)
