"""Formulas of contacts and stops, in the plane and in space: gaps, forces and slip
(:mod:`flexmb.forces.contact_force`).

Of a contact the first body of the pairs of shapes stands at the head of iq and iv, then the second. A row begins with
the number of pairs, a direction, and a number that is −1 where the first body is b; behind that are the parameters of
each pair, with the shapes in the axes of the nodes. Of several pairs, the edges of a cylinder, the gap is the smallest
one, and forces are sums.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from flexmb.forces.contact_force import GRIP, STIFFNESS, WIDTH, seen, slipping
from flexmb.forces.contact_law import push
from flexmb.joints.friction import along_slip
from flexmb.kernels.compilation import inlined
from flexmb.kernels.derivatives import function_of
from flexmb.kernels.formula import formula
from flexmb.kernels.rotations import quaternion_at, turned
from flexmb.kernels.vectors import dot, minus, plus, times, vector_at, vector_in

#: places in a row
PAIRS, DIRECTION, SIGN, FIRST = 0, 1, 4, 5


@inlined
def nodes(q, iq):
    """Places and orientations of both bodies."""
    if iq.shape[0] == 6:
        half_a, half_b = 0.5 * q[iq[2]], 0.5 * q[iq[5]]
        zero = 0.0 * half_a
        turn_a, turn_b = (
            (math.cos(half_a), zero, zero, math.sin(half_a)),
            (math.cos(half_b), zero, zero, math.sin(half_b)),
        )
        return (q[iq[0]], q[iq[1]], zero), turn_a, (q[iq[3]], q[iq[4]], zero), turn_b
    return vector_at(q, iq, 0), quaternion_at(q, iq, 3), vector_at(q, iq, 7), quaternion_at(q, iq, 10)


@inlined
def _speeds(q, iq, v, iv):
    """Velocities and angular velocities of both bodies, in the axes of the ground."""
    if iq.shape[0] == 6:
        zero = 0.0 * v[iv[2]]
        speeds = (v[iv[0]], v[iv[1]], zero), (v[iv[3]], v[iv[4]], zero)
        return speeds[0], (zero, zero, v[iv[2]]), speeds[1], (zero, zero, v[iv[5]])
    omega_a, omega_b = (
        turned(quaternion_at(q, iq, 3), vector_at(v, iv, 3)),
        turned(quaternion_at(q, iq, 10), vector_at(v, iv, 9)),
    )
    return vector_at(v, iv, 0), omega_a, vector_at(v, iv, 6), omega_b


@inlined
def _pair(row, k, iq, iv, q, v):
    """Of pair number k the gap, the normal n, the normal force N, the velocity across n, the force on the second body,
    and where it acts."""
    p = FIRST + k * WIDTH
    (r_a, turn_a, r_b, turn_b), (v_a, omega_a, v_b, omega_b) = nodes(q, iq), _speeds(q, iq, v, iv)
    _, _, B, w, distance, n = seen(row, p, r_a, turn_a, r_b, turn_b)
    P, _, rate, across = slipping(row, p, B, w, distance, n, r_a, v_a, omega_a, r_b, v_b, omega_b)
    N = push(distance, rate, row[p + STIFFNESS], row[p + STIFFNESS + 1], row[p + STIFFNESS + 2])[0]
    friction = N * along_slip(row, p + GRIP, math.sqrt(dot(across, across)))[0]
    return distance, n, N, across, minus(times(N, n), times(friction, across)), P


@inlined
def _all(row, iq, iv, q, v):
    """The smallest gap, the normal there and the velocity across it, the sums of normal forces and of forces, and the
    middle of where they act, weighted by normal forces."""
    nearest, n, N, across, F, P = _pair(row, 0, iq, iv, q, v)
    weighted = times(N, P)
    for k in range(1, int(row[PAIRS])):
        other, other_n, more_N, other_across, more_F, other_P = _pair(row, k, iq, iv, q, v)
        N, F, weighted = N + more_N, plus(F, more_F), plus(weighted, times(more_N, other_P))
        if other < nearest:
            nearest, n, across, P = other, other_n, other_across, other_P
    if N > 0.0:
        P = times(1.0 / N, weighted)
    return nearest, n, across, N, F, P


@inlined
def nearest(row, iq, iv, q, v):
    """The smallest gap, the normal there, the velocity across it, and where that pair touches."""
    least, n, _, across, _, P = _pair(row, 0, iq, iv, q, v)
    for k in range(1, int(row[PAIRS])):
        other, other_n, _, other_across, _, other_P = _pair(row, k, iq, iv, q, v)
        if other < least:
            least, n, across, P = other, other_n, other_across, other_P
    return least, n, across, P


@formula
def gap(row, iq, iv, t, q, v, a):
    r_a, turn_a, r_b, turn_b = nodes(q, iq)
    nearest = seen(row, FIRST, r_a, turn_a, r_b, turn_b)[4]
    for k in range(1, int(row[PAIRS])):
        other = seen(row, FIRST + k * WIDTH, r_a, turn_a, r_b, turn_b)[4]
        if other < nearest:
            nearest = other
    return nearest


@formula
def slip_speed(row, iq, iv, t, q, v, a):
    across = _all(row, iq, iv, q, v)[2]
    return math.sqrt(dot(across, across))


@formula
def normal_force(row, iq, iv, t, q, v, a):
    return _all(row, iq, iv, q, v)[3]


@formula
def friction_force(row, iq, iv, t, q, v, a):
    _, n, _, _, F, _ = _all(row, iq, iv, q, v)
    rubbing = minus(F, times(dot(F, n), n))
    return math.sqrt(dot(rubbing, rubbing))


@formula
def force_on_b(row, iq, iv, t, q, v, a):
    return row[SIGN] * dot(_all(row, iq, iv, q, v)[4], vector_in(row, DIRECTION))


@formula
def size_of_force(row, iq, iv, t, q, v, a):
    F = _all(row, iq, iv, q, v)[4]
    return math.sqrt(dot(F, F))


@formula
def place(row, iq, iv, t, q, v, a):
    """Where the force acts, along the direction."""
    return dot(_all(row, iq, iv, q, v)[5], vector_in(row, DIRECTION))


#: by the names of what can be asked of a contact; forces along an axis have that in their name
CONTACT: dict[str, Any] = {
    "gap": gap, "slip_speed": slip_speed, "normal_force": normal_force, "friction_force": friction_force,
    "force": size_of_force,
}  # fmt: skip


@cache
def push_of(tension: Any) -> Any:
    """The formula of what pushes two frames apart, of that of what pulls them together; where they meet, nothing."""
    tension_of = inlined(function_of(tension))

    @formula
    def push_along_line(row, iq, iv, t, q, v, a):  # type: ignore[no-untyped-def]
        pulls = tension_of(row, iq, iv, t, q, v, a)
        return -pulls if pulls == pulls else 0.0

    return push_along_line


@cache
def of_stop(value: Any, rate: Any) -> dict[str, Any]:
    """The formulas of a stop, of those of what it limits and of its rate: how far it is from the nearer limit, negative
    beyond it, and its force, positive where it drives the value up. A row has both limits, k, n and d of the law, and
    the length of the row of the value, which follows; behind that is the row of the rate."""
    value_of, rate_of = inlined(function_of(value)), inlined(function_of(rate))

    @formula
    def limit_gap(row, iq, iv, t, q, v, a):  # type: ignore[no-untyped-def]
        x = value_of(row[6:], iq, iv, t, q, v, v)  # no accelerations
        return min(x - row[0], row[1] - x)

    @formula
    def limit_force(row, iq, iv, t, q, v, a):  # type: ignore[no-untyped-def]
        x, u = value_of(row[6:], iq, iv, t, q, v, v), rate_of(row[6 + int(row[5]) :], iq, iv, t, q, v, v)
        return push(x - row[0], u, row[2], row[3], row[4])[0] - push(row[1] - x, -u, row[2], row[3], row[4])[0]

    return {"gap": limit_gap, "force": limit_force}
