"""Small motions of a strip on edge out of the plane in which it is stiff; Michell (1899), Prandtl (1899).

A load in the plane x–y makes the bending moment M(x) about z. With the sideways displacement w and the twist φ,

    U = ½ ∫ (EIy w''² + GJ φ'² + 2 M φ w'') dx,      T = ½ ∫ (ρA ẇ² + ρIp φ̇²) dx

by Ritz' method with polynomials; the clamped end is at x = 0. U is no longer positive at the buckling load. Without any
deformation in the plane the buckling loads are known in closed form:

    force on the end:   J_{−1/4}(γ/2) = 0,  γ = F L²/√(EIy GJ) = 4.01259934          (M = F (L − x))
    weight of a standing column:  J_{−1/3}(⅔ √g) = 0,  g = q L³/EI = 7.83734744
    moments on both ends, each held against twist: π √(EIy GJ)/L; by moments that bend the strip in its plane first,
    with the curvature M/EIz, π/L √(EIy GJ/((1 − EIy/EIz)(1 − GJ/EIz)))
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from scipy.optimize import brentq
from scipy.special import jv

from .mathematics import gauss, legendre


def tip_load() -> float:
    """F L²/√(EIy GJ) of a cantilever under a force on its end."""
    return 2.0 * float(brentq(lambda x: jv(-0.25, x), 1.9, 2.1, xtol=1e-15))


def weight() -> float:
    """q L³/EI of a standing column, clamped below, under its own weight."""
    return float((1.5 * brentq(lambda x: jv(-1.0 / 3.0, x), 1.8, 1.9, xtol=1e-15)) ** 2)


def moment(length: float, EIy: float, GJ: float, EIz: float = np.inf) -> float:
    """The moments [Nm] on both ends of a simply supported strip."""
    return float(np.pi / length * np.sqrt(EIy * GJ / ((1.0 - EIy / EIz) * (1.0 - GJ / EIz))))


@dataclass(frozen=True)
class Strip:
    """A cantilever with a force `force` [N] on its end, in its plane and across it; `terms` polynomials for each of w
    and φ."""

    length: float
    EIy: float
    GJ: float
    rhoA: float
    rhoIp: float
    force: float = 0.0
    terms: int = 12

    def matrices(self) -> tuple[np.ndarray, np.ndarray]:
        """Stiffness and mass (2 terms, 2 terms)."""
        x, weights, _ = gauss(2 * self.terms + 6)
        L, n = self.length, self.terms
        p0, p1, p2 = (legendre(n, x, order).T for order in range(3))
        w, bend = x**2 * p0, (2.0 * p0 + 4.0 * x * p1 + x**2 * p2) / L**2
        phi, twist = x * p0, (p0 + x * p1) / L
        weights = weights * L
        across = (bend * (weights * self.force * L * (1.0 - x))) @ phi.T
        K = np.block(
            [[self.EIy * (bend * weights) @ bend.T, across], [across.T, self.GJ * (twist * weights) @ twist.T]]
        )
        zero = np.zeros((n, n))
        M = np.block([[self.rhoA * (w * weights) @ w.T, zero], [zero, self.rhoIp * (phi * weights) @ phi.T]])
        return K, M

    def omega_squared(self, count: int) -> np.ndarray:
        """The lowest squares of circular frequencies (count,), negative beyond the buckling load."""
        return np.asarray(scipy.linalg.eigh(*self.matrices(), eigvals_only=True)[:count])
