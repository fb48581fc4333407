"""Places on a beam's axis, as frames of the plane and of space."""

from __future__ import annotations

from typing import Any

from flexmb.model.frames import Owner
from flexmb.model.model import check_member


class OnBeam:
    """A place on a beam's axis, a frame with the fields `beam`, `s` ∈ [0, 1] from start to end, and `welded`: whether
    its node is welded to the beam; else the node is one of the beam's own.

    The node of a place on which nothing stands is no part of the mechanism; results and strain gauges do without it.
    Forces and torques act on the beam itself. Joints, bodies, springs, motors and other sensors enter the node in the
    model, with the constraints that weld it to the beam. A place at the beam's own nodes needs none.
    """

    name: str
    model: Owner
    where: str
    beam: Any
    s: float
    welded: bool

    @property
    def carrier(self) -> Any:
        """The beam, if loads act on its own coordinates and need no node."""
        return self.beam if self.welded and 0.0 < self.s < 1.0 else None

    @property
    def is_entered(self) -> bool:
        """Whether its node is a part of the mechanism."""
        return self.model.frames.get(self.name) is self

    def enter(self) -> None:
        """Make its node a part of the mechanism."""
        if self.is_entered:
            return
        check_member(self.beam, self.beam.model, self.where)
        if self.welded:
            self.beam.check_places(self.where)
        self.model.register_frame(self)  # type: ignore[arg-type]
