"""A free hub with a chain of panels whose hinges have springs and latches, in minimal coordinates.

All bodies move in a plane. With the angles θ₀ … θ_n of hub and panels, the places of their mass centers are sums of
arms a_ij that turn with them,  r_i = r₀ + Σ_j A(θ_j) a_ij,  so that with p_ij = d(A a_ij)/dθ_j

    T = ½ θ̇ᵀ M θ̇,   M_jk = Σ_i m_i (p_ij − p̄_j) · (p_ik − p̄_k) + δ_jk J_j

about the mass center of all, which stays at rest and from which p̄ is subtracted. Lagrange's equations are
M θ̈ + h = Q, with h from the derivatives of M by differences of the arms, since  d p_ij/dt = −θ̇_j A a_ij. A latch makes
two neighbors one: θ = B φ + const with fewer angles φ, and where it closes the rates jump to those of

    BᵀM B φ̇₁ = BᵀM θ̇₀,

which keeps the momenta along all motions that are left. The time of closing is a root of the angle of the hinge on the
continuous form of the integrator (DOP853 of SciPy).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp


@dataclass(frozen=True)
class Chain:
    """`hub`: mass [kg], inertia [kg m²], distance [m] from its mass center to the first hinge; of each panel its `mass`
    [kg] and `length` [m]; of each hinge its `folded` angle at the start [rad], stiffness `springs` [Nm/rad] and `free`
    angle [rad] of its spring, `damping` [Nms/rad]. Latches close at the angle 0."""

    hub: tuple[float, float, float] = (60.0, 12.0, 0.5)
    mass: float = 8.0
    length: float = 1.2
    folded: tuple[float, ...] = (0.5 * np.pi, -np.pi, np.pi)
    springs: tuple[float, ...] = (1.6, 1.2, 0.9)
    free: tuple[float, ...] = (-0.4, 0.5, -0.6)
    damping: float = 0.05

    @property
    def inertia(self) -> float:
        """Of a panel about its mass center [kg m²]."""
        return self.mass * self.length**2 / 12.0

    def arms(self) -> np.ndarray:
        """Lengths (n + 1, n + 1) of the arms along the axes of hub and panels, from the hub to each mass center."""
        n = len(self.folded)
        out = np.zeros((n + 1, n + 1))
        out[1:, 0] = self.hub[2]
        for i in range(1, n + 1):
            out[i, 1:i], out[i, i] = self.length, 0.5 * self.length
        return out

    @property
    def masses(self) -> np.ndarray:
        return np.array([self.hub[0], *[self.mass] * len(self.folded)])

    def matrix(self, theta: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """M and h, about the common mass center."""
        arms, m = self.arms(), self.masses
        along = np.stack([np.cos(theta), np.sin(theta)])
        across = np.stack([-along[1], along[0]])
        p = across[:, None, :] * arms  # (2, bodies, angles)
        second = -along[:, None, :] * arms @ rate**2  # ẍ of the centers at θ̈ = 0, (2, bodies)
        share = m / m.sum()
        p = p - np.einsum("i,xij->xj", share, p)[:, None, :]
        second = second - (second @ share)[:, None]
        M = np.einsum("i,xij,xik->jk", m, p, p)
        M += np.diag([self.hub[1], *[self.inertia] * len(self.folded)])
        return M, np.einsum("i,xij,xi->j", m, p, second)

    def torques(self, theta: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Of the springs and dampers, on each body."""
        moment = -np.array(self.springs) * (np.diff(theta) - np.array(self.free)) - self.damping * np.diff(rate)
        out = np.zeros(len(theta))
        out[1:] += moment
        out[:-1] -= moment
        return out

    def energy(self, theta: np.ndarray, rate: np.ndarray) -> float:
        """Kinetic and strain energy [J], at rest of the common mass center."""
        M, _ = self.matrix(theta, rate)
        bent = np.diff(theta) - np.array(self.free)
        return float(0.5 * rate @ M @ rate + 0.5 * np.array(self.springs) @ bent**2)


@dataclass
class Deployment:
    """What happens: for each latch its number (from 1), the time [s] and the energy lost [J]; angles and rates of hub
    and panels at the end."""

    latched: list[tuple[int, float, float]] = field(default_factory=list)
    theta: np.ndarray = field(default_factory=lambda: np.zeros(0))
    rate: np.ndarray = field(default_factory=lambda: np.zeros(0))


def deploy(chain: Chain, t_end: float, rtol: float = 1e-12) -> Deployment:
    """The motion from rest, folded, until t_end [s]."""
    count, t, closed, found = len(chain.folded), 0.0, set[int](), Deployment()
    theta, rate = np.concatenate([[0.0], np.cumsum(chain.folded)]), np.zeros(count + 1)
    while t < t_end:
        B, first = _together(count, closed)
        offset = theta - B @ theta[first]

        def rates(_: float, y: np.ndarray, B: np.ndarray = B, offset: np.ndarray = offset) -> np.ndarray:
            phi, w = np.split(y, 2)
            angles, speeds = B @ phi + offset, B @ w
            M, h = chain.matrix(angles, speeds)
            return np.concatenate([w, np.linalg.solve(B.T @ M @ B, B.T @ (chain.torques(angles, speeds) - h))])

        open_ones = [k for k in range(1, count + 1) if k not in closed]
        hinges = [_hinge(B[k] - B[k - 1], offset[k] - offset[k - 1]) for k in open_ones]
        start = np.concatenate([theta[first], rate[first]])
        run = solve_ivp(rates, (t, t_end), start, "DOP853", rtol=rtol, atol=1e-13, events=hinges)
        phi, w = np.split(run.y[:, -1], 2)
        t, theta, rate = float(run.t[-1]), B @ phi + offset, B @ w
        hit = [k for k, times in zip(open_ones, run.t_events or []) if len(times)]
        if hit:
            closed.add(hit[0])
            B, _ = _together(count, closed)
            M, _ = chain.matrix(theta, rate)
            before = chain.energy(theta, rate)
            rate = B @ np.linalg.solve(B.T @ M @ B, B.T @ (M @ rate))
            found.latched.append((hit[0], t, before - chain.energy(theta, rate)))
    found.theta, found.rate = theta, rate
    return found


def _together(count: int, closed: set[int]) -> tuple[np.ndarray, np.ndarray]:
    """B, which has a column for each group of bodies that latches make one, and the first body of each."""
    group = np.cumsum([0, *(k not in closed for k in range(1, count + 1))])
    B = (group[:, None] == np.arange(group[-1] + 1)).astype(float)
    return B, np.argmax(B, axis=0)


def _hinge(weights: np.ndarray, offset: float) -> Callable[[float, np.ndarray], float]:
    """The angle of a hinge, whose root ends an integration."""

    def angle(_: float, y: np.ndarray) -> float:
        return float(weights @ y[: len(weights)] + offset)

    angle.terminal = True  # type: ignore[attr-defined]
    return angle
