"""What joints have in common: two frames, and compiled geometry of a frame on its node."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from flexmb.errors import ModelError
from flexmb.model.components import Assembler, Component, pair_coordinates, pair_offsets
from flexmb.model.frames import Frame
from flexmb.system.kernels import Kernels, compiled


@dataclass(eq=False)
class Joint(Component):
    """A constraint between frames `a` and `b`."""

    a: Frame
    b: Frame
    kind = "joint"

    def frames(self) -> list[Frame]:
        return [self.a, self.b]

    def check(self) -> None:
        if self.a.node is self.b.node:
            raise ModelError(f"{self.where}: frames {self.a.name!r} and {self.b.name!r} are parts of the same body")

    def put(
        self,
        assembly: Assembler,
        kernels: Kernels,
        rows: list[tuple[str, str]],
        parameters: np.ndarray | None = None,
        work: int = 0,
    ) -> None:
        """The one instance that a joint between two frames usually is: parameters are the offsets, then its own."""
        own = np.zeros(0) if parameters is None else parameters
        p = np.concatenate([pair_offsets(self.a, self.b), own])
        assembly.instance(self, kernels, pair_coordinates(assembly, self.a, self.b), p, rows, work)


@compiled
def turned(c, s, ux, uy):
    """A u: a vector turned by the angle whose cosine and sine are given."""
    return c * ux - s * uy, s * ux + c * uy


@compiled
def frame_arm(p, k, angle):
    """The vector from a node to a frame on it, in global axes; the frame's offset stands at p[k], p[k + 1]."""
    c = math.cos(angle)
    s = math.sin(angle)
    return c * p[k] - s * p[k + 1], s * p[k] + c * p[k + 1]
