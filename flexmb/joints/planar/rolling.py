"""Rolling without slip in the plane: a circle on a straight line, and on or in another circle.

In the plane rolling is integrable: a circle that has turned by so much has gone so far, whichever way. So not slipping
is a position row here, exact for ever, and not a velocity row, of which a run would add up small errors; equilibria and
modes need nothing special. The angles of the plane count their turns by themselves. With the angles Δθ since the start:

    line      e the direction of the line on body a, n = k × e to its left, D = c_b − R_a, D₀ at the start
                  g₁ = n · (D − s_a) − r,    g₂ = e · (D − D₀) + r (Δθ_b − Δθ_a)
    circle    Δ = c_b − c_a,  σ = 1 outside and −1 inside,  ρ = R + σ r
                  g₁ = σ (|Δ| − ρ),    g₂ = ρ (α − α₀) − R Δθ_a − σ r Δθ_b,    α the direction of Δ

α has no turns of its own: α − (α₀ + (R Δθ_a + σ r Δθ_b)/ρ) is zero, and so it is taken between −π and π.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.joints.planar.joint import Joint
from flexmb.joints.touching import NORMAL, friction_needed, pulling, refuse_gap
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import frame_arm, pair_arms, separation
from flexmb.model import checks
from flexmb.model.appearance import ShownMotion
from flexmb.model.components import Assembler
from flexmb.model.doubted import Doubt

#: its rows
_ROWS = [(NORMAL, "length"), ("ahead", "length")]


class RollingCircle(Joint):
    """A circle about the origin of frame b rolls without slip."""

    #: [m], a field of those that roll
    radius: float

    def check(self) -> None:
        super().check()
        self.radius = checks.positive(self.radius, "radius", self.where)

    def force_doubts(self, multipliers: np.ndarray, least: float) -> list[Doubt]:
        return pulling(self.where, multipliers[:, 0], least)

    def friction_needed(self, solution: Any) -> np.ndarray:
        """The force that keeps it from slipping in a solution, as a part (k,) of the normal force: the least
        coefficient of friction with which it rolls."""
        return friction_needed(
            checks.solution(solution, self.where).multipliers_of(self.name), [name for name, _ in _ROWS]
        )

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        track = solution.track(self.b.name)
        around = np.linspace(0.0, 2.0 * np.pi, 49)
        rim = self.radius * np.stack([np.cos(around), np.sin(around)], axis=1)
        spoke = self.radius * np.stack([np.cos(track.angle), np.sin(track.angle)], axis=1)
        return [track.position[:, None] + rim, np.stack([track.position, track.position + spoke], axis=1)]


@dataclass(eq=False)
class RollingOnLine(RollingCircle):
    """A circle about the origin of frame b rolls without slip on a straight line through the origin of frame a, on its
    left side (:mod:`flexmb.joints.planar.rolling`).

    Its rows are 'normal', which keeps the circle on the line, and 'ahead', by which its path on the line is −r times
    its angle against a. The force on b is −λ times n and e: the line's pressure is −λ of 'normal'.

    Arguments: `radius` r [m]; `axis`: the angle of the line's direction e in frame a [rad].

    >>> import numpy as np
    >>> import flexmb as fm
    >>> m = fm.PlanarModel("hoop", gravity=(9.81 * np.sin(0.2), -9.81 * np.cos(0.2)))
    >>> hoop = m.add_body("hoop", mass=2.0, inertia=2.0 * 0.3**2, position=(0, 0.3))
    >>> road = m.rolling_on_line(m.ground, hoop.frame, 0.3)
    >>> run = fm.simulate(m, 2.0, "radau", progress=False)
    >>> [round(float(x), 6) for x in (run["hoop"].x[-1], 9.81 * np.sin(0.2) * 2.0**2 / 4)]  # half of what slides
    [1.948946, 1.948946]
    """

    radius: float
    _: KW_ONLY
    axis: float = 0.0

    def check(self) -> None:
        super().check()
        self.axis = checks.number(self.axis, "axis", self.where)
        along = self.a.angle + self.axis
        height = float(np.array([-math.sin(along), math.cos(along)]) @ (self.b.position - self.a.position))
        if height <= -self.radius * 0.5:
            raise ModelError(
                f"{self.where}: at the start frame {self.b.name!r} is {-height:.6g} m to the right of the line; what "
                "rolls is on its left: turn the direction of the line by half a turn, axis=…"
            )
        refuse_gap(self, height - self.radius, self.radius, "the circle", "the line")

    def assemble(self, assembly: Assembler) -> None:
        on_node = self.a.offset_angle + self.axis
        along = self.a.node.angle + on_node
        ahead = np.array([math.cos(along), math.sin(along)]) @ (self.b.position - self.a.node.position)
        start = float(ahead) + self.radius * (self.b.node.angle - self.a.node.angle)
        height = float(np.array([-math.sin(on_node), math.cos(on_node)]) @ self.a.offset)
        self.add_instance(assembly, ON_LINE, _ROWS, [on_node, self.radius, height, start])


@dataclass(eq=False)
class RollingOnCircle(RollingCircle):
    """A circle about the origin of frame b rolls without slip on one about the origin of frame a, or inside it
    (:mod:`flexmb.joints.planar.rolling`): a planet, a ball bearing, a wheel on a drum.

    Its rows are 'normal', which keeps the circles in touch, and 'ahead', by which none slips, however many times they
    go round. The normal n points from a's rim to b. The force on b is −λ times n, and −λ times the direction k × Δ/|Δ|
    in which b goes round a.

    Arguments: `radius` r of b [m]; `radius_a` R [m]; `inside`: b rolls inside a, so that r < R.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("planet")
    >>> planet = m.add_body("planet", mass=1.0, inertia=0.02, position=(0.5, 0))
    >>> sun = m.rolling_on_circle(m.ground, planet.frame, 0.3, 0.2)
    >>> g, rates, _ = fm.System(m).constraint(0.0, [0.5, 0.0, 0.0], [0.0, 0.5, 2.0])
    >>> rates.round(12).tolist()  # at 0.5 m/s it turns at 2.5 rad/s, 2 rad/s are not enough
    [0.0, 0.1]
    """

    radius_a: float
    radius: float
    _: KW_ONLY
    inside: bool = False

    def check(self) -> None:
        super().check()
        self.radius_a = checks.positive(self.radius_a, "radius_a", self.where)
        self.inside = checks.flag(self.inside, "inside", self.where)
        if self.inside and self.radius >= self.radius_a:
            raise ModelError(
                f"{self.where}: what rolls has the radius {self.radius:g} m and does not fit into a circle of "
                f"{self.radius_a:g} m; exchange the frames, or inside=False"
            )
        gap = self._sign * (float(np.hypot(*(self.b.position - self.a.position))) - self._between)
        refuse_gap(self, gap, self.radius, "the circle", "the circle")

    @property
    def _sign(self) -> float:
        return -1.0 if self.inside else 1.0

    @property
    def _between(self) -> float:
        """Distance of the two centers [m]."""
        return self.radius_a + self._sign * self.radius

    def assemble(self, assembly: Assembler) -> None:
        dx, dy = (self.b.position - self.a.position).tolist()
        by_a, by_b = self.radius_a / self._between, self._sign * self.radius / self._between
        start = math.atan2(dy, dx) - by_a * self.a.node.angle - by_b * self.b.node.angle
        self.add_instance(assembly, ON_CIRCLE, _ROWS, [self._between, self._sign, by_a, by_b, start], work=12)

    def drawn(self, solution: ShownMotion) -> list[np.ndarray]:
        track = solution.track(self.a.name)
        around = np.linspace(0.0, 2.0 * np.pi, 97)
        rim = self.radius_a * np.stack([np.cos(around), np.sin(around)], axis=1)
        moved = track.position[:, None] + rim
        return [*super().drawn(solution), moved[0] if self.a.node.fixed else moved]


@compiled
def _line(p, iq, q):
    """e, s_b and D."""
    along = q[iq[2]] + p[6]
    bx, by = frame_arm(p, 3, q[iq[5]])
    return math.cos(along), math.sin(along), bx, by, q[iq[3]] + bx - q[iq[0]], q[iq[4]] + by - q[iq[1]]


@kernel
def line_constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ex, ey, bx, by, dx, dy = _line(p[i], iq[i], q)
        radius, height, start = p[i, 7], p[i, 8], p[i, 9]
        wa, wb = v[iv[i, 2]], v[iv[i, 5]]
        vx, vy = v[iv[i, 3]] - wb * by - v[iv[i, 0]], v[iv[i, 4]] + wb * bx - v[iv[i, 1]]
        ahead, left = ex * dx + ey * dy, ex * dy - ey * dx
        ahead_rate, left_rate = ex * vx + ey * vy, ex * vy - ey * vx
        out[i, 0] = left - height - radius
        out[i, 1] = ahead + radius * (q[iq[i, 5]] - q[iq[i, 2]]) - start
        out[i, 2] = left_rate - wa * ahead
        out[i, 3] = ahead_rate + wa * left + radius * (wb - wa)
        out[i, 4] = wb * wb * (ex * by - ey * bx) + 2.0 * wa * ahead_rate + wa * wa * left
        out[i, 5] = wb * wb * (ex * bx + ey * by) - 2.0 * wa * left_rate + wa * wa * ahead


@kernel
def line_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ex, ey, bx, by, dx, dy = _line(p[i], iq[i], q)
        radius = p[i, 7]
        out[i, 0] = ey
        out[i, 1] = -ex
        out[i, 2] = -ex * dx - ey * dy
        out[i, 3] = -ey
        out[i, 4] = ex
        out[i, 5] = ex * bx + ey * by
        out[i, 6] = -ex
        out[i, 7] = -ey
        out[i, 8] = ex * dy - ey * dx - radius
        out[i, 9] = ex
        out[i, 10] = ey
        out[i, 11] = ey * bx - ex * by + radius
        # the force F = λ₁ n + λ₂ e, and its change F′ where a turns
        on_n, on_e = w[2] * lam[i, 0], w[2] * lam[i, 1]
        fx, fy = on_e * ex - on_n * ey, on_e * ey + on_n * ex
        gx, gy = -fy, fx
        across = gy * bx - gx * by
        K[i, 2, 2] -= fx * dx + fy * dy
        K[i, 5, 5] -= fx * bx + fy * by
        for j, change in ((0, -gx), (1, -gy), (3, gx), (4, gy), (5, across)):
            K[i, 2, j] += change
            K[i, j, 2] += change


@kernel
def circle_constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        between, sign, by_a, by_b, start = p[i, 6], p[i, 7], p[i, 8], p[i, 9], p[i, 10]
        wa, wb = v[iv[i, 2]], v[iv[i, 5]]
        dx, dy, vx, vy = separation(iq[i], iv[i], q, v, ax, ay, bx, by)
        size = math.sqrt(dx * dx + dy * dy)
        nx, ny = dx / size, dy / size
        turn = start + by_a * q[iq[i, 2]] + by_b * q[iq[i, 5]]
        c, s = math.cos(turn), math.sin(turn)
        apart, round_ = nx * vx + ny * vy, (nx * vy - ny * vx) / size
        jx, jy = wa * wa * ax - wb * wb * bx, wa * wa * ay - wb * wb * by
        out[i, 0] = sign * (size - between)
        out[i, 1] = between * math.atan2(c * ny - s * nx, c * nx + s * ny)
        out[i, 2] = sign * apart
        out[i, 3] = between * (round_ - by_a * wa - by_b * wb)
        out[i, 4] = -sign * (nx * jx + ny * jy + size * round_ * round_)
        out[i, 5] = -between * (nx * jy - ny * jx - 2.0 * apart * round_) / size


@kernel
def circle_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    # work: the derivatives of Δ_x and Δ_y (12)
    for i in range(p.shape[0]):
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        between, sign, by_a, by_b = p[i, 6], p[i, 7], p[i, 8], p[i, 9]
        dx = q[iq[i, 3]] + bx - q[iq[i, 0]] - ax
        dy = q[iq[i, 4]] + by - q[iq[i, 1]] - ay
        size = math.sqrt(dx * dx + dy * dy)
        nx, ny = dx / size, dy / size
        part = between / size
        for j in range(12):
            work[j] = 0.0
        work[0] = work[7] = -1.0
        work[3] = work[10] = 1.0
        work[2], work[8] = ay, -ax
        work[5], work[11] = -by, bx
        for j in range(6):
            out[i, j] = sign * (nx * work[j] + ny * work[6 + j])
            out[i, 6 + j] = part * (nx * work[6 + j] - ny * work[j])
        out[i, 8] -= between * by_a
        out[i, 11] -= between * by_b
        # F = λ₁ σ n + λ₂ ρ/|Δ| t changes with Δ by H = λ₁ σ/|Δ| t tᵀ − λ₂ ρ/|Δ|² (n tᵀ + t nᵀ)
        on_n, on_t = w[2] * lam[i, 0] * sign, w[2] * lam[i, 1] * part
        hxx = (on_n * ny * ny + 2.0 * on_t * nx * ny) / size
        hxy = (-on_n * nx * ny - on_t * (nx * nx - ny * ny)) / size
        hyy = (on_n * nx * nx - 2.0 * on_t * nx * ny) / size
        for j in range(6):
            gx, gy = hxx * work[j] + hxy * work[6 + j], hxy * work[j] + hyy * work[6 + j]
            for k in range(6):
                K[i, k, j] += gx * work[k] + gy * work[6 + k]
        fx, fy = on_n * nx - on_t * ny, on_n * ny + on_t * nx
        K[i, 2, 2] += fx * ax + fy * ay
        K[i, 5, 5] -= fx * bx + fy * by


#: Two position rows; parameters: offsets (6), the direction of the line on a's node, radius, where line and path begin.
ON_LINE = Kernels("rolling on a line", constraint=line_constraint, jacobian=line_jacobian)
#: Two position rows; parameters: offsets (6), ρ, σ, R/ρ, σ r/ρ, and where the direction begins. 12 scratch numbers.
ON_CIRCLE = Kernels("rolling on a circle", constraint=circle_constraint, jacobian=circle_jacobian)
