"""The base class of joints: a constraint between two frames.

Forces: the equation of motion is  M a + f + Gᵀ λ = 0, so the force of a joint on the node of a frame is −Gᵀ λ,
with the columns of G that belong to the node. All joints are written as (b) − (a): a row that measures an
angle or a length puts −λ on frame b, a moment that turns b forward or a force that drives b away, and
+λ on frame a. A joint may consist of several instances (a prismatic one of two); its forces are their sum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.errors import ModelError
from flexmb.model.components import PairComponent
from flexmb.model.frames import rotation


@dataclass(eq=False)
class Joint(PairComponent):
    """A constraint between frames `a` and `b`."""

    kind = "joint"
    dimension = 2

    def check(self) -> None:
        if self.a.node is self.b.node:
            raise ModelError(f"{self.where}: frames {self.a.name!r} and {self.b.name!r} are parts of the same body")
        if self.a.node.fixed and self.b.node.fixed:
            raise ModelError(
                f"{self.where}: frames {self.a.name!r} and {self.b.name!r} are both fixed in space; "
                f"join something that can move"
            )

    @property
    def initial_position(self) -> np.ndarray:
        """Origin of frame b in the axes of frame a, in the model (2,) [m]."""
        return rotation(self.a.angle).T @ (self.b.position - self.a.position)
