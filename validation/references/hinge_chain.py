"""Chains of rigid bodies on hinges in space, by their relative angles; also with the last body held by a hinge.

Body i stands on body i − 1 at the place d_i of that body's axes, in axes A_i turned by q_i about e_i:

    R_i = R_{i−1} A_i exp(q_i ẽ_i),   r_i = r_{i−1} + R_{i−1} d_i,   z_i = R_{i−1} A_i e_i

Kane's equations project those of Newton and Euler on the velocities that q̇_j gives body i ≥ j, z_j × (c_i − r_j) of its
mass center and z_j of turning. With the accelerations a, α that there are for q̈ = 0, and I the inertia in space:

    Σ_i (J_vᵀ m J_v + J_ωᵀ I J_ω) q̈ = Σ_i J_vᵀ m (g − a) − J_ωᵀ (I α + ω × I ω)

A closed chain has C q̈ = −c in addition; rows that repeat others stay in it: C q̈ = −c is solved by singular values, and
the equations of motion are projected on the null space of C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

#: three numbers
Vector = Sequence[float] | np.ndarray


@dataclass(frozen=True)
class Link:
    """A body: its mass [kg], principal inertias about its mass center [kg m²] and that center [m], in axes with the
    origin at its hinge; place [m] and axes (3, 3) of the hinge on the body before, and the direction of its axis."""

    mass: float
    inertia: Vector
    center: Vector
    offset: Vector
    axes: np.ndarray = field(default_factory=lambda: np.eye(3))
    axis: Vector = (0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Closure:
    """A hinge between the last body and the ground: its place [m] and its axis on the body and on the ground."""

    place: Vector
    ground: Vector
    axis: Vector
    ground_axis: Vector


@dataclass(frozen=True)
class Pose:
    """A chain in motion: of each body its turn R, its hinge r, its mass center and the axis z of its hinge; ω; the
    accelerations of hinge and mass center and the angular one for q̈ = 0; all in space."""

    turn: np.ndarray
    hinge: np.ndarray
    center: np.ndarray
    axis: np.ndarray
    omega: np.ndarray
    hinge_bias: np.ndarray
    center_bias: np.ndarray
    alpha_bias: np.ndarray

    def velocities(self, body: int, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """J_v of a place in space on a body, and J_ω of the body (3, n)."""
        linear, angular = np.zeros((3, len(self.axis))), np.zeros((3, len(self.axis)))
        for j in range(body + 1):
            linear[:, j], angular[:, j] = _cross(self.axis[j], place - self.hinge[j]), self.axis[j]
        return linear, angular


@dataclass(frozen=True)
class HingeChain:
    """A chain of links under gravity [m/s²], open or closed."""

    links: Sequence[Link]
    gravity: np.ndarray
    closure: Closure | None = None

    def pose(self, q: np.ndarray, rate: np.ndarray) -> Pose:
        """Where the bodies are, and their accelerations for q̈ = 0."""
        columns: list[list[np.ndarray]] = [[] for _ in range(8)]
        R, r = np.eye(3), np.zeros(3)
        omega, alpha, a = np.zeros(3), np.zeros(3), np.zeros(3)
        for link, angle, speed in zip(self.links, q, rate):
            arm = R @ link.offset
            r, a = r + arm, a + _cross(alpha, arm) + _cross(omega, _cross(omega, arm))
            z = R @ link.axes @ link.axis
            alpha = alpha + _cross(omega, z) * speed
            omega = omega + z * speed
            R = R @ link.axes @ Rotation.from_rotvec(angle * np.asarray(link.axis)).as_matrix()
            arm = R @ link.center
            center = a + _cross(alpha, arm) + _cross(omega, _cross(omega, arm))
            for column, value in zip(columns, (R, r, r + arm, z, omega, a, center, alpha)):
                column.append(value)
        return Pose(*(np.array(column) for column in columns))

    def equations(self, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
        """The matrix (n, n) and the right-hand side (n,) of the equations of motion."""
        n = len(self.links)
        M, f = np.zeros((n, n)), np.zeros(n)
        for i, link in enumerate(self.links):
            linear, angular = pose.velocities(i, pose.center[i])
            inertia = pose.turn[i] @ np.diag(link.inertia) @ pose.turn[i].T
            M += link.mass * linear.T @ linear + angular.T @ inertia @ angular
            moment = inertia @ pose.alpha_bias[i] + _cross(pose.omega[i], inertia @ pose.omega[i])
            f += link.mass * linear.T @ (self.gravity - pose.center_bias[i]) - angular.T @ moment
        return M, f

    def closing(self, pose: Pose) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Five rows that close the chain: their errors, C (5, n) and the second rates c for q̈ = 0."""
        assert self.closure is not None
        end = self.closure
        R, omega, alpha = pose.turn[-1], pose.omega[-1], pose.alpha_bias[-1]
        arm, axis = R @ end.place, R @ end.axis
        linear, angular = pose.velocities(len(self.links) - 1, pose.hinge[-1] + arm)
        bias = pose.hinge_bias[-1] + _cross(alpha, arm) + _cross(omega, _cross(omega, arm))
        across = np.linalg.svd(np.asarray(end.ground_axis)[None, :])[2][1:]
        turning = _cross(alpha, axis) + _cross(omega, _cross(omega, axis))
        error = np.concatenate([pose.hinge[-1] + arm - end.ground, across @ axis])
        rows = np.vstack([linear, across @ -_tilde(axis) @ angular])
        return error, rows, np.concatenate([bias, across @ turning])

    def acceleration(self, q: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """q̈ (n,) [rad/s²]."""
        pose = self.pose(q, rate)
        M, f = self.equations(pose)
        if self.closure is None:
            return np.linalg.solve(M, f)
        _, C, c = self.closing(pose)
        u, sizes, vt = np.linalg.svd(C)
        rank = int(np.sum(sizes > 1e-7 * sizes[0]))
        held = -vt[:rank].T @ ((u.T @ c)[:rank] / sizes[:rank])
        free = vt[rank:].T
        return np.asarray(held + free @ np.linalg.solve(free.T @ M @ free, free.T @ (f - M @ held)))

    def rank(self, q: np.ndarray) -> int:
        """The rank of C."""
        sizes = np.linalg.svd(self.closing(self.pose(q, np.zeros_like(q)))[1])[1]
        return int(np.sum(sizes > 1e-7 * sizes[0]))

    def motion(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q and q̇ (k, n) from rest at q = 0, from t = 0 on."""
        n = len(self.links)

        def rates(t: float, y: np.ndarray) -> np.ndarray:
            return np.concatenate([y[n:], self.acceleration(y[:n], y[n:])])

        run = solve_ivp(
            rates, (0.0, float(times[-1])), np.zeros(2 * n), method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times
        )
        return np.asarray(run.y[:n].T), np.asarray(run.y[n:].T)

    def energy(self, q: np.ndarray, rate: np.ndarray) -> float:
        """½ q̇ · M q̇ − Σ m g · c [J]."""
        pose = self.pose(q, rate)
        M, _ = self.equations(pose)
        height = sum(link.mass * self.gravity @ c for link, c in zip(self.links, pose.center))
        return float(0.5 * rate @ M @ rate - height)


def _cross(u: np.ndarray, w: np.ndarray) -> np.ndarray:
    """u × w; NumPy's own takes ten times as long for two vectors."""
    return np.array([u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]])


def _tilde(u: np.ndarray) -> np.ndarray:
    return np.cross(np.eye(3), u)
