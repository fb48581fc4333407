"""Knife edge: a blade, or a wheel that rolls freely, which does not slip sideways."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

import numpy as np

from flexmb.joints.planar.joint import Joint
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import frame_arm
from flexmb.model import checks
from flexmb.model.appearance import ShownMotion
from flexmb.model.components import Assembler

#: length of the blade in pictures, as a part of the size of the mechanism
SHOWN = 0.08


@dataclass(eq=False)
class KnifeEdge(Joint):
    """The origin of frame b does not slip sideways over the body of frame a: a skate's blade on ice, or a wheel that
    rolls without friction. It may move along its heading e, and turn. The row is a velocity row, the textbook example
    of a nonholonomic constraint (Neĭmark and Fufaev (1972)): it forbids a velocity, and yet any place can be reached.

        n · (ṙ_b − Ṙ_a − ω_a k × (r_b − R_a)) = 0,    n = k × e,    r_b = R_b + s,    s = A_b u_b

    With Δ = R_b − R_a, ΔV = Ṙ_b − Ṙ_a, D = r_b − R_a it is

        ġ = n · ΔV + ω_b e · s − ω_a e · D,    γ = (ω_a + ω_b) e · ΔV + ω_a ω_b n · Δ

    The force on b is −λ n. Of frame a only the body matters, not the place.

    Arguments: `angle` of the heading e in frame b [rad].

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("skate")
    >>> skate = m.add_body("skate", mass=1.0, inertia=0.1)
    >>> blade = m.knife_edge(m.ground, skate.frame, name="blade")
    >>> fm.System(m).constraint(0.0, [0, 0, 0], [2, 3, 0])[1].tolist()  # 3 m/s to the side
    [3.0]
    """

    _: KW_ONLY
    angle: float = 0.0

    def check(self) -> None:
        super().check()
        self.angle = checks.number(self.angle, "angle", self.where)

    def assemble(self, assembly: Assembler) -> None:
        self.add_instance(assembly, KNIFE_EDGE, [("across", "length", "velocity")], np.array([self.angle]))

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        track = solution.track(self.b)
        places = [frame.position for frame in self.b.model.frames.values()]
        size = float(np.max(np.ptp(places, axis=0))) or float(np.max(np.ptp(track.position, axis=0))) or 1.0
        heading = track.angle + self.angle
        half = 0.5 * SHOWN * size * np.column_stack([np.cos(heading), np.sin(heading)])
        return [np.stack([track.position - half, track.position + half], axis=1)]


@compiled
def geometry(p, iq, q):
    """e, s and Δ."""
    angle = q[iq[5]] + p[5] + p[6]
    bx, by = frame_arm(p, 3, q[iq[5]])
    return math.cos(angle), math.sin(angle), bx, by, q[iq[3]] - q[iq[0]], q[iq[4]] - q[iq[1]]


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ex, ey, bx, by, dx, dy = geometry(p[i], iq[i], q)
        ux, uy = v[iv[i, 3]] - v[iv[i, 0]], v[iv[i, 4]] - v[iv[i, 1]]
        wa, wb = v[iv[i, 2]], v[iv[i, 5]]
        arm = ex * bx + ey * by
        out[i, 1] = ex * uy - ey * ux + wb * arm - wa * (arm + ex * dx + ey * dy)
        out[i, 2] = (wa + wb) * (ex * ux + ey * uy) + wa * wb * (ex * dy - ey * dx)


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ex, ey, bx, by, dx, dy = geometry(p[i], iq[i], q)
        wa = v[iv[i, 2]]
        arm = ex * bx + ey * by
        across = ex * dy - ey * dx
        out[i, 0] = ey
        out[i, 1] = -ex
        out[i, 2] = -arm - ex * dx - ey * dy
        out[i, 3] = -ey
        out[i, 4] = ex
        out[i, 5] = arm
        # ∂ġ/∂q: the heading turns with b, ∂e/∂θ_b = n, ∂n/∂θ_b = −e
        out[i, 6] = wa * ex
        out[i, 7] = wa * ey
        out[i, 9] = -wa * ex
        out[i, 10] = -wa * ey
        ux, uy = v[iv[i, 3]] - v[iv[i, 0]], v[iv[i, 4]] - v[iv[i, 1]]
        out[i, 11] = -(ex * ux + ey * uy) - wa * across
        force = w[2] * lam[i, 0]
        K[i, 0, 5] += force * ex
        K[i, 1, 5] += force * ey
        K[i, 2, 0] += force * ex
        K[i, 2, 1] += force * ey
        K[i, 2, 3] -= force * ex
        K[i, 2, 4] -= force * ey
        K[i, 2, 5] -= force * across
        K[i, 3, 5] -= force * ex
        K[i, 4, 5] -= force * ey


#: One velocity row, the speed across the heading; parameters: offsets (6), angle of the heading in frame b.
KNIFE_EDGE = Kernels("knife edge", constraint=constraint, jacobian=jacobian)
