"""What springs about an axis are told in the plane and in space."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from flexmb.model import checks
from flexmb.model.pairs import PairComponent


@dataclass(eq=False)
class SpringAboutAxis(PairComponent):
    """The base of springs and dampers about an axis between two frames.

    Arguments: `stiffness` [Nm/rad]; `damping` [Nms/rad]; `free_angle` [rad], the angle without moment.
    """

    _: KW_ONLY
    stiffness: float = 0.0
    damping: float = 0.0
    free_angle: float | None = None
    kind = "spring"
    glyphs = ("spiral",)

    def check(self) -> None:
        super().check()
        checks.check_fields(self, checks.not_negative, self.where, "stiffness", "damping")
        if self.free_angle is not None:
            checks.check_fields(self, checks.number, self.where, "free_angle")
