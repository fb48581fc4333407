"""Frequencies of a simply supported beam with shear and rotary inertia, and of beams that leave these out.

With w = W sin kx and the turn of the sections ψ = Ψ cos kx, k = nπ/L, the equations of Timoshenko (1921)

    ρA ẅ = GA (w'' − ψ'),      ρI ψ̈ = EI ψ'' + GA (w' − ψ)

ask that a determinant of 2 × 2 be zero:  (ρA ω² − GA k²)(ρI ω² − EI k² − GA) = (GA k)². Its lower root is that of
bending. Without shear ω² = EI k⁴/(ρA + ρI k²) (Rayleigh (1877)), without rotary inertia too ω² = EI k⁴/ρA.
"""

from __future__ import annotations

import numpy as np


def frequencies(count: int, length: float, EI: float, GA: float, rhoA: float, rhoI: float) -> np.ndarray:
    """The first circular frequencies (count,) [rad/s] of bending; GA may be infinite, ρI zero."""
    k2 = (np.arange(1, count + 1) * np.pi / length) ** 2
    # by x = 1/ω²:  EI k⁴ x² − (ρA + ρI k² + ρA EI k²/GA) x + ρA ρI/GA = 0, whose larger root is that of bending
    a, b, c = EI * k2**2, rhoA + rhoI * k2 + rhoA * EI * k2 / GA, rhoA * rhoI / GA
    return np.asarray(np.sqrt(2.0 * a / (b + np.sqrt(b * b - 4.0 * a * c))))


def deflection(force: float, length: float, EI: float, GA: float) -> float:
    """The deflection halfway [m] under a force [N] there, F L³/(48 EI) + F L/(4 GA)."""
    return force * length**3 / (48.0 * EI) + force * length / (4.0 * GA)
