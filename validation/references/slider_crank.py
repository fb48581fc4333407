"""Slider-crank, rigid: closed-form kinematics, and its free motion by one coordinate.

Crank r at angle θ from the x axis about the origin, rod l to a slider on that axis; sin β = r sin θ / l:

    x = r cos θ + l cos β,   ẋ = −r θ̇ (sin θ + cos θ tan β)
    ẍ = −r θ̈ (sin θ + cos θ tan β) − r θ̇² (cos θ − sin θ tan β) − r θ̇ cos θ β̇ / cos² β

β̇ = r θ̇ cos θ / (l cos β). The rod turns by −β. Free motion: with the kinetic energy ½ I(θ) θ̇² and
the potential energy V(θ),  I θ̈ + ½ I' θ̇² + V' = T with a torque T on the crank; crank and
rod are uniform. I' and V' are derived below by the chain rule.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .mathematics import motion


@dataclass(frozen=True)
class SliderCrank:
    """Lengths [m], masses [kg] and gravity [m/s²] (downwards)."""

    crank: float = 0.15
    rod: float = 0.3
    crank_mass: float = 0.36
    rod_mass: float = 0.15
    slider_mass: float = 0.08
    gravity: float = 9.81

    def slider(self, theta: float, omega: float, alpha: float) -> tuple[float, float, float]:
        """Position, velocity and acceleration of the slider for a crank angle, rate and second rate."""
        r, l = self.crank, self.rod
        s, c = np.sin(theta), np.cos(theta)
        sb = r * s / l
        cb = np.sqrt(1.0 - sb**2)
        tb = sb / cb
        rate = r * omega * c / (l * cb)
        x = r * c + l * cb
        v = -r * omega * (s + c * tb)
        a = -r * alpha * (s + c * tb) - r * omega**2 * (c - s * tb) - r * omega * c * rate / cb**2
        return float(x), float(v), float(a)

    def _inertia(self, theta: float) -> tuple[float, float]:
        """I(θ) and I'(θ), from the velocities u of the parts at unit speed and their derivatives by θ."""
        r, l = self.crank, self.rod
        s, c = np.sin(theta), np.cos(theta)
        sb = r * s / l
        cb = np.sqrt(1.0 - sb**2)
        b1 = r * c / (l * cb)  # dβ/dθ
        b2 = (-r * s / l + sb * b1**2) / cb
        # center of the rod: (r c + l cb / 2, r s − l sb / 2)
        ux, uy = -r * s - l / 2 * sb * b1, r * c - l / 2 * cb * b1
        ux1 = -r * c - l / 2 * (cb * b1**2 + sb * b2)
        uy1 = -r * s + l / 2 * (sb * b1**2 - cb * b2)
        xs, xs1 = -r * s - l * sb * b1, -r * c - l * (cb * b1**2 + sb * b2)
        J = self.rod_mass * l**2 / 12
        I = self.crank_mass * r**2 / 3 + self.rod_mass * (ux**2 + uy**2) + J * b1**2 + self.slider_mass * xs**2
        I1 = 2 * (self.rod_mass * (ux * ux1 + uy * uy1) + J * b1 * b2 + self.slider_mass * xs * xs1)
        return I, I1

    def potential(self, theta: float) -> tuple[float, float]:
        """V(θ) [J], zero at θ = 0, and V'(θ): the centers of crank and rod are both r sin θ / 2 high."""
        weight = self.gravity * (self.crank_mass + self.rod_mass) * self.crank / 2
        return float(weight * np.sin(theta)), float(weight * np.cos(theta))

    def energy(self, theta: float, omega: float) -> float:
        """Kinetic and potential energy together [J]."""
        return float(0.5 * self._inertia(theta)[0] * omega**2 + self.potential(theta)[0])

    def free_acceleration(self, theta: float, omega: float, torque: float = 0.0) -> float:
        """θ̈ [rad/s²] under gravity and a torque [Nm] on the crank."""
        I, I1 = self._inertia(theta)
        return float((torque - 0.5 * I1 * omega**2 - self.potential(theta)[1]) / I)

    def free_motion(self, times: np.ndarray, start: float, omega: float = 0.0, torque: float = 0.0) -> np.ndarray:
        """Crank angle [rad] and rate [rad/s] (2, k) under gravity and a constant torque [Nm]."""
        return motion(lambda t, y: [y[1], self.free_acceleration(y[0], y[1], torque)], [start, omega], times)
