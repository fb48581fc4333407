"""The solids of a mechanism as a view shows them, for programs that read meshes: triangles by the name of the part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from flexmb.bodies.stresses import COMPONENTS, principal, von_mises
from flexmb.errors import ModelError
from flexmb.results.beams.sections import section_units
from flexmb.results.pictures.deforming import DEFORMATION, DeformingMesh, deforming
from flexmb.results.recorded import Recorded
from flexmb.visual.stage.pieces import BentTube, Deforming, Piece
from flexmb.visual.view import View

#: the numbers in the cell data `kind` of meshes for ParaView
KINDS = {"ground": 0, "beam": 1, "body": 2, "arm": 3, "link": 4, "spring": 5, "line": 6, "joint": 7}
#: the kinds of pieces by their role; all else belongs to a joint
KIND_OF_ROLE = {
    "ground": "ground", "hatch": "ground", "beam": "beam", "body": "body", "mark": "body", "arm": "arm",
    "rod": "link", "spring": "spring",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class SolidPart:
    """All that a view shows of one part, by its name: points (k, p, 3) [m], triangles (f, 3), the number of the kind
    of each (f,), and data of the points (k, p, …) by name, NaN where a point has none."""

    name: str
    points: np.ndarray
    faces: np.ndarray
    kinds: np.ndarray
    data: dict[str, np.ndarray]

    @property
    def still(self) -> bool:
        """Whether nothing about the part changes."""
        return all(np.array_equal(rows[1:], rows[:-1], equal_nan=True) for rows in (self.points, *self.data.values()))

    def point_data(self, k: int) -> dict[str, np.ndarray]:
        """The data of the points at the instant k."""
        return {"displacement": self.points[k] - self.points[0], **{name: rows[k] for name, rows in self.data.items()}}


@dataclass(frozen=True, eq=False)
class Triangles:
    """Solid parts as one mesh: points (k, p, 3) [m], triangles (f, 3) with the kind and the number of the part of each,
    data of the points (k, p, …), and the names of the parts."""

    points: np.ndarray
    faces: np.ndarray
    kinds: np.ndarray
    parts: np.ndarray
    data: dict[str, np.ndarray]
    names: tuple[str, ...]

    def point_data(self, k: int) -> dict[str, np.ndarray]:
        """The data of the points at the instant k."""
        return {"displacement": self.points[k] - self.points[0], **{name: rows[k] for name, rows in self.data.items()}}

    def blocks(self) -> list[tuple[str, np.ndarray]]:
        """The cells of each type."""
        return [("triangle", self.faces)]

    def cell_data(self) -> dict[str, list[np.ndarray]]:
        """The data of the cells, a list a type."""
        return {"kind": [self.kinds], "part": [self.parts]}


def solid_parts(run: Recorded, seen: Recorded, points: int) -> list[SolidPart]:
    """The parts of a mechanism at the times of a solution `seen`, with so many `points` along a beam, as large as in
    pictures of the whole run."""
    found: dict[str, list[tuple[Piece, np.ndarray, dict[str, np.ndarray]]]] = {}
    steps = range(len(seen.t))
    for piece, data in _pieces(run, seen, points):
        places = np.array([piece.points(k) for k in steps])
        on = np.array([piece.visible_faces(k) > 0 for k in steps])
        on &= np.all(np.isfinite(places), axis=(1, 2))
        if not np.any(on):
            continue
        places[~on] = places[np.argmax(on), :1]  # triangles that are points are not seen
        found.setdefault(piece.name, []).append((piece, places, data))
    if not found:
        raise ModelError(f"export of {seen.where}: there is nothing to be seen in it; add a body or a beam")
    return [_joined(name, several) for name, several in found.items()]


def _joined(name: str, several: list[tuple[Piece, np.ndarray, dict[str, np.ndarray]]]) -> SolidPart:
    """The pieces of a part as one mesh."""
    first = np.cumsum([0, *(places.shape[1] for _, places, _ in several)])
    whole = _data_of_all([(data, places.shape[1]) for _, places, data in several], len(several[0][1]))
    kinds = [np.full(len(piece.faces), KINDS[KIND_OF_ROLE.get(piece.role, "joint")]) for piece, _, _ in several]
    return SolidPart(
        name,
        np.concatenate([places for _, places, _ in several], axis=1),
        np.concatenate([first[j] + piece.faces for j, (piece, _, _) in enumerate(several)]),
        np.concatenate(kinds),
        whole,
    )


def _data_of_all(several: list[tuple[dict[str, np.ndarray], int]], steps: int) -> dict[str, np.ndarray]:
    """The data (k, p, …) of several meshes with so many points each as those of one, NaN where a mesh has none."""
    first = np.cumsum([0, *(count for _, count in several)])
    whole: dict[str, np.ndarray] = {}
    for j, (data, _) in enumerate(several):
        for what, rows in data.items():
            whole.setdefault(what, np.full((steps, first[-1], *rows.shape[2:]), np.nan))
            whole[what][:, first[j] : first[j + 1]] = rows
    return whole


def triangles_of(parts: list[SolidPart]) -> Triangles:
    """Solid parts as one mesh."""
    first = np.cumsum([0, *(part.points.shape[1] for part in parts)])
    return Triangles(
        np.concatenate([part.points for part in parts], axis=1),
        np.concatenate([first[j] + part.faces for j, part in enumerate(parts)]),
        np.concatenate([part.kinds for part in parts]),
        np.repeat(np.arange(len(parts)), [len(part.faces) for part in parts]),
        _data_of_all([(part.data, part.points.shape[1]) for part in parts], len(parts[0].points)),
        tuple(part.name for part in parts),
    )


def _pieces(run: Recorded, seen: Recorded, points: int) -> Iterator[tuple[Piece, dict[str, np.ndarray]]]:
    """The pieces of a view without loads, with the data of their points."""
    for piece in View(run, points=points, forces=False).stage(seen.t):
        if isinstance(piece, BentTube) and piece.role == "beam":
            yield piece, _along(seen, piece)
        elif not isinstance(piece, Deforming):
            yield piece, {}
    for number, mesh in enumerate(deforming(seen, stressed=True)):
        surface = Deforming.of(mesh, number, colored="")
        yield surface, mesh_data(surface.mesh, len(seen.t), seen.layout.dimension)


def _along(solution: Recorded, beam: BentTube) -> dict[str, np.ndarray]:
    """The quantities of the sections of a beam at the points of its tube."""
    found = {}
    for quantity in section_units(solution.layout):
        try:
            values = solution.along(beam.name, quantity, beam.axis.shape[1])
        except ModelError:  # the theory of this beam has no such quantity
            continue
        tube = replace(beam, quantity=values)
        found[quantity] = np.array([tube.values(k) for k in range(len(solution.t))])
    return found


def mesh_data(mesh: DeformingMesh, steps: int, dimension: int) -> dict[str, np.ndarray]:
    """The deformation and, where they are known, the stresses at the points of a mesh."""
    found = {DEFORMATION: np.stack([mesh.deformation(k) for k in range(steps)])}
    if mesh.stresses is not None:
        tensor = np.stack([mesh.stresses @ mesh.eta[k] for k in range(steps)])
        found |= {"von_mises": von_mises(tensor), "principal_stresses": principal(tensor)}
        found |= {name: tensor[..., c] for c, name in enumerate(COMPONENTS[dimension])}
    return found
