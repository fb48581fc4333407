"""Small motions with periodic coefficients: Mathieu's equation, a rotor on a flat shaft, van der Pol's limit cycle.

All by SciPy alone: the equations are integrated as they stand here, or have constant coefficients in axes that turn
along.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

#: relative and absolute tolerance of integrations
TIGHT = 1e-12


def monodromy(A: Callable[[float], np.ndarray], period: float) -> np.ndarray:
    """M of ẋ = A(t) x over a period."""
    n = len(A(0.0))

    def rates(t: float, x: np.ndarray) -> np.ndarray:
        return np.asarray((A(t) @ x.reshape(n, n)).ravel())

    found = solve_ivp(rates, (0.0, period), np.eye(n).ravel(), method="DOP853", rtol=TIGHT, atol=TIGHT)
    return np.asarray(found.y[:, -1].reshape(n, n))


def mathieu(a: float, q: float) -> np.ndarray:
    """M of Mathieu's equation y″ + (a − 2 q cos 2τ) y = 0 over its period π.

    On the borders of stability, the characteristic values a_r(q), b_r(q), its trace is 2 for even r and −2 for odd r.
    """
    return monodromy(lambda t: np.array([[0.0, 1.0], [2.0 * q * np.cos(2.0 * t) - a, 0.0]]), np.pi)


def flat_shaft(omega: float, omega_1: float, omega_2: float, damping: float) -> np.ndarray:
    """Multipliers (4,) over a turn of a disk on a shaft that turns at Ω, in bearings that do not yield: circular
    frequencies ω₁, ω₂ of its two planes of bending, and the `damping` c/m [1/s] of a disk in still air.

    In axes that turn along, which are the same after a turn,

        ξ̈ + 2 Ω J ξ̇ − Ω² ξ + c/m (ξ̇ + Ω J ξ) + diag(ω₁², ω₂²) ξ = 0,    J = [0 −1; 1 0]

    Without damping λ⁴ + (ω₁² + ω₂² + 2 Ω²) λ² + (ω₁² − Ω²)(ω₂² − Ω²) = 0: motions grow for ω₁ < Ω < ω₂.
    """
    J = np.array([[0.0, -1.0], [1.0, 0.0]])
    K = np.diag([omega_1**2, omega_2**2]) - omega**2 * np.eye(2) + damping * omega * J
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-K, -2.0 * omega * J - damping * np.eye(2)]])
    return np.asarray(np.exp(np.linalg.eigvals(A) * 2.0 * np.pi / omega))


def flat_shaft_in_bearings(
    omega: float, shaft: tuple[float, float], bearing: tuple[float, float], masses: tuple[float, float], damping: float
) -> np.ndarray:
    """Multipliers (8,) over a turn of a disk on a flat shaft in bearings that differ by direction: stiffness of the
    shaft in its own axes, of the bearings along x and y [N/m]; masses of bearings and disk [kg]; `damping` of both
    [Ns/m]. States: x, y of the bearings, of the disk, and their rates."""

    def A(t: float) -> np.ndarray:
        c, s = np.cos(omega * t), np.sin(omega * t)
        R = np.array([[c, -s], [s, c]])
        own = R @ np.diag(shaft) @ R.T
        K = np.block([[own + np.diag(bearing), -own], [-own, own]])
        weight = np.repeat(masses, 2)[:, None]
        return np.block([[np.zeros((4, 4)), np.eye(4)], [-K / weight, -damping * np.eye(4) / weight]])

    return np.linalg.eigvals(monodromy(A, 2.0 * np.pi / omega))


def van_der_pol(mu: float) -> tuple[float, float, float]:
    """Amplitude, period and multiplier of the limit cycle of ẍ − μ (1 − x²) ẋ + x = 0. One multiplier is 1; the other
    is the determinant of M, by Liouville exp ∫ μ (1 − x²) dt."""

    def rates(t: float, x: np.ndarray) -> list[float]:
        return [x[1], mu * (1.0 - x[0] ** 2) * x[1] - x[0], mu * (1.0 - x[0] ** 2)]

    def turns(t: float, x: np.ndarray) -> float:
        return float(x[1])

    turns.direction = -1.0  # type: ignore[attr-defined]
    settled = solve_ivp(rates, (0.0, 100.0), [2.0, 0.0, 0.0], method="DOP853", rtol=TIGHT, atol=TIGHT, events=turns)
    first, last = settled.y_events[0][-2:]
    return float(last[0]), float(settled.t_events[0][-1] - settled.t_events[0][-2]), float(np.exp(last[2] - first[2]))
