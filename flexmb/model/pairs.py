"""Components between two frames, of the plane or of space: joints, springs and motors derive from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.kernels.blocks import Numbers
from flexmb.kernels.contract import Kernels
from flexmb.model.appearance import PairPlace, Place
from flexmb.model.components import Assembler, Component, Rows
from flexmb.model.frames import Frame, rotation


@dataclass(eq=False)
class PairComponent(Component):
    """A component between two frames, of the plane or of space.

    Arguments: frames `a` and `b`; what moves is b, measured against a.
    """

    a: Frame
    b: Frame

    def frames(self) -> list[Frame]:
        return [self.a, self.b]

    def place(self) -> Place | None:
        return PairPlace(self.a.name, self.b.name, self.glyphs)

    def check(self) -> None:
        if self.a.node is self.b.node:
            raise ModelError(
                f"{self.where}: frames {self.a.name!r} and {self.b.name!r} are parts of the same body; "
                f"a {self.kind} between them does nothing"
            )

    def refuse_fixed_frames(self) -> None:
        """Refuse two frames that are both fixed in space."""
        if self.a.node.fixed and self.b.node.fixed:
            raise ModelError(
                f"{self.where}: frames {self.a.name!r} and {self.b.name!r} are both fixed in space; "
                f"join something that can move"
            )

    def add_instance(
        self,
        assembly: Assembler,
        kernels: Kernels,
        rows: Rows | None = None,
        parameters: np.ndarray | Sequence[float] = (),
        work: int = 0,
        prescribed: int | None = None,
        strength: int | None = None,
        found: bool = False,
    ) -> None:
        """Add an instance between the two frames; its parameters are those of the frames (6), then the ones given."""
        p = pair_offsets(self.a, self.b)
        if len(parameters):
            p = np.concatenate([p, parameters])
        coordinates = pair_coordinates(assembly, self.a, self.b)
        more: dict[str, Any] = {"strength": strength, "prescribed": prescribed, "found": found}
        assembly.instance(self, kernels, coordinates, p, rows, work, **more)


@dataclass(eq=False)
class PlanarPair(PairComponent):
    """A component between two frames of the plane; angles and positions of b are measured against a."""

    @property
    def initial_angle(self) -> float:
        """Angle of frame b minus that of frame a in the model [rad]."""
        return self.b.angle - self.a.angle

    @property
    def initial_position(self) -> np.ndarray:
        """Origin of frame b in the axes of frame a, in the model (2,) [m]."""
        return rotation(self.a.angle).T @ (self.b.position - self.a.position)


def pair_coordinates(assembly: Assembler, a: Frame, b: Frame) -> list[Numbers]:
    """Blocks of the coordinates of the nodes under two frames."""
    return [*assembly.node(a.node), *assembly.node(b.node)]


def pair_offsets(a: Frame, b: Frame) -> np.ndarray:
    """Parameters (6,) with which joints and forces between frames begin: offset and angle of a in its node's axes, then
    of b; in space the offsets alone."""
    return np.array([*a.numbers, *b.numbers])
