"""The motion of a place in the plane: position, angle, and their first and second rates, at every time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from flexmb.kernels.widths import PLANE, SPACE
from flexmb.model.hints import Answering

#: the unit of each column, and of the speed, in the plane and in space
UNITS, SPATIAL_UNITS = ({**side.point, "speed": "m/s"} for side in (PLANE, SPACE))


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


def frame_track(node: np.ndarray, offset: np.ndarray, name: str, t: np.ndarray) -> Track:
    """The track of a frame that is fastened to a node.

    With the arm s = A(θ) u and s⊥ for s turned by +90°:  r = R + s,  ṙ = Ṙ + s⊥ ω,  r̈ = R̈ + s⊥ α − s ω².
    `node` (k, 9): the node's own columns; `offset` (3,): u [m] and angle [rad].
    """
    c, s = np.cos(node[:, 2]), np.sin(node[:, 2])
    sx, sy = c * offset[0] - s * offset[1], s * offset[0] + c * offset[1]
    omega, alpha = node[:, 5], node[:, 8]
    values = node.copy()
    values[:, 0] += sx
    values[:, 1] += sy
    values[:, 2] += offset[2]
    values[:, 3] -= sy * omega
    values[:, 4] += sx * omega
    values[:, 6] += -sy * alpha - sx * omega**2
    values[:, 7] += sx * alpha - sy * omega**2
    return Track(name, t, values)


def seen_from(track: Track, frame: Track) -> Track:
    """A track as an observer on another one sees it.

    With d = r − R and Ȧ = ω A E:  s = Aᵀ d,  ṡ = Aᵀ ḋ − ω E s,  s̈ = Aᵀ d̈ − 2 ω E ṡ − α E s + ω² s,  E the turn by +90°.
    """
    c, s = np.cos(frame.angle), np.sin(frame.angle)
    omega, alpha = frame.angular_velocity, frame.angular_acceleration
    d = track.values - frame.values
    values = np.empty_like(d)
    for k in (0, 3, 6):
        values[:, k] = c * d[:, k] + s * d[:, k + 1]
        values[:, k + 1] = c * d[:, k + 1] - s * d[:, k]
        values[:, k + 2] = d[:, k + 2]
    x, y = values[:, 0], values[:, 1]
    values[:, 3] += omega * y
    values[:, 4] -= omega * x
    vx, vy = values[:, 3], values[:, 4]
    values[:, 6] += 2.0 * omega * vy + alpha * y + omega**2 * x
    values[:, 7] += -2.0 * omega * vx - alpha * x + omega**2 * y
    return Track(f"{track.name} seen from {frame.name}", track.t, values)
