"""A skate: a rigid body in the plane with a blade that does not slip sideways. Neĭmark and Fufaev (1972).

**On an incline**, with the blade under the center of mass and a weight m g along x: no moment turns the body, θ = ω t,
and along the blade u̇ = g cos θ. From rest the center moves on a cycloid, across the slope and not down it:

    u = g/ω sin ωt,    x = g/(2ω²) sin² ωt,    y = g/(2ω²) (ωt − ½ sin 2ωt)

Across it m u ω = N − m g sin θ, so that the ice pushes with N = 2 m g sin ωt.

**Chaplygin's sleigh**: on level ice, with the center of mass a length ℓ in front of the blade. With the moment of
inertia J about the center, k² = J/m + ℓ², and the speed u of the blade

    u̇ = ℓ ω²,    ω̇ = −ℓ/k² u ω,    N = m (u ω + ℓ ω̇) = J u ω/k²

u² + k²ω² = U² is kept. With τ = ℓ U t/k² + τ₀

    u = U tanh τ,    ω = U/k sech τ,    θ = 2 k/ℓ (arctan tanh τ/2 − arctan tanh τ₀/2)

so that every motion ends on a straight line, with the blade behind the center. A small turn about that decays with
exp(−ℓ U t/k²).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad


@dataclass(frozen=True)
class Incline:
    """`weight` g along x [m/s²], `spin` ω [rad/s], `mass` [kg]."""

    weight: float = 3.0
    spin: float = 1.3
    mass: float = 2.0

    def place(self, t: np.ndarray) -> np.ndarray:
        """The center (k, 2) [m]."""
        turn = self.spin * np.asarray(t)
        size = self.weight / (2.0 * self.spin**2)
        return np.stack([size * np.sin(turn) ** 2, size * (turn - 0.5 * np.sin(2.0 * turn))], axis=-1)

    def velocity(self, t: np.ndarray) -> np.ndarray:
        """Its velocity (k, 2) [m/s]."""
        turn = self.spin * np.asarray(t)
        speed = self.weight / self.spin * np.sin(turn)
        return np.stack([speed * np.cos(turn), speed * np.sin(turn)], axis=-1)

    def force(self, t: np.ndarray) -> np.ndarray:
        """The force N (k,) across the blade [N], positive to its left."""
        return 2.0 * self.mass * self.weight * np.sin(self.spin * np.asarray(t))


@dataclass(frozen=True)
class Sleigh:
    """`mass` [kg], `inertia` J [kg m²], `ahead` ℓ [m]; at t = 0 the `speed` u [m/s], the `spin` ω [rad/s] and θ = 0."""

    mass: float = 3.0
    inertia: float = 0.4
    ahead: float = 0.25
    speed: float = -1.2
    spin: float = 0.9

    @property
    def k(self) -> float:
        """The radius of gyration about the blade [m]."""
        return float(np.sqrt(self.inertia / self.mass + self.ahead**2))

    @property
    def last_speed(self) -> float:
        """U [m/s]."""
        return float(np.hypot(self.speed, self.k * self.spin))

    @property
    def decay(self) -> float:
        """ℓ U/k² [1/s]."""
        return self.ahead * self.last_speed / self.k**2

    def _tau(self, t: float | np.ndarray) -> np.ndarray:
        return self.decay * np.asarray(t) + np.arctanh(self.speed / self.last_speed)

    def speeds(self, t: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """u and ω."""
        tau = self._tau(t)
        return self.last_speed * np.tanh(tau), self.last_speed / self.k / np.cosh(tau)

    def angle(self, t: float | np.ndarray) -> np.ndarray:
        """θ [rad]."""
        turn = np.arctan(np.tanh(0.5 * self._tau(t))) - np.arctan(np.tanh(0.5 * self._tau(np.zeros(1))))
        return 2.0 * self.k / self.ahead * turn

    def place(self, t: float) -> np.ndarray:
        """The blade (2,) [m], from the origin, by quadrature."""
        return np.array([quad(self._rate, 0.0, t, (way,), epsabs=1e-13, limit=400)[0] for way in (np.cos, np.sin)])

    def _rate(self, t: float, way: Callable[[np.ndarray], np.ndarray]) -> float:
        return float(self.speeds(t)[0] * way(self.angle(t))[0])

    def force(self, t: np.ndarray) -> np.ndarray:
        """N (k,) [N], positive to the left."""
        u, omega = self.speeds(t)
        return self.inertia * u * omega / self.k**2
