"""Bodies of a model in space: a method for each kind."""

from __future__ import annotations

from typing import Any

from flexmb.elements.spatial import SpatialBody
from flexmb.model import checks
from flexmb.model.checks import Vector
from flexmb.model.model import Model
from flexmb.model.orientations import Orientation
from flexmb.model.spatial_frames import SpatialFrame, spatial_frame


class BodyVerbs(Model):
    """What :class:`~flexmb.spatial.model.SpatialModel` is made of: its frames and bodies."""

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
