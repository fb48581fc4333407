"""Elements of a frame of beams: their fields, stiffness, mass and second order, by four Gauss points each.

Deflections are the cubics that are exact for forces at the ends, with shear (Timoshenko) or without: with Φ =
12 EI/(GA L²) and x = s/L, v = [1 − 3x² + 2x³ + Φ(1 − x)]/(1 + Φ) for a unit deflection of the start, and so on; the
sections turn by θ = v' − γ. For the second order of strains, sections that turn by the rotation vector θ have

    Γ = u' − θ × e + [−θ × u' + ½ θ × (θ × e)],    κ = θ' − ½ θ × θ'

in the axes of the section, e along the beam. Sections with inertia are four points off the axis that turn with it, so
that mass and inertia of the section are those of points, and no term of any motion is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

#: Gauss points of an element; they integrate the product of two cubics without error
POINTS = 4


@dataclass(frozen=True, eq=False)
class FrameElements:
    """All elements of a frame.

    Arguments: `ends` (E, 2), nodes; `axes` (E, 3, 3), axes of the sections as columns; `lengths` (E,) [m]; `stiffness`
    (E, 6), EA, GAy, GAz, GJ, EIy, EIz, infinite GA for no shear; `inertia` (E, 3), ρA, ρIy, ρIz; `nodes` (N, 3);
    `expansion` (E,) by heat [1/K], none when not given.
    """

    ends: np.ndarray
    axes: np.ndarray
    lengths: np.ndarray
    stiffness: np.ndarray
    inertia: np.ndarray
    nodes: np.ndarray
    expansion: Any = 0.0

    def __post_init__(self) -> None:
        x, w = np.polynomial.legendre.leggauss(POINTS)
        object.__setattr__(self, "_x", 0.5 * (x + 1.0))
        object.__setattr__(self, "weights", 0.5 * w * self.lengths[:, None])
        fields = np.stack([self._fields(e) for e in range(len(self.ends))])
        # u, θ, u', θ', θ'' (E, q, 5, 3, 12) of the coordinates of the element in ground axes
        R = np.zeros((len(self.ends), 12, 12))
        for k in range(4):
            R[:, 3 * k : 3 * k + 3, 3 * k : 3 * k + 3] = self.axes.transpose(0, 2, 1)
        object.__setattr__(self, "fields", np.einsum("eqfck,ekl->eqfcl", fields, R, optimize=True))
        at = (6 * self.ends[:, :, None] + np.arange(6)).reshape(-1, 12)
        object.__setattr__(self, "rows", at)

    weights: Any = None
    fields: Any = None
    rows: Any = None
    _x: Any = None

    def _fields(self, e: int) -> np.ndarray:
        """u, θ, u', θ', θ'' (q, 5, 3, 12) of an element in the axes of its section."""
        L, k = self.lengths[e], self.stiffness[e]
        result = np.zeros((POINTS, 5, 3, 12))
        for q, x in enumerate(self._x):
            for c in (0, 3):  # stretch and twist are linear
                result[q, c // 3, 0, [c, 6 + c]] = 1.0 - x, x
                result[q, 2 + c // 3, 0, [c, 6 + c]] = -1.0 / L, 1.0 / L
            for across, turn, sign, EI, GA in ((1, 5, 1.0, k[5], k[1]), (2, 4, -1.0, k[4], k[2])):
                v, theta = _bending(x, L, 12.0 * EI / (GA * L * L))
                places = [across, turn, 6 + across, 6 + turn]
                signs = np.array([1.0, sign, 1.0, sign])
                result[q, 0, across, places], result[q, 2, across, places] = v[0] * signs, v[1] * signs
                for row, value in zip((1, 3, 4), theta, strict=True):
                    result[q, row, turn - 3, places] = sign * value * signs
        return result

    def _assembled(self, blocks: np.ndarray) -> sp.csr_matrix:
        rows = np.repeat(self.rows, 12, axis=1).ravel()
        columns = np.tile(self.rows, (1, 12)).ravel()
        n = 6 * len(self.nodes)
        return sp.csr_matrix((blocks.ravel(), (rows, columns)), shape=(n, n))

    def stiffness_matrix(self) -> sp.csr_matrix:
        """K (6N, 6N)."""
        gamma, kappa = self._strains()
        EA, GAy, GAz, GJ, EIy, EIz = self.stiffness.T
        sheared = [np.where(np.isfinite(g), g, 0.0) for g in (GAy, GAz)]
        blocks = np.zeros((len(self.ends), 12, 12))
        for strain, axis, value in ((gamma, 0, EA), (gamma, 1, sheared[0]), (gamma, 2, sheared[1]), (kappa, 0, GJ),
                                    (kappa, 1, EIy), (kappa, 2, EIz)):  # fmt: skip
            B = strain[:, :, axis]
            blocks += np.einsum("eqa,eqb,eq,e->eab", B, B, self.weights, value, optimize=True)
        return self._assembled(blocks)

    def _strains(self) -> tuple[np.ndarray, np.ndarray]:
        """Γ and κ (E, q, 3, 12) of first order."""
        f = self.fields
        gamma = f[:, :, 2].copy()
        gamma[:, :, 1] -= f[:, :, 1, 2]
        gamma[:, :, 2] += f[:, :, 1, 1]
        return gamma, f[:, :, 3]

    def _forces(self, displacement: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Forces and moments (E, q, 3) of the sections in their axes; shear forces balance the moments."""
        u = displacement[self.rows]
        gamma, kappa = (np.einsum("eqck,ek->eqc", s, u) for s in self._strains())
        bent = np.einsum("eqck,ek->eqc", self.fields[:, :, 4], u)
        EA, _, _, GJ, EIy, EIz = (value[:, None] for value in self.stiffness.T)
        force = np.stack([EA * gamma[:, :, 0], -EIz * bent[:, :, 2], EIy * bent[:, :, 1]], axis=2)
        return force, np.stack([GJ * kappa[:, :, 0], EIy * kappa[:, :, 1], EIz * kappa[:, :, 2]], axis=2)

    def geometric(self, displacement: np.ndarray) -> sp.csr_matrix:
        """K_σ (6N, 6N): the work of the forces of a displacement (6N,) on the second order of strains."""
        return self.prestressed(*self._forces(displacement))

    def prestressed(self, force: np.ndarray, moment: np.ndarray) -> sp.csr_matrix:
        """K_σ (6N, 6N) of forces and moments (E, q, 3) of the sections in their axes."""
        theta, du, dtheta = (self.fields[:, :, k] for k in (1, 2, 3))
        turned = np.cross(force[..., None], theta, axisa=2, axisb=2, axisc=2)  # F × θ
        twisted = np.cross(moment[..., None], theta, axisa=2, axisb=2, axisc=2)
        w = self.weights
        A = -np.einsum("eqca,eqcb,eq->eab", turned, du, w, optimize=True)
        A -= 0.5 * np.einsum("eqca,eqcb,eq->eab", twisted, dtheta, w, optimize=True)
        along = np.einsum("eqc,eqca->eqa", force, theta)
        A += 0.5 * np.einsum("eqa,eqb,eq->eab", along, theta[:, :, 0], w, optimize=True)
        blocks = A + A.transpose(0, 2, 1)
        blocks -= np.einsum("eqca,eqcb,eq,eq->eab", theta, theta, force[:, :, 0], w, optimize=True)
        return self._assembled(blocks)

    def stress_work(self, displacements: np.ndarray, shapes: np.ndarray) -> np.ndarray:
        """φᵀ K_σ(u_l) φ (l, k, k) for displacements (6N, l) and shapes (6N, k)."""
        return np.stack([shapes.T @ (self.geometric(u) @ shapes) for u in displacements.T])

    def heated(self, temperature: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Forces and moments (E, q, 3) that hold the sections in their shape against a field of temperature:
        N = EA ᾱ τ, My = EIy ᾱ ∂τ/∂z, Mz = −EIz ᾱ ∂τ/∂y. Across the section the field counts as linear."""
        start, along = self.nodes[self.ends[:, 0]], self.axes[:, :, 0]
        center = start[:, None] + (self.lengths[:, None] * self._x)[:, :, None] * along[:, None]
        EA, _, _, _, EIy, EIz = (value[:, None] for value in self.stiffness.T)

        def at(places: np.ndarray) -> np.ndarray:
            return temperature(places.reshape(-1, 3)).reshape(places.shape[:2])

        slope = []
        for axis, EI in ((1, EIz), (2, EIy)):
            arm = np.sqrt(EI / EA)  # a radius of gyration
            step = arm[..., None] * self.axes[:, None, :, axis]
            slope.append((at(center + step) - at(center - step)) / (2.0 * arm))
        alpha = np.broadcast_to(self.expansion, self.lengths.shape)[:, None]
        force, moment = np.zeros(center.shape), np.zeros(center.shape)
        force[:, :, 0] = EA * alpha * at(center)
        moment[:, :, 1], moment[:, :, 2] = EIy * alpha * slope[1], -EIz * alpha * slope[0]
        return force, moment

    def nodal(self, force: np.ndarray, moment: np.ndarray) -> np.ndarray:
        """∫ Bᵀ (N, M) (6N,) of axial forces and of moments (E, q, 3) of the sections."""
        gamma, kappa = self._strains()
        loads = np.einsum("eqa,eq,eq->ea", gamma[:, :, 0], force[:, :, 0], self.weights, optimize=True)
        loads += np.einsum("eqca,eqc,eq->ea", kappa, moment, self.weights, optimize=True)
        result = np.zeros(6 * len(self.nodes))
        np.add.at(result, self.rows, loads)
        return result

    def points_of_mass(self) -> tuple[np.ndarray, np.ndarray, sp.csr_matrix, np.ndarray, sp.csr_matrix]:
        """Points of mass: positions (P, 3), masses (P,), displacements (3P, 6N), arms (P, 3) and turns (3P, 6N)."""
        R, f = self.axes, self.fields
        start, along = self.nodes[self.ends[:, 0]], R[:, :, 0]
        E, n = len(self.ends), 6 * len(self.nodes)
        center = start[:, None] + (self.lengths[:, None] * self._x)[:, :, None] * along[:, None]  # (E, q, 3)
        mass = self.inertia[:, :1] * self.weights
        u, theta = (np.einsum("exc,eqck->eqxk", R, f[:, :, k]) for k in (0, 1))
        rho_a, y, z = self.inertia[:, 0], self.inertia[:, 2], self.inertia[:, 1]
        offsets = np.zeros((E, 4, 3))
        for k, (axis, rotary) in enumerate(((1, y), (1, y), (2, z), (2, z))):
            offsets[:, k, axis] = (1.0 if k % 2 else -1.0) * np.sqrt(2.0 * rotary / rho_a)
        arms = np.einsum("exc,ekc->ekx", R, offsets)  # in ground axes
        positions = center[:, :, None] + arms[:, None]
        everywhere = np.broadcast_to(arms[:, None], positions.shape)
        turns = np.broadcast_to(theta[:, :, None], (E, POINTS, 4, 3, 12))
        moved = u[:, :, None] + np.cross(turns, everywhere[..., None], axisa=3, axisb=3, axisc=3)
        P = E * POINTS * 4
        columns = np.broadcast_to(self.rows[:, None, None, None], moved.shape).ravel()
        rows = np.repeat(np.arange(3 * P), 12)
        build = [sp.csr_matrix((x.ravel(), (rows, columns)), shape=(3 * P, n)) for x in (moved, turns)]
        masses = np.repeat(0.25 * mass.ravel(), 4)
        return positions.reshape(P, 3), masses, build[0], everywhere.reshape(P, 3), build[1]


def _bending(x: float, L: float, phi: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """v, v' and θ, θ', θ'' at s = xL for unit deflection and turn of the start and of the end."""
    a = 1.0 / (1.0 + phi)
    v = a * np.array([
        1 - 3 * x**2 + 2 * x**3 + phi * (1 - x), L * (x - 2 * x**2 + x**3 + 0.5 * phi * (x - x**2)),
        3 * x**2 - 2 * x**3 + phi * x, L * (-(x**2) + x**3 - 0.5 * phi * (x - x**2)),
    ])  # fmt: skip
    dv = a / L * np.array([
        -6 * x + 6 * x**2 - phi, L * (1 - 4 * x + 3 * x**2 + 0.5 * phi * (1 - 2 * x)),
        6 * x - 6 * x**2 + phi, L * (-2 * x + 3 * x**2 - 0.5 * phi * (1 - 2 * x)),
    ])  # fmt: skip
    t = a * np.array([
        6 / L * (x**2 - x), 1 - 4 * x + 3 * x**2 + phi * (1 - x), 6 / L * (x - x**2), -2 * x + 3 * x**2 + phi * x,
    ])  # fmt: skip
    dt = a / L * np.array([6 / L * (2 * x - 1), -4 + 6 * x - phi, 6 / L * (1 - 2 * x), -2 + 6 * x + phi])
    ddt = a / L**2 * np.array([12 / L, 6.0, -12 / L, 6.0])
    return [v, dv], [t, dt, ddt]
