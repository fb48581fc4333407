"""Drives of a model in space: a method for each kind."""

from __future__ import annotations

from typing import Any

from flexmb.joints.spatial import (
    DriveAngle,
    DriveDistance,
    DriveJoint,
    DrivePosition,
    DriveRotation,
)
from flexmb.joints.spatial.pair_tables import LowerPair
from flexmb.model.frames import both
from flexmb.model.functions.time_function import TimeFunction
from flexmb.model.model import Model
from flexmb.model.spatial_frames import SpatialFrameLike


class DriveVerbs(Model):
    """What prescribes motion in a :class:`~flexmb.spatial.model.SpatialModel`."""

    def drive_angle(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        angle: TimeFunction | float,
        *,
        axis: Any = "z",
        name: str | None = None,
    ) -> DriveAngle:
        """The angle about a hinge follows a function of time [rad], see
        :class:`~flexmb.joints.spatial.drives.drive_angle.DriveAngle`."""
        return self.add(DriveAngle(self.auto_name(name, "drive_angle"), *both(a, b), angle, axis))

    def drive_joint(
        self, joint: LowerPair, motion: TimeFunction | float, *, coordinate: str | None = None, name: str | None = None
    ) -> DriveJoint:
        """A coordinate of a joint, such as 'angle', 'angle1' or 'position', follows a function of time [rad or m], see
        :class:`~flexmb.joints.spatial.drives.drive_joint.DriveJoint`."""
        return self.add(DriveJoint(self.auto_name(name, "drive_joint"), joint, motion, coordinate))

    def drive_position(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        position: Any,
        *,
        axis: Any = None,
        relative_to_start: bool = False,
        name: str | None = None,
    ) -> DrivePosition:
        """The origin of b along an axis of a (z when not given) follows a function of time [m], or its three
        coordinates follow three of them, see
        :class:`~flexmb.joints.spatial.drives.drive_position.DrivePosition`."""
        name = self.auto_name(name, "drive_position")
        return self.add(DrivePosition(name, *both(a, b), position, axis, relative_to_start))

    def drive_distance(
        self, a: SpatialFrameLike, b: SpatialFrameLike, distance: TimeFunction | float, *, name: str | None = None
    ) -> DriveDistance:
        """The distance between two origins follows a function of time [m], see
        :class:`~flexmb.joints.spatial.distance.DriveDistance`."""
        return self.add(DriveDistance(self.auto_name(name, "drive_distance"), *both(a, b), distance))

    def drive_rotation(
        self,
        a: SpatialFrameLike,
        b: SpatialFrameLike,
        rotation: Any,
        *,
        times: Any = None,
        sequence: str | None = None,
        relative_to_start: bool = False,
        name: str | None = None,
    ) -> DriveRotation:
        """The orientation of b against a follows rotations at `times` [s], or three functions of time: Euler angles of
        a `sequence`, or a rotation vector [rad], see
        :class:`~flexmb.joints.spatial.drives.drive_rotation.DriveRotation`."""
        name = self.auto_name(name, "drive_rotation")
        return self.add(DriveRotation(name, *both(a, b), rotation, times, sequence, relative_to_start))
