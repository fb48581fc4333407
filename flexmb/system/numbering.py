"""Numbering of coordinates: their blocks, names and initial values, in the order of their indices."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from flexmb.kernels import charts
from flexmb.kernels.blocks import ANGLE, ORIENTATION, PLACE, VECTOR, Block, Numbers, Shape
from flexmb.kernels.rotations import turned
from flexmb.model.frames import Node
from flexmb.model.model import Model

#: provisional indices of scalar parts of orientations begin here, until the number of coordinates before them is known
SCALARS = 1 << 40
#: an extent below this part of the distance from the origin is rounding
ROUNDING = 1e-13


@dataclass
class Numbering:
    """The free coordinates of a system, or the fixed ones.

    `names`, `measures`, `speeds` and `values` are ordered by the index in v; the scalar parts of orientations follow
    after them in q. During assembly fixed coordinate k has the index −1 − k.
    """

    fixed: bool = False
    names: list[str] = field(default_factory=list)
    measures: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    speeds: list[float] = field(default_factory=list)
    scalars: list[float] = field(default_factory=list)
    #: names of coordinates that differ from those of the speeds, by index: e1, e2, e3
    other_names: dict[int, str] = field(default_factory=dict)
    scalar_names: list[str] = field(default_factory=list)
    #: sizes by which errors are measured of those coordinates whose measure does not say them, by index
    scales: dict[int, float] = field(default_factory=dict)
    #: for each index in v that belongs to an orientation: three times the number of the orientation, plus 0, 1 or 2
    parts: dict[int, int] = field(default_factory=dict)
    #: for each kind of block and number of speeds, the indices in v at which such blocks begin
    blocks: dict[tuple[str, int], list[int]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of entries of q and of v."""
        return len(self.names) + len(self.scalars), len(self.names)

    @property
    def q(self) -> list[float]:
        """Initial values, in the order of q."""
        return self.values + self.scalars

    @property
    def coordinate_names(self) -> list[str]:
        """Names of the entries of q."""
        if not self.scalars:
            return self.names
        return [self.other_names.get(k, name) for k, name in enumerate(self.names)] + self.scalar_names

    def add(
        self, stem: str, shape: Shape, values: Sequence[float], speeds: Sequence[float], sets: int = 0
    ) -> tuple[Numbers, ...]:
        """Append blocks with their values and speeds; returns for each block its indices (size,). With `sets` > 0 that
        many sets of these blocks are appended one after the other, with names that begin with node0, node1, …, and the
        indices are (sets, size)."""
        first, width, count = len(self.names), len(shape.names), sets or 1
        stems = [f"{stem}node{k}." for k in range(sets)] if sets else [stem]
        self.names += [head + name for head in stems for name in shape.names]
        self.measures += shape.measures * count
        self.speeds += speeds
        if shape.oriented:
            scalars = self._take_scalars(shape, list(values), count)
        else:
            self.values += values
        end = first + count * width
        own: np.ndarray = np.arange(-1 - first, -1 - end, -1) if self.fixed else np.arange(first, end)
        if sets:
            own = own.reshape(sets, width)
        numbers: list[Numbers] = []
        for block, of, at in shape.parts:
            v = own if of[1] == width else own[..., at : at + of[1]] if sets else own[at : at + of[1]]
            if of[1]:
                starts = self.blocks.setdefault(of, [])
                starts += range(first + at, end, width) if sets else (first + at,)
            if block.kind == ORIENTATION:
                numbers.append(self._oriented(block, v, scalars.pop(0), stems))
            else:
                numbers.append(Numbers(v, v))
        return tuple(numbers)

    def _take_scalars(self, shape: Shape, values: list[float], count: int) -> list[list[float]]:
        """Append values without the scalar parts of orientations; returns these, a list for each such block."""
        ends = accumulate((block.size for block, _, _ in shape.parts), initial=0)
        columns = [at for at, (block, _, _) in zip(ends, shape.parts) if block.kind == ORIENTATION]
        width = len(values) // count
        self.values += [x for k, x in enumerate(values) if k % width not in columns]
        return [values[k::width] for k in columns]

    def _oriented(self, block: Block, own: np.ndarray, values: list[float], stems: list[str]) -> Numbers:
        """Number the scalar parts and names of orientations; returns their indices, e0 first in q."""
        scalar = SCALARS + len(self.scalars) + np.arange(len(values)).reshape(*own.shape[:-1], 1)
        self.scalars += values
        *vector, scalar_name = block.coordinate_names
        for k, (row, stem) in enumerate(zip(np.atleast_2d(own).tolist(), stems), start=len(self.scalars) - len(values)):
            for part, (number, name) in enumerate(zip(row, vector)):
                number = -1 - number if self.fixed else number
                self.other_names[number] = stem + name
                self.parts[number] = 3 * k + part
            self.scalar_names.append(stem + scalar_name)
        return Numbers(np.concatenate([-1 - scalar if self.fixed else scalar, own], axis=-1), own)

    def with_scalars(self, fixed: Numbering, given: np.ndarray, final: np.ndarray) -> np.ndarray:
        """Final indices in q, where those of scalar parts become their positions after all free, or after all fixed,
        coordinates."""
        final = np.where(given >= SCALARS, given - SCALARS + len(self), final)
        return np.where(given < -SCALARS, -1 - given - SCALARS + self.sizes[0] + len(fixed), final)

    def numbers_of(self, kind: str, size: int) -> np.ndarray:
        """Indices in v of all blocks of a kind and size, (k, size)."""
        return np.array(self.blocks.get((kind, size), []), dtype=np.int64)[:, None] + np.arange(size)

    def mask(self, *kinds: str) -> np.ndarray:
        """Mask (n,) of the indices in v that belong to blocks of some kinds."""
        out = [False] * len(self)
        for (kind, size), starts in self.blocks.items():
            if kind in kinds:
                for start in starts:
                    out[start : start + size] = [True] * size
        return np.array(out, dtype=bool)

    def kind_of(self, number: int) -> tuple[str, int]:
        """The kind of the block of a coordinate, and the coordinate's position in it."""
        for (kind, size), starts in self.blocks.items():
            for start in starts:
                if start <= number < start + size:
                    return kind, number - start
        raise IndexError(number)

    @property
    def orientations(self) -> np.ndarray:
        """For each orientation the index of its first speed, which is that of e1 in q, and the index of e0 in q;
        (k, 2)."""
        first = self.blocks.get((ORIENTATION, 3), ())
        out = np.empty((len(first), 2), dtype=np.int64)
        if first:
            out[:, 0] = first
            out[:, 1] = np.arange(len(self), len(self) + len(first))
        return out

    @property
    def dimension(self) -> int:
        """2 or 3, the dimension of the blocks that move with the whole; 0 if there are none."""
        sizes = {PLACE: 0, VECTOR: 0, ANGLE: 2, ORIENTATION: 3}
        return max((sizes.get(kind, 0) or size for kind, size in self.blocks if kind in sizes), default=0)

    def rigid_motions(self, q: np.ndarray) -> np.ndarray:
        """Speeds (3, n) or in space (6, n) when everything moves as one body; see :meth:`System.rigid_motions`."""
        places, vectors = self.numbers_of(PLACE, 2), self.numbers_of(VECTOR, 2)
        if self.dimension < 3:
            Z = np.zeros((3, len(self)))
            Z[[0, 1], places] = 1.0
            for x, y in (places.T, vectors.T):
                Z[2, x], Z[2, y] = -q[y], q[x]
            Z[2, self.numbers_of(ANGLE, 1)] = 1.0
            return Z
        Z = np.zeros((6, len(self)))
        places, vectors = self.numbers_of(PLACE, 3), self.numbers_of(VECTOR, 3)
        Z[[0, 1, 2], places] = 1.0
        for k, axis in enumerate(np.eye(3), start=3):
            for numbers in (places, vectors):
                Z[k, numbers] = np.cross(axis, q[numbers])
            for first, scalar in self.orientations.tolist():
                back = (q[scalar], *(-q[first : first + 3]))
                Z[k, first : first + 3] = turned(back, tuple(axis))
        return Z


def named_nodes(model: Model) -> dict[int, tuple[str, Node]]:
    """All nodes by their ids, each with the name from which those of its coordinates are formed.

    'b.x' is the position of frame b, and a coordinate only if b lies on its node: where the mass center of a body is
    beside its frame, the coordinates are those of the frame 'b.center'."""
    frames = model.frames.values()
    found: dict[int, tuple[str, Node]] = {}
    for frame in frames:
        if frame.is_node:
            found.setdefault(id(frame.node), (frame.name, frame.node))
    for frame in frames:
        found.setdefault(id(frame.node), (f"{frame.name}.node", frame.node))
    for component in model.components.values():
        for k, node in enumerate(component.nodes()):
            found.setdefault(id(node), (f"{component.name}.node{k}", node))
    return found


def moved_by(orientations: np.ndarray, q: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The position q (nq,) moved by y (n,), or rows of both; see :meth:`flexmb.System.retract`."""
    if not len(orientations):
        return q + y
    n, nq = y.shape[-1], q.shape[-1]
    out = np.empty(np.broadcast_shapes(q.shape[:-1], y.shape[:-1]) + (nq,))
    rows = zip(*(np.broadcast_to(x, (*out.shape[:-1], x.shape[-1])).reshape(-1, x.shape[-1]) for x in (q, y)))
    for into, (place, change) in zip(out.reshape(-1, nq), rows):
        charts.retract(orientations, n, np.ascontiguousarray(place), np.ascontiguousarray(change), into)
    return out


def along_axes(points: Sequence[Sequence[float]]) -> float:
    """The largest extent of points along an axis of the ground."""
    return max([max(along) - min(along) for along in zip(*points)], default=0.0)


def length_scale(
    model: Model,
    free: Numbering,
    fixed: Numbering,
    across: Callable[[Sequence[Sequence[float]]], float] = along_axes,
) -> float:
    """The size of the mechanism [m]: its extent, or that of its largest component that knows its own, or the largest
    distance from the origin, or 1. Of what is fixed only the frames on which components stand belong to it, so that it
    is as large wherever it stands; `across`: what the extent of points is."""
    components = model.components.values()
    stood_on = {id(frame): frame for component in components for frame in component.frames() if frame.node.fixed}
    carried = [frame for frame in model.frames.values() if not frame.node.fixed and any(frame.offset.tolist())]
    points = [frame.position.tolist() for frame in (*carried, *stood_on.values())]
    points += [node.coordinates()[0][: model.dimension] for c in components for node in c.nodes() if node.fixed]
    for (kind, size), starts in free.blocks.items():  # nodes and other positions
        if kind == PLACE:
            points += [free.values[start : start + size] for start in starts]
    extent = max([across(points), *(component.own_size for component in components)])
    every = [(x, measure) for part in (free, fixed) for x, measure in zip(part.values, part.measures)]
    away = max((abs(x) for x, measure in every if measure == "length"), default=0.0)
    return extent if extent > ROUNDING * away else away or 1.0


def widest(points: Sequence[Sequence[float]]) -> float:
    """The largest distance of two points, the same in any axes.

    Points are taken from the outside inwards: two of the distances r ≤ r' ≤ R from a middle are at most r + R apart.

    >>> widest([(0.0, 0.0), (3.0, 4.0), (1.0, 1.0)])
    5.0
    """
    middle = [0.5 * max(along) + 0.5 * min(along) for along in zip(*points)]
    outside = sorted(((math.dist(x, middle), tuple(x)) for x in points), reverse=True)
    largest = 0.0
    for k, (radius, point) in enumerate(outside):
        if radius + outside[0][0] <= largest:
            break
        largest = max([largest, *(math.dist(point, other) for _, other in outside[:k])])
    return largest


def in_a_row(parts: list[np.ndarray], kind: type) -> np.ndarray:
    """All numbers of some arrays, one array after the other."""
    return np.concatenate(parts, axis=None) if parts else np.zeros(0, dtype=kind)
