"""What springs, dampers and actuators along the line between two frames share in the plane and in space."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.functions.time_function import TimeFunction, as_function
from flexmb.model.pairs import PairComponent

#: a distance below this part of the spring's size counts as zero
NO_DISTANCE = 1e-9


@dataclass(eq=False)
class LineSpring(PairComponent):
    """The base of springs with dampers and actuators along the line between the origins of two frames.

    Arguments: `stiffness` [N/m]; `damping` [Ns/m]; `free_length` [m], the initial distance when not given; `force` [N],
    what the actuator pushes the frames apart with, a number or a function of time.
    """

    _: KW_ONLY
    stiffness: float = 0.0
    damping: float = 0.0
    free_length: float | None = None
    force: TimeFunction | float = 0.0
    strength = "force"
    strength_unit = "N"
    kind = "spring"
    glyphs = ("spring",)

    @property
    def initial_length(self) -> float:
        """Distance of the frames at the start [m]."""
        return float(np.hypot.reduce(self.b.position - self.a.position))

    def check(self) -> None:
        super().check()
        checks.check_fields(self, checks.not_negative, self.where, "stiffness", "damping")
        if self.free_length is not None:
            checks.check_fields(self, checks.not_negative, self.where, "free_length")
        self.force = as_function(self.force, "force", self.where)

    def parameters(self, assembly: Assembler) -> list[float]:
        """Stiffness, damping, free length, the length that counts as zero, and the slot of the actuator's force."""
        free = self.initial_length if self.free_length is None else self.free_length
        least = NO_DISTANCE * (max(free, self.initial_length) or 1.0)
        return [self.stiffness, self.damping, free, least, *assembly.strength(self).slot()]
