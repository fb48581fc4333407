"""The base class of constraints between two frames, of the plane or of space."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.model.pairs import PairComponent


@dataclass(eq=False)
class PairJoint(PairComponent):
    """A constraint between frames `a` and `b`."""

    kind = "joint"

    def check(self) -> None:
        super().check()
        self.refuse_fixed_frames()
