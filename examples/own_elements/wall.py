"""A force of your own: a ball or a wheel hits an elastic wall that dissipates energy.

The law of Hunt and Crossley (1975), with the depth δ = R − n·(r − r₀)
of a circle in the wall with the outward normal n, cut off where the wall would pull:

    F = k δ^1.5 max(1 + c δ̇, 0)  for δ > 0, else 0,         potential 2/5 k δ^2.5,         dissipated (F − k δ^1.5) δ̇

Impact speed v and rebound speed u of any mass go with  c v − ln(1 + c v) = −c u − ln(1 − c u).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.kernels import Kernels, compiled, kernel
from flexmb.kernels.geometry import frame_arm
from flexmb.model import checks
from flexmb.model.appearance import Load, ShownMotion
from flexmb.model.components import Assembler


@dataclass(eq=False)
class Wall(fm.Component):
    """A wall fixed in space, which the circle of `radius` about the origin of a frame hits without friction.

    Arguments: `frame`; `radius` [m]; `point` (2,) of the wall [m] and its outward `normal` (2,); `stiffness` k
    [N/m^1.5]; `damping` c [s/m].
    """

    frame: fm.planar.Frame
    radius: float
    point: Any
    normal: Any
    stiffness: float
    damping: float = 0.0
    kind = "wall"
    #: the wall acts from outside, at a place and in a direction fixed in space: two checks do not apply
    external = True
    fixed_in_space = True

    def frames(self) -> list[fm.planar.Frame]:
        return [self.frame]

    def check(self) -> None:
        checks.not_negative(self.radius, "radius", self.where)
        checks.positive(self.stiffness, "stiffness", self.where)
        checks.not_negative(self.damping, "damping", self.where)
        self.point = checks.vector(self.point, "point", self.where)
        self.normal = checks.vector(self.normal, "normal", self.where)
        self.normal /= checks.positive(np.linalg.norm(self.normal), "length of the normal", self.where)

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        along = 2.0 * self.radius * np.array([-self.normal[1], self.normal[0]])
        return [np.array([self.point - along, self.point + along])]

    def loads(self, solution: ShownMotion, times: np.ndarray, strength: np.ndarray) -> list[Load]:
        track = solution.track(self.frame)
        depth = np.maximum(self.radius - (track.position - self.point) @ self.normal, 0.0)
        force = self.stiffness * depth**1.5 * np.maximum(1.0 - self.damping * track.velocity @ self.normal, 0.0)
        return [Load(track.position - self.radius * self.normal, force[:, None] * self.normal)]

    def assemble(self, assembly: Assembler) -> None:
        reach = self.radius + float(self.normal @ self.point)
        p = np.array([*self.frame.offset, *self.normal, reach, self.stiffness, self.damping])
        assembly.instance(self, WALL, assembly.node(self.frame.node), p)


@compiled
def contact(p, iq, iv, q, v):
    """Depth, its rate, and the normal along and across the arm of the frame: n·s and n·s⊥."""
    sx, sy = frame_arm(p, 0, q[iq[2]])
    nx, ny = p[2], p[3]
    along, across = nx * sx + ny * sy, ny * sx - nx * sy
    depth = p[4] - nx * (q[iq[0]] + sx) - ny * (q[iq[1]] + sy)
    rate = -nx * v[iv[0]] - ny * v[iv[1]] - across * v[iv[2]]
    return max(depth, 0.0), rate, along, across


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        depth, rate, _, across = contact(p[i], iq[i], iv[i], q, v)
        force = p[i, 5] * depth * math.sqrt(depth) * max(1.0 + p[i, 6] * rate, 0.0)
        out[i, 0] = -force * p[i, 2]
        out[i, 1] = -force * p[i, 3]
        out[i, 2] = -force * across


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        depth, rate, along, across = contact(p[i], iq[i], iv[i], q, v)
        factor = 1.0 + p[i, 6] * rate
        if depth == 0.0 or factor <= 0.0:
            continue
        root = p[i, 5] * math.sqrt(depth)
        # with b = (n, n·s⊥):  r = −F b,  ∂δ/∂q = −b,  ∂δ̇/∂v = −b,  ∂δ̇/∂θ = ω n·s,  ∂(n·s⊥)/∂θ = −n·s
        by_depth = w[2] * 1.5 * root * factor
        by_rate = root * depth * p[i, 6]
        for j in range(3):
            bj = across if j == 2 else p[i, 2 + j]
            for k in range(3):
                bk = across if k == 2 else p[i, 2 + k]
                K[i, j, k] += (by_depth + w[1] * by_rate) * bj * bk
            K[i, j, 2] -= w[2] * by_rate * bj * v[iv[i, 2]] * along
        K[i, 2, 2] += w[2] * root * depth * factor * along


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        depth, rate, _, _ = contact(p[i], iq[i], iv[i], q, v)
        elastic = p[i, 5] * depth * math.sqrt(depth)
        out[i, 2] = 0.4 * elastic * depth
        out[i, 3] = elastic * (max(1.0 + p[i, 6] * rate, 0.0) - 1.0) * rate


#: Parameters: offset (2), normal (2), position of the wall along the normal plus the radius, stiffness, damping.
WALL = Kernels("wall", residual=residual, tangent=tangent, energy=energy)
