"""Flutter load of Beck's column: a cantilever pushed by a force that stays tangential to its end; see Beck (1952).

EI w'''' + P w'' + ρA ẅ = 0 with w = w' = 0 at the clamped end and w'' = w''' = 0 at the free one. With lengths in L,
p = P L²/EI, and ω in √(EI/ρA)/L², w = φ(x) e^{iωt},

    φ = A (cosh bx − cos ax) + B (sinh bx − (b/a) sin ax),   a² − b² = p,   a b = ω

and the two conditions at x = 1 have a solution when

    D(p, ω) = p² + 2 ω² (1 + cos a cosh b) + p ω sin a sinh b = 0.

At the flutter load the two lowest frequencies become one: D = ∂D/∂ω = 0.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import root


def characteristic(p: complex, omega: complex) -> complex:
    """D(p, ω)."""
    whole = np.sqrt(p * p / 4.0 + omega * omega)
    a, b = np.sqrt(whole + p / 2.0), np.sqrt(whole - p / 2.0)
    return p**2 + 2.0 * omega**2 * (1.0 + np.cos(a) * np.cosh(b)) + p * omega * np.sin(a) * np.sinh(b)


def flutter() -> tuple[float, float]:
    """Flutter load P L²/EI and frequency ω L² √(ρA/EI) there."""

    def conditions(x: np.ndarray) -> list[float]:
        value = characteristic(x[0], x[1] + 1e-30j)  # a complex step gives the derivative
        return [value.real, value.imag / 1e-30]

    found = root(conditions, [20.0, 11.0], tol=1e-13)
    return float(found.x[0]), float(found.x[1])
