"""A mechanism as a graph: links are its vertices, joints its edges; one vertex, the ground, is all that is fixed.

A spanning tree grows from the ground, joint by joint in the order of the model, nearest links first. A joint between
two links that are both in the tree already closes a loop: it is a chord. A part that no joint connects to the ground
gets a free joint from the ground to its first link, as a floating base.

Nodes whose mass is coupled, such as the ends of a beam, form a *group* with the amplitudes of modes and angles of
rotors on them. A rotor whose stator is fixed joins the group of the node that it drives. The first node that a joint
reaches is the head of the group and moves as that joint allows. The others get free joints from the ground, so that
they, modes and rotors have the same coordinates as in the system. Further joints may start from each of these nodes,
and from nodes welded to interior points of a beam, which are links too and move as the beam deforms. A joint that
reaches a massless one of these from elsewhere is a chord.

A body with one node and modes, such as a reduced body in its mean frame, that no joint reaches at that node *hangs* by
one of its interfaces, if a joint leads there: the interface is then the head of the group, and the frame of the body is
a place that moves against it by the modes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from flexmb.formulations.tree.inertial import Share
from flexmb.kernels.blocks import Numbers
from flexmb.model.components import Component
from flexmb.model.frames import Node
from flexmb.model.ways import Ways

#: index of the ground among the links
GROUND = -1


@dataclass(frozen=True)
class Link:
    """A node of the mechanism with all that is fastened to it: the name of the first frame on it, and the indices of
    its coordinates in the system."""

    name: str
    node: Node
    numbers: Numbers


@dataclass(frozen=True)
class GraphJoint:
    """A joint from link `a` to link `b` (indices, −1 the ground) with the free motions of b against a. `component` is
    None for the free joint of a floating base. `backwards`: link a holds the component's frame b."""

    name: str
    a: int
    b: int
    ways: Ways
    component: Component | None = None
    backwards: bool = False


@dataclass(frozen=True)
class Group:
    """Links whose mass is coupled (indices, the head first); the indices in the system of their `inner` coordinates
    (k,), the same in q and in v; and the kernel instances whose mass matrices couple them, `shares`. The mass stands on
    the nodes of the links `bearers`, which are `links` but for a body that hangs by an interface: there the link of its
    frame."""

    links: list[int]
    inner: np.ndarray
    shares: list[Share]
    bearers: list[int]

    @property
    def hangs(self) -> bool:
        """Whether it is one body that hangs by an interface."""
        return self.bearers != self.links


@dataclass(frozen=True)
class Place:
    """A link (index) that is welded to an interior point of a beam in a group, and the kernel instance of that weld,
    whose speeds are first those of the beam's element, then those of the node. `backwards`: the link is the frame of a
    body, and the weld that of the interface by which the body hangs."""

    link: int
    group: int
    share: Share
    backwards: bool = False


@dataclass(frozen=True)
class Graph:
    """The links, each after the one that carries it by the joint `joints[k]`. `chords` close loops. `groups`: links
    whose mass is coupled; `places`: links welded to interior points of beams. `others`: components with forces or rows
    of their own beside the inertia of links and groups. `shares`: all kernel instances."""

    links: list[Link]
    joints: list[GraphJoint]
    chords: list[GraphJoint] = field(default_factory=list)
    others: list[Component] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    shares: list[Share] = field(default_factory=list)

    def head(self, link: int) -> int:
        """The link whose joint carries a link: itself, or the head of its group or of the beam that it is welded to."""
        link = next((group.links[0] for group in self.groups if link in group.links), link)
        on = next((one.group for one in self.places if one.link == link), None)
        return link if on is None else self.head(self.groups[on].links[0])
