"""Grows the graph of a mechanism (:mod:`flexmb.formulations.tree.graph`) from the ground: which nodes have coupled
mass, which are welded to places within bodies, and which joints carry the links.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import FormulationError
from flexmb.formulations.tree.graph import GROUND, Graph, GraphJoint, Group, Link, Place
from flexmb.formulations.tree.inertial import Share, parameters_of, shares_of
from flexmb.model.components import Component
from flexmb.model.frames import Node
from flexmb.model.ways import (
    FIXED,
    FREE,
    NO_TURN,
    ORIGIN,
    SLIDE,
    TURN,
    Z_ALONG_X,
    Motion,
    Ways,
    by_angles,
    reversed_ways,
)
from flexmb.system.system import System


def graph_of(system: System, euler_angles: Sequence[int] = ()) -> Graph:
    """The graph of a system's active components. With `euler_angles`, three axes (0, 1, 2 for x, y, z) of the
    turning body, ball and free joints outside groups have three turns in place of the quaternion."""
    components = [c for c in system.model.components.values() if c.name not in system.off]
    nodes = _moving_nodes(system)
    shares = shares_of(system)
    coupled = _coupled(system, nodes, shares)
    welded = _welded(components, system, nodes, shares, coupled)
    _refuse_welded(system, nodes, shares, welded)
    light = {key for key, weld in welded.items() if weld.light}
    # a joint that was switched on during a run and locks the pose found then has other axes than in the model
    between = [(c, ways) for c in components if c.name not in system.measured and (ways := c.ways()) is not None]
    pairs = {c.name for c, _ in between}
    at: dict[int, list[tuple[Component, Ways, int]]] = defaultdict(list)
    for c, ways in between:
        for end, frame in enumerate(_ends(c)):
            at[_key(frame.node)].append((c, ways, end))
    held = {key for key, weld in welded.items() if key in light or weld.hangs}
    growing = _Growing(system, nodes, coupled, welded, held, at)
    order, place, joints, carried = growing.order, growing.place, growing.joints, growing.carried
    growing.grow([GROUND])
    growing.hang(between)
    for key, link in nodes.items():
        if key not in place and key not in held:
            growing.grow(growing.put(key, _free(system, f"{link.name}.base", len(order))))
            growing.hang(between)
    chords = []
    for c, ways in between:
        if c.name not in growing.used:
            a, b = (place[_key(frame.node)] for frame in _ends(c))
            chords.append(GraphJoint(c.name, a, b, ways, c))
    groups = []
    for one in {id(one): one for one in coupled.values()}.values():
        bearers = sorted(place[key] for key in one.keys)
        head = growing.hung.get(one.keys[0])
        groups.append(Group(bearers if head is None else [place[head]], one.inner, one.shares, bearers))
    moved = {k for link in nodes.values() for k in link.numbers.v.tolist()}
    moved.update(k for group in groups for k in group.inner.tolist())
    # components with constraint rows, with forces beside inertia, or with inertia on coordinates outside the tree
    holds = {(weld.share.group, weld.share.place) for weld in carried.values()}
    more = {
        s.owner.name
        for s in shares
        if (s.constrains and (s.group, s.place) not in holds)
        or not (s.massive or s.spins or (s.group, s.place) in holds)
        or moved.isdisjoint(s.speeds.tolist())
    }
    others = [c for c in components if c.name not in pairs and c.name in more]
    groups.sort(key=lambda group: group.links[0])
    group_of = {link: g for g, group in enumerate(groups) for link in group.bearers}
    places = [
        Place(place[key], group_of[place[weld.carrier.keys[0]]], weld.share, key in growing.hung)
        for key, weld in carried.items()
    ]
    places.sort(key=lambda one: (one.group, one.link))
    if len(euler_angles):
        beside = {link for group in groups for link in group.links if joints[link].component is None}
        joints = [
            joint if joint.b in beside else replace(joint, ways=by_angles(joint.ways, euler_angles)) for joint in joints
        ]
    return Graph([nodes[key] for key in order], joints, chords, others, groups, places, shares)


class _Coupled(NamedTuple):
    """Coordinates whose mass is coupled: keys of nodes, indices of inner coordinates, and the instances that do so."""

    keys: list[int]
    inner: np.ndarray
    shares: list[Share]


class _Weld(NamedTuple):
    """A node welded to an interior point: its group, the kernel instance of the weld, whether the node is `light`
    (massless), and whether a body can hang by it (`hangs`): its element is all that has mass in the group, and its
    coordinates are those of the group."""

    carrier: _Coupled
    share: Share
    light: bool
    hangs: bool


_ALONE = _Coupled([], np.zeros(0, dtype=np.int64), [])


@dataclass
class _Growing:
    """A tree while it grows: keys of nodes in `order`, the `place` of each key there, the `joints` that carry them,
    names of joints `used`, welded nodes `carried`; `at`: the joints on each node, with their motions and which end is
    there. Joints to nodes `held` by bodies become chords. `hung`: the key of the interface by which a body hangs, for
    that of its node."""

    system: System
    nodes: dict[int, Link]
    coupled: dict[int, _Coupled]
    welded: dict[int, _Weld]
    held: set[int]
    at: dict[int, list[tuple[Component, Ways, int]]]
    order: list[int] = field(default_factory=list)
    place: dict[int, int] = field(default_factory=lambda: {GROUND: GROUND})
    joints: list[GraphJoint] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    carried: dict[int, _Weld] = field(default_factory=dict)
    hung: dict[int, int] = field(default_factory=dict)

    def put(self, key: int, joint: GraphJoint) -> list[int]:
        """Put a node into the tree with the nodes of its group and those welded to it; return all their keys."""
        found = []
        beside = self.coupled.get(key, _ALONE).keys
        for k, other in enumerate([key, *(other for other in beside if other != key)]):
            self.place[other] = len(self.order)
            self.order.append(other)
            free = k > 0
            self.joints.append(_free(self.system, self.nodes[other].name, len(self.order) - 1) if free else joint)
            found.append(other)
        for place_key, weld in self.welded.items():
            if weld.carrier is self.coupled.get(key) and place_key not in self.place:
                found += self.carry(place_key, weld)
        return found

    def carry(self, key: int, weld: _Weld) -> list[int]:
        """Put a node into the tree that moves with a body by a weld; return its key and those of all put with it."""
        self.carried[key] = weld
        still = Ways(NO_TURN, ORIGIN, (Motion(FIXED),), NO_TURN, ORIGIN)
        return self.put(key, GraphJoint(self.nodes[key].name, GROUND, len(self.order), still))

    def hang(self, between: list[tuple[Component, Ways]]) -> None:
        """Hang bodies that are not in the tree by the first joint from there to one of their interfaces, and let the
        tree grow from them."""
        found = True
        while found:
            found = False
            for c, ways in between:
                keys = [_key(frame.node) for frame in _ends(c)]
                for end in range(2):
                    here, there = keys[end], keys[1 - end]
                    weld = self.welded.get(there)
                    if here not in self.place or there in self.place or there not in self.held or weld is None:
                        continue
                    frame = weld.carrier.keys[0]
                    if not weld.hangs or frame in self.place:
                        continue
                    self.used.add(c.name)
                    self.hung[frame] = there
                    own = ways if end == 0 else reversed_ways(ways)
                    joint = GraphJoint(c.name, self.place[here], len(self.order), own, c, end == 1)
                    self.grow([*self.put(there, joint), *self.carry(frame, weld)])
                    found = True

    def grow(self, start: list[int]) -> None:
        """Put into the tree all nodes that joints reach from `start`, nearest first."""
        waiting = deque(start)
        while waiting:
            here = waiting.popleft()
            for c, ways, end in self.at[here]:
                there = _key(_ends(c)[1 - end].node)
                if there in self.place or there in self.held:
                    continue
                own = ways if end == 0 else reversed_ways(ways)
                self.used.add(c.name)
                joint = GraphJoint(c.name, self.place[here], len(self.order), own, c, end == 1)
                waiting.extend(self.put(there, joint))


def _free(system: System, name: str, link: int) -> GraphJoint:
    """The free joint from the ground to a link."""
    return GraphJoint(name, GROUND, link, Ways(NO_TURN, ORIGIN, _any_motion(system.model.dimension), NO_TURN, ORIGIN))


def _coupled(system: System, nodes: dict[int, Link], shares: list[Share]) -> dict[int, _Coupled]:
    """For the key of each node, the coordinates whose mass is coupled with it, if there are any."""
    first: dict[int, int] = {}
    for key, link in nodes.items():
        first.update(dict.fromkeys(link.numbers.v.tolist(), key))
    massive = []
    together = [link.numbers.v.tolist() for link in nodes.values()]
    for share in shares:
        speeds = [number for number in share.speeds.tolist() if number < system.n] if share.massive else []
        if speeds:
            massive.append((share, speeds[0]))
            together.append(speeds)
    together += _anchored(massive, first, _parts(together))
    part = _parts(together)
    in_part: dict[int, list[int]] = defaultdict(list)
    for number in sorted(part):
        in_part[part[number]].append(number)
    # a beam from a fixed node to a link has there the coordinates of a rigid body, but neither its mass nor its forces
    clamped = {part[speed] for share, speed in massive if np.any(share.speeds >= system.n)}
    found: dict[int, _Coupled] = {}
    for number, members in in_part.items():
        keys = list(dict.fromkeys(first[k] for k in members if k in first))
        inner = np.array([k for k in members if k not in first], dtype=np.int64)
        if not keys or (len(keys) + len(inner) < 2 and number not in clamped):
            continue
        turned = inner[np.isin(inner, [row[0] + k for row in system.orientations for k in range(3)])]
        if len(turned):
            raise FormulationError(
                f"{system.model.where}: coordinate {system.names[turned[0]]!r} is part of an orientation without node, "
                "which joint coordinates do not know; simulate it without a formulation, in absolute coordinates"
            )
        one = _Coupled(keys, inner, [share for share, speed in massive if part[speed] == number])
        found.update(dict.fromkeys(keys, one))
    return found


def _anchored(massive: list[tuple[Share, int]], first: dict[int, int], part: dict[int, int]) -> list[list[int]]:
    """Pairs of coordinate indices that attach coordinates with mass but without a node, such as the angle of a rotor
    whose stator is fixed, to the group of a node with mass: one on which their component acts if there is one, else the
    first. `massive`: instances, each with one of its indices; `first`: node keys by index; `part`: connected
    components."""
    with_node = {part[number] for number in first}
    heavy = {first[k]: k for share, _ in massive for k in share.speeds.tolist() if k in first}
    pairs = []
    for share, number in massive:
        if part[number] not in with_node and heavy:
            own = [heavy[_key(frame.node)] for frame in share.owner.frames() if _key(frame.node) in heavy]
            pairs.append([number, own[0] if own else next(iter(heavy.values()))])
    return pairs


def _welded(
    components: list[Component],
    system: System,
    nodes: dict[int, Link],
    shares: list[Share],
    coupled: dict[int, _Coupled],
) -> dict[int, _Weld]:
    """The nodes, by their keys, that are welded to interior points of components in groups."""
    by_place = {(share.group, share.place): share for share in shares}
    heavy = {k for share in shares if share.massive for k in share.speeds.tolist()}
    of_number = {k: key for key, link in nodes.items() for k in link.numbers.v.tolist()}
    found: dict[int, _Weld] = {}
    for component in components:
        for label, node in component.welded_places().items():
            instances = system.assembly.instances_by_owner.get(component.name, [])
            one = next((i for i in instances if i.label == label and len(i.rows)), None)
            key = _key(node)
            if one is None or key == GROUND or (one.group, one.place) not in by_place:
                continue
            share, own = by_place[one.group, one.place], nodes[key].numbers.v.tolist()
            speeds = share.speeds.tolist()
            element = [k for k in speeds[: -len(own)] if k < system.n]
            on = {of_number[k] for k in element if k in of_number}
            carrier = coupled.get(next(iter(on), GROUND))
            if carrier is None or speeds[-len(own) :] != own or not on <= set(carrier.keys) or key in carrier.keys:
                continue
            whole = all(k in of_number or k in carrier.inner for k in element)
            in_order = all(
                speeds[speeds.index(first) : speeds.index(first) + len(own)] == nodes[other].numbers.v.tolist()
                for other in on
                for first in [nodes[other].numbers.v[0]]
            )
            if whole and in_order:
                whole_body = sorted(speeds[: -len(own)]) == sorted([*nodes[carrier.keys[0]].numbers.v, *carrier.inner])
                alone = key not in coupled and {one.owner.name for one in carrier.shares} == {component.name}
                hangs = whole_body and alone and len(carrier.keys) == 1 and _in_mean_frame(system, component, carrier)
                found[key] = _Weld(carrier, share, heavy.isdisjoint(own), hangs)
    return found


def _in_mean_frame(system: System, component: Component, carrier: _Coupled) -> bool:
    """Whether a body may have its frame behind an interface: one of a line begins in its frame, which is one."""
    body = component.flexible_body(parameters_of(system, carrier.shares[0]))
    return body is None or body.line is None


def _refuse_welded(system: System, nodes: dict[int, Link], shares: list[Share], welded: dict[int, _Weld]) -> None:
    """Refuse massless nodes that a component welds by rows to coordinates of its own, other than those in `welded`:
    such a node moves with these coordinates, and no joint could carry it."""
    heavy = {k for share in shares if share.massive for k in share.speeds.tolist()}
    brings_mass = {share.owner.name for share in shares if share.massive}
    for share in shares:
        if not share.constrains or share.owner.name not in brings_mass or share.owner.ways() is not None:
            continue
        for key, link in nodes.items():
            own = link.numbers.v.tolist()
            if key not in welded and heavy.isdisjoint(own) and not set(own).isdisjoint(share.speeds.tolist()):
                raise FormulationError(
                    f"{system.model.where}: {link.name!r} is welded to {share.owner.where} by rows, and no node "
                    "of that is a frame that moves and shares its mass; take theory='cms' and two elements or more, or "
                    "leave formulation out, whose absolute coordinates take it"
                )


def _parts(together: Sequence[Sequence[int]]) -> dict[int, int]:
    """Connected components: map each number to a representative of all that are connected with it, as those of a row
    are.

    >>> _parts([[1, 2], [4, 5], [2, 7]])
    {1: 1, 2: 1, 4: 4, 5: 4, 7: 1}
    """
    part: dict[int, int] = {}
    members: dict[int, list[int]] = {}
    for row in together:
        for number in row:
            if number not in part:
                part[number], members[number] = number, [number]
        into = part[row[0]]
        for other in {part[number] for number in row} - {into}:
            if len(members[other]) > len(members[into]):  # the larger part keeps its representative
                into, other = other, into
            moved = members.pop(other)
            part.update(dict.fromkeys(moved, into))
            members[into] += moved
    return part


def _any_motion(dimension: int) -> tuple[Motion, ...]:
    """The motions of a free joint."""
    if dimension == 3:
        return (Motion(FREE),)
    return (*(Motion(SLIDE, Z_ALONG_X, name=name) for name in "xy"), Motion(TURN, Z_ALONG_X, name="angle"))


def _ends(component: Component) -> list[Any]:
    """The two frames of a joint."""
    pair: Any = component
    return [pair.a, pair.b]


def _key(node: Node) -> int:
    """The identity of a node; −1 for every fixed node."""
    return GROUND if node.fixed else id(node)


def _moving_nodes(system: System) -> dict[int, Link]:
    """All moving nodes by key: those of frames, and those that components own."""
    found: dict[int, Link] = {}
    inside = ((f"{c.name}.node{k}", n) for c in system.model.components.values() for k, n in enumerate(c.nodes()))
    for name, node in (*((frame.name, frame.node) for frame in system.model.frames.values()), *inside):
        key = _key(node)
        if key != GROUND and key not in found:
            found[key] = Link(name, node, system.assembly.node_numbers(node))
    return found
