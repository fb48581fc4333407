"""Primitive rows of joints in space: the compiled kernel of all lower pairs.

A node has its position r and its orientation R; s is the arm from a node to a frame on it, and u, w are directions
fixed to body a and to body b, all in the axes of their bodies. Each joint is a table of rows of these kinds:

    point   g = n · d − value,   d = (r_b + R_b s_b) − (r_a + R_a s_a),   n a direction fixed in space
    along   g = e · d − value,   e = R_a u a direction that turns with body a
    dot     g = (R_a u) · (R_b w) − value

With δr = ṙ δt and bodies turned by y in their own axes:

    δ(R s) = −R s̃ y,      δ(R_a u · R_b w) = (u × R_aᵀ R_b w) · y_a + (w × R_bᵀ R_a u) · y_b

The part R_a s_a of d has a constant component along e. So with D = r_b + R_b s_b − r_a, seen from the bodies:

    e · d = e · D − u · s_a,   δ(e · D) = e · (δr_b − δr_a) + (u × R_aᵀ D) · y_a + (s_b × R_bᵀ e) · y_b
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flexmb.joints.spatial.rows.bearing import with_friction
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import inverse, product, quaternion_at, rotation_matrix, turned, turned_back
from flexmb.kernels.vectors import (
    add_block,
    applied,
    cross,
    dot,
    matrix_product,
    minus,
    plus,
    put,
    tilde,
    tilde_product,
    times,
    transposed,
    vector_at,
    vector_in,
)

#: kinds of rows
POINT, DOT, ALONG = 0.0, 1.0, 2.0
#: parameters: the arms of the two frames (6), then of each row: kind, u or n (3), w (3), value
ARM_A, ARM_B, ROWS, ROW_LENGTH = 0, 3, 6, 8


class PrimitiveRow(NamedTuple):
    """One row of the table of a joint: its name and what it is measured in, its kind, its directions on a (in the axes
    of the ground for a point) and on b (for a dot), and its value."""

    name: str
    measure: str
    kind: float
    first: Sequence[float]
    second: Sequence[float] = (0.0, 0.0, 0.0)
    value: float = 0.0


@compiled
def relative_matrix(A, B):
    """R_aᵀ R_b of the quaternions of two bodies: from the axes of b to those of a."""
    return rotation_matrix(product(inverse(A), B))


@compiled
def dot_row(R, u, w):
    """u · w of directions fixed to two bodies, R from the axes of b to those of a; its derivatives along y_a, y_b."""
    y = applied(R, w)
    return dot(u, y), cross(u, y), cross(w, applied(transposed(R), u))


@compiled
def dot_second_rate(R, u, w, omega_a, omega_b):
    """The second rate of u · w without accelerations; angular velocities in the axes of the bodies."""
    y = applied(R, w)
    b = applied(R, omega_b)
    ud = cross(omega_a, u)
    yd = cross(b, y)
    return dot(cross(omega_a, ud), y) + 2.0 * dot(ud, yd) + dot(u, cross(b, yd))


@compiled
def add_dot_curvature(K, R, u, w, force):
    """K += force ∂²(u · w)/∂y², the derivative along retract of the two derivatives of :func:`dot_row`."""
    mixed = matrix_product(tilde(u), matrix_product(R, tilde(w)))
    add_block(K, 3, 3, force, tilde_product(u, applied(R, w)))
    add_block(K, 9, 9, force, tilde_product(w, applied(transposed(R), u)))
    add_block(K, 3, 9, -force, mixed)
    add_block(K, 9, 3, -force, transposed(mixed))


@compiled
def along_row(R, u, from_a, arm_b):
    """The derivatives along y_a, y_b of e · D; from_a = R_aᵀ D."""
    return cross(u, from_a), cross(arm_b, applied(transposed(R), u))


@compiled
def along_second_rate(e, a_turns, D, rate, inward_b):
    """The second rate of e · D without accelerations, all in the axes of the ground: ω_a, the rate of D, and the second
    rate of the arm of b."""
    turning = cross(a_turns, e)
    return dot(cross(a_turns, turning), D) + 2.0 * dot(turning, rate) + dot(e, inward_b)


@compiled
def add_along_curvature(K, A, R, u, from_a, arm_b, force):
    """K += force times the derivative along retract of the row of e · D:  with Q = R_a ũ

    −e by y_a: Q,   u × R_aᵀ D by y_a: ũ (R_aᵀ D)~,   by y_b: −ũ R s̃_b,   s_b × R_bᵀ e by y_b: s̃_b (R_bᵀ e)~
    """
    turning = matrix_product(A, tilde(u))
    mixed = matrix_product(tilde(u), matrix_product(R, tilde(arm_b)))
    add_block(K, 0, 3, force, turning)
    add_block(K, 6, 3, -force, turning)
    add_block(K, 3, 0, force, transposed(turning))
    add_block(K, 3, 6, -force, transposed(turning))
    add_block(K, 3, 3, force, tilde_product(u, from_a))
    add_block(K, 9, 9, force, tilde_product(arm_b, applied(transposed(R), u)))
    add_block(K, 3, 9, -force, mixed)
    add_block(K, 9, 3, -force, transposed(mixed))


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    m = lam.shape[1]
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        answer = out[i]
        A = quaternion_at(q, at_q, 3)
        B = quaternion_at(q, at_q, 10)
        R = relative_matrix(A, B)
        omega_a = vector_at(v, at_v, 3)
        omega_b = vector_at(v, at_v, 9)
        arm_a = turned(A, vector_in(row, ARM_A))
        arm_b = turned(B, vector_in(row, ARM_B))
        a_turns = turned(A, omega_a)
        b_turns = turned(B, omega_b)
        speed_a = cross(a_turns, arm_a)
        speed_b = cross(b_turns, arm_b)
        gap = minus(plus(vector_at(q, at_q, 7), arm_b), plus(vector_at(q, at_q, 0), arm_a))
        rate = minus(plus(vector_at(v, at_v, 6), speed_b), plus(vector_at(v, at_v, 0), speed_a))
        inward_b = cross(b_turns, speed_b)
        inward = minus(cross(a_turns, speed_a), inward_b)
        for k in range(m):
            at = ROWS + ROW_LENGTH * k
            first = vector_in(row, at + 1)
            second = vector_in(row, at + 4)
            if row[at] == POINT:
                answer[k] = dot(first, gap) - row[at + 7]
                answer[m + k] = dot(first, rate)
                answer[2 * m + k] = dot(first, inward)
            elif row[at] == ALONG:
                e = turned(A, first)
                D = plus(gap, arm_a)
                D_rate = plus(rate, speed_a)
                answer[k] = dot(e, gap) - row[at + 7]
                answer[m + k] = dot(e, D_rate) + dot(cross(a_turns, e), D)
                answer[2 * m + k] = -along_second_rate(e, a_turns, D, D_rate, inward_b)
            else:
                value, along_a, along_b = dot_row(R, first, second)
                answer[k] = value - row[at + 7]
                answer[m + k] = dot(along_a, omega_a) + dot(along_b, omega_b)
                answer[2 * m + k] = -dot_second_rate(R, first, second, omega_a, omega_b)


@compiled
def fill_rows(row, at_q, q, force, weight, answer, block):
    """The rows of G of one instance, and block (12, 12) += weight ∂(Gᵀ λ)/∂q for the multipliers `force` (m,)."""
    A = quaternion_at(q, at_q, 3)
    B = quaternion_at(q, at_q, 10)
    R = relative_matrix(A, B)
    for k in range(force.shape[0]):
        at = ROWS + ROW_LENGTH * k
        first = vector_in(row, at + 1)
        second = vector_in(row, at + 4)
        weighed = weight * force[k]
        if row[at] == POINT:
            arm_a = vector_in(row, ARM_A)
            arm_b = vector_in(row, ARM_B)
            n_a = turned_back(A, first)
            n_b = turned_back(B, first)
            put(answer, 12 * k, times(-1.0, first))
            put(answer, 12 * k + 3, cross(n_a, arm_a))
            put(answer, 12 * k + 6, first)
            put(answer, 12 * k + 9, cross(arm_b, n_b))
            add_block(block, 3, 3, -weighed, tilde_product(arm_a, n_a))
            add_block(block, 9, 9, weighed, tilde_product(arm_b, n_b))
        elif row[at] == ALONG:
            arm_b = vector_in(row, ARM_B)
            e = turned(A, first)
            end_b = plus(vector_at(q, at_q, 7), turned(B, arm_b))
            from_a = turned_back(A, minus(end_b, vector_at(q, at_q, 0)))
            along_a, along_b = along_row(R, first, from_a, arm_b)
            put(answer, 12 * k, times(-1.0, e))
            put(answer, 12 * k + 3, along_a)
            put(answer, 12 * k + 6, e)
            put(answer, 12 * k + 9, along_b)
            add_along_curvature(block, rotation_matrix(A), R, first, from_a, arm_b, weighed)
        else:
            _, along_a, along_b = dot_row(R, first, second)
            put(answer, 12 * k + 3, along_a)
            put(answer, 12 * k + 9, along_b)
            add_dot_curvature(block, R, first, second, weighed)


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        fill_rows(p[i], iq[i], q, lam[i], w[2], out[i], K[i])


#: As many rows as its table has; parameters: the arms (6), then the rows.
LOWER_PAIR = Kernels("lower pair", constraint=constraint, jacobian=jacobian)
#: The same with friction, whose parameters (:mod:`flexmb.joints.spatial.rows.bearing`) stand behind the rows.
LOWER_PAIR_WITH_FRICTION = with_friction(LOWER_PAIR, "lower pair with friction", fill_rows).standing_at(
    __name__, "LOWER_PAIR_WITH_FRICTION"
)
