"""How what bends is shown larger: where a beam or a meshed body would be if it did not bend, and where it is shown.

A place of a part, the section at s of a beam or an interface of a body, has the place r and the orientation R. Its
reference is a rigid one, that of the undeformed part:

    held at a place 0:  r̂ = r₀ + R₀ x,  R̂ = R₀ Q,    with x and Q of the place against 0 in the undeformed part

It is shown at r̂ + m (r − r̂), turned by m times the angle of R̂ᵀ R from R̂. The ends of a beam in a loop stay where they
are; its reference has its chord along the line between them. A meshed body that nothing holds has as its reference the
rigid body that fits its surface best, its mean frame: with areas w of the surface about its points,

    Σ w |r − r̂|² least:  R̂ = V diag(1, 1, det V Uᵀ) Uᵀ,  U S Vᵀ = Σ w (X − X̄)(r − r̄)ᵀ        Kabsch (1976)
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.errors import ModelError
from flexmb.model.appearance import MeshPlace
from flexmb.model.orientations import rotation_of, scalar_first
from flexmb.results import names
from flexmb.results.recorded import Recorded

#: ends of an undeformed beam nearer to each other than this part of its length have no chord
CLOSED = 1e-9
#: places of a meshed body beside its interfaces: its own frame, and its mean frame
FRAME, MEAN = "", "mean frame"
#: a place of a part that bends: s of a beam, NaN for the line between its ends, or an interface of a body by its name
Place = float | str


class Poses(NamedTuple):
    """Places (k, d) [m] and orientations at k times; in the plane the orientations are turns about z."""

    place: np.ndarray
    turn: Rotation

    def __matmul__(self, other: Poses) -> Poses:
        """Poses `other` that are given in the axes of these."""
        return Poses(self.place + self.turned(other.place), self.turn * other.turn)

    @property
    def axes(self) -> np.ndarray:
        """The orientations as matrices (k, d, d)."""
        d = self.place.shape[1]
        return np.asarray(self.turn.as_matrix()[:, :d, :d])

    def turned(self, vectors: np.ndarray) -> np.ndarray:
        """Vectors (k, d) from the axes of the poses to those of the ground."""
        return np.asarray(np.einsum("kij,kj->ki", self.axes, vectors))

    def inverse(self) -> Poses:
        """The ground as seen from the poses."""
        back = Poses(np.zeros_like(self.place), self.turn.inv())
        return Poses(-back.turned(self.place), back.turn)


def still(count: int, d: int) -> Poses:
    """The ground itself at so many times."""
    return Poses(np.zeros((count, d)), Rotation.identity(count))


def poses_of(rows: np.ndarray) -> Poses:
    """Poses from rows (k, 3) of x, y and angle, or (k, 7) of a place and a quaternion."""
    if rows.shape[1] == 7:
        return Poses(rows[:, 0:3], rotation_of(rows[:, 3:7]))
    return Poses(rows[:, 0:2], Rotation.from_rotvec(rows[:, 2:3] * [0.0, 0.0, 1.0]))


def numbers_of(poses: Poses, rows: np.ndarray) -> np.ndarray:
    """Poses as rows like those that are given; angles of the plane are nearest to them."""
    if rows.shape[1] == 7:
        return np.column_stack([poses.place, scalar_first(poses.turn)])
    more = (poses.turn * poses_of(rows).turn.inv()).as_rotvec()[:, 2]
    return np.column_stack([poses.place, rows[:, 2] + more])


def node(solution: Recorded, frame: str) -> Poses:
    """The poses of the node that carries a frame."""
    return poses_of(names.node_motion(solution, frame)[0])


def mesh_of(solution: Recorded, part: str) -> MeshPlace | None:
    """The mesh of a part that bends; None if it is a beam."""
    body = solution.layout.bodies.get(part)
    return None if body is None else body.mesh


def section(solution: Recorded, part: str, place: Place) -> Poses:
    """The poses of a place of a part."""
    if isinstance(place, str):
        body = node(solution, solution.layout.bodies[part].frame if place in (FRAME, MEAN) else f"{part}.{place}")
        return body @ mean_frame(solution, part) if place == MEAN else body
    return poses_of(solution.source.point(solution, part, place)[:, : solution.layout.widths.orientation.stop])


def undeformed(solution: Recorded, part: str, place: Place, first: Place) -> Poses:
    """The poses of a place of an undeformed part in the axes of its place `first`."""
    if isinstance(place, str) or isinstance(first, str):
        return _on_mesh(solution, part, first).inverse() @ _on_mesh(solution, part, place)
    k, d, beam = len(solution.t), solution.layout.dimension, solution.layout.beams[part]
    if not beam.curved:
        along = np.zeros((k, d))
        ends = [section(solution, part, end).place[0] for end in (0.0, 1.0)]
        along[:, 0] = (place - first) * (beam.length or float(np.linalg.norm(ends[1] - ends[0])))
        return Poses(along, Rotation.identity(k))
    if solution.model is None:
        raise ModelError(
            f"picture of {solution.where}: a file does not hold the undeformed shape of beam {part!r}, which is "
            "curved; leave magnify out, or run the model again"
        )
    component: Any = solution.model.components[part]
    own, other = (poses_of(np.tile(np.concatenate(component.undeformed_at(z)), (k, 1))) for z in (place, first))
    return other.inverse() @ own


def _on_mesh(solution: Recorded, part: str, place: Place) -> Poses:
    """The poses of a place of an undeformed body in the axes of its frame."""
    k, d, mesh = len(solution.t), solution.layout.dimension, mesh_of(solution, part)
    if place in (FRAME, MEAN) or mesh is None:
        return still(k, d)
    if place not in mesh.interfaces:
        raise ModelError(
            f"picture of {solution.where}: its file is older than pictures that magnify meshed bodies, and does not "
            f"say where interface {place!r} of body {part!r} is; leave magnify out, or run the model again"
        )
    origin, axes = mesh.interfaces[str(place)]
    turn = np.eye(3)
    turn[:d, :d] = axes
    return Poses(np.tile(origin, (k, 1)), Rotation.from_matrix(np.tile(turn, (k, 1, 1))))


def shown(solution: Recorded, part: str, place: Place, held: Place, factor: float) -> Poses:
    """The poses at which a place of a part is shown that is held by one of its places, or is in a loop."""
    loop = isinstance(held, float) and np.isnan(held)
    first: Place = 0.0 if loop else held
    own, start = section(solution, part, place), section(solution, part, first)
    along = undeformed(solution, part, place, first)
    if loop:
        chord, whole = section(solution, part, 1.0).place - start.place, undeformed(solution, part, 1.0, 0.0).place
        far = np.linalg.norm(whole, axis=1, keepdims=True)
        if np.min(far) > CLOSED * (solution.layout.beams[part].length or 1.0):  # a ring has no chord
            along = Poses(along.place * np.linalg.norm(chord, axis=1, keepdims=True) / far, along.turn)
            start = Poses(start.place, _turn_onto(start.turned(whole), chord) * start.turn)
    own = start.inverse() @ own
    bent = (along.turn.inv() * own.turn).as_rotvec()
    deformed = Poses(along.place + factor * (own.place - along.place), along.turn * Rotation.from_rotvec(factor * bent))
    return start @ deformed


def _turn_onto(given: np.ndarray, chord: np.ndarray) -> Rotation:
    """The least turn that brings vectors (k, d) onto directions (k, d)."""
    first = np.zeros((len(given), 3))
    first[:, : given.shape[1]] = given / np.maximum(np.linalg.norm(given, axis=1, keepdims=True), 1e-300)
    wanted = np.zeros_like(first)
    wanted[:, : chord.shape[1]] = chord / np.maximum(np.linalg.norm(chord, axis=1, keepdims=True), 1e-300)
    across = np.cross(first, wanted)
    sine = np.linalg.norm(across, axis=1, keepdims=True)
    angle = np.arctan2(sine, np.sum(first * wanted, axis=1, keepdims=True))
    return Rotation.from_rotvec(across * np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 1.0))


def amplitudes(solution: Recorded, mesh: MeshPlace) -> np.ndarray:
    """The amplitudes (k, n) of the modes of a mesh."""
    return np.stack([solution.coordinate(mode) for mode in mesh.modes], axis=1)


def mean_frame(solution: Recorded, part: str) -> Poses:
    """The mean frame of a meshed body in the axes of its frame: where a rigid body fits its surface best."""
    mesh = mesh_of(solution, part)
    assert mesh is not None
    eta = amplitudes(solution, mesh)
    a = np.concatenate([eta, 0.5 * np.einsum("ki,mij,kj->km", eta, mesh.slaves, eta)], axis=1)
    middle, means, first, moments = _surface_moments(mesh)
    d = len(middle)
    covariance = np.tile(np.eye(3), (len(a), 1, 1))
    covariance[:, :d, :d] = first + np.einsum("ijm,km->kij", moments, a)
    if d == 2:
        C = covariance
        angle = np.arctan2(C[:, 0, 1] - C[:, 1, 0], C[:, 0, 0] + C[:, 1, 1])
        turn = Rotation.from_rotvec(angle[:, None] * [0.0, 0.0, 1.0])
    else:
        U, _, Vt = np.linalg.svd(covariance)
        V = np.swapaxes(Vt, 1, 2)
        V[:, :, 2] *= np.sign(np.linalg.det(U) * np.linalg.det(V))[:, None]
        turn = Rotation.from_matrix(V @ np.swapaxes(U, 1, 2))
    back = Poses(np.zeros((len(a), d)), turn).turned(np.tile(middle, (len(a), 1)))
    return Poses(middle + a @ means.T - back, turn)


@lru_cache(maxsize=16)
def _surface_moments(mesh: MeshPlace) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The mean of a surface (d,) and of its shapes (d, n + n_s); Σ w (X − X̄)(X − X̄)ᵀ, and Σ w (X − X̄) Φᵀ
    (d, d, n + n_s)."""
    w = np.zeros(len(mesh.nodes))
    sides = [mesh.nodes[mesh.faces[:, j]] - mesh.nodes[mesh.faces[:, 0]] for j in (1, 2)]
    across = np.zeros((2, len(mesh.faces), 3))
    across[:, :, : mesh.nodes.shape[1]] = sides
    np.add.at(w, mesh.faces, np.linalg.norm(np.cross(*across), axis=1)[:, None])
    w = w / w.sum() if w.sum() > 0.0 else np.full(len(w), 1.0 / len(w))
    middle = w @ mesh.nodes
    out = w[:, None] * (mesh.nodes - middle)
    means, moments = np.einsum("N,Ndi->di", w, mesh.shapes), np.einsum("Nd,Nei->dei", out, mesh.shapes)
    return middle, means, out.T @ (mesh.nodes - middle), moments
