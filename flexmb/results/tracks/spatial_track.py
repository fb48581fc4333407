"""The motion of a place in space: position, orientation, and their first and second rates, at every time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import scipy

from flexmb.errors import AccuracyWarning, warn
from flexmb.kernels.euler_angles import MEMORY
from flexmb.kernels.widths import SPACE
from flexmb.model.hints import Answering
from flexmb.model.orientations import axes_that_turn, checked_sequence, rotation_of
from flexmb.results import loops

#: the four vectors of a track that are in the axes of the ground, or in its own
_VECTORS = (SPACE.velocity, SPACE.angular_velocity, SPACE.acceleration, SPACE.angular_acceleration)


class Column:
    """One column of a track (k,), by its name in the table of widths."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.number = list(SPACE.point).index(name)

    def __get__(self, track: Track, owner: type | None = None) -> np.ndarray:
        if track is None:
            return self  # type: ignore[return-value]  # asked of the class
        return track.values[:, self.number]


@dataclass(frozen=True, eq=False)
class Track(Answering):
    """The motion of a frame in space, or of a point of a beam. All vectors are in the axes of the ground, but see
    :meth:`in_own_axes`.

    Arguments: `name`; `t` (k,) [s]; `values` (k, 19), the columns of `SPACE.point` in :mod:`flexmb.kernels.widths`:
    position, quaternion (scalar first), velocity, angular velocity, acceleration, angular acceleration; `axes`, those
    of the last four, "ground" or "body". Each column has its name: `track.z`, `track.wx`.

    >>> import numpy as np
    >>> values = np.zeros((1, 19))
    >>> values[0, :10] = 1, 2, 3, 0, 0, 0, 1, 4, 0, 0  # turned by half a turn about z
    >>> track = Track("stone", np.array([0.0]), values)
    >>> track.z.tolist(), track.speed.tolist(), track.in_own_axes().velocity.tolist()
    ([3.0], [4.0], [[-4.0, 0.0, 0.0]])
    """

    name: str
    t: np.ndarray
    values: np.ndarray
    axes: str = "ground"
    _hints: ClassVar[Mapping[str, str]] = {
        "angle": "orientation, rotation_vector or euler_angles(sequence), or take the angle of a joint",
        "angles": "euler_angles(sequence)",
        "quaternion": "euler_parameters, scalar first, or orientation.as_quat()",
        "omega": "angular_velocity",
        "alpha": "angular_acceleration",
        "time": "t",
    }

    @property
    def where(self) -> str:
        """The track as messages name it."""
        return f"track {self.name!r}"

    x, y, z = Column(), Column(), Column()
    e0, e1, e2, e3 = Column(), Column(), Column(), Column()
    vx, vy, vz = Column(), Column(), Column()
    wx, wy, wz = Column(), Column(), Column()
    ax, ay, az = Column(), Column(), Column()
    alpha_x, alpha_y, alpha_z = Column(), Column(), Column()

    @property
    def position(self) -> np.ndarray:
        """Places (k, 3) [m]."""
        return self.values[:, SPACE.position]

    @property
    def orientation(self) -> scipy.spatial.transform.Rotation:
        """The rotations (k) from its axes to those of the ground."""
        return rotation_of(self.values[:, SPACE.orientation])

    @property
    def euler_parameters(self) -> np.ndarray:
        """Euler parameters (k, 4), scalar first: unit quaternions, with the signs that they had in the run."""
        return self.values[:, SPACE.orientation]

    @property
    def euler_parameter_rates(self) -> np.ndarray:
        """The rates (k, 4) [1/s] of the Euler parameters: ½ ω ∘ p."""
        omega = self._in_axes("ground").angular_velocity
        return 0.5 * products(np.hstack([np.zeros((len(self), 1)), omega]), self.euler_parameters)

    @property
    def rotation_vector(self) -> np.ndarray:
        """Rotation vectors (k, 3) [rad], of at most half a turn each."""
        return self.orientation.as_rotvec()

    def euler_angles(self, sequence: str) -> np.ndarray:
        """Euler angles (k, 3) [rad] of a sequence, as :func:`flexmb.euler_angles` names them; "ZXZ" is 3-1-3.

        They begin between −π and π, the middle one from 0 to π or, if the axes are three, from −½π to ½π, and go on
        without jumps, also through positions where two of them are not determined because the first and the last axis
        are parallel. Just there these two are NaN, of which an :class:`~flexmb.errors.AccuracyWarning` tells.

        >>> import flexmb as fm
        >>> model = fm.SpatialModel("m")
        >>> body = model.add_body("body", mass=1.0, inertia=(1, 1, 1), orientation=fm.euler_angles("ZXZ", (0, 1, 2)))
        >>> body.move(angular_velocity=(0, 0, 3))
        >>> fm.simulate(model, 1.0, "rkf45", step=0.01)["body"].euler_angles("ZXZ")[-1].round(6).tolist()
        [3.0, 1.0, 2.0]
        """
        return self._euler_angles(sequence)[0]

    def euler_angle_rates(self, sequence: str) -> np.ndarray:
        """The rates (k, 3) [rad/s] of the Euler angles of a sequence, from the angular velocity; NaN where two angles
        are not determined."""
        return self._euler_angles(sequence)[1]

    def turn(self, what: str) -> np.ndarray:
        """A number (k,) of how it is turned, by its name: 'rotation_x', 'ZXZ1', 'ZXZ1 rate'."""
        if what.startswith("rotation_"):
            return self.rotation_vector[:, "xyz".index(what[-1])]
        of = self.euler_angle_rates if what.endswith(" rate") else self.euler_angles
        return of(what[:3])[:, int(what[3]) - 1]

    def _euler_angles(self, sequence: str) -> tuple[np.ndarray, np.ndarray]:
        where = f"track {self.name!r}"
        axes, order = axes_that_turn(checked_sequence(sequence, where))
        omega = self._in_axes("body").angular_velocity
        angles, rates = np.empty((2, len(self), 3))
        arrays = (np.ascontiguousarray(x, dtype=float) for x in (self.t, self.euler_parameters, omega))
        loops.angles_of_track(axes, *arrays, np.full(MEMORY, np.nan), angles, rates)
        lost = np.flatnonzero(np.isnan(angles[:, 0]))
        if len(lost):
            warn(
                f"{where}: the Euler angles {sequence!r} are not determined at t = {self.t[lost[0]]:g} s"
                f"{f' and {len(lost) - 1} more times' if len(lost) > 1 else ''}, where the first and the last axis are "
                "parallel, and are NaN there; another sequence has its singular positions elsewhere",
                AccuracyWarning,
            )
        return angles[:, order], rates[:, order]

    @property
    def velocity(self) -> np.ndarray:
        """Velocities (k, 3) [m/s]."""
        return self.values[:, SPACE.velocity]

    @property
    def angular_velocity(self) -> np.ndarray:
        """Angular velocities (k, 3) [rad/s]."""
        return self.values[:, SPACE.angular_velocity]

    @property
    def acceleration(self) -> np.ndarray:
        """Accelerations (k, 3) [m/s²]."""
        return self.values[:, SPACE.acceleration]

    @property
    def angular_acceleration(self) -> np.ndarray:
        """Angular accelerations (k, 3) [rad/s²]."""
        return self.values[:, SPACE.angular_acceleration]

    @property
    def speed(self) -> np.ndarray:
        """Sizes of the velocity (k,) [m/s]."""
        return np.linalg.norm(self.velocity, axis=1)

    def as_node(self) -> tuple[np.ndarray, ...]:
        """Coordinates (k, 7), speeds and accelerations (k, 6) of a node that moves so, what turns in its own axes."""
        ground, own = self._in_axes("ground").values, self._in_axes("body").values
        rates = [np.hstack([ground[:, at : at + 3], own[:, at + 3 : at + 6]]) for at in (7, 13)]
        return ground[:, :7], *rates

    def in_own_axes(self) -> Track:
        """The same motion with velocities and accelerations in its own axes; position and orientation stay."""
        return self._in_axes("body")

    def _in_axes(self, axes: str) -> Track:
        if axes == self.axes:
            return self
        turn, values = self.orientation, self.values.copy()
        for part in _VECTORS:
            values[:, part] = turn.apply(values[:, part], inverse=axes == "body")
        return replace(self, values=values, axes=axes)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"Track({self.name!r}, {len(self.t)} times)"


def products(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Quaternions p ∘ q (k, 4), scalar part first, with their signs."""
    p, q = np.broadcast_arrays(p, q)
    scalar = p[:, :1] * q[:, :1] - np.sum(p[:, 1:] * q[:, 1:], axis=1, keepdims=True)
    return np.hstack([scalar, p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])])
