"""A joint of your own: a wheel that rolls on a line without slipping.

Frame a is the line (its x-axis, e; across it n = e turned by +90°), frame b the center of the wheel, d = r_b − r_a:

    g₁ = e·d + R (θ_b − θ_a) − c,     g₂ = n·d − R

with c from the initial state. The line may move; with its angular velocity ω_a, ė = ω_a n, ṅ = −ω_a e, and with the
arms s of the two frames on their nodes

    ġ₁ = ω_a n·d + e·ḋ + R (ω_b − ω_a),     ġ₂ = −ω_a e·d + n·ḋ
    γ₁ =  ω_a² e·d − 2 ω_a n·ḋ + e·h,       γ₂ =  ω_a² n·d + 2 ω_a e·ḋ + n·h,     h = ω_b² s_b − ω_a² s_a

With opposite sign, the multipliers are the friction force along the line and the force with which the line pushes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import flexmb as fm
from flexmb.kernels import Kernels, compiled, kernel
from flexmb.kernels.geometry import frame_arm
from flexmb.model import checks
from flexmb.model.appearance import ShownMotion
from flexmb.model.components import Assembler


@dataclass(eq=False)
class Rolling(fm.planar.Joint):
    """Frame `b`, the center of a wheel, rolls on the x-axis of frame `a`, on the side where its y-axis points.

    Arguments: frames `a`, `b`; `radius` [m].
    """

    radius: float = 1.0

    def check(self) -> None:
        super().check()
        checks.positive(self.radius, "radius", self.where)

    def assemble(self, assembly: Assembler) -> None:
        start = self.initial_position[0] + self.radius * self.initial_angle
        own = np.array([self.radius, start, self.initial_angle])
        self.add_instance(assembly, ROLLING, [("along", "length"), ("across", "length")], own)

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        hub = solution.track(self.b)
        turn = hub.angle[:, None] + np.linspace(0.0, 2.0 * np.pi, 49)
        rim = hub.position[:, None] + self.radius * np.stack([np.cos(turn), np.sin(turn)], axis=2)
        return [rim, np.stack([hub.position, rim[:, 0]], axis=1)]  # the wheel, and a spoke


@compiled
def geometry(p, iq, q):
    """e, d and the arms of a and b."""
    turn = q[iq[2]] + p[2]
    ax, ay = frame_arm(p, 0, q[iq[2]])
    bx, by = frame_arm(p, 3, q[iq[5]])
    dx = q[iq[3]] + bx - q[iq[0]] - ax
    dy = q[iq[4]] + by - q[iq[1]] - ay
    return math.cos(turn), math.sin(turn), dx, dy, ax, ay, bx, by


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        R, start = p[i, 6], p[i, 7]
        ex, ey, dx, dy, ax, ay, bx, by = geometry(p[i], iq[i], q)
        wa, wb = v[iv[i, 2]], v[iv[i, 5]]
        vx = v[iv[i, 3]] - wb * by - v[iv[i, 0]] + wa * ay
        vy = v[iv[i, 4]] + wb * bx - v[iv[i, 1]] - wa * ax
        hx = wb * wb * bx - wa * wa * ax
        hy = wb * wb * by - wa * wa * ay
        along, across = ex * dx + ey * dy, ex * dy - ey * dx
        v_along, v_across = ex * vx + ey * vy, ex * vy - ey * vx
        out[i, 0] = along + R * (q[iq[i, 5]] + p[i, 5] - q[iq[i, 2]] - p[i, 2]) - start
        out[i, 1] = across - R
        out[i, 2] = wa * across + v_along + R * (wb - wa)
        out[i, 3] = -wa * along + v_across
        out[i, 4] = wa * wa * along - 2.0 * wa * v_across + ex * hx + ey * hy
        out[i, 5] = wa * wa * across + 2.0 * wa * v_along + ex * hy - ey * hx


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        R = p[i, 6]
        ex, ey, dx, dy, ax, ay, bx, by = geometry(p[i], iq[i], q)
        # the vector from the node of a: d and the arm of a
        px, py = dx + ax, dy + ay
        out[i, 0] = -ex
        out[i, 1] = -ey
        out[i, 2] = ex * py - ey * px - R
        out[i, 3] = ex
        out[i, 4] = ey
        out[i, 5] = ey * bx - ex * by + R
        out[i, 6] = ey
        out[i, 7] = -ex
        out[i, 8] = -ex * px - ey * py
        out[i, 9] = -ey
        out[i, 10] = ex
        out[i, 11] = ex * bx + ey * by
        # λ·g = f·d + … with f = λ₁ e + λ₂ n, which turns with a: f' = f⊥
        fx = w[2] * (lam[i, 0] * ex - lam[i, 1] * ey)
        fy = w[2] * (lam[i, 0] * ey + lam[i, 1] * ex)
        for j in range(2):
            side = 1.0 if j else -1.0
            K[i, 3 * j, 2] -= side * fy
            K[i, 2, 3 * j] -= side * fy
            K[i, 3 * j + 1, 2] += side * fx
            K[i, 2, 3 * j + 1] += side * fx
        K[i, 2, 2] -= fx * px + fy * py
        K[i, 5, 5] -= fx * bx + fy * by
        K[i, 2, 5] += fx * bx + fy * by
        K[i, 5, 2] += fx * bx + fy * by


#: Two rows, along and across the line; parameters: offsets (6), radius, position along the line at the start.
ROLLING = Kernels("rolling", constraint=constraint, jacobian=jacobian)
