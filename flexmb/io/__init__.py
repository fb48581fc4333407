"""Files that other programs read and write."""

from flexmb.io.meshes import read_surface
from flexmb.io.urdf import load_urdf

__all__ = ["load_urdf", "read_surface"]
