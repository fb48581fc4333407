"""Forces of a model in space: a method for each kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flexmb.elements.spatial.beam import SpatialBeam
from flexmb.elements.spatial.offset_mass import SpatialMass
from flexmb.forces.friction import Friction
from flexmb.forces.spatial import (
    GravityGradient,
    HingeSpring,
    JointActuator,
    SpatialBushing,
    SpatialContact,
    SpatialContactAmong,
    SpatialDistanceStop,
    SpatialDistributedLoad,
    SpatialJointStop,
    SpatialMotor,
    SpatialPointForce,
    SpatialPointTorque,
    SpatialPythonForce,
    SpatialSpringDamper,
    SpatialTyre,
)
from flexmb.forces.tyre import Tyre
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
    ) -> SpatialSpringDamper:
        """A spring, a damper and an actuator along the line between two frames,
        see :class:`~flexmb.forces.spatial.spring_damper.SpatialSpringDamper`."""
        name = self.auto_name(name, "spring")
        return self.add(SpatialSpringDamper(name, *both(a, b), stiffness, damping, free_length, force))

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
    ) -> SpatialBushing:
        """Springs and dampers in the axes of frame `a`, see :class:`~flexmb.forces.spatial.bushing.SpatialBushing`."""
        return self.add(
            SpatialBushing(self.auto_name(name, "bushing"), *both(a, b), stiffness, damping, free, free_orientation)
        )

    def torsion_spring(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        *,
        axis: Any = "z",
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_angle: float = 0.0,
        name: str | None = None,
    ) -> HingeSpring:
        """A spring and a damper about a hinge, see :class:`~flexmb.forces.spatial.torsion_spring.HingeSpring`."""
        return self.add(
            HingeSpring(self.auto_name(name, "torsion spring"), *both(a, b), axis, stiffness, damping, free_angle)
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
    ) -> SpatialContact:
        """Shapes on two frames push each other apart where they overlap, and rub,
        see :class:`~flexmb.forces.spatial.contact.SpatialContact`."""
        law: dict[str, Any] = {"stiffness": stiffness, "exponent": exponent, "damping": damping}
        law |= {"restitution": restitution, "impact_speed": impact_speed}
        return self.add(SpatialContact(self.auto_name(name, "contact"), *both(a, b), shape_a, shape_b, friction, **law))

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
    ) -> SpatialContactAmong:
        """Balls of which any two may touch push each other apart, and rub,
        see :class:`~flexmb.forces.spatial.contact.SpatialContactAmong`."""
        law: dict[str, Any] = {"stiffness": stiffness, "exponent": exponent, "damping": damping}
        law |= {"restitution": restitution, "impact_speed": impact_speed}
        return self.add(SpatialContactAmong(self.auto_name(name, "contacts"), bodies, shapes, friction, room, **law))

    def stop(
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
    ) -> SpatialJointStop:
        """A coordinate of a joint stays between limits, see :class:`~flexmb.forces.spatial.stop.SpatialJointStop`."""
        law: dict[str, Any] = {"stiffness": stiffness, "exponent": exponent, "damping": damping}
        law |= {"restitution": restitution, "impact_speed": impact_speed}
        return self.add(
            SpatialJointStop(self.auto_name(name, "stop"), joint, coordinate, lower=lower, upper=upper, **law)
        )

    def stop_distance(
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
    ) -> SpatialDistanceStop:
        """The distance of two origins stays between limits; a rope has `upper` alone,
        see :class:`~flexmb.forces.spatial.stop.SpatialDistanceStop`."""
        law: dict[str, Any] = {"stiffness": stiffness, "exponent": exponent, "damping": damping}
        law |= {"restitution": restitution, "impact_speed": impact_speed}
        return self.add(SpatialDistanceStop(self.auto_name(name, "stop"), *both(a, b), lower=lower, upper=upper, **law))

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
    ) -> SpatialMotor:
        """A motor with its stator on `a` that drives `b` through a reducer about an `axis` of frame a, see
        :class:`~flexmb.forces.spatial.motor.SpatialMotor`."""
        name = self.auto_name(name, "motor")
        return self.add(
            SpatialMotor(name, *both(a, b), inertia, ratio, stiffness, damping, friction, torque, angle, axis)
        )

    def joint_force(
        self,
        joint: LowerPair,
        force: float | TimeFunction = 0.0,
        *,
        damping: float = 0.0,
        friction: Friction | None = None,
        coordinate: str | None = None,
        name: str | None = None,
    ) -> JointActuator:
        """A torque about the axis of a joint, or a force along it, with damper and friction,
        see :class:`~flexmb.forces.spatial.joint_actuator.JointActuator`."""
        name = self.auto_name(name, "joint_force")
        return self.add(JointActuator(name, joint, force, damping, friction, coordinate))

    def point_force(
        self,
        frame: SpatialFrameLike,
        force: Any,
        *,
        factor: float | TimeFunction = 1.0,
        axes: str = "ground",
        name: str | None = None,
    ) -> SpatialPointForce:
        """A force on a frame, in the `axes` of the "ground" or of the frame ("body"), see
        :class:`~flexmb.forces.spatial.point_force.SpatialPointForce`."""
        return self.add(SpatialPointForce(self.auto_name(name, "force"), as_frame(frame), force, factor, axes))

    def point_torque(
        self,
        frame: SpatialFrameLike,
        torque: Any,
        *,
        factor: float | TimeFunction = 1.0,
        axes: str = "ground",
        name: str | None = None,
    ) -> SpatialPointTorque:
        """A torque on a frame, in the `axes` of the "ground" or of the frame ("body"), see
        :class:`~flexmb.forces.spatial.point_force.SpatialPointTorque`."""
        return self.add(SpatialPointTorque(self.auto_name(name, "torque"), as_frame(frame), torque, factor, axes))

    def distributed_load(
        self,
        beam: SpatialBeam,
        density: Any,
        *,
        factor: float | TimeFunction = 1.0,
        follower: bool = False,
        name: str | None = None,
    ) -> SpatialDistributedLoad:
        """A force per length along a beam, in the axes of the ground or of its sections (`follower`), see
        :class:`~flexmb.forces.spatial.distributed_load.SpatialDistributedLoad`."""
        return self.add(SpatialDistributedLoad(self.auto_name(name, "load"), beam, density, factor, follower))

    def python_force(
        self,
        on: SpatialFrameLike | Sequence[SpatialFrameLike],
        function: Callable[..., Any],
        *,
        derivative: Callable[..., Any] | None = None,
        compiled: bool = False,
        name: str | None = None,
    ) -> SpatialPythonForce:
        """A force that a function of Python computes from time and the states of frames, see
        :class:`~flexmb.forces.spatial.python_force.SpatialPythonForce`."""
        given: Any = on  # bodies mean their frames
        return self.add(SpatialPythonForce(self.auto_name(name, "python force"), given, function, derivative, compiled))

    def gravity_gradient(
        self, body: SpatialMass, mu: float, *, center: Vector = (0.0, 0.0, 0.0), name: str | None = None
    ) -> GravityGradient:
        """The attraction of a central body on a body in orbit, with its torque,
        see :class:`~flexmb.forces.spatial.gravity_gradient.GravityGradient`."""
        return self.add(GravityGradient(self.auto_name(name, "gravity"), body, mu, center))

    def tyre(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        tyre: Tyre,
        radius: float,
        *,
        normal: Any = "z",
        axle: Any = "y",
        crown: float = 0.0,
        name: str | None = None,
    ) -> SpatialTyre:
        """A wheel of a `radius` [m] about the origin of b stands on a plane through that of a with a tyre that slips
        and springs, see :class:`~flexmb.forces.spatial.tyre.SpatialTyre`."""
        return self.add(SpatialTyre(self.auto_name(name, "tyre"), *both(a, b), tyre, radius, normal, axle, crown))
