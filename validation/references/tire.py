"""Tires whose side force comes along the way: a wheel that is steered, and a linear car on two wheels.

**The wheel** is led at the speed V and steered by the angle δ at t = 0: it rolls at V cos δ and slips at −V sin δ. By
u̇ + c u + V_s = 0, with c = |V_x|/σ + C/σ |V_s|/(μ N), the side force C/σ u is

    F(t) = −C/σ V_s/c (1 − exp(−c t))

as |x| = x²/√(x² + ε²) in both places. **The car** has the mass m and the inertia J, wheels a before and b behind its
mass center, C/σ = k₁, k₂ and goes at the speed V: for its sideways speed v, its yaw rate ω and the deflections u₁, u₂

    m (v̇ + V ω) = k₁ u₁ + k₂ u₂,               J ω̇ = a k₁ u₁ − b k₂ u₂
    u̇₁ + V/σ u₁ + v + a ω = V δ,               u̇₂ + V/σ u₂ + v − b ω = 0

On a steady circle ω = V δ/(L + K V²), L = a + b, K = m/L (b/C₁ − a/C₂) (Pacejka (2012), chapter 1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Steered:
    """`load` N [N], `stiffness` C [N/rad], relaxation `length` σ [m], `friction` μ, `smoothing` ε [m/s]; `speed` V
    [m/s], `angle` δ [rad]."""

    load: float = 4000.0
    stiffness: float = 60e3
    length: float = 0.5
    friction: float = 0.9
    smoothing: float = 0.01
    speed: float = 15.0
    angle: float = 0.06

    def force(self, t: np.ndarray) -> np.ndarray:
        """The side force (k,) [N], to the left of the wheel."""
        rolls, slips = self.speed * np.cos(self.angle), -self.speed * np.sin(self.angle)
        spring = self.stiffness / self.length
        sizes = [x * x / np.hypot(x, self.smoothing) for x in (rolls, slips)]
        c = sizes[0] / self.length + spring * sizes[1] / (self.friction * self.load)
        return np.asarray(-spring * slips / c * (1.0 - np.exp(-c * np.asarray(t))))


@dataclass(frozen=True)
class TwoWheels:
    """`mass` [kg], `inertia` [kg m²], `front` a and `rear` b [m], `stiffness` C of both [N/rad], relaxation `length`
    [m], `speed` [m/s]."""

    mass: float = 1500.0
    inertia: float = 2500.0
    front: float = 1.2
    rear: float = 1.4
    stiffness: tuple[float, float] = (80e3, 100e3)
    length: float = 0.6
    speed: float = 20.0

    def matrix(self) -> np.ndarray:
        """Of v̇, ω̇, u̇₁, u̇₂."""
        k = np.array(self.stiffness) / self.length
        left = self.speed / self.length
        return np.array(
            [
                [0.0, -self.speed, k[0] / self.mass, k[1] / self.mass],
                [0.0, 0.0, self.front * k[0] / self.inertia, -self.rear * k[1] / self.inertia],
                [-1.0, -self.front, -left, 0.0],
                [-1.0, self.rear, 0.0, -left],
            ]
        )

    def poles(self) -> np.ndarray:
        """Its four poles [1/s]."""
        return np.asarray(np.linalg.eigvals(self.matrix()))

    def turning(self) -> float:
        """The yaw rate over the steering angle on a steady circle [1/s]."""
        whole = self.front + self.rear
        K = self.mass / whole * (self.rear / self.stiffness[0] - self.front / self.stiffness[1])
        return self.speed / (whole + K * self.speed**2)
