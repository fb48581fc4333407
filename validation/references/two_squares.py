"""Two hinged squares with a spring-damper (Skyenginlab (n.d.)), by minimal coordinates.

Square 1 turns about the origin at its corner (−a, −a); its (a, a) corner P lies at 2a (cos − sin, sin +
cos)(θ1), and square 2 is hinged there with its (−a, a) corner. With the unit vectors e(θ) = (cos θ, sin
θ), n(θ) = (−sin θ, cos θ):

    R1 = a (e1 + n1),    P = 2 R1,    R2 = P + a (e2 − n2),    C = R2 + a (e2 − n2) = P + 2a (e2 − n2)

C is the (a, −a) corner, to which the spring is fastened; the other end is at (4a, 0). The speeds are
R1' = a (n1 − e1) ω1, R2' = 2a (n1 − e1) ω1 + a (n2 + e2) ω2, C' = 2a (n1 − e1) ω1 + 2a (n2 + e2) ω2.
Lagrange's equations with J = ⅔ m a² about the center, u1 = a (n1 − e1), u2 = a (n2 + e2), u1' = −R1 ω1,
u2' = a (n2 − e2) ω2:

    M11 = m |u1|² + J + m |2 u1|²,   M12 = m 2u1·u2,   M22 = m |u2|² + J
    M θ̈ + h = Q,   h1 = m 2u1·b,  h2 = m u2·b,   b = −2 R1 ω1² + a (n2 − e2) ω2²   (u1 ⟂ R1)
    Q1 = −m g (u1 + 2u1)_y + 2u1·F,    Q2 = −m g u2_y + 2 u2·F

F is the force of the spring-damper on C: −k Δ − c (d·Δ') d with Δ = C − (4a, 0) and d = Δ/|Δ|, and −c
Δ' where Δ = 0, which is where the motion starts.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import root

from . import mathematics

G, MASS, A, STIFFNESS, DAMPING = 9.81, 5.0, 1.0, 10.0, 1.0
INERTIA = 2.0 / 3.0 * MASS * A**2
ANCHOR = np.array([4.0 * A, 0.0])


def _geometry(y: np.ndarray) -> tuple[np.ndarray, ...]:
    (c1, s1), (c2, s2) = ((np.cos(x), np.sin(x)) for x in y[:2])
    e1, n1, e2, n2 = (np.array(v) for v in ((c1, s1), (-s1, c1), (c2, s2), (-s2, c2)))
    R1 = A * (e1 + n1)
    u1 = A * (n1 - e1)
    u2 = A * (n2 + e2)
    R2 = 2 * R1 + A * (e2 - n2)
    C = 2 * R1 + 2 * A * (e2 - n2)
    return R1, R2, C, u1, u2, A * (n2 - e2)


def _rate(t: float, y: np.ndarray) -> np.ndarray:
    R1, _, C, u1, u2, w2 = _geometry(y)
    o1, o2 = y[2:]
    spring = C - ANCHOR
    length = np.linalg.norm(spring)
    speed = 2 * u1 * o1 + 2 * u2 * o2
    if length > 0.0:
        along = spring / length
        F = -STIFFNESS * spring - DAMPING * (along @ speed) * along
    else:
        F = -DAMPING * speed
    coupling = 2 * MASS * u1 @ u2
    M = np.array([[5 * MASS * u1 @ u1 + INERTIA, coupling], [coupling, MASS * u2 @ u2 + INERTIA]])
    bias = -2 * R1 * o1**2 + w2 * o2**2
    Q = np.array([-3 * MASS * G * u1[1] + 2 * u1 @ F, -MASS * G * u2[1] + 2 * u2 @ F])
    return np.concatenate([y[2:], np.linalg.solve(M, Q - MASS * np.array([2 * u1 @ bias, u2 @ bias]))])


def motion(times: np.ndarray) -> dict[str, np.ndarray]:
    """theta1, theta2 [rad], omega1, omega2 [rad/s] and the centers x1, y1, x2, y2 [m] at the given times."""
    states = mathematics.motion(_rate, np.zeros(4), np.asarray(times, dtype=float))
    centers = np.array([np.concatenate(_geometry(y)[:2]) for y in states.T])
    names = ("theta1", "theta2", "omega1", "omega2", "x1", "y1", "x2", "y2")
    return dict(zip(names, [*states, *centers.T]))


def equilibrium() -> dict[str, float]:
    """theta1, theta2 [rad] and the center x2, y2 [m] of the second square at the lowest potential energy
    m g (y1 + y2) + ½ k |Δ|², found on a grid of all angles and refined."""

    def potential(y: np.ndarray) -> float:
        R1, R2, C, *_ = _geometry(np.array([*y, 0.0, 0.0]))
        return float(MASS * G * (R1[1] + R2[1]) + 0.5 * STIFFNESS * (C - ANCHOR) @ (C - ANCHOR))

    grid = [np.array([a, b]) for a in np.arange(-np.pi, np.pi, 0.2) for b in np.arange(-np.pi, np.pi, 0.2)]
    lowest = min(grid, key=potential)
    solution = root(lambda y: accelerations(y[0], y[1], 0.0, 0.0), lowest, tol=1e-13)
    R2 = _geometry(np.array([*solution.x, 0.0, 0.0]))[1]
    return {"theta1": float(solution.x[0]), "theta2": float(solution.x[1]), "x2": float(R2[0]), "y2": float(R2[1])}


def accelerations(theta1: float, theta2: float, omega1: float, omega2: float) -> np.ndarray:
    """θ1'', θ2'' (2,) [rad/s²] of a state."""
    return _rate(0.0, np.array([theta1, theta2, omega1, omega2]))[2:]


def energy(run: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Mechanical energy (k,) [J], zero at the start, and power of the damper (k,) [W] of a `motion`.

    E = ½ ωᵀ M ω + m g (y1 + y2 − 2a) + ½ k |Δ|²,  E' = −c (d·Δ')²; the power is returned positive.
    """
    total, lost = [], []
    for y in np.column_stack([run[x] for x in ("theta1", "theta2", "omega1", "omega2")]):
        R1, R2, C, u1, u2, _ = _geometry(y)
        v1, v2, speed = u1 * y[2], 2 * u1 * y[2] + u2 * y[3], 2 * u1 * y[2] + 2 * u2 * y[3]
        spring = C - ANCHOR
        length = np.linalg.norm(spring)
        kinetic = 0.5 * MASS * (v1 @ v1 + v2 @ v2) + 0.5 * INERTIA * (y[2] ** 2 + y[3] ** 2)
        total.append(kinetic + MASS * G * (R1[1] + R2[1] - 2 * A) + 0.5 * STIFFNESS * spring @ spring)
        along = speed @ spring / length if length > 0.0 else np.linalg.norm(speed)
        lost.append(DAMPING * along**2)
    return np.array(total), np.array(lost)
