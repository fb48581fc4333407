"""Stresses on the mesh of a body: stresses of modes, their sizes, strains of gauges.

Each mode moves the nodes of an element by known displacements, and its strains and stresses follow as in the full
model,

    H = Σ_a φ_a ∇N_aᵀ,    σ = λ tr H 1 + μ (H + Hᵀ)

so that the stresses of a body are linear in the amplitudes of its modes. Nothing of the slave shapes is added: the
quadratic field Θ of a body cancels the second order of Green's strain, ε₁(Θ_ij) + ε₂(φ_i, φ_j) ≈ 0, so that the
stresses of its modes are right to second order, as stresses in axes that turn with the body (second Piola and
Kirchhoff).

At the Gauss points stresses are fitted by polynomials of one order less than those of the displacements, whose values
at the nodes, as means of all elements there, are the nodal stresses (Hinton and Campbell (1974)). The stresses of an
element are means over its volume.

Components stand in the order xx, yy, zz, xy, yz, xz, in the plane xx, yy, zz, xy, in the axes of the mesh.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import scipy

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls, answers_calls

#: what is asked of stresses by name: components in axes of the mesh, and sizes; all in Pa
COMPONENTS = {
    2: ("stress_xx", "stress_yy", "stress_zz", "stress_xy"),
    3: ("stress_xx", "stress_yy", "stress_zz", "stress_xy", "stress_yz", "stress_xz"),
}
SIZES = ("von_mises", "max_principal", "mid_principal", "min_principal", "max_shear")
#: places (row, column) of the components in the tensor
PLACES = {2: ((0, 0), (1, 1), (2, 2), (0, 1)), 3: ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))}
#: about so many numbers are held at once
AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class ElasticCells(metaclass=AnswersCalls):
    """What the stresses of a block of cells follow from, besides the places of their nodes.

    Arguments: `gradients` (q, a, d), derivatives of the shape functions by the coordinates of the unit cell at its
    Gauss points, nodes in the order of the cells of the mesh; `weights` (q,) of the Gauss points, in the plane times
    the thickness; `to_nodes` (a, q), by which values at the Gauss points are fitted and continued to the nodes; `lame`,
    λ and μ [Pa]; `across`, in the plane σ_zz as a part of σ_xx + σ_yy: 0 in plane stress, Poisson's ratio in plane
    strain; `density` [kg/m³], NaN where files do not tell it.

    >>> one = ElasticCells([[[-1.0, -1], [1, 0], [0, 1]]], [0.5], np.ones((3, 1)), (0.0, 1e9))
    >>> one.gradients.shape
    (1, 3, 2)
    """

    gradients: Any
    weights: Any
    to_nodes: Any
    lame: tuple[float, float]
    across: float = 0.0
    density: float = math.nan

    def __post_init__(self) -> None:
        gradients = np.asarray(self.gradients, dtype=float)
        q, a = gradients.shape[:2]
        where = "elasticity of the cells of a mesh"
        for what, shape in (("gradients", (q, a, gradients.shape[2])), ("weights", (q,)), ("to_nodes", (a, q))):
            value = checks.numbers(getattr(self, what), what, where, f"an array of shape {shape}")
            if value.shape != shape:
                raise ModelError(f"{where}: {what} must be an array of shape {shape}, not {value.shape}")
            object.__setattr__(self, what, value)
        lam, mu = (float(x) for x in self.lame)
        object.__setattr__(self, "lame", (checks.number(lam, "λ", where), checks.positive(mu, "μ", where)))

    def at_gauss_points(self, nodes: np.ndarray, moved: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Stresses (e, q, c, n), gradients ∇N (e, q, a, d) and volumes (e, q) of cells whose nodes stand at `nodes`
        (e, a, d) and move by `moved` (e, a, d, n)."""
        e, a, d, n = moved.shape
        J = np.einsum("eax,qaj->eqxj", nodes, self.gradients, optimize=True)
        volume = np.abs(np.linalg.det(J)) * self.weights
        G = np.matmul(self.gradients[None], np.linalg.inv(J))
        q = G.shape[1]
        H = np.matmul(G.transpose(0, 1, 3, 2).reshape(e, q * d, a), moved.reshape(e, a, d * n)).reshape(e, q, d, d, n)
        lam, mu = self.lame
        trace = np.einsum("eqiin->eqn", H)
        stress = np.zeros((e, q, len(PLACES[d]), n))
        for c, (i, j) in enumerate(PLACES[d]):
            if max(i, j) < d:
                stress[:, :, c] = mu * (H[:, :, i, j] + H[:, :, j, i]) + (lam * trace if i == j else 0.0)
        if d == 2:
            stress[:, :, 2] = self.across * (stress[:, :, 0] + stress[:, :, 1])
        return stress, G, volume

    def strain(self, stress: np.ndarray) -> np.ndarray:
        """Strains (c, n) of stresses (c, n), with the same order of components; those across a body of the plane are
        left out."""
        lam, mu = self.lame
        d = self.gradients.shape[2]
        strain = stress / (2.0 * mu)
        strain[:d] -= np.sum(stress[:d], axis=0) * lam / (2.0 * mu * (2.0 * mu + d * lam))
        if d == 2:
            strain[2] = 0.0
        return np.asarray(strain)


class StressModes(NamedTuple):
    """Stresses of modes of unit amplitude: `nodal` (N, c, n) [Pa] at the nodes, means of all elements there, zero at
    nodes without elements; `elements` (E, c, n), means over the elements of all blocks of cells in turn.

    >>> import flexmb as fm, skfem
    >>> bar = skfem.MeshHex.init_tensor(np.linspace(0, 1, 3), np.array([0, 0.1]), np.array([0, 0.1]))
    >>> foot = {"foot": fm.bodies.on_plane((0, 0, 0), (1, 0, 0))}
    >>> body = fm.bodies.from_mesh(bar, fm.Material(7850, 205e9), interfaces=foot, modes=3)
    >>> found = stress_modes(body.mesh)
    >>> found.nodal.shape, found.elements.shape
    ((45, 6, 3), (2, 6, 3))
    """

    nodal: np.ndarray
    elements: np.ndarray


def needed_elasticity(mesh: Any, where: str) -> Any:
    """The mesh, or a ModelError by name if nobody knows its stresses.

    >>> from flexmb.bodies import BodyMesh
    >>> bare = BodyMesh([(0, 0), (1, 0), (0, 1)], [("triangle", [[0, 1, 2]])], np.zeros((3, 2, 4)))
    >>> try:
    ...     needed_elasticity(bare, "body 'plate'")
    ... except ModelError as error:
    ...     print(str(error)[:46])
    body 'plate': nobody knows the stresses of its
    """
    if mesh is None or not len(getattr(mesh, "elasticity", ())):
        what = "body, which has no mesh" if mesh is None else "cells"
        raise ModelError(
            f"{where}: nobody knows the stresses of its {what}; bodies from matrices, from measured modes, from "
            "frames of beams and with thermal loads have none; make the body by fm.bodies.from_mesh, without those"
        )
    return mesh


@answers_calls
def stress_modes(mesh: Any, modes: int | None = None) -> StressModes:
    """The stresses of the modes of a mesh, a :class:`BodyMesh` or what layouts of results keep of it; `modes`: of so
    many of its shapes, the first ones, of all when not given.

    >>> import flexmb as fm, skfem
    >>> bar = skfem.MeshHex.init_tensor(np.linspace(0, 1, 3), np.array([0, 0.1]), np.array([0, 0.1]))
    >>> foot = {"foot": fm.bodies.on_plane((0, 0, 0), (1, 0, 0))}
    >>> body = fm.bodies.from_mesh(bar, fm.Material(7850, 205e9), interfaces=foot, modes=3)
    >>> stress_modes(body.mesh).nodal.shape, stress_modes(body.mesh).elements.shape
    ((45, 6, 3), (2, 6, 3))
    """
    where = "stresses on a mesh"
    needed_elasticity(mesh, where)
    return _stress_modes(mesh, checked_modes(mesh, modes, where))


def checked_modes(mesh: Any, modes: Any, where: str) -> int:
    """The number of modes asked for, all if not given."""
    n = int(mesh.shapes.shape[2])
    return n if modes is None else checks.count(modes, "modes", where, 0, n)


@lru_cache(maxsize=8)
def _stress_modes(mesh: Any, n: int) -> StressModes:
    return stresses_of(mesh.nodes, mesh.cells, mesh.elasticity, mesh.shapes[:, :, :n])


def stresses_of(
    nodes: np.ndarray, cells: Sequence[Any], elasticity: Sequence[ElasticCells], moved: np.ndarray
) -> StressModes:
    """The stresses of displacements (N, d, n) of the nodes (N, d) of blocks of cells.

    >>> unit = ElasticCells([[[-1.0, -1], [1, 0], [0, 1]]], [0.5], np.ones((3, 1)), (1.0, 1.0))
    >>> corners, pulled = np.array([[0.0, 0], [1, 0], [0, 1]]), np.array([[0.0, 0], [1, 0], [0, 0]])
    >>> stresses_of(corners, [("triangle", np.array([[0, 1, 2]]))], [unit], pulled[:, :, None]).nodal[0, :, 0].tolist()
    [3.0, 1.0, 0.0, 0.0]
    """
    N, d, n = moved.shape
    c = len(PLACES[d])
    total, times = np.zeros((N, c * n)), np.zeros(N)
    elements = [np.zeros((0, c, n))]
    for (_, numbers), own in zip(cells, elasticity, strict=True):
        E, a = numbers.shape
        q = len(own.weights)
        step = max(1, AT_ONCE // max(q * max(c, d * d) * n + q * a * d, 1))
        for first in range(0, E, step):
            part = numbers[first : first + step]
            stress, _, volume = own.at_gauss_points(nodes[part], moved[part])
            elements.append(np.einsum("eqcn,eq->ecn", stress, volume / volume.sum(axis=1, keepdims=True)))
            fitted = np.matmul(own.to_nodes, stress.reshape(len(part), q, c * n))
            meeting = scipy.sparse.csr_matrix(
                (np.ones(part.size), (part.ravel(), np.arange(part.size))), shape=(N, part.size)
            )
            total += meeting @ fitted.reshape(part.size, c * n)
            times += np.bincount(part.ravel(), minlength=N)
    return StressModes((total / np.maximum(times, 1.0)[:, None]).reshape(N, c, n), np.concatenate(elements))


def tensors(stress: np.ndarray) -> np.ndarray:
    """Tensors (…, 3, 3) of stresses (…, c).

    >>> tensors(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])).tolist()
    [[1.0, 4.0, 6.0], [4.0, 2.0, 5.0], [6.0, 5.0, 3.0]]
    """
    result = np.zeros((*stress.shape[:-1], 3, 3))
    for c, (i, j) in enumerate(PLACES[2 if stress.shape[-1] == 4 else 3]):
        result[..., i, j] = result[..., j, i] = stress[..., c]
    return result


@answers_calls
def principal(stress: np.ndarray) -> np.ndarray:
    """Principal stresses (…, 3) [Pa] of stresses (…, c), the largest first.

    >>> principal(np.array([0.0, 0.0, 0.0, 2.0])).round(9).tolist()
    [2.0, 0.0, -2.0]
    """
    return np.asarray(np.linalg.eigvalsh(tensors(_stresses(stress)))[..., ::-1])


@answers_calls
def von_mises(stress: np.ndarray) -> np.ndarray:
    """The equivalent stress (…) [Pa] of von Mises of stresses (…, c): √(3/2) times the norm of their deviator.

    >>> float(von_mises(np.array([0.0, 0.0, 0.0, 1.0])).round(6))
    1.732051
    """
    s = _stresses(stress)
    x, y, z = s[..., 0], s[..., 1], s[..., 2]
    shear = np.sum(s[..., 3:] ** 2, axis=-1)
    return np.asarray(np.sqrt(0.5 * ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) + 3.0 * shear))


def _stresses(given: Any) -> np.ndarray:
    """Stresses (…, c) with 6 components in space, 4 in the plane."""
    found = checks.numbers(given, "stress", "stresses", "an array (…, 6), in the plane (…, 4)", infinite=True)
    if found.ndim == 0 or found.shape[-1] not in (4, 6):
        raise ModelError(f"stresses: {checks.quoted(given)} has no 6 components of stress in its last axis, nor 4")
    return found


def quantity_of(stress: np.ndarray, what: str) -> np.ndarray:
    """A component or a size by its name (…), of stresses (…, c): 'stress_xx', 'von_mises', 'max_principal'.

    >>> float(quantity_of(np.array([3.0, 0.0, 0.0, 0.0]), "max_shear"))
    1.5
    """
    if what == "von_mises":
        return von_mises(stress)
    if what in SIZES:
        one = principal(stress)
        return np.asarray(0.5 * (one[..., 0] - one[..., 2]) if what == "max_shear" else one[..., SIZES.index(what) - 1])
    return np.asarray(stress[..., COMPONENTS[2 if stress.shape[-1] == 4 else 3].index(what)])


@answers_calls
def gauge_modes(mesh: Any, node: Any, direction: Any, modes: int | None = None) -> np.ndarray:
    """The strain (n,) [–] along a direction (d,) at a node, of modes of unit amplitude.

    >>> import flexmb as fm, skfem
    >>> bar = skfem.MeshHex.init_tensor(np.linspace(0, 1, 3), np.array([0, 0.1]), np.array([0, 0.1]))
    >>> foot = {"foot": fm.bodies.on_plane((0, 0, 0), (1, 0, 0))}
    >>> body = fm.bodies.from_mesh(bar, fm.Material(7850, 205e9), interfaces=foot, modes=3)
    >>> gauge_modes(body.mesh, 0, (1, 0, 0)).shape
    (3,)
    """
    where = "strain of a body"
    needed_elasticity(mesh, where)
    N, d = mesh.nodes.shape
    way, node = checks.vector(direction, "direction", where, d), checks.count(node, "node", where, 0, N - 1)
    if not np.any(way):
        raise ModelError(f"{where}: its direction is zero; give the direction of the gauge")
    way = way / np.linalg.norm(way)
    stress = stress_modes(mesh, modes).nodal[node]
    own = next((x for (_, cells), x in zip(mesh.cells, mesh.elasticity, strict=True) if np.any(cells == node)), None)
    if own is None:
        raise ModelError(f"strain of a body: node {node} belongs to no element; give one on its surface")
    strain = tensors(own.strain(stress.copy()).T)[:, :d, :d]
    return np.asarray(np.einsum("x,nxy,y->n", way, strain, way))
