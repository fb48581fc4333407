"""Forces of a model in space: a method for each kind."""

from __future__ import annotations

from typing import Any

from flexmb.elements.spatial.offset_mass import SpatialMass
from flexmb.forces.spatial import GravityGradient, HingeSpring, SpatialBushing
from flexmb.model.checks import Vector
from flexmb.model.model import Model
from flexmb.model.spatial_frames import Orientation, SpatialFrame


class ForceVerbs(Model):
    """Springs, dampers, motors and loads of a :class:`~flexmb.spatial.model.SpatialModel`."""

    def bushing(
        self,
        a: SpatialFrame,
        b: SpatialFrame,
        *,
        stiffness: Any,
        damping: Any = (0.0,) * 6,
        free: Any = None,
        free_orientation: Orientation = None,
        name: str | None = None,
    ) -> SpatialBushing:
        """Springs and dampers in the axes of frame `a`, see :class:`~flexmb.forces.spatial.bushing.SpatialBushing`."""
        return self.add(
            SpatialBushing(self.auto_name(name, "bushing"), a, b, stiffness, damping, free, free_orientation)
        )

    def torsion_spring(
        self,
        a: SpatialFrame,
        b: SpatialFrame,
        *,
        axis: Any = "z",
        stiffness: float,
        damping: float = 0.0,
        free_angle: float = 0.0,
        name: str | None = None,
    ) -> HingeSpring:
        """A spring and a damper about a hinge, see :class:`~flexmb.forces.spatial.torsion_spring.HingeSpring`."""
        return self.add(HingeSpring(self.auto_name(name, "spring"), a, b, axis, stiffness, damping, free_angle))

    def gravity_gradient(
        self, body: SpatialMass, mu: float, *, center: Vector = (0.0, 0.0, 0.0), name: str | None = None
    ) -> GravityGradient:
        """The attraction of a central body on a body in orbit, with its torque,
        see :class:`~flexmb.forces.spatial.gravity_gradient.GravityGradient`."""
        return self.add(GravityGradient(self.auto_name(name, "gravity"), body, mu, center))
