"""Lower pairs: joints in space as tables of primitive rows.

A node has its position r and its orientation R; s is the arm from a node to a frame on it, and u, w are directions
fixed to body a and to body b, all in the axes of their bodies. Each joint is a table of rows of these kinds:

    point   g = n · ((r_b + R_b s_b) − (r_a + R_a s_a)),   n a direction fixed in space
    dot     g = (R_a u) · (R_b w) − value

With δr = ṙ δt and bodies turned by y in their own axes:

    δ(R s) = −R s̃ y,      δ(R_a u · R_b w) = (u × R_aᵀ R_b w) · y_a + (w × R_bᵀ R_a u) · y_b
"""

from __future__ import annotations

from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, rotation_matrix, turned, turned_back
from flexmb.kernels.vectors import (
    add_block,
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
)  # fmt: skip

#: kinds of rows
POINT, DOT = 0.0, 1.0
#: parameters: the arms of the two frames (6), then of each row: kind, u or n (3), w (3), value
ARM_A, ARM_B, ROWS, ROW_LENGTH = 0, 3, 6, 8


@compiled
def dot_row(A, B, u, w):
    """u · w of directions fixed to two bodies with quaternions A and B, and its derivatives along y_a and y_b."""
    x = turned(A, u)
    y = turned(B, w)
    return dot(x, y), cross(u, turned_back(A, y)), cross(w, turned_back(B, x))


@compiled
def dot_second_rate(A, B, u, w, omega_a, omega_b):
    """The second rate of u · w without accelerations; angular velocities in the axes of the bodies."""
    x = turned(A, u)
    y = turned(B, w)
    a = turned(A, omega_a)
    b = turned(B, omega_b)
    xd = cross(a, x)
    yd = cross(b, y)
    return dot(cross(a, xd), y) + 2.0 * dot(xd, yd) + dot(x, cross(b, yd))


@compiled
def add_dot_curvature(K, A, B, u, w, force):
    """K += force ∂²(u · w)/∂y², the derivative along retract of the two derivatives of :func:`dot_row`."""
    R = matrix_product(transposed(rotation_matrix(A)), rotation_matrix(B))
    mixed = matrix_product(tilde(u), matrix_product(R, tilde(w)))
    add_block(K, 3, 3, force, tilde_product(u, turned_back(A, turned(B, w))))
    add_block(K, 9, 9, force, tilde_product(w, turned_back(B, turned(A, u))))
    add_block(K, 3, 9, -force, mixed)
    add_block(K, 9, 3, -force, transposed(mixed))


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    m = lam.shape[1]
    for i in range(p.shape[0]):
        A = quaternion_at(q, iq[i], 3)
        B = quaternion_at(q, iq[i], 10)
        omega_a = vector_at(v, iv[i], 3)
        omega_b = vector_at(v, iv[i], 9)
        for k in range(m):
            at = ROWS + ROW_LENGTH * k
            first = vector_in(p[i], at + 1)
            second = vector_in(p[i], at + 4)
            if p[i, at] == POINT:
                arm_a = turned(A, vector_in(p[i], ARM_A))
                arm_b = turned(B, vector_in(p[i], ARM_B))
                a_turns = turned(A, omega_a)
                b_turns = turned(B, omega_b)
                speed_a = cross(a_turns, arm_a)
                speed_b = cross(b_turns, arm_b)
                gap = minus(plus(vector_at(q, iq[i], 7), arm_b), plus(vector_at(q, iq[i], 0), arm_a))
                rate = minus(plus(vector_at(v, iv[i], 6), speed_b), plus(vector_at(v, iv[i], 0), speed_a))
                out[i, k] = dot(first, gap) - p[i, at + 7]
                out[i, m + k] = dot(first, rate)
                out[i, 2 * m + k] = dot(first, minus(cross(a_turns, speed_a), cross(b_turns, speed_b)))
            else:
                value, along_a, along_b = dot_row(A, B, first, second)
                out[i, k] = value - p[i, at + 7]
                out[i, m + k] = dot(along_a, omega_a) + dot(along_b, omega_b)
                out[i, 2 * m + k] = -dot_second_rate(A, B, first, second, omega_a, omega_b)


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        A = quaternion_at(q, iq[i], 3)
        B = quaternion_at(q, iq[i], 10)
        for k in range(lam.shape[1]):
            at = ROWS + ROW_LENGTH * k
            first = vector_in(p[i], at + 1)
            second = vector_in(p[i], at + 4)
            force = w[2] * lam[i, k]
            if p[i, at] == POINT:
                arm_a = vector_in(p[i], ARM_A)
                arm_b = vector_in(p[i], ARM_B)
                n_a = turned_back(A, first)
                n_b = turned_back(B, first)
                put(out[i], 12 * k, times(-1.0, first))
                put(out[i], 12 * k + 3, cross(n_a, arm_a))
                put(out[i], 12 * k + 6, first)
                put(out[i], 12 * k + 9, cross(arm_b, n_b))
                add_block(K[i], 3, 3, -force, tilde_product(arm_a, n_a))
                add_block(K[i], 9, 9, force, tilde_product(arm_b, n_b))
            else:
                _, along_a, along_b = dot_row(A, B, first, second)
                put(out[i], 12 * k + 3, along_a)
                put(out[i], 12 * k + 9, along_b)
                add_dot_curvature(K[i], A, B, first, second, force)


LOWER_PAIR = Kernels("lower pair", constraint=constraint, jacobian=jacobian)
