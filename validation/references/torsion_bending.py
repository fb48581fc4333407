"""Torsion and bending of a cantilever together, where they depend on one another.

A body at the end, its mass center beside the axis (Euler and Bernoulli, Saint-Venant). With the sideways displacement w
along z, the twist φ about x and the body m at y = c of the end's section, moments of inertia J about x and J_y about y
through its own mass center, Hamilton's principle gives at the end

    EIy w''' = −ω² m (w + c φ),      EIy w'' = ω² J_y w',      GJ φ' = ω² (J φ + m c (w + c φ))

and in between EIy w'''' = ρA ω² w, GJ φ'' = −ρIp ω² φ, clamped at 0. A determinant of 3 × 3 is zero.

A force (0, F_y, F_z) on the end (closed form, to second order). The torque about the tangent of the bent axis is
M₁ = F_y F_z (1/EIz − 1/EIy)(V(L) − V(x) − (L − x) V'(x)) with V = x²(3L − x)/6, and the axis remains in a plane, so

    φ(L) = ∫ M₁/GJ dx = F_y F_z L⁴/(12 GJ) (1/EIz − 1/EIy)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .mathematics import roots


def twist(force_y: float, force_z: float, length: float, GJ: float, EIy: float, EIz: float) -> float:
    """φ(L) [rad] by forces [N] on the end, to second order."""
    return force_y * force_z * length**4 / (12.0 * GJ) * (1.0 / EIz - 1.0 / EIy)


@dataclass(frozen=True)
class EccentricBody:
    """The cantilever, and the body of `mass` [kg] with its mass center at y = `offset` [m]; `roll` and `pitch` are its
    moments of inertia about x and y [kg m²]."""

    length: float
    EIy: float
    GJ: float
    rhoA: float
    rhoIp: float
    mass: float
    offset: float
    roll: float
    pitch: float

    def determinant(self, omega: float) -> float:
        """Zero at a natural frequency [rad/s]; of the order of one."""
        L, w2 = self.length, omega**2
        k = (self.rhoA * w2 / self.EIy) ** 0.25
        p = omega * np.sqrt(self.rhoIp / self.GJ)
        ch, sh, c, s = np.cosh(k * L), np.sinh(k * L), np.cos(k * L), np.sin(k * L)
        # w = A (cosh − cos) + B (sinh − sin), φ = C sin px
        w, w1 = np.array([ch - c, sh - s]), k * np.array([sh + s, ch - c])
        w2nd, w3rd = k**2 * np.array([ch + c, sh + s]), k**3 * np.array([sh - s, ch + c])
        phi, phi1 = np.sin(p * L), p * np.cos(p * L)
        heavy = w2 * self.mass
        bend = self.EIy * k**2
        rows = np.array(
            [
                [*(self.EIy * w3rd + heavy * w) / (bend * k), heavy * self.offset * phi / (bend * k)],
                [*(self.EIy * w2nd - w2 * self.pitch * w1) / bend, 0.0],
                [
                    *(-heavy * self.offset * w / self.GJ),
                    phi1 - w2 * (self.roll + self.mass * self.offset**2) * phi / self.GJ,
                ],
            ]
        )
        rows[:, :2] /= ch  # which overflows, and is the size of both columns
        return float(np.linalg.det(rows))

    def frequencies(self, count: int, highest: float, points: int = 20000) -> np.ndarray:
        """The first natural frequencies (count,) [rad/s] below the `highest` one that is looked for."""
        found = roots(self.determinant, np.linspace(1e-3 * highest, highest, points))
        return np.array(found[:count])
