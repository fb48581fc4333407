"""The inextensible cantilever under a force across its end, by elliptic integrals, see Bisshopp and Drucker (1945), and
buckled by a force along it.

With the slope φ at the end, k² = (1 + sin φ)/2 and sin θ = 1/(k √2):

    √α = K(k) − F(θ, k),  α = P L²/(EI);    y/L = 1 − 2 (E(k) − E(θ, k))/√α;    x/L = √(2 sin φ/α)
"""

from __future__ import annotations

import numpy as np
from scipy.special import ellipe, ellipeinc, ellipk, ellipkinc


def force(slope: float) -> float:
    """P L²/(EI) for a slope at the end [rad]."""
    m, theta = _modulus(slope)
    return float((ellipk(m) - ellipkinc(theta, m)) ** 2)


def tip(slope: float) -> tuple[float, float]:
    """x/L and y/L of the end."""
    m, theta = _modulus(slope)
    root = ellipk(m) - ellipkinc(theta, m)
    return float(np.sqrt(2.0 * np.sin(slope)) / root), float(1.0 - 2.0 * (ellipe(m) - ellipeinc(theta, m)) / root)


def buckled_load(m: float) -> float:
    """P L²/(EI) of a cantilever that a force along it has buckled, so that its end leans by 2 arcsin √m: K(m)²."""
    return float(ellipk(m) ** 2)


def buckled_tip(m: float) -> tuple[float, float]:
    """x/L and y/L of its end, x along the column."""
    return float(2.0 * ellipe(m) / ellipk(m) - 1.0), float(2.0 * np.sqrt(m) / ellipk(m))


def _modulus(slope: float) -> tuple[float, float]:
    m = 0.5 * (1.0 + np.sin(slope))
    return m, float(np.arcsin(1.0 / np.sqrt(2.0 * m)))
