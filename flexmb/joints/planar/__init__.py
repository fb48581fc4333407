"""Joints of the plane, one a file."""

from flexmb.joints.planar.compound import Lock, PinInSlot, Prismatic, Weld
from flexmb.joints.planar.distance import Distance, DriveDistance
from flexmb.joints.planar.drive_angle import DriveAngle
from flexmb.joints.planar.drive_position import DrivePosition
from flexmb.joints.planar.gear import Gear
from flexmb.joints.planar.joint import Joint
from flexmb.joints.planar.knife_edge import KnifeEdge
from flexmb.joints.planar.revolute import Revolute
from flexmb.joints.planar.rolling import RollingOnCircle, RollingOnLine

__all__ = [
    "Distance",
    "DriveAngle",
    "DriveDistance",
    "DrivePosition",
    "Gear",
    "Joint",
    "KnifeEdge",
    "Lock",
    "PinInSlot",
    "Prismatic",
    "Revolute",
    "RollingOnCircle",
    "RollingOnLine",
    "Weld",
]
