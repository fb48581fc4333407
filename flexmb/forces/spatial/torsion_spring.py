"""Torsion spring and damper about a hinge in space, on its counted angle."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.forces.coordinate_spring import COORDINATE_SPRING
from flexmb.forces.torsion_spring import SpringAboutAxis
from flexmb.joints.spatial.rows.counted_angle import counted_angle
from flexmb.model.components import Assembler
from flexmb.model.spatial_frames import SpatialPair, unit_axis


@dataclass(eq=False)
class TorsionSpring(SpringAboutAxis, SpatialPair):
    """A spring and a damper about the axis of a hinge.

        M = k (s − s₀) + c ṡ   on a, −M on b,    s the counted angle (:mod:`flexmb.joints.spatial.rows.counted_angle`)

    Arguments: `name`; frames `a`, `b`; `axis`: 'x', 'y', 'z' or a direction (3,), in the axes of frame a; `stiffness`
    [Nm/rad]; `damping` [Nms/rad]; `free_angle` s₀ [rad], the angle without moment, counted from the start (that at
    the start when not given).

    >>> import flexmb as fm
    >>> from flexmb.spatial import SpatialModel
    >>> m = SpatialModel("m")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> hinge = m.revolute(m.ground, wheel.frame, axis="z")
    >>> spring = m.torsion_spring(m.ground, wheel.frame, axis="z", stiffness=3.0, free_angle=20.0)
    >>> system = fm.System(m)
    >>> float(system.energy(0.0, system.q0, system.v0)[1])  # ½ · 3 · 20²
    600.0
    """

    _: KW_ONLY
    axis: Any = "z"

    def check(self) -> None:
        super().check()
        unit_axis(self.axis, self.where)

    def assemble(self, assembly: Assembler) -> None:
        s = counted_angle(assembly, self, self.a, self.b, self.axis)
        p = np.array([self.stiffness, self.damping, 1.0, self.free_angle or 0.0])
        assembly.instance(self, COORDINATE_SPRING, s, p)
