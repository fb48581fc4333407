"""Constraints between frames in space."""

from flexmb.joints.spatial.drive_angle import DriveHinge
from flexmb.joints.spatial.lower_pairs import Hinge, Spherical

__all__ = ["DriveHinge", "Hinge", "Spherical"]
