"""The base class of joints in space, and directions fixed to their two bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.errors import ModelError
from flexmb.kernels.rotations import inverse, product, turned, turned_back
from flexmb.model import checks
from flexmb.model.spatial_frames import SpatialFrame, SpatialPair

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(eq=False)
class SpatialJoint(SpatialPair):
    """A constraint between frames `a` and `b` in space. Its force on the node of a frame is −Gᵀ λ: a force in the axes
    of the ground, and a moment in those of the body."""

    kind = "joint"

    def check(self) -> None:
        super().check()
        self.refuse_fixed_frames()


def unit_axis(axis: Any, where: str, what: str = "axis", frame: str = "a") -> np.ndarray:
    """The direction (3,) of an axis: "x", "y", "z", or three numbers, in the axes of a frame."""
    if isinstance(axis, str) and axis in _AXES:
        return np.array(_AXES[axis])
    if isinstance(axis, str):
        raise ModelError(
            f"{where}: {what} is {axis!r}; give 'x', 'y', 'z', or a direction (3,) in the axes of frame {frame}"
        )
    direction = checks.vector(axis, what, where, 3)
    length = float(np.linalg.norm(direction))
    if length == 0.0:
        raise ModelError(f"{where}: {what} has no direction, since all its numbers are zero")
    return direction / length


@dataclass(frozen=True)
class HingeAxes:
    """Right-handed unit directions x, y across and z along the axis of a joint, (3, 3) a direction a row, in the axes
    of body a and of body b. They coincide at the start; where b has an axis of its own, that of b is turned there the
    shortest way."""

    on_a: np.ndarray
    on_b: np.ndarray

    @classmethod
    def of(cls, a: SpatialFrame, b: SpatialFrame, axis: np.ndarray, axis_b: np.ndarray | None = None) -> HingeAxes:
        """For an axis (3,) in the axes of frame a, and one in those of frame b; the same line at the start when that is
        not given."""
        x = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        x /= np.linalg.norm(x)
        own = [x, np.cross(axis, x), axis]
        at_a = at_b = np.array([turned(tuple(a.orientation), tuple(u)) for u in own])
        if axis_b is not None:
            at_b = _turned_to(at_a, np.array(turned(tuple(b.orientation), tuple(axis_b))))
        return cls.at_start(a, b, at_a, at_b)

    @classmethod
    def at_start(cls, a: SpatialFrame, b: SpatialFrame, at_a: Any, at_b: Any) -> HingeAxes:
        """Axes (3, 3) that are said in those of the ground, at the start."""
        on_a, on_b = (
            [turned_back(tuple(f.node.orientation), tuple(u)) for u in at] for f, at in ((a, at_a), (b, at_b))
        )
        return cls(np.array(on_a), np.array(on_b))

    @classmethod
    def between(cls, a: SpatialFrame, b: SpatialFrame, axis: Any, axis_b: Any, where: str) -> HingeAxes:
        """The same, as a user says the axes; those that point opposite ways at the start are refused."""
        u = unit_axis(axis, where)
        if axis_b is None:
            return cls.of(a, b, u)
        w = unit_axis(axis_b, where, "axis_b", "b")
        both = [np.array(turned(tuple(f.orientation), tuple(x))) for f, x in ((a, u), (b, w))]
        apart = np.arctan2(np.linalg.norm(np.cross(both[0], both[1])), both[0] @ both[1])
        if apart > 0.5 * np.pi - 1e-9:
            raise ModelError(
                f"{where}: at the start axis_b points {np.degrees(apart):.6g}° away from axis, and it is not known "
                "which way they are to meet; give axis_b the other sign, or turn a body until they are nearer"
            )
        return cls.of(a, b, u, w)

    def in_frames(self, a: SpatialFrame, b: SpatialFrame) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """The unit quaternions (4,) of these axes in those of the frames a and b."""
        out = []
        for frame, own in ((a, self.on_a), (b, self.on_b)):
            on_node = np.roll(Rotation.from_matrix(own.T).as_quat(), 1)
            out.append(tuple(float(x) for x in product(inverse(tuple(frame.axes)), tuple(on_node))))
        return out[0], out[1]


def _turned_to(axes: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """Axes (3, 3), a direction a row, turned the shortest way until the last of them has a direction (3,)."""
    normal = np.cross(axes[2], direction)
    sine = np.linalg.norm(normal)
    if sine < 1e-14:
        return axes
    turn = Rotation.from_rotvec(np.arctan2(sine, axes[2] @ direction) / sine * normal)
    return np.vstack([turn.apply(axes[:2]), direction])
