"""The heavy top of Brüls, Cardona and Géradin (2012): a symmetric body spins fast about a fixed point, in its own axes.

J_O ω̇ + ω × J_O ω = m c × Rᵀ g,   J_O = J + m (|c|² 1 − c cᵀ),   q̇ = ½ q ∘ ω,   with c from the point to the mass center
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from flexmb.validation.references.free_rotation import quaternion_rate

MASS, GRAVITY = 15.0, np.array([0.0, 0.0, -9.81])
#: inertia about the mass center [kg m²], and the mass center [m], in the axes of the body; ω at the start [rad/s]
INERTIA, CENTER, START = (
    np.diag([0.234375, 0.46875, 0.234375]),
    np.array([0.0, 1.0, 0.0]),
    np.array([0.0, 150.0, -4.61538]),
)
#: inertia about the fixed point [kg m²]
FIXED = INERTIA + MASS * (CENTER @ CENTER * np.eye(3) - np.outer(CENTER, CENTER))


def rates(q: np.ndarray, omega: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q̇ and ω̇ [rad/s²]."""
    weight = MASS * Rotation.from_quat(np.roll(q, -1)).inv().apply(GRAVITY)
    moment = np.cross(CENTER, weight) - np.cross(omega, FIXED @ omega)
    return quaternion_rate(q, omega), np.linalg.solve(FIXED, moment)


def motion(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit quaternions (k, 4), scalar first, and ω (k, 3) [rad/s] in the axes of the body, from t = 0 on."""
    span, start = (0.0, float(times[-1])), np.concatenate([[1.0, 0, 0, 0], START])
    run = solve_ivp(
        lambda t, y: np.concatenate(rates(y[:4], y[4:])), span, start, method="DOP853", rtol=1e-13, atol=1e-13,
        t_eval=times,
    )  # fmt: skip
    return np.asarray(run.y[:4].T), np.asarray(run.y[4:].T)


def center(q: np.ndarray) -> np.ndarray:
    """Places of the mass center (k, 3) [m]."""
    return np.asarray(Rotation.from_quat(np.roll(q, -1, axis=-1)).apply(CENTER))


def energy(q: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """½ ω · J_O ω − m g · r [J]."""
    kinetic = 0.5 * np.sum(omega * (omega @ FIXED), axis=1)
    return np.asarray(kinetic - MASS * center(q) @ GRAVITY)


def force(q: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """Force of the ground on the top (k, 3) [N], in the axes of the ground."""
    alpha = np.array([rates(*state)[1] for state in zip(q, omega)])
    acceleration = np.cross(alpha, CENTER) + np.cross(omega, np.cross(omega, CENTER))
    turn = Rotation.from_quat(np.roll(q, -1, axis=-1))
    return np.asarray(MASS * (turn.apply(acceleration) - GRAVITY))


def force_at_start() -> np.ndarray:
    """Force of the ground on the top at t = 0 [N]."""
    return np.asarray(force(np.array([[1.0, 0, 0, 0]]), START[None, :])[0])
