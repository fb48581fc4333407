"""One element of the CMS beam in space, from the places and orientations of its sections alone.

Nodes have places R₁, R₂ and orientations Λ₁, Λ₂ (matrices, x along the beam). The chord frame E is Λ₁ after the
smallest turn that takes its x-axis to the chord d, turned about the chord by half of the twist of Λ₂ against it.
Against E the ends have the swings σ = (0, −w', v') and the twists ∓φ: their matrices are exp σ̃ Rx(∓φ). With the static
cubics and the modes of the clamped-clamped beam b, b' = ∂b/∂x, S(x) = ∫₀ˣ b'b'ᵀ dx, H = η S(L) − S(x), and g_v, g_w of
both planes,

    r = R₁ + E (x + η (l − L) + Σ ξx sin kπη + ½ g_vᵀ H g_v + ½ g_wᵀ H g_w, b·g_v, b·g_w)
    R = E exp(σ̃(x)) Rx((2η − 1) φ + Σ ξt τ_k(η)),   σ(x) = (0, −b'·g_w, b'·g_v)

with polynomials τ_k of the degree k + 1 that vanish at both ends, τ_k = −4/3 (2k + 1) ∫₀^η P_k(2s − 1) ds.

All else is numerical: curvatures κ̃ = RᵀR', the energy ½ EA L ε² + ½ ∫ κᵀ diag(GJ, EIy, EIz) κ dx + axial modes with
ε = (l − L + ½ g_vᵀ S g_v + ½ g_wᵀ S g_w)/L, and d'Alembert's principle for a motion q(t),

    Q_k = ∫ (ρA ∂r/∂q_k · (r̈ − g) + ∂ω/∂q̇_k · d/dt(J ω)) dx + ∂U/∂q_k,   J = R diag(ρIp, ρIy, ρIz) Rᵀ

by central differences of eighth order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import Legendre

from .clamped_beam import characteristic_values
from .mathematics import gauss

#: weights of central differences of eighth order for steps 1 … 4
FIRST = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
SECOND = (8 / 5, -1 / 5, 8 / 315, -1 / 560)


def first(f: Callable[[float], Any], h: float) -> Any:
    """f'(0) by central differences."""
    return sum(w * (f(k * h) - f(-k * h)) for k, w in enumerate(FIRST, 1)) / h


def second(f: Callable[[float], Any], h: float) -> Any:
    """f''(0) by central differences."""
    return sum(w * (f(k * h) + f(-k * h) - 2.0 * f(0.0)) for k, w in enumerate(SECOND, 1)) / h**2


def tilde(u: Any) -> np.ndarray:
    """The matrix of the cross product."""
    return np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])


def rotation(phi: Any) -> np.ndarray:
    """exp φ̃, Rodrigues' formula."""
    angle = float(np.linalg.norm(phi))
    if angle == 0.0:
        return np.eye(3)
    n = tilde(np.asarray(phi) / angle)
    return np.asarray(np.eye(3) + np.sin(angle) * n + (1.0 - np.cos(angle)) * n @ n)


def rotations(phi: np.ndarray) -> np.ndarray:
    """exp φ̃ (n, 3, 3) of vectors (n, 3)."""
    angle = np.linalg.norm(phi, axis=1)
    x, y, z = phi.T / np.where(angle == 0.0, 1.0, angle)
    n = np.zeros((len(phi), 3, 3))
    n[:, 0, 1], n[:, 0, 2], n[:, 1, 2] = -z, y, -x
    n -= n.transpose(0, 2, 1)
    sine, cosine = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.asarray(np.eye(3) + sine * n + (1.0 - cosine) * n @ n)


def smallest_turn(t: np.ndarray) -> np.ndarray:
    """The rotation vector of the smallest turn from e_x to the unit vector t."""
    axis = np.cross([1.0, 0.0, 0.0], t)
    sine = float(np.linalg.norm(axis))
    return np.zeros(3) if sine == 0.0 else axis / sine * np.arctan2(sine, t[0])


def twist(R: np.ndarray, swing: np.ndarray) -> float:
    """The angle about x that remains of R without its swing."""
    left = rotation(swing).T @ R
    return float(np.arctan2(left[2, 1], left[1, 1]))


@dataclass
class SpatialCmsReference:
    """One element: `modes` of bending along y, along z, of torsion and along the axis. A position is (R₁, Λ₁, R₂, Λ₂,
    ξ), with ξ in the order axial, along y, along z, torsion."""

    length: float
    stiffness: tuple[float, float, float, float]  # EA, GJ, EIy, EIz
    inertia: tuple[float, float, float, float]  # ρA, ρIp, ρIy, ρIz
    modes: tuple[int, int, int, int] = (2, 2, 1, 0)
    field: str = "second_order"

    def __post_init__(self) -> None:
        y, z, t, m = self.modes
        n = max(y, z)
        self.eta, weights, integral = gauss(24 + 6 * n + 4 * (t + m))
        self.weights = weights * self.length
        self.torsion = [Legendre.basis(k, domain=[0.0, 1.0]).integ(lbnd=0.0) for k in range(1, t + 1)]
        self.values = characteristic_values(n, "clamped-clamped")
        slopes = self.bending(self.eta)[1]
        products = np.einsum("pi,pj->pij", slopes, slopes) * self.length
        self.S = np.einsum("p,pij->ij", weights, products)
        self.H = self.eta[:, None, None] * self.S - np.einsum("xp,pij->xij", integral, products)

    def bending(self, eta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """b and b' (n, g)."""
        L = self.length
        b, slope = (
            [L * (eta - 2 * eta**2 + eta**3), L * (eta**3 - eta**2)],
            [1 - 4 * eta + 3 * eta**2, 3 * eta**2 - 2 * eta],
        )
        for k, z in enumerate(self.values, 1):
            c = (-1.0) ** (k + 1)
            e = np.exp(-z)
            left, right = np.exp(-z * eta) / (1 + c * e), c * np.exp(-z * (1 - eta)) / (1 + c * e)
            sigma = (1 - c * e) / (1 + c * e)
            b.append(left + right - np.cos(z * eta) + sigma * np.sin(z * eta))
            slope.append(z * (right - left + np.sin(z * eta) + sigma * np.cos(z * eta)) / L)
        return np.column_stack(b), np.column_stack(slope)

    def local(self, q: tuple[Any, ...]) -> tuple[Any, ...]:
        """E, l, g_v, g_w, (φ, ξt), ξx of a position."""
        R1, A1, R2, A2, xi = q
        y, z, _t, m = self.modes
        d = R2 - R1
        l = float(np.linalg.norm(d))
        E0 = A1 @ rotation(smallest_turn(A1.T @ d / l))
        rest = E0.T @ A2
        phi = 0.5 * twist(rest, smallest_turn(rest[:, 0]))
        E = E0 @ rotation((phi, 0.0, 0.0))
        swings = [smallest_turn((E.T @ A)[:, 0]) for A in (A1, A2)]
        gv, gw = np.zeros(2 + len(self.values)), np.zeros(2 + len(self.values))
        gv[:2], gw[:2] = [s[2] for s in swings], [-s[1] for s in swings]
        gv[2 : 2 + y], gw[2 : 2 + z] = xi[m : m + y], xi[m + y : m + y + z]
        return E, l, gv, gw, np.append(phi, xi[m + y + z :]), xi[:m]

    def sections(self, q: tuple[Any, ...], eta: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Places (n, 3) and orientations (n, 3, 3) of sections, at the Gauss points or at places η."""
        E, l, gv, gw, gt, gx = self.local(q)
        own = self.eta if eta is None else eta
        b, slope = self.bending(own)
        k = np.arange(1, 8) * np.pi
        along = own * l + np.sin(np.outer(own, k[: len(gx)])) @ gx
        if self.field == "second_order" and eta is None:
            along = along + 0.5 * (np.einsum("i,pij,j->p", gv, self.H, gv) + np.einsum("i,pij,j->p", gw, self.H, gw))
        twists = (2 * own - 1) * gt[0]
        for number, (amplitude, shape) in enumerate(zip(gt[1:], self.torsion), 1):
            twists = twists - 4 / 3 * (2 * number + 1) * amplitude * shape(own)
        places = q[0] + np.column_stack([along, b @ gv, b @ gw]) @ E.T
        v, w = slope @ gv, slope @ gw
        none = np.zeros(len(own))
        turns = E @ rotations(np.column_stack([none, -w, v])) @ rotations(np.column_stack([twists, none, none]))
        return places, turns

    def energy(self, q: tuple[Any, ...]) -> float:
        """Strain energy."""
        EA, GJ, EIy, EIz = self.stiffness
        L = self.length
        _, l, gv, gw, _, gx = self.local(q)
        strain = (l - L) / L
        if self.field != "chord":
            strain += 0.5 * (gv @ self.S @ gv + gw @ self.S @ gw) / L
        # all sections at once, which takes a tenth of the time
        h = 0.008
        beside = [k * h * side for k in range(1, len(FIRST) + 1) for side in (1.0, -1.0)]
        R, *ends = np.split(
            self.sections(q, np.concatenate([self.eta + s for s in (0.0, *beside)]))[1], 1 + len(beside)
        )
        change = sum(w * (a - b) for w, a, b in zip(FIRST, ends[::2], ends[1::2])) / (h * L)
        kappa = np.einsum("pji,pjk->pik", R, change)
        kappa = np.column_stack([kappa[:, 2, 1], kappa[:, 0, 2], kappa[:, 1, 0]])
        k = np.arange(1, len(gx) + 1) * np.pi
        return float(
            0.5 * EA * L * strain**2
            + 0.5 * self.weights @ (kappa**2 @ np.array([GJ, EIy, EIz]))
            + 0.25 * EA / L * np.sum((k * gx) ** 2)
        )

    def moved(self, q: tuple[Any, ...], y: np.ndarray) -> tuple[Any, ...]:
        """A position moved by y: places in the axes of the ground, turns in those of the nodes, ξ."""
        R1, A1, R2, A2, xi = q
        return R1 + y[:3], A1 @ rotation(y[3:6]), R2 + y[6:9], A2 @ rotation(y[9:12]), xi + y[12:]

    def residual(
        self, q: tuple[Any, ...], v: np.ndarray, a: np.ndarray, gravity: np.ndarray, h: float = 0.03
    ) -> np.ndarray:
        """Q (12 + modes) of a position, speeds (ω in the axes of the sections) and accelerations."""
        rhoA, *J = self.inertia

        def there(t: float) -> tuple[np.ndarray, np.ndarray]:
            return self.sections(self.moved(q, v * t + 0.5 * a * t * t))

        def spin(t: float) -> np.ndarray:
            """J ω of each section at a time."""
            R = there(t)[1]
            rate = np.einsum("pij,pkj->pik", first(lambda s: there(t + s)[1], h), R)
            omega = np.column_stack([rate[:, 2, 1], rate[:, 0, 2], rate[:, 1, 0]])
            return np.einsum("pij,j,pkj,pk->pi", R, np.array(J), R, omega)

        R = self.sections(q)[1]
        force = rhoA * (second(lambda t: there(t)[0], h) - gravity)
        moment = first(spin, h)
        out = np.empty(len(v))
        for k in range(len(v)):
            y = np.zeros(len(v))
            y[k] = 1.0

            def along(s: float, y: np.ndarray = y) -> np.ndarray:
                """Places and orientations, side by side (n, 3, 4)."""
                places, turns = self.sections(self.moved(q, s * y))
                return np.concatenate([turns, places[:, :, None]], axis=2)

            def stored(s: float, y: np.ndarray = y) -> float:
                return self.energy(self.moved(q, s * y))

            rate = first(along, h)
            turn = np.einsum("pij,pkj->pik", rate[:, :, :3], R)
            turned = np.column_stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]])
            work = np.sum(force * rate[:, :, 3] + moment * turned, axis=1)
            out[k] = self.weights @ work + first(stored, h)
        return out
