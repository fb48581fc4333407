"""Constraints between frames in space."""

from flexmb.joints.spatial.constant_velocity import ConstantVelocity
from flexmb.joints.spatial.coupling import JointCoupling
from flexmb.joints.spatial.distance import SpatialDistance, SpatialDriveDistance
from flexmb.joints.spatial.drives.drive_angle import DriveHinge
from flexmb.joints.spatial.drives.drive_joint import DriveJoint
from flexmb.joints.spatial.drives.drive_position import SpatialDrivePosition
from flexmb.joints.spatial.drives.drive_rotation import DriveRotation
from flexmb.joints.spatial.gear import Belt, RackAndPinion, SpatialGear
from flexmb.joints.spatial.knife_edge import SpatialKnifeEdge
from flexmb.joints.spatial.lock import SpatialLock
from flexmb.joints.spatial.lower_pairs import (
    Cylindrical,
    Hinge,
    ParallelAxes,
    PlanarJoint,
    PointInPlane,
    PointOnLine,
    SpatialPrismatic,
    SpatialWeld,
    Spherical,
    Universal,
)
from flexmb.joints.spatial.point_on_curve import PointOnCurve
from flexmb.joints.spatial.rolling import RollingSphere, RollingWheel
from flexmb.joints.spatial.rolling_bodies import RollingOnCylinder, RollingOnSphere
from flexmb.joints.spatial.screw import Screw

__all__ = [
    "Belt",
    "ConstantVelocity",
    "Cylindrical",
    "DriveHinge",
    "DriveJoint",
    "DriveRotation",
    "Hinge",
    "JointCoupling",
    "ParallelAxes",
    "PlanarJoint",
    "PointInPlane",
    "PointOnCurve",
    "PointOnLine",
    "RackAndPinion",
    "RollingOnCylinder",
    "RollingOnSphere",
    "RollingSphere",
    "RollingWheel",
    "Screw",
    "SpatialDistance",
    "SpatialDriveDistance",
    "SpatialDrivePosition",
    "SpatialGear",
    "SpatialKnifeEdge",
    "SpatialLock",
    "SpatialPrismatic",
    "SpatialWeld",
    "Spherical",
    "Universal",
]
