"""The base class of joints in space, and directions fixed to their two bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.kernels.rotations import turned, turned_back
from flexmb.model.spatial_frames import SpatialFrame, SpatialPair


@dataclass(eq=False)
class SpatialJoint(SpatialPair):
    """A constraint between frames `a` and `b` in space. Its force on the node of a frame is −Gᵀ λ: a force in the axes
    of the ground, and a moment in those of the body."""

    kind = "joint"

    def check(self) -> None:
        super().check()
        self.refuse_fixed_frames()


@dataclass(frozen=True)
class HingeAxes:
    """Right-handed unit directions x, y across and z along the axis of a hinge, in the axes of body a and of body b;
    they coincide at the start."""

    on_a: np.ndarray
    on_b: np.ndarray

    @classmethod
    def of(cls, a: SpatialFrame, b: SpatialFrame, axis: np.ndarray) -> HingeAxes:
        """For an axis (3,) in the axes of frame a."""
        across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        across /= np.linalg.norm(across)
        own = [across, np.cross(axis, across), axis]
        ground = [turned(tuple(a.orientation), tuple(u)) for u in own]
        on_a, on_b = ([turned_back(tuple(f.node.orientation), u) for u in ground] for f in (a, b))
        return cls(np.array(on_a), np.array(on_b))
