"""A solid body by scikit-fem's own forms, without flexmb: its matrices, and its second order pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.spatial import cKDTree


@dataclass(frozen=True)
class RigidPatch:
    """Nodes (k,) that follow a frame at `place` (d,) rigidly."""

    nodes: np.ndarray
    place: np.ndarray


class SolidBody:
    """A body of scikit-fem's mesh and scalar element, with E [Pa], ν and ρ [kg/m³]; coordinates in the order of `nodes`
    (N, 3) and of x, y and z at each."""

    def __init__(self, mesh: Any, element: Any, order: int, material: tuple[float, float, float], nodes: np.ndarray):
        import skfem
        from skfem.helpers import ddot, dot, eye, grad, sym_grad, trace
        from skfem.models.elasticity import lame_parameters, linear_elasticity, linear_stress

        E, nu, rho = material
        lame = lame_parameters(E, nu)
        self.nodes = nodes
        self._basis = skfem.Basis(mesh, skfem.ElementVector(element), intorder=order)
        places = self._basis.doflocs.T
        direction = np.zeros(len(places), dtype=int)
        for local, dofs in enumerate(self._basis.element_dofs):
            direction[dofs] = local % 3
        distance, node = cKDTree(nodes).query(places)
        assert np.max(distance) < 1e-9 * np.ptp(nodes)
        self._own = node * 3 + direction  # coordinate of each of scikit-fem's
        to = sp.csr_matrix((np.ones(len(places)), (self._own, np.arange(len(places)))))
        self.stiffness = to @ linear_elasticity(*lame).assemble(self._basis) @ to.T
        mass = skfem.BilinearForm(lambda u, v, w: rho * dot(u, v)).assemble(self._basis)
        self.mass = to @ mass @ to.T
        stress = self._linear_stress = linear_stress(*lame)

        def pair(v: Any, w: Any) -> Any:
            a, b = grad(w["a"]), grad(w["b"])
            product = np.einsum("ki...,kj...->ij...", a, b)
            second = 0.5 * (product + np.einsum("ij...->ji...", product))
            return ddot(stress(second), sym_grad(v))

        self._pair, self._stress = skfem.LinearForm(pair), (stress, eye, trace)

    def second_order_load(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """r with r·v = ∫ σ(v) : ε₂(a, b) dV, of displacements (n,)."""
        given = {"a": self._basis.interpolate(a[self._own]), "b": self._basis.interpolate(b[self._own])}
        r = np.zeros(len(a))
        r[self._own] = self._pair.assemble(self._basis, **given)
        return r

    def element_stresses(self, displacement: np.ndarray) -> np.ndarray:
        """Stresses (3, 3, E) of a displacement (n,), means over the volume of each element."""
        from skfem.helpers import sym_grad

        stress = self._linear_stress(sym_grad(self._basis.interpolate(displacement[self._own])))
        return np.asarray(np.sum(stress * self._basis.dx, axis=-1) / np.sum(self._basis.dx, axis=-1))

    def rigid_modes(self) -> np.ndarray:
        """Translations and turns about the origin (n, 6)."""
        R = np.zeros((len(self.nodes), 3, 6))
        R[:, range(3), range(3)] = 1.0
        for j, axis in enumerate(np.eye(3)):
            R[:, :, 3 + j] = np.cross(axis, self.nodes)
        return R.reshape(-1, 6)

    def map_of(self, patches: Sequence[RigidPatch]) -> np.ndarray:
        """G (n, n'), dense: free nodes first, then translation and turn of each patch."""
        tied = np.concatenate([p.nodes for p in patches])
        free = np.setdiff1d(np.arange(len(self.nodes)), tied)
        G = np.zeros((len(self.nodes), 3, 3 * len(free) + 6 * len(patches)))
        for k, node in enumerate(free):
            G[node, :, 3 * k : 3 * k + 3] = np.eye(3)
        for k, patch in enumerate(patches):
            at = 3 * len(free) + 6 * k
            for node in patch.nodes:
                G[node, :, at : at + 3] = np.eye(3)
                G[node, :, at + 3 : at + 6] = -_tilde(self.nodes[node] - patch.place)
        return G.reshape(3 * len(self.nodes), -1)

    def second_order(
        self, patches: Sequence[RigidPatch], a: np.ndarray, b: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Θ (n,) of the displacements a and b (n,), without rigid part by M, and the motion (6 each) of the patches."""
        G, R, X = self.map_of(patches), self.rigid_modes(), self.nodes
        tied = np.zeros_like(X)
        for patch in patches:
            y = X[patch.nodes] - patch.place
            own = -np.array([_tilde(arm) for arm in y]).reshape(-1, 3)
            own_map = np.hstack([np.tile(np.eye(3), (len(y), 1)), own])
            moved = [u.reshape(X.shape)[patch.nodes].ravel() for u in (a, b)]
            p, q = (np.linalg.lstsq(own_map, u, rcond=None)[0][3:] for u in moved)
            tied[patch.nodes] = 0.5 * (np.cross(p, np.cross(q, y)) + np.cross(q, np.cross(p, y)))
        shift = tied.ravel()
        load = -(self.second_order_load(a, b) + self.stiffness @ shift)
        K, C = G.T @ (self.stiffness @ G), G.T @ (self.mass @ R)
        scale = np.abs(K).max() / np.abs(C).max()
        full = np.block([[K, scale * C], [scale * C.T, np.zeros((6, 6))]])
        right = np.concatenate([G.T @ load, -scale * (R.T @ (self.mass @ shift))])
        found = scipy.linalg.solve(full, right, assume_a="sym")[:-6]
        return G @ found + shift, found[len(found) - 6 * len(patches) :].reshape(-1, 6)


def _tilde(y: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -y[2], y[1]], [y[2], 0.0, -y[0]], [-y[1], y[0], 0.0]])
