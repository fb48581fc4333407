"""Weld: two frames move as one."""

from __future__ import annotations

from dataclasses import dataclass

from flexmb.joints.base import Joint
from flexmb.joints.drive_angle import ANGLE
from flexmb.joints.revolute import REVOLUTE
from flexmb.model.components import Assembler
from flexmb.model.functions import Constant


@dataclass(eq=False)
class Weld(Joint):
    """The origins of two frames coincide, and their angle stays as it is in the model.

        g₁₂ = r_b − r_a,    g₃ = (θ_b − θ_a) − (θ_b − θ_a)₀

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1, angle=0.3)
    >>> joint = m.weld(m.ground, body.frame)
    >>> fm.System(m).constraint(0.0, [0, 0, 0.3], [0, 0, 0])[0].tolist()
    [0.0, 0.0, 0.0]
    """

    def assemble(self, assembly: Assembler) -> None:
        self.put(assembly, REVOLUTE, [("x", "length"), ("y", "length")])
        self.put(assembly, ANGLE, [("angle", "angle")], Constant(self.initial_angle).parameters())
