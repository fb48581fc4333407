"""A model as an arm: links one after the other from the ground on, and the joints between them with their nominal
motion, read from its components."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.elements.spatial.modal_body import ModalBody
from flexmb.elements.spatial.offset_mass import PointMass, SpatialMass
from flexmb.elements.spatial.rigid_body import RigidBody
from flexmb.errors import FormulationError
from flexmb.formulations.flex_arm.links import ArmBody, LinkFrame, modal_link, node_body, tilde
from flexmb.joints.spatial.drives.drive_joint import DriveJoint
from flexmb.joints.spatial.lower_pairs import Revolute, Weld
from flexmb.model.events import Switch
from flexmb.model.functions.time_function import TimeFunction, as_function
from flexmb.model.model import Model
from flexmb.model.orientations import rotation_of

#: the place of the ground among the links
GROUND = -1


@dataclass
class ArmJoint:
    """A joint with which a link begins: `name`; the link `parent`, GROUND or its number; its frames `on_parent` and
    `on_link`; `turn` (3, 3), from the axes of the link to those of the parent at the start; `axis` (3,) in those of
    the parent, about which the link turns by the nominal angle f(t) times `sense`; none for a weld. `servo`: stiffness
    [Nm/rad] and damping [Nms/rad] against the nominal angle; infinite stiffness holds it."""

    name: str
    parent: int
    on_parent: LinkFrame
    on_link: LinkFrame
    turn: np.ndarray
    axis: np.ndarray
    motion: TimeFunction | None = None
    sense: float = 1.0
    servo: tuple[float, float] = (np.inf, 0.0)

    @cached_property
    def cross(self) -> np.ndarray:
        """The matrix (3, 3) of the cross product with its axis."""
        return tilde(self.axis)

    @cached_property
    def own_axis(self) -> np.ndarray:
        """Axis of the joint in axes of the link."""
        return self.turn.T @ self.axis

    @property
    def free(self) -> bool:
        """Whether its deviation from the nominal angle is a coordinate."""
        return self.motion is not None and np.isfinite(self.servo[0])


@dataclass
class Chain:
    """Links, each after its parent, the joint with which each begins, and the frames of the model: number of the link
    and :class:`LinkFrame`."""

    links: list[ArmBody]
    joints: list[ArmJoint]
    frames: dict[str, tuple[int, LinkFrame]]


def _axes(orientation: Any) -> np.ndarray:
    return np.asarray(rotation_of(np.asarray(orientation)).as_matrix())


class ChainReader:
    """A model while it is read."""

    def __init__(self, model: Model, where: str) -> None:
        self.model, self.where = model, where
        self._refuse_what_acts()
        if model.dimension != 3:
            raise FormulationError(f"{where}: it stands in the plane; take a model in space")
        self.bodies = {c.name: c for c in model.components.values() if isinstance(c, ModalBody)}
        self.masses: dict[int, list[SpatialMass]] = defaultdict(list)
        self.pairs: list[Revolute | Weld] = []
        self.drives: dict[str, TimeFunction] = {}
        self._sort()
        self.check_driven()
        #: stiffness and damping of joints by their names
        self.servos: dict[str, tuple[float, float]] = {}
        #: of the node of each interface: body and name of the interface; of each reference frame: body
        self.interfaces = {
            id(node): (body, point[len(body.name) + 1 :])
            for body in self.bodies.values()
            for point, node in body.welded_places().items()
        }
        self.references = {id(body.frame.node): body for body in self.bodies.values()}
        self.links: list[ArmBody] = []
        self.joints: list[ArmJoint] = []
        self.number: dict[Any, int] = {}
        #: interfaces of modal bodies in axes of their links, and the name of that at which each begins
        self.modal: dict[str, dict[str, LinkFrame]] = {}
        self.begins: dict[str, str] = {}

    def _refuse_what_acts(self) -> None:
        """Raise a FormulationError if something acts on the model that the equations of an arm do not have."""
        switching = [e.where for e in self.model.events.values() if any(isinstance(act, Switch) for act in e.do)]
        acting = [*map(repr, self.model.controllers), *switching]
        if acting:
            raise FormulationError(
                f"{self.where}: it does not know {', '.join(acting)}; nominal motions are drives, and servos hold the "
                "joints, so leave controllers and events that switch out"
            )
        for name in sorted(self.model.off):
            raise FormulationError(
                f"{self.where}: {self.model.components[name].where} is switched off; leave it out, or switch it on"
            )

    def _sort(self) -> None:
        """Bodies, joints and drives of the model; anything else is refused."""
        for c in self.model.components.values():
            if isinstance(c, Revolute | Weld) and c.friction is None:
                self.pairs.append(c)
            elif isinstance(c, DriveJoint):
                self._add_drive(c)
            elif isinstance(c, ModalBody):
                if np.any(c.amplitudes) or np.any(c.amplitude_rates):
                    raise FormulationError(
                        f"{self.where}: {c.where} is bent or vibrates at the start; the nominal motion is that of "
                        "undeformed links, so leave its amplitudes out"
                    )
            elif isinstance(c, SpatialMass) and type(c) in (RigidBody, PointMass):
                self.masses[id(c.frame.node)].append(c)
            elif not c.only_drawn:
                raise FormulationError(
                    f"{self.where}: it does not know {c.where}, {type(c).__name__}; an arm has rigid and modal bodies, "
                    "revolute joints that are driven, and welds; beams become modal bodies by fm.bodies.from_frame"
                )

    def _add_drive(self, drive: DriveJoint) -> None:
        self.drives[drive.joint.name] = as_function(drive.motion, "motion", drive.where)

    def check_driven(self) -> None:
        """Raise a FormulationError if a joint has no nominal motion."""
        for c in self.pairs:
            if isinstance(c, Revolute) and c.name not in self.drives:
                raise FormulationError(
                    f"{self.where}: {c.where} has no nominal motion; give it a drive, drive_joint(joint, f) or, of a "
                    "robot, drive(name, f)"
                )

    def key(self, frame: Any) -> Any:
        """What a frame stands on: GROUND, the name of a modal body, or a node."""
        if frame.node.fixed:
            return GROUND
        if id(frame.node) in self.interfaces:
            return self.interfaces[id(frame.node)][0].name
        if id(frame.node) in self.references:
            return self.references[id(frame.node)].name
        return id(frame.node)

    def frame_on(self, frame: Any) -> LinkFrame:
        """A frame in the axes of its link."""
        axes, place = _axes(frame.quaternion), np.asarray(frame.position)
        key = self.key(frame)
        if key == GROUND:
            return LinkFrame.rigid(place, axes)
        link = self.links[self.number[key]]
        own = link.axes.T @ axes
        if id(frame.node) in self.interfaces:
            interface = self.modal[key][self.interfaces[id(frame.node)][1]]
            arm = link.axes.T @ (place - link.origin) - interface.position
            return interface.moved(arm, own)
        return LinkFrame.rigid(link.axes.T @ (place - link.origin), own, link.n)

    def read(self) -> Chain:
        """The links in order."""
        at: dict[Any, list[tuple[Any, Any, Any, float]]] = defaultdict(list)
        for c in self.pairs:
            at[self.key(c.a)].append((c, c.a, c.b, 1.0))
            at[self.key(c.b)].append((c, c.b, c.a, -1.0))
        self._riders(at)
        used: set[int] = set()
        queue: deque[Any] = deque([GROUND])
        while queue:
            key = queue.popleft()
            for c, near, far, sense in at[key]:
                if id(c) in used:
                    continue
                used.add(id(c))
                child = id(c) if isinstance(c, _Rider) else self.key(far)
                if child in self.number or child == GROUND:
                    raise FormulationError(
                        f"{self.where}: {c.where} closes a loop; this formulation takes arms without"
                    )
                self._add(child, c, near, far, sense)
                queue.append(child)
        self._refuse_loose()
        self._choose_outer()
        frames = {
            name: (self.number.get(self.key(f), GROUND), self.frame_on(f))
            for name, f in self.model.frames.items()
            if self.key(f) == GROUND or self.key(f) in self.number
        }
        return Chain(self.links, self.joints, frames)

    def _riders(self, at: dict[Any, list[tuple[Any, Any, Any, float]]]) -> None:
        """Masses on the interfaces of modal bodies: rigid links that are welded there."""
        for node, masses in self.masses.items():
            if node in self.interfaces or node in self.references:
                rider = _Rider(masses)
                at[self.key(rider.frame)].append((rider, rider.frame, rider.frame, 1.0))

    def _add(self, key: Any, c: Any, near: Any, far: Any, sense: float) -> None:
        """A link and the joint with which it begins."""
        parent = GROUND if self.key(near) == GROUND else self.number[self.key(near)]
        node = far.node
        axes, origin = _axes(node.orientation), np.asarray(node.position)
        self.number[key] = len(self.links)
        if isinstance(c, _Rider):
            self.links.append(node_body(c.name, c.masses, axes, origin))
            on_link = LinkFrame.rigid(np.zeros(3), np.eye(3))
            # the rider stands on the node of the interface, whose frame is that of its parent
            on_parent = self._interface_of(c.frame)
            self._join(ArmJoint(c.name, parent, on_parent, on_link, on_parent.axes, np.zeros(3)))
            return
        if key in self.bodies:
            body = self.bodies[key]
            place = body.frame.node
            link, self.modal[key] = modal_link(body, _axes(place.orientation), np.asarray(place.position))
            if id(node) in self.interfaces:
                self.begins[key] = self.interfaces[id(node)][1]
        else:
            name = next(name for name, f in self.model.frames.items() if f.node is node)
            link = node_body(name, self.masses.get(key, []), axes, origin)
        self.links.append(link)
        on_parent, on_link = self.frame_on(near), self.frame_on(far)
        above = np.eye(3) if parent == GROUND else self.links[parent].axes
        axis = np.zeros(3)
        motion = None
        if isinstance(c, Revolute):
            z = _axes(c.axes().in_a)[:, 2]
            axis, motion = above.T @ _axes(c.a.quaternion) @ z, self.drives[c.name]
        servo = self.servos.get(c.name, (np.inf, 0.0))
        turn = above.T @ self.links[-1].axes
        self._join(ArmJoint(c.name, parent, on_parent, on_link, turn, axis, motion, sense, servo))

    def _interface_of(self, frame: Any) -> LinkFrame:
        """The frame of the node on which a frame stands, in the axes of its modal body."""
        if id(frame.node) in self.interfaces:
            body, name = self.interfaces[id(frame.node)]
            return self.modal[body.name][name]
        body = self.references[id(frame.node)]
        link = self.links[self.number[body.name]]
        return LinkFrame.rigid(np.zeros(3), link.axes.T @ _axes(frame.node.orientation), link.n)

    def _join(self, joint: ArmJoint) -> None:
        self.links[-1].inner = joint.on_link
        self.joints.append(joint)

    def _refuse_loose(self) -> None:
        """Raise a FormulationError for bodies that no joint connects to the ground."""
        for name in self.bodies:
            if name not in self.number:
                raise FormulationError(f"{self.where}: no joint connects body {name!r} to the ground")
        for node, masses in self.masses.items():
            if node not in self.number and node not in self.interfaces and node not in self.references:
                raise FormulationError(f"{self.where}: no joint connects {masses[0].where} to the ground")
        if not self.links:
            raise FormulationError(f"{self.where}: nothing of it moves; give it links and joints")

    def _choose_outer(self) -> None:
        """The frame of each link whose displacements are coordinates: the one at which the next link begins; of the
        last link its other interface, where it has one more."""
        for k, link in enumerate(self.links):
            following = [j for j in self.joints if j.parent == k]
            first = [j for j in following if j.motion is not None] or following
            if first:
                link.outer = first[0].on_parent
            elif link.name in self.modal:
                others = [f for name, f in self.modal[link.name].items() if name != self.begins.get(link.name)]
                link.outer = others[0] if len(others) == 1 else None


class _Rider:
    """Masses that stand on a node of a modal body."""

    def __init__(self, masses: list[SpatialMass]) -> None:
        self.masses, self.frame = masses, masses[0].frame
        self.name, self.where = masses[0].name, masses[0].where
