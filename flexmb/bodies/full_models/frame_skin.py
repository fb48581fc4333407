"""The surface of a frame of beams, for pictures: the outline of a section moves and turns with each node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy

#: half of the height of a section whose size is not known, as a part of the length of the beam
HALF_HEIGHT = 0.02
#: corners of the outline of a round section
CORNERS = 16


class Beam(NamedTuple):
    """A beam of a frame: its nodes (c,) from the start on, the axes (3, 3) of its section as columns, x along it, and
    the outline (k, 2) of the section."""

    nodes: Sequence[int]
    axes: np.ndarray
    outline: np.ndarray


@dataclass(frozen=True, eq=False)
class Skin:
    """A surface that follows the coordinates of a full model: `points` (P, d); their displacements as a sparse matrix
    `moved` (P·d, n) of those of the model; `cells`, pairs of meshio's name and the points of each cell."""

    points: np.ndarray
    moved: Any
    cells: list[tuple[str, np.ndarray]]


def outline_of(section: Any, length: float) -> np.ndarray:
    """The outline (k, 2) [m] of a section or of what beams have in its place, round if it says nothing of its form.

    >>> outline_of(None, 1.0).max()
    np.float64(0.02)
    """
    corners = getattr(section, "outline", ())
    if len(corners):
        return np.array(corners, dtype=float)
    radius = getattr(section, "radius", 0.0) or getattr(section, "outer_fiber", 0.0) or HALF_HEIGHT * length
    angles = np.linspace(0.0, 2.0 * np.pi, CORNERS, endpoint=False)
    return float(radius) * np.column_stack([np.cos(angles), np.sin(angles)])


def skin_of(nodes: np.ndarray, beams: Sequence[Beam], dimension: int) -> Skin:
    """The surface of beams between nodes (N, 3), whose coordinates are three displacements and three turns at each
    node, in the plane two and one.

    >>> beam = Beam([0, 1], np.eye(3), np.array([(0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1)]))
    >>> skin = skin_of(np.array([(0.0, 0, 0), (1, 0, 0)]), [beam], 3)
    >>> len(skin.points), [(kind, len(cells)) for kind, cells in skin.cells]
    (8, [('quad', 4), ('triangle', 4)])
    """
    of, offsets, quads, caps = list[np.ndarray](), list[np.ndarray](), list[np.ndarray](), list[np.ndarray]()
    start = 0
    for beam in beams:
        height = beam.outline[:, 0]
        ring = beam.outline if dimension == 3 else np.array([(height.max(), 0.0), (height.min(), 0.0)])
        k, count = len(ring), len(beam.nodes)
        of.append(np.repeat(beam.nodes, k))
        offsets.append(np.tile(ring @ beam.axes[:, 1:].T, (count, 1)))
        near = np.arange(k if dimension == 3 else 1)
        far = (near + 1) % k
        between = start + k * np.arange(count - 1)[:, None, None]
        quads.append((between + np.column_stack([near, far, far + k, near + k])).reshape(-1, 4))
        if dimension == 3:
            fan = np.column_stack([np.zeros(k - 2, dtype=int), np.arange(1, k - 1), np.arange(2, k)])
            caps += [start + fan[:, ::-1], start + k * (count - 1) + fan]
        start += k * count
    node, arm = np.concatenate(of), np.concatenate(offsets)
    cells = [("quad", np.concatenate(quads)), *([("triangle", np.concatenate(caps))] if caps else [])]
    return Skin((nodes[node] + arm)[:, :dimension], _following(node, arm, len(nodes), dimension), cells)


def _following(node: np.ndarray, arm: np.ndarray, count: int, d: int) -> scipy.sparse.csr_matrix:
    """The displacements t + θ × arm of points (P·d, n) fastened to nodes."""
    P, width = len(node), 6 if d == 3 else 3
    rows, columns, values = [], [], []
    for x in range(d):
        rows.append(d * np.arange(P) + x)
        columns.append(width * node + x)
        values.append(np.ones(P))
    turns = [(0, 1, 2), (1, 2, 0), (2, 0, 1)] if d == 3 else [(0, 1, 2)]  # x, y and the axis of the turn from x to y
    for x, y, axis in turns:
        at = width * node + (d + axis if d == 3 else 2)
        for row, sign, along in ((x, -1.0, y), (y, 1.0, x)):
            rows.append(d * np.arange(P) + row)
            columns.append(at)
            values.append(sign * arm[:, along])
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    return scipy.sparse.csr_matrix(entries, shape=(P * d, width * count))


def joined_skins(skins: Sequence[Skin | None], coordinates: Sequence[int], dimension: int) -> Skin | None:
    """The surfaces of several models, side by side, with so many coordinates each."""
    if not any(skin is not None for skin in skins):
        return None
    none = np.zeros((0, dimension))
    known = [
        Skin(none, scipy.sparse.csr_matrix((0, n)), []) if s is None else s
        for s, n in zip(skins, coordinates, strict=True)
    ]
    starts = np.cumsum([0] + [len(skin.points) for skin in known])
    cells = [(kind, c + a) for skin, a in zip(known, starts, strict=False) for kind, c in skin.cells]
    return Skin(
        np.concatenate([s.points for s in known]), scipy.sparse.block_diag([s.moved for s in known]).tocsr(), cells
    )
