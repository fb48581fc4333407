"""A body that turns freely in space: Jacobi's elliptic functions, and the closed form of a symmetric body.

Euler's equations J ω̇ + ω × Jω = 0 in the principal axes of the body keep 2T = ω · Jω and L² = |Jω|². For J₁ < J₂ < J₃
and L² > 2T J₂ (Landau and Lifshitz (1976), § 37; else the first and the third axis change places):

    ω₁ = a cn τ,  ω₂ = b sn τ,  ω₃ = c dn τ,      a² = (2T J₃ − L²)/(J₁ (J₃ − J₁)),  b² = (2T J₃ − L²)/(J₂ (J₃ − J₂)),
    τ = τ₀ + t √((J₃ − J₂)(L² − 2T J₁)/(J₁J₂J₃)),  c² = (L² − 2T J₁)/(J₃ (J₃ − J₁)),
    k² = (J₂ − J₁)(2T J₃ − L²)/((J₃ − J₂)(L² − 2T J₁))

The orientation follows from ω by q̇ = ½ q ∘ ω. For a symmetric body, J = (A, A, C), in closed form

    R(t) = exp(t L/A) R(0) exp(t ω₃ (1 − C/A) e₃),      L the angular momentum in space.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipkinc

#: the body of which the numbers are given: principal inertias [kg m²], angular velocity at the start [rad/s]
INERTIA, START = np.array([1.0, 2.0, 3.0]), np.array([0.01, 2.0, 0.01])


def angular_velocity(inertia: np.ndarray, start: np.ndarray, times: np.ndarray) -> np.ndarray:
    """ω (k, 3) [rad/s] in the axes of a body with three different principal inertias J₁ < J₂ < J₃ [kg m²]."""
    J, w = np.asarray(inertia, dtype=float), np.asarray(start, dtype=float)
    twice, squared = w @ (J * w), (J * w) @ (J * w)
    reverse = squared < twice * J[1]
    if reverse:
        J, w = J[::-1], w[::-1]
    near, far = twice * J[2] - squared, squared - twice * J[0]
    a = np.sqrt(near / (J[0] * (J[2] - J[0])))
    c = np.copysign(np.sqrt(far / (J[2] * (J[2] - J[0]))), w[2])
    b = np.copysign(np.sqrt(near / (J[1] * (J[2] - J[1]))), c)
    rate = np.sqrt((J[2] - J[1]) * far / (J[0] * J[1] * J[2]))
    m = (J[1] - J[0]) * near / ((J[2] - J[1]) * far)
    first = ellipkinc(np.arctan2(w[1] / b, w[0] / a), m)
    sn, cn, dn, _ = ellipj(first + rate * np.asarray(times), m)
    found = np.stack([a * cn, b * sn, c * dn], axis=-1)
    return found[..., ::-1] if reverse else found


def quaternion_rate(q: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """½ q ∘ ω, with ω in the axes of the body."""
    e0, e = q[0], q[1:]
    return 0.5 * np.concatenate([[-e @ omega], e0 * omega + np.cross(e, omega)])


def orientation(inertia: np.ndarray, start: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Unit quaternions (k, 4), scalar first, from (1, 0, 0, 0) at t = 0 on, which follow the exact ω."""

    def rate(t: float, q: np.ndarray) -> np.ndarray:
        return quaternion_rate(q, angular_velocity(inertia, start, np.array(t)))

    span = (0.0, float(times[-1]))
    run = solve_ivp(rate, span, [1.0, 0, 0, 0], method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times)
    return np.asarray(run.y.T / np.linalg.norm(run.y.T, axis=1)[:, None])


def symmetric(across: float, axial: float, start: np.ndarray, times: np.ndarray) -> tuple[Rotation, np.ndarray]:
    """Orientation and ω (k, 3) [rad/s] in its own axes of a body with J = (across, across, axial) [kg m²], whose axes
    are those of the ground at t = 0."""
    momentum = np.array([across, across, axial]) * start
    own = start[2] * (1.0 - axial / across) * np.asarray(times)[:, None] * np.array([0.0, 0.0, 1.0])
    turn = Rotation.from_rotvec(np.asarray(times)[:, None] * momentum / across) * Rotation.from_rotvec(own)
    return turn, turn.inv().apply(momentum) / np.array([across, across, axial])
