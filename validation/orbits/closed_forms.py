"""Motions of craft on orbits in closed form, or by equations of one unknown: without flexmb.

Rates are those of the orbit, Ω = 1.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Legendre
from scipy.integrate import solve_ivp
from scipy.linalg import eigh
from scipy.optimize import brentq
from scipy.special import ellipk


def pitch_period(angle: float) -> float:
    """Ω T of the pitch of a thin rod from an angle [rad]: θ'' = −3 sin θ cos θ, Hughes (1986).

    >>> round(pitch_period(np.deg2rad(60.0)), 10)
    4.9802595584
    """
    return float(4.0 / np.sqrt(3.0) * ellipk(np.sin(angle) ** 2))


def dumbbell(kappa: float) -> tuple[float, float, float]:
    """Two masses on a spring of κ = √(k/m*)/Ω, upright: its length over the free one, and two frequencies in the plane:
    s² − (κ² + 4) s + 3 (κ² − 3) = 0 of their squares.

    >>> [round(x, 10) for x in dumbbell(3.0)]
    [1.5, 1.2552175505, 3.3800042753]
    """
    slow, fast = np.sort(np.roots([1.0, -(kappa**2) - 4.0, 3.0 * (kappa**2 - 3.0)]).real)
    return 1.0 / (1.0 - 3.0 / kappa**2), float(np.sqrt(slow)), float(np.sqrt(fast))


def free_beam(EI: float, count: int, terms: int = 24) -> np.ndarray:
    """Frequencies in the plane of a free uniform beam (ρA = L = 1) upright in orbit: v̈ + EI v'''' − (T v')' = 0 with
    the tension T = 3/2 (1/4 − x²), by Ritz's method with Legendre's polynomials.

    >>> free_beam(0.01, 2).round(8).tolist()
    [1.73205081, 3.75979489]
    """
    g, w = np.polynomial.legendre.leggauss(2 * terms)
    x, w = 0.5 * g, 0.5 * w
    shapes = [Legendre.basis(k, domain=[-0.5, 0.5]) for k in range(terms)]
    v, slope, bend = (np.array([f.deriv(j)(x) if j else f(x) for f in shapes]) for j in range(3))
    tension = 1.5 * (0.25 - x**2)
    K = EI * (bend * w) @ bend.T + (slope * (w * tension)) @ slope.T
    values = eigh(K, (v * w) @ v.T, eigvals_only=True)
    return np.asarray(np.sqrt(values[1 : 1 + count]))  # the first is a shift along the orbit


def periodic_pitch(e: float) -> tuple[float, float]:
    """Pitch of a rod on an ellipse of the eccentricity e, which pitches once an orbit: θ' at the nearest point and the
    largest θ; (1 + e cos ν) θ'' = 2 e sin ν (1 + θ') − 3 sin θ cos θ.

    >>> [round(x, 10) for x in periodic_pitch(0.1)]
    [0.0740688856, 0.1039581899]
    """

    def rate(nu: float, y: np.ndarray) -> list[float]:
        bent = 2.0 * e * np.sin(nu) * (1.0 + y[1]) - 3.0 * np.sin(y[0]) * np.cos(y[0])
        return [y[1], bent / (1.0 + e * np.cos(nu))]

    def half(first: float, dense: bool = False):  # type: ignore[no-untyped-def]
        return solve_ivp(rate, (0.0, np.pi), [0.0, first], "DOP853", rtol=1e-13, atol=1e-14, dense_output=dense)

    first = float(brentq(lambda x: half(x).y[0, -1], 0.0, 1.5 * e, xtol=1e-14))
    way = half(first, True).sol
    turning = float(brentq(lambda nu: way(nu)[1], 0.1, np.pi - 0.1, xtol=1e-13))
    return first, float(way(turning)[0])
