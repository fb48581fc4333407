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

from flexmb.formulations.blocks.flexible import RIGID, Flexible, OnLink, Within
from flexmb.formulations.tree.arrays import Links
from flexmb.kernels.rotations import product, rotation_matrix
from flexmb.model.flexible_bodies import Line
from flexmb.model.ways import NO_TURN, POSITIONS, SCREW, SLIDE, SPEEDS

#: a component below this part of the largest one of its vector or matrix is rounding, and counts as zero
ROUNDING = 2.0**-52
#: the same for sums of many products, as many times as large
OF_SUMS = 32.0
#: parts of a link and of a motion, and what their components are called
OF_MOTION = {"axes": [f"E{i}{j}" for i in "123" for j in "123"], "place": ["px", "py", "pz"], "pitch": ["h"]}
OF_LINK = {
    "mass": ["m"], "moment": ["sx", "sy", "sz"], "inertia": ["Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz"]
}  # fmt: skip
#: parts of the shapes of a flexible body and of a place within it, in the order of their parameters
OF_BODY = ("axes", "place", "middle", "along_y", "along_z", "stiffness", "damping")
OF_PLACE = ("x", "shapes", "slopes", "twists", "axes", "place")


@dataclass(frozen=True)
class MotionShape:
    """A motion of a joint: its kind (:mod:`flexmb.model.ways`), and a mark for each component of its axes, a matrix
    (9), its place (3) and its pitch: "0", "1", "-" for minus one, "p" for a parameter."""

    kind: int
    axes: str
    place: str
    pitch: str


@dataclass(frozen=True)
class BeamShape:
    """A body with small deflections of a `line` on a link (:class:`flexmb.formulations.blocks.flexible.AlongLine`);
    marks of its axes (9) and place (3) on the link; of the products of its three parts, on and above the diagonal; of
    stiffness and damping."""

    line: Line
    axes: str
    place: str
    middle: str
    along_y: str
    along_z: str
    stiffness: str
    damping: str

    @property
    def modes(self) -> int:
        """Number of amplitudes."""
        return self.line.modes


@dataclass(frozen=True)
class WithinShape:
    """Where a link stands within a body of the one that carries it: the number of the body; marks of x, of the values
    and slopes of bending and of the values of torsion there, and of the axes (9) and place (3) of the link."""

    body: int
    x: str
    shapes: str
    slopes: str
    twists: str
    axes: str
    place: str


@dataclass(frozen=True)
class LinkShape:
    """A link: the one that carries it, counted within the block, −1 for what carries the block; the motions of its
    joint; marks of its mass, first moment (3) and inertia (6); whether other pieces act on it; the flexible `bodies` on
    it; where it is `within` one, of a link without joint."""

    parent: int
    motions: tuple[MotionShape, ...]
    mass: str
    moment: str
    inertia: str
    handle: bool
    bodies: tuple[BeamShape, ...] = ()
    within: WithinShape | None = None

    @property
    def modes(self) -> int:
        """Number of amplitudes of its bodies."""
        return sum(body.modes for body in self.bodies)


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
        """Number of joint coordinates and amplitudes."""
        return sum(POSITIONS[motion.kind] for _, _, motion in self.motions()) + self._modes

    @property
    def speeds(self) -> int:
        """Number of joint speeds and rates of amplitudes."""
        return sum(SPEEDS[motion.kind] for _, _, motion in self.motions()) + self._modes

    @property
    def _modes(self) -> int:
        return sum(link.modes for link in self.links)

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
                found += _named(motion, OF_MOTION, f"{k + 1}{_letter(s, len(own))}")
            if link.within is not None:
                found += _named(link.within, of_place(self, k), str(k + 1))
            found += _named(link, OF_LINK, str(k + 1))
            for b, body in enumerate(link.bodies):
                found += _named(body, of_body(body), f"{k + 1}{_letter(b, len(link.bodies))}")
        return found


def of_body(body: BeamShape) -> dict[str, list[str]]:
    """What the components of the parts of a body are called: m, s, J of its undeformed mass, P and H, its products with
    the functions of bending, N, those of these; V and W, products along y and z of sections; K, C."""
    line = body.line
    n, twists = range(1, line.bending + 1), [f"t{k + 1}" for k in range(line.torsion)]
    own = [f"{plane}{j}" for plane in "yz"[: line.planes] for j in n] + twists
    names = {(0, 0): "mb", (0, 1): "sb", (1, 1): "Jb"}
    of_middle, of_sections = ["", "", *map(str, n)], ["0", *map(str, n), *twists]
    middle = [names.get((i, j), "PHN"[min(i, 2)] + of_middle[i] + of_middle[j]) for i, j in _above(len(of_middle))]
    across = [of_sections[i] + of_sections[j] for i, j in _above(len(of_sections))]
    return {
        "axes": [f"B{i}{j}" for i in "123" for j in "123"], "place": ["bx", "by", "bz"], "middle": middle,
        "along_y": [f"V{name}" for name in across], "along_z": [f"W{name}" for name in across],
        "stiffness": [f"K{name}" for name in own], "damping": [f"C{name}" for name in own],
    }  # fmt: skip


def _above(size: int) -> list[tuple[int, int]]:
    """Rows and columns on and above the diagonal."""
    return [(i, j) for i in range(size) for j in range(i, size)]


def of_place(structure: Structure, k: int) -> dict[str, list[str]]:
    """What the components of the place of link k within a body are called: l along it, b and d the values and slopes of
    bending, w those of torsion; its axes E and place p."""
    within = structure.links[k].within
    assert within is not None
    body = structure.links[structure.links[k].parent].bodies[within.body].line
    n, twists = range(1, body.bending + 1), range(1, body.torsion + 1)
    return {
        "x": ["l"], "shapes": [f"b{j}" for j in n], "slopes": [f"d{j}" for j in n], "twists": [f"w{k}" for k in twists],
        "axes": OF_MOTION["axes"], "place": OF_MOTION["place"],
    }  # fmt: skip


def _letter(i: int, count: int) -> str:
    """What tells the number of a link's motion or body i of `count` from others, a to y, then za to zy, …; empty of a
    single one."""
    return "z" * (i // 25) + "abcdefghijklmnopqrstuvwxy"[i % 25] if count > 1 else ""


def _named(shape: Any, parts: dict[str, list[str]], number: str) -> list[str]:
    return [
        f"{name}_{number}"
        for part, names in parts.items()
        for name, mark in zip(names, getattr(shape, part))
        if mark == "p"
    ]


def structure_of(
    links: Links, own: Sequence[int], handles: Sequence[int], floating: bool, flexible: Flexible = RIGID
) -> tuple[Structure, Any]:
    """The structure of the block of the links `own` of a tree, the first of which carries all others, and the numbers
    of its parameters. `flexible`: those of its links that are so."""
    planar = links.places.nodes.dimension == 2
    shapes, numbers = [], list[float]()
    for k in own:
        within, parent, motions = flexible.within.get(k), int(links.parent[k]), tuple[MotionShape, ...]()
        place = None
        if within is None:
            motions, given = _motions(links, k)
            numbers += [] if floating and k == own[0] else given
        else:
            place, given = _within(within)
            numbers += given
            parent = within.on
        own_mass = flexible.inertia.get(k)
        m, s, J = links.mass[k], links.moment[k], links.inertia[k]
        if own_mass is not None:
            m, s, J = own_mass[0], own_mass[1:4], own_mass[4:]
        if planar:  # the other moments of inertia never matter
            J = np.array([0.0, 0.0, J[2], 0.0, 0.0, 0.0])
        parts = [(_marks(x), x) for x in ([m], s, J)]
        mass, moment, inertia = (marks for marks, _ in parts)
        numbers += _given(parts)
        bodies = []
        for one in flexible.bodies.get(k, ()):
            body, given = _body(one)
            bodies.append(body)
            numbers += given
        at = own.index(parent) if parent in own else -1
        shapes.append(LinkShape(at, motions, mass, moment, inertia, k in handles, tuple(bodies), place))
    sense = ("-" if _upside_down(links, own[0] if floating else -1) else "+") if planar else ""
    return Structure(tuple(shapes), floating, sense), np.array(numbers)


def _motions(links: Links, k: int) -> tuple[tuple[MotionShape, ...], list[float]]:
    """The motions of the joint of link k, and the numbers of their parameters."""
    joints, motions, numbers = links.joints, list[MotionShape](), list[float]()
    for s in range(int(joints.first[k]), int(joints.first[k + 1])):
        kind = int(joints.kind[s])
        R = np.array(rotation_matrix(tuple(joints.axes[s].tolist())))
        pitch = [joints.pitch[s]] if kind in (SLIDE, SCREW) else [0.0]
        place = joints.place[s]
        parts = [(_marks(R, 1.0, ROUNDING), R), (_marks(place), place), (_marks(pitch, 1.0, 0.0), pitch)]
        motions.append(MotionShape(kind, *(marks for marks, _ in parts)))
        numbers += _given(parts)
    return tuple(motions), numbers


def _within(one: Within) -> tuple[WithinShape, list[float]]:
    at, size = one.at, float(np.max(np.abs(one.at.shapes), initial=1.0))
    parts = [
        ([at.x], None, None), (at.shapes, size, None), (at.slopes, None, None), (at.twists, 1.0, ROUNDING),
        (one.axes, 1.0, ROUNDING), (one.place, None, None),
    ]  # fmt: skip
    marked = [(_marks(x, size, unit), x) for x, size, unit in parts]
    return WithinShape(one.body, *(marks for marks, _ in marked)), _given(marked)


def _body(one: OnLink) -> tuple[BeamShape, list[float]]:
    body = one.body
    parts: list[tuple[str, Any]] = [(_marks(one.axes, 1.0, ROUNDING), one.axes), (_marks(one.place), one.place)]
    for gram in body.products:
        # integrals of products of functions that ought to be zero are sums with rounding errors
        above = gram[np.triu_indices(len(gram))]
        parts.append((_marks(above, OF_SUMS * float(np.max(np.abs(above)))), above))
    parts += [(_marks(x, 0.0), x) for x in (body.stiffness, body.damping)]
    return BeamShape(body.line, *(marks for marks, _ in parts)), _given(parts)


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
