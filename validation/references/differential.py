"""A differential of bevel wheels, whose cage is held by a spring.

Wheels l and r turn about the axis of the cage, the pinion about its own in the cage: the cage by θ = (l + r)/2 and the
pinion, in it, by p = i (l − r)/2, i the ratio of the teeth of a wheel and of the pinion. With J_c the inertia of the
cage with its pinion about the axis and J_p that of the pinion about its own

    T = ½ (J_l l̇² + J_r ṙ² + J_c θ̇² + J_p ṗ²),    V = ½ k (θ − θ₀)²

which are linear equations of motion: one vibration, and one turn at an even speed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm


@dataclass(frozen=True)
class Differential:
    """Inertias [kg m²] of the `left` and the `right` wheel, of the `cage` with its pinion, and of the `pinion` about
    its own axis; `ratio` i; `stiffness` k [Nm/rad]; `wound` θ₀ [rad]; `speed` of the left wheel at the start
    [rad/s]."""

    left: float = 0.3
    right: float = 0.1
    cage: float = 0.5
    pinion: float = 0.02
    ratio: float = 1.5
    stiffness: float = 4.0
    wound: float = 1.0
    speed: float = 6.0

    def turns(self, t: float) -> np.ndarray:
        """l and r (2,) [rad] at a time; at the start the right wheel turns against the left one, at the same speed."""
        both, apart = np.array([0.5, 0.5]), 0.5 * self.ratio * np.array([1.0, -1.0])
        M = np.diag([self.left, self.right]) + self.cage * np.outer(both, both) + self.pinion * np.outer(apart, apart)
        A = np.zeros((5, 5))
        A[:2, 2:4] = np.eye(2)
        A[2:4, :2] = -np.linalg.solve(M, self.stiffness * np.outer(both, both))
        A[2:4, 4] = np.linalg.solve(M, self.stiffness * self.wound * both)
        return np.asarray((expm(A * t) @ [0.0, 0.0, self.speed, -self.speed, 1.0])[:2])
