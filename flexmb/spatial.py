"""The model of a mechanism in space, with a method for each component."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flexmb.elements.spatial import SpatialBody
from flexmb.forces.spatial import HingeSpring, SpatialBushing
from flexmb.joints.spatial import DriveHinge, Hinge, Spherical
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.components import Component
from flexmb.model.functions import TimeFunction
from flexmb.model.model import Model
from flexmb.model.spatial_frames import Orientation, SpatialFrame, spatial_frame


class SpatialModel(Model):
    """A mechanism in space.

    Arguments: `name`; `gravity` (3,) [m/s²]. Orientations are rotations of SciPy, or matrices.

    >>> m = SpatialModel("top", gravity=(0, 0, -9.81))
    >>> top = m.add_body("top", mass=15.0, inertia=(0.2, 0.4, 0.2), position=(0, 1, 0))
    >>> joint = m.spherical(m.ground, top.attach("tip", (0, -1, 0)))
    >>> sorted(m.frames)
    ['ground', 'top', 'top.tip']
    """

    ground: SpatialFrame
    dimension = 3

    def __init__(self, name: str, gravity: Vector = (0.0, 0.0, 0.0)) -> None:
        super().__init__(name, gravity)
        self.ground = self.add_frame("ground", fixed=True)

    def add_frame(
        self,
        name: str,
        position: Vector = (0.0, 0.0, 0.0),
        orientation: Orientation = None,
        *,
        fixed: bool = False,
    ) -> SpatialFrame:
        """A new frame at `position` (3,) [m] and `orientation`, with coordinates of its own, or fixed in space."""
        return spatial_frame(self, name, position, orientation, fixed=fixed)

    def add_body(
        self,
        name: str,
        *,
        mass: float,
        inertia: Any,
        position: Vector = (0.0, 0.0, 0.0),
        orientation: Orientation = None,
    ) -> SpatialBody:
        """A rigid body: `mass` [kg]; `inertia` [kg m²] about its mass centre, three principal ones or a matrix (3, 3);
        `position` (3,) [m] of its mass centre and `orientation` of its axes."""
        self.free_name(name, f"body {checks.quoted(name)}")
        with self.all_or_nothing():
            return self.add(SpatialBody(name, self.add_frame(name, position, orientation), mass, inertia))

    def set_rigid_motion(
        self,
        velocity: Vector = (0.0, 0.0, 0.0),
        angular_velocity: Vector = (0.0, 0.0, 0.0),  # type: ignore[override]
        about: Vector = (0.0, 0.0, 0.0),
        components: Iterable[Component] | None = None,
    ) -> None:
        """Start some components (all of them when not given) as one rigid body: `velocity` (3,) [m/s] of the point
        `about` (3,) [m], `angular_velocity` (3,) [rad/s], in the axes of the ground."""
        self._start_rigidly(velocity, angular_velocity, about, components)

    def spherical(self, a: SpatialFrame, b: SpatialFrame, *, name: str | None = None) -> Spherical:
        """The origins of two frames coincide, see :class:`~flexmb.joints.spatial.lower_pairs.Spherical`."""
        return self.add(Spherical(self.auto_name(name, "spherical"), a, b))

    def revolute(self, a: SpatialFrame, b: SpatialFrame, *, axis: Any = "z", name: str | None = None) -> Hinge:
        """A hinge about an `axis` of frame a, see :class:`~flexmb.joints.spatial.lower_pairs.Hinge`."""
        return self.add(Hinge(self.auto_name(name, "revolute"), a, b, axis))

    def drive_angle(
        self, a: SpatialFrame, b: SpatialFrame, angle: TimeFunction | float, *, axis: Any = "z", name: str | None = None
    ) -> DriveHinge:
        """The angle about a hinge follows a function of time [rad], see
        :class:`~flexmb.joints.spatial.drive_angle.DriveHinge`."""
        return self.add(DriveHinge(self.auto_name(name, "drive_angle"), a, b, angle, axis))

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
