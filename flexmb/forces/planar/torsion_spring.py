"""Torsional spring and damper between two frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flexmb.forces.coordinate_spring import COORDINATE_SPRING
from flexmb.forces.torsion_spring import SpringAboutAxis
from flexmb.model.components import Assembler
from flexmb.model.pairs import PlanarPair


@dataclass(eq=False)
class TorsionSpring(SpringAboutAxis, PlanarPair):
    """A spring and a damper between the angles of two frames.

        δ = θ_b − θ_a − δ₀,      M = k δ + c δ̇      on a, −M on b

    Angles count all turns. Arguments: `name`; frames `a`, `b`; `stiffness` [Nm/rad]; `damping` [Nms/rad];
    `free_angle` δ₀ [rad], the initial difference of the angles when not given.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1, angle=0.5)
    >>> m.torsion_spring(m.ground, body.frame, stiffness=10.0).initial_angle
    0.5
    """

    def assemble(self, assembly: Assembler) -> None:
        free = self.initial_angle if self.free_angle is None else self.free_angle
        free += self.a.offset_angle - self.b.offset_angle
        angles = [assembly.node(self.a.node)[1], assembly.node(self.b.node)[1]]
        p = np.array([self.stiffness, self.damping, -1.0, 1.0, free])
        assembly.instance(self, COORDINATE_SPRING, angles, p)
