"""The row of a distance between the origins of two frames in space.

g = |d| − f(t),    d = (r_b + R_b s_b) − (r_a + R_a s_a)
"""

from __future__ import annotations

import math

from flexmb.joints.spatial.rows.between_points import add_squares, between, motion_between, put_columns
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, turned, turned_back
from flexmb.kernels.slots import time_function
from flexmb.kernels.vectors import add_block, cross, dot, minus, put, tilde_product, times, vector_in

#: parameters: the arms of the two frames, a function of time
ARM_A, ARM_B, FUNCTION = 0, 3, 6


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    # γ = f̈ − (|ḋ|² − (u · ḋ)²)/|d| − u · d̈ without accelerations, u = d/|d|
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        answer = out[i]
        f, fd, fdd = time_function(row, FUNCTION, t)
        d, rate, inward = motion_between(q, v, at_q, at_v, vector_in(row, ARM_A), vector_in(row, ARM_B))
        length = math.sqrt(dot(d, d))
        u = d[0] / length, d[1] / length, d[2] / length
        along = dot(u, rate)
        answer[0] = length - f
        answer[1] = along - fd
        across = minus(rate, times(along, u))
        answer[2] = fdd - dot(across, across) / length + dot(u, inward)


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    # K = λ (u · ∂²d/∂y² + Pᵀ P/|d|) with P = (1 − u uᵀ) ∂d/∂y, which stands in work (12, 3)
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        answer = out[i]
        block = K[i]
        A = quaternion_at(q, at_q, 3)
        B = quaternion_at(q, at_q, 10)
        own_a = vector_in(row, ARM_A)
        own_b = vector_in(row, ARM_B)
        d = between(q, at_q, turned(A, own_a), turned(B, own_b))
        length = math.sqrt(dot(d, d))
        u = d[0] / length, d[1] / length, d[2] / length
        u_a = turned_back(A, u)
        u_b = turned_back(B, u)
        put(answer, 0, times(-1.0, u))
        put(answer, 3, cross(u_a, own_a))
        put(answer, 6, u)
        put(answer, 9, cross(own_b, u_b))
        force = w[2] * lam[i, 0]
        add_block(block, 3, 3, -force, tilde_product(own_a, u_a))
        add_block(block, 9, 9, force, tilde_product(own_b, u_b))
        put_columns(A, B, own_a, own_b, work)
        for k in range(12):
            column = vector_in(work, 3 * k)
            put(work, 3 * k, minus(column, times(dot(u, column), u)))
        add_squares(work, force / length, block)


#: One row, the distance between two points; parameters: the arms (6), a function of time.
SPATIAL_DISTANCE: Kernels = Kernels("distance in space", constraint=constraint, jacobian=jacobian, function=FUNCTION)
