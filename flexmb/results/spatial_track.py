"""The motion of a place in space: position, orientation, and their first and second rates, at every time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation


#: the unit of each column, in the axes of the ground
SPATIAL_UNITS = {
    **dict.fromkeys(("x", "y", "z"), "m"),
    **dict.fromkeys(("e0", "e1", "e2", "e3"), "–"),
    **dict.fromkeys(("vx", "vy", "vz"), "m/s"),
    **dict.fromkeys(("wx", "wy", "wz"), "rad/s"),
    **dict.fromkeys(("ax", "ay", "az"), "m/s²"),
    **dict.fromkeys(("alpha_x", "alpha_y", "alpha_z"), "rad/s²"),
}


@dataclass(frozen=True, eq=False)
class SpatialTrack:
    """The motion of a frame in space. All vectors are in the axes of the ground.

    Arguments: `name`; `t` (k,) [s]; `values` (k, 19), the columns of :data:`flexmb.kernels.widths.SPATIAL_POINT`.
    """

    name: str
    t: np.ndarray
    values: np.ndarray

    @property
    def position(self) -> np.ndarray:
        """Places (k, 3) [m]."""
        return self.values[:, 0:3]

    @property
    def orientation(self) -> Rotation:
        """The rotations (k) from its axes to those of the ground."""
        return Rotation.from_quat(np.roll(self.values[:, 3:7], -1, axis=1))

    @property
    def velocity(self) -> np.ndarray:
        """Velocities (k, 3) [m/s]."""
        return self.values[:, 7:10]

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocities (k, 3) [rad/s]."""
        return self.values[:, 10:13]

    @property
    def acceleration(self) -> np.ndarray:
        """Accelerations (k, 3) [m/s²]."""
        return self.values[:, 13:16]

    @property
    def angular_acceleration(self) -> np.ndarray:
        """Angular accelerations (k, 3) [rad/s²]."""
        return self.values[:, 16:19]

    @property
    def speed(self) -> np.ndarray:
        """Sizes of the velocity (k,) [m/s]."""
        return np.linalg.norm(self.velocity, axis=1)

    def column(self, name: str) -> np.ndarray:
        """One quantity (k,) of :data:`SPATIAL_UNITS`, such as 'x', 'wz' or 'alpha_x'."""
        return self.values[:, list(SPATIAL_UNITS).index(name)]

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"SpatialTrack({self.name!r}, {len(self.t)} times)"


def spatial_frame_track(
    q: np.ndarray, v: np.ndarray, a: np.ndarray, offset: np.ndarray, axes: np.ndarray, name: str, t: np.ndarray
) -> SpatialTrack:
    """The track of a frame that is fastened to a node.

    With the arm s = R u:  r = r_n + s,  ṙ = ṙ_n + ω × s,  r̈ = r̈_n + α × s + ω × (ω × s).
    `q` (k, 7), `v` (k, 6), `a` (k, 6): the node's own coordinates, speeds and accelerations, those of the orientation
    in its own axes; `offset` (3,) u [m], and `axes` (4,), the quaternion of the frame's axes in those of the node.
    """
    turn = Rotation.from_quat(np.roll(q[:, 3:7], -1, axis=1))
    arm, omega, alpha = turn.apply(offset), turn.apply(v[:, 3:6]), turn.apply(a[:, 3:6])
    own = turn * Rotation.from_quat(np.roll(axes, -1))
    speed = np.cross(omega, arm)
    acceleration = np.cross(alpha, arm) + np.cross(omega, speed)
    orientation = np.roll(own.as_quat(), 1, axis=1)
    values = [q[:, :3] + arm, orientation, v[:, :3] + speed, omega, a[:, :3] + acceleration, alpha]
    return SpatialTrack(name, t, np.hstack(values))
