"""Pin in slot: a point of one body on a straight line of another."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.joints.base import Joint
from flexmb.joints.drive_position import put_along
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.frames import rotation
from flexmb.model.functions import Constant
from flexmb.model.seen import PairPlace


@dataclass(eq=False)
class PinInSlot(Joint):
    """The origin of frame b, the pin, stays on an axis through the origin of frame a, the slot; it may turn.

        g = n · (r_b − r_a),    n the axis turned by +90°

    Arguments: `axis`, the angle of the slot in frame a [rad].

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> pin = m.add_body("pin", mass=1.0, inertia=0.1)
    >>> slot = m.pin_in_slot(m.ground, pin.frame)
    >>> fm.System(m).jacobian(0.0, [2, 0, 0]).tolist()
    [[0.0, 1.0, 0.0]]
    """

    axis: float = 0.0
    glyphs = ("pin", "slider")

    def check(self) -> None:
        super().check()
        self.axis = checks.number(self.axis, "axis", self.where)

    def place(self) -> PairPlace:
        return PairPlace(self.a.name, self.b.name, self.glyphs, self.axis)

    def assemble(self, assembly: Assembler) -> None:
        put_along(self, assembly, rotation(self.axis)[:, 1], "across", Constant(0.0))
