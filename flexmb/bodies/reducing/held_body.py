"""A body held at its interfaces, and free: one factorization serves static modes, vibration and loads.

With the coordinates s of rigid interfaces, or of a determinate support where there are none, the rest i, and the
means C u of interfaces tied on average, whose forces are λ:

    u_i = K_ii⁻¹ (f_i − K_is u_s + C_iᵀ λ),    what is prescribed of u_s, of C u and of forces on s gives u_s and λ
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from flexmb.algebra.multifrontal import Cholesky
from flexmb.bodies.full_models.full_model import FullModel
from flexmb.bodies.reducing.ties import TiedSet, eliminated
from flexmb.errors import ModelError
from flexmb.machine.threads import one_thread

#: displacements are improved so many times at most, and until they change by this part of themselves, by which the
#: next change would be smaller again
IMPROVED, SETTLED = 3, 1e-7


class HeldBody:
    """The equations of a body after its rigid ties, factorized once.

    Arguments: `model`; `ties`, its interfaces. What it has: `map` G (n, n'), from its coordinates c to all, u = G c;
    `stiffness` and `mass` (n', n') in c; `means` C (6 k, n') of interfaces tied on average; `rigid` (n', 6), the rigid
    motions about the mass center; `mass_center` (d,).
    """

    @one_thread
    def __init__(self, model: FullModel, ties: list[TiedSet], *, stress: scipy.sparse.spmatrix | None = None) -> None:
        self.model, self.ties = model, ties
        G = self.map = eliminated(model, ties)
        self._stress = stress
        full = model.stiffness if stress is None else model.stiffness + stress
        self.stiffness, self.mass = (G.T @ full @ G).tocsr(), (G.T @ model.mass @ G).tocsr()
        self._rigid_modes(model)
        width = self.rigid.shape[1]
        means = [tie for tie in ties if not tie.rigid]
        blocks = [scipy.sparse.csr_matrix(tie.mean) @ G[tie.rows] for tie in means]
        n = self.map.shape[1]
        self.means = scipy.sparse.vstack(blocks).tocsr() if blocks else scipy.sparse.csr_matrix((0, n))
        rigid = len(ties) - len(means)
        self.supported = rigid == 0
        s = self._support() if self.supported else np.arange(n - width * rigid, n)
        self._s, self._i = s, np.setdiff1d(np.arange(n), s)
        K, i = self.stiffness, self._i
        self._Ksi, self._Ci, self._Cs = K[s][:, i], self.means[:, i], self.means[:, s].toarray()
        nodes = self._places(model)
        self._factor = Cholesky(K[i][:, i], nodes[i], f"body {model.name!r}")
        self._Zs = self._factor.solve(self._Ksi.T.toarray())
        self._Zc = self._factor.solve(self._Ci.T.toarray())
        self._Sss = K[s][:, s].toarray() - self._Ksi @ self._Zs
        self._Ssc = self._Ksi @ self._Zc - self._Cs.T
        self._Scc = self._Ci @ self._Zc

    def _rigid_modes(self, model: FullModel) -> None:
        """The rigid motions about the mass center; refuse matrices that are not those of a free body."""
        R = model.rigid_modes()
        d, M = model.dimension, R.T @ (model.mass @ R)
        total = M[0, 0]
        if not total > 0.0:
            raise ModelError(f"body {model.name!r}: its mass is {total:g} kg; it must be positive")
        arms = [M[1, 5], M[2, 3], M[0, 4]] if d == 3 else [M[1, 2], -M[0, 2]]
        self.mass_center = np.array(arms) / total
        self.total_mass = float(total)
        R = self.all_rigid = model.rigid_modes(self.mass_center)
        forces = np.abs(model.stiffness @ R).max(axis=0)
        size = np.abs(R).max(axis=0) * float(abs(model.stiffness).max())
        held = np.flatnonzero(forces > 1e-6 * size)
        if len(held):
            names = "xyz" if d == 3 else "xy"
            which = [f"translation along {names[k]}" if k < d else f"turn {k - d + 1}" for k in held]
            raise ModelError(
                f"body {model.name!r}: its stiffness matrix resists rigid motion: {', '.join(which)} "
                f"(largest force {float((forces / size).max()):.2g} of the largest stiffness); give the matrix of the "
                "body without supports, in the axes of its nodes"
            )
        self.rigid = _back(self.map, R)
        self.rigid_mass = R.T @ (model.mass @ R)

    def _places(self, model: FullModel) -> np.ndarray:
        """A place of each coordinate c, by which the factorization is ordered."""
        weight = abs(self.map).T
        return np.asarray((weight @ model.nodes[model.node_of]) / np.maximum(weight.sum(axis=1), 1e-300))

    def _support(self) -> np.ndarray:
        """Coordinates of a few nodes far from each other that hold the body determinately."""
        nodes = self.model.nodes
        first = int(np.argmax(np.linalg.norm(nodes - self.mass_center, axis=1)))
        second = int(np.argmax(np.linalg.norm(nodes - nodes[first], axis=1)))
        along = nodes[second] - nodes[first]
        arm = nodes - nodes[first]
        off = arm - np.outer(arm @ along, along) / max(float(along @ along), 1e-300)
        third = int(np.argmax(np.linalg.norm(off, axis=1)))
        own = np.flatnonzero(np.isin(self.model.node_of, [first, second, third]))
        size = float(np.max(np.ptp(nodes, axis=0)))
        d = self.model.dimension
        rows = self.all_rigid[own] / np.array([1.0] * d + [size] * (self.rigid.shape[1] - d))
        _, _, order = scipy.linalg.qr(rows.T, pivoting=True, mode="economic")
        return np.sort(own[order[: rows.shape[1]]])

    def resisting(self, shapes: np.ndarray) -> np.ndarray:
        """K u (n', k) of displacements (n', k), by the strains of the elements where they are known.

        Rounding of K's entries is felt by slender bodies as eps times the ratio of the highest frequency of the mesh
        to that of a mode, squared; by strains it is that ratio itself.
        """
        if self.model.forces is None:
            return np.asarray(self.stiffness @ shapes)
        u = self.map @ shapes
        f = self.model.forces(u)
        return np.asarray(self.map.T @ (f if self._stress is None else f + self._stress @ u))

    def refined(self, apply: Callable[[np.ndarray], np.ndarray], forces: np.ndarray) -> np.ndarray:
        """Displacements (n', k) under forces (n', k) by :meth:`held`, :meth:`flexible` or :meth:`free`, improved by
        what forces they leave."""
        return self._improved(apply, apply(forces), forces)

    def _improved(self, apply: Callable[[np.ndarray], np.ndarray], u: np.ndarray, forces: np.ndarray | float) -> Any:
        for _ in range(IMPROVED if self.model.forces is not None and u.size else 0):
            step = apply(forces - self.resisting(u))
            u = u + step
            if np.all(np.abs(step).max(axis=0) <= SETTLED * np.abs(u).max(axis=0)):
                break
        return u

    def _put(self, inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
        u = np.zeros((self.map.shape[1], inner.shape[1]))
        u[self._i], u[self._s] = inner, outer
        return u

    def held(self, forces: np.ndarray) -> np.ndarray:
        """Displacements (n', k) under forces (n', k), all interfaces being held."""
        y = self._factor.solve(forces[self._i])
        if self.supported:
            A = np.block([[self._Sss, self._Ssc], [-self._Ssc.T, self._Scc]])
            b = np.concatenate([forces[self._s] - self._Ksi @ y, -(self._Ci @ y)])
            both = np.linalg.solve(A, b)
            us, lam = both[: len(self._s)], both[len(self._s) :]
            return self._put(y - self._Zs @ us + self._Zc @ lam, us)
        if len(self._Scc):
            y = y - self._Zc @ np.linalg.solve(self._Scc, self._Ci @ y)
        return self._put(y, np.zeros((len(self._s), y.shape[1])))

    def static_modes(self) -> np.ndarray:
        """Displacements (n', 6 of each interface) for unit motions of the interfaces in the order of the ties."""
        return np.asarray(self._improved(self.held, self._static_modes(), 0.0))

    def _static_modes(self) -> np.ndarray:
        if not self.ties:
            return np.zeros((self.map.shape[1], 0))
        width, means = self.rigid.shape[1], len(self._Scc)
        if self.supported:
            A = np.block([[self._Sss, self._Ssc], [-self._Ssc.T, self._Scc]])
            both = np.linalg.solve(A, np.concatenate([np.zeros((len(self._s), means)), np.eye(means)]))
            us, lam = both[: len(self._s)], both[len(self._s) :]
            return self._put(-self._Zs @ us + self._Zc @ lam, us)
        outer = np.eye(len(self._s))
        # rigid ones first: u_s given, C u = 0; then C u given, u_s = 0
        lam = np.zeros((means, 0))
        modes = self._put(-self._Zs, outer)
        if means:
            lam = np.linalg.solve(self._Scc, self._Ssc.T)
            modes = self._put(-self._Zs + self._Zc @ lam, outer)
            own = np.linalg.solve(self._Scc, np.eye(means))
            modes = np.hstack([modes, self._put(self._Zc @ own, np.zeros((len(self._s), means)))])
        order: list[int] = []
        rigid, mean = 0, len(self._s)
        for tie in self.ties:
            at = rigid if tie.rigid else mean
            order += range(at, at + width)
            rigid, mean = (rigid + width, mean) if tie.rigid else (rigid, mean + width)
        return np.asarray(modes[:, np.array(order)])

    def columns(self, tie: TiedSet) -> slice:
        """The coordinates c of an interface that is tied rigidly."""
        rigid = [one for one in self.ties if one.rigid]
        width = self.rigid.shape[1]
        at = self.map.shape[1] - width * (len(rigid) - rigid.index(tie))
        return slice(at, at + width)

    def free(self, forces: np.ndarray) -> np.ndarray:
        """Displacements (n', k) of the free body under forces (n', k) in balance, but for a rigid motion."""
        y = self._factor.solve(forces[self._i])
        if len(self._s) == self.rigid.shape[1]:  # determinate: a support, or the one interface, has no force
            return self._put(y, np.zeros((len(self._s), y.shape[1])))
        Q = np.linalg.qr(self.rigid[self._s])[0]
        S = self._Sss + float(np.max(np.abs(np.diag(self._Sss)))) * Q @ Q.T
        b = forces[self._s] - self._Ksi @ y
        us = np.linalg.solve(S, b - Q @ (Q.T @ b))
        return self._put(y - self._Zs @ us, us)

    def flexible(self, forces: np.ndarray) -> np.ndarray:
        """G f = Pᵀ K⁻¹ P f (n', k): displacements of the free body under any forces (n', k), balanced by its inertia,
        orthogonal to the rigid motions by M."""
        R, M = self.rigid, self.mass
        balanced = forces - M @ (R @ np.linalg.solve(self.rigid_mass, R.T @ forces))
        u = self.free(balanced)
        return np.asarray(u - R @ np.linalg.solve(self.rigid_mass, R.T @ (M @ u)))


def _back(G: scipy.sparse.csr_matrix, full: np.ndarray) -> np.ndarray:
    """Coordinates c of motions that the rigid ties allow, from those of all nodes."""
    normal = (G.T @ G).tocsc()
    return np.asarray(scipy.sparse.linalg.splu(normal).solve(G.T @ full))
