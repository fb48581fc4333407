"""Rigid bodies that become one: what follows from momentum alone, and the free motion of a rigid body.

With masses m, places r, velocities v, inertias J about the mass centers in the axes of the ground and angular
velocities ω, the body that they become has the mass center r_s and

    v_s = Σ m v / Σ m,   J_s = Σ J + m (|d|² − d dᵀ),   J_s Ω = Σ J ω + m d × (v − v_s),   d = r − r_s

A body on which the impulse F and, about a point p, the angular impulse N act has  F = m (v₁ − v₀)  and
N = J (Ω − ω) + (r − p) × F.  Afterwards J_s Ω keeps its direction and size (Euler's equations).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation


@dataclass(frozen=True)
class Moving:
    """A rigid body at an instant: `mass` [kg], `inertia` (3, 3) [kg m²] about its mass center, in the axes of the
    ground, `place` (3,) [m], `velocity` (3,) [m/s], `omega` (3,) [rad/s]."""

    mass: float
    inertia: np.ndarray
    place: np.ndarray
    velocity: np.ndarray
    omega: np.ndarray

    @property
    def energy(self) -> float:
        """Its kinetic energy [J]."""
        return float(0.5 * self.mass * self.velocity @ self.velocity + 0.5 * self.omega @ self.inertia @ self.omega)

    def velocity_at(self, point: np.ndarray) -> np.ndarray:
        """Of a point that moves with it (3,)."""
        return np.asarray(self.velocity + np.cross(self.omega, point - self.place))


def joined(bodies: Sequence[Moving]) -> Moving:
    """The one body that they become."""
    mass = sum(b.mass for b in bodies)
    place = sum((b.mass * b.place for b in bodies), np.zeros(3)) / mass
    velocity = sum((b.mass * b.velocity for b in bodies), np.zeros(3)) / mass
    inertia, momentum = np.zeros((3, 3)), np.zeros(3)
    for b in bodies:
        d = b.place - place
        inertia += b.inertia + b.mass * (d @ d * np.eye(3) - np.outer(d, d))
        momentum += b.inertia @ b.omega + b.mass * np.cross(d, b.velocity - velocity)
    return Moving(mass, inertia, place, velocity, np.linalg.solve(inertia, momentum))


def impulses(body: Moving, one: Moving, point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The impulse [N s] and the angular impulse [Nm s] about a point that made a body a part of `one`."""
    force = body.mass * (one.velocity_at(body.place) - body.velocity)
    return force, body.inertia @ (one.omega - body.omega) + np.cross(body.place - point, force)


def flight(body: Moving, time: float) -> tuple[np.ndarray, np.ndarray]:
    """How a free body has moved after a time [s]: the path (3,) of its mass center, and its turn (3, 3) in the axes of
    the ground."""
    momentum = body.inertia @ body.omega

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        R = y.reshape(3, 3)
        omega = R @ np.linalg.solve(body.inertia, R.T @ momentum)
        return np.cross(omega, R.T).T.ravel()

    run = solve_ivp(rates, (0.0, time), np.eye(3).ravel(), "DOP853", rtol=1e-13, atol=1e-14)
    return body.velocity * time, Rotation.from_matrix(run.y[:, -1].reshape(3, 3)).as_matrix()
