"""An element of your own: a rope. It has mass, pulls when it is taut and has no force when it is slack.

The rope has n segments between the two frames and n − 1 points of its own, which have a position but no angle. With d
from one end of a segment to the other and ℓ₀ its length without load, Green's strain needs no square root, so its
derivatives exist for d = 0 too:

    ε = (d·d − ℓ₀²)/(2 ℓ₀²),     U = ½ EA ℓ₀ ε²  for ε > 0, else 0
    F = ∂U/∂d = EA ε d/ℓ₀,       ∂F/∂d = EA/ℓ₀ (ε 1 + d dᵀ/ℓ₀²)

Half of the mass of a segment is at each of its ends. At the end of an arm s = A u on a node (x, y, θ), with s⊥ for s
turned by +90°, a mass m has  r̈ = R̈ + s⊥ θ̈ − s θ̇²,  and a force f there acts on the node as the force f and the
moment s⊥·f.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq

import flexmb as fm
from flexmb.kernels import Kernels, compiled, kernel
from flexmb.kernels.blocks import joined, place
from flexmb.kernels.geometry import frame_arm
from flexmb.model import checks
from flexmb.model.appearance import ShownMotion
from flexmb.model.components import Assembler
from flexmb.model.pairs import pair_offsets


@dataclass(eq=False)
class Rope(fm.Component):
    """A rope between the origins of two frames. If it is longer than their distance it starts as a hanging parabola.

    Arguments: frames `a`, `b`; `length` without load [m]; `EA` [N]; `rhoA`, mass per length [kg/m]; `segments`.
    """

    a: fm.planar.Frame
    b: fm.planar.Frame
    length: float
    EA: float
    rhoA: float
    segments: int = 10
    #: the element's own coordinates at the start: its points [m], and their speeds [m/s], (segments − 1, 2) each
    points: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)), init=False)
    speeds: np.ndarray = field(default_factory=lambda: np.zeros((0, 2)), init=False)
    kind = "rope"

    def frames(self) -> list[fm.planar.Frame]:
        return [self.a, self.b]

    def check(self) -> None:
        for what in ("length", "EA", "rhoA"):
            checks.positive(getattr(self, what), what, self.where)
        checks.count(self.segments, "segments", self.where, least=1)
        if len(self.points) != self.segments - 1:  # a second check keeps points and speeds that a user has set
            self.points = hanging(self.a.position, self.b.position, self.length, self.segments)[1:-1]
            self.speeds = np.zeros_like(self.points)

    def rigid_motion(self, velocity, angular_velocity, about) -> None:
        arm = self.points - np.asarray(about, dtype=float)
        self.speeds = np.asarray(velocity, dtype=float) + angular_velocity * np.stack([-arm[:, 1], arm[:, 0]], axis=1)

    def assemble(self, assembly: Assembler) -> None:
        n = self.segments
        points = [place(f"point{k}.x", f"point{k}.y") for k in range(1, n)]
        own = assembly.coordinates(self, points, self.points.ravel(), self.speeds.ravel())
        # each end of a segment is (x, y, θ) with an arm; a point has no angle, so x stands for it, with a zero arm
        inner = [[*point.v, point.v[0]] for point in own]
        first, last = (joined(assembly.node(frame.node)).v for frame in (self.a, self.b))
        ends = np.array([first, *inner, last])
        arms = np.zeros((n, 6))
        offsets = pair_offsets(self.a, self.b)
        arms[0, :3], arms[-1, 3:] = offsets[:3], offsets[3:]
        length = self.length / n
        same = [length, self.EA, 0.5 * self.rhoA * length, *assembly.gravity]
        assembly.series(self, ROPE, np.hstack([ends[:-1], ends[1:]]), np.hstack([arms, np.tile(same, (n, 1))]))

    def tension(self, solution: ShownMotion) -> np.ndarray:
        """Tension (k, segments) [N] at the times of a solution."""
        line = self.line(solution)
        length = self.length / self.segments
        d = np.linalg.norm(np.diff(line, axis=1), axis=2)
        return self.EA * np.maximum((d**2 - length**2) / (2 * length**2), 0.0) * d / length

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        return [self.line(solution)]

    def line(self, solution: ShownMotion) -> np.ndarray:
        """The points of the rope (k, segments + 1, 2) [m], from frame a to frame b."""
        inner = [
            np.stack([solution.coordinate(f"{self.name}.point{k}.{axis}") for axis in "xy"], axis=1)
            for k in range(1, self.segments)
        ]
        return np.stack([solution.track(self.a).position, *inner, solution.track(self.b).position], axis=1)


def hanging(start: np.ndarray, end: np.ndarray, length: float, segments: int) -> np.ndarray:
    """Points (segments + 1, 2), equally far apart, on a parabola of the given length, or on the straight line between
    the ends if that is longer."""
    s = np.linspace(0.0, 1.0, 2001)[:, None]

    def curve(drop: float) -> np.ndarray:
        return (1 - s) * start + s * end - np.array([0.0, 4.0 * drop]) * s * (1 - s)

    def distance(points: np.ndarray) -> np.ndarray:
        return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])

    slack = distance(curve(0.0))[-1] < length
    points = curve(brentq(lambda drop: distance(curve(drop))[-1] - length, 0.0, length) if slack else 0.0)
    along = distance(points)
    equal = np.linspace(0.0, along[-1], segments + 1)
    return np.stack([np.interp(equal, along, x) for x in points.T], axis=1)


@compiled
def span(p, iq, q, ax, ay, bx, by):
    """d from one end of a segment to the other, and the strain ε (zero when slack)."""
    dx = q[iq[3]] + bx - q[iq[0]] - ax
    dy = q[iq[4]] + by - q[iq[1]] - ay
    return dx, dy, max(0.5 * (dx * dx + dy * dy) / (p[6] * p[6]) - 0.5, 0.0)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        length, EA, m, gx, gy = p[i, 6], p[i, 7], p[i, 8], p[i, 9], p[i, 10]
        ax, ay = frame_arm(p[i], 0, q[iq[i, 2]])
        bx, by = frame_arm(p[i], 3, q[iq[i, 5]])
        dx, dy, strain = span(p[i], iq[i], q, ax, ay, bx, by)
        for end in range(2):
            sx, sy, side = (ax, ay, -1.0) if end == 0 else (bx, by, 1.0)
            k = 3 * end
            om, al = v[iv[i, k + 2]], a[iv[i, k + 2]]
            fx = m * (a[iv[i, k]] - sy * al - sx * om * om - gx) + side * EA * strain * dx / length
            fy = m * (a[iv[i, k + 1]] + sx * al - sy * om * om - gy) + side * EA * strain * dy / length
            out[i, k] = fx
            out[i, k + 1] = fy
            out[i, k + 2] = sx * fy - sy * fx


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        length, EA, m, gx, gy = p[i, 6], p[i, 7], p[i, 8], p[i, 9], p[i, 10]
        ax, ay = frame_arm(p[i], 0, q[iq[i, 2]])
        bx, by = frame_arm(p[i], 3, q[iq[i, 5]])
        dx, dy, strain = span(p[i], iq[i], q, ax, ay, bx, by)
        for end in range(2):  # inertia, and the tension on the turning arm
            sx, sy, side = (ax, ay, -1.0) if end == 0 else (bx, by, 1.0)
            k = 3 * end
            om, al = v[iv[i, k + 2]], a[iv[i, k + 2]]
            turn_x = m * (-w[0] * sy - 2.0 * w[1] * sx * om + w[2] * (sy * om * om - sx * al))
            turn_y = m * (w[0] * sx - 2.0 * w[1] * sy * om - w[2] * (sx * om * om + sy * al))
            K[i, k, k] += w[0] * m
            K[i, k + 1, k + 1] += w[0] * m
            K[i, k, k + 2] += turn_x
            K[i, k + 1, k + 2] += turn_y
            K[i, k + 2, k] -= w[0] * m * sy
            K[i, k + 2, k + 1] += w[0] * m * sx
            # the moment s⊥·f with f from accelerations, gravity and tension; the centrifugal part of f has no moment
            fx = m * (a[iv[i, k]] - gx) + side * EA * strain * dx / length
            fy = m * (a[iv[i, k + 1]] - gy) + side * EA * strain * dy / length
            K[i, k + 2, k + 2] += w[0] * m * (sx * sx + sy * sy) - w[2] * (sx * fx + sy * fy)
        if strain > 0.0:
            # ∂d/∂q = (−1, −s_a⊥, 1, s_b⊥); the stiffness is Bᵀ (∂F/∂d) B
            stiff = w[2] * EA / length
            for j in range(6):
                jx, jy = column(j, ax, ay, bx, by)
                along = (dx * jx + dy * jy) / (length * length)
                fx = stiff * (strain * jx + along * dx)
                fy = stiff * (strain * jy + along * dy)
                for k in range(6):
                    kx, ky = column(k, ax, ay, bx, by)
                    K[i, k, j] += kx * fx + ky * fy


@compiled
def column(j, ax, ay, bx, by):
    """Column j of ∂d/∂q."""
    if j == 2:
        return ay, -ax
    if j == 5:
        return -by, bx
    side = -1.0 if j < 2 else 1.0
    return (side, 0.0) if j % 3 == 0 else (0.0, side)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        length, EA, m, gx, gy = p[i, 6], p[i, 7], p[i, 8], p[i, 9], p[i, 10]
        ax, ay = frame_arm(p[i], 0, q[iq[i, 2]])
        bx, by = frame_arm(p[i], 3, q[iq[i, 5]])
        _, _, strain = span(p[i], iq[i], q, ax, ay, bx, by)
        out[i, 1] = 0.5 * EA * length * strain * strain
        for end in range(2):
            sx, sy = (ax, ay) if end == 0 else (bx, by)
            k = 3 * end
            vx = v[iv[i, k]] - sy * v[iv[i, k + 2]]
            vy = v[iv[i, k + 1]] + sx * v[iv[i, k + 2]]
            out[i, 0] += 0.5 * m * (vx * vx + vy * vy)
            out[i, 2] -= m * (gx * (q[iq[i, k]] + sx) + gy * (q[iq[i, k + 1]] + sy))


#: Parameters: arms (6), length, EA, half the mass of a segment, gravity (2).
ROPE = Kernels("rope", residual=residual, tangent=tangent, energy=energy)
