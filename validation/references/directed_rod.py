"""A rod in space that bends alike in all planes and stretches, by any amount, on a turning hub; by polynomials.

Torsion does not take part in the motion of such a rod: its energy of bending is that of its axis alone, and its axis is
told by the direction t, a unit vector, and the strain ε. In the axes of the hub, which turns about z by α(t), from a
clamped start along x,

    u(x, t) = ∫₀ˣ (1 + ε) t dx,    t = (√(1 − a² − b²), a, b),    ε = Σ c_k P_k(x)

with a and b sums of integrals from 0 of Legendre polynomials P_k. By virtual power, with δu = J δq, u̇̇ = J q̈ + h,
all integrals by Gauss, and g the weight,

    ∫ ρA J · (J q̈ + h + 2 ω × u̇ + ω̇ × u + ω × (ω × u) − g) dx + ∂/∂q ∫ ½ (EI t'² + EA ε²) dx = 0

Nothing is assumed to be small but the turning of the sections themselves, which has no inertia. The only other error is
that of the number of polynomials, as in :mod:`~flexmb.validation.references.exact_rod`, its planar sister.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from .mathematics import gauss, legendre


@dataclass
class DirectedRod:
    """`bending` (in each plane) and `stretching`: numbers of polynomials. `weight` [m/s²] acts along z, the only
    direction that the hub's turning does not change."""

    length: float
    EA: float
    EI: float
    rhoA: float
    weight: float = 0.0
    bending: int = 6
    stretching: int = 3

    def __post_init__(self) -> None:
        x, weight, integral = gauss(self.bending + self.stretching + 12)
        self._sum, self._weight = self.length * integral, self.length * weight
        P = legendre(max(self.bending, self.stretching), x)
        self._shapes, self._slopes = integral @ P[:, : self.bending], P[:, : self.bending] / self.length
        self._strain = P[:, : self.stretching]

    @property
    def size(self) -> int:
        """The number of unknowns."""
        return 2 * self.bending + self.stretching

    def _fields(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        """t and ε, their rates; ∂t/∂(a, b) and its rate times that of (a, b)."""
        n = self.bending
        ab, rate = self._shapes @ q[: 2 * n].reshape(2, n).T, self._shapes @ v[: 2 * n].reshape(2, n).T
        c = np.sqrt(1.0 - np.sum(ab**2, axis=1))
        c1 = -np.sum(ab * rate, axis=1) / c
        c2 = -(np.sum(rate**2, axis=1) + c1**2) / c
        t, t1 = np.column_stack([c, ab]), np.column_stack([c1, rate])
        by = np.zeros((len(c), 3, 2))
        by[:, 0], by[:, 1, 0], by[:, 2, 1] = -ab / c[:, None], 1.0, 1.0
        bias = np.zeros((len(c), 3))
        bias[:, 0] = c2
        return t, t1, by, bias, self._strain @ q[2 * n :], self._strain @ v[2 * n :]

    def acceleration(self, q: np.ndarray, v: np.ndarray, spin: float, second: float) -> np.ndarray:
        """Second rates (size,) of the unknowns while the hub turns at `spin` [rad/s], `second` [rad/s²]."""
        t, t1, by, bias, e, e1 = self._fields(q, v)
        stretch = (1.0 + e)[:, None]
        columns = np.concatenate(
            [
                (stretch[:, :, None] * by[:, :, k : k + 1] * self._shapes[:, None, :]) for k in range(2)
            ] + [t[:, :, None] * self._strain[:, None, :]],
            axis=2,
        )  # fmt: skip
        J = np.einsum("xp,pij->xij", self._sum, columns)
        h = self._sum @ (2.0 * e1[:, None] * t1 + stretch * bias)
        u, u1 = self._sum @ (stretch * t), self._sum @ (e1[:, None] * t + stretch * t1)
        omega, turning = np.array([0.0, 0.0, spin]), np.array([0.0, 0.0, second])
        h = h + 2.0 * np.cross(omega, u1) + np.cross(turning, u) + np.cross(omega, np.cross(omega, u))
        h[:, 2] -= self.weight
        heavy = self.rhoA * self._weight[:, None, None] * J
        mass = np.einsum("xik,xil->kl", heavy, J)
        force = -np.einsum("xik,xi->k", heavy, h) - self._elastic(q)
        return np.asarray(np.linalg.solve(mass, force))

    def _elastic(self, q: np.ndarray) -> np.ndarray:
        """∂U/∂q. With t' = ((−a a' − b b')/c, a', b') and s = a a' + b b': t'² = a'² + b'² + s²/c²."""
        n = self.bending
        ab, slope = self._shapes @ q[: 2 * n].reshape(2, n).T, self._slopes @ q[: 2 * n].reshape(2, n).T
        c2 = 1.0 - np.sum(ab**2, axis=1)
        s = np.sum(ab * slope, axis=1)
        by_slope = slope + (s / c2)[:, None] * ab
        by_value = (s / c2)[:, None] * slope + (s / c2)[:, None] ** 2 * ab
        weight = (self.EI * self._weight)[:, None]
        bending = (self._slopes.T @ (weight * by_slope) + self._shapes.T @ (weight * by_value)).T.ravel()
        stretching = self.EA * self._strain.T @ (self._weight * (self._strain @ q[2 * n :]))
        return np.concatenate([bending, stretching])

    def energy(self, q: np.ndarray, v: np.ndarray) -> float:
        """Kinetic and potential energy [J] on a hub at rest."""
        n = self.bending
        t, t1, _, _, e, e1 = self._fields(q, v)
        u, u1 = (self._sum @ part for part in ((1.0 + e)[:, None] * t, e1[:, None] * t + (1.0 + e)[:, None] * t1))
        ab, slope = self._shapes @ q[: 2 * n].reshape(2, n).T, self._slopes @ q[: 2 * n].reshape(2, n).T
        bent = np.sum(slope**2, axis=1) + np.sum(ab * slope, axis=1) ** 2 / (1.0 - np.sum(ab**2, axis=1))
        density = 0.5 * self.rhoA * np.sum(u1**2, axis=1) - self.rhoA * self.weight * u[:, 2]
        return float(self._weight @ (density + 0.5 * self.EI * bent + 0.5 * self.EA * e**2))

    def motion(
        self, hub: Callable[[float], tuple[float, float]], times: np.ndarray, *, rtol: float = 1e-9, atol: float = 1e-11
    ) -> np.ndarray:
        """The place of the end in the axes of the hub (times, 3), from rest; `hub(t)` its rate and second rate."""
        n = self.size

        def rate(t: float, y: np.ndarray) -> np.ndarray:
            return np.concatenate([y[n:], self.acceleration(y[:n], y[n:], *hub(t))])

        span = (0.0, float(times[-1]))
        run = solve_ivp(rate, span, np.zeros(2 * n), method="Radau", rtol=rtol, atol=atol, t_eval=times)
        places = []
        for q in run.y[:n].T:
            t, _, _, _, e, _ = self._fields(q, 0.0 * q)
            places.append(self._weight @ ((1.0 + e)[:, None] * t))
        return np.array(places)
