"""Torsion spring and damper about a hinge in space, on its counted angle."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.joints.spatial.rows.counted_angle import counted_angle
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.model import checks
from flexmb.model.components import Assembler
from flexmb.model.spatial_frames import SpatialPair, unit_axis


@dataclass(eq=False)
class TorsionSpring(SpatialPair):
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
        unit_axis(self.axis, self.where)

    def assemble(self, assembly: Assembler) -> None:
        s = counted_angle(assembly, self, self.a, self.b, self.axis)
        assembly.instance(self, COUNTED_SPRING, s, np.array([self.stiffness, self.damping, self.free_angle or 0.0]))


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        out[i, 0] = p[i, 0] * (q[iq[i, 0]] - p[i, 2]) + p[i, 1] * v[iv[i, 0]]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        K[i, 0, 0] += w[2] * p[i, 0] + w[1] * p[i, 1]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        twist = q[iq[i, 0]] - p[i, 2]
        out[i, 1] = 0.5 * p[i, 0] * twist * twist
        out[i, 3] = p[i, 1] * v[iv[i, 0]] * v[iv[i, 0]]


#: On one coordinate; parameters: stiffness, damping, free angle.
COUNTED_SPRING = Kernels("torsion spring in space", residual=residual, tangent=tangent, energy=energy)
