"""Two points coincide: the kernels of the spherical joint.

These are the three rows of kind point of :mod:`flexmb.joints.spatial.rows.primitive_rows` with n = e_x, e_y, e_z in
one: s is the arm from a node to a frame on it, in the axes of its body,

    g = (r_b + R_b s_b) − (r_a + R_a s_a),      G = (−1, R_a s̃_a, 1, −R_b s̃_b)

and the moments of a force λ between them, s × Rᵀ λ, change by s̃ (Rᵀ λ)~ y where a body is turned by y.
"""

from __future__ import annotations

import numpy as np

from flexmb.joints.spatial.rows.bearing import with_friction
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels, Pattern
from flexmb.kernels.rotations import quaternion_at, rotation_matrix
from flexmb.kernels.vectors import (
    add_block,
    applied,
    cross,
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

#: parameters: the arms of the two frames, the bearing if it has friction
ARM_A, ARM_B, BEARING = 0, 3, 6


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        at_q = iq[i]
        at_v = iv[i]
        A = rotation_matrix(quaternion_at(q, at_q, 3))
        B = rotation_matrix(quaternion_at(q, at_q, 10))
        arm_a = vector_in(p[i], ARM_A)
        arm_b = vector_in(p[i], ARM_B)
        omega_a = vector_at(v, at_v, 3)
        omega_b = vector_at(v, at_v, 9)
        speed_a = cross(omega_a, arm_a)
        speed_b = cross(omega_b, arm_b)
        apart = minus(vector_at(q, at_q, 7), vector_at(q, at_q, 0))
        leaving = minus(vector_at(v, at_v, 6), vector_at(v, at_v, 0))
        put(out[i], 0, plus(apart, minus(applied(B, arm_b), applied(A, arm_a))))
        put(out[i], 3, plus(leaving, minus(applied(B, speed_b), applied(A, speed_a))))
        put(out[i], 6, minus(applied(A, cross(omega_a, speed_a)), applied(B, cross(omega_b, speed_b))))


@compiled
def fill_rows(row, at_q, q, force, weight, answer, block):
    """The rows of G of one instance, and block (12, 12) += weight ∂(Gᵀ λ)/∂q for the multipliers `force` (3,)."""
    A = rotation_matrix(quaternion_at(q, at_q, 3))
    B = rotation_matrix(quaternion_at(q, at_q, 10))
    arm_a = vector_in(row, ARM_A)
    arm_b = vector_in(row, ARM_B)
    on_a = matrix_product(A, tilde(arm_a))
    on_b = matrix_product(B, tilde(arm_b))
    for k in range(3):
        answer[13 * k] = -1.0
        answer[13 * k + 6] = 1.0
    put(answer, 3, (on_a[0], on_a[1], on_a[2]))
    put(answer, 15, (on_a[3], on_a[4], on_a[5]))
    put(answer, 27, (on_a[6], on_a[7], on_a[8]))
    put(answer, 9, times(-1.0, (on_b[0], on_b[1], on_b[2])))
    put(answer, 21, times(-1.0, (on_b[3], on_b[4], on_b[5])))
    put(answer, 33, times(-1.0, (on_b[6], on_b[7], on_b[8])))
    if weight != 0.0:
        along = vector_in(force, 0)
        add_block(block, 3, 3, -weight, tilde_product(arm_a, applied(transposed(A), along)))
        add_block(block, 9, 9, weight, tilde_product(arm_b, applied(transposed(B), along)))


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        fill_rows(p[i], iq[i], q, lam[i], w[2], out[i], K[i])


_K, _G = np.zeros((12, 12), dtype=bool), np.zeros((3, 12), dtype=bool)
for first in (0, 6):
    _K[first + 3 : first + 6, first + 3 : first + 6] = True
    _G[:, first : first + 3] = np.eye(3)
    _G[:, first + 3 : first + 6] = True

ONE_POINT_PAIR = Kernels("one point", constraint=constraint, jacobian=jacobian, pattern=Pattern(_K, _G))
#: The same with friction, whose parameters (:mod:`flexmb.joints.spatial.rows.bearing`) stand behind the arms.
ONE_POINT_WITH_FRICTION = with_friction(ONE_POINT_PAIR, "one point with friction", fill_rows).standing_at(
    __name__, "ONE_POINT_WITH_FRICTION"
)
