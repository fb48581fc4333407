"""Robots from URDF files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.errors import ModelError, PictureWarning, warn
from flexmb.forces.friction import Friction
from flexmb.io.flexible_links import BASE, FlexibleLink
from flexmb.io.link_masses import LinkSite, complete
from flexmb.io.robot import Robot, RobotJoint
from flexmb.io.urdf_file import NOWHERE_ELSE, SINGLE, JointData, LinkData, Place, RobotFile, parsed
from flexmb.io.urdf_masses import Masses
from flexmb.io.urdf_shapes import Figures
from flexmb.io.urdf_start import Start
from flexmb.machine import files
from flexmb.model import checks, given_names
from flexmb.model.checks import Vector
from flexmb.model.geometry.shapes import Shape
from flexmb.model.hints import answers_calls
from flexmb.model.orientations import Orientation, quaternion_of, rotation_of
from flexmb.model.spatial_frames import Frame

#: at the limit of its effort a joint presses its stop in by this angle [rad] or length [m]
YIELD = {"revolute": 0.01, "prismatic": 0.001}
#: what may be said of all stops; their limits are those of the file
STOP_LAW = ("stiffness", "exponent", "damping", "restitution", "impact_speed")
#: part of the speed that a joint keeps when it meets a stop at the limit of its velocity
RESTITUTION = 0.2
#: speed over which dry friction changes its sign [rad/s] or [m/s]
SMOOTHING = {"revolute": 0.01, "continuous": 0.01, "prismatic": 0.001}


@answers_calls
def read_urdf(
    path: str | Path,
    *,
    name: str | None = None,
    gravity: Vector = (0.0, 0.0, -9.81),
    fixed_base: bool = True,
    position: Vector = (0.0, 0.0, 0.0),
    orientation: Orientation = None,
    velocity: Vector | None = None,
    angular_velocity: Vector | None = None,
    positions: Mapping[str, Any] | None = None,
    rates: Mapping[str, Any] | None = None,
    losses: bool = True,
    stops: bool | Mapping[str, float] = False,
    meshes: bool = True,
    packages: Mapping[str, str | Path] | None = None,
    triangles: int = 6000,
    improper_inertia: str = "refuse",
    flexible: Mapping[str, FlexibleLink] | None = None,
) -> Robot:
    """The robot in a URDF file, as a model in space with its links and joints by their names there. It needs the
    package yourdfpy, which `pip install 'flexmb[urdf]'` brings.

    The links are rigid bodies with the mass, mass center and inertia of the file; the frame of a link stands in its
    joint, as URDF has it. Links that fixed joints hold together are one body for the engine. Joints are `revolute`,
    `continuous` (its turns are counted), `prismatic`, `fixed`, `floating` and `planar` (x, y and the angle about its
    axis); one that mimics another is coupled to it, q = m q₁ + o, through all joints between. Transmissions,
    sensors, safety controllers and what is Gazebo's are left out, and collision geometry but for flexible solids.

    Arguments: `name` of the model, that of the robot when not given; `gravity` (3,) [m/s²]; `fixed_base`: the root link
    is fixed to the ground, else it moves freely; `position` (3,) [m] and `orientation` of the root link; its `velocity`
    (3,) [m/s] and `angular_velocity` (3,) [rad/s] in the axes of the ground, where it is free; `positions` and `rates`
    of joints by name, as the file measures them [rad or m, rad/s or m/s], of planar ones (x, y, angle), of floating
    ones a place (3,) and an orientation, and velocity and angular velocity (3,) each in the axes of the parent; 0 where
    not given; where a drive or a further joint moves the robot at the start, speeds that are given are kept, zero too,
    and the others are found; `losses`: whether damping and friction of the file act; `stops`: whether limits are stops,
    or the law of all of them, arguments of :meth:`flexmb.SpatialModel.joint_stop` (when True, a joint presses its stop
    in by 0.01 rad or 1 mm at the limit of its effort, and keeps 0.2 of its speed when it meets it at the limit of its
    velocity), else they are data in `robot.joints`; `meshes`: whether the visual geometry is loaded, for pictures;
    `packages`: folders of the packages that `package://` names, which else are looked for among the folders above the
    file and in ROS_PACKAGE_PATH; `triangles`: the most with which a link is drawn, where its mesh has more it is
    thinned; `improper_inertia`: "refuse" inertias that no body can have, or "repair" them: the nearest that one can
    have (:func:`flexmb.model.geometry.inertia.nearest_possible`) is taken, with a warning for each link that says how
    far it is; `flexible`: links that bend, by name, each a :class:`flexmb.FlexibleLink`; the geometry of
    the file bends along beams, solids show their own mesh, and `robot.flexible` has their masses beside those of the
    file.

    A mesh that is missing, or cannot be read, takes a part of the picture away, with a warning, and nothing of the
    dynamics. A link whose frame or component would have a name that is taken is called 'NAME link', a joint 'NAME
    joint'; `robot.links` and `robot.joints` have all under the names of the file.

    >>> import flexmb as fm
    >>> from flexmb.examples import robots
    >>> robot = fm.read_urdf(robots.folder() / "arm.urdf", positions={"joint2": 0.5, "joint4": 1.2})
    >>> robot.joints["joint4"].upper, robot.joints["finger2"].mimic
    (2.6, ('finger', 1.0, 0.0))
    >>> push = robot.actuate("joint1", 5.0)  # Nm
    >>> run = fm.simulate(robot, 0.2, progress=False)
    >>> round(float(robot.positions(run)["joint1"][-1]), 3), run["hand"].position[-1].round(2).tolist()
    (0.079, [0.77, 0.01, 0.4])
    """
    where = f"read_urdf {path}"
    source = files.path_to_read(path, "read_urdf")
    given = parsed(source, where)
    figures = Figures(
        source, dict(packages or {}), given.colors, checks.count(triangles, "triangles", where, least=100)
    )
    for what, value in (("fixed_base", fixed_base), ("losses", losses), ("meshes", meshes)):
        checks.flag(value, what, where)
    checks.choice(improper_inertia, ("refuse", "repair"), "improper_inertia", where)
    if not isinstance(stops, Mapping):
        checks.flag(stops, "stops", where)
    elif "stiffness" not in {given_names.known(what, STOP_LAW, "argument of stops", where) for what in stops}:
        raise ModelError(f"{where}: stops have no stiffness; give stops={{'stiffness': …}}, or True for one by effort")
    base = Place(
        checks.vector(position, "position", where, 3), rotation_of(quaternion_of(orientation, "orientation", where))
    )
    motion = tuple(
        None if x is None else checks.vector(x, what, where, 3)
        for x, what in ((velocity, "velocity"), (angular_velocity, "angular_velocity"))
    )
    if fixed_base and any(x is not None and np.any(x) for x in motion):
        raise ModelError(f"{where}: its base is fixed, and has a velocity; give fixed_base=False")
    robot = Robot(given.name if name is None else name, gravity)
    begin = Start(given, positions, rates, where)
    bending = _flexible(flexible, given, where)
    masses = Masses(given, begin, fixed_base, improper_inertia == "repair", where, bending)
    builder = _Builder(given, robot, begin, masses, where, bending, figures)
    builder.add_links(base, motion, fixed_base, figures if meshes else None)
    builder.add_joints(losses, stops)
    if figures.missing:
        warn(
            f"{where}: pictures lack some of its meshes: {'; '.join(dict.fromkeys(figures.missing))}. Results are not "
            "changed; with meshes=False none are loaded",
            PictureWarning,
        )
    return robot


def _flexible(flexible: Any, given: RobotFile, where: str) -> dict[str, FlexibleLink]:
    """The links that bend, checked."""
    if flexible is None:
        return {}
    if not isinstance(flexible, Mapping):
        raise ModelError(f"{where}: flexible is {checks.quoted(flexible)}; give links by name, {{'link3': …}}")
    for name, link in flexible.items():
        given_names.known(name, given.links, "link", f"{where}: flexible")
        if not isinstance(link, FlexibleLink):
            raise ModelError(
                f"{where}: link {name!r} is flexible by {checks.quoted(link)}; give fm.FlexibleLink.beam(…), solid(…) "
                "or reduced(…)"
            )
    return dict(flexible)


class _Builder:
    """A robot while it is made from a file."""

    def __init__(
        self, given: RobotFile, robot: Robot, begin: Start, masses: Masses, where: str,
        flexible: Mapping[str, FlexibleLink], figures: Figures,
    ) -> None:  # fmt: skip
        self.file, self.robot, self.begin, self.masses, self.where = given, robot, begin, masses, where
        self.flexible, self.figures = flexible, figures
        #: frames of joints on flexible links, by these
        self.ends: dict[str, Mapping[str, Frame]] = {}
        self.above = {joint.child: joint for joint in given.joints.values()}
        #: frames on the parents, one a joint; links that show a shape of their own
        self.frames: dict[str, Frame] = {}
        self.shown: set[str] = set()

    def _called(self, name: str, taken: Any, kind: str) -> str:
        """The name of a link or joint in the model."""
        return f"{name} {kind}" if name in taken else name

    def add_links(self, base: Place, motion: tuple[Any, ...], fixed_base: bool, figures: Figures | None) -> None:
        """Frames, bodies and figures of all links, and their motion at the start."""
        places = {self.file.root: base}
        moving = {self.file.root: tuple(np.zeros(3) if x is None else x for x in motion)}
        for name in (self.file.root, *(joint.child for joint in self.file.joints.values())):
            link, joint = self.file.links[name], self.above.get(name)
            shape = None if figures is None else figures.of(link)
            if joint is None:
                at, carrier = base, self.robot.ground if fixed_base else None
                offset = base
            else:
                on, offset = self.robot.links[joint.parent], joint.origin
                if joint.parent in self.ends:
                    on, offset = self.ends[joint.parent][joint.name], NOWHERE_ELSE
                    self.frames[joint.name] = on
                else:
                    self.frames[joint.name] = on.attach(f"{on.name}.{joint.name}", offset.position, offset.rotation)
                at = places[joint.parent].then(joint.origin).then(self.begin.moved(joint))
                carrier = on if joint.type == "fixed" else None
                moving[name] = self._carried(joint, places[joint.parent], at, moving[joint.parent])
            places[name] = at
            if name in self.flexible:
                self.robot.links[name] = self._add_flexible(link, joint, at, moving[name], shape)
                if carrier is not None:
                    held = carrier.attach(f"{name}.support", offset.position, offset.rotation)
                    self.robot.weld(held, self.robot.links[name], name=f"{name} support")
                    continue
            else:
                self.robot.links[name] = self._add_link(link, at, carrier, offset, shape)
            if carrier is None:
                self._move(self.robot.links[name], joint, moving[name], motion)

    def _move(self, link: Frame, joint: JointData | None, carried: Any, motion: tuple[Any, ...]) -> None:
        """Let a link start as the links before it and the rates of joints carry it. Given are the `motion` of the root,
        and rates of joints as motions against the parent, since a drive may move that."""
        link.node.move(*carried, link.position)
        link.node.given = False
        if joint is None:
            link.move(*motion)
        elif joint.name in self.begin.given and joint.mimic is None:
            link.move(*self.begin.moving(joint), against=self.frames[joint.name])
            link.node.given = link.node.given._replace(called=joint.where)

    def _carried(self, joint: JointData, parent: Place, at: Place, motion: Any) -> tuple[np.ndarray, np.ndarray]:
        """Velocity and angular velocity of a child in the axes of the ground."""
        v, omega = motion
        axes = parent.then(joint.origin).rotation
        relative = self.begin.moving(joint)
        return v + np.cross(omega, at.position - parent.position) + axes.apply(relative[0]), omega + axes.apply(
            relative[1]
        )

    def _add_flexible(
        self, link: LinkData, joint: JointData | None, at: Place, moving: Any, shape: Shape | None
    ) -> Frame:
        """The frame of a link that bends, with beams or a body, what the file says beyond their mass, and its shape."""
        called = self._called(link.name, {*self.robot.frames, *self.robot.components}, "link")
        joints = {one.name: one.origin for one in self.file.children(link.name)}
        own = BASE if joint is None else joint.name
        where = f"{self.where}: {link.where}"
        site = LinkSite(self.robot, called, link, at, own, joints, self.figures, where)
        spec = self.flexible[link.name]
        part = spec.add(site)
        for node in part.nodes:
            node.move(*moving, at.position)
            node.given = False
        self.ends[link.name] = part.ends
        mass = self.masses.of(link.name)
        bends = None if shape is None or part.along is None else (shape, part.along)
        self.robot.flexible[link.name] = complete(spec.rest, part, site, mass, self.masses.repair, bends is not None)
        if bends is not None:
            self.robot.add_figure(f"{called}.figure", part.frame, bends[0], bends_along=bends[1])
            self.shown.add(link.name)
        return part.frame

    def _add_link(self, link: LinkData, at: Place, carrier: Frame | None, offset: Place, shape: Shape | None) -> Frame:
        """The frame of a link: that of a new body with all that is fixed to it, or one on the body that carries it."""
        robot = self.robot
        called = self._called(link.name, {*robot.frames, *robot.components}, "link")
        if shape is not None:
            self.shown.add(link.name)
        if carrier is not None:
            frame = carrier.attach(called, offset.position, offset.rotation)
            if shape is not None:
                robot.add_figure(called, frame, shape)
            if link.name in self.masses.moving:  # it is fixed to a link that bends
                mass, center, J = self.masses.of(link.name)
                if np.any(J):
                    robot.add_body(f"{called}.mass", mass=mass, inertia=J, center=center, frame=frame)
                elif mass > 0.0:
                    robot.add_point_mass(f"{called}.mass", frame.attach(f"{called}.mass", center), mass)
            return frame
        mass, center, J = self.masses.of(link.name)
        if np.any(J):
            body = robot.add_body(
                called, mass=mass, inertia=J, center=center, shape=shape, position=at.position, orientation=at.rotation
            )
            return body.frame
        frame = robot.add_frame(called, at.position, at.rotation)
        if mass > 0.0:
            robot.add_point_mass(f"{called}.mass", frame.attach(f"{called}.mass", center), mass)
        if shape is not None:
            robot.add_figure(called, frame, shape)
        return frame

    def add_joints(self, losses: bool, stops: bool | Mapping[str, float]) -> None:
        """Joints, couplings of those that mimic others, dampers and stops."""
        for name, joint in self.file.joints.items():
            component = self._component(joint)
            if component is not None and {joint.parent, joint.child} <= self.shown:
                component.glyphs = ()  # the meshes show it
            self.robot.joints[name] = RobotJoint(
                name, joint.type, joint.parent, joint.child, joint.axis, *joint.limits, joint.effort, joint.velocity,
                joint.damping, joint.friction, joint.mimic, self.begin.q[name], component, self.frames[name],
            )  # fmt: skip
        for made in self.robot.joints.values():
            if made.mimic is not None and made.mimic[1] != 0.0:
                leader = self.robot.joints[made.mimic[0]].component
                assert leader is not None and made.component is not None
                self.robot.coupling(leader, made.component, made.mimic[1], name=f"{made.name} mimics {made.mimic[0]}")
        for made in self.robot.joints.values():
            if losses and made.type in SINGLE and (made.damping > 0.0 or made.friction > 0.0):
                if made.component is not None and made.component.coordinates:
                    dry = Friction(made.friction, smoothing=SMOOTHING[made.type]) if made.friction > 0.0 else None
                    self.robot._actuator(made, damping=made.damping, friction=dry)
        if stops is not False:
            for made in self.robot.joints.values():
                if made.type in ("revolute", "prismatic") and np.any(np.isfinite([made.lower, made.upper])):
                    self._add_stop(made, stops)

    def _component(self, joint: JointData) -> Any:
        if joint.type in ("fixed", "floating"):
            return None
        robot, a, b = self.robot, self.frames[joint.name], self.robot.links[joint.child]
        called = self._called(joint.name, {*robot.components, *robot.frames}, "joint")
        if joint.mimic is not None and joint.mimic[1] == 0.0:
            return robot.weld(a, b, name=called)
        axis = joint.axis
        if joint.type == "prismatic":
            return robot.prismatic(a, b, axis=axis, name=called)
        if joint.type == "planar":
            return robot.planar_joint(a, b, axis=axis, name=called)
        return robot.revolute(a, b, axis=axis, count_turns=joint.type == "continuous", name=called)

    def _add_stop(self, joint: RobotJoint, stops: bool | Mapping[str, float]) -> None:
        where = f"{self.where}: stop of {joint.where}"
        if joint.component is None or not joint.component.coordinates:
            return
        if not joint.lower <= joint.start <= joint.upper:
            raise ModelError(
                f"{where}: it starts at {joint.start:.6g}, beyond its limits {joint.lower:.6g} and {joint.upper:.6g}; "
                "give it a position between them, or stops=False"
            )
        law: dict[str, Any]
        if isinstance(stops, Mapping):
            law = dict(stops)
        else:
            if not (0.0 < joint.effort < np.inf and 0.0 < joint.velocity < np.inf):
                raise ModelError(
                    f"{where}: its file says no effort and velocity, from which the stiffness follows; give "
                    "stops={'stiffness': …, 'restitution': …, 'impact_speed': …}"
                )
            stiffness = joint.effort / YIELD[joint.type] ** 1.5
            law = {"stiffness": stiffness, "restitution": RESTITUTION, "impact_speed": joint.velocity}
        start = joint.start if joint.turns else 0.0
        ends = {
            side: value - start
            for side, value in (("lower", joint.lower), ("upper", joint.upper))
            if np.isfinite(value)
        }
        self.robot.joint_stop(joint.component, **{**ends, **law}, name=f"{joint.name} stop")
