"""Constraints between frames in space."""

from flexmb.joints.spatial.distance import SpatialDistance
from flexmb.joints.spatial.drive_angle import DriveHinge
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

__all__ = [
    "Cylindrical",
    "DriveHinge",
    "Hinge",
    "ParallelAxes",
    "PlanarJoint",
    "PointInPlane",
    "PointOnLine",
    "SpatialDistance",
    "SpatialLock",
    "SpatialPrismatic",
    "SpatialWeld",
    "Spherical",
    "Universal",
]
