"""The model of a mechanism in the plane, with a method for each component."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flexmb.control.controlled import ControlledModel
from flexmb.elements.planar import BEAMS, Beam, RigidBody
from flexmb.errors import ModelError
from flexmb.forces.friction import Friction
from flexmb.forces.planar import (
    Bushing,
    Contact,
    DistanceStop,
    DistributedLoad,
    Motor,
    PlanarTyre,
    PointForce,
    PointTorque,
    PythonForce,
    SpringDamper,
    Stop,
    TorsionSpring,
)
from flexmb.forces.tyre import Tyre
from flexmb.joints.friction import JointFriction
from flexmb.joints.planar import (
    Distance,
    DriveAngle,
    DriveDistance,
    DrivePosition,
    Gear,
    Joint,
    KnifeEdge,
    Lock,
    PinInSlot,
    Prismatic,
    Revolute,
    RollingOnCircle,
    RollingOnLine,
    Weld,
)
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.contact_shapes import ContactShape
from flexmb.model.damping import Damping
from flexmb.model.frames import Frame, FrameOrPoint
from flexmb.model.functions import TimeFunction
from flexmb.model.sections import BeamProperties, Material, Section


class PlanarModel(ControlledModel):
    """A mechanism in the plane.

    Arguments: `name`; `gravity` (2,) [m/s²].

    >>> import flexmb as fm
    >>> steel = fm.Material(density=7850, youngs_modulus=205e9)
    >>> arm = fm.PlanarModel("pendulum", gravity=(0, -9.81))
    >>> rod = arm.add_beam("rod", (0, 0), (1, 0), material=steel, section=fm.Circle(0.01), modes=2)
    >>> hinge = arm.revolute(arm.ground, rod.start)
    >>> sorted(arm.frames)
    ['ground', 'rod.end', 'rod.start']
    """

    def __init__(self, name: str, gravity: Vector = (0.0, 0.0)) -> None:
        super().__init__(name, gravity)
        self.ground = self.add_frame("ground", fixed=True)

    def add_frame(self, name: str, position: Vector = (0.0, 0.0), angle: float = 0.0, *, fixed: bool = False) -> Frame:
        """A new frame at `position` (2,) [m] and `angle` [rad], with three coordinates of its own, or fixed in
        space."""
        return Frame.placed(self, name, position, angle, fixed=fixed)

    # -- bodies and beams ----------------------------------------------------------------------------------------------

    def add_body(
        self,
        name: str,
        *,
        mass: float,
        inertia: float,
        position: Vector | None = None,
        angle: float | None = None,
        center: Vector = (0.0, 0.0),
        frame: Frame | None = None,
    ) -> RigidBody:
        """A rigid body: `mass` [kg], `inertia` about its centre of mass [kg m²], `center` (2,) [m] of mass in the axes
        of its frame. The frame is new, with the body's name, at `position` (2,) [m] and `angle` [rad] (zero when not
        given); or it is an existing `frame`."""
        where = f"body {checks.quoted(name)}"
        self.free_name(name, where)
        if frame is not None and (position is not None or angle is not None):
            raise ModelError(f"{where}: give either a frame, which has its place already, or position and angle")
        with self.all_or_nothing():
            if frame is None:
                frame = self.add_frame(
                    name, (0.0, 0.0) if position is None else position, 0.0 if angle is None else angle
                )
            return self.add(RigidBody(name, frame, mass, inertia, center))

    def add_point_mass(self, name: str, frame: Frame, mass: float) -> RigidBody:
        """A point mass [kg] on a frame."""
        return self.add(RigidBody(name, frame, mass, 0.0))

    def add_beam(
        self,
        name: str,
        start: FrameOrPoint,
        end: FrameOrPoint,
        *,
        material: Material | None = None,
        section: Section | None = None,
        properties: BeamProperties | None = None,
        theory: str = "cms",
        elements: int | None = None,
        damping: Damping | None = None,
        **options: Any,
    ) -> Beam:
        """A straight uniform beam from `start` to `end`, each a point (2,) [m] or a frame.

        The beam is clamped to a frame on a node (or a fixed one) by sharing it, without any constraint; to a frame with
        an offset it is welded. Its stiffness and mass are those of `material` and `section`, or `properties` (EA, EI,
        ρA).

        `theory`: 'cms' (component modes; options `modes=2`, `axial_modes=0`, `axial='second_order'`), 'ancf', 'exact'
        (with shear) or 'floating' (linear in its own frame; `modes=2`), see
        :class:`~flexmb.elements.planar.cms_beam.CmsBeam`, :class:`~flexmb.elements.planar.ancf_cable.AncfCable`,
        :class:`~flexmb.elements.planar.exact_beam.ExactBeam` and
        :class:`~flexmb.elements.planar.floating_beam.FloatingBeam`. `elements`: their number along the beam; when not
        given 1 for 'cms' and 'floating', 8 for 'ancf', 16 for 'exact'. `damping`: see :mod:`flexmb.model.damping`.
        """
        where = f"beam {checks.quoted(name)}"
        self.free_name(name, where)
        checks.choice(theory, BEAMS, "theory", where)
        given = BeamProperties.from_input(material, section, properties, where)
        family = BEAMS[theory]
        family.check_options(options, theory, where)
        count = family.usual_elements if elements is None else elements
        return family.build(self, name, start, end, given, count, damping, **options)

    # -- joints: the second frame is measured against the first --------------------------------------------------------

    def revolute(
        self, a: Frame, b: Frame, *, friction: JointFriction | None = None, name: str | None = None
    ) -> Revolute:
        """A hinge: two frames share a point, see :class:`Revolute`."""
        return self.add(Revolute(self.auto_name(name, "revolute"), a, b, friction))

    def prismatic(
        self,
        a: Frame,
        b: Frame,
        *,
        axis: float = 0.0,
        friction: JointFriction | None = None,
        name: str | None = None,
    ) -> Prismatic:
        """Frame b slides along an axis of frame a, at the angle `axis` [rad] there, see :class:`Prismatic`."""
        return self.add(Prismatic(self.auto_name(name, "prismatic"), a, b, axis, friction))

    def weld(self, a: Frame, b: Frame, *, name: str | None = None) -> Weld:
        """Two frames move as one, see :class:`Weld`."""
        return self.add(Weld(self.auto_name(name, "weld"), a, b))

    def pin_in_slot(
        self,
        a: Frame,
        b: Frame,
        *,
        axis: float = 0.0,
        friction: JointFriction | None = None,
        name: str | None = None,
    ) -> PinInSlot:
        """The origin of b stays on an axis of frame a, at the angle `axis` [rad] there, see :class:`PinInSlot`."""
        return self.add(PinInSlot(self.auto_name(name, "pin_in_slot"), a, b, axis, friction))

    def distance(self, a: Frame, b: Frame, distance: float | None = None, *, name: str | None = None) -> Distance:
        """Two origins keep a distance [m], that of the model when not given, see :class:`Distance`."""
        return self.add(Distance(self.auto_name(name, "distance"), a, b, distance))

    def gear(self, a: Frame, b: Frame, ratio: float, *, carrier: Frame | None = None, name: str | None = None) -> Gear:
        """Frame b turns `ratio` times as much as frame a, seen from a carrier, see :class:`Gear`."""
        return self.add(Gear(self.auto_name(name, "gear"), a, b, ratio, carrier))

    def lock(self, a: Frame, b: Frame, coordinate: str, value: float | None = None, *, name: str | None = None) -> Lock:
        """The coordinate 'x', 'y' or 'angle' of b in the axes of a keeps its value, see :class:`Lock`."""
        return self.add(Lock(self.auto_name(name, "lock"), a, b, coordinate, value))

    def knife_edge(
        self, frame: Frame, on: Frame | None = None, *, angle: float = 0.0, name: str | None = None
    ) -> KnifeEdge:
        """A blade or a wheel at the origin of `frame`, with its heading at `angle` [rad] there, does not slip sideways
        over the body of the frame `on` (the ground when not given), see :class:`KnifeEdge`."""
        return self.add(KnifeEdge(self.auto_name(name, "knife_edge"), on or self.ground, frame, angle))

    def rolling_on_line(
        self, a: Frame, b: Frame, radius: float, *, axis: float = 0.0, name: str | None = None
    ) -> RollingOnLine:
        """A circle about the origin of b rolls without slip on a line through that of a, on the left of its direction
        at the angle `axis` [rad] there, see :class:`RollingOnLine`."""
        return self.add(RollingOnLine(self.auto_name(name, "rolling_on_line"), a, b, radius, axis))

    def rolling_on_circle(
        self, a: Frame, b: Frame, radius_a: float, radius: float, *, inside: bool = False, name: str | None = None
    ) -> RollingOnCircle:
        """A circle about the origin of b rolls without slip on one about that of a, or inside it, see
        :class:`RollingOnCircle`."""
        return self.add(RollingOnCircle(self.auto_name(name, "rolling_on_circle"), a, b, radius, radius_a, inside))

    def drive_angle(
        self,
        a: Frame,
        b: Frame,
        angle: TimeFunction | float,
        *,
        relative_to_start: bool = False,
        name: str | None = None,
    ) -> DriveAngle:
        """The angle of b against a follows a function of time [rad], see :class:`DriveAngle`."""
        return self.add(DriveAngle(self.auto_name(name, "drive_angle"), a, b, angle, relative_to_start))

    def drive_position(
        self,
        a: Frame,
        b: Frame,
        position: TimeFunction | float,
        *,
        axis: float = 0.0,
        relative_to_start: bool = False,
        name: str | None = None,
    ) -> DrivePosition:
        """The origin of b along an axis of a follows a function of time [m], see :class:`DrivePosition`."""
        name = self.auto_name(name, "drive_position")
        return self.add(DrivePosition(name, a, b, position, axis, relative_to_start))

    def drive_distance(
        self, a: Frame, b: Frame, distance: TimeFunction | float, *, name: str | None = None
    ) -> DriveDistance:
        """The distance between two origins follows a function of time [m], see :class:`DriveDistance`."""
        return self.add(DriveDistance(self.auto_name(name, "drive_distance"), a, b, distance))

    # -- forces: a strength is a number or a function of time ----------------------------------------------------------

    def spring_damper(
        self,
        a: Frame,
        b: Frame,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_length: float | None = None,
        force: float | TimeFunction = 0.0,
        name: str | None = None,
    ) -> SpringDamper:
        """A spring, a damper and an actuator along the line between two frames,
        see :class:`~flexmb.forces.planar.spring_damper.SpringDamper`."""
        return self.add(SpringDamper(self.auto_name(name, "spring"), a, b, stiffness, damping, free_length, force))

    def torsion_spring(
        self,
        a: Frame,
        b: Frame,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_angle: float | None = None,
        name: str | None = None,
    ) -> TorsionSpring:
        """A spring and a damper between the angles of two frames,
        see :class:`~flexmb.forces.planar.torsion_spring.TorsionSpring`."""
        return self.add(TorsionSpring(self.auto_name(name, "torsion spring"), a, b, stiffness, damping, free_angle))

    def bushing(
        self,
        a: Frame,
        b: Frame,
        *,
        stiffness: Any = (0.0, 0.0, 0.0),
        damping: Any = (0.0, 0.0, 0.0),
        free: Any = None,
        name: str | None = None,
    ) -> Bushing:
        """Springs and dampers in the axes of frame `a`, see :class:`~flexmb.forces.planar.bushing.Bushing`."""
        return self.add(Bushing(self.auto_name(name, "bushing"), a, b, stiffness, damping, free))

    def contact(
        self,
        a: Frame,
        b: Frame,
        shape_a: ContactShape,
        shape_b: ContactShape = None,
        *,
        stiffness: float,
        exponent: float = 1.5,
        damping: float | None = None,
        restitution: float | None = None,
        impact_speed: float | None = None,
        friction: float | JointFriction | None = None,
        name: str | None = None,
    ) -> Contact:
        """Shapes on two frames push each other apart where they overlap, and rub,
        see :class:`~flexmb.forces.planar.contact.Contact`."""
        law: dict[str, Any] = {"stiffness": stiffness, "exponent": exponent, "damping": damping}
        law |= {"restitution": restitution, "impact_speed": impact_speed}
        return self.add(Contact(self.auto_name(name, "contact"), a, b, shape_a, shape_b, friction, **law))

    def stop(
        self,
        joint: Joint,
        *,
        lower: float | None = None,
        upper: float | None = None,
        stiffness: float,
        exponent: float = 1.5,
        damping: float | None = None,
        restitution: float | None = None,
        impact_speed: float | None = None,
        coordinate: str | None = None,
        name: str | None = None,
    ) -> Stop:
        """A coordinate of a joint stays between limits, see :class:`~flexmb.forces.planar.stop.Stop`."""
        law: dict[str, Any] = {"stiffness": stiffness, "exponent": exponent, "damping": damping}
        law |= {"restitution": restitution, "impact_speed": impact_speed}
        return self.add(Stop(self.auto_name(name, "stop"), joint, coordinate, lower=lower, upper=upper, **law))

    def stop_distance(
        self,
        a: Frame,
        b: Frame,
        *,
        lower: float | None = None,
        upper: float | None = None,
        stiffness: float,
        exponent: float = 1.5,
        damping: float | None = None,
        restitution: float | None = None,
        impact_speed: float | None = None,
        name: str | None = None,
    ) -> DistanceStop:
        """The distance of two origins stays between limits; a rope has `upper` alone,
        see :class:`~flexmb.forces.planar.stop.DistanceStop`."""
        law: dict[str, Any] = {"stiffness": stiffness, "exponent": exponent, "damping": damping}
        law |= {"restitution": restitution, "impact_speed": impact_speed}
        return self.add(DistanceStop(self.auto_name(name, "stop"), a, b, lower=lower, upper=upper, **law))

    def motor(
        self,
        a: Frame,
        b: Frame,
        *,
        inertia: float = 0.0,
        ratio: float = 1.0,
        stiffness: float | None = None,
        damping: float = 0.0,
        friction: float | Friction = 0.0,
        torque: float | TimeFunction = 0.0,
        angle: float | TimeFunction | None = None,
        name: str | None = None,
    ) -> Motor:
        """A motor with its stator on `a` that drives `b` through a reducer, see
        :class:`~flexmb.forces.planar.motor.Motor`."""
        name = self.auto_name(name, "motor")
        return self.add(Motor(name, a, b, inertia, ratio, stiffness, damping, friction, torque, angle))

    def point_force(
        self,
        frame: Frame,
        force: Vector,
        *,
        factor: float | TimeFunction = 1.0,
        follower: bool = False,
        name: str | None = None,
    ) -> PointForce:
        """A force on a frame, see :class:`~flexmb.forces.planar.point_force.PointForce`."""
        return self.add(PointForce(self.auto_name(name, "force"), frame, force, factor, follower))

    def point_torque(self, frame: Frame, torque: float | TimeFunction, *, name: str | None = None) -> PointTorque:
        """A torque on a frame, see :class:`~flexmb.forces.planar.point_force.PointTorque`."""
        return self.add(PointTorque(self.auto_name(name, "torque"), frame, torque))

    def distributed_load(
        self,
        beam: Beam,
        density: Any,
        *,
        factor: float | TimeFunction = 1.0,
        follower: bool = False,
        name: str | None = None,
    ) -> DistributedLoad:
        """A force per length along a beam, see :class:`~flexmb.forces.planar.distributed_load.DistributedLoad`."""
        return self.add(DistributedLoad(self.auto_name(name, "load"), beam, density, factor, follower))

    def python_force(
        self,
        on: Frame | Sequence[Frame],
        function: Callable[..., Any],
        *,
        derivative: Callable[..., Any] | None = None,
        compiled: bool = False,
        name: str | None = None,
    ) -> PythonForce:
        """A force that a function of Python computes from time, position and velocity of a frame, see
        :class:`~flexmb.forces.planar.python_force.PythonForce`."""
        return self.add(PythonForce(self.auto_name(name, "python force"), on, function, derivative, compiled))

    def tyre(
        self, frame: Frame, tyre: Tyre, on: Frame | None = None, *, angle: float = 0.0, name: str | None = None
    ) -> PlanarTyre:
        """A freely rolling wheel at the origin of `frame`, seen from above, with its heading at `angle` [rad] there, on
        the body of the frame `on` (the ground when not given), see
        :class:`~flexmb.forces.planar.tyre.PlanarTyre`."""
        return self.add(PlanarTyre(self.auto_name(name, "tyre"), on or self.ground, frame, tyre, angle))
