"""Stability of satellites: spinning ones, and such on a circular orbit that the gravity gradient turns upright.

**Spin.** A body with the principal inertias A, B, C (rotors included) spins at ω about the third axis, along which a
rotor has the momentum h against it. Hughes (1986):

    λ² = −((C − A) ω + h) ((C − B) ω + h)/(A B)

Without a rotor it is stable about the axes of the greatest and of the least inertia.

**Orbit.** Axes of the orbit at the rate n: the first along the flight, the second against the orbit's normal, the third
to the center. Turns α₁, α₂, α₃ about them are small; a rotor has the momentum h along the second. Its angular velocity
is (α̇₁ − n α₃, α̇₂ − n, α̇₃ + n α₁), the moment of gravity 3 n² ((J₃ − J₂) α₁, (J₃ − J₁) α₂, 0), and so

    J₂ α̈₂ + 3 n² (J₁ − J₃) α₂ = 0
    J₁ α̈₁ − g α̇₃ + k₁ α₁ = 0,   k₁ = 4 n² (J₂ − J₃) − n h
    J₃ α̈₃ + g α̇₁ + k₃ α₃ = 0,   k₃ = n² (J₂ − J₁) − n h,     g = n (J₁ + J₃ − J₂) + h

    J₁ J₃ λ⁴ + (J₁ k₃ + J₃ k₁ + g²) λ² + k₁ k₃ = 0

It is stable if λ² of all are real and negative. Without a rotor that is so for J₂ > J₁ > J₃, see Lagrange (1780), and
in a second, small region with J₁ > J₃ > J₂ that DeBra and Delp (1961) found. A body that spins about its axis of
symmetry, the second, at σ against these axes is the same with h = J₂ σ and J₁ = J₃.
"""

from __future__ import annotations

import numpy as np


def spin_square(inertia: np.ndarray, spin: float, momentum: float = 0.0) -> float:
    """λ² [1/s²] of a body that spins about its third axis."""
    A, B, C = inertia
    return float(-((C - A) * spin + momentum) * ((C - B) * spin + momentum) / (A * B))


def orbit_squares(inertia: np.ndarray, rate: float = 1.0, momentum: float = 0.0) -> np.ndarray:
    """λ² (3,) [1/s²], complex: of the turn about the second axis, and of both others."""
    one, two, three = inertia
    first = 4.0 * rate**2 * (two - three) - rate * momentum
    third = rate**2 * (two - one) - rate * momentum
    g = rate * (one + three - two) + momentum
    both = np.roots([one * three, one * third + three * first + g * g, first * third]).astype(complex)
    return np.append(-3.0 * rate**2 * (one - three) / two, both)


def stable(squares: np.ndarray) -> bool:
    """Whether all λ² are real and negative."""
    size = float(np.max(np.abs(squares)))
    return bool(np.all(squares.real < 0.0) and np.all(np.abs(squares.imag) <= 1e-9 * size))


def region(inertia: np.ndarray) -> str:
    """'Lagrange', 'DeBra-Delp' or 'unstable', from inequalities between the inertias alone."""
    one, two, three = inertia
    if not one > three:
        return "unstable"
    first, third = (two - three) / one, (two - one) / three
    product, middle = first * third, 1.0 + 3.0 * first + first * third
    if product <= 0.0 or middle <= 4.0 * np.sqrt(product):
        return "unstable"
    return "Lagrange" if two > one else "DeBra-Delp"
