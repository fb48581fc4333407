"""Place along an axis: how far the origin of frame b lies from that of frame a along a direction that turns with a.

    g = e · D − u · s_a − h s − f(t),    e = R_a u,    D = r_b + R_b s_b − r_a

u is a direction and s_a the arm of frame a, in the axes of body a; s_b is the arm of frame b. The counted angle s and
its pitch h [m/rad] are those of a screw, of a rack and its pinion; without them a drive prescribes the place. The row
of e · D is that of :mod:`flexmb.joints.spatial.rows.primitive_rows`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.joints.spatial.rows.bearing import room, with_friction
from flexmb.joints.spatial.rows.primitive_rows import add_along_curvature, along_row, along_second_rate, relative_matrix
from flexmb.kernels.blocks import Numbers
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, rotation_matrix, turned, turned_back
from flexmb.kernels.slots import time_function
from flexmb.kernels.vectors import cross, dot, minus, plus, put, times, vector_at, vector_in
from flexmb.model.components import Assembler, Component
from flexmb.model.functions.time_function import Constant, TimeFunction
from flexmb.model.pairs import pair_coordinates
from flexmb.model.spatial_frames import Frame

#: parameters: the arms of the two frames, the direction on a, the pitch, a function of time
ARM_A, ARM_B, U, PITCH, FUNCTION = 0, 3, 6, 9, 10


def place_along(a: Frame, b: Frame, axis: np.ndarray) -> float:
    """How far the origin of frame b lies from that of a along an axis (3,) in the axes of frame a, at the start [m]."""
    return float(np.dot(turned(tuple(a.quaternion), tuple(axis)), b.position - a.position))


def speed_along(a: Frame, b: Frame, axis: np.ndarray) -> float:
    """The rate of that place at the start [m/s]."""
    e = np.array(turned(tuple(a.quaternion), tuple(axis)))
    (beside, _), (speed, _) = (frame.node.moving_at(b.position) for frame in (a, b))
    return float(e @ (speed - beside))


def add_along(
    assembly: Assembler,
    owner: Component,
    a: Frame,
    b: Frame,
    axis: np.ndarray,
    row: str,
    place: TimeFunction | float,
    turns: Numbers | None = None,
    pitch: float = 0.0,
    thread: Sequence[float] = (),
    **more: Any,
) -> None:
    """Add the row by which the origin of b, along an axis (3,) of frame a, is at a `place` [m], plus `pitch` [m/rad]
    times a counted angle; with the friction of a `thread` if its parameters are given."""
    f = place if isinstance(place, TimeFunction) else Constant(place)
    p = [*a.offset, *b.offset, *turned(tuple(a.axes), tuple(axis)), pitch, *f.parameters(), *thread]
    coordinates = [*pair_coordinates(assembly, a, b), *([] if turns is None else [turns])]
    kernels, work = (ALONG_WITH_FRICTION, room(1)) if len(thread) else (ALONG, 0)
    assembly.instance(owner, kernels, coordinates, np.array(p), [(row, "length")], work, **more)


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        answer = out[i]
        f, fd, fdd = time_function(row, FUNCTION, t)
        A = quaternion_at(q, at_q, 3)
        B = quaternion_at(q, at_q, 10)
        u = vector_in(row, U)
        e = turned(A, u)
        arm_b = turned(B, vector_in(row, ARM_B))
        a_turns = turned(A, vector_at(v, at_v, 3))
        b_turns = turned(B, vector_at(v, at_v, 9))
        speed_b = cross(b_turns, arm_b)
        D = minus(plus(vector_at(q, at_q, 7), arm_b), vector_at(q, at_q, 0))
        rate = minus(plus(vector_at(v, at_v, 6), speed_b), vector_at(v, at_v, 0))
        answer[0] = dot(e, D) - dot(u, vector_in(row, ARM_A)) - f
        answer[1] = dot(e, rate) + dot(cross(a_turns, e), D) - fd
        answer[2] = fdd - along_second_rate(e, a_turns, D, rate, cross(b_turns, speed_b))
        if iv.shape[1] > 12:
            answer[0] -= row[PITCH] * q[at_q[14]]
            answer[1] -= row[PITCH] * v[at_v[12]]


@compiled
def fill_row(row, at_q, q, force, weight, answer, block):
    """The row of e · D on two nodes, and block += weight ∂(Gᵀ λ)/∂q for the multiplier `force` (1,)."""
    A = quaternion_at(q, at_q, 3)
    B = quaternion_at(q, at_q, 10)
    R = relative_matrix(A, B)
    u = vector_in(row, U)
    arm_b = vector_in(row, ARM_B)
    e = turned(A, u)
    end_b = plus(vector_at(q, at_q, 7), turned(B, arm_b))
    from_a = turned_back(A, minus(end_b, vector_at(q, at_q, 0)))
    along_a, along_b = along_row(R, u, from_a, arm_b)
    put(answer, 0, times(-1.0, e))
    put(answer, 3, along_a)
    put(answer, 6, e)
    put(answer, 9, along_b)
    add_along_curvature(block, rotation_matrix(A), R, u, from_a, arm_b, weight * force[0])


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        fill_row(p[i], iq[i], q, lam[i], w[2], out[i], K[i])
        if iv.shape[1] > 12:
            out[i, 12] = -p[i, PITCH]


#: One row, on two nodes and, where there is one, a counted angle.
ALONG = Kernels("place along an axis in space", constraint=constraint, jacobian=jacobian, function=FUNCTION)
#: The same with the friction of a thread, whose parameters (:mod:`flexmb.joints.spatial.rows.bearing`) stand last.
ALONG_WITH_FRICTION = with_friction(ALONG, "thread with friction", fill_row).standing_at(
    __name__, "ALONG_WITH_FRICTION"
)
