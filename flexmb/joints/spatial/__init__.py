"""Constraints between frames in space."""

from flexmb.joints.spatial.constant_velocity import ConstantVelocity
from flexmb.joints.spatial.coupling import Coupling
from flexmb.joints.spatial.distance import Distance, DriveDistance
from flexmb.joints.spatial.drives.drive_angle import DriveAngle
from flexmb.joints.spatial.drives.drive_joint import DriveJoint
from flexmb.joints.spatial.drives.drive_position import DrivePosition
from flexmb.joints.spatial.drives.drive_rotation import DriveRotation
from flexmb.joints.spatial.gear import Belt, Gear, RackAndPinion
from flexmb.joints.spatial.knife_edge import KnifeEdge
from flexmb.joints.spatial.lock import Lock
from flexmb.joints.spatial.lower_pairs import (
    Cylindrical,
    ParallelAxes,
    PlanarJoint,
    PointInPlane,
    PointOnLine,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
    Weld,
)
from flexmb.joints.spatial.point_on_curve import PointOnCurve
from flexmb.joints.spatial.rolling import RollingSphere, RollingWheel
from flexmb.joints.spatial.rolling_bodies import RollingOnCylinder, RollingOnSphere
from flexmb.joints.spatial.screw import Screw

__all__ = [
    "Belt",
    "ConstantVelocity",
    "Coupling",
    "Cylindrical",
    "Distance",
    "DriveAngle",
    "DriveDistance",
    "DriveJoint",
    "DrivePosition",
    "DriveRotation",
    "Gear",
    "KnifeEdge",
    "Lock",
    "ParallelAxes",
    "PlanarJoint",
    "PointInPlane",
    "PointOnCurve",
    "PointOnLine",
    "Prismatic",
    "RackAndPinion",
    "Revolute",
    "RollingOnCylinder",
    "RollingOnSphere",
    "RollingSphere",
    "RollingWheel",
    "Screw",
    "Spherical",
    "Universal",
    "Weld",
]
