"""A satellite with three reaction wheels along its axes, in closed form; Hughes (1986).

With J the principal inertias of the hull, h the momenta of the wheels about their own axes, as seen from the stars, and
τ the torques of their motors,

    J ω̇ = −τ − ω × (J ω + h),   ḣ = τ

**Linear design.** About rest with h = 0 each axis is J θ̈ = −τ. The regulator τ = k₁ θ + k₂ ω with the least
∫ (q₁ θ² + q₂ ω² + r τ²) dt has, by Riccati's equation, k₁ = √(q₁/r) and k₂ = √(q₂/r + 2 J k₁).

**Sampled.** Read every T and held, that axis has  θ[k+1] = θ + T ω − ½ T² τ/J,  ω[k+1] = ω − T τ/J.

**Slew.** If the whole momentum J ω + h is zero, ω × (J ω + h) vanishes for any motion. With τ = J (a φ + b ω), φ the
rotation vector of the error, the satellite turns about one axis from any rest, and the angle of the error obeys the
recursion of a single axis exactly, however far it is.

**Small motions** about a steady turn at Ω, in the axes of the satellite, δθ measured against axes that turn at Ω:

    δθ̇ = δω − Ω × δθ,   J δω̇ = −δτ − δω × (J Ω + h) − Ω × (J δω + δh),   δḣ = δτ
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation


def regulator(inertia: float, angle: float, rate: float, torque: float) -> tuple[float, float]:
    """k₁ [Nm/rad] and k₂ [Nms/rad] of one axis, from the weights q₁, q₂, r."""
    k = np.sqrt(angle / torque)
    return float(k), float(np.sqrt(rate / torque + 2.0 * inertia * k))


def sampled_axis(a: float, b: float, period: float) -> np.ndarray:
    """The map (2, 2) of (θ, ω) from one instant to the next, for τ = J (a θ + b ω)."""
    T = period
    return np.array([[1.0 - 0.5 * T * T * a, T - 0.5 * T * T * b], [-T * a, 1.0 - T * b]])


def noisy_axis(a: float, b: float, period: float, angle: float, rate: float) -> np.ndarray:
    """The covariance (2, 2) of (θ, ω) at the instants when the readings of both have errors of the standard deviations
    `angle` [rad] and `rate` [rad/s]: P = Φ P Φᵀ + Γ W Γᵀ."""
    push = np.array([0.5 * period**2, period])
    noise = (a * angle) ** 2 + (b * rate) ** 2
    return np.asarray(scipy.linalg.solve_discrete_lyapunov(sampled_axis(a, b, period), noise * np.outer(push, push)))


def small_motions(inertia: np.ndarray, momentum: np.ndarray, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A (9, 9) and B (9, 3) of (δθ, δω, δh), about a steady turn (3,) [rad/s] with the momenta of the wheels (3,)."""
    J, W, H = np.diag(inertia), _cross(turn), _cross(inertia * turn + momentum)
    A, B = np.zeros((9, 9)), np.zeros((9, 3))
    A[:3, :3], A[:3, 3:6] = -W, np.eye(3)
    A[3:6, 3:6] = np.linalg.solve(J, H - W @ J)
    A[3:6, 6:] = -np.linalg.solve(J, W)
    B[3:6], B[6:] = -np.linalg.inv(J), np.eye(3)
    return A, B


def _cross(u: np.ndarray) -> np.ndarray:
    """The matrix of u ×."""
    return np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])


def sampled_poles(A: np.ndarray, B: np.ndarray, K: np.ndarray, period: float, delay: float = 0.0) -> np.ndarray:
    """The poles of x[k+1] = Φ x[k] + Γ₁ u[k−1] + Γ₀ u[k], u = K x, for a `delay` of one period at most."""
    n, m = B.shape

    def moved(h: float) -> tuple[np.ndarray, np.ndarray]:
        E = scipy.linalg.expm(h * np.block([[A, B], [np.zeros((m, n + m))]]))
        return E[:n, :n], E[:n, n:]

    (late, fresh), (_, early) = moved(period - delay), moved(delay)
    whole, _ = moved(period)
    return np.linalg.eigvals(np.block([[whole + fresh @ K, late @ early], [K, np.zeros((m, m))]]))


def slew(
    inertia: np.ndarray, momentum: np.ndarray, start: np.ndarray, K: np.ndarray, period: float, instants: int
) -> tuple[Rotation, np.ndarray, np.ndarray]:
    """Orientation, ω and h after a number of periods, from rest at a rotation vector (3,) with the momenta (3,) of the
    wheels, τ = K (φ, ω) read and held: the nonlinear equations by DOP853, from instant to instant."""

    def rates(t: float, y: np.ndarray, torque: np.ndarray) -> np.ndarray:
        e, omega, h = y[:4], y[4:7], y[7:]
        turning = 0.5 * np.concatenate([[-e[1:] @ omega], e[0] * omega + np.cross(e[1:], omega)])
        return np.concatenate([turning, (-torque - np.cross(omega, inertia * omega + h)) / inertia, torque])

    y = np.concatenate([np.roll(Rotation.from_rotvec(start).as_quat(), 1), np.zeros(3), momentum])
    for _ in range(instants):
        torque = K @ np.concatenate([Rotation.from_quat(np.roll(y[:4], -1)).as_rotvec(), y[4:7]])
        y = solve_ivp(rates, (0.0, period), y, "DOP853", rtol=1e-13, atol=1e-15, args=(torque,)).y[:, -1]
        y[:4] /= np.linalg.norm(y[:4])
    return Rotation.from_quat(np.roll(y[:4], -1)), y[4:7], y[7:]
