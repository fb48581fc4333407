"""Springs, dampers, motors, loads, one a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexmb.elements.beam import Beam
    from flexmb.forces.bushing import Bushing
    from flexmb.forces.distributed_load import DistributedLoad
    from flexmb.forces.friction import Friction
    from flexmb.forces.motor import Motor
    from flexmb.forces.point_force import PointForce, PointTorque
    from flexmb.forces.python_force import PythonForce
    from flexmb.forces.spring_damper import SpringDamper
    from flexmb.forces.torsion_spring import TorsionSpring
    from flexmb.model.checks import Vector
    from flexmb.model.frames import Frame
    from flexmb.model.functions import TimeFunction
    from flexmb.model.planar import PlanarModel

__all__ = ["Loading"]


class Loading:
    """Forces as methods of a model. What depends on time is a number or a function of time,
    see :mod:`flexmb.model.functions`."""

    def spring_damper(  # type: ignore[misc]
        self: PlanarModel,
        a: Frame,
        b: Frame,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_length: float | None = None,
        force: float | TimeFunction = 0.0,
        name: str | None = None,
    ) -> SpringDamper:
        """A spring, damper and actuator along the line between two frames,
        see :class:`~flexmb.forces.spring_damper.SpringDamper`."""
        from flexmb.forces.spring_damper import SpringDamper

        return self.add(SpringDamper(self.auto_name(name, "spring"), a, b, stiffness, damping, free_length, force))

    def torsion_spring(  # type: ignore[misc]
        self: PlanarModel,
        a: Frame,
        b: Frame,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        free_angle: float | None = None,
        name: str | None = None,
    ) -> TorsionSpring:
        """A spring and damper between the angles of two frames,
        see :class:`~flexmb.forces.torsion_spring.TorsionSpring`."""
        from flexmb.forces.torsion_spring import TorsionSpring

        return self.add(TorsionSpring(self.auto_name(name, "torsion spring"), a, b, stiffness, damping, free_angle))

    def bushing(  # type: ignore[misc]
        self: PlanarModel,
        a: Frame,
        b: Frame,
        *,
        stiffness: Any = (0.0, 0.0, 0.0),
        damping: Any = (0.0, 0.0, 0.0),
        free: Any = None,
        name: str | None = None,
    ) -> Bushing:
        """Springs and dampers in the axes of frame `a`, see :class:`~flexmb.forces.bushing.Bushing`."""
        from flexmb.forces.bushing import Bushing

        return self.add(Bushing(self.auto_name(name, "bushing"), a, b, stiffness, damping, free))

    def motor(  # type: ignore[misc]
        self: PlanarModel,
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
        :class:`~flexmb.forces.motor.Motor`."""
        from flexmb.forces.motor import Motor

        name = self.auto_name(name, "motor")
        return self.add(Motor(name, a, b, inertia, ratio, stiffness, damping, friction, torque, angle))

    def point_force(  # type: ignore[misc]
        self: PlanarModel,
        frame: Frame,
        force: Vector,
        *,
        factor: float | TimeFunction = 1.0,
        follower: bool = False,
        name: str | None = None,
    ) -> PointForce:
        """A force on a frame, see :class:`~flexmb.forces.point_force.PointForce`."""
        from flexmb.forces.point_force import PointForce

        return self.add(PointForce(self.auto_name(name, "force"), frame, force, factor, follower))

    def point_torque(  # type: ignore[misc]
        self: PlanarModel,
        frame: Frame,
        torque: float | TimeFunction,
        *,
        name: str | None = None,
    ) -> PointTorque:
        """A torque on a frame, see :class:`~flexmb.forces.point_force.PointTorque`."""
        from flexmb.forces.point_force import PointTorque

        return self.add(PointTorque(self.auto_name(name, "torque"), frame, torque))

    def distributed_load(  # type: ignore[misc]
        self: PlanarModel,
        beam: Beam,
        density: Any,
        *,
        factor: float | TimeFunction = 1.0,
        follower: bool = False,
        name: str | None = None,
    ) -> DistributedLoad:
        """A force per length along a beam, see :class:`~flexmb.forces.distributed_load.DistributedLoad`."""
        from flexmb.forces.distributed_load import DistributedLoad

        return self.add(DistributedLoad(self.auto_name(name, "load"), beam, density, factor, follower))

    def python_force(  # type: ignore[misc]
        self: PlanarModel,
        on: Frame | Sequence[Frame],
        function: Callable[..., Any],
        *,
        derivative: Callable[..., Any] | None = None,
        compiled: bool = False,
        name: str | None = None,
    ) -> PythonForce:
        """A force that a function of Python computes from time, position and velocity of a frame, see
        :class:`~flexmb.forces.python_force.PythonForce`."""
        from flexmb.forces.python_force import PythonForce

        return self.add(PythonForce(self.auto_name(name, "python force"), on, function, derivative, compiled))
