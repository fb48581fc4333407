"""Prismatic joint: two frames share an axis and slide along it."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.joints.base import Joint
from flexmb.joints.drive_angle import ANGLE
from flexmb.joints.drive_position import put_along
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.frames import rotation
from flexmb.model.functions import Constant
from flexmb.model.seen import PairPlace


@dataclass(eq=False)
class Prismatic(Joint):
    """The origin of frame b stays on an axis of frame a, and the frames do not turn against each other.

        g₁ = n · (r_b − r_a),    g₂ = (θ_b − θ_a) − (θ_b − θ_a)₀          Skyenginlab (n.d.), eq. (9)

    n is the axis turned by +90°. The source writes parallelism as a cross product, d_a × d_b = 0, which also
    holds when one frame is turned by 180°; the difference of angles, kept as it is in the model, does not.

    Arguments: `axis`, the angle of the axis in frame a [rad].

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> slide = m.add_body("slide", mass=1.0, inertia=0.1, position=(0, 2))
    >>> rail = m.prismatic(m.ground, slide.frame, axis=3.141592653589793 / 2, name="rail")
    >>> [row.where for row in fm.System(m).rows]
    ['rail (across)', 'rail (angle)']
    """

    axis: float = 0.0
    glyphs = ("slider",)

    def check(self) -> None:
        super().check()
        self.axis = checks.number(self.axis, "axis", self.where)

    def place(self) -> PairPlace:
        return PairPlace(self.a.name, self.b.name, self.glyphs, self.axis)

    def assemble(self, assembly: Assembler) -> None:
        put_along(self, assembly, rotation(self.axis)[:, 1], "across", Constant(0.0))
        self.put(assembly, ANGLE, [("angle", "angle")], Constant(self.initial_angle).parameters())
