"""URDF files of made-up robots, an arm with seven joints and a gripper, one with six joints, one with four legs; and
where those of the package example-robot-data are."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path


def folder() -> Path:
    """The folder of `arm.urdf`, `quadruped.urdf` and `six_joints.urdf`.

    >>> sorted(path.name for path in folder().glob("*.urdf"))
    ['arm.urdf', 'quadruped.urdf', 'six_joints.urdf']
    """
    return Path(__file__).parent


def example_robot_data(name: str) -> Path | None:
    """A file of the package example-robot-data, such as 'panda_description/urdf/panda.urdf'; None if it is not
    installed."""
    try:
        package = metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        return None
    path = Path(str(package.locate_file(f"cmeel.prefix/share/example-robot-data/robots/{name}")))
    return path if path.is_file() else None
