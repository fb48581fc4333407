"""Robots: models in space whose links and joints are those of a URDF file, or of a table of Denavit–Hartenberg
parameters, by their names there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.errors import ModelError
from flexmb.feedback.joint_sensors import JointAngle, JointPosition, JointRate, JointSpeed
from flexmb.feedback.sensors import Sensor
from flexmb.forces.joint_force import JointForce
from flexmb.io.urdf_file import SINGLE
from flexmb.joints.spatial.drives.drive_joint import DriveJoint
from flexmb.joints.spatial.pair_tables import LowerPair
from flexmb.model import checks, given_names
from flexmb.model.functions.time_function import TimeFunction, as_function, as_motion
from flexmb.model.hints import AnswersCalls
from flexmb.model.spatial_frames import Frame
from flexmb.spatial.model import SpatialModel


class Pose(NamedTuple):
    """A place (3,) [m], or (k, 3), and a rotation of SciPy, of a link against another or in a floating joint."""

    position: np.ndarray
    orientation: Rotation


@dataclass(frozen=True, eq=False)
class RobotJoint(metaclass=AnswersCalls):
    """A joint of a robot, as its file describes it.

    `name`; `type`: 'revolute', 'continuous', 'prismatic', 'fixed', 'floating' or 'planar'; `parent` and `child`, names
    of links; `axis` (3,) in the axes of the joint; `lower`, `upper` [rad or m], `effort` [Nm or N] and `velocity`
    [rad/s or m/s], its limits, infinite where there are none; `damping` [Nms/rad or Ns/m] and `friction` [Nm or N];
    `mimic`: the joint that it follows, multiplier and offset; `start`: its position in the model [rad or m], of a
    planar joint x, y and angle; `component`: the joint of the model, None where it is fixed or floating, and `frame` on
    the parent in which it moves.

    >>> import flexmb as fm
    >>> from flexmb.examples import robots
    >>> robot = fm.read_urdf(robots.folder() / "arm.urdf")
    >>> joint = robot.joints["joint4"]
    >>> joint.type, joint.upper, joint.component.name
    ('revolute', 2.6, 'joint4')
    """

    name: str
    type: str
    parent: str
    child: str
    axis: np.ndarray
    lower: float
    upper: float
    effort: float
    velocity: float
    damping: float
    friction: float
    mimic: tuple[str, float, float] | None
    start: Any
    component: LowerPair | None
    frame: Frame

    @property
    def where(self) -> str:
        """The joint as messages name it."""
        return f"joint {checks.quoted(self.name)}"

    @property
    def turns(self) -> bool:
        """Whether its position is an angle."""
        return self.type in ("revolute", "continuous")


class Robot(SpatialModel):
    """A model in space with the links and joints of a robot; :func:`flexmb.read_urdf` makes it, and
    :func:`flexmb.denavit_hartenberg`.

    Attributes: `links`: the frame of each link by its name, in the place of the joint that carries the link; `joints`,
    each a :class:`RobotJoint`, by name; `flexible`: of each flexible link its beams or body as `components`, and its
    mass beside that of the file, by name. All verbs of a :class:`flexmb.SpatialModel` go on: more bodies, springs,
    contacts of the feet, controllers.

    >>> import flexmb as fm
    >>> from flexmb.examples import robots
    >>> robot = fm.read_urdf(robots.folder() / "arm.urdf")
    >>> sorted(robot.links)[:3], robot.joints["joint4"].type
    (['base', 'hand', 'left finger'], 'revolute')
    """

    def __init__(self, name: str, gravity: Any = (0.0, 0.0, -9.81)) -> None:
        super().__init__(name, gravity)
        self.links: dict[str, Frame] = {}
        self.joints: dict[str, RobotJoint] = {}
        self.flexible: dict[str, Any] = {}

    @property
    def moving(self) -> list[RobotJoint]:
        """The joints that have one coordinate of their own: revolute, continuous and prismatic ones that follow no
        other joint."""
        return [joint for joint in self.joints.values() if joint.type in SINGLE and joint.mimic is None]

    def measures(self) -> dict[str, tuple[str, float, float, float]]:
        """How the file measures the joints with one coordinate, by their names: by a coordinate of the tree plus an
        offset, between a lower and an upper limit [rad or m].

        >>> import flexmb as fm
        >>> from flexmb.examples import robots
        >>> robot = fm.read_urdf(robots.folder() / "arm.urdf", positions={"joint2": 0.3}, meshes=False)
        >>> robot.measures()["joint2"]
        ('joint2.angle', 0.3, -2.0, 2.0)
        """
        return {
            name: (
                f"{joint.component.name}.{'angle' if joint.turns else 'position'}",
                float(joint.start) if joint.turns else 0.0,
                joint.lower,
                joint.upper,
            )
            for name, joint in self.joints.items()
            if joint.type in SINGLE and joint.component is not None
        }

    def joint(self, name: str) -> RobotJoint:
        """A joint by its name.

        >>> import flexmb as fm
        >>> from flexmb.examples import robots
        >>> robot = fm.read_urdf(robots.folder() / "arm.urdf")
        >>> robot.joint("joint4").type
        'revolute'
        """
        return self.joints[given_names.known(name, self.joints, "joint", self.where)]

    def actuate(self, name: str, force: float | TimeFunction = 0.0) -> JointForce:
        """Let a torque [Nm] about the axis of a joint act on it, or a force [N] along it: a number or a function of
        time, which controllers and linear models command. It acts on the child, and the other way on the parent.

        It is the component 'NAME actuator', which damps and rubs as the file says; a second call changes its force.

        >>> import flexmb as fm
        >>> from flexmb.examples import robots
        >>> robot = fm.read_urdf(robots.folder() / "arm.urdf")
        >>> robot.actuate("joint1", 5.0).name
        'joint1 actuator'
        """
        joint = self._single(name, "actuate")
        known = self.components.get(f"{name} actuator")
        if isinstance(known, JointForce):
            known.force = as_function(force, "force", known.where)
            return known
        return self._actuator(joint, force)

    def drive(self, name: str, motion: float | TimeFunction) -> DriveJoint:
        """Let the position of a joint follow a function of time [rad or m], measured as the file does: the component
        'NAME drive'.

        >>> import flexmb as fm
        >>> from flexmb.examples import robots
        >>> robot = fm.read_urdf(robots.folder() / "arm.urdf")
        >>> robot.drive("joint1", fm.Polynomial([0.0, 0.5])).name
        'joint1 drive'
        """
        joint = self._single(name, "drive")
        f = as_motion(motion, "motion", f"{self.where}, drive of {joint.where}")
        component = joint.component
        assert component is not None
        return self._drawn_as(
            component, self.drive_joint(component, f + -joint.start if joint.turns else f, name=f"{name} drive")
        )

    def sensor(self, name: str, what: str = "position", *, coordinate: str = "", **errors: float) -> Sensor:
        """A sensor of a joint, for controllers, events and linear models, that reads what :meth:`positions` says, or
        with `what` = "rate" what :meth:`rates` says [rad or m, rad/s or m/s].

        `coordinate`: of a planar joint 'x', 'y' or 'angle'; `errors`: `noise` and `resolution` of the sensor.

        >>> import flexmb as fm
        >>> from flexmb.examples import robots
        >>> robot = fm.read_urdf(robots.folder() / "arm.urdf", positions={"joint2": 0.3}, meshes=False)
        >>> start = fm.assemble(robot).solution
        >>> robot.sensor("joint2").readings(start).round(12), robot.sensor("joint2", "rate").readings(start)
        (array([0.3]), array([0.]))
        """
        where = f"{self.where}, sensor"
        checks.choice(what, ("position", "rate"), "what", where)
        joint = self.joint(name)
        known = ("x", "y", "angle") if joint.type == "planar" else ()
        if joint.type in ("fixed", "floating") or joint.component is None or not joint.component.coordinates:
            kind = joint.type if joint.mimic is None else "held"
            raise ModelError(
                f"{where}: {joint.where} is {kind}, and has no coordinate; take a sensor of frames, e.g. AttitudeAngle "
                "or RangeFinder"
            )
        if checks.text(coordinate, "coordinate", where) or known:
            checks.choice(coordinate, known or ("",), "coordinate", f"{where} of {joint.where}")
        if not joint.turns and coordinate != "angle":
            return (JointPosition if what == "position" else JointSpeed)(joint.component, coordinate, **errors)
        if what == "rate":
            return JointRate(joint.component, coordinate, **errors)
        start = float(joint.start[2] if known else joint.start)
        return JointAngle(joint.component, coordinate, bias=start, **errors)

    def positions(self, of: Any = None) -> dict[str, Any]:
        """The positions of all joints that move, by name, as the file measures them: [rad] or [m], of planar joints x,
        y and angle (3,), of floating ones a :class:`Pose`.

        `of`: a solution, at all its times (k,), a state or an equilibrium; the model itself when not given.

        >>> import flexmb as fm
        >>> from flexmb.examples import robots
        >>> robot = fm.read_urdf(robots.folder() / "arm.urdf")
        >>> run = fm.simulate(robot, 0.1, step=0.01, progress=False)
        >>> robot.positions(run)["joint1"].shape
        (11,)
        """
        return self._asked(None if of is None else self._motion(of, "positions"), of)

    def rates(self, of: Any) -> dict[str, Any]:
        """The rates of all joints with one coordinate and of planar ones, by name [rad/s or m/s].

        >>> import flexmb as fm
        >>> from flexmb.examples import robots
        >>> robot = fm.read_urdf(robots.folder() / "arm.urdf")
        >>> run = fm.simulate(robot, 0.1, step=0.01, progress=False)
        >>> robot.rates(run)["joint1"].shape
        (11,)
        """
        return self._asked(self._motion(of, "rates"), of, "rate")

    def accelerations(self, of: Any) -> dict[str, Any]:
        """The accelerations of all joints with one coordinate and of planar ones, by name [rad/s² or m/s²]: the second
        derivatives of their positions. `of` as of :meth:`positions`.

        >>> import flexmb as fm
        >>> from flexmb.examples import robots
        >>> robot = fm.read_urdf(robots.folder() / "arm.urdf")
        >>> run = fm.simulate(robot, 0.1, step=0.01, progress=False)
        >>> sorted(robot.accelerations(run))[:2]
        ['finger', 'finger2']
        """
        return self._asked(self._motion(of, "accelerations"), of, "acceleration")

    def efforts(self, of: Any) -> dict[str, Any]:
        """The torques [Nm] and forces [N] with which drives move their joints, by the names of the joints: what an
        actuator has to give for the same motion (inverse dynamics). `of` as of :meth:`positions`.

        >>> import flexmb as fm
        >>> from flexmb.examples import robots
        >>> robot = fm.read_urdf(robots.folder() / "arm.urdf")
        >>> for name, joint in robot.joints.items():
        ...     if joint.turns and joint.mimic is None:
        ...         _ = robot.drive(name, 0.0)
        >>> rest = fm.simulate(robot, 0.1, step=0.1, progress=False)
        >>> sorted(robot.efforts(rest))[:2]
        ['joint1', 'joint2']
        """
        solution = self._motion(of, "efforts")
        found: dict[str, Any] = {}
        for name in self.joints:
            drive = self.components.get(f"{name} drive")
            if isinstance(drive, DriveJoint):
                values = -solution.multipliers[:, solution.layout.rows_of(drive.name)[-1]]
                found[name] = float(values[0]) if solution is not of else values
        if not found:
            raise ModelError(f"{self.where}, efforts: no joint is driven; call drive(joint, motion) first")
        return found

    # -- what read_urdf builds with --------------------------------------------------------------------------------

    def _actuator(self, joint: RobotJoint, force: float | TimeFunction = 0.0, **losses: Any) -> JointForce:
        assert joint.component is not None
        made = self.joint_force(joint.component, force, name=f"{joint.name} actuator", **losses)
        return self._drawn_as(joint.component, made)

    @staticmethod
    def _drawn_as(joint: LowerPair, component: Any) -> Any:
        """What drives a joint that is not drawn itself, since meshes show it, is not drawn either."""
        if not joint.glyphs:
            component.glyphs = ()
        return component

    def _single(self, name: str, what: str) -> RobotJoint:
        """A joint with a coordinate of its own."""
        joint = self.joint(name)
        if joint.type not in SINGLE:
            raise ModelError(f"{self.where}, {what}: {joint.where} is {joint.type}; it has not one coordinate")
        if joint.mimic is not None:
            raise ModelError(f"{self.where}, {what}: {joint.where} mimics {joint.mimic[0]!r}; {what} that one")
        return joint

    def _motion(self, of: Any, what: str) -> Any:
        """The solution that something is or has."""
        solution = getattr(of, "solution", of)
        if not hasattr(solution, "layout"):
            raise ModelError(
                f"{self.where}, {what}: {checks.quoted(of)} has none; give a solution, a state or an equilibrium"
            )
        return solution

    def _against_parent(self, joint: RobotJoint, solution: Any) -> Any:
        """How the child of a joint moves in the axes of the joint. The frame of a link may have another name."""
        return solution.relative(self.links[joint.child].name, joint.frame.name)

    def _asked(self, solution: Any, of: Any, order: str = "") -> dict[str, Any]:
        """Positions, or by their `order` "rate" or "acceleration" those, in the solution that `of` is or has; without
        one the positions of the model."""
        found: dict[str, Any] = {}
        for name, joint in self.joints.items():
            value = joint.start if solution is None else self._value(joint, solution, order)
            if joint.type == "fixed" or value is None:
                continue
            found[name] = _at_once(value) if solution is not None and solution is not of else value
        return found

    def _value(self, joint: RobotJoint, solution: Any, order: str) -> Any:
        """The position of a joint over a solution, or its rate or acceleration; None if it has none."""
        if joint.type == "fixed" or (joint.type == "floating" and order):
            return None
        if joint.type == "floating":
            track = self._against_parent(joint, solution)
            return Pose(track.position, track.orientation)
        component = joint.component
        assert component is not None
        if not component.coordinates:  # it follows another with the multiplier 0
            return np.full(len(solution.t), 0.0 if order else joint.start)
        track = solution[component.name]
        if joint.type == "planar":
            ends = [getattr(track, f"{c}_{order}" if order else c) for c in ("x", "y", "angle")]
            return np.stack(ends, axis=1) + (0.0 if order else np.array([0.0, 0.0, joint.start[2]]))
        if order:
            return getattr(track, order)
        return joint.start + track.angle if joint.turns else track.position


def _at_once(value: Any) -> Any:
    """What stands at the one time of a state."""
    if isinstance(value, Pose):
        return Pose(value.position[0], value.orientation[0])
    return float(value[0]) if value.ndim == 1 else value[0]
