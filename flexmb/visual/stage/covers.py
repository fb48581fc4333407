"""Figures that bend along beams, such as the shapes of the links of a robot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.results.recorded import Recorded
from flexmb.visual.stage.beam_sections import places_drawn, section_axes
from flexmb.visual.stage.bodies import mesh_of
from flexmb.visual.stage.pieces import Piece
from flexmb.visual.stage.placing import matrix
from flexmb.visual.stage.scales import PictureScales, Selection
from flexmb.visual.stage.solids import bending_solids

if TYPE_CHECKING:
    from pyvista import PolyData

#: so many times as long as the longest edges of triangles is the longest of the beams
EDGES = 7


@dataclass
class Cover(Piece):
    """A surface that goes along with the sections of beams, at places (k, n, 3) with axes (k, n, 3, 3) as columns.

    A point lies between the sections i (p,) and i + 1; it has places (2, p, 3) in the axes of both, and is where they
    have it, the second one to the `share` (p,). `quantity` (k, n) colors it."""

    places: np.ndarray
    axes: np.ndarray
    first: np.ndarray
    share: np.ndarray
    local: np.ndarray
    quantity: np.ndarray | None = None

    def points(self, k: int) -> np.ndarray:
        before, behind = (
            self.places[k, i] + np.einsum("pab,pb->pa", self.axes[k, i], local)
            for i, local in zip((self.first, self.first + 1), self.local)
        )
        return np.asarray(before + self.share[:, None] * (behind - before))

    def values(self, k: int) -> np.ndarray | None:
        if self.quantity is None:
            return None
        row = self.quantity[k]
        return np.asarray(row[self.first] + self.share * (row[self.first + 1] - row[self.first]))


def covered(solution: Recorded) -> frozenset[str]:
    """The beams that figures show."""
    return frozenset(beam for body in solution.layout.bodies.values() for beam in body.along)


def covers(solution: Recorded, selection: Selection, scales: PictureScales) -> Iterator[Piece]:
    """The figures of a solution that bend, colored by a quantity where all their beams are."""
    layout = solution.layout
    for number, (name, solids) in enumerate(bending_solids(solution).items()):
        beams = layout.bodies[name].along
        counts = [places_drawn(solution, beam, selection.points) for beam in beams]
        axis = np.concatenate([solution.axis(beam, n) for beam, n in zip(beams, counts)], axis=1)
        y, z = (np.concatenate(a, axis=1) for a in zip(*(section_axes(solution, *of) for of in zip(beams, counts))))
        turns = np.stack([np.cross(y, z), y, z], axis=3)
        quantity = None
        if selection.quantity is not None and set(beams) <= set(selection.colored):
            rows = [selection.color_along(solution, *of) for of in zip(beams, counts)]
            quantity = np.concatenate(rows, axis=1)
        for solid in solids:
            points, faces = _short_edged(solution, beams, mesh_of(solid, scales.thickness))
            first, share, local = _bound(solution, beams, counts, points)
            how: dict[str, Any] = {"number": number, "color": solid.color}
            yield Cover(name, "body", faces, axis, turns, first, share, local, quantity, **how)


def _short_edged(solution: Recorded, beams: tuple[str, ...], mesh: PolyData) -> tuple[np.ndarray, np.ndarray]:
    """Points (p, 3) and faces (f, 3) of a mesh whose edges are so short along the beams that it can bend."""
    layout = solution.layout
    size = max(layout.beams[beam].length for beam in beams) / EDGES
    axes = matrix(np.array(layout.spatial[f"{beams[0]}.start"].axes))
    # across the only beam edges may be as long as they are
    directions = axes[:, :1] if len(beams) == 1 else axes
    return halved(np.asarray(mesh.points, dtype=float), np.asarray(mesh.regular_faces), directions, size)


def halved(points: np.ndarray, faces: np.ndarray, directions: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Points (q, 3) and faces (g, 3) of the surface with points (p, 3) and faces (f, 3), in which edges are halved
    until their parts in the span of unit vectors, the columns of `directions` (3, d), are no longer than a size [m].

    >>> corners = np.array([(0.0, 0, 0), (2, 0, 0), (0, 9, 0)])
    >>> points, faces = halved(corners, np.array([(0, 1, 2)]), np.array([[1.0], [0], [0]]), 1.0)
    >>> points[3:].tolist(), sorted(np.sort(faces, axis=1).tolist())
    ([[1.0, 0.0, 0.0], [1.0, 4.5, 0.0]], [[0, 2, 4], [0, 3, 4], [1, 3, 4]])
    """
    while True:
        ends, of_faces = np.unique(
            np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0, return_inverse=True
        )
        long = np.linalg.norm((points[ends[:, 1]] - points[ends[:, 0]]) @ directions, axis=1) > size
        if not np.any(long):
            return points, faces
        middles = np.where(long, len(points) + np.cumsum(long) - 1, -1)[of_faces.reshape(-1, 3)]
        points = np.concatenate([points, points[ends[long]].mean(axis=1)])
        count = np.sum(middles >= 0, axis=1)
        # each face is turned until its only edge that is halved, or the only one that is not, comes first or last
        begin = np.where(count == 2, np.argmin(middles, axis=1) + 1, np.argmax(middles, axis=1))
        turned = (begin[:, None] + np.arange(3)) % 3
        corners, middles = np.take_along_axis(faces, turned, axis=1), np.take_along_axis(middles, turned, axis=1)
        (a, b, c), (m, n, o) = corners.T, middles.T
        kinds = {
            0: [(a, b, c)],
            1: [(a, m, c), (m, b, c)],
            2: [(a, m, n), (m, b, n), (a, n, c)],
            3: [(a, m, o), (m, b, n), (o, n, c), (m, n, o)],
        }
        parts = [np.stack(part, axis=1)[count == k] for k, several in kinds.items() for part in several]
        faces = np.concatenate(parts)


def _bound(
    solution: Recorded, beams: tuple[str, ...], counts: list[int], points: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The sections between which points (p, 3) in the axes of the node lie on the nearest of undeformed beams."""
    nearest = np.full(len(points), np.inf)
    first, share, local = np.zeros(len(points), dtype=int), np.zeros(len(points)), np.zeros((2, len(points), 3))
    begin = 0
    for beam, wanted in zip(beams, counts):
        start, length = solution.layout.spatial[f"{beam}.start"], solution.layout.beams[beam].length
        own = (points - np.array(start.offset)) @ matrix(np.array(start.axes))  # x along the beam
        apart = np.linalg.norm(own - np.outer(np.clip(own[:, 0], 0.0, length), [1.0, 0.0, 0.0]), axis=1)
        x = length * solution.places(beam, wanted)
        count = len(x)  # a file has places of its own
        i = np.clip(np.searchsorted(x, own[:, 0], side="right") - 1, 0, count - 2)
        here = apart < nearest
        nearest[here], first[here] = apart[here], begin + i[here]
        share[here] = np.clip((own[:, 0] - x[i]) / (x[i + 1] - x[i]), 0.0, 1.0)[here]
        for j in range(2):
            local[j, here] = (own - np.outer(x[i + j], [1.0, 0.0, 0.0]))[here]
        begin += count
    return first, share, local
