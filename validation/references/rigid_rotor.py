"""A rigid rotor that spins in two bearings on springs: small motions in closed form, and critical speeds.

Mass m, inertia C about the axis z, A and B across it; bearings at z = −a and z = b from the mass center with the
stiffness k_a and k_b, along x and along y. With the place x, y of the mass center and the turns α, β about x and y of
axes that do not spin, a point of the axis at z moves by x + z β and y − z α. For A = B and the spin Ω

    m ẍ + Σ k_x (x + z β) = 0,     A β̈ − C Ω α̇ + Σ k_x z (x + z β) = 0
    m ÿ + Σ k_y (y − z α) = 0,     A α̈ + C Ω β̇ − Σ k_y z (y − z α) = 0

With equal bearings at equal distances k₁ = Σ k and k₂ = Σ k z², and the tilt is by itself:

    ω = √(k₁/m),    ω = √((C Ω/2 A)² + k₂/A) ± C Ω/2 A;     Ω² = k₂/(A − C) where the faster one turns with the rotor

With A ≠ B coefficients are constant in axes that spin along, if the bearings are equal along x and y. There Euler's
equations for the tilt are, with the rates ω₁ = α̇ − Ω β, ω₂ = β̇ + Ω α,

    A ω̇₁ + (C − B) Ω ω₂ + k₂ α = 0,   B ω̇₂ + (A − C) Ω ω₁ + k₂ β = 0
"""

from __future__ import annotations

import numpy as np


def tilts(across: float, axial: float, stiffness: float, spin: float) -> tuple[float, float]:
    """The slower and the faster frequency [rad/s] of the tilt in equal bearings, in axes that rest."""
    half = 0.5 * axial * spin / across
    root = float(np.sqrt(half * half + stiffness / across))
    return root - abs(half), root + abs(half)


def critical_speed(across: float, axial: float, stiffness: float) -> float:
    """The spin [rad/s] at which the faster tilt goes round with the rotor, C < A."""
    return float(np.sqrt(stiffness / (across - axial)))


def eigenvalues(
    mass: float, across: float, axial: float, spin: float, bearings: tuple[tuple[float, float, float], ...]
) -> np.ndarray:
    """λ (8,) [1/s] in axes that rest; `bearings` (z, k_x, k_y)."""
    M = np.diag([mass, mass, across, across])
    C, K = np.zeros((2, 4, 4))
    C[2, 3], C[3, 2] = axial * spin, -axial * spin
    for z, along_x, along_y in bearings:
        for way, k in (((1.0, 0.0, 0.0, z), along_x), ((0.0, 1.0, -z, 0.0), along_y)):
            K += k * np.outer(way, way)
    return _of_second_order(M, C, K)


def unequal(inertia: tuple[float, float, float], stiffness: float, spin: float) -> np.ndarray:
    """λ (4,) [1/s] of the tilt of a rotor with A ≠ B, in axes that spin along."""
    A, B, C = inertia
    M = np.diag([A, B])
    D = spin * np.array([[0.0, C - B - A], [A + B - C, 0.0]])
    K = np.diag([stiffness + (C - B) * spin**2, stiffness + (C - A) * spin**2])
    return _of_second_order(M, D, K)


def _of_second_order(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> np.ndarray:
    n = len(M)
    top = np.hstack([np.zeros((n, n)), np.eye(n)])
    return np.linalg.eigvals(np.vstack([top, np.hstack([-np.linalg.solve(M, K), -np.linalg.solve(M, C)])]))
