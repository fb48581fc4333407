"""Cantilevers of CMS elements, derived from the positions of their points alone.

Only the position of a point is taken from the formulation, Kobayashi (n.d.), eqs. (1)-(13). The coordinates are not
those of the ends of the elements: along the chain, each element has its mean strain and its bending against the chord,

    q = (ε, g),  g = (ū3, ū6, ξ);   chord  θ = θ₁ − ū3,  l = L (1 + ε) − ½ gᵀ S_L g;   θ₂ = θ + ū6
    s = (η l + ½ gᵀ H g, b·g),   r = R₁ + A(θ) s,   R₂ = R₁ + l e(θ)
    b = (L(η − 2η² + η³), L(−η² + η³), Φ),   S(x) = ∫₀ˣ b'b'ᵀ dx,   S_L = S(L),   H = η S_L − S

Φ are the modes of the clamped-clamped beam, cosh λη − cos λη − σ (sinh λη − sin λη). The strain energy is quadratic,
½ EA L ε² + ½ EI ∫ (b''·g)² dx for each element. "mean" leaves out H, "chord" S_L as well. All integrals are
Gauss's. The rest is numerical: J = ∂r/∂q by complex steps, and in a frame that turns at the speed Ω

    ∫ ρA Jᵀ (J q̈ + J̇q̇ + 2 Ω (J q̇)⊥ + Ω̇ r⊥ − Ω² r) dx + K q = Σ J_kᵀ F_k

J̇q̇ = d²r/dh² along q + h q̇ follows from complex steps of ±h √i, of which Im [r(+) + r(−)] = h² J̇q̇ + O(h⁶).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import scipy.linalg
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from .clamped_beam import characteristic_values
from .mathematics import gauss

TINY = 1e-30
#: Ω [rad/s] and Ω̇ [rad/s²] of the frame in which the cantilever is clamped, at a time [s]
Turning = Callable[[float], tuple[float, float]]


def _across(a: np.ndarray) -> np.ndarray:
    """Plane vectors (…, 2) turned by +90°."""
    return np.stack([-a[..., 1], a[..., 0]], axis=-1)


@dataclass
class CmsCantilever:
    """A beam along x, clamped at the origin: CMS elements of `modes` bending modes; `axial` field as above."""

    elements: int
    modes: int
    axial: str = "second_order"
    length: float = 1.0
    EA: float = 1.0
    EI: float = 1.0
    rhoA: float = 1.0
    stiffness: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        L = self.element = self.length / self.elements
        x, weight, integral = gauss(12 + 3 * self.modes)
        values = characteristic_values(self.modes, "clamped-clamped")
        # Φ = cosh − cos − σ (sinh − sin) of z = λη, with 1 − σ computed directly, since the difference would lose its
        # digits
        small = (np.cos(values) - np.sin(values) - np.exp(-values)) / (np.sinh(values) - np.sin(values))
        z, sigma = np.outer(x, values), 1.0 - small
        up, down, c, s = 0.5 * small * np.exp(z), 0.5 * (1.0 + sigma) * np.exp(-z), np.cos(z), np.sin(z)
        u = x[:, None]
        b = np.hstack([L * (u - 2 * u**2 + u**3), L * (u**3 - u**2), up + down - c + sigma * s])
        slope = np.hstack([1 - 4 * u + 3 * u**2, 3 * u**2 - 2 * u, values / L * (up - down + s + sigma * c)])
        bend = np.hstack([(6 * u - 4) / L, (6 * u - 2) / L, (values / L) ** 2 * (up + down + c - sigma * s)])
        S = L * np.einsum("pq,qi,qj->pij", integral, slope, slope)
        S_end = L * np.einsum("q,qi,qj->ij", weight, slope, slope)
        self._eta, self._mass, self._b = x, self.rhoA * L * weight, b
        self._S_end = S_end if self.axial != "chord" else 0.0 * S_end
        self._H = u[:, :, None] * S_end - S if self.axial == "second_order" else 0.0 * S
        of_one = scipy.linalg.block_diag(self.EA * L, self.EI * L * np.einsum("q,qi,qj->ij", weight, bend, bend))
        self.stiffness = np.kron(np.eye(self.elements), of_one)

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return self.elements * (3 + self.modes)

    def place(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions of all points (k, points, 2), and position and angle of the end (k, 3), for coordinates (k,
        size)."""
        parts = q.reshape(len(q), self.elements, 3 + self.modes)
        x, y, turn = np.zeros((3, len(q)), q.dtype)
        points = []
        for e in range(self.elements):
            strain, g = parts[:, e, 0], parts[:, e, 1:]
            chord = self.element * (1.0 + strain) - 0.5 * np.einsum("ki,ij,kj->k", g, self._S_end, g)
            along = np.outer(chord, self._eta) + 0.5 * np.einsum("ki,pij,kj->kp", g, self._H, g)
            across = g @ self._b.T
            theta = turn - g[:, 0]
            c, s = np.cos(theta)[:, None], np.sin(theta)[:, None]
            points.append(np.stack([x[:, None] + c * along - s * across, y[:, None] + s * along + c * across], -1))
            x, y, turn = x + c[:, 0] * chord, y + s[:, 0] * chord, theta + g[:, 1]
        return np.concatenate(points, axis=1), np.stack([x, y, turn], axis=-1)

    def jacobians(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """∂r/∂q of all points (size, points, 2), and ∂(x, y, θ)/∂q of the end (size, 3)."""
        points, end = self.place(q + 1j * TINY * np.eye(self.size))
        return points.imag / TINY, end.imag / TINY

    def mass(self, q: np.ndarray) -> np.ndarray:
        """∫ ρA JᵀJ dx."""
        J = self.jacobians(q)[0]
        return np.einsum("apx,bpx->ab", self._weighted(J), J)

    def _weighted(self, J: np.ndarray) -> np.ndarray:
        return J * np.tile(self._mass, self.elements)[:, None]

    def frequencies(self) -> np.ndarray:
        """Natural frequencies [rad/s] of the straight beam without those along its axis."""
        bending = np.setdiff1d(np.arange(self.size), np.arange(self.elements) * (3 + self.modes))
        at = np.ix_(bending, bending)
        return np.sqrt(scipy.linalg.eigvalsh(self.stiffness[at], self.mass(np.zeros(self.size))[at]))

    def motion(self, turning: Turning, times: np.ndarray, rtol: float = 1e-8) -> np.ndarray:
        """Position and angle (times, 3) of the end in the turning frame, from rest, by Radau's method."""
        n, z = self.size, 1e-2 * np.exp(0.25j * np.pi)

        def rate(t: float, state: np.ndarray) -> np.ndarray:
            q, v = state[:n], state[n:]
            points, _ = self.place(np.vstack([q + 1j * TINY * np.eye(n), q + z * v, q - z * v]))
            J, r = points[:n].imag / TINY, points[0].real
            bias = (points[n] + points[n + 1]).imag / abs(z) ** 2
            speed, second = turning(t)
            acceleration = bias + 2.0 * speed * _across(np.tensordot(v, J, 1)) + second * _across(r) - speed**2 * r
            heavy = self._weighted(J).reshape(n, -1)
            force = -heavy @ acceleration.ravel() - self.stiffness @ q
            return np.concatenate([v, np.linalg.solve(heavy @ J.reshape(n, -1).T, force)])

        span = (0.0, float(times[-1]))
        run = solve_ivp(rate, span, np.zeros(2 * n), method="Radau", rtol=rtol, atol=1e-2 * rtol, t_eval=times)
        return self.place(run.y[:n].T)[1]

    def forces(self, q: np.ndarray, end: np.ndarray, following: float = 0.0, speed: float = 0.0) -> np.ndarray:
        """K q − Jᵀ(forces) (size,): a dead force `end` (2,), one along the end section that pushes with `following`
        against the beam, and the centrifugal forces of a `speed`."""
        J, J_end = self.jacobians(q)
        points, place = (a[0] for a in self.place(q[None, :]))
        push = following * np.array([np.cos(place[2]), np.sin(place[2])])
        centrifugal = speed**2 * np.einsum("apx,px->a", self._weighted(J), points)
        return self.stiffness @ q - J_end[:, :2] @ (end - push) - centrifugal

    def tangent(self, q: np.ndarray, end: np.ndarray, following: float = 0.0, speed: float = 0.0) -> np.ndarray:
        """The derivative of `forces` by q (size, size), by differences of fourth order."""
        step, columns = 1e-3, []
        for k in range(self.size):
            move = step * np.eye(self.size)[k]
            near, far = (
                self.forces(q + m * move, end, following, speed) - self.forces(q - m * move, end, following, speed)
                for m in (1.0, 2.0)
            )
            columns.append((8.0 * near - far) / (12.0 * step))
        return np.array(columns).T

    def at_rest(
        self, end: np.ndarray, start: np.ndarray | None = None, following: float = 0.0, speed: float = 0.0
    ) -> np.ndarray:
        """Coordinates (size,) where `forces` vanishes, by Newton's method from `start`."""
        q = np.zeros(self.size) if start is None else start.copy()
        for _ in range(50):
            change = np.linalg.solve(self.tangent(q, end, following, speed), self.forces(q, end, following, speed))
            q -= change
            if np.abs(change).max() < 1e-12:
                return q
        raise ArithmeticError("Newton's method does not converge")

    def spinning(self, speed: float) -> np.ndarray:
        """Circular frequencies [rad/s] of small vibration about steady rotation."""
        none = np.zeros(2)
        q = self.at_rest(none, speed=speed)
        J = self.jacobians(q)[0]
        heavy = self._weighted(J)
        mass = np.einsum("apx,bpx->ab", heavy, J)
        gyroscopic = 2.0 * speed * np.einsum("apx,bpx->ab", heavy, _across(J))
        n = self.size
        first = np.block([[np.zeros((n, n)), np.eye(n)], [-self.tangent(q, none, speed=speed), -gyroscopic]])
        roots = scipy.linalg.eigvals(first, scipy.linalg.block_diag(np.eye(n), mass))
        return np.sort(roots.imag[roots.imag > 0.0])

    def flutter(self, low: float, high: float) -> tuple[float, float]:
        """The force between `low` and `high`, along the end section, under which two frequencies of the straight column
        become one, and that frequency [rad/s]."""

        def squares(force: float) -> np.ndarray:
            q = np.zeros(self.size)
            q[:: 3 + self.modes] = -force / self.EA
            roots = scipy.linalg.eigvals(self.tangent(q, np.zeros(2), force), self.mass(q))
            return roots[np.argsort(roots.real)][:2]

        # the square of the difference of ω² passes zero smoothly
        force = float(brentq(lambda p: (np.diff(squares(p))[0] ** 2).real, low, high, xtol=1e-11))
        return force, float(np.sqrt(squares(force).real.mean()))
