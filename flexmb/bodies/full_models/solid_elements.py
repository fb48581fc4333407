"""Matrices of solid finite elements: shape functions and their gradients from scikit-fem, element arrays by einsum.

With gradients ∇N_a of the shape functions at the Gauss points and Lamé's constants λ and μ,

    K_ab = ∫ λ ∇N_a ∇N_bᵀ + μ (∇N_b ∇N_aᵀ + ∇N_a·∇N_b 1) dV,    m_ab = ∫ ρ N_a N_b dV,    M = m ⊗ 1

Positions are interpolated as displacements are, so m gives the inertia of any motion without error. The second order
of Green's strain gives the work of stresses σ on two shapes, φ_iᵀ K_σ φ_j = ∫ σ : ∇φ_iᵀ ∇φ_j dV.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.errors import ModelError
from flexmb.model.geometry.sections import Material

#: temperatures (k,) of places (k, d) [K]
Field = Callable[[np.ndarray], np.ndarray]
#: a load (n,) and the function of shapes (n, k) that gives the work (k, k) of its stresses on them
Heated = tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]
#: about so many numbers are held at once when shapes are differentiated at Gauss points, few enough for a cache
AT_ONCE = 150_000


@dataclass(frozen=True, eq=False)
class SolidElements:
    """Elements of one kind with their Gauss points.

    Arguments: `cells` (E, a), nodes of each element; `values` (E, q, a), shape functions at the Gauss points, E being 1
    where all elements have the same; `gradients` (E, q, a, d); `weights` (E, q), volumes of the Gauss points [m³];
    `lame`, λ and μ [Pa], in the plane those of plane stress or of plane strain; `density` [kg/m³]; `count`, number of
    nodes of the body, those of the elements if not given.
    """

    cells: np.ndarray
    values: np.ndarray
    gradients: np.ndarray
    weights: np.ndarray
    lame: tuple[float, float]
    density: float
    count: int | None = None

    def __post_init__(self) -> None:
        if self.count is None:
            object.__setattr__(self, "count", int(self.cells.max()) + 1)

    def _at_once(self, fields: int) -> int:
        """Number of elements for whose Gauss points the gradients of so many fields are held at once."""
        _, q, _, d = self.gradients.shape
        return max(1, AT_ONCE // (q * d * d * max(fields, 1)))

    def _assembled(self, blocks: np.ndarray, width: int) -> sp.csr_matrix:
        """Element matrices (E, a·width, a·width) added into a sparse matrix."""
        E, a = self.cells.shape
        at = (self.cells[:, :, None] * width + np.arange(width)).reshape(E, a * width).astype(np.int32)
        rows, columns = np.repeat(at, a * width, axis=1), np.tile(at, (1, a * width))
        n = (self.count or 0) * width
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
        dN, stress = self.gradients, self.stress(displacement) * self.weights[:, :, None, None]
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

    def forces(self, shapes: np.ndarray) -> np.ndarray:
        """K φ (N·d, k) of shapes φ (N·d, k) by their stresses, each element's mean displacement taken out of it.

        The entries of K are much larger than what is left of their sum in the bending of a slender body; by strains
        only half as many digits are lost.
        """
        d, k, (lam, mu) = self.gradients.shape[3], shapes.shape[1], self.lame
        u, result = shapes.reshape(-1, d, k), np.zeros(((self.count or 0), d * k))
        step = self._at_once(k)
        for first in range(0, len(self.cells), step):
            cells = self.cells[first : first + step]
            dN, w = self.gradients[first : first + step], self.weights[first : first + step]
            E, q, a = dN.shape[:3]
            own = u[cells] - u[cells].mean(axis=1, keepdims=True)
            slopes = dN.transpose(0, 2, 1, 3).reshape(E, a, q * d)  # ∂_c N_a
            H = np.matmul(own.transpose(0, 2, 3, 1).reshape(E, d * k, a), slopes).reshape(E, d, k, q, d)
            stress = mu * (H + H.transpose(0, 4, 2, 3, 1))
            trace = lam * np.einsum("exkqx->ekq", H)
            for x in range(d):
                stress[:, x, :, :, x] += trace
            stress *= w[:, None, None, :, None]
            own = np.matmul(slopes, stress.reshape(E, d * k, q * d).transpose(0, 2, 1))
            _add_at(result, cells, own.reshape(E * a, d * k))
        return result.reshape(-1, k)

    def heated(self, nodes: np.ndarray, modulus: float, temperature: Field) -> Heated:
        """The load ∫ Bᵀ (s 1) dV (N·d,) of the stresses s 1 that hold a body with nodes (N, d) in its shape when it is
        heated by a field of temperature, s = `modulus` τ, and their work φᵀ K_σ φ on shapes."""
        values = np.broadcast_to(self.values, (*self.weights.shape, self.values.shape[2]))
        places = np.einsum("eqa,eac->eqc", values, nodes[self.cells], optimize=True)
        stress = modulus * temperature(places.reshape(-1, places.shape[2])).reshape(places.shape[:2])
        loads = np.einsum("eqac,eq,eq->eac", self.gradients, stress, self.weights, optimize=True)
        result = np.zeros((self.count or 0, self.gradients.shape[3]))
        np.add.at(result, self.cells, loads)
        return result.ravel(), lambda shapes: self._pressed_work(stress, shapes)

    def _pressed_work(self, pressure: np.ndarray, shapes: np.ndarray) -> np.ndarray:
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

    def pair_forces(self, shapes: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """∫ σ(v) : ε₂(φ_i, φ_j) dV for pairs (p, 2) of shapes (N·d, k), as forces (N·d, p) on v."""
        d, many = self.gradients.shape[3], len(pairs)
        result = np.zeros(((self.count or 0), d * many))
        for part, second in self._pair_strains(shapes, pairs):
            cells, dN = self.cells[part], self.gradients[part]
            stress = self._stress_of(second) * self.weights[part][:, :, None, None, None]
            own = np.einsum("eqac,eqxcp->eaxp", dN, stress, optimize=True)
            _add_at(result, cells, own.reshape(cells.size, d * many))
        return result.reshape(-1, many)

    def pair_energies(self, shapes: np.ndarray, pairs: np.ndarray, fields: np.ndarray) -> np.ndarray:
        """∫ E_p : C : E_r dV (p, p) of E_p = ε₂(φ_i, φ_j) + ε₁ of a field (N·d, p)."""
        many = len(pairs)
        result = np.zeros((many, many))
        for part, second in self._pair_strains(shapes, pairs):
            H = self._slopes(fields, part)
            strain = second + 0.5 * (H + H.transpose(0, 1, 3, 2, 4))
            stress = self._stress_of(strain) * self.weights[part][:, :, None, None, None]
            result += strain.reshape(-1, many).T @ stress.reshape(-1, many)
        return 0.5 * (result + result.T)

    def _pair_strains(self, shapes: np.ndarray, pairs: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
        """ε₂ = ½ (∇φ_iᵀ∇φ_j + ∇φ_jᵀ∇φ_i) (e, q, d, d, p) of some elements at a time."""
        i, j = pairs[:, 0], pairs[:, 1]
        step = self._at_once(len(pairs))
        for first in range(0, len(self.cells), step):
            part = slice(first, first + step)
            H = self._slopes(shapes, part)
            product = np.einsum("eqxcp,eqxdp->eqcdp", H[..., i], H[..., j], optimize=True)
            yield part, 0.5 * (product + product.transpose(0, 1, 3, 2, 4))

    def _slopes(self, shapes: np.ndarray, part: slice) -> np.ndarray:
        """∇φ (e, q, x, c, k) of shapes (N·d, k) in some elements."""
        own = shapes.reshape(-1, self.gradients.shape[3], shapes.shape[1])[self.cells[part]]
        own = own - own.mean(axis=1, keepdims=True)
        return np.einsum("eaxk,eqac->eqxck", own, self.gradients[part], optimize=True)

    def _stress_of(self, strain: np.ndarray) -> np.ndarray:
        """σ (…, d, d, p) of strains (…, d, d, p)."""
        lam, mu = self.lame
        stress = 2.0 * mu * strain
        trace = lam * np.einsum("eqxxp->eqp", strain)
        for x in range(strain.shape[2]):
            stress[:, :, x, x] += trace
        return stress

    def uncertainty(self, displacement: np.ndarray) -> float:
        """Part of the strain energy of a displacement (N·d,) by which the stresses of the elements differ from those
        that are averaged at the nodes (Zienkiewicz and Zhu (1987)): an estimate of its error."""
        return _uncertainty([self], displacement)

    def energy(self, stress: np.ndarray) -> float:
        """∫ σ : C⁻¹ σ dV of stresses σ (E, q, d, d)."""
        (lam, mu), d = self.lame, stress.shape[2]
        trace = np.trace(stress, axis1=2, axis2=3) * lam / (2.0 * mu + d * lam)
        strain = (stress - trace[..., None, None] * np.eye(d)) / (2.0 * mu)
        return float(np.einsum("eqxc,eqxc,eq->", stress, strain, self.weights, optimize=True))

    def stress(self, displacement: np.ndarray) -> np.ndarray:
        """σ (E, q, d, d) of a displacement (N·d,)."""
        u = displacement.reshape(-1, self.gradients.shape[3])[self.cells]
        return self._stress(np.einsum("eax,eqac->eqxc", u, self.gradients, optimize=True))

    def stress_work(self, displacements: np.ndarray, shapes: np.ndarray) -> np.ndarray:
        """φᵀ K_σ(u_l) φ (l, k, k) for displacements u (N·d, l) and shapes φ (N·d, k)."""
        d, l, k = self.gradients.shape[3], displacements.shape[1], shapes.shape[1]
        both, result = np.concatenate([displacements, shapes], axis=1).reshape(-1, d, l + k), np.zeros((l, k, k))
        step = self._at_once(l + k * (l + 1))
        for first in range(0, len(self.cells), step):
            part = slice(first, first + step)
            dN, w, own = self.gradients[part], self.weights[part], both[self.cells[part]]
            own = own - own.mean(axis=1, keepdims=True)
            E, q, a = dN.shape[:3]
            slopes = dN.transpose(0, 1, 3, 2).reshape(E, q * d, a)
            H = np.matmul(slopes, own.reshape(E, a, d * (l + k))).reshape(E * q, d, d, l + k)  # ∂_c of the component x
            stress = self._stress(H[..., :l].transpose(0, 3, 1, 2)) * w.reshape(-1, 1, 1, 1)
            phi = np.ascontiguousarray(H[..., l:])
            pulled = np.matmul(stress.reshape(E * q, l * d, d), phi.reshape(E * q, d, d * k)).reshape(
                E * q, l, d * d * k
            )
            flat = phi.reshape(-1, k).T
            for i in range(l):
                result[i] += flat @ pulled[:, i].reshape(-1, k)
        return 0.5 * (result + result.transpose(0, 2, 1))


def _add_at(result: np.ndarray, cells: np.ndarray, values: np.ndarray) -> None:
    """Add values (E·a, k) at the nodes of some elements (E, a) to those of all nodes (N, k)."""
    nodes, of = np.unique(cells, return_inverse=True)
    gather = sp.csr_matrix((np.ones(cells.size), (of.ravel(), np.arange(cells.size))), (len(nodes), cells.size))
    result[nodes] += gather @ values


@dataclass(frozen=True, eq=False)
class JoinedElements:
    """Elements of several kinds over one set of nodes, each matrix the sum of theirs."""

    parts: tuple[SolidElements, ...]

    def stiffness(self) -> sp.csr_matrix:
        """K (N·d, N·d)."""
        return _sum([part.stiffness() for part in self.parts])

    def mass(self) -> sp.csr_matrix:
        """m (N, N)."""
        return _sum([part.mass() for part in self.parts])

    def geometric(self, displacement: np.ndarray) -> sp.csr_matrix:
        """K_σ (N, N) of the stresses of a displacement (N·d,)."""
        return _sum([part.geometric(displacement) for part in self.parts])

    def stress_work(self, displacements: np.ndarray, shapes: np.ndarray) -> np.ndarray:
        """φᵀ K_σ(u_l) φ (l, k, k)."""
        return _sum([part.stress_work(displacements, shapes) for part in self.parts])

    def forces(self, shapes: np.ndarray) -> np.ndarray:
        """K φ (N·d, k) by stresses."""
        return _sum([part.forces(shapes) for part in self.parts])

    def heated(self, nodes: np.ndarray, modulus: float, temperature: Field) -> Heated:
        """The load and the work of a field of temperature, as of elements of one kind."""
        loads, works = zip(*(part.heated(nodes, modulus, temperature) for part in self.parts), strict=True)
        return _sum(loads), lambda shapes: _sum([work(shapes) for work in works])

    def pair_forces(self, shapes: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """∫ σ(v) : ε₂(φ_i, φ_j) dV as forces (N·d, p)."""
        return _sum([part.pair_forces(shapes, pairs) for part in self.parts])

    def pair_energies(self, shapes: np.ndarray, pairs: np.ndarray, fields: np.ndarray) -> np.ndarray:
        """∫ E_p : C : E_r dV (p, p) of E_p = ε₂(φ_i, φ_j) + ε₁ of a field (N·d, p)."""
        return _sum([part.pair_energies(shapes, pairs, fields) for part in self.parts])

    def uncertainty(self, displacement: np.ndarray) -> float:
        """As for elements of one kind, with stresses averaged over all elements at a node."""
        return _uncertainty(self.parts, displacement)


def _sum(parts: Sequence[Any]) -> Any:
    return reduce(add, parts)


def _uncertainty(parts: Sequence[SolidElements], displacement: np.ndarray) -> float:
    count, d = parts[0].count or 0, parts[0].gradients.shape[3]
    weight, total = np.zeros(count), np.zeros((count, d, d))
    stresses = [part.stress(displacement) for part in parts]
    values = [np.broadcast_to(part.values, (*part.weights.shape, part.values.shape[2])) for part in parts]
    for part, N, stress in zip(parts, values, stresses, strict=True):
        np.add.at(weight, part.cells, np.einsum("eqa,eq->ea", N, part.weights))
        np.add.at(total, part.cells, np.einsum("eqa,eq,eqxc->eaxc", N, part.weights, stress, optimize=True))
    mean = total / weight[:, None, None]
    apart, whole = 0.0, 0.0
    for part, N, stress in zip(parts, values, stresses, strict=True):
        smooth = np.einsum("eqa,eaxc->eqxc", N, mean[part.cells], optimize=True)
        apart, whole = apart + part.energy(smooth - stress), whole + part.energy(stress)
    return apart / whole


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
