"""The spanning tree of a mechanism in flat arrays; joints that close loops are cut."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.errors import FormulationError, ModelError
from flexmb.formulations.tree.arrays import Joints, Links, Moving, Nodes, Seen
from flexmb.formulations.tree.graph import GROUND, Graph, GraphJoint
from flexmb.formulations.tree.growing import graph_of
from flexmb.formulations.tree.masses import own_inertias
from flexmb.formulations.tree.moving import moving_for, put_state
from flexmb.formulations.tree.places import places_for
from flexmb.formulations.tree.reading import agree_with_start, read_joints, see_links, seen_for
from flexmb.formulations.tree.tied import Tied
from flexmb.kernels.rotations import inverse, product, turned
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls
from flexmb.model.model import Model
from flexmb.model.orientations import axes_that_turn, checked_sequence
from flexmb.model.ways import BALL, FREE, POSITIONS, SLIDE, SPEEDS, Quaternion, about_z
from flexmb.results.state import State
from flexmb.system.moved_start import refuse_gaps
from flexmb.system.plan import ROW_AT, ROWS
from flexmb.system.refusals import refuse_searches
from flexmb.system.system import System


@dataclass(frozen=True, eq=False)
class Tree(metaclass=AnswersCalls):
    """The spanning tree of a mechanism and its joint coordinates.

    Joint coordinates q (nq,) and speeds v (nv,) are ordered joint by joint in the order of `links`, each of which is
    carried by an earlier one; `names` name the speeds, `coordinate_names` the coordinates. In space, angles and
    displacements are zero where the joint axes on both bodies coincide: angles at the start of the model. In the plane
    they are zero where the frames are parallel. Joints that close loops are `chords`. A link that nothing connects to
    the ground has a free joint from the ground, and so have the further nodes of a beam; the amplitudes of its modes
    follow after all joints.

    A free joint in space has seven coordinates: x, y, z [m] in the axes of the carrying link (the ground for a base),
    and the quaternion e0, e1, e2, e3, scalar first, from the axes of the carried link to those; a ball joint has the
    quaternion alone. Their speeds are six and three: ẋ, ẏ, ż [m/s] in the axes of the carrying link, and the angular
    velocity wx, wy, wz [rad/s] in the axes of the carried one. With `euler_angles` three angles and their rates replace
    quaternion and angular velocity. Frames within a beam on which joints act are links without coordinates of their
    own, such as `rod@0.4`.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("pendulum", gravity=(0, 0, -9.81))
    >>> rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -1))
    >>> hinge = m.revolute(m.ground, rod.attach("top", (0, 0, 1)), axis="y", name="hinge")
    >>> tree = fm.Tree.of(m)
    >>> tree
    Tree('pendulum', links=1, speeds=1, chords=0)
    >>> tree.names, tree.links
    (['hinge.angle'], ['rod'])
    """

    system: System
    graph: Graph
    arrays: Links
    nodes: Nodes
    names: list[str]
    coordinate_names: list[str]

    def __new__(cls, *parts: Any, **named: Any) -> Tree:
        if 0 < len(parts) + len(named) < len(fields(cls)):
            raise ModelError("Tree: a tree is made of a model by fm.Tree.of(model)")
        return super().__new__(cls)

    @classmethod
    def of(cls, model: Model | System, *, euler_angles: str | None = None, **others: Any) -> Tree:
        """The tree of a model. Joints that turn about a point, and a free base, have unit quaternions as coordinates,
        which have no singular position; or, with `euler_angles`, Euler angles of a sequence such as "ZYX"
        (:func:`flexmb.euler_angles`), which are singular where the first and the last axis are parallel."""
        system = model if isinstance(model, System) else System(model)
        for name in others:
            raise ModelError(
                f"tree of {system.model.where}: it has no option {name!r}; its only one is euler_angles, a sequence "
                "such as 'ZYX', for Euler angles in place of quaternions"
            )
        refuse_searches(system, f"tree of {system.model.where}", "leave formulation out, or let them touch in pairs")
        axes: tuple[int, ...] = ()
        if euler_angles is not None:
            axes, _ = axes_that_turn(checked_sequence(euler_angles, f"tree of {system.model.where}"))
        graph = graph_of(system, axes)
        if not graph.links:
            raise FormulationError(
                f"tree of {system.model.where}: it has no links, which are bodies, and beams but ANCF cables; leave "
                "formulation out, whose absolute coordinates take what is there"
            )
        return Builder(system, graph).tree()

    @classmethod
    def fitting(cls, model: Model | Tree) -> Tree:
        """The tree of a model, unless it is one already. A start that the joints do not fit is warned of or refused as
        for runs: tree coordinates close the joints, wherever the bodies were drawn."""
        if isinstance(model, Tree):
            return model
        tree = cls.of(model)
        refuse_gaps(tree.system, f"tree of {model.where}")
        return tree

    @property
    def model(self) -> Model:
        """The model from which the tree was made."""
        return self.system.model

    def __repr__(self) -> str:
        return f"Tree({self.model.name!r}, links={len(self.links)}, speeds={self.nv}, chords={len(self.chords)})"

    @property
    def links(self) -> list[str]:
        """Names of the links: the name of the first frame on each."""
        return [link.name for link in self.graph.links]

    @property
    def joints(self) -> list[str]:
        """Names of the joints that carry the links, in the order of the links."""
        return [joint.name for joint in self.graph.joints]

    @property
    def chords(self) -> list[str]:
        """Names of the joints that close loops."""
        return [joint.name for joint in self.graph.chords]

    @property
    def nq(self) -> int:
        """Number of joint coordinates."""
        return int(self.arrays.joints.nq)

    @property
    def nv(self) -> int:
        """Number of joint speeds: the degrees of freedom of the open tree."""
        return int(self.arrays.joints.nv)

    # -- joint coordinates and states ---------------------------------------------------------------------------------

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Joint coordinates (nq,) and speeds (nv,) of the model as it is described. Where a joint is open or its speeds
        violate it, the closest values that the joint allows.

        >>> import flexmb as fm
        >>> m = fm.PlanarModel("pendulum", gravity=(0, -9.81))
        >>> rod = m.add_body("rod", mass=1.0, inertia=0.1, position=(0.6, -0.8), angle=0.5)
        >>> hinge = m.revolute(m.ground, rod.attach("top", (0, 0)), name="hinge")
        >>> fm.Tree.of(m).start()
        (array([0.5]), array([0.]))
        """
        return self.of_system(self.system.initial, self.system.initial_speeds)

    def of_state(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """Joint coordinates (nq,) and speeds (nv,) of a state of the mechanism. Angles in space are within half a turn
        of the start, except in joints that count their turns."""
        if not isinstance(state, State) or state.system.names != self.system.names:
            raise ModelError(f"of_state: {checks.quoted(state)} is no state of {self.model.where}; give a flexmb.State")
        return self.of_system(self.system.full_q(state.q), self.system.full(state.v))

    def of_system(self, q: np.ndarray, v: np.ndarray, near: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Joint coordinates (nq,) and speeds (nv,) from all coordinates q and speeds v of the system, those of fixed
        frames included; angles and signs of quaternions are those closest to the coordinates `near` (nq,)."""
        links, nodes = self.arrays, self.nodes
        x, u = self.zero if near is None else np.array(near, dtype=float), np.zeros(self.nv)
        see_links(nodes, q, v, np.zeros_like(v), self._seen)
        read_joints(links, nodes, self._moving, self._seen, q, v, x, u)
        return x, u

    def state(self, q: Any, v: Any = None, vdot: Any = None, t: float = 0.0) -> State:
        """The state of the mechanism with joint coordinates q (nq,), speeds v (nv,) and their rates vdot (nv,), which
        are zero when not given; without joint forces. Its `solution` gives results, tracks and pictures.

        >>> import flexmb as fm
        >>> m = fm.SpatialModel("pendulum")
        >>> rod = m.add_body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -1))
        >>> hinge = m.revolute(m.ground, rod.attach("top", (0, 0, 1)), axis="x", name="hinge")
        >>> fm.Tree.of(m).state([0.5 * 3.141592653589793])["rod"].position.round(12) + 0.0
        array([0., 1., 0.])
        """
        system, where = self.system, f"state of the tree of {self.model.where}"
        x = self.position(q, where)
        u, ud = (
            np.zeros(self.nv) if y is None else checks.vector(y, name, where, self.nv)
            for y, name in ((v, "v"), (vdot, "vdot"))
        )
        full_q, full_v, full_a = system.initial.copy(), *np.zeros((2, system.plan.total))
        self.put(x, u, ud, full_q, full_v, full_a)
        if not checks.all_finite(full_q):
            raise FormulationError(
                f"{where}: at this q the ends of a beam coincide; tree.start() is where the model stands"
            )
        motion = full_q[: system.nq], full_v[: system.n], full_a[: system.n]
        self.tied.put(t, *motion)
        return State(system, t, *motion, np.zeros(system.m))

    @cached_property
    def given(self) -> np.ndarray:
        """The coordinates of the system (n,), a mask, that nodes of links, joints and groups have."""
        found, nodes = np.zeros(self.system.n, dtype=bool), self.nodes
        for numbers in (nodes.numbers_v.ravel(), nodes.own[nodes.own >= 0], nodes.inner):
            found[numbers] = True
        return found

    @cached_property
    def tied(self) -> Tied:
        """The coordinates that forces own, such as the travel of an actuator in space, and joints that close loops."""
        return Tied(self.system, self.given, self.rows_of_places())

    def put(self, x: np.ndarray, u: np.ndarray, ud: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> None:
        """Write coordinates q, speeds v and accelerations a of the system, fixed frames included, from joint
        coordinates x, speeds u and their rates ud."""
        put_state(self.arrays, self.nodes, self._moving, self._seen.rates, x, u, ud, q, v, a)

    @cached_property
    def _moving(self) -> Moving:
        return moving_for(self.arrays)

    @cached_property
    def _seen(self) -> Seen:
        return seen_for(self.arrays)

    @property
    def zero(self) -> np.ndarray:
        """Joint coordinates (nq,) that are all zero, with quaternions (1, 0, 0, 0)."""
        x = np.zeros(self.nq)
        x[self._quaternions] = 1.0
        return x

    @cached_property
    def _quaternions(self) -> list[int]:
        """Offsets of the quaternions among the joint coordinates."""
        joints = zip(self.arrays.joints.kind.tolist(), self.arrays.joints.at_q.tolist())
        return [at + (3 if kind == FREE else 0) for kind, at in joints if kind in (BALL, FREE)]

    def position(self, q: Any, where: str) -> np.ndarray:
        """Joint coordinates q (nq,), checked. Quaternions may have any length but zero."""
        x = checks.vector(q, "q", where, self.nq)
        for at in self._quaternions:
            if not np.any(x[at : at + 4]):
                raise FormulationError(
                    f"{where}: the quaternion q[{at}:{at + 4}], of which {self.coordinate_names[at]!r} is the first, "
                    "is zero and says no orientation; that of no turn is (1, 0, 0, 0); "
                    "tree.start() is where the model stands"
                )
        return x

    def rows_of_places(self) -> set[int]:
        """Indices in the system of the constraint rows that weld links to interior points of beams."""
        plan, found = self.system.plan, set()
        for place in self.graph.places:
            row = plan.groups[place.share.group]
            first = row[ROW_AT] + place.share.place * row[ROWS]
            found.update(plan.rows[first : first + row[ROWS]].tolist())
        return found

    # -- paths and loops ----------------------------------------------------------------------------------------------

    def path(self, link: str) -> list[str]:
        """Names of the joints from the ground to a link."""
        given_names.known(link, self.links, "link", f"tree of {self.model.where}")
        k, found = self.links.index(link), []
        while k != GROUND:
            joint = self.graph.joints[self.graph.head(k)]
            found.append(joint.name)
            k = joint.a
        return found[::-1]

    def loop(self, chord: str) -> list[str]:
        """Names of the joints of the loop that a chord closes: from its frame a towards the ground, up to where the
        paths of both its frames meet, and out to its frame b."""
        given_names.known(chord, self.chords, "joint that closes a loop", f"tree of {self.model.where}")
        joint = next(c for c in self.graph.chords if c.name == chord)
        ways = [self.path(self.links[k]) if k != GROUND else [] for k in (joint.a, joint.b)]
        while ways[0] and ways[1] and ways[0][0] == ways[1][0]:
            ways = [way[1:] for way in ways]
        return [*ways[0][::-1], *ways[1]]


class Builder:
    """Fills the arrays of a tree, link by link."""

    def __init__(self, system: System, graph: Graph) -> None:
        self.system, self.graph = system, graph
        self.planar = system.model.dimension == 2
        self.node_poses: list[tuple[Quaternion, np.ndarray]] = []
        self.rows: dict[str, list[Any]] = {name: [] for name in ("kind", "pitch", "axes", "place", "at_q", "at_v")}
        self.own: list[int] = []
        self.names: list[str] = []
        self.coordinate_names: list[str] = []

    def tree(self) -> Tree:
        graph, system = self.graph, self.system
        first = [0]
        for joint in graph.joints:
            self.add(joint)
            first.append(len(self.rows["kind"]))
        inner = [number for group in graph.groups for number in group.inner.tolist()]
        for names in (self.names, self.coordinate_names):
            names += [system.names[number] for number in inner]
        group = np.full(len(graph.links), -1, dtype=np.int64)
        for g, one in enumerate(graph.groups):
            group[one.links] = [g, *[-2 - g] * (len(one.links) - 1)]
        inertia = own_inertias(system, graph, self.node_poses)
        arrays = {name: np.array(self.rows[name]) for name in self.rows}
        gravity = np.zeros(3)
        gravity[: system.model.dimension] = system.model.gravity.weight()
        count = len(arrays["kind"])
        nodes = Nodes(
            numbers_q=np.array([link.numbers.q for link in graph.links]).astype(np.int64),
            numbers_v=np.array([link.numbers.v for link in graph.links]).astype(np.int64),
            axes=np.array([axes for axes, _ in self.node_poses]), place=np.array([at for _, at in self.node_poses]),
            angle=np.zeros(len(graph.links)), own=np.array(self.own, dtype=np.int64),
            more=np.zeros(count), inner=np.array(inner, dtype=np.int64), dimension=system.model.dimension,
        )  # fmt: skip
        place_of = np.full(len(graph.links), -1, dtype=np.int64)
        place_of[[place.link for place in graph.places]] = np.arange(len(graph.places))
        joints = Joints(
            first=np.array(first), **{name: arrays[name].astype(np.int64) for name in ("kind", "at_q", "at_v")},
            **{name: np.ascontiguousarray(arrays[name], dtype=float) for name in ("pitch", "axes", "place")},
            sense=np.ones(count), nq=len(self.coordinate_names), nv=len(self.names), inner=len(inner),
        )  # fmt: skip
        links = Links(
            parent=np.array([joint.a for joint in graph.joints], dtype=np.int64), joints=joints,
            mass=np.ascontiguousarray(inertia[:, 0]), moment=np.ascontiguousarray(inertia[:, 1:4]),
            inertia=np.ascontiguousarray(inertia[:, 4:]), spin=self._spins(), gravity=gravity, group=group,
            place_of=place_of,
            places=places_for(graph, system, nodes),
        )  # fmt: skip
        tree = Tree(system, graph, links, nodes, self.names, self.coordinate_names)
        self._put_start(tree)
        return tree

    def _spins(self) -> np.ndarray:
        """The angular momenta (n, 3) of wheels of constant speed, in the axes of the links."""
        found = np.zeros((len(self.graph.links), 3))
        number = {id(link.node): k for k, link in enumerate(self.graph.links)}
        for component in self.system.model.components.values():
            for node, momentum, _ in component.spins():
                k = number[id(node)]
                found[k] += turned(self.node_poses[k][0], tuple(momentum))
        return found

    def _put_start(self, tree: Tree) -> None:
        """Find the constant offsets of node angles, and of the coordinates that joints own, against joint coordinates,
        and the sense of planar turns, from the initial state."""
        links, nodes, initial = tree.arrays, tree.nodes, self.system.initial
        rates, x, u = np.zeros((2, self.system.plan.total)), tree.zero, np.zeros(tree.nv)
        moving, seen = tree._moving, tree._seen
        see_links(nodes, initial, *rates, seen)
        # planar turns are read from orientations, since the offsets of angles are not known yet
        oriented = nodes._replace(dimension=3, own=np.full_like(nodes.own, -1))
        read_joints(links, oriented, moving, seen, initial, rates[0], x, u)
        agree_with_start(links, nodes, moving, seen, initial, x, u)
        own = nodes.own >= 0
        nodes.more[own] = initial[nodes.own[own]] - x[links.joints.at_q[own]]

    def add(self, joint: GraphJoint) -> None:
        """Append the motions of a joint, and the pose of the node on the link that it carries."""
        ways = joint.ways
        axes, place = self._on_parent(joint)
        for motion in ways.motions:
            place = place + turned(axes, motion.place)
            axes = product(axes, motion.axes)
            self.rows["kind"].append(motion.kind)
            self.rows["pitch"].append(1.0 if motion.kind == SLIDE else motion.pitch)
            self.rows["axes"].append(axes)
            self.rows["place"].append(place)
            self.rows["at_q"].append(len(self.coordinate_names))
            self.rows["at_v"].append(len(self.names))
            self._name(joint.name, motion.kind, motion.name)
            self.own.append(self._own_number(joint, motion.own))
            axes, place = (1.0, 0.0, 0.0, 0.0), np.zeros(3)
        back = inverse(ways.axes_b)
        self.node_poses.append((back, -np.array(turned(back, ways.place_b))))

    def _on_parent(self, joint: GraphJoint) -> tuple[Quaternion, np.ndarray]:
        """Axes and origin of a joint on the link that carries it, or on the ground."""
        if joint.a != GROUND:
            axes, place = self.node_poses[joint.a]
        elif joint.component is None:
            axes, place = (1.0, 0.0, 0.0, 0.0), np.zeros(3)
        else:
            pair: Any = joint.component
            node = (pair.b if joint.backwards else pair.a).node
            place = np.append(node.position, 0.0) if self.planar else np.asarray(node.position, dtype=float)
            axes = about_z(node.angle) if self.planar else tuple(node.orientation.tolist())
        return product(axes, joint.ways.axes_a), place + np.array(turned(axes, joint.ways.place_a))

    def _name(self, joint: str, kind: int, what: str) -> None:
        speeds = {BALL: ("wx", "wy", "wz"), FREE: ("x", "y", "z", "wx", "wy", "wz")}.get(kind, (what,))
        four = ("e0", "e1", "e2", "e3")
        coordinates = {BALL: four, FREE: ("x", "y", "z", *four)}.get(kind, (what,))
        self.names += [f"{joint}.{name}" for name in speeds[: SPEEDS[kind]]]
        self.coordinate_names += [f"{joint}.{name}" for name in coordinates[: POSITIONS[kind]]]

    def _own_number(self, joint: GraphJoint, own: str) -> int:
        """The index in the system of a coordinate that a joint owns, −1 if there is none."""
        return self.system.names.index(f"{joint.name}.{own}") if own else -1
