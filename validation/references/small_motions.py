"""Small motions about a steady state of bodies in space, in closed form, and the exponents of measured ones.

**Gyrostat.** A satellite with the principal inertias A, B, C, its wheel included, spins about the third axis at ω,
where its wheel has the momentum h against it. Hughes (1986): small angular velocities across that axis nutate at

    λ² = ((C − A) ω + h) ((C − B) ω + h)/(A B),      h/√(A B) without spin

For A = B the whole motion is known: with L the angular momentum in space,

    R(t) = exp(t L/A) R(0) exp(t (ω − (C ω + h)/A) e₃)

**Libration.** A rigid satellite on a circular orbit of the rate n, its first axis along the orbit, its third one to the
center. Hughes (1986): small turns about the second axis, and about the first and the third together, at

    s² = 3 n² (J₁ − J₃)/J₂,      s⁴ − (1 + 3 k₁ + k₁ k₃) n² s² + 4 k₁ k₃ n⁴ = 0,
    k₁ = (J₂ − J₃)/J₁,   k₃ = (J₂ − J₁)/J₃

**Sleeping top.** A symmetric body on a fixed point, upright, spins at ω; A about that point across the axis, C along
it; Goldstein, Poole and Safko (2002), § 5.7. The place x + iy of its mass center moves by exp(iλt),

    A λ² − C ω λ + m g l = 0,     stable for C² ω² > 4 A m g l
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation


def nutation(inertia: np.ndarray, momentum: float, spin: float = 0.0) -> float:
    """λ [rad/s] of a gyrostat with principal inertias (3,) [kg m²] and a wheel of a momentum [kg m²/s]."""
    A, B, C = inertia
    return float(np.sqrt(((C - A) * spin + momentum) * ((C - B) * spin + momentum) / (A * B)))


def symmetric_gyrostat(
    across: float, axial: float, momentum: float, start: np.ndarray, times: np.ndarray
) -> tuple[Rotation, np.ndarray]:
    """Orientation and ω (k, 3) [rad/s] in its own axes of a gyrostat with J = (across, across, axial) [kg m²], whose
    axes are those of the ground at t = 0."""
    whole = np.array([across, across, axial]) * start + momentum * np.array([0.0, 0.0, 1.0])
    t = np.asarray(times)[:, None]
    own = Rotation.from_rotvec(t * (start[2] - whole[2] / across) * np.array([0.0, 0.0, 1.0]))
    turn = Rotation.from_rotvec(t * whole / across) * own
    seen = turn.inv().apply(whole) - momentum * np.array([0.0, 0.0, 1.0])
    return turn, seen / np.array([across, across, axial])


def librations(inertia: np.ndarray) -> tuple[float, float, float]:
    """Frequencies of a satellite on a circular orbit, as multiples of its rate: about the second axis, and the slower
    and the faster one about the two others."""
    one, two, three = inertia
    first, third = (two - three) / one, (two - one) / three
    middle, product = 1.0 + 3.0 * first + first * third, 4.0 * first * third
    root = np.sqrt(middle * middle - 4.0 * product)
    slow, fast = np.sqrt(0.5 * (middle - root)), np.sqrt(0.5 * (middle + root))
    return float(np.sqrt(3.0 * (one - three) / two)), float(slow), float(fast)


def sleeping_top(across: float, axial: float, moment: float, spin: float) -> np.ndarray:
    """Both iλ (2,) [1/s] of a top with the moment m g l [Nm], the greater imaginary part first."""
    roots = np.roots([across, -axial * spin, moment])
    return np.asarray(1j * roots[np.argsort(-roots.real - 1e-9 * roots.imag)])


def least_spin(across: float, axial: float, moment: float) -> float:
    """The spin ω [rad/s] from which on a top sleeps."""
    return float(2.0 * np.sqrt(across * moment) / axial)


def exponents(t: np.ndarray, x: np.ndarray, near: np.ndarray) -> np.ndarray:
    """The exponents s (p,) [1/s] of the sum Σ c e^{st} that is nearest to samples x (k,), from some that are near; of
    real samples, with their conjugates."""

    def left(parts: np.ndarray) -> np.ndarray:
        s = parts[: len(near)] + 1j * parts[len(near) :]
        basis = np.exp(np.outer(t, np.concatenate([s, s.conj()]) if np.isrealobj(x) else s))
        away = basis @ np.linalg.lstsq(basis, x, rcond=None)[0] - x
        return np.concatenate([away.real, away.imag]) / np.max(np.abs(x))

    near = np.asarray(near, dtype=complex)
    start = np.concatenate([near.real, near.imag])
    size = np.full(len(start), np.max(np.abs(near)))
    found = least_squares(left, start, jac="3-point", x_scale=size, xtol=1e-15, ftol=1e-15, gtol=1e-15).x
    return np.asarray(found[: len(near)] + 1j * found[len(near) :])
