"""Formulas of tires: their load, the forces of the tread, how they slip and roll, and where they touch
(:mod:`flexmb.forces.tire`).

The node of a stands at the head of iq and iv, then that of b, then the deflections of the tread. A row begins with a
direction; behind that are the parameters of the tire, :mod:`flexmb.forces.planar.tire` or
:mod:`flexmb.forces.spatial.tire`.
"""

from __future__ import annotations

import math
from typing import Any

from flexmb.forces.planar.tire import HEADING
from flexmb.forces.planar.tire import LAW as LAW_IN_PLANE
from flexmb.forces.spatial.tire_law import force_of, motion, slips
from flexmb.forces.tire import DAMPED, GRIP, LENGTH, LOAD, SMOOTH, STIFF, speed, tread
from flexmb.kernels.compilation import inlined
from flexmb.kernels.formula import formula
from flexmb.kernels.rotations import quaternion_at, turned
from flexmb.kernels.vectors import NONE, dot, plus, vector_at, vector_in

#: where the parameters begin
FIRST = 3


@inlined
def _in_plane(row, iq, iv, q, v):
    """V_x, V_y and the force aside of a tire in the plane, and the arm of b."""
    p = row[FIRST:]
    heading = q[iq[5]] + p[5] + p[HEADING]
    ex, ey = math.cos(heading), math.sin(heading)
    c, s = math.cos(q[iq[5]]), math.sin(q[iq[5]])
    bx, by = c * p[3] - s * p[4], s * p[3] + c * p[4]
    dx, dy = q[iq[3]] - q[iq[0]] + bx, q[iq[4]] - q[iq[1]] + by
    wa, wb = v[iv[2]], v[iv[5]]
    ux = v[iv[3]] - wb * by - v[iv[0]] + wa * dy
    uy = v[iv[4]] + wb * bx - v[iv[1]] - wa * dx
    Vx, Vy = ex * ux + ey * uy, ex * uy - ey * ux
    law = p[LAW_IN_PLANE:]
    smooth, stiff = law[SMOOTH], law[STIFF + 1]
    left = speed(Vx * Vx, smooth)[0] / law[LENGTH + 1] + stiff / law[GRIP] * speed(Vy * Vy, smooth)[0]
    force = tread(stiff, law[DAMPED], q[iq[6]], v[iv[6]], left, 0.0, 0.0, 0.0)[0]
    return Vx, Vy, force, (q[iq[3]] + bx, q[iq[4]] + by)


@inlined
def _in_space(row, iq, iv, q, v):
    """The motion at the place where a wheel touches, the force on a, and that place."""
    A, B = quaternion_at(q, iq, 3), quaternion_at(q, iq, 10)
    w_a, w_b = turned(A, vector_at(v, iv, 3)), turned(B, vector_at(v, iv, 9))
    r_a, p = vector_at(q, iq, 0), row[FIRST:]
    now, by = motion(
        p, A, B, r_a, vector_at(q, iq, 7), vector_at(v, iv, 0), w_a, vector_at(v, iv, 6), w_b,
        NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE,
    )  # fmt: skip
    none = (0.0, 0.0)
    F, _ = force_of(p, now, by, (q[iq[14]], q[iq[15]]), (v[iv[12]], v[iv[13]]), none, none)
    return now, by, F, plus(r_a, now[1])


@formula
def planar_load(row, iq, iv, t, q, v, a):
    return row[FIRST + LAW_IN_PLANE + LOAD]


@formula
def planar_force_aside(row, iq, iv, t, q, v, a):
    return _in_plane(row, iq, iv, q, v)[2]


@formula
def planar_slip_aside(row, iq, iv, t, q, v, a):
    return _in_plane(row, iq, iv, q, v)[1]


@formula
def planar_rolling(row, iq, iv, t, q, v, a):
    return _in_plane(row, iq, iv, q, v)[0]


@formula
def load(row, iq, iv, t, q, v, a):
    now, _, F, _ = _in_space(row, iq, iv, q, v)
    return dot(now[4], F)


@formula
def force_ahead(row, iq, iv, t, q, v, a):
    now, _, F, _ = _in_space(row, iq, iv, q, v)
    return dot(now[5], F)


@formula
def force_aside(row, iq, iv, t, q, v, a):
    now, _, F, _ = _in_space(row, iq, iv, q, v)
    return dot(now[6], F)


@formula
def slip_ahead(row, iq, iv, t, q, v, a):
    now, by, _, _ = _in_space(row, iq, iv, q, v)
    return slips(now, by)[0]


@formula
def slip_aside(row, iq, iv, t, q, v, a):
    now, by, _, _ = _in_space(row, iq, iv, q, v)
    return slips(now, by)[1]


@formula
def rolling(row, iq, iv, t, q, v, a):
    return _in_space(row, iq, iv, q, v)[0][8]


@formula
def touching_place(row, iq, iv, t, q, v, a):
    return dot(vector_in(row, 0), _in_space(row, iq, iv, q, v)[3])


#: by the names of what can be asked of a tire, in the plane and in space
TIRE: dict[int, dict[str, Any]] = {
    2: {
        "load": planar_load, "force_aside": planar_force_aside, "slip_aside": planar_slip_aside,
        "rolling": planar_rolling,
    },
    3: {
        "load": load, "force_ahead": force_ahead, "force_aside": force_aside, "slip_ahead": slip_ahead,
        "slip_aside": slip_aside, "rolling": rolling, "x": touching_place, "y": touching_place, "z": touching_place,
    },
}  # fmt: skip
