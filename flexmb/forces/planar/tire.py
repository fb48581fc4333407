"""TireLaw in the plane: a freely rolling wheel of a vehicle that is seen from above (:mod:`flexmb.forces.tire`).

With the heading e of the wheel and n = k × e to its left, the arm s of frame b, Δ = R_b − R_a and the road on body a,

    V_x = e · ΔV + (ω_b − ω_a) e · (k × s) − ω_a e · (k × Δ),    V_y = n · ΔV + (ω_b − ω_a) e · s − ω_a e · Δ
    u̇ + c u + V_y = 0,    F = k u + d u̇/(1 + d c/k)    on b along n, with the load N₀

G of V_x and V_y, G_x and G_y, depend on q alone; the row has G = G_y + u (∂c/∂V_x G_x + ∂c/∂V_y G_y) and 1 for u̇.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from flexmb.forces.tire import (
    DAMPED,
    GRIP,
    LENGTH,
    PLANAR_TIRE_UNITS,
    SMOOTH,
    STIFF,
    TireForces,
    TireLaw,
    checked_tire,
    lost_in,
    speed,
    tread,
)
from flexmb.kernels.blocks import free
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import frame_arm
from flexmb.model import checks
from flexmb.model.appearance import PairPlace
from flexmb.model.components import Assembler
from flexmb.model.pairs import PlanarPair, pair_coordinates, pair_offsets

#: parameters: offsets (6), the heading in frame b, those of the law (8); the law is that of the direction aside
HEADING, LAW = 6, 7
#: scratch: G_y, G_x, and their changes by a coordinate
OF_Y, OF_X, OF_Y_BY, OF_X_BY, WORK = 0, 6, 12, 18, 24


@dataclass(eq=False)
class Tire(PlanarPair):
    """A wheel at the origin of frame b, seen from above, rolls freely ahead and slips aside on the body of frame a: the
    tire of a vehicle that moves in the plane (:mod:`flexmb.forces.planar.tire`).

    Its coordinate 'aside' is the deflection of the tread [m], zero at the start, with a velocity row of the same name;
    `forces(solution)` gives its forces and slips. The load is that at which the stiffness was measured.

    Arguments: `tire`, a :class:`~flexmb.forces.tire.TireLaw`; `angle` of the heading in frame b [rad].

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("car")
    >>> car = m.add_body("car", mass=1500.0, inertia=2500.0)
    >>> rubber = fm.TireLaw(load=7.5e3, cornering_stiffness=100e3, relaxation_length=0.6)
    >>> front = m.tire(m.ground, car.frame.attach("front", (1.2, 0)), rubber, angle=0.02)
    >>> rear = m.tire(m.ground, car.frame.attach("rear", (-1.4, 0)), rubber)
    >>> car.frame.move((20.0, 0.0))
    >>> run = fm.simulate(m, 5.0, progress=False)
    >>> round(float(run["car"].angular_velocity[-1]), 3)
    0.117
    """

    tire: TireLaw
    _: KW_ONLY
    angle: float = 0.0
    kind = "tire"

    def check(self) -> None:
        super().check()
        self.refuse_fixed_frames()
        checked_tire(self.tire, self.where)
        self.angle = checks.number(self.angle, "angle", self.where)

    def assemble(self, assembly: Assembler) -> None:
        aside = assembly.coordinates(self, [free(["aside"], "length")], np.zeros(1))
        p = np.array([*pair_offsets(self.a, self.b), self.angle, *self.tire.numbers(self.where)])
        coordinates = [*pair_coordinates(assembly, self.a, self.b), *aside]
        assembly.instance(self, PLANAR_TIRE, coordinates, p, [("aside", "length", "velocity")], WORK)

    def place(self) -> PairPlace:
        return PairPlace(self.a.name, self.b.name, self.glyphs, tire=(self.angle, *self.tire.numbers(self.where)))

    def forces(self, solution: Any) -> TireForces:
        """What the tire does in a solution. (Its row carries no force, and a tire has no `solution.reaction`.)"""
        own = {what: checks.solution(solution, self.where)[f"{self.name}.{what}"] for what in PLANAR_TIRE_UNITS}
        none = np.zeros(len(solution.t))
        place = solution.track(self.b.name).position
        return TireForces(
            solution.t, own["load"], none, own["force_aside"], none, own["slip_aside"], own["rolling"], place
        )


@compiled
def _speeds(row, at, at_v, q, v, work):
    """V_x, V_y, and their derivatives by the angle of b; G_y and G_x into the scratch."""
    angle = q[at[5]] + row[5] + row[HEADING]
    ex, ey = math.cos(angle), math.sin(angle)
    bx, by = frame_arm(row, 3, q[at[5]])
    dx, dy = q[at[3]] - q[at[0]], q[at[4]] - q[at[1]]
    ux, uy = v[at_v[3]] - v[at_v[0]], v[at_v[4]] - v[at_v[1]]
    wa = v[at_v[2]]
    along, side = ex * bx + ey * by, ey * bx - ex * by
    ahead, across = ex * dx + ey * dy, ex * dy - ey * dx
    work[OF_Y], work[OF_Y + 1], work[OF_Y + 2] = ey, -ex, -along - ahead
    work[OF_Y + 3], work[OF_Y + 4], work[OF_Y + 5] = -ey, ex, along
    work[OF_X], work[OF_X + 1], work[OF_X + 2] = -ex, -ey, across - side
    work[OF_X + 3], work[OF_X + 4], work[OF_X + 5] = ex, ey, side
    turn = v[at_v[5]] - wa
    going, slipping = ex * ux + ey * uy, ex * uy - ey * ux
    Vx, Vy = going + turn * side + wa * across, slipping + turn * along - wa * ahead
    return Vx, Vy, slipping - wa * ahead, -going - wa * across


@compiled
def _changes(j, at_v, v, work, x_by, y_by):
    """The changes of V_x and V_y by coordinate j, x_by and y_by for the angle of b; those of G_y and G_x into the
    scratch."""
    for k in range(OF_Y_BY, WORK):
        work[k] = 0.0
    ex, ey, wa = work[OF_X + 3], work[OF_X + 4], v[at_v[2]]
    if j == 5:
        work[OF_Y_BY], work[OF_Y_BY + 1], work[OF_Y_BY + 3], work[OF_Y_BY + 4] = ex, ey, -ex, -ey
        work[OF_X_BY], work[OF_X_BY + 1], work[OF_X_BY + 3], work[OF_X_BY + 4] = ey, -ex, -ey, ex
        # the third of G_y is −e · s − e · Δ, that of G_x is −e · (k × s) + n · Δ
        work[OF_Y_BY + 2] = -(work[OF_X + 2] + work[OF_X + 5])
        work[OF_X_BY + 2] = work[OF_Y + 2] + work[OF_Y + 5]
        return x_by, y_by
    if j == 2 or j == 6:
        return 0.0, 0.0
    sign = 1.0 if j > 2 else -1.0
    if j % 3 == 0:
        work[OF_Y_BY + 2], work[OF_X_BY + 2] = -sign * ex, -sign * ey
        return -sign * wa * ey, -sign * wa * ex
    work[OF_Y_BY + 2], work[OF_X_BY + 2] = -sign * ey, sign * ex
    return sign * wa * ex, -sign * wa * ey


@compiled
def _leaving(row, Vx, Vy):
    """c, and its first and second derivatives by V_x and by V_y."""
    smooth = row[LAW + SMOOTH]
    rolls, rolls_1, rolls_2 = speed(Vx * Vx, smooth)
    slides, slides_1, slides_2 = speed(Vy * Vy, smooth)
    per_x, per_y = 1.0 / row[LAW + LENGTH + 1], row[LAW + STIFF + 1] / row[LAW + GRIP]
    return (
        per_x * rolls + per_y * slides,
        2.0 * per_x * rolls_1 * Vx,
        2.0 * per_y * slides_1 * Vy,
        per_x * (2.0 * rolls_1 + 4.0 * rolls_2 * Vx * Vx),
        per_y * (2.0 * slides_1 + 4.0 * slides_2 * Vy * Vy),
    )


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row, at = p[i], iq[i]
        Vx, Vy, _, _ = _speeds(row, at, iv[i], q, v, work)
        c, _, _, _, _ = _leaving(row, Vx, Vy)
        F, _ = tread(row[LAW + STIFF + 1], row[LAW + DAMPED], q[at[6]], v[iv[i, 6]], c, 0.0, 0.0, 0.0)
        for k in range(6):
            out[i, k] = -F * work[OF_Y + k]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row, at = p[i], iq[i]
        stiff, damped, u, rate = row[LAW + STIFF + 1], row[LAW + DAMPED], q[at[6]], v[iv[i, 6]]
        Vx, Vy, x_turn, y_turn = _speeds(row, at, iv[i], q, v, work)
        c, c_x, c_y, _, _ = _leaving(row, Vx, Vy)
        for j in range(7):
            own = 1.0 if j == 6 else 0.0
            x_by, y_by = _changes(j, iv[i], v, work, x_turn, y_turn)
            F, F_by = tread(stiff, damped, u, rate, c, own, 0.0, c_x * x_by + c_y * y_by)
            c_rate = 0.0 if j == 6 else c_x * work[OF_X + j] + c_y * work[OF_Y + j]
            _, F_rate = tread(stiff, damped, u, rate, c, 0.0, own, c_rate)
            for k in range(6):
                K[i, k, j] -= w[2] * (F_by * work[OF_Y + k] + F * work[OF_Y_BY + k]) + w[1] * F_rate * work[OF_Y + k]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row, at = p[i], iq[i]
        stiff, damped, u, rate = row[LAW + STIFF + 1], row[LAW + DAMPED], q[at[6]], v[iv[i, 6]]
        Vx, Vy, _, _ = _speeds(row, at, iv[i], q, v, work)
        c, _, _, _, _ = _leaving(row, Vx, Vy)
        F, _ = tread(stiff, damped, u, rate, c, 0.0, 0.0, 0.0)
        out[i, 1] = 0.5 * stiff * u * u
        out[i, 3] = lost_in(stiff, damped, u, rate, c)
        out[i, 4] = out[i, 3] + F * Vy + stiff * u * rate  # zero where the row is met


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row, at, at_v = p[i], iq[i], iv[i]
        u, rate = q[at[6]], v[at_v[6]]
        Vx, Vy, x_turn, y_turn = _speeds(row, at, iv[i], q, v, work)
        c, c_x, c_y, _, _ = _leaving(row, Vx, Vy)
        change = c * rate
        for j in range(6):
            x_by, y_by = _changes(j, iv[i], v, work, x_turn, y_turn)
            change += (u * c_x * x_by + (1.0 + u * c_y) * y_by) * v[at_v[j]]
        out[i, 1] = rate + c * u + Vy
        out[i, 2] = -change


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row, at = p[i], iq[i]
        u = q[at[6]]
        Vx, Vy, x_turn, y_turn = _speeds(row, at, iv[i], q, v, work)
        c, c_x, c_y, c_xx, c_yy = _leaving(row, Vx, Vy)
        for k in range(6):
            out[i, k] = u * c_x * work[OF_X + k] + (1.0 + u * c_y) * work[OF_Y + k]
        out[i, 6] = 1.0
        out[i, 13] = c
        force = w[2] * lam[i, 0]
        for j in range(7):
            own = 1.0 if j == 6 else 0.0
            x_by, y_by = _changes(j, iv[i], v, work, x_turn, y_turn)
            if j < 6:
                out[i, 7 + j] = u * c_x * x_by + (1.0 + u * c_y) * y_by
            on_x, on_y = u * c_xx * x_by + own * c_x, u * c_yy * y_by + own * c_y
            for k in range(6):
                change = on_x * work[OF_X + k] + on_y * work[OF_Y + k]
                change += u * c_x * work[OF_X_BY + k] + (1.0 + u * c_y) * work[OF_Y_BY + k]
                K[i, k, j] += force * change


#: A velocity row and the force of a tire, on two nodes and the deflection of the tread; 24 scratch numbers.
PLANAR_TIRE = Kernels(
    "tire in the plane", residual=residual, tangent=tangent, energy=energy, constraint=constraint, jacobian=jacobian
)
