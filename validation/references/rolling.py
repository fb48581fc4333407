"""Rolling without slip: a thin disk on a plane in its own coordinates, and a ball on a turning table in closed form.

**The disk**: mass m, radius r, moments of inertia C about its axis and A across it; θ is the angle between its plane
and the ground. In axes that lean and go round with it but do not spin, e₁ level along its plane, e₂ down to the point
of contact, e₃ its axis, z = −sin θ e₂ + cos θ e₃. With ω₁ = −θ̇, ω₂ = −ψ̇ sin θ, the spin ω₃, precession included, and
the rate Ω₃ = ψ̇ cos θ of these axes, the center has the velocity r (ω₃ e₁ − ω₁ e₃), and the laws of motion, with the
force of the ground left out, are

    (A + m r²) ω̇₁ = A Ω₃ ω₂ − (C + m r²) ω₂ ω₃ + m g r cos θ
    A ω̇₂ = (C ω₃ − A Ω₃) ω₁,    (C + m r²) ω̇₃ = m r² ω₁ ω₂

(Neĭmark and Fufaev (1972), chapter III). On a steady circle

    (C + m r²) ω₃ ψ̇ sin θ − A ψ̇² sin θ cos θ + m g r cos θ = 0

**The ball**: on a table that turns at the rate Ω it has r̈ = Ω k/(1 + k) z × ṙ with k = J/(m R²), 2/7 Ω z × ṙ if it is
uniform: its center moves on a circle at 2/7 of the table's rate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp


@dataclass(frozen=True)
class Disk:
    """`mass` [kg], `radius` [m] of a thin uniform disk, `weight` g [m/s²]; at t = 0 its angle to the ground `lean` θ
    [rad] and the rates [rad/s] `precession` ψ̇, `spin` ω₃ and `falling` θ̇."""

    mass: float = 1.0
    radius: float = 0.5
    weight: float = 9.81
    lean: float = np.pi / 3.0
    precession: float = 3.0
    spin: float = -2.267247173666769
    falling: float = 0.0

    @property
    def inertia(self) -> tuple[float, float]:
        """A across its axis and C about it [kg m²]."""
        square = self.mass * self.radius**2
        return square / 4.0, square / 2.0

    def unbalanced(self) -> float:
        """What is left of the equation of a steady circle at the start [Nm]."""
        A, C = self.inertia
        s, c = np.sin(self.lean), np.cos(self.lean)
        rolling = (C + self.mass * self.radius**2) * self.spin * self.precession * s
        return float(rolling - A * self.precession**2 * s * c + self.mass * self.weight * self.radius * c)

    def start(self) -> np.ndarray:
        """θ, ψ, x, y, ω₁, ω₂, ω₃; at the start e₁ is along x, and the center above the origin."""
        sway = -self.precession * np.sin(self.lean)
        return np.array([self.lean, 0.0, 0.0, 0.0, -self.falling, sway, self.spin])

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """Their rates."""
        lean, heading, _, _, w1, w2, w3 = y
        (A, C), square = self.inertia, self.mass * self.radius**2
        s, c = np.sin(lean), np.cos(lean)
        turning = -w2 / s
        ahead, aside = self.radius * w3, -self.radius * w1 * s
        pull = self.mass * self.weight * self.radius * c
        return np.array(
            [
                -w1,
                turning,
                ahead * np.cos(heading) - aside * np.sin(heading),
                ahead * np.sin(heading) + aside * np.cos(heading),
                (A * turning * c * w2 - (C + square) * w2 * w3 + pull) / (A + square),
                (C * w3 - A * turning * c) * w1 / A,
                square * w1 * w2 / (C + square),
            ]
        )

    def motion(self, t: np.ndarray) -> np.ndarray:
        """The same (k, 7) at times (k,)."""
        run = solve_ivp(self.rates, (0.0, t[-1]), self.start(), "DOP853", t, rtol=1e-13, atol=1e-13)
        return np.asarray(run.y.T)

    def energy(self, y: np.ndarray) -> np.ndarray:
        """Kinetic energy and that of its height [J], at (k, 7)."""
        (A, C), square = self.inertia, self.mass * self.radius**2
        kinetic = (A + square) * y[:, 4] ** 2 + A * y[:, 5] ** 2 + (C + square) * y[:, 6] ** 2
        return np.asarray(0.5 * kinetic + self.mass * self.weight * self.radius * np.sin(y[:, 0]))


@dataclass(frozen=True)
class TableBall:
    """A ball of `mass` [kg], `radius` [m] and the moment of inertia `part` m R² on a table that turns at `rate`
    [rad/s]; its `place` (2,) [m] and `velocity` (2,) [m/s] at t = 0."""

    mass: float = 1.7
    radius: float = 0.3
    part: float = 0.4
    rate: float = 2.1
    place: tuple[float, float] = (0.5, 0.2)
    velocity: tuple[float, float] = (0.4, -0.3)

    @property
    def circling(self) -> float:
        """The rate at which its center goes round [rad/s]."""
        return self.rate * self.part / (1.0 + self.part)

    def motion(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Its places (k, 2) and the forces of friction on it (k, 2) at times (k,)."""
        velocity = complex(*self.velocity) * np.exp(1j * self.circling * np.asarray(t))
        place = complex(*self.place) + (velocity - complex(*self.velocity)) / (1j * self.circling)
        force = self.mass * 1j * self.circling * velocity
        return np.stack([place.real, place.imag], axis=-1), np.stack([force.real, force.imag], axis=-1)
