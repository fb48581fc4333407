"""Bodies that deform with their mesh: where its points are, how far from where a rigid body had them, and their
stresses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from flexmb.bodies.stresses import quantity_of, stress_modes
from flexmb.model.appearance import MeshPlace
from flexmb.results import names
from flexmb.results.meaning import RATE
from flexmb.results.pictures.displacement import DISPLACEMENT, Apart, Displaced
from flexmb.results.pictures.magnified import Magnified
from flexmb.results.pictures.references import amplitudes
from flexmb.results.recorded import Recorded

#: the quantity of a point of a mesh that colors it: its distance from where a rigid body had it
DEFORMATION = "deformation"
DEFORMATION_LABEL = "deformation in the frame of the modes"
#: the largest number of points in equal distances from which is seen how far a mesh reaches
FEW = 400


@dataclass(frozen=True, eq=False)
class DeformingMesh:
    """Some points of the mesh of a body over time: places p (k, d) [m] and axes A (k, d, d) of its frame, their rates,
    the amplitudes of the modes (k, n) and their rates; `shown`, the mesh with these points alone; `stresses` (N, c, n)
    of the modes at these points, None where nobody knows them or asks for them; `bends` B (k, d, d), where deformations
    are shown larger: points are at p + A X + B u, with B = A where they are shown as they are; `apart`: their
    displacements, where somebody asks for these."""

    name: str
    shown: MeshPlace
    place: np.ndarray
    axes: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray
    eta: np.ndarray
    rate: np.ndarray
    stresses: np.ndarray | None = None
    bends: np.ndarray | None = None
    apart: Apart | None = None
    #: what has moved at the instant that was asked for last
    _last: dict[int, np.ndarray] = field(default_factory=dict, init=False, repr=False)

    def moved(self, k: int) -> np.ndarray:
        """Displacements (N, d) in the axes of the frame at the instant k."""
        if k not in self._last:
            self._last.clear()
            self._last[k] = self.shown.moved(self.eta[k : k + 1])[0]
        return self._last[k]

    def points(self, k: int) -> np.ndarray:
        """Places (N, d) [m] at the instant k."""
        if self.bends is None:
            return np.asarray(self.place[k] + (self.shown.nodes + self.moved(k)) @ self.axes[k].T)
        return np.asarray(self.place[k] + self.shown.nodes @ self.axes[k].T + self.moved(k) @ self.bends[k].T)

    def velocities(self, k: int) -> np.ndarray:
        """Velocities (N, d) [m/s] at the instant k."""
        slaves = np.einsum("i,mij,j->m", self.eta[k], self.shown.slaves, self.rate[k])
        own = np.einsum("Ndi,i->Nd", self.shown.shapes, np.concatenate([self.rate[k], slaves])) @ self.axes[k].T
        arm, omega = self.points(k) - self.place[k], self.angular_velocity[k]
        swung = omega[0] * np.stack([-arm[:, 1], arm[:, 0]], 1) if arm.shape[1] == 2 else np.cross(omega, arm)
        return np.asarray(self.velocity[k] + swung + own)

    def deformation(self, k: int) -> np.ndarray:
        """Distances (N,) [m] of the points from where a rigid body in the frame of the modes had them."""
        return np.asarray(np.sqrt(np.einsum("Nd,Nd->N", self.moved(k), self.moved(k))))

    def displacement(self, k: int) -> np.ndarray:
        """Distances (N,) [m] of the points from where they would be, see
        :mod:`flexmb.results.pictures.displacement`."""
        apart = self.apart
        assert apart is not None
        far = apart.shift[k] + self.shown.nodes @ apart.turn[k].T + self.moved(k) @ apart.bends[k].T
        if apart.start is not None:
            eta, place, axes = apart.start
            far -= place + (self.shown.nodes + self.shown.moved(eta[None])[0]) @ axes.T
        return np.asarray(np.sqrt(np.einsum("Nd,Nd->N", far, far)))

    def quantity(self, what: str, k: int) -> np.ndarray:
        """The colors of the points (N,) at the instant k: their deformation or displacement [m], or a stress [Pa]."""
        if what == DEFORMATION:
            return self.deformation(k)
        if what == DISPLACEMENT:
            return self.displacement(k)
        assert self.stresses is not None
        return quantity_of(self.stresses @ self.eta[k], what)


def deforming(
    solution: Recorded, few: bool = False, *, stressed: bool = False, displaced: Displaced | None = None
) -> Iterator[DeformingMesh]:
    """The bodies of a solution that deform; `few`: with a few points alone, by which is seen how far they reach;
    `stressed`: with the stresses of their modes, where they are known; `displaced`: what their displacements are taken
    against."""
    layout = solution.layout
    for name, body in layout.bodies.items():
        if body.mesh is None:
            continue
        mesh = _telling(body.mesh) if few else body.mesh
        track = names.find_track(solution, body.frame)
        eta = amplitudes(solution, mesh)
        rate = np.stack([solution.series(f"{mode}{RATE}").values for mode in mesh.modes], axis=1)
        if layout.dimension == 3:
            axes, omega = track.orientation.as_matrix(), track.angular_velocity
        else:
            c, s = np.cos(track.angle), np.sin(track.angle)
            axes = np.stack([np.stack([c, -s], 1), np.stack([s, c], 1)], axis=1)
            omega = track.angular_velocity[:, None]
        own = stress_modes(body.mesh, eta.shape[1]).nodal if stressed and not few and body.mesh.elasticity else None
        place, bends, source = track.position, None, solution.source
        if isinstance(source, Magnified):
            place, axes, bends = source.mesh(name)
        apart = None if displaced is None else displaced.of_mesh(solution, name)
        yield DeformingMesh(name, mesh, place, axes, track.velocity, omega, eta, rate, own, bends, apart)


def only(mesh: MeshPlace, chosen: np.ndarray, faces: np.ndarray) -> MeshPlace:
    """A mesh with the nodes `chosen` alone, by numbers, and `faces` between them."""
    return MeshPlace(mesh.nodes[chosen], mesh.modes, mesh.shapes[chosen], mesh.slaves, faces)


@lru_cache(maxsize=16)
def _telling(mesh: MeshPlace) -> MeshPlace:
    """The mesh with some nodes alone: those that are the last ones in some direction or that move farthest in some
    mode, and :data:`FEW` others."""
    d, count = mesh.nodes.shape[1], len(mesh.nodes)
    directions = np.array([x for x in np.ndindex(*(3,) * d) if any(np.array(x) != 1)]) - 1.0
    last = np.argmax(mesh.nodes @ directions.T, axis=0)
    farthest = np.argmax(np.linalg.norm(mesh.shapes, axis=1), axis=0)
    others = np.arange(0, count, -(-count // FEW))
    return only(mesh, np.unique(np.concatenate([last, farthest, others])), np.zeros((0, 3), dtype=np.int64))


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
