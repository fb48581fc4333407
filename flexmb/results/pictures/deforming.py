"""Bodies that deform with their mesh: where its points are, how far from where a rigid body had them, and their
stresses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from flexmb.bodies.stresses import quantity_of, stress_modes
from flexmb.model.appearance import MeshPlace
from flexmb.results import names
from flexmb.results.meaning import RATE
from flexmb.results.recorded import Recorded

#: the quantity of a point of a mesh that colors it: its distance from where a rigid body had it
DEFORMATION = "deformation"


@dataclass(frozen=True, eq=False)
class DeformingMesh:
    """Some points of the mesh of a body over time: places (k, d) [m] and axes (k, d, d) of its frame, their rates, the
    amplitudes of the modes (k, n) and their rates; `shown`, the mesh with these points alone; `stresses` (N, c, n) of
    the modes at these points, None where nobody knows them or asks for them."""

    name: str
    shown: MeshPlace
    place: np.ndarray
    axes: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    eta: np.ndarray
    rate: np.ndarray
    stresses: np.ndarray | None = None

    def moved(self, k: int) -> np.ndarray:
        """Displacements (N, d) in the axes of the frame at the instant k."""
        return self.shown.moved(self.eta[k : k + 1])[0]

    def points(self, k: int) -> np.ndarray:
        """Places (N, d) [m] at the instant k."""
        return np.asarray(self.place[k] + (self.shown.nodes + self.moved(k)) @ self.axes[k].T)

    def velocities(self, k: int) -> np.ndarray:
        """Velocities (N, d) [m/s] at the instant k."""
        slaves = np.einsum("i,mij,j->m", self.eta[k], self.shown.slaves, self.rate[k])
        own = np.einsum("Ndi,i->Nd", self.shown.shapes, np.concatenate([self.rate[k], slaves])) @ self.axes[k].T
        arm, omega = self.points(k) - self.place[k], self.angular_velocity[k]
        swung = omega[0] * np.stack([-arm[:, 1], arm[:, 0]], 1) if arm.shape[1] == 2 else np.cross(omega, arm)
        return np.asarray(self.velocity[k] + swung + own)

    def deformation(self, k: int) -> np.ndarray:
        """How far (N,) [m] each point is from where a rigid body had it."""
        return np.asarray(np.linalg.norm(self.moved(k), axis=1))

    def quantity(self, what: str, k: int) -> np.ndarray:
        """What colors the points (N,) at the instant k: their deformation [m], or a stress [Pa]."""
        if what == DEFORMATION:
            return self.deformation(k)
        assert self.stresses is not None
        return quantity_of(self.stresses @ self.eta[k], what)


def deforming(solution: Recorded, few: bool = False, *, stressed: bool = False) -> Iterator[DeformingMesh]:
    """The bodies of a solution that deform; `few`: with the points alone that reach farthest in any direction;
    `stressed`: with the stresses of their modes, where they are known."""
    layout = solution.layout
    for name, body in layout.bodies.items():
        if body.mesh is None:
            continue
        mesh = _outermost(body.mesh) if few else body.mesh
        track = names.find_track(solution, body.frame)
        eta = np.stack([solution.coordinate(mode) for mode in mesh.modes], axis=1)
        rate = np.stack([solution.series(f"{mode}{RATE}").values for mode in mesh.modes], axis=1)
        if layout.dimension == 3:
            axes, omega = track.orientation.as_matrix(), track.angular_velocity
        else:
            c, s = np.cos(track.angle), np.sin(track.angle)
            axes = np.stack([np.stack([c, -s], 1), np.stack([s, c], 1)], axis=1)
            omega = track.angular_velocity[:, None]
        own = stress_modes(body.mesh, eta.shape[1]).nodal if stressed and not few and body.mesh.elasticity else None
        yield DeformingMesh(name, mesh, track.position, axes, track.velocity, omega, eta, rate, own)


def only(mesh: MeshPlace, chosen: np.ndarray, faces: np.ndarray) -> MeshPlace:
    """A mesh with the nodes `chosen` alone, by numbers, and `faces` between them."""
    return MeshPlace(mesh.nodes[chosen], mesh.modes, mesh.shapes[chosen], mesh.slaves, faces)


def _outermost(mesh: MeshPlace) -> MeshPlace:
    """The mesh with the nodes alone that are the last ones in some direction."""
    d = mesh.nodes.shape[1]
    directions = np.array([x for x in np.ndindex(*(3,) * d) if any(np.array(x) != 1)]) - 1.0
    return only(mesh, np.unique(np.argmax(mesh.nodes @ directions.T, axis=0)), np.zeros((0, 3), dtype=np.int64))


def outlines(mesh: MeshPlace) -> list[np.ndarray]:
    """The numbers of the nodes around each part of a mesh in the plane, one after the other: of its longest edge
    without holes. Beams of a frame are parts of their own.

    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> faces = np.array([[0, 1, 2], [0, 2, 3]])
    >>> [one.tolist() for one in outlines(MeshPlace(square, (), np.zeros((4, 2, 0)), np.zeros((0, 0, 0)), faces))]
    [[0, 1, 2, 3]]
    """
    a, b, c = np.moveaxis(mesh.nodes[mesh.faces], 1, 0)
    right = (b - a)[:, 0] * (c - a)[:, 1] < (b - a)[:, 1] * (c - a)[:, 0]  # triangles that turn right, turned round
    faces = np.where(right[:, None], mesh.faces[:, ::-1], mesh.faces)
    edges = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    N = len(mesh.nodes)
    _, part = connected_components(sp.csr_matrix((np.ones(len(edges)), edges.T), shape=(N, N)), directed=False)
    _, first, times = np.unique(np.sort(edges, axis=1), axis=0, return_index=True, return_counts=True)
    after: dict[int, list[int]] = {}
    for start, end in edges[np.sort(first[times == 1])].tolist():
        after.setdefault(start, []).append(end)
    longest: dict[int, tuple[float, np.ndarray]] = {}
    while after:
        loop = [next(iter(after))]
        while loop[-1] in after:
            ends = after[loop[-1]]
            if len(ends) == 1:
                del after[loop[-1]]
            loop.append(ends.pop())
        around = np.array(loop[:-1], dtype=np.int64)
        size, own = float(np.max(np.ptp(mesh.nodes[around], axis=0))), int(part[around[0]])
        if own not in longest or size > longest[own][0]:
            longest[own] = size, around
    return [around for _, around in longest.values()]
