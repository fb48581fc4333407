"""Frequencies of a uniform beam whose start is hinged to a hub with inertia J and a torsion spring k.

EI w'''' = ρA ω² w;  at the start w = 0 and EI w'' = (k − J ω²) w' (the beam bends the hub back), at the free end
w'' = w''' = 0. With λ⁴ = ρA ω² L⁴/EI and w = A (cos z − cosh z) + B sin z + C sinh z, z = λ x/L:

    EI (λ/L) (−2A) = (k − J ω²)(B + C)
    A (−cos λ − cosh λ) − B sin λ + C sinh λ = 0,      A (sin λ − sinh λ) − B cos λ + C cosh λ = 0
"""

from __future__ import annotations

import numpy as np

from .mathematics import roots


def frequencies(count: int, length: float, EI: float, rhoA: float, inertia: float, stiffness: float) -> np.ndarray:
    """The first circular frequencies (count,) [rad/s]."""

    def omega(lam: float) -> float:
        return float(np.sqrt(EI / rhoA) * (lam / length) ** 2)

    def determinant(lam: float) -> float:
        c, s = np.cos(lam), np.sin(lam)
        t, small = np.tanh(lam), 1.0 / np.cosh(lam)  # the rows of the free end, divided by cosh λ
        resist = (stiffness - inertia * omega(lam) ** 2) * length / (EI * lam)
        rows = [[2.0, resist, resist], [-c * small - 1.0, -s * small, t], [s * small - t, -c * small, 1.0]]
        return float(np.linalg.det(np.array(rows)))

    grid = np.linspace(0.02, 3.2 * (count + 1), 4000 * (count + 1))
    return np.array([omega(x) for x in roots(determinant, grid)[:count]])
