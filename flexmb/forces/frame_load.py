"""The base of loads that act on a frame from outside, of the plane or of space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flexmb.elements.interior import Interior
from flexmb.elements.on_beam import OnBeam
from flexmb.errors import ModelError
from flexmb.model.components import Assembler, Component
from flexmb.model.frames import Frame


@dataclass(eq=False)
class FrameLoad(Component):
    """A load that acts on a frame from outside; at a place inside a beam it acts on the beam's own coordinates."""

    frame: Frame
    kind = "load"
    external = True
    axes = "ground"

    @property
    def beam(self) -> Any:
        """The beam on whose coordinates the load stands; None if it stands on the node of its frame."""
        return self.frame.carrier if isinstance(self.frame, OnBeam) else None

    @property
    def fixed_in_space(self) -> bool:
        """Whether the load keeps its direction when the frame turns."""
        return self.axes == "ground"

    def place_on_beam(self, assembly: Assembler) -> Interior | None:
        """Place of the load inside a beam; None if it acts on a node."""
        beam = self.beam
        return None if beam is None else beam.interior(beam.elements_of(assembly), self.frame.s)  # type: ignore[attr-defined]

    def frames(self) -> list[Frame]:
        return [self.frame] if self.beam is None else []

    def parts(self) -> list[Component]:
        return [] if self.beam is None else [self.beam]

    def check(self) -> None:
        if self.beam is not None:
            self.beam.check_places(self.where)
        if self.frame.node.fixed:
            raise ModelError(f"{self.where}: frame {self.frame.name!r} is fixed; what acts there moves nothing")
