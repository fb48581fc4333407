"""Torsional spring and damper between two frames, in the plane or about a hinge in space."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from flexmb.forces.about_axis import AboutAxis
from flexmb.forces.coordinate_force import COORDINATE_SPRING
from flexmb.model import checks
from flexmb.model.components import Assembler


@dataclass(eq=False)
class TorsionSpring(AboutAxis):
    """A spring and a damper between the angles of two frames of the plane, or about the axis of a hinge in space.

        M = k (δ − δ₀) + c δ̇      on a, −M on b

    with the angle δ of b against a, counted through all turns. In the plane δ = θ_b − θ_a; in space it is the counted
    angle, zero at the start (:mod:`flexmb.joints.spatial.rows.counted_angle`).

    Arguments: frames `a`, `b`; `stiffness` [Nm/rad]; `damping` [Nms/rad]; `free_angle` δ₀ [rad], the angle
    without moment, that at the start when not given; `axis`, in space: 'x', 'y', 'z' or a direction (3,), in the axes
    of frame a.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1, angle=0.5)
    >>> m.torsion_spring(m.ground, body.frame, stiffness=10.0).initial_angle
    0.5
    >>> m = fm.SpatialModel("m")
    >>> wheel = m.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> hinge = m.revolute(m.ground, wheel.frame, axis="z")
    >>> spring = m.torsion_spring(m.ground, wheel.frame, axis="z", stiffness=3.0, free_angle=20.0)
    >>> system = fm.System(m)
    >>> float(system.energy(0.0, system.q0, system.v0)[1])  # ½ · 3 · 20²
    600.0
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

    def assemble(self, assembly: Assembler) -> None:
        turn = self.turn(assembly)
        free = self.initial_angle if self.free_angle is None else self.free_angle
        p = np.array([*turn.weights, free - turn.offset, self.stiffness, self.damping])
        assembly.instance(self, COORDINATE_SPRING, turn.coordinates, p)
