"""Counted angle: the angle of a hinge in space as a coordinate that counts all turns.

The orientations of two bodies say their angle up to whole turns. What needs more owns a coordinate s and one row: the
angle of b against a, turned back by s, is zero. With x_a, y_a across the axis and fixed to a, and x_b fixed to b:

    S = y_a · x_b,   C = x_a · x_b,   θ = atan2(S, C),   ρ² = S² + C²
    g = θ − s, wrapped to (−π, π],    ġ = (C Ṡ − S Ċ)/ρ² − ṡ

The row neither holds the axis nor needs it held; it has no derivative only where x_b is along the axis of a.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from flexmb.joints.spatial.joint import HingeAxes
from flexmb.joints.spatial.rows.primitive_rows import add_dot_curvature, dot_row, dot_second_rate, relative_matrix
from flexmb.kernels.blocks import Numbers, free
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, turned
from flexmb.kernels.vectors import dot, plus, put, times, vector_at, vector_in
from flexmb.model.components import Assembler, Component
from flexmb.model.pairs import pair_coordinates
from flexmb.model.spatial_frames import Frame, cross_of

#: parameters: x_a, y_a, x_b, in the axes of their bodies
X_A, Y_A, X_B = 0, 3, 6
#: what the coordinate is called, if nothing else is said
TURN = "turn"


def counted_angle(
    assembly: Assembler,
    owner: Component,
    a: Frame,
    b: Frame,
    axis: Any,
    axis_b: Any = None,
    name: str = TURN,
) -> Numbers:
    """A new coordinate of `owner`: the angle [rad] by which frame b has turned against frame a since the start, about
    an axis in the axes of a (and of b, where it is another line at the start), counted through all turns; with the row
    that makes it so."""
    axes = HingeAxes.between(a, b, axis, axis_b, owner.where)
    return count_turns(assembly, owner, a, b, axes.on_a, axes.on_b[0], name)


def count_turns(assembly: Assembler, owner: Component, a: Frame, b: Frame, on_a: Any, x_b: Any, name: str) -> Numbers:
    """The same for x_a and y_a, the first of the directions `on_a`, and x_b, in the axes of their bodies; x_b starts in
    the half-plane of x_a."""
    x_a, y_a = (np.array(u) for u in on_a[:2])
    on_ground = [turned(tuple(node.orientation), tuple(u)) for node, u in ((a.node, x_a), (a.node, y_a), (b.node, x_b))]
    omega_a, omega_b = (node.moving_at(node.position)[1] for node in (a.node, b.node))
    rate = (omega_b - omega_a) @ cross_of(on_ground[2], on_ground[1]) / np.dot(on_ground[0], on_ground[2])
    (s,) = assembly.coordinates(owner, [free([name], "angle")], np.zeros(1), np.array([rate]), given=False)
    p = np.concatenate([x_a, y_a, x_b])
    assembly.instance(
        owner, COUNTED_ANGLE, [*pair_coordinates(assembly, a, b), s], p, [(name, "angle")], work=12, stays=True
    )
    return s


@compiled
def _angle_row(S, C):
    """∂θ/∂S, ∂θ/∂C and the second derivatives ∂²θ/∂S² = −∂²θ/∂C² and ∂²θ/∂S∂C."""
    square = S * S + C * C
    x = C / square
    y = -S / square
    return x, y, 2.0 * x * y, y * y - x * x


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        answer = out[i]
        R = relative_matrix(quaternion_at(q, at_q, 3), quaternion_at(q, at_q, 10))
        omega_a = vector_at(v, at_v, 3)
        omega_b = vector_at(v, at_v, 9)
        x_a = vector_in(row, X_A)
        y_a = vector_in(row, Y_A)
        x_b = vector_in(row, X_B)
        S, S_a, S_b = dot_row(R, y_a, x_b)
        C, C_a, C_b = dot_row(R, x_a, x_b)
        by_S, by_C, twice, mixed = _angle_row(S, C)
        Sd = dot(S_a, omega_a) + dot(S_b, omega_b)
        Cd = dot(C_a, omega_a) + dot(C_b, omega_b)
        s = q[at_q[14]]
        co = math.cos(s)
        si = math.sin(s)
        answer[0] = math.atan2(S * co - C * si, C * co + S * si)
        answer[1] = by_S * Sd + by_C * Cd - v[at_v[12]]
        answer[2] = -(
            by_S * dot_second_rate(R, y_a, x_b, omega_a, omega_b)
            + by_C * dot_second_rate(R, x_a, x_b, omega_a, omega_b)
            + twice * (Sd * Sd - Cd * Cd)
            + 2.0 * mixed * Sd * Cd
        )


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    # work: ∂S/∂y (6), ∂C/∂y (6), along y_a, y_b
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        answer = out[i]
        block = K[i]
        R = relative_matrix(quaternion_at(q, at_q, 3), quaternion_at(q, at_q, 10))
        x_a = vector_in(row, X_A)
        y_a = vector_in(row, Y_A)
        x_b = vector_in(row, X_B)
        S, S_a, S_b = dot_row(R, y_a, x_b)
        C, C_a, C_b = dot_row(R, x_a, x_b)
        by_S, by_C, twice, mixed = _angle_row(S, C)
        put(answer, 3, plus(times(by_S, S_a), times(by_C, C_a)))
        put(answer, 9, plus(times(by_S, S_b), times(by_C, C_b)))
        answer[12] = -1.0
        force = w[2] * lam[i, 0]
        add_dot_curvature(block, R, y_a, x_b, force * by_S)
        add_dot_curvature(block, R, x_a, x_b, force * by_C)
        put(work, 0, S_a)
        put(work, 3, S_b)
        put(work, 6, C_a)
        put(work, 9, C_b)
        for j in range(6):
            for k in range(6):
                curved = twice * (work[j] * work[k] - work[6 + j] * work[6 + k])
                curved += mixed * (work[j] * work[6 + k] + work[6 + j] * work[k])
                block[3 + j + 3 * (j // 3), 3 + k + 3 * (k // 3)] += force * curved


#: One row; its instances have the coordinates of the two nodes and s, and ask for 12 numbers of scratch space.
COUNTED_ANGLE = Kernels("counted angle", constraint=constraint, jacobian=jacobian)
