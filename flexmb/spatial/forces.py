"""Forces of a model in space: a method for each kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flexmb.elements.spatial.beam import Beam
from flexmb.elements.spatial.offset_mass import SpatialMass
from flexmb.forces.friction import Friction
from flexmb.forces.spatial import (
    Bushing,
    Contact,
    ContactAmong,
    DistanceStop,
    DistributedLoad,
    GravityGradient,
    JointForce,
    JointStop,
    Motor,
    PointForce,
    PointTorque,
    PythonForce,
    SpringDamper,
    Tire,
    TorsionSpring,
)
from flexmb.forces.tire import TireLaw
from flexmb.joints.friction import JointFriction
from flexmb.joints.spatial.pair_tables import LowerPair
from flexmb.model.checks import Vector
from flexmb.model.frames import as_frame, both
from flexmb.model.functions.time_function import TimeFunction
from flexmb.model.geometry.contact_shapes import ContactShape
from flexmb.model.model import Model
from flexmb.model.orientations import Orientation
from flexmb.model.spatial_frames import SpatialFrameLike


class ForceVerbs(Model):
    """Springs, dampers, motors and loads of a :class:`~flexmb.spatial.model.SpatialModel`. A strength is a number or a
    function of time."""

    def spring_damper(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_length: float | None = None,
        force: float | TimeFunction = 0.0,
        name: str | None = None,
    ) -> SpringDamper:
        """A spring, a damper and an actuator along the line between two frames,
        see :class:`~flexmb.forces.spatial.spring_damper.SpringDamper`."""
        name = self.auto_name(name, "spring")
        return self.add(SpringDamper(name, *both(a, b), stiffness, damping, free_length, force))

    def bushing(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        *,
        stiffness: Any = (0.0,) * 6,
        damping: Any = (0.0,) * 6,
        free: Any = None,
        free_orientation: Orientation = None,
        name: str | None = None,
    ) -> Bushing:
        """Springs and dampers in the axes of frame `a`, see :class:`~flexmb.forces.spatial.bushing.Bushing`."""
        return self.add(
            Bushing(self.auto_name(name, "bushing"), *both(a, b), stiffness, damping, free, free_orientation)
        )

    def torsion_spring(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        *,
        axis: Any = "z",
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_angle: float | None = None,
        name: str | None = None,
    ) -> TorsionSpring:
        """A spring and a damper about a hinge, see :class:`~flexmb.forces.spatial.torsion_spring.TorsionSpring`."""
        return self.add(
            TorsionSpring(self.auto_name(name, "torsion spring"), *both(a, b), axis, stiffness, damping, free_angle)
        )

    def contact(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
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
        see :class:`~flexmb.forces.spatial.contact.Contact`."""
        law: dict[str, Any] = {"stiffness": stiffness, "exponent": exponent, "damping": damping}
        law |= {"restitution": restitution, "impact_speed": impact_speed}
        return self.add(Contact(self.auto_name(name, "contact"), *both(a, b), shape_a, shape_b, friction, **law))

    def contact_among(
        self,
        bodies: Sequence[SpatialFrameLike],
        shapes: ContactShape | Sequence[ContactShape],
        *,
        stiffness: float,
        exponent: float = 1.5,
        damping: float | None = None,
        restitution: float | None = None,
        impact_speed: float | None = None,
        friction: float | JointFriction | None = None,
        room: int | None = None,
        name: str | None = None,
    ) -> ContactAmong:
        """Balls of which any two may touch push each other apart, and rub,
        see :class:`~flexmb.forces.spatial.contact.ContactAmong`."""
        law: dict[str, Any] = {"stiffness": stiffness, "exponent": exponent, "damping": damping}
        law |= {"restitution": restitution, "impact_speed": impact_speed}
        return self.add(ContactAmong(self.auto_name(name, "contacts"), bodies, shapes, friction, room, **law))

    def joint_stop(
        self,
        joint: LowerPair,
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
    ) -> JointStop:
        """A coordinate of a joint stays between limits, see :class:`~flexmb.forces.spatial.stop.JointStop`."""
        law: dict[str, Any] = {"stiffness": stiffness, "exponent": exponent, "damping": damping}
        law |= {"restitution": restitution, "impact_speed": impact_speed}
        return self.add(
            JointStop(self.auto_name(name, "joint_stop"), joint, coordinate, lower=lower, upper=upper, **law)
        )

    def distance_stop(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
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
        see :class:`~flexmb.forces.spatial.stop.DistanceStop`."""
        law: dict[str, Any] = {"stiffness": stiffness, "exponent": exponent, "damping": damping}
        law |= {"restitution": restitution, "impact_speed": impact_speed}
        return self.add(
            DistanceStop(self.auto_name(name, "distance_stop"), *both(a, b), lower=lower, upper=upper, **law)
        )

    def motor(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        *,
        axis: Any = "z",
        inertia: float = 0.0,
        ratio: float = 1.0,
        stiffness: float | None = None,
        damping: float = 0.0,
        friction: float | Friction = 0.0,
        torque: float | TimeFunction = 0.0,
        angle: float | TimeFunction | None = None,
        name: str | None = None,
    ) -> Motor:
        """A motor with its stator on `a` that drives `b` through a reducer about an `axis` of frame a, see
        :class:`~flexmb.forces.spatial.motor.Motor`."""
        name = self.auto_name(name, "motor")
        return self.add(Motor(name, *both(a, b), inertia, ratio, stiffness, damping, friction, torque, angle, axis))

    def joint_force(
        self,
        joint: LowerPair,
        force: float | TimeFunction = 0.0,
        *,
        damping: float = 0.0,
        friction: Friction | None = None,
        coordinate: str | None = None,
        name: str | None = None,
    ) -> JointForce:
        """A torque about the axis of a joint, or a force along it, with damper and friction,
        see :class:`~flexmb.forces.spatial.joint_force.JointForce`."""
        name = self.auto_name(name, "joint_force")
        return self.add(JointForce(name, joint, force, damping, friction, coordinate))

    def point_force(
        self,
        frame: SpatialFrameLike,
        force: Any,
        *,
        factor: float | TimeFunction = 1.0,
        axes: str = "ground",
        name: str | None = None,
    ) -> PointForce:
        """A force on a frame, in the `axes` of the "ground" or of the frame ("body"), see
        :class:`~flexmb.forces.spatial.point_force.PointForce`."""
        return self.add(PointForce(self.auto_name(name, "force"), as_frame(frame), force, factor, axes))

    def point_torque(
        self,
        frame: SpatialFrameLike,
        torque: Any,
        *,
        factor: float | TimeFunction = 1.0,
        axes: str = "ground",
        name: str | None = None,
    ) -> PointTorque:
        """A torque on a frame, in the `axes` of the "ground" or of the frame ("body"), see
        :class:`~flexmb.forces.spatial.point_force.PointTorque`."""
        return self.add(PointTorque(self.auto_name(name, "torque"), as_frame(frame), torque, factor, axes))

    def distributed_load(
        self,
        beam: Beam,
        line_load: Any,
        *,
        factor: float | TimeFunction = 1.0,
        axes: str = "ground",
        name: str | None = None,
    ) -> DistributedLoad:
        """A force per length along a beam, in the axes of the ground or of its sections (`axes="section"`), see
        :class:`~flexmb.forces.spatial.distributed_load.DistributedLoad`."""
        return self.add(DistributedLoad(self.auto_name(name, "load"), beam, line_load, factor, axes))

    def python_force(
        self,
        frame: SpatialFrameLike | Sequence[SpatialFrameLike],
        function: Callable[..., Any],
        *,
        derivative: Callable[..., Any] | None = None,
        compiled: bool = False,
        name: str | None = None,
    ) -> PythonForce:
        """A force that a function of Python computes from time and the states of frames, see
        :class:`~flexmb.forces.spatial.python_force.PythonForce`."""
        given: Any = frame  # bodies mean their frames
        return self.add(PythonForce(self.auto_name(name, "python force"), given, function, derivative, compiled))

    def gravity_gradient(
        self, body: SpatialMass, mu: float, *, center: Vector = (0.0, 0.0, 0.0), name: str | None = None
    ) -> GravityGradient:
        """The attraction of a central body on a body in orbit, with its torque,
        see :class:`~flexmb.forces.spatial.gravity_gradient.GravityGradient`."""
        return self.add(GravityGradient(self.auto_name(name, "gravity"), body, mu, center))

    def tire(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        tire: TireLaw,
        radius: float,
        *,
        normal: Any = "z",
        axle: Any = "y",
        crown: float = 0.0,
        name: str | None = None,
    ) -> Tire:
        """A wheel of a `radius` [m] about the origin of b stands on a plane through that of a with a tire that slips
        and springs, see :class:`~flexmb.forces.spatial.tire.Tire`."""
        return self.add(Tire(self.auto_name(name, "tire"), *both(a, b), tire, radius, normal, axle, crown))
