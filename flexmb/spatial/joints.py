"""Joints of a model in space: a method for each kind."""

from __future__ import annotations

from typing import Any

from flexmb.joints.spatial import Hinge, Spherical
from flexmb.model.model import Model
from flexmb.model.spatial_frames import SpatialFrame


class JointVerbs(Model):
    """What holds two frames of a :class:`~flexmb.spatial.model.SpatialModel` together."""

    def spherical(self, a: SpatialFrame, b: SpatialFrame, *, name: str | None = None) -> Spherical:
        """The origins of two frames coincide, see :class:`~flexmb.joints.spatial.lower_pairs.Spherical`."""
        return self.add(Spherical(self.auto_name(name, "spherical"), a, b))

    def revolute(self, a: SpatialFrame, b: SpatialFrame, *, axis: Any = "z", name: str | None = None) -> Hinge:
        """A hinge about an `axis` of frame a, see :class:`~flexmb.joints.spatial.lower_pairs.Hinge`."""
        return self.add(Hinge(self.auto_name(name, "revolute"), a, b, axis))
