"""The row of the gap between the distance of two frames in space and a limit L of it.

    g = σ (d · d − L²)/(2 L) − s,    d = (r_b + R_b s_b) − (r_a + R_a s_a)

with σ and s as in the plane (:mod:`flexmb.joints.planar.gaps`).
"""

from __future__ import annotations

from flexmb.joints.planar.gaps import LIMIT, SIGN
from flexmb.joints.spatial.rows.between_points import add_squares, between, motion_between, put_columns
from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, turned, turned_back
from flexmb.kernels.vectors import add_block, cross, dot, put, tilde_product, times, vector_in

#: parameters: the arms of the two frames, then those of the plane
ARM_A, ARM_B = 0, 3


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    # γ = −σ (ḋ · ḋ + d · d̈ without accelerations)/L
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        d, rate, inward = motion_between(q, v, at_q, at_v, vector_in(row, ARM_A), vector_in(row, ARM_B))
        L = row[LIMIT]
        by_L = row[SIGN] / L
        out[i, 0] = 0.5 * by_L * (dot(d, d) - L * L) - q[at_q[14]]
        out[i, 1] = by_L * dot(d, rate) - v[at_v[12]]
        out[i, 2] = by_L * (dot(d, inward) - dot(rate, rate))


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    # K = λ σ/L (d · ∂²d/∂y² + Jᵀ J) with J = ∂d/∂y, whose columns stand in work (12, 3)
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
        by_L = row[SIGN] / row[LIMIT]
        d_a = turned_back(A, d)
        d_b = turned_back(B, d)
        put(answer, 0, times(-by_L, d))
        put(answer, 3, times(by_L, cross(d_a, own_a)))
        put(answer, 6, times(by_L, d))
        put(answer, 9, times(by_L, cross(own_b, d_b)))
        answer[12] = -1.0
        force = w[2] * lam[i, 0] * by_L
        add_block(block, 3, 3, -force, tilde_product(own_a, d_a))
        add_block(block, 9, 9, force, tilde_product(own_b, d_b))
        put_columns(A, B, own_a, own_b, work)
        add_squares(work, force, block)


#: One row, on two nodes and the gap; parameters: the arms (6), the limit, and σ.
SPATIAL_DISTANCE_GAP = Kernels("gap of a distance in space", constraint=constraint, jacobian=jacobian)
