"""Torsional spring and damper between two frames."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

import numpy as np

from flexmb.forces.planar.pair_force import PairForce
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.model import checks
from flexmb.model.components import Assembler


@dataclass(eq=False)
class TorsionSpring(PairForce):
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
        free = self.initial_angle if self.free_angle is None else self.free_angle
        free += self.a.offset_angle - self.b.offset_angle
        angles = [assembly.node(self.a.node)[1], assembly.node(self.b.node)[1]]
        assembly.instance(self, TORSION_SPRING, angles, np.array([self.stiffness, self.damping, free]))


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        moment = p[i, 0] * (q[iq[i, 1]] - q[iq[i, 0]] - p[i, 2]) + p[i, 1] * (v[iv[i, 1]] - v[iv[i, 0]])
        out[i, 0] = -moment
        out[i, 1] = moment


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        k = w[2] * p[i, 0] + w[1] * p[i, 1]
        K[i, 0, 0] += k
        K[i, 0, 1] -= k
        K[i, 1, 0] -= k
        K[i, 1, 1] += k


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        twist = q[iq[i, 1]] - q[iq[i, 0]] - p[i, 2]
        rate = v[iv[i, 1]] - v[iv[i, 0]]
        out[i, 1] = 0.5 * p[i, 0] * twist * twist
        out[i, 3] = p[i, 1] * rate * rate


TORSION_SPRING = Kernels("torsion spring", residual=residual, tangent=tangent, energy=energy)
