"""Starts by names of joint coordinates and their rates, where joints form a tree; what they carry keeps its shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from flexmb.elements.beam import AnyBeam
from flexmb.errors import FlexmbError, ModelError
from flexmb.forces.motor import Motor
from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.blocks import MODAL, Numbers
from flexmb.kernels.rotations import inverse, product, turned
from flexmb.model import given_names
from flexmb.model.model import Model
from flexmb.model.ways import Quaternion, about_z
from flexmb.results.meaning import RATE
from flexmb.results.state import State
from flexmb.system.system import System

#: number of coordinates of a node in the plane
PLANE = 3


class Start:
    """The states of a `model` in which joint coordinates and rates with these `names` are given, and all others are
    those of the model.

    A joint moves all that it carries as a rigid body: a beam keeps its shape, and the rates of its deformation, against
    the node by which the joint holds it. Rotors turn along, so that reducers are twisted as in the model.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("whip")
    >>> given = fm.planar.BeamProperties(EA=1e6, EI=10.0, rhoA=0.6)
    >>> rod = m.add_beam("rod", m.add_frame("root"), (1.0, 0.0), properties=given)
    >>> hinge = m.revolute(m.ground, rod.start, name="hinge")
    >>> level = Start(m, ["hinge.angle"], "m").state({"hinge.angle": 1.5707963267948966})
    >>> level["rod.end"].position.round(9).tolist(), round(level["energy.strain"], 9)
    ([0.0, 1.0], 0.0)
    """

    def __init__(self, model: Any, names: Sequence[str], where: str) -> None:
        where = f"{where}, initial"
        self._tree = tree = Tree.of(model)
        if tree.chords:
            raise ModelError(
                f"{where}: names of joints say a start where they form a tree, and {tree.chords[0]!r} closes a loop; "
                "give states, such as those of flexmb.assemble, or leave initial out"
            )
        self._groups = [(group.links[0], group.links[1:]) for group in tree.graph.groups if len(group.links) > 1]
        modal = tree.system.assembly.free.mask(MODAL)
        beams = [c for c in model.components.values() if isinstance(c, AnyBeam)]
        places = [tree.system.names[k] for k in tree.nodes.inner.tolist() if not modal[k]]
        for beam in beams:  # whose places no joint carries
            if any(name.startswith(f"{beam.name}.") for name in places):
                raise ModelError(
                    f"{where}: {names[0] if names else 'a joint'!r} would bend {beam.where}, whose places have "
                    "coordinates of their own; give states, or leave initial out"
                )
        coordinates, rates = tree.coordinate_names, rates_of(tree.names)
        self._x, self._u = tree.start()
        carried_x, carried_u = self._carried
        self._places: dict[str, tuple[bool, int]] = {}
        for name in names:
            if name not in coordinates and name not in rates:
                free = [x for k, x in enumerate(coordinates) if not carried_x[k]]
                free += [x for k, x in enumerate(rates) if not carried_u[k]]
                raise given_names.unknown(name, free, "joint coordinate or rate", where)
            number = (coordinates if name in coordinates else rates).index(name)
            if (carried_x if name in coordinates else carried_u)[number]:
                raise ModelError(
                    f"{where}: {name!r} is of a node that is carried by the one before it on the same body; name the "
                    "coordinates of joints and modes, or give states"
                )
            self._places[name] = name not in coordinates, number

    def state(self, values: Mapping[str, float]) -> State:
        """The state with these values."""
        x, u = self._x.copy(), self._u.copy()
        for name, (is_rate, number) in self._places.items():
            (u if is_rate else x)[number] = values[name]
        for head, others in self._groups:
            self._carry(head, others, x, u)
        state, system = self._tree.state(x, u), self._tree.system
        changes = system.full_q(state.q) - self._first[0], system.full(state.v) - self._first[1]
        for name, weights, *indices in self._reducers:
            for given, at, now, change in zip(self._turned(name), indices, (state.q, state.v), changes):
                if not given:
                    now[at[-1]] -= weights @ change[at] / weights[-1]
        return state

    def serves(self, other: System) -> bool:
        """Whether another system of the same structure has the same states under these names: frames stand where these
        do, and all rows, and the reducers of motors, are the same. Masses and stiffnesses may differ."""
        one = self._tree.system
        if not (
            np.array_equal(one.initial, other.initial) and np.array_equal(one.initial_speeds, other.initial_speeds)
        ):
            return False
        return all(
            np.array_equal(i.parameters, j.parameters)
            for i, j in zip(one.assembly.instances, other.assembly.instances, strict=True)
            if len(i.rows) or isinstance(i.owner, Motor)
        )

    def own(self, name: str) -> float:
        """The value of a name with which the model begins."""
        is_rate, number = self._places[name]
        return float((self._u if is_rate else self._x)[number])

    @cached_property
    def _reducers(self) -> list[tuple[str, np.ndarray, np.ndarray, np.ndarray]]:
        """For each motor whose reducer yields: its name, and the weights of coordinates in the twist, the last that of
        the rotor, with their indices in q and in v."""
        found = []
        for i in self._tree.system.assembly.instances:
            if isinstance(i.owner, Motor) and i.label in ("reducer", "gear") and not len(i.rows):
                n = len(i.coordinates) - (i.label == "gear")  # behind them the side of the gap
                found.append((i.owner.name, i.parameters[:n], i.coordinates[:n], i.speeds[:n]))
        return found

    def _turned(self, motor: str) -> tuple[bool, bool]:
        """Whether the angle and the rate of a motor's rotor are given."""
        at = self._tree.coordinate_names.index(f"{motor}.rotor")
        rate = self._tree.names.index(f"{motor}.rotor")
        return (False, at) in self._places.values(), (True, rate) in self._places.values()

    @cached_property
    def _carried(self) -> tuple[np.ndarray, np.ndarray]:
        """Masks of the joint coordinates (nq,) and speeds (nv,) that are those of carried nodes."""
        masks = np.zeros(self._tree.nq, dtype=bool), np.zeros(self._tree.nv, dtype=bool)
        for _, others in self._groups:
            for link in others:
                for mask, part in zip(masks, self._own(link)):
                    mask[part] = True
        return masks

    def _own(self, link: int) -> tuple[slice, slice]:
        """The coordinates and the speeds of the joint of a link."""
        joints, count = self._tree.arrays.joints, len(self._tree.graph.links)
        first, behind = int(joints.first[link]), int(joints.first[link + 1])
        if link + 1 == count:
            return (
                slice(int(joints.at_q[first]), joints.nq - joints.inner),
                slice(int(joints.at_v[first]), joints.nv - joints.inner),
            )
        return (
            slice(int(joints.at_q[first]), int(joints.at_q[behind])),
            slice(int(joints.at_v[first]), int(joints.at_v[behind])),
        )

    @cached_property
    def _first(self) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates and speeds of the system with which the model begins, fixed frames included."""
        system, state = self._tree.system, self._tree.state(self._x, self._u)
        return system.full_q(state.q), system.full(state.v)

    def _of(self, x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        system, zero = self._tree.system, np.zeros(self._tree.nv)
        q, v, a = system.initial.copy(), *np.zeros((2, system.plan.total))
        self._tree.put(x, u, zero, q, v, a)
        return q, v

    def _carry(self, head: int, others: Sequence[int], x: np.ndarray, u: np.ndarray) -> None:
        """Put into x and u the coordinates and speeds of nodes that stand to the `head` of their group as in the
        model."""
        links, (q, v) = self._tree.graph.links, self._of(x, u)
        before, now = (_Node.of(links[head].numbers, *both) for both in (self._first, (q, v)))
        for link in others:
            numbers = links[link].numbers
            _Node.of(numbers, *self._first).carried(before, now).put(numbers, q, v)
        at_x, at_u = self._tree.of_system(q, v, near=x)
        for link in others:
            of_x, of_u = self._own(link)
            x[of_x], u[of_u] = at_x[of_x], at_u[of_u]


class _Node(NamedTuple):
    """A node: its place r, its quaternion, its velocity and its angular velocity (3,) in ground axes; in the plane also
    its angle [rad], which counts full turns."""

    r: np.ndarray
    turn: Quaternion
    v: np.ndarray
    w: np.ndarray
    angle: float

    @classmethod
    def of(cls, numbers: Numbers, q: np.ndarray, v: np.ndarray) -> _Node:
        """The node with these coordinates of the system."""
        at, speed = q[numbers.q], v[numbers.v]
        if len(at) == PLANE:
            turn: Quaternion = about_z(float(at[2]))
            return cls(np.append(at[:2], 0.0), turn, np.append(speed[:2], 0.0), np.array([0.0, 0.0, speed[2]]), at[2])
        e0, e1, e2, e3 = at[3:].tolist()
        turn = (e0, e1, e2, e3)
        return cls(at[:3].copy(), turn, speed[:3].copy(), _turned(turn, speed[3:]), 0.0)

    def carried(self, before: _Node, now: _Node) -> _Node:
        """The node that stands and moves relative to another one, `now`, as this one does `before`."""
        back = inverse(before.turn)
        across, apart = _turned(back, self.r - before.r), self.v - before.v - np.cross(before.w, self.r - before.r)
        d = _turned(now.turn, across)
        return _Node(
            now.r + d,
            product(now.turn, product(back, self.turn)),
            now.v + np.cross(now.w, d) + _turned(now.turn, _turned(back, apart)),
            now.w + _turned(now.turn, _turned(back, self.w - before.w)),
            self.angle + now.angle - before.angle,
        )

    def put(self, numbers: Numbers, q: np.ndarray, v: np.ndarray) -> None:
        """Write it into coordinates and speeds of the system."""
        if len(numbers.q) == PLANE:
            q[numbers.q], v[numbers.v] = [*self.r[:2], self.angle], [*self.v[:2], self.w[2]]
        else:
            q[numbers.q] = [*self.r, *self.turn]
            v[numbers.v] = [*self.v, *_turned(inverse(self.turn), self.w)]


def _turned(turn: Quaternion, x: np.ndarray) -> np.ndarray:
    return np.array(turned(turn, (float(x[0]), float(x[1]), float(x[2]))))


def names_of_starts(model: Model) -> frozenset[str]:
    """The names of joint coordinates and of their rates, by which a start is said; none where joints form no tree."""
    try:
        tree = Tree.of(model)
    except FlexmbError:
        return frozenset()
    return frozenset((*tree.coordinate_names, *rates_of(tree.names)))


def rates_of(names: list[str]) -> list[str]:
    """The names of the rates of joint coordinates: "hinge.rate" of the only one of a joint, "rod.bending1 rate" of one
    among others."""
    joints = [name.rpartition(".")[0] for name in names]
    return [f"{of}.rate" if joints.count(of) == 1 else f"{name}{RATE}" for of, name in zip(joints, names)]
