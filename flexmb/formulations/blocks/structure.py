"""The structure of a block: what its derivation depends on, and its parameters, which are numbers only.

The structure says which links carry which by what motions, and which of their parameters are zero, one or minus one.
All others are symbols, so that blocks with other masses, lengths and poses have the same structure, and are derived
once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.formulations.tree.arrays import Links
from flexmb.kernels.rotations import product, rotation_matrix
from flexmb.model.ways import NO_TURN, POSITIONS, SCREW, SLIDE, SPEEDS

#: a component below this part of the largest one of its vector or matrix is rounding, and counts as zero
ROUNDING = 2.0**-52
#: parts of a link and of a motion, and what their components are called
OF_MOTION = {"axes": [f"E{i}{j}" for i in "123" for j in "123"], "place": ["px", "py", "pz"], "pitch": ["h"]}
OF_LINK = {
    "mass": ["m"], "moment": ["sx", "sy", "sz"], "inertia": ["Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz"]
}  # fmt: skip


@dataclass(frozen=True)
class MotionShape:
    """A motion of a joint: its kind (:mod:`flexmb.model.ways`), and a mark for each component of its axes, a matrix
    (9), its place (3) and its pitch: "0", "1", "-" for minus one, "p" for a parameter."""

    kind: int
    axes: str
    place: str
    pitch: str


@dataclass(frozen=True)
class LinkShape:
    """A link: the one that carries it, counted within the block, −1 for what carries the block; the motions of its
    joint; marks of its mass, first moment (3) and inertia (6); whether other pieces act on it."""

    parent: int
    motions: tuple[MotionShape, ...]
    mass: str
    moment: str
    inertia: str
    handle: bool


@dataclass(frozen=True)
class Structure:
    """The links of a block. `floating`: the joint of its first link does not belong to it. `sense`: in the plane "+",
    or "-" where the first link's z axis points down; empty in space."""

    links: tuple[LinkShape, ...]
    floating: bool
    sense: str

    def key(self) -> str:
        """The structure as text."""
        return repr(self)

    def motions(self) -> Iterator[tuple[int, int, MotionShape]]:
        """The motions that belong to the block, each with the numbers of its link and of itself in its joint."""
        for k, link in enumerate(self.links):
            if not (self.floating and k == 0):
                for s, motion in enumerate(link.motions):
                    yield k, s, motion

    @property
    def coordinates(self) -> int:
        """Number of joint coordinates."""
        return sum(POSITIONS[motion.kind] for _, _, motion in self.motions())

    @property
    def speeds(self) -> int:
        """Number of joint speeds."""
        return sum(SPEEDS[motion.kind] for _, _, motion in self.motions())

    @property
    def base(self) -> int:
        """Number of speeds of the first link itself: six, three in the plane, none of a block on the ground."""
        return 0 if not self.floating else 3 if self.sense else 6

    @property
    def handles(self) -> list[int]:
        """Links on which other pieces act."""
        return [k for k, link in enumerate(self.links) if link.handle]

    def parameters(self) -> list[str]:
        """The names of the parameters, in the order of their numbers."""
        found = []
        for k, link in enumerate(self.links):
            own = [(s, motion) for j, s, motion in self.motions() if j == k]
            for s, motion in own:
                more = "abcdefgh"[s] if len(own) > 1 else ""
                found += _named(motion, OF_MOTION, f"{k + 1}{more}")
            found += _named(link, OF_LINK, str(k + 1))
        return found


def _named(shape: Any, parts: dict[str, list[str]], number: str) -> list[str]:
    return [
        f"{name}_{number}"
        for part, names in parts.items()
        for name, mark in zip(names, getattr(shape, part))
        if mark == "p"
    ]


def structure_of(links: Links, own: Sequence[int], handles: Sequence[int], floating: bool) -> tuple[Structure, Any]:
    """The structure of the block of the links `own` of a tree, the first of which carries all others, and the numbers
    of its parameters."""
    joints, planar = links.joints, links.places.nodes.dimension == 2
    shapes, numbers = [], list[float]()
    for k in own:
        first, last = int(joints.first[k]), int(joints.first[k + 1])
        motions = []
        for s in range(first, last):
            kind = int(joints.kind[s])
            R = np.array(rotation_matrix(tuple(joints.axes[s].tolist())))
            pitch = [joints.pitch[s]] if kind in (SLIDE, SCREW) else [0.0]
            place = joints.place[s]
            parts = [(_marks(R, 1.0, ROUNDING), R), (_marks(place), place), (_marks(pitch, 1.0, 0.0), pitch)]
            motions.append(MotionShape(kind, *(marks for marks, _ in parts)))
            if not (floating and k == own[0]):
                numbers += _given(parts)
        J = np.array(links.inertia[k])
        if planar:  # the other moments of inertia never matter
            J = np.array([0.0, 0.0, J[2], 0.0, 0.0, 0.0])
        parts = [(_marks(x), x) for x in ([links.mass[k]], links.moment[k], J)]
        mass, moment, inertia = (marks for marks, _ in parts)
        parent = own.index(int(links.parent[k])) if int(links.parent[k]) in own else -1
        shapes.append(LinkShape(parent, tuple(motions), mass, moment, inertia, k in handles))
        numbers += _given(parts)
    sense = ("-" if _upside_down(links, own[0] if floating else -1) else "+") if planar else ""
    return Structure(tuple(shapes), floating, sense), np.array(numbers)


def _marks(numbers: Any, size: float | None = None, one: float | None = None) -> str:
    """The marks of some components: zero below the rounding of their `size`, that of the largest when not given; plus
    or minus one within `one`, parameters when that is not given."""
    x = np.asarray(numbers, dtype=float)
    largest = float(np.max(np.abs(x), initial=0.0)) if size is None else size
    found = ""
    for value in x.tolist():
        if abs(value) <= ROUNDING * largest:
            found += "0"
        elif one is not None and abs(abs(value) - 1.0) <= one:
            found += "1" if value > 0.0 else "-"
        else:
            found += "p"
    return found


def _given(parts: Sequence[tuple[str, Any]]) -> list[float]:
    return [float(x) for marks, numbers in parts for mark, x in zip(marks, numbers) if mark == "p"]


def _upside_down(links: Links, k: int) -> bool:
    """Whether the z axis of a link of the plane points against that of the ground."""
    axes = NO_TURN
    while k >= 0:
        for s in range(links.joints.first[k + 1] - 1, links.joints.first[k] - 1, -1):
            axes = product(tuple(links.joints.axes[s].tolist()), axes)
        k = int(links.parent[k])
    return bool(rotation_matrix(axes)[8] < 0.0)
