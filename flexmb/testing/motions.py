"""Rigid motions of a whole mechanism, in the plane and in space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.kernels.blocks import ANGLE, PLACE, VECTOR
from flexmb.model.frames import rotation
from flexmb.system.numbering import Numbering, moved_by

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class RigidMotion:
    """A turn about the origin, then a shift.

    Arguments: `turn`, the angle (1,) in the plane or the rotation vector (3,) in space [rad]; `shift` (2,) or (3,) [m].

    >>> RigidMotion(np.array([np.pi / 2]), np.array([1.0, 0.0])).of_point(np.array([2.0, 0.0])).round(12).tolist()
    [1.0, 2.0]
    """

    turn: Array
    shift: Array

    @classmethod
    def random(cls, rng: np.random.Generator, dimension: int, most: float, size: float) -> RigidMotion:
        """A turn by at most an angle, about any axis in space, and a shift by about a size."""
        if dimension < 3:
            return cls(np.array([rng.uniform(-most, most)]), size * rng.uniform(-1.0, 1.0, 2))
        axis = rng.normal(size=3)
        return cls(rng.uniform(-most, most) * axis / np.linalg.norm(axis), size * rng.uniform(-1.0, 1.0, 3))

    def __str__(self) -> str:
        turn = self.turn.tolist()
        return f"{turn[0]:.4g}" if len(turn) == 1 else f"({', '.join(f'{x:.4g}' for x in turn)})"

    @property
    def matrix(self) -> Array:
        """The matrix (2, 2) or (3, 3) of the turn."""
        if len(self.turn) == 1:
            return rotation(float(self.turn[0]))
        return Rotation.from_rotvec(self.turn).as_matrix()

    def of_point(self, place: Array) -> Array:
        """Where a point (…, 2) or (…, 3) comes to."""
        return place @ self.matrix.T + self.shift

    def of_orientation(self, quaternion: Array) -> Array:
        """Orientation (4,), scalar first, after the motion."""
        turned = Rotation.from_rotvec(self.turn) * Rotation.from_quat(np.roll(quaternion, -1))
        return np.roll(turned.as_quat(), 1)

    def of_speeds(self, numbering: Numbering, x: Array) -> Array:
        """Speeds, accelerations or forces (n,), turned with the whole. Those of orientations are in the axes of the
        bodies, and stay."""
        y, R = x.copy(), self.matrix
        for kind in (PLACE, VECTOR):
            numbers = numbering.numbers_of(kind, len(R))
            y[numbers] = x[numbers] @ R.T
        return y

    def of_coordinates(self, numbering: Numbering, q: Array) -> Array:
        """Coordinates (nq,) after the motion."""
        n = len(numbering)
        y = np.append(self.of_speeds(numbering, q[:n]), q[n:])
        y[numbering.numbers_of(PLACE, len(self.shift))] += self.shift
        y[numbering.numbers_of(ANGLE, 1)] += self.turn[0]
        for first, scalar in numbering.orientations.tolist():
            numbers = [scalar, first, first + 1, first + 2]
            y[numbers] = self.of_orientation(q[numbers])
        return y


def centripetal(numbering: Numbering, q: Array, omega: Array) -> Array:
    """The accelerations (n,) of a whole that spins steadily about the origin, with the angular velocity (1,) or (3,) in
    the axes of the ground [rad/s]. The speeds of orientations, in the axes of their bodies, do not change."""
    a = np.zeros(len(numbering))
    for kind in (PLACE, VECTOR):
        numbers = numbering.numbers_of(kind, 2 if len(omega) == 1 else 3)
        x = q[numbers]
        a[numbers] = -(omega[0] ** 2) * x if len(omega) == 1 else np.cross(omega, np.cross(omega, x))
    return a


@dataclass
class TrialState:
    """A random state (t, q, v, a) of a component or a system, at which checks are made.

    q begins with as many coordinates as there are speeds, and the scalar parts of orientations stand behind them.
    `orientations` (k, 2) says where these are, see :mod:`flexmb.kernels.charts`.

    >>> import flexmb as fm
    >>> from flexmb import testing
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, center=(0.2, 0.1))
    >>> part = testing.Recorder.of(body)
    >>> state = testing.random_state(part, seed=1)
    >>> bool(abs(state.later(1e-6).v - state.v - 1e-6 * state.a).max() < 1e-12)
    True
    """

    t: float
    q: Array
    v: Array
    a: Array
    orientations: Array

    def retracted(self, moves: Array) -> Array:
        """The coordinates moved by a vector, or for each row of vectors; see :meth:`flexmb.System.retract`."""
        return moved_by(self.orientations, self.q, moves)

    def later(self, h: float) -> TrialState:
        """The state a time h later, with constant accelerations. Of orientations it is one whose rates at h = 0 are
        right, and so are those of the speeds."""
        q = self.retracted(h * (self.v + 0.5 * h * self.a))
        return TrialState(self.t + h, q, self.v + h * self.a, self.a, self.orientations)
