"""Revolute joint: two frames share a point."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from flexmb.joints.friction import JointFriction
from flexmb.joints.planar.friction import add_hinge_friction, check_hinge_friction
from flexmb.joints.planar.joint import Joint
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import pair_arms, separation
from flexmb.model.components import Assembler
from flexmb.model.ways import TURN, Motion, Ways


@dataclass(eq=False)
class Revolute(Joint):
    """The origins of two frames coincide; they may turn against each other.

        g = (R_b + A_b u_b) − (R_a + A_a u_a)                                          Skyenginlab (n.d.), eq. (8)

    Arguments: `friction`, a :class:`~flexmb.JointFriction` with the `radius` r of the shaft; its moment goes with the
    force N = |λ| in the hinge.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1, position=(1, 0))
    >>> hinge = m.revolute(m.ground, body.attach("tip", (-1, 0)), name="hinge")
    >>> hinge.name
    'hinge'
    """

    _: KW_ONLY
    friction: JointFriction | None = None
    glyphs = ("pin",)
    coordinates = ("angle",)

    def check(self) -> None:
        super().check()
        check_hinge_friction(self.friction, self.where)

    def ways(self) -> Ways:
        own = "turn" if self.friction is not None and self.friction.smoothing == 0.0 else ""
        return self.ways_along(0.0, Motion(TURN, name="angle", own=own))

    def assemble(self, assembly: Assembler) -> None:
        self.add_instance(assembly, REVOLUTE, [("x", "length"), ("y", "length")])
        if self.friction is not None:
            add_hinge_friction(self, assembly, self.friction)


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        wa = v[iv[i, 2]]
        wb = v[iv[i, 5]]
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = separation(iq[i], iv[i], q, v, ax, ay, bx, by)
        out[i, 4] = wb * wb * bx - wa * wa * ax
        out[i, 5] = wb * wb * by - wa * wa * ay


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        out[i, 0] = -1.0
        out[i, 2] = ay
        out[i, 3] = 1.0
        out[i, 5] = -by
        out[i, 7] = -1.0
        out[i, 8] = -ax
        out[i, 10] = 1.0
        out[i, 11] = bx
        K[i, 2, 2] += w[2] * (lam[i, 0] * ax + lam[i, 1] * ay)
        K[i, 5, 5] -= w[2] * (lam[i, 0] * bx + lam[i, 1] * by)


REVOLUTE = Kernels("revolute", constraint=constraint, jacobian=jacobian)
