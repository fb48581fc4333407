"""Coordinate blocks: the kinds of coordinates of a node or of a component.

The owner of coordinates declares once what kind they are; nothing is inferred from their names:

    block           numbers in q   in v     moves with the whole as     measured in
    place           2 or 3         same     a point                     length
    vector          2 or 3         same     a direction (ANCF slopes)   1
    angle           1              1        turns along (plane)         radian
    orientation     4              3        turns along (space)         radian
    modal, free     k              k        stays                       as declared
    state           k              k        stays                       –

An orientation is a unit quaternion from body axes to ground axes, its scalar part e0 first; its speeds are the angular
velocity ω (3,) in body axes, and it is moved by a rotation vector y in these axes: q ∘ exp y.

A state δ of equations of first order, δ̇ = f(t, q, v, δ), is the *speed* of a coordinate of unit mass on which the force
f acts, and which itself matters to nothing. So all that is known of forces holds for f: it may jump, and be commanded.

In the vector q of a system the scalar parts follow after all other free coordinates, so that v[k] is the speed of q[k]
for all but orientations, whose e1, e2, e3 have the indices of their ω.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import is_
from typing import NamedTuple

import numpy as np

from flexmb.errors import KernelError

PLACE, VECTOR, ANGLE, ORIENTATION, MODAL, FREE, STATE = (
    "place", "vector", "angle", "orientation", "modal", "free", "state",
)  # fmt: skip
#: what follows the name of a state in the name of the coordinate whose speed it is
INTEGRAL = " integral"
#: measures that modal and free coordinates may have
MEASURES = ("length", "angle", "slope")
#: allowed numbers of speeds, and measures, of blocks of each kind; modal and free ones declare theirs
_SIZES = {PLACE: (2, 3), VECTOR: (2, 3), ANGLE: (1,), ORIENTATION: (3,)}
_MEASURES = {PLACE: "length", VECTOR: "slope", ANGLE: "angle", ORIENTATION: "angle", STATE: "slope"}


class Block(NamedTuple):
    """One block of coordinates: its kind, the names of its speeds, and their measure."""

    kind: str
    names: tuple[str, ...]
    measure: str

    @property
    def size(self) -> int:
        """Number of its entries in q."""
        return len(self.names) + (self.kind == ORIENTATION)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of its entries in q; (e1, e2, e3, e0) for an orientation."""
        if self.kind != ORIENTATION:
            return self.names
        stem = self.names[0].removesuffix("wx")
        return tuple(f"{stem}{tag}" for tag in ("e1", "e2", "e3", "e0"))


class Shape(NamedTuple):
    """Several blocks in sequence: names and measures of their speeds; their number of entries in q; each block with its
    kind and number of speeds, and its offset in v; whether there are orientations; and whether they belong to the plane
    (2) or to space (3), 0 if they fit both."""

    names: tuple[str, ...]
    measures: tuple[str, ...]
    size: int
    parts: tuple[tuple[Block, tuple[str, int], int], ...]
    oriented: bool
    dimension: int


@lru_cache(maxsize=1024)
def shape_of(blocks: tuple[Block, ...]) -> Shape:
    """The shape of several blocks, each of which is checked.

    >>> [(kind, at) for _, kind, at in shape_of((place("x", "y"), angle())).parts]
    [(('place', 2), 0), (('angle', 1), 2)]
    """
    dimension = 0
    for block in blocks:
        check_block(block)
        if block.kind not in (MODAL, FREE, STATE):
            own = {ANGLE: 2, ORIENTATION: 3}.get(block.kind, len(block.names))
            if dimension not in (0, own):
                raise KernelError(f"{block.kind} {', '.join(block.names)}: blocks of the plane and of space are mixed")
            dimension = own
    names = tuple(name for block in blocks for name in block.names)
    measures = tuple(block.measure for block in blocks for _ in block.names)
    parts, at = [], 0
    for block in blocks:
        parts.append((block, (block.kind, len(block.names)), at))
        at += len(block.names)
    oriented = any(block.kind == ORIENTATION for block in blocks)
    return Shape(names, measures, sum(block.size for block in blocks), tuple(parts), oriented, dimension)


def place(*names: str) -> Block:
    """A point that moves with the whole: place("x", "y"), or three names in space."""
    return check_block(Block(PLACE, names, "length"))


def vector(*names: str) -> Block:
    """A direction that turns with the whole, such as the slopes of an ANCF element: vector("dx", "dy")."""
    return check_block(Block(VECTOR, names, "slope"))


def angle(name: str = "angle") -> Block:
    """An angle [rad] in the plane that turns with the whole."""
    return check_block(Block(ANGLE, (name,), "angle"))


def orientation(stem: str = "") -> Block:
    """An orientation in space. Its values are given as e0, e1, e2, e3; its speeds are wx, wy, wz [rad/s], in body axes.
    `stem` is put before all of these names.

    >>> orientation().coordinate_names
    ('e1', 'e2', 'e3', 'e0')
    """
    return check_block(Block(ORIENTATION, (f"{stem}wx", f"{stem}wy", f"{stem}wz"), "angle"))


def modal(names: Iterable[str], measure: str = "length") -> Block:
    """Amplitudes of shapes in which a body deforms; measured in 'length', 'angle' or 'slope' (a number)."""
    return check_block(Block(MODAL, _listed(names), measure))


def free(names: Iterable[str], measure: str) -> Block:
    """Any other coordinates that do not change when the mechanism moves as one body, such as an angle between two
    parts."""
    return check_block(Block(FREE, _listed(names), measure))


def states(names: Iterable[str]) -> Block:
    """States of equations of first order, δ̇ = f(t, q, v, δ); each is the speed of a coordinate with a name of its own.

    >>> states(["x1"]).names
    ('x1 integral',)
    """
    return check_block(Block(STATE, tuple(f"{name}{INTEGRAL}" for name in _listed(names)), "slope"))


def _listed(names: Iterable[str]) -> tuple[str, ...]:
    """Names as a tuple; refuses a string, which would be read letter by letter."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise KernelError(f"names of coordinates are {names!r}; give a list of them, e.g. ['s']")
    return tuple(names)


def check_block(block: Block) -> Block:
    """The block, if its kind is known and its names and measure fit; otherwise a KernelError."""
    kinds = (*_SIZES, MODAL, FREE, STATE)
    if block.kind not in kinds:
        raise KernelError(f"a block of coordinates is of kind {block.kind!r}; choose one of {', '.join(kinds)}")
    if not all(isinstance(name, str) for name in block.names) or len(set(block.names)) < len(block.names):
        raise KernelError(f"the names of a block ({block.kind}) are {block.names!r}; give different texts")
    sizes = _SIZES.get(block.kind, (len(block.names),))
    if len(block.names) not in sizes:
        wanted = " or ".join(map(str, sizes))
        raise KernelError(f"a block ({block.kind}) has {wanted} names of speeds; {len(block.names)} are given")
    measures = MEASURES if block.kind in (MODAL, FREE) else (_MEASURES[block.kind],)
    if block.measure not in measures:
        raise KernelError(
            f"coordinates {', '.join(block.names)} are measured in {block.measure!r}; choose one of "
            f"{', '.join(measures)}"
        )
    return block


#: the blocks of a node in the plane and in space
PLANAR_NODE = (place("x", "y"), angle())
SPATIAL_NODE = (place("x", "y", "z"), orientation())


class Numbers(NamedTuple):
    """Indices of coordinates in q and of their speeds in v, each (k,), or (i, k) with a row for each of many
    instances."""

    q: np.ndarray
    v: np.ndarray


#: the coordinates of an instance: indices of blocks, or indices that are the same in q and in v
Coordinates = Numbers | Sequence[Numbers] | np.ndarray


def joined(coordinates: Coordinates) -> Numbers:
    """The indices of several blocks in sequence.

    >>> first, second = np.array([0, 1]), np.array([7])
    >>> joined([Numbers(first, first), Numbers(second, second)]).q.tolist()
    [0, 1, 7]
    """
    if isinstance(coordinates, Numbers):
        return coordinates
    if len(coordinates) and isinstance(coordinates[0], Numbers):
        if len(coordinates) == 1:
            return coordinates[0]
        q, v = zip(*coordinates)
        same = np.concatenate(v, -1)
        return Numbers(same if all(map(is_, q, v)) else np.concatenate(q, -1), same)
    same = np.asarray(coordinates)
    return Numbers(same, same)
