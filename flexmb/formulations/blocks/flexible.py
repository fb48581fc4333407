"""The flexible links of a tree of which formulas can be made: bodies with small deflections in a floating frame
(:mod:`flexmb.model.flexible_bodies`), and the links that stand at places within them.

A link is one if its group has a single node, on which nothing with mass stands but such bodies and rigid ones. All
links within its bodies belong to its block.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from flexmb.elements.interior import DATA, HEAD
from flexmb.formulations.groups import filling
from flexmb.formulations.tree.graph import Group, Place
from flexmb.formulations.tree.inertial import Share, parameters_of, plan_of
from flexmb.formulations.tree.masses import about_node, moved_inertia
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.rotations import inverse, product, rotation_matrix
from flexmb.model.flexible_bodies import FlexibleBody, FlexiblePlace, Line
from flexmb.model.ways import about_z
from flexmb.system.evaluation import matrix
from flexmb.system.plan import scratch_for


class AlongLine(NamedTuple):
    """The numbers of a body with small deflections of a line: the `products` of its three parts; `stiffness` and
    `damping` (n,)."""

    line: Line
    products: list[np.ndarray]
    stiffness: np.ndarray
    damping: np.ndarray

    @classmethod
    def of(cls, body: FlexibleBody) -> AlongLine:
        """From the products of the body, of which all others are zero."""
        assert body.line is not None
        return cls(body.line, body.products_along_line(), body.stiffness, body.damping)


class OnLine(NamedTuple):
    """A place on such a body: x, and b, b' (n,) and τ there."""

    x: float
    shapes: np.ndarray
    slopes: np.ndarray
    twists: np.ndarray

    @classmethod
    def of(cls, body: AlongLine, place: FlexiblePlace) -> OnLine:
        """From how the place moves and turns by bending along y and by torsion."""
        n, twisting = body.line.bending, slice(body.line.planes * body.line.bending, None)
        bending = place.translation[1, :n], place.rotation[2, :n]
        return cls(float(place.position[0]), *bending, place.rotation[0, twisting])


class OnLink(NamedTuple):
    """A body on a link: the rotation (9,) and the place (3,) [m] of its frame there, and the numbers of its amplitudes
    among the inner coordinates of all groups."""

    body: AlongLine
    axes: np.ndarray
    place: np.ndarray
    inner: list[int]


class Within(NamedTuple):
    """A link within body number `body` of the link `on`: where, and the rotation (9,) and the place (3,) [m] of the
    link against the section there."""

    on: int
    body: int
    at: OnLine
    axes: np.ndarray
    place: np.ndarray


@dataclass(frozen=True)
class Flexible:
    """The bodies of the flexible links of a tree by their indices, the `inertia` (10,) of what is rigid on these:
    mass, first moment, xx, yy, zz, xy, xz, yz; and the links `within` them."""

    bodies: dict[int, list[OnLink]] = field(default_factory=dict)
    inertia: dict[int, np.ndarray] = field(default_factory=dict)
    within: dict[int, Within] = field(default_factory=dict)


#: a tree without flexible links
RIGID: Flexible = Flexible()


def flexible_of(tree: Tree) -> Flexible:
    """The flexible links of a tree."""
    graph, groups = tree.graph, tree.arrays.group
    bodies = {g: found for g, group in enumerate(graph.groups) if (found := _bodies(tree, group))}
    while True:  # a link within a body may belong to another group, which then has to be known too
        lost = {
            place.group
            for place in graph.places
            if place.group in bodies and (-1 != groups[place.link]) and groups[place.link] not in bodies
        }
        if not lost:
            break
        bodies = {g: found for g, found in bodies.items() if g not in lost}
    flexible = Flexible()
    for g, found in bodies.items():
        head = graph.groups[g].links[0]
        flexible.bodies[head] = [one for _, one in found]
        own = {share.owner.name for share, _ in found}
        rigid = [share for share in graph.groups[g].shares if share.owner.name not in own]
        flexible.inertia[head] = _rigid(tree, head, rigid)
        for place in (one for one in graph.places if one.group == g):
            number = [share.owner.name for share, _ in found].index(place.share.owner.name)
            flexible.within[place.link] = _within(tree, head, number, found[number][0], place)
    return flexible


def _bodies(tree: Tree, group: Group) -> list[tuple[Share, OnLink]]:
    """The bodies on the node of a group; none if something else is there of which there are no formulas."""
    nodes, head, found = tree.nodes, group.links[0], list[tuple[Share, OnLink]]()
    own = nodes.numbers_v[head].tolist()
    inner = {number: k for k, number in enumerate(nodes.inner.tolist())}
    for share in group.shares if len(group.links) == 1 else ():
        speeds = share.speeds.tolist()
        body = share.owner.flexible_body(parameters_of(tree.system, share))
        if body is None or body.line is None:
            if not set(speeds) <= set(own):
                return []
            continue
        axes = product(tuple(nodes.axes[head].tolist()), tuple(np.asarray(body.turn).tolist()))
        amplitudes = [inner[number] for number in speeds[len(own) :]]
        place = OnLink(AlongLine.of(body), np.array(rotation_matrix(axes)), nodes.place[head], amplitudes)
        found.append((share, place))
    return found


def _within(tree: Tree, head: int, number: int, share: Share, place: Place) -> Within:
    """A place on the body of a kernel instance. Its weld ends with the arm to it and its turn, both in the axes of what
    is welded."""
    row, body = parameters_of(tree.system, place.share), share.owner.flexible_body(parameters_of(tree.system, share))
    assert body is not None
    if tree.model.dimension == 2:
        turn, arm = about_z(-row[-1]), np.array([row[-3], row[-2], 0.0])
    else:
        turn, arm = inverse(tuple(row[-4:].tolist())), row[-7:-4]
    axes = np.array(rotation_matrix(turn))
    at = OnLine.of(AlongLine.of(body), body.place(row[HEAD : HEAD + int(row[DATA])]))
    return Within(head, number, at, axes, -axes.reshape(3, 3) @ arm)


def _rigid(tree: Tree, head: int, shares: list[Share]) -> np.ndarray:
    """What is rigid on a link, about its origin and in its axes."""
    if not shares:
        return np.zeros(10)
    system, numbers = tree.system, tree.graph.links[head].numbers
    size, total = len(numbers.v), system.plan.total
    plan = filling(plan_of(system.plan, shares, rows=False), [numbers.v], np.array([0, size * size]))
    values, none = np.zeros(size * size), np.zeros(total)
    scratch = scratch_for(plan, system.assembly.work, system.model.dimension)
    matrix(plan, scratch, 0.0, system.initial, none, none, none, np.array([1.0, 0.0, 0.0, 0.0]), values)
    mass, moment, tensor = about_node(system, numbers, values.reshape(size, size))
    R = np.array(rotation_matrix(tuple(tree.nodes.axes[head].tolist()))).reshape(3, 3)
    return moved_inertia(mass, moment, tensor, R, tree.nodes.place[head], system.model.dimension == 2)
