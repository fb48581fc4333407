"""A nut on a tilted screw, its mass center beside the axis, under gravity.

With the turn s, the pitch h, the mass m, its inertia J about the axis of the screw through the mass center, the
eccentricity e and the tilt α of the axis from the vertical, the nut has one coordinate:

    T = ½ (J + m e² + m h²) ṡ²,    V = m g (h s cos α − e sin α cos s)

for a mass center that starts at the lowest place of its circle. Without eccentricity it falls evenly, by Lagrange's
equation  s̈ = −m g h cos α/(J + m h²).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp


@dataclass(frozen=True)
class Nut:
    """`mass` [kg], `inertia` J [kg m²], `pitch` h [m/rad], `eccentricity` e [m], `tilt` α [rad], `weight` g [m/s²]."""

    mass: float = 2.0
    inertia: float = 0.02
    pitch: float = 0.05
    eccentricity: float = 0.0
    tilt: float = 0.0
    weight: float = 9.81

    @property
    def whole(self) -> float:
        """What stands before s̈ [kg m²]."""
        return self.inertia + self.mass * (self.eccentricity**2 + self.pitch**2)

    def acceleration(self, s: float) -> float:
        """s̈ [rad/s²]."""
        along, across = np.cos(self.tilt), np.sin(self.tilt)
        return -self.mass * self.weight * (self.pitch * along + self.eccentricity * across * np.sin(s)) / self.whole

    def turn(self, t: float) -> float:
        """s after a time t from rest at s = 0 [rad]."""
        rates = solve_ivp(lambda _, y: [y[1], self.acceleration(y[0])], (0.0, t), [0.0, 0.0], "DOP853", rtol=3e-14,
                          atol=1e-14)  # fmt: skip
        return float(rates.y[0, -1])


@dataclass(frozen=True)
class Thread:
    """A load on a square thread with friction: `mass` [kg], `inertia` J [kg m²], `pitch` h [m/rad], mean `radius` r
    [m], `coefficient` μ, `weight` g [m/s²]. With the lead angle α, tan α = h/r, and tan φ = μ, the normal force N and
    the friction μ N along the thread hold the load m g and the torque M:

        raising at constant speed   m g = N (cos α − μ sin α),   M = r N (sin α + μ cos α) = m g r tan(α + φ)
    """

    mass: float = 5.0
    inertia: float = 0.01
    pitch: float = 0.002
    radius: float = 0.01
    coefficient: float = 0.1
    weight: float = 9.81

    @property
    def lead(self) -> float:
        """α [rad]."""
        return float(np.arctan2(self.pitch, self.radius))

    @property
    def efficiency(self) -> float:
        """Work on the load as a part of that of the torque, when it is raised: tan α/tan(α + φ)."""
        return float(np.tan(self.lead) / np.tan(self.lead + np.arctan(self.coefficient)))

    def torque(self, raising: bool) -> float:
        """The torque in the direction of raising [Nm] that raises the load, or lets it down, at constant speed; one
        that is negative must push it down: the thread holds it by itself."""
        angle = np.arctan(self.coefficient)
        return float(self.mass * self.weight * self.radius * np.tan(self.lead + (angle if raising else -angle)))

    @property
    def fall(self) -> float:
        """s̈ [rad/s²] of the free load that drives the thread, μ < tan α: m h s̈ = N (cos α + μ sin α) − m g  and
        J s̈ = −r N (sin α − μ cos α)."""
        sine, cosine = np.sin(self.lead), np.cos(self.lead)
        turning = self.radius * (sine - self.coefficient * cosine) / self.inertia
        N = self.mass * self.weight / (cosine + self.coefficient * sine + self.mass * self.pitch * turning)
        return float(-N * turning)

    def creep(self, smoothing: float) -> float:
        """ṡ [rad/s] by which a thread that locks itself, μ > tan α, creeps under its load where friction is
        μ N tanh(u/ε), u the speed along the thread: tanh(u/ε) = tan α/μ."""
        u = smoothing * np.arctanh(np.tan(self.lead) / self.coefficient)
        return float(-u * np.cos(self.lead) / self.radius)
