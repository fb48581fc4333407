"""Drives of a model in space: a method for each kind."""

from __future__ import annotations

from typing import Any

from flexmb.joints.spatial import DriveHinge
from flexmb.model.functions import TimeFunction
from flexmb.model.model import Model
from flexmb.model.spatial_frames import SpatialFrame


class DriveVerbs(Model):
    """What prescribes motion in a :class:`~flexmb.spatial.model.SpatialModel`."""

    def drive_angle(
        self, a: SpatialFrame, b: SpatialFrame, angle: TimeFunction | float, *, axis: Any = "z", name: str | None = None
    ) -> DriveHinge:
        """The angle about a hinge follows a function of time [rad], see
        :class:`~flexmb.joints.spatial.drive_angle.DriveHinge`."""
        return self.add(DriveHinge(self.auto_name(name, "drive_angle"), a, b, angle, axis))
