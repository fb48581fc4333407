"""A trailer on wheels that do not slip sideways, drawn by its hitch along the x-axis with the speed V.

With the drawbar's length L, the angle θ of the trailer and the hitch at (V t, 0), the wheels do not slip if

    L θ̇ = −V sin θ,    tan θ/2 = tan θ₀/2 exp(−V t/L)

and their axle (V t − L cos θ, −L sin θ) moves on a tractrix. The mass m with the moment of inertia J about its center,
a length c behind the hitch, turns about a hitch that does not accelerate, so that with the force N across the axle and
F_e, F_n along the drawbar and across it at the hitch

    (J + m c²) θ̈ = −N L,    F_e = m c θ̇²,    F_n = −m c θ̈ − N,    θ̈ = (V/L)² sin θ cos θ

Pushed, V < 0, the straight motion is unstable: a small angle grows with exp(−V t/L).

**Shimmy.** If a spring k holds the hitch sideways instead of a rail, small motions y of the hitch and θ meet
ẏ = L θ̇ + V θ, and by d'Alembert's principle with the virtual motion δy = L δθ

    (J + m (L − c)²) θ̈ + m (L − c) V θ̇ + k L y = 0

so that  (J + m (L − c)²) s³ + m (L − c) V s² + k L² s + k L V = 0.  By Hurwitz's criterion it is stable for
m c (L − c) > J, at any speed V > 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Trailer:
    """`speed` V [m/s], `length` L [m], `start` θ₀ [rad], `mass` [kg], `inertia` J [kg m²], `behind` c [m]."""

    speed: float = 1.5
    length: float = 2.0
    start: float = 2.5
    mass: float = 5.0
    inertia: float = 1.0
    behind: float = 1.2

    def angle(self, t: np.ndarray) -> np.ndarray:
        """θ [rad]."""
        return 2.0 * np.arctan(np.tan(0.5 * self.start) * np.exp(-self.speed / self.length * np.asarray(t)))

    def axle(self, t: np.ndarray) -> np.ndarray:
        """The axle (k, 2) [m]."""
        theta = self.angle(t)
        return np.stack(
            [self.speed * np.asarray(t) - self.length * np.cos(theta), -self.length * np.sin(theta)], axis=-1
        )

    def side_force(self, t: np.ndarray) -> np.ndarray:
        """N (k,) [N], positive to the left."""
        return -(self.inertia + self.mass * self.behind**2) * self._acceleration(t) / self.length

    def pull(self, t: np.ndarray) -> np.ndarray:
        """The force on the hitch along x (k,) [N]."""
        theta, arm = self.angle(t), self.mass * self.behind
        along = arm * (self.speed / self.length * np.sin(theta)) ** 2
        across = -arm * self._acceleration(t) - self.side_force(t)
        return along * np.cos(theta) - across * np.sin(theta)

    def _acceleration(self, t: np.ndarray) -> np.ndarray:
        theta = self.angle(t)
        return (self.speed / self.length) ** 2 * np.sin(theta) * np.cos(theta)

    def shimmy(self, stiffness: float) -> np.ndarray:
        """The three eigenvalues [1/s] with a spring [N/m] in place of the rail, in ascending order."""
        beyond = self.length - self.behind
        return np.sort_complex(
            np.roots(
                [
                    self.inertia + self.mass * beyond**2,
                    self.mass * beyond * self.speed,
                    stiffness * self.length**2,
                    stiffness * self.length * self.speed,
                ]
            )
        )
