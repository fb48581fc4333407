"""A force between the origins of two frames in space.

With the arms s from the nodes to the frames, in the axes of the bodies, and bodies turned by y in their own axes:

    d = r_b + R_b s_b − r_a − R_a s_a,       δd = B (δr_a, y_a, δr_b, y_b),    B = (−1, R_a s̃_a, 1, −R_b s̃_b)
    ḋ = B (ṙ_a, ω_a, ṙ_b, ω_b),              ∂ḋ/∂y_a = R_a (ω_a × s_a)~,   ∂ḋ/∂y_b = −R_b (ω_b × s_b)~

A force F(d, ḋ) that pulls a towards b and b towards a is r = Bᵀ F in the residual, and in its tangent

    Bᵀ (∂F/∂d B + ∂F/∂ḋ ∂ḋ/∂y) + (0, −s̃_a (R_aᵀ F)~, 0, s̃_b (R_bᵀ F)~),      the last on the diagonal
"""

from __future__ import annotations

from flexmb.kernels.compilation import compiled
from flexmb.kernels.rotations import quaternion_at, rotation_matrix, turned, turned_back
from flexmb.kernels.vectors import (
    add_block,
    combined,
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
)


@compiled
def separation(iq, iv, q, v, arm_a, arm_b):
    """d and ḋ, in the axes of the ground; the coordinates are those of two nodes."""
    A = quaternion_at(q, iq, 3)
    B = quaternion_at(q, iq, 10)
    d = minus(plus(vector_at(q, iq, 7), turned(B, arm_b)), plus(vector_at(q, iq, 0), turned(A, arm_a)))
    speed_a = plus(vector_at(v, iv, 0), turned(A, cross(vector_at(v, iv, 3), arm_a)))
    speed_b = plus(vector_at(v, iv, 6), turned(B, cross(vector_at(v, iv, 9), arm_b)))
    return d, minus(speed_b, speed_a)


@compiled
def put_pair_force(answer, iq, q, arm_a, arm_b, F):
    """Fill a row (12,) with Bᵀ F."""
    put(answer, 0, times(-1.0, F))
    put(answer, 3, cross(turned_back(quaternion_at(q, iq, 3), F), arm_a))
    put(answer, 6, F)
    put(answer, 9, cross(arm_b, turned_back(quaternion_at(q, iq, 10), F)))


@compiled
def add_pair_tangent(K, w, iq, iv, q, v, arm_a, arm_b, F, by_d, by_rate):
    """K (12, 12) += the tangent of Bᵀ F, with F, `by_d` = ∂F/∂d and `by_rate` = ∂F/∂ḋ."""
    A = quaternion_at(q, iq, 3)
    B = quaternion_at(q, iq, 10)
    Ra = rotation_matrix(A)
    Rb = rotation_matrix(B)
    B_a = matrix_product(Ra, tilde(arm_a))
    B_b = matrix_product(Rb, tilde(arm_b))
    swung_a = matrix_product(Ra, tilde(cross(vector_at(v, iv, 3), arm_a)))
    swung_b = matrix_product(Rb, tilde(cross(vector_at(v, iv, 9), arm_b)))
    # the weighted derivatives of F by the place of b and by the turns of a and b
    X = combined(w[2], by_d, w[1], by_rate)
    Y_a = combined(1.0, matrix_product(X, B_a), w[2], matrix_product(by_rate, swung_a))
    Y_b = combined(-1.0, matrix_product(X, B_b), -w[2], matrix_product(by_rate, swung_b))
    add_block(K, 0, 0, 1.0, X)
    add_block(K, 0, 3, -1.0, Y_a)
    add_block(K, 0, 6, -1.0, X)
    add_block(K, 0, 9, -1.0, Y_b)
    add_block(K, 6, 0, -1.0, X)
    add_block(K, 6, 3, 1.0, Y_a)
    add_block(K, 6, 6, 1.0, X)
    add_block(K, 6, 9, 1.0, Y_b)
    Bt_a = transposed(B_a)
    Bt_b = transposed(B_b)
    X_a = matrix_product(Bt_a, X)
    X_b = matrix_product(Bt_b, X)
    add_block(K, 3, 0, -1.0, X_a)
    add_block(K, 3, 3, 1.0, matrix_product(Bt_a, Y_a))
    add_block(K, 3, 6, 1.0, X_a)
    add_block(K, 3, 9, 1.0, matrix_product(Bt_a, Y_b))
    add_block(K, 9, 0, 1.0, X_b)
    add_block(K, 9, 3, -1.0, matrix_product(Bt_b, Y_a))
    add_block(K, 9, 6, -1.0, X_b)
    add_block(K, 9, 9, -1.0, matrix_product(Bt_b, Y_b))
    add_block(K, 3, 3, -w[2], tilde_product(arm_a, turned_back(A, F)))
    add_block(K, 9, 9, w[2], tilde_product(arm_b, turned_back(B, F)))
