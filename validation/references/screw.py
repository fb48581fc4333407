"""A nut on a tilted screw, its mass centre beside the axis, under gravity.

With the turn s, the pitch h, the mass m, its inertia J about the axis of the screw through the mass centre, the
eccentricity e and the tilt α of the axis from the vertical, the nut has one coordinate:

    T = ½ (J + m e² + m h²) ṡ²,    V = m g (h s cos α − e sin α cos s)

for a mass centre that starts at the lowest place of its circle. Without eccentricity it falls evenly, by Lagrange's
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
