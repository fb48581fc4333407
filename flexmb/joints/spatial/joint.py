"""The base class of joints in space, and directions fixed to their two bodies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.pair_joint import PairJoint
from flexmb.kernels.rotations import exp, inverse, product, turned, turned_back
from flexmb.model.spatial_frames import Frame, SpatialPair, axes_about, unit_axis
from flexmb.model.ways import Motion, Ways

#: a unit quaternion, scalar first
Quaternion = tuple[float, ...]


@dataclass(eq=False)
class SpatialJoint(PairJoint, SpatialPair):
    """A constraint between frames `a` and `b` in space. Its force on the node of a frame is −Gᵀ λ: a force in the axes
    of the ground, and a moment in those of the body."""


def direction_in(frame: Frame, of: Frame, direction: np.ndarray) -> np.ndarray:
    """A direction (3,) in the axes of the frame `of`, seen in those of another frame at the start."""
    return np.array(turned_back(tuple(frame.quaternion), turned(tuple(of.quaternion), tuple(direction))))


@dataclass(frozen=True)
class HingeAxes:
    """Right-handed axes x, y across and z along the axis of a joint, on frame a and on frame b: the unit quaternions
    (4,) from them to the axes of these frames. They coincide at the start; where b has an axis of its own, those of b
    are turned there the shortest way."""

    a: Frame
    b: Frame
    in_a: Quaternion
    in_b: Quaternion

    @classmethod
    def of(cls, a: Frame, b: Frame, in_a: Quaternion, turn: Quaternion | None = None) -> HingeAxes:
        """Those of b as those of a (4,) at the start, after a turn (4,) in the axes of the ground if one is given."""
        at_start = product(_orientation(a), in_a)
        if turn is not None:
            at_start = product(turn, at_start)
        return cls(a, b, in_a, product(inverse(_orientation(b)), at_start))

    @classmethod
    def between(cls, a: Frame, b: Frame, axis: Any, axis_b: Any, where: str) -> HingeAxes:
        """Those of an axis in the axes of frame a, and one in those of b that a user gave; those that point opposite
        ways at the start are refused."""
        u = unit_axis(axis, where)
        in_a = axes_about(*u.tolist())
        if axis_b is None:
            return cls.of(a, b, in_a)
        w = np.array(turned(_orientation(b), tuple(unit_axis(axis_b, where, "axis_b", "b"))))
        u = np.array(turned(_orientation(a), tuple(u)))
        normal = np.cross(u, w)
        sine = float(np.linalg.norm(normal))
        apart = float(np.arctan2(sine, u @ w))
        if apart > 0.5 * np.pi - 1e-9:
            raise ModelError(
                f"{where}: at the start axis_b points {np.degrees(apart):.6g}° away from axis, and it is not known "
                "which way they are to meet; give axis_b the other sign, or turn a body until they are nearer"
            )
        return cls.of(a, b, in_a, exp(tuple(apart / sine * normal)) if sine > 0.0 else None)

    def ways(self, *motions: Motion) -> Ways:
        """These motions from the axes on a to those on b."""
        on = [product(tuple(f.axes.tolist()), q) for f, q in ((self.a, self.in_a), (self.b, self.in_b))]
        return Ways(on[0], tuple(self.a.offset.tolist()), motions, on[1], tuple(self.b.offset.tolist()))

    @cached_property
    def on_a(self) -> np.ndarray:
        """The directions x, y, z (3, 3), one a row, in the axes of body a."""
        return _directions(self.a, self.in_a)

    @cached_property
    def on_b(self) -> np.ndarray:
        """The directions x, y, z (3, 3), one a row, in the axes of body b."""
        return _directions(self.b, self.in_b)


def _orientation(frame: Frame) -> Quaternion:
    """From the axes of a frame to those of the ground, at the start."""
    return product(tuple(frame.node.orientation.tolist()), tuple(frame.axes.tolist()))


def _directions(frame: Frame, axes: Quaternion) -> np.ndarray:
    on_node = product(tuple(frame.axes.tolist()), axes)
    return np.array([turned(on_node, e) for e in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))])
