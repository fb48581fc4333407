"""Files that other programs read and write, and robots: of files, and of Denavit–Hartenberg parameters."""

from flexmb.io.denavit_hartenberg import denavit_hartenberg
from flexmb.io.meshes import read_surface
from flexmb.io.urdf import read_urdf

__all__ = ["denavit_hartenberg", "read_surface", "read_urdf"]
