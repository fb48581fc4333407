"""Files that other programs read and write."""

from flexmb.io.meshes import read_surface
from flexmb.io.urdf import read_urdf

__all__ = ["read_surface", "read_urdf"]
