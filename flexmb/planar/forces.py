"""The forces of a model in the plane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from flexmb.elements.planar import Beam
from flexmb.forces.friction import Friction
from flexmb.forces.planar import (
    Bushing,
    Contact,
    ContactAmong,
    DistanceStop,
    DistributedLoad,
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
from flexmb.joints.planar import (
    Joint,
)
from flexmb.model.checks import Vector
from flexmb.model.frames import Frame, FrameLike, as_frame, both
from flexmb.model.functions.time_function import TimeFunction
from flexmb.model.geometry.contact_shapes import ContactShape
from flexmb.model.model import Model


class PlanarForceVerbs(Model):
    """A method for each force of the plane. A strength is a number or a function of time; a body that is given for a
    frame means its own."""

    ground: Frame

    def spring_damper(
        self,
        a: FrameLike,
        b: FrameLike,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_length: float | None = None,
        force: float | TimeFunction = 0.0,
        name: str | None = None,
    ) -> SpringDamper:
        """A spring, a damper and an actuator along the line between two frames,
        see :class:`~flexmb.forces.planar.spring_damper.SpringDamper`."""
        return self.add(
            SpringDamper(self.auto_name(name, "spring"), *both(a, b), stiffness, damping, free_length, force)
        )

    def torsion_spring(
        self,
        a: FrameLike,
        b: FrameLike,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_angle: float | None = None,
        name: str | None = None,
    ) -> TorsionSpring:
        """A spring and a damper between the angles of two frames,
        see :class:`~flexmb.forces.planar.torsion_spring.TorsionSpring`."""
        return self.add(
            TorsionSpring(self.auto_name(name, "torsion spring"), *both(a, b), stiffness, damping, free_angle)
        )

    def bushing(
        self,
        a: FrameLike,
        b: FrameLike,
        *,
        stiffness: Any = (0.0, 0.0, 0.0),
        damping: Any = (0.0, 0.0, 0.0),
        free: Any = None,
        name: str | None = None,
    ) -> Bushing:
        """Springs and dampers in the axes of frame `a`, see :class:`~flexmb.forces.planar.bushing.Bushing`."""
        return self.add(Bushing(self.auto_name(name, "bushing"), *both(a, b), stiffness, damping, free))

    def contact(
        self,
        a: FrameLike,
        b: FrameLike,
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
        return self.add(Contact(self.auto_name(name, "contact"), *both(a, b), shape_a, shape_b, friction, **law))

    def contact_among(
        self,
        bodies: Sequence[FrameLike],
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
        """Disks of which any two may touch push each other apart, and rub,
        see :class:`~flexmb.forces.planar.contact.ContactAmong`."""
        law: dict[str, Any] = {"stiffness": stiffness, "exponent": exponent, "damping": damping}
        law |= {"restitution": restitution, "impact_speed": impact_speed}
        return self.add(ContactAmong(self.auto_name(name, "contacts"), bodies, shapes, friction, room, **law))

    def joint_stop(
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
    ) -> JointStop:
        """A coordinate of a joint stays between limits, see :class:`~flexmb.forces.planar.stop.JointStop`."""
        law: dict[str, Any] = {"stiffness": stiffness, "exponent": exponent, "damping": damping}
        law |= {"restitution": restitution, "impact_speed": impact_speed}
        return self.add(
            JointStop(self.auto_name(name, "joint_stop"), joint, coordinate, lower=lower, upper=upper, **law)
        )

    def distance_stop(
        self,
        a: FrameLike,
        b: FrameLike,
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
        return self.add(
            DistanceStop(self.auto_name(name, "distance_stop"), *both(a, b), lower=lower, upper=upper, **law)
        )

    def motor(
        self,
        a: FrameLike,
        b: FrameLike,
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
        return self.add(Motor(name, *both(a, b), inertia, ratio, stiffness, damping, friction, torque, angle))

    def point_force(
        self,
        frame: FrameLike,
        force: Vector,
        *,
        factor: float | TimeFunction = 1.0,
        axes: str = "ground",
        name: str | None = None,
    ) -> PointForce:
        """A force on a frame, see :class:`~flexmb.forces.planar.point_force.PointForce`."""
        return self.add(PointForce(self.auto_name(name, "force"), as_frame(frame), force, factor, axes))

    def point_torque(self, frame: FrameLike, torque: float | TimeFunction, *, name: str | None = None) -> PointTorque:
        """A torque on a frame, see :class:`~flexmb.forces.planar.point_force.PointTorque`."""
        return self.add(PointTorque(self.auto_name(name, "torque"), as_frame(frame), torque))

    def distributed_load(
        self,
        beam: Beam,
        line_load: Any,
        *,
        factor: float | TimeFunction = 1.0,
        axes: str = "ground",
        name: str | None = None,
    ) -> DistributedLoad:
        """A force per length along a beam, see :class:`~flexmb.forces.planar.distributed_load.DistributedLoad`."""
        return self.add(DistributedLoad(self.auto_name(name, "load"), beam, line_load, factor, axes))

    def python_force(
        self,
        frame: FrameLike | Sequence[FrameLike],
        function: Callable[..., Any],
        *,
        derivative: Callable[..., Any] | None = None,
        compiled: bool = False,
        name: str | None = None,
    ) -> PythonForce:
        """A force that a function of Python computes from time, position and velocity of a frame, see
        :class:`~flexmb.forces.planar.python_force.PythonForce`."""
        given: Any = frame  # bodies mean their frames
        return self.add(PythonForce(self.auto_name(name, "python force"), given, function, derivative, compiled))

    def tire(self, a: FrameLike, b: FrameLike, tire: TireLaw, *, angle: float = 0.0, name: str | None = None) -> Tire:
        """A freely rolling wheel at the origin of b, seen from above, with its heading at `angle` [rad] there, on the
        body of frame a, see :class:`~flexmb.forces.planar.tire.Tire`."""
        return self.add(Tire(self.auto_name(name, "tire"), *both(a, b), tire, angle))
