"""The motion of a place in the plane: position, angle, and their first and second rates, at every time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from flexmb.kernels.widths import PLANE, SPACE
from flexmb.model.hints import Answering
from flexmb.results.tracks.columns import seen_columns

#: the unit of each column, and of the speed, in the plane and in space
UNITS, SPATIAL_UNITS = ({**side.point, "speed": "m/s"} for side in (PLANE, SPACE))

#: what stands between the names of a place and of the frame whose observer sees it
SEEN_FROM = " seen from "


@dataclass(frozen=True, eq=False)
class Track(Answering):
    """The motion of a frame or of a point of a beam.

    Arguments: `name`; `t` (k,) [s]; `values` (k, 9), the columns of `PLANE.point` in :mod:`flexmb.kernels.widths`.

    >>> import numpy as np
    >>> track = Track("stone", np.array([0.0]), np.array([[3.0, 4.0, 0, 0, -2.0, 0, 0, 0, 0]]))
    >>> track.position.tolist(), track.speed.tolist()
    ([[3.0, 4.0]], [2.0])
    """

    name: str
    t: np.ndarray
    values: np.ndarray
    _hints: ClassVar[Mapping[str, str]] = {
        "orientation": "angle [rad], which in the plane says all",
        "omega": "angular_velocity",
        "alpha": "angular_acceleration",
        "theta": "angle",
        "time": "t",
    }

    @property
    def where(self) -> str:
        """The track as messages name it."""
        return f"track {self.name!r}"

    def as_node(self) -> tuple[np.ndarray, ...]:
        """Coordinates, speeds and accelerations (k, 3) of a node that moves so."""
        return self.values[:, :3], self.values[:, 3:6], self.values[:, 6:]

    @property
    def position(self) -> np.ndarray:
        """Places (k, 2) [m]."""
        return self.values[:, PLANE.position]

    @property
    def angle(self) -> np.ndarray:
        """Angles (k,) [rad], counted through all turns."""
        return self.values[:, 2]

    @property
    def velocity(self) -> np.ndarray:
        """Velocities (k, 2) [m/s]."""
        return self.values[:, PLANE.velocity]

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocities (k,) [rad/s]."""
        return self.values[:, 5]

    @property
    def acceleration(self) -> np.ndarray:
        """Accelerations (k, 2) [m/s²]."""
        return self.values[:, PLANE.acceleration]

    @property
    def angular_acceleration(self) -> np.ndarray:
        """Angular accelerations (k,) [rad/s²]."""
        return self.values[:, 8]

    @property
    def x(self) -> np.ndarray:
        """Places along x (k,) [m]."""
        return self.values[:, 0]

    @property
    def y(self) -> np.ndarray:
        """Places along y (k,) [m]."""
        return self.values[:, 1]

    @property
    def vx(self) -> np.ndarray:
        """Velocities along x (k,) [m/s]."""
        return self.values[:, 3]

    @property
    def vy(self) -> np.ndarray:
        """Velocities along y (k,) [m/s]."""
        return self.values[:, 4]

    @property
    def ax(self) -> np.ndarray:
        """Accelerations along x (k,) [m/s²]."""
        return self.values[:, 6]

    @property
    def ay(self) -> np.ndarray:
        """Accelerations along y (k,) [m/s²]."""
        return self.values[:, 7]

    @property
    def speed(self) -> np.ndarray:
        """Sizes of the velocity (k,) [m/s]."""
        return np.hypot(self.values[:, 3], self.values[:, 4])

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"Track({self.name!r}, {len(self.t)} times)"


def seen_from(track: Any, frame: Any) -> Any:
    """A track as an observer on another one sees it, in the axes of that one; in the plane or in space."""
    values = seen_columns(track.t, track.as_node(), frame.as_node())
    return type(track)(f"{track.name}{SEEN_FROM}{frame.name}", track.t, values)
