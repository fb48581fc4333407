"""A solid body held at one patch and loaded, by scikit-fem's own forms, without flexmb: at rest and shaken, and its
stresses."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg

from flexmb.validation.references.solid_body import RigidPatch, SolidBody


class HeldSolid:
    """A solid whose patch `held` stands still, and whose patch `loaded` follows a frame with six coordinates."""

    def __init__(self, solid: SolidBody, held: RigidPatch, loaded: RigidPatch) -> None:
        N, self.solid = len(solid.nodes), solid
        free = np.setdiff1d(np.arange(N), np.concatenate([held.nodes, loaded.nodes]))
        rows, columns = (3 * free[:, None] + np.arange(3)).ravel(), np.arange(3 * len(free))
        G = sp.lil_matrix((3 * N, len(columns) + 6))
        G[rows, columns] = 1.0
        for node in loaded.nodes:
            y = solid.nodes[node] - loaded.place
            G[3 * node : 3 * node + 3, len(columns) : len(columns) + 3] = np.eye(3)
            turned = np.stack([np.cross(axis, y) for axis in np.eye(3)], axis=1)
            G[3 * node : 3 * node + 3, len(columns) + 3 :] = turned
        self.map = G.tocsr()
        self.stiffness = (self.map.T @ solid.stiffness @ self.map).tocsc()
        self.mass = (self.map.T @ solid.mass @ self.map).tocsc()
        self._solve = scipy.sparse.linalg.splu(self.stiffness).solve

    def rest(self, nodal: np.ndarray | None = None, at_frame: np.ndarray | None = None) -> np.ndarray:
        """Displacements (n,) of all nodes under nodal forces (n,), and a force and a moment (6,) on the frame."""
        f = np.zeros(self.map.shape[1])
        if nodal is not None:
            f += self.map.T @ nodal
        if at_frame is not None:
            f[-6:] += at_frame
        return np.asarray(self.map @ self._solve(f))

    def shaken(self, force: Any, step: float, count: int) -> np.ndarray:
        """Displacements (n, count + 1) under a force and a moment `force(t)` (6,) on the frame, by Newmark's method of
        constant mean acceleration, from rest."""
        K, M = self.stiffness, self.mass
        solve = scipy.sparse.linalg.splu((K + 4.0 / step**2 * M).tocsc()).solve
        u, v, a = np.zeros((3, K.shape[0]))
        found = [u]
        for k in range(1, count + 1):
            f = M @ (4.0 / step**2 * u + 4.0 / step * v + a)
            f[-6:] += force(k * step)
            new = solve(f)
            acceleration = 4.0 / step**2 * (new - u) - 4.0 / step * v - a
            v = v + 0.5 * step * (a + acceleration)
            u, a = new, acceleration
            found.append(u)
        return np.asarray(self.map @ np.stack(found, axis=1))


def von_mises_of(tensor: np.ndarray) -> np.ndarray:
    """√(3/2) times the norm of the deviator of stresses (3, 3, …)."""
    mean = np.einsum("ii...->...", tensor) / 3.0
    deviator = tensor - mean * np.eye(3).reshape(3, 3, *(1,) * mean.ndim)
    return np.asarray(np.sqrt(1.5 * np.sum(deviator**2, axis=(0, 1))))
