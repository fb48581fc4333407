"""Natural frequencies of two slender beams in a row, clamped at the start, with a mass at the joint and one at the end.

Euler and Bernoulli's equation EI w'''' = ρA ω² w has the exact solution by Krylov's functions, which take
y = (w, w', EI w'', EI w''') from the start of a beam of length L to its end, with λ⁴ = ρA ω²/EI. A mass m with the
inertia J between two beams, or behind the last one, where y is (.., .., 0, 0), adds

    EI w'' → EI w'' − J ω² w',    EI w''' → EI w''' + m ω² w

From (0, 0, M, V) at the clamp, EI w'' and EI w''' behind the last mass are linear in M and V and vanish together where
their determinant does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .mathematics import roots


def _beam(length: float, EI: float, rhoA: float, omega: float) -> np.ndarray:
    lam = (rhoA * omega**2 / EI) ** 0.25
    z = lam * length
    S, T, U, V = (
        0.5 * (np.cosh(z) + np.cos(z)), 0.5 * (np.sinh(z) + np.sin(z)),
        0.5 * (np.cosh(z) - np.cos(z)), 0.5 * (np.sinh(z) - np.sin(z)),
    )  # fmt: skip
    scale = np.array([1.0, lam, EI * lam**2, EI * lam**3])
    plain = np.array([[S, T, U, V], [V, S, T, U], [U, V, S, T], [T, U, V, S]])
    return scale[:, None] * plain / scale


def frequencies(
    lengths: Sequence[float],
    bending: Sequence[float],
    rhoA: Sequence[float],
    masses: Sequence[float],
    inertias: Sequence[float],
    count: int = 2,
    highest: float = 60.0,
) -> np.ndarray:
    """The first frequencies (count,) [Hz], below `highest`, of beams with a mass behind each."""

    def determinant(hertz: float) -> float:
        omega = 2.0 * np.pi * hertz
        y = np.eye(4)[:, 2:]
        for length, EI, mu, mass, inertia in zip(lengths, bending, rhoA, masses, inertias):
            y = _beam(length, EI, mu, omega) @ y
            y[2] -= inertia * omega**2 * y[1]
            y[3] += mass * omega**2 * y[0]
        return float(np.linalg.det(y[2:]))

    return np.array(roots(determinant, np.linspace(0.05, highest, 2000))[:count])
