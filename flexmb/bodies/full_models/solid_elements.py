"""Matrices of solid finite elements: shape functions and their gradients from scikit-fem, element arrays by einsum.

With gradients ∇N_a of the shape functions at the Gauss points and Lamé's constants λ and μ,

    K_ab = ∫ λ ∇N_a ∇N_bᵀ + μ (∇N_b ∇N_aᵀ + ∇N_a·∇N_b 1) dV,    m_ab = ∫ ρ N_a N_b dV,    M = m ⊗ 1

Positions are interpolated as displacements are, so m gives the inertia of any motion without error. The second order
of Green's strain gives the work of stresses σ on two shapes, φ_iᵀ K_σ φ_j = ∫ σ : ∇φ_iᵀ ∇φ_j dV.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from flexmb.errors import ModelError
from flexmb.model.geometry.sections import Material

#: about so many numbers are held at once when shapes are differentiated at Gauss points
AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class SolidElements:
    """Elements of one kind with their Gauss points.

    Arguments: `cells` (E, a), nodes of each element; `values` (E, q, a), shape functions at the Gauss points, E being 1
    where all elements have the same; `gradients` (E, q, a, d); `weights` (E, q), volumes of the Gauss points [m³];
    `lame`, λ and μ [Pa], in the plane those of plane stress or of plane strain; `density` [kg/m³].
    """

    cells: np.ndarray
    values: np.ndarray
    gradients: np.ndarray
    weights: np.ndarray
    lame: tuple[float, float]
    density: float

    def _assembled(self, blocks: np.ndarray, width: int) -> sp.csr_matrix:
        """Element matrices (E, a·width, a·width) added into a sparse matrix."""
        E, a = self.cells.shape
        at = (self.cells[:, :, None] * width + np.arange(width)).reshape(E, a * width).astype(np.int32)
        rows, columns = np.repeat(at, a * width, axis=1), np.tile(at, (1, a * width))
        n = (int(self.cells.max()) + 1) * width
        return sp.csr_matrix((blocks.ravel(), (rows.ravel(), columns.ravel())), shape=(n, n))

    def stiffness(self) -> sp.csr_matrix:
        """K (N·d, N·d)."""
        lam, mu = self.lame
        dN, w = self.gradients, self.weights
        E, q, a, d = dN.shape
        weighted = (dN * w[:, :, None, None]).transpose(0, 2, 3, 1).reshape(E, a * d, q)
        both = np.matmul(weighted, dN.reshape(E, q, a * d)).reshape(E, a, d, a, d)  # ∫ ∂_i N_a ∂_j N_b
        blocks = lam * both + mu * both.transpose(0, 1, 4, 3, 2)
        trace = mu * np.einsum("eaibi->eab", both)
        for i in range(d):
            blocks[:, :, i, :, i] += trace
        return self._assembled(blocks.reshape(E, a * d, a * d), d)

    def mass(self) -> sp.csr_matrix:
        """m (N, N)."""
        N = np.broadcast_to(self.values, (*self.weights.shape, self.values.shape[2]))
        weighted = (N * (self.density * self.weights)[:, :, None]).transpose(0, 2, 1)
        return self._assembled(np.matmul(weighted, N), 1)

    def geometric(self, displacement: np.ndarray) -> sp.csr_matrix:
        """K_σ (N, N) of the stresses of a displacement (N·d,), the same for every direction."""
        d = self.gradients.shape[3]
        H = np.einsum("eax,eqac->eqxc", displacement.reshape(-1, d)[self.cells], self.gradients, optimize=True)
        dN, stress = self.gradients, self._stress(H) * self.weights[:, :, None, None]
        blocks = np.einsum("eqac,eqcx,eqbx->eab", dN, stress, dN, optimize=True)
        return self._assembled(blocks, 1)

    def _stress(self, H: np.ndarray) -> np.ndarray:
        """σ (…, d, d) of displacement gradients H (…, d, d)."""
        lam, mu = self.lame
        stress = mu * (H + np.swapaxes(H, -1, -2))
        trace = lam * np.trace(H, axis1=-2, axis2=-1)
        for i in range(H.shape[-1]):
            stress[..., i, i] += trace
        return stress

    def pressed(self, pressure: np.ndarray) -> np.ndarray:
        """∫ Bᵀ (s 1) dV (N·d,) of stresses s 1, s (E, q) at the Gauss points."""
        loads = np.einsum("eqac,eq,eq->eac", self.gradients, pressure, self.weights, optimize=True)
        result = np.zeros((int(self.cells.max()) + 1, self.gradients.shape[3]))
        np.add.at(result, self.cells, loads)
        return result.ravel()

    def pressed_work(self, pressure: np.ndarray, shapes: np.ndarray) -> np.ndarray:
        """φᵀ K_σ φ (k, k) of stresses s 1, s (E, q), for shapes φ (N·d, k)."""
        k, d = shapes.shape[1], self.gradients.shape[3]
        phi, result = shapes.reshape(-1, d, k), np.zeros((k, k))
        step = max(1, AT_ONCE // (self.gradients.shape[1] * d * d * k))
        for first in range(0, len(self.cells), step):
            part = slice(first, first + step)
            H = np.einsum("eaxk,eqac->eqxck", phi[self.cells[part]], self.gradients[part], optimize=True)
            H = H.reshape(-1, d * d, k)
            weights = (pressure[part] * self.weights[part]).ravel()
            result += np.einsum("gfk,g,gfl->kl", H, weights, H, optimize=True)
        return result

    def places(self, nodes: np.ndarray) -> np.ndarray:
        """The places (E, q, d) of the Gauss points, of nodes (N, d)."""
        values = np.broadcast_to(self.values, (*self.weights.shape, self.values.shape[2]))
        return np.einsum("eqa,eac->eqc", values, nodes[self.cells], optimize=True)

    def uncertainty(self, displacement: np.ndarray) -> float:
        """Part of the strain energy of a displacement (N·d,) by which the stresses of the elements differ from those
        that are averaged at the nodes (Zienkiewicz and Zhu (1987)): an estimate of its error."""
        lam, mu = self.lame
        d = self.gradients.shape[3]
        H = np.einsum("eax,eqac->eqxc", displacement.reshape(-1, d)[self.cells], self.gradients, optimize=True)
        stress = self._stress(H)
        N = np.broadcast_to(self.values, (*self.weights.shape, self.values.shape[2]))
        count = int(self.cells.max()) + 1
        weight, total = np.zeros(count), np.zeros((count, d, d))
        np.add.at(weight, self.cells, np.einsum("eqa,eq->ea", N, self.weights))
        np.add.at(total, self.cells, np.einsum("eqa,eq,eqxc->eaxc", N, self.weights, stress, optimize=True))
        smooth = np.einsum("eqa,eaxc->eqxc", N, (total / weight[:, None, None])[self.cells], optimize=True)

        def energy(s: np.ndarray) -> float:
            trace = np.trace(s, axis1=2, axis2=3) * lam / (2.0 * mu + d * lam)
            strain = (s - trace[..., None, None] * np.eye(d)) / (2.0 * mu)
            return float(np.einsum("eqxc,eqxc,eq->", s, strain, self.weights, optimize=True))

        return energy(smooth - stress) / energy(stress)

    def stress_work(self, displacements: np.ndarray, shapes: np.ndarray) -> np.ndarray:
        """φᵀ K_σ(u_l) φ (l, k, k) for displacements u (N·d, l) and shapes φ (N·d, k)."""
        d, l, k = self.gradients.shape[3], displacements.shape[1], shapes.shape[1]
        both = np.concatenate([shapes, displacements], axis=1).reshape(-1, d, k + l).transpose(2, 0, 1)
        result = np.zeros((l, k, k))
        per = self.gradients.shape[1] * d * d * (k + l)
        step = max(1, AT_ONCE // per)
        for first in range(0, len(self.cells), step):
            part = slice(first, first + step)
            H = np.einsum("leax,eqac->leqxc", both[:, self.cells[part]], self.gradients[part], optimize=True)
            stress = self._stress(H[k:]) * self.weights[part][:, :, None, None]
            phi = [np.ascontiguousarray(H[:k, ..., c].transpose(3, 1, 2, 0)) for c in range(d)]  # (x, e, q, k)
            for i in range(l):
                for c in range(d):
                    pulled = sum(stress[i, ..., c, e, None] * phi[e] for e in range(d))
                    result[i] += phi[c].reshape(-1, k).T @ pulled.reshape(-1, k)  # type: ignore[union-attr]
        return 0.5 * (result + result.transpose(0, 2, 1))


def thermal_modulus(material: Material, lame: tuple[float, float], dimension: int, plane_strain: bool) -> float:
    """The stress that holds a heated body in its shape, for each kelvin [Pa/K]: (3λ + 2μ) ᾱ, and in plane stress
    (2λ + 2μ) ᾱ with its own λ.

    >>> round(thermal_modulus(Material(1000, 1e9, 0.25, thermal_expansion=1e-5), (0.4e9, 0.4e9), 3, False), 6)
    20000.0
    """
    lam, mu = lame
    return material.thermal_expansion * ((2.0 if dimension == 2 and not plane_strain else 3.0) * lam + 2.0 * mu)


def lame_constants(
    material: Material, dimension: int, plane_strain: bool = False, where: str = "body"
) -> tuple[float, float]:
    """λ and μ [Pa]; in the plane λ is that of plane stress, unless `plane_strain`.

    >>> lame_constants(Material(1000, 1.0, 0.25), 3)
    (0.4, 0.4)
    """
    E, nu = material.youngs_modulus, material.poissons_ratio
    mu = E / (2.0 * (1.0 + nu))
    if dimension == 2 and not plane_strain:
        return E * nu / (1.0 - nu**2), mu
    if nu == 0.5:
        raise ModelError(
            f"{where}: its poissons_ratio is 0.5, and these elements have no stresses without a change of volume; give "
            "one below, such as 0.49"
        )
    return E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), mu
