"""Frequencies of curved, twisted and tapered rods in closed form: rings, uniform rods of constant curvature and twist,
wedges.

**A ring** (Love (1927), chapter 21, here with shear, stretching and rotary inertia). In its plane, with
displacements u = U cos kθ outward and w = W sin kθ along it and the turn ψ = Ψ sin kθ of its sections,

    ε = w' + u/R,   γ = u' − w/R + ψ,   κ = ψ';    out of it, v = V cos kθ, turns χ = X sin kθ about the radius and
    φ = P cos kθ about the axis,   γ = v' − χ,   κ = χ' − φ/R,   κ₁ = φ' + χ/R

so each k has three frequencies of each kind; the lowest are those of bending.

**A uniform rod** of the curvature and twist κ₀ (3,), in the axes of its sections. With displacements u, turns θ, force
n and moment m, all times cos ωt, of the sections of the flexibility C⁻¹ and the mass M (6 × 6),

    u' = (C⁻¹σ)_u − κ₀ × u − e × θ,   θ' = (C⁻¹σ)_θ − κ₀ × θ,   n' = −κ₀ × n − ω² (M y)_u,
    m' = −κ₀ × m − e × n − ω² (M y)_θ

is a linear equation with constant coefficients, whose solution is the exponential of a matrix. Clamped at its start and
free at its end it has the frequencies at which the block of (n, m) by (n, m) is singular.

**A wedge** of constant width whose height grows as the distance x from its edge (Kirchhoff (1879), Mabie and Rogers
(1964)): with EI = e x³, ρA = a x and q⁴ = ω² a/e

    w = x^(−½) [A J₁(z) + B Y₁(z) + C I₁(z) + D K₁(z)],   z = 2 q √x
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh, expm
from scipy.optimize import brentq
from scipy.special import iv, jv, kv, yv
from threadpoolctl import threadpool_limits

#: the reason of the tolerance :func:`change`
WHY = "a third of the change from 16 to 32 elements, and a fifth of that: errors are of order two at least"


def change(found: np.ndarray) -> float:
    """A bound of the error of the last of several values, which falls with the square of the length at least."""
    return 0.4 * abs(float(found[-1] - found[-2]))


def ring_in_plane(k: int, R: float, EA: float, GA: float, EI: float, rhoA: float, rhoI: float) -> float:
    """The lowest circular frequency [rad/s] of a ring that bends in its plane in k waves, k > 1."""
    strains = np.array([[1.0, k, 0.0], [-k, -1.0, R], [0.0, 0.0, k]]) / R
    K = strains.T @ np.diag([EA, GA, EI]) @ strains
    return float(np.sqrt(eigh(K, np.diag([rhoA, rhoA, rhoI]), eigvals_only=True)[0]))


def ring_out_of_plane(
    k: int, R: float, GA: float, EI: float, GJ: float, rhoA: float, rhoI: float, rhoIp: float
) -> float:
    """The lowest circular frequency [rad/s] of a ring that bends out of its plane in k waves, k > 1."""
    strains = np.array([[-k, -R, 0.0], [0.0, k, -1.0], [0.0, 1.0, -k]]) / R
    K = strains.T @ np.diag([GA, EI, GJ]) @ strains
    return float(np.sqrt(eigh(K, np.diag([rhoA, rhoI, rhoIp]), eigvals_only=True)[0]))


def _cross(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def cantilever_determinant(
    omega: float, L: float, curvature: np.ndarray, flexibility: np.ndarray, mass: np.ndarray
) -> float:
    """The determinant that is zero at the circular frequencies of a uniform rod, clamped and free, in scaled axes."""
    turn, ahead = _cross(np.asarray(curvature, dtype=float)), _cross(np.array([1.0, 0.0, 0.0]))
    A = np.zeros((12, 12))
    for k in range(4):
        A[3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = -turn
    A[:3, 3:6] = -ahead
    A[9:, 6:9] = -ahead
    A[:6, 6:] = flexibility
    A[6:, :6] = -(omega**2) * mass
    # forces in the unit of bending stiffness
    unit = 1.0 / np.max(np.diag(flexibility)[4:])
    scale = np.concatenate([np.ones(6), np.full(6, unit)])
    whole = expm(L * A * scale[None, :] / scale[:, None])
    return float(np.linalg.det(whole[6:, 6:]))


@threadpool_limits.wrap(limits=1)
def cantilever(
    count: int, top: float, L: float, curvature: np.ndarray, flexibility: np.ndarray, mass: np.ndarray
) -> np.ndarray:
    """The first circular frequencies (count,) [rad/s] below `top` of a uniform rod, clamped and free."""
    grid = np.linspace(0.0, np.sqrt(top), 120)[1:] ** 2
    values = [cantilever_determinant(x, L, curvature, flexibility, mass) for x in grid]
    found = [
        brentq(cantilever_determinant, a, b, args=(L, curvature, flexibility, mass), xtol=1e-13 * b, rtol=1e-13)
        for a, b, one, two in zip(grid[:-1], grid[1:], values[:-1], values[1:])
        if one * two < 0.0
    ]
    return np.array(found[:count])


def wedge_determinant(omega: float, first: float, last: float, e: float, a: float) -> float:
    """The determinant that is zero at the circular frequencies of a wedge, free at `first`, clamped at `last`."""
    q = (omega**2 * a / e) ** 0.25
    z, y = 2.0 * q * np.sqrt(first), 2.0 * q * np.sqrt(last)
    signs = np.array([1.0, 1.0, 1.0, 1.0]), np.array([-1.0, -1.0, 1.0, -1.0])
    kinds = jv, yv, iv, kv
    bend = signs[0] * [f(3, z) for f in kinds]  # w''
    shear = np.array([1.0, 1.0, 1.0, -1.0]) * [f(2, z) for f in kinds]  # (x³ w'')'
    place = np.array([f(1, y) for f in kinds])
    slope = signs[1] * [f(2, y) for f in kinds]  # w'
    rows = np.array([bend, shear, place, slope])
    return float(np.linalg.det(rows / np.linalg.norm(rows, axis=1)[:, None] / [1.0, 1.0, np.exp(y), np.exp(-y)]))


def wedge(count: int, first: float, last: float, e: float, a: float) -> np.ndarray:
    """The first circular frequencies (count,) [rad/s] of a wedge with EI = e x³ and ρA = a x, free at x = `first`,
    clamped at `last`."""
    # roots are about π/2 apart in q (√last − √first), and more
    q = np.arange(0.3, 4.0 * (count + 1), 0.05) / (np.sqrt(last) - np.sqrt(first)) / 2.0
    grid = q**2 * np.sqrt(e / a)
    values = [wedge_determinant(x, first, last, e, a) for x in grid]
    found = [
        brentq(wedge_determinant, one, two, args=(first, last, e, a), xtol=1e-13 * two, rtol=1e-13)
        for one, two, left, right in zip(grid[:-1], grid[1:], values[:-1], values[1:])
        if left * right < 0.0
    ]
    return np.array(found[:count])
