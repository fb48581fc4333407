"""A flexible body of particles with any shapes and any mass matrix, and the reduced body that it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.bodies import BodyMesh, Interface, ModalLoad, ReducedBody


@dataclass
class Particles:
    """Nodes (N, d), a mass matrix m (N, N), `shapes` (n + n_s, N, d) of modes and slaves, T (n_s, n, n), stiffness.

    Its interfaces move by random first- and second-order rows."""

    nodes: np.ndarray
    m: np.ndarray
    shapes: np.ndarray
    slaves: np.ndarray
    stiffness: np.ndarray
    interfaces: dict[str, Interface]
    loads: dict[str, ModalLoad]

    @classmethod
    def random(
        cls, dimension: int = 3, modes: int = 3, slaves: int = 2, seed: int = 0, size: int = 9, mean: bool = False
    ) -> Particles:
        """Any such body; with `mean` its frame is the mean one, as the modes of a free body make it."""
        rng = np.random.default_rng(seed)
        d, n, r = dimension, modes, 3 if dimension == 3 else 1
        nodes = rng.normal(size=(size, d))
        half = rng.normal(size=(size, size))
        m = 0.1 * half @ half.T + np.eye(size)
        shapes = 0.3 * rng.normal(size=(n + slaves, size, d))
        if mean:
            nodes -= (m.sum(axis=0) @ nodes) / m.sum()
            rigid = [np.tile(e, (size, 1)) for e in np.eye(d)]
            turns = [np.stack([-nodes[:, 1], nodes[:, 0]], 1)] if d == 2 else [np.cross(e, nodes) for e in np.eye(3)]
            B = np.array([x.ravel() for x in rigid + turns])
            M = np.kron(m, np.eye(d))
            flat = shapes.reshape(len(shapes), -1)
            shapes = (flat - (flat @ M @ B.T) @ np.linalg.solve(B @ M @ B.T, B)).reshape(shapes.shape)

        def symmetric(count: int) -> np.ndarray:
            T = 0.2 * rng.normal(size=(count, n, n))
            return T + T.transpose(0, 2, 1)

        def interface() -> Interface:
            if d == 3:
                axes = Rotation.random(random_state=rng).as_matrix()
            else:
                c, s = np.cos(angle := rng.normal()), np.sin(angle)
                axes = np.array([[c, -s], [s, c]])
            rows = 0.3 * rng.normal(size=(d + r, n))
            return Interface(rng.normal(size=d), axes, rows[:d], rows[d:], symmetric(d), symmetric(r))

        load = ModalLoad(
            rng.normal(size=d), rng.normal(size=r), rng.normal(size=n), rng.normal(size=(r, n)), symmetric(1)[0]
        )
        T, stiffness = symmetric(slaves), rng.uniform(20.0, 60.0, n)
        return cls(nodes, m, shapes, T, stiffness, {"a": interface(), "b": interface()}, {"push": load})

    def positions(self, eta: np.ndarray) -> np.ndarray:
        """Nodes (N, d) in the frame for amplitudes (n,) of the modes."""
        zeta = 0.5 * np.einsum("i,mij,j->m", eta, self.slaves, eta)
        return self.nodes + np.einsum("k,kNd->Nd", np.concatenate([eta, zeta]), self.shapes)

    def reduced(self, damping: float = 0.0) -> ReducedBody:
        """The reduced body, with the mesh of these nodes."""
        F = np.concatenate([self.nodes[None], self.shapes])
        products = np.einsum("FNi,NM,GMj->FGij", F, self.m, F)
        first = np.einsum("FNi,NM->Fi", F, self.m)
        n = len(self.stiffness)
        shapes = self.shapes.transpose(1, 2, 0)
        line = np.column_stack([np.arange(len(self.nodes) - 1), np.arange(1, len(self.nodes))])
        mesh = BodyMesh(self.nodes, [("line", line)], shapes[..., :n], shapes[..., n:])
        return ReducedBody(
            float(self.m.sum()), first, products, self.stiffness, self.slaves, self.interfaces,
            np.full(n, damping), self.loads, mesh=mesh,
        )  # fmt: skip
