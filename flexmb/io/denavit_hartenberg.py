r"""Arms by Denavit–Hartenberg parameters.

Each row of the table is θ, d, a, α of one joint. With turns R and shifts D about and along axes, the frame of a link
stands against the one before it by

    distal, Denavit and Hartenberg (1955):   T = R_z(θ) D_z(d) D_x(a) R_x(α)
    proximal, Craig (2005):                  T = R_x(α) D_x(a) R_z(θ) D_z(d)

To θ of a revolute joint, and to d of a prismatic one, its position q is added. Distal, also called standard: the frame
of link i stands at its far end, on the axis of joint i + 1, and joint i turns about the z-axis of frame i − 1.
Proximal, also called modified: the frame of link i stands at its near end, and joint i turns about its z-axis. As both
motions are along z, T is P · (motion of the joint) · C with constant P and C, which are the frames of the joint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.errors import ModelError
from flexmb.io.robot import Robot, RobotJoint
from flexmb.model import checks, given_names
from flexmb.model.checks import Vector
from flexmb.model.hints import answers_calls
from flexmb.model.orientations import Orientation, quaternion_of, rotation_of
from flexmb.model.spatial_frames import Frame
from flexmb.spatial.arm_link import ArmLink

CONVENTIONS = ("distal", "proximal")
#: kinds of joints by their letters
KINDS = {"R": "revolute", "P": "prismatic"}
UNLIMITED = (-np.inf, np.inf)


class Placed(NamedTuple):
    """A rotation and a place (3,) [m] of a frame against another."""

    rotation: Rotation
    position: np.ndarray

    def then(self, other: Placed) -> Placed:
        """A frame that stands by `other` against this one."""
        return Placed(self.rotation * other.rotation, self.position + self.rotation.apply(other.position))

    def against(self, base: Placed) -> Placed:
        """This frame as another that stands by `base` sees it."""
        back = base.rotation.inv()
        return Placed(back * self.rotation, back.apply(self.position - base.position))


def about(axis: int, angle: float, shift: float) -> Placed:
    """A turn [rad] about an axis, 0 for x or 2 for z, and a shift [m] along it."""
    e = np.eye(3)[axis]
    return Placed(Rotation.from_rotvec(angle * e), shift * e)


@answers_calls
def denavit_hartenberg(
    table: Any,
    *,
    convention: str = "distal",
    kinds: str = "",
    names: Sequence[str] | None = None,
    links: Sequence[Any] | None = None,
    base: ArmLink | None = None,
    tool: Vector = (0.0, 0.0, 0.0),
    tool_orientation: Orientation = None,
    name: str = "arm",
    gravity: Vector = (0.0, 0.0, -9.81),
    position: Vector = (0.0, 0.0, 0.0),
    orientation: Orientation = None,
    positions: Mapping[str, Any] | None = None,
) -> Robot:
    """An arm by its Denavit–Hartenberg parameters, rigid or flexible: a model in space with its links and joints by
    name, as :func:`flexmb.read_urdf` makes it of a file.

    `table` (n, 4): θ [rad], d [m], a [m], α [rad] of each joint, see :mod:`flexmb.io.denavit_hartenberg`; `convention`:
    'distal' (standard, Paul and Spong), or 'proximal' (modified, Craig). `kinds` of the joints, a letter each, 'R' for
    revolute and 'P' for prismatic, all revolute when not given; the position of a joint is added to its θ or d. `names`
    of the joints, 'joint 1' and so on. `links`: an :class:`flexmb.spatial.ArmLink` each, None for a bare frame,
    'link 1' and so on where they have no name. `base`: a beam from the ground to joint 1, which begins at its `bearing`
    on the axis z of frame 0. `tool` (3,) [m] and `tool_orientation` in the frame of the last link: the frame 'tool',
    at which a last link that is a beam ends. `position` (3,) [m] and `orientation` of frame 0, `positions` of joints by
    name at the start [rad or m].

    `arm.links` has the frame of each link, 'base' (frame 0) and 'tool' too; `arm.joints` the joints; `arm.drive`,
    `arm.actuate`, `arm.sensor`, `arm.positions` measure them as the table does.

    >>> import flexmb as fm
    >>> import numpy as np
    >>> rod = fm.spatial.ArmLink(mass=2.0, center=(-0.25, 0, 0), inertia=(0.001, 0.05, 0.05))
    >>> table = [[0, 0.4, 0, np.pi / 2], [0, 0, 0.5, 0], [0, 0, 0.5, 0]]
    >>> arm = fm.denavit_hartenberg(table, links=[None, rod, rod], positions={"joint 2": np.pi / 2})
    >>> (arm.links["tool"].position + 0.0).round(9).tolist()
    [0.0, 0.0, 1.4]
    >>> for joint in arm.moving:
    ...     _ = arm.drive(joint.name, joint.start)
    >>> {name: round(float(torque[0]), 3) for name, torque in arm.efforts(fm.simulate(arm, 0.1)).items()}
    {'joint 1': 0.0, 'joint 2': 0.0, 'joint 3': 0.0}
    """
    where = f"denavit_hartenberg {checks.quoted(name)}"
    builder = _Builder(table, convention, kinds, names, links, base, where)
    builder.robot = Robot(name, gravity)
    start = builder.start(positions)
    turn = rotation_of(quaternion_of(orientation, "orientation", where))
    at = Placed(turn, checks.vector(position, "position", where, 3))
    hand = Placed(
        rotation_of(quaternion_of(tool_orientation, "tool_orientation", where)), checks.vector(tool, "tool", where, 3)
    )
    with builder.robot.all_or_nothing():
        builder.build(at, hand, start)
    return builder.robot


class _Builder:
    """An arm while it is made from a table."""

    robot: Robot

    def __init__(
        self, table: Any, convention: str, kinds: Any, names: Any, links: Any, base: ArmLink | None, where: str
    ) -> None:
        self.where, self.base = where, base
        self.table = checks.matrix(table, "table", where)
        rows, columns = self.table.shape
        if columns != 4:
            raise ModelError(f"{where}: its table has {columns} columns; give θ, d, a, α of each joint")
        self.distal = checks.choice(convention, CONVENTIONS, "convention", where) == "distal"
        self.kinds = self._per_row([*checks.text(kinds, "kinds", where)] or ["R"] * rows, "kinds")
        for k, kind in enumerate(self.kinds):
            if kind not in KINDS:
                raise ModelError(f"{where}: kinds[{k}] is {checks.quoted(kind)}; give 'R', revolute, or 'P', prismatic")
        own = [f"joint {k + 1}" for k in range(rows)] if names is None else checks.listed(names, "names", where)
        self.names = self._per_row(own, "names")
        self.links: list[ArmLink] = []
        given = [None] * rows if links is None else checks.listed(links, "links", where)
        for k, link in enumerate(self._per_row(given, "links")):
            if link is not None and not isinstance(link, ArmLink):
                raise ModelError(f"{where}: links[{k}] is {checks.quoted(link)}; give a fm.spatial.ArmLink or None")
            self.links.append(ArmLink() if link is None else link)
        self.called = [link.name or f"link {k + 1}" for k, link in enumerate(self.links)]
        for called, link in zip(self.called, self.links, strict=True):
            link.check(f"{where}, link {checks.quoted(called)}")
        if base is not None and not (isinstance(base, ArmLink) and base.bends):
            raise ModelError(f"{where}: its base is rigid and stands on the ground, so it has no motion; leave it out")
        if base is not None and base.mass is not None:
            raise ModelError(f"{where}: its base has a mass of its own; give that to the model, as a body on its frame")
        given_names.all_different([*self.called, "base", "tool"], "link", where)
        given_names.all_different(self.names, "joint", where)

    def _per_row(self, values: list[Any], what: str) -> list[Any]:
        if len(values) != len(self.table):
            raise ModelError(
                f"{self.where}: it has {len(values)} {what}; its table has {len(self.table)} rows, one for each joint"
            )
        return values

    def start(self, positions: Mapping[str, Any] | None) -> list[float]:
        """The positions of all joints at the start."""
        found = dict.fromkeys(self.names, 0.0)
        for name, value in checks.names_or_none(positions, "positions", self.where).items():
            found[given_names.known(name, self.names, "joint", self.where)] = checks.number(
                value, f"position of {checks.quoted(name)}", self.where
            )
        return list(found.values())

    def frames(self, k: int) -> tuple[Placed, Placed]:
        """P and C of joint k: its frame on the link before it, and the frame of link k against its other one."""
        theta, d, a, alpha = self.table[k].tolist()
        none = about(2, 0.0, 0.0)
        if self.distal:
            return about(2, theta, 0.0), about(2, 0.0, d).then(about(0, alpha, a))
        return about(0, alpha, a).then(about(2, theta, d)), none

    def build(self, at: Placed, tool: Placed, start: list[float]) -> None:
        """Links and joints, from the base on."""
        robot, table = self.robot, self.table
        size = float(np.max(np.abs(table[:, 1:3]), initial=0.0)) + float(np.linalg.norm(tool.position))
        robot.links["base"] = end = self._add_base(at, size)
        for k, (link, called, name) in enumerate(zip(self.links, self.called, self.names, strict=True)):
            before, after = self.frames(k)
            fixed = at.then(before)  # the joint's frame on the link before it
            q = start[k]
            moved = fixed.then(about(2, q, 0.0) if self.kinds[k] == "R" else about(2, 0.0, q))
            at = moved.then(after)
            following = tool if k == len(table) - 1 else self.frames(k + 1)[0].then(about(2, 0.0, self._begins(k + 1)))
            bearing = about(2, 0.0, link.bearing)
            near = moved.then(bearing)
            first, frame, last = self._add_link(link, called, at, near.against(at), following, size)
            on_a = self._on(end, f"{end.name}.{name}", fixed.then(bearing))
            on_b = self._on(first, f"{called}.{name}", near)
            joint = robot.revolute if self.kinds[k] == "R" else robot.prismatic
            component = joint(on_a, on_b, axis="z", name=name)
            robot.links[called] = frame
            parent = "base" if k == 0 else self.called[k - 1]
            robot.joints[name] = RobotJoint(
                name, KINDS[self.kinds[k]], parent, called, np.array([0.0, 0.0, 1.0]), *UNLIMITED, np.inf, np.inf,
                0.0, 0.0, None, q, component, on_a,
            )  # fmt: skip
            end = last
        robot.links["tool"] = self._on(end, "tool", at.then(tool))

    def _begins(self, k: int) -> float:
        """Distance along the joint axis at which link k begins [m]."""
        return float(self.links[k].bearing)

    def _on(self, frame: Frame, name: str, at: Placed) -> Frame:
        """A new frame fastened to another, at a place of the start."""
        seen = at.against(Placed(frame.orientation, frame.position))
        return frame.attach(name, seen.position, seen.rotation)

    def _add_base(self, at: Placed, size: float) -> Frame:
        """Frame 0: on the ground, or on the end of a beam that stands there."""
        if self.base is None:
            return self._on(self.robot.ground, "base", at)
        where = f"{self.where}, base"
        self.base.check(where)
        foot, top = (np.array([0.0, 0.0, z]) for z in (self.base.bearing, self._begins(0)))
        beam = self.base.beam(foot, top, size + abs(self.base.bearing), where)
        called = f"{self.base.name or 'base'}.beam"
        body = self.robot.add_modal_body(called, beam, at.position, at.rotation, field=self.base.field)
        end = body.at("start")
        self.robot.weld(self._on(self.robot.ground, f"ground.{called}", Placed(end.orientation, end.position)), end)
        return self._on(body.at("end"), "base", at)

    def _add_link(
        self, link: ArmLink, called: str, at: Placed, near: Placed, following: Placed, size: float
    ) -> tuple[Frame, Frame, Frame]:
        """The frames of a link at which its joint stands, its own, and the one that carries what follows; `near` and
        `following`: where it begins and ends, in its axes."""
        robot, where = self.robot, f"{self.where}, link {checks.quoted(called)}"
        mass: dict[str, Any] = {"mass": link.mass, "inertia": link.inertia, "center": link.center, "shape": link.shape}
        if not link.bends:
            if link.mass is None:
                frame = robot.add_frame(called, at.position, at.rotation)
                if link.shape is not None:
                    robot.add_figure(f"{called}.figure", frame, link.shape)
            else:
                frame = robot.add_body(called, position=at.position, orientation=at.rotation, **mass).frame
            return frame, frame, frame
        beam = link.beam(near.position, following.position, size, where)
        body = robot.add_modal_body(f"{called}.beam", beam, at.position, at.rotation, field=link.field)
        first, last = body.at("start"), body.at("end")
        frame = self._on(last if self.distal else first, called, at)
        if link.mass is not None:
            robot.add_body(f"{called}.mass", frame=self._on(last, f"{called}.carrier", at), **mass)
        return first, frame, last
