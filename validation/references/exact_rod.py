"""A rod that bends and stretches by any amount (Euler and Bernoulli, geometrically exact), by polynomials.

The unknowns are the direction and the strain of the axis along its length, not its position:

    r(x, t) = R(t) + ∫₀ˣ (1 + ε) e^{iθ} dx,    θ = α(t) + Σ a_k φ_k(x),    ε = Σ b_k P_k(x)

with Legendre polynomials P_k for the strain, and for the direction their integrals from 0, which vanish at a clamped
start, or P_k themselves where it is hinged. R(t), α(t): the given motion of the start. By virtual power, with
u = ∫₀ˣ δ((1 + ε) e^{iθ}) dx, all integrals by Gauss,

    r̈ = R̈ + ∫₀ˣ (ε̈ + i (1 + ε) θ̈ + 2 i ε̇ θ̇ − (1 + ε) θ̇²) e^{iθ} dx
    ∫ (ρA r̈·u + EI θ' δθ' + EA ε δε) dx + m r̈(L)·u(L) = λ Im u(L)

m is a mass at the end, and λ the force of a guide that keeps Im r(L) constant, if there is one. Nothing is
assumed to be small, so the only error is that of the number of polynomials, and it falls faster than any power of this
number. The equations have few unknowns and are smooth in time, so any method of integration serves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from .mathematics import gauss, legendre

#: R and R̈ of the start as complex numbers, and α, α̇, α̈, at a time
Given = Callable[[float], tuple[complex, complex, float, float, float]]


@dataclass
class ExactRod:
    """`bending` and `stretching`: numbers of polynomials. `hinged`: whether the start is free to turn; else it is
    clamped. `end_mass` [kg] at the end; `guided`: whether the end can only move along x."""

    length: float
    EA: float
    EI: float
    rhoA: float
    bending: int = 5
    stretching: int = 3
    hinged: bool = False
    end_mass: float = 0.0
    guided: bool = False

    def __post_init__(self) -> None:
        x, weight, integral = gauss(self.bending + self.stretching + 12)
        self._sum = self.length * integral
        self._weight = self.length * weight
        P = legendre(max(self.bending, self.stretching), x)
        if self.hinged:
            self._direction = legendre(self.bending, x)
            self._curvature = legendre(self.bending, x, 1) / self.length
        else:
            self._direction, self._curvature = integral @ P[:, : self.bending], P[:, : self.bending] / self.length
        self._strain = P[:, : self.stretching]
        n = self.bending
        self._stiffness = np.zeros((self.size, self.size))
        self._stiffness[:n, :n] = self.EI * (self._curvature * self._weight[:, None]).T @ self._curvature
        self._stiffness[n:, n:] = self.EA * (self._strain * self._weight[:, None]).T @ self._strain

    @property
    def size(self) -> int:
        """The number of unknowns."""
        return self.bending + self.stretching

    def acceleration(self, t: float, c: np.ndarray, v: np.ndarray, given: Given) -> np.ndarray:
        """Second rates (size,) of the unknowns."""
        n = self.bending
        _, start, alpha, rate, second = given(t)
        along = np.exp(1j * (alpha + self._direction @ c[:n]))
        turning = rate + self._direction @ v[:n]
        stretch, stretching = 1.0 + self._strain @ c[n:], self._strain @ v[n:]
        columns = np.hstack([1j * (stretch * along)[:, None] * self._direction, along[:, None] * self._strain])
        rest = (1j * stretch * second + 2j * stretching * turning - stretch * turning**2) * along
        J, J_end = self._sum @ columns, self._weight @ columns
        bias, bias_end = start + self._sum @ rest, start + self._weight @ rest
        heavy = self.rhoA * self._weight[:, None] * J.conj()
        mass = (heavy.T @ J).real + self.end_mass * np.outer(J_end.conj(), J_end).real
        force = -(heavy.T @ bias).real - self.end_mass * (J_end.conj() * bias_end).real - self._stiffness @ c
        if not self.guided:
            return np.linalg.solve(mass, force)
        free, held = np.linalg.solve(mass, np.column_stack([force, J_end.imag])).T
        return free - held * (J_end.imag @ free + bias_end.imag) / (J_end.imag @ held)

    def motion(
        self, given: Given, times: np.ndarray, *, method: str = "Radau", rtol: float = 1e-8, atol: float = 1e-10
    ) -> np.ndarray:
        """The unknowns (times, size) of a rod that starts straight along x, at rest."""
        n = self.size

        def rate(t: float, y: np.ndarray) -> np.ndarray:
            return np.concatenate([y[n:], self.acceleration(t, y[:n], y[n:], given)])

        span = (0.0, float(times[-1]))
        return solve_ivp(rate, span, np.zeros(2 * n), method=method, rtol=rtol, atol=atol, t_eval=times).y[:n].T

    def places(self, times: np.ndarray, c: np.ndarray, given: Given, s: float = 1.0) -> np.ndarray:
        """The position of the point at the fraction s of the length, complex (times,)."""
        x, weight, integral = gauss(len(self._weight))
        P, n = legendre(max(self.bending, self.stretching), s * x), self.bending
        phi = P[:, :n] if self.hinged else s * integral @ P[:, :n]
        start, _, alpha, _, _ = (np.array(values) for values in zip(*(given(float(t)) for t in times)))
        axis = (1.0 + c[:, n:] @ P[:, : self.stretching].T) * np.exp(1j * (alpha[:, None] + c[:, :n] @ phi.T))
        return start + s * self.length * axis @ weight
