"""Rods in the plane, hinged to one another and to the ground, under gravity: Lagrange's equations in closed form.

φ_k is the angle of rod k from the upward vertical, e_k = (sin φ_k, cos φ_k) its direction. The mass center of rod i is
at Σ_k A_ik e_k, with A_ik = l_k of the rods k < i before it and A_ii = a_i. With W = Aᵀ diag(m) A and s = Aᵀ m

    (W_kj cos(φ_k − φ_j) + I_k δ_kj) φ̈_j + W_kj sin(φ_k − φ_j) φ̇_j² = g s_k sin φ_k

and the energy is ½ φ̇ᵀ (W ∘ cos(φ_k − φ_j) + diag I) φ̇ + g s · cos φ. Angles θ of the joints are differences of
neighbors, φ = θ₁ + … + θ_k, in a tree along the path to rod k. The chains are those of Takahashi (2012), who prints
their motions in diagrams only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

G = 9.81


@dataclass(frozen=True)
class PlanarChain:
    """Uniform rods of 1 kg of these lengths [m], from rest at these angles of the joints [rad]. Each stands on the end
    of the one before it, or of that in `parents`, −1 for the ground: then rods k < i are those on the path to rod i."""

    lengths: Sequence[float]
    start: Sequence[float] | np.ndarray
    parents: Sequence[int] | None = None

    @property
    def paths(self) -> np.ndarray:
        """(n, n): 1 where rod k is on the path from the ground to rod i, that one included; φ = paths θ."""
        n = len(self.lengths)
        paths = np.eye(n)
        for i, parent in enumerate(range(-1, n - 1) if self.parents is None else self.parents):
            if parent >= 0:
                paths[i] += paths[parent]
        return paths

    @property
    def _arms(self) -> np.ndarray:
        """A (n, n)."""
        lengths = np.asarray(self.lengths, dtype=float)
        return (self.paths - 0.5 * np.eye(len(lengths))) * lengths

    def _inertia(self, phi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The matrix of inertia (n, n), and W ∘ sin(φ_k − φ_j)."""
        W, apart = self._arms.T @ self._arms, phi[:, None] - phi[None, :]
        return W * np.cos(apart) + np.diag(np.square(self.lengths) / 12.0), W * np.sin(apart)

    def acceleration(self, theta: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """θ̈ (n,) [rad/s²]."""
        phi, turning = self.paths @ theta, self.paths @ rate
        M, centrifugal = self._inertia(phi)
        second = np.linalg.solve(M, G * self._arms.sum(axis=0) * np.sin(phi) - centrifugal @ turning**2)
        return np.linalg.solve(self.paths, second)

    def energy(self, theta: np.ndarray, rate: np.ndarray) -> float:
        """Kinetic and potential energy [J], zero at the height of the first joint."""
        phi, turning = self.paths @ theta, self.paths @ rate
        kinetic = 0.5 * turning @ self._inertia(phi)[0] @ turning
        return float(kinetic + G * self._arms.sum(axis=0) @ np.cos(phi))

    def motion(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """θ and θ̇ (k, n) from rest at t = 0 on."""
        n = len(self.lengths)

        def rates(t: float, y: np.ndarray) -> np.ndarray:
            return np.concatenate([y[n:], self.acceleration(y[:n], y[n:])])

        span, start = (0.0, float(times[-1])), np.concatenate([self.start, np.zeros(n)])
        run = solve_ivp(rates, span, start, method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times)
        return np.asarray(run.y[:n].T), np.asarray(run.y[n:].T)


#: three rods, §3.1.1; seven, §4.4.1; four of which the last is short, §7.2.1
THREE = PlanarChain((1.0, 1.0, 1.0), np.deg2rad([135.0, -45.0, 225.0]))
SEVEN = PlanarChain((1.0,) * 7, np.deg2rad([90.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
FOUR = PlanarChain((1.0, 1.0, 1.0, 0.5), np.deg2rad([60.0, 30.0, 150.0, 300.0]))
