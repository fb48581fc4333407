"""Inertia of the exact beam in space: a cubic of the line of mass centres, whose values and slopes turn with the nodes.

The cubic (Hermite) has the coefficients x₁ = r₁ + Λ₁ u₁, x₂ = Λ₁ u₂, x₃ = r₂ + Λ₂ u₃, x₄ = Λ₂ u₄: u₁ and u₃ are the
mass centres of the sections against the axis, u₂ and u₄ L times the slopes of their line. With the angular velocities
ω_i in the axes of the nodes and the inertia J of the section about its mass centre, per length:

    T = ½ Σ m_ab ẋ_a·ẋ_b + ½ Σ ω_iᵀ J_ij ω_j,    m_ab = ∫ ρA N_a N_b dx,  N_a the cubics of Hermite
    f_a = Σ m_ab ẍ_b, less gravity on x₁ and x₃
    forces f₁ and f₃,   moments Σ u_a × Λᵀ f_a + Σ_j J_ij ω̇_j + ω_i × Σ_j J_ij ω_j

Of a uniform straight element J_ij = L/12 (5 or 1) J, and m = ρA L/420 times
[156 22 54 −13; 22 4 13 −3; 54 13 156 −22; −13 −3 −22 4]. Of a curved or twisted one sections lie in J_ij as in the
undeformed element, so that all turns with the whole inertia.
In the tangent ∂ẍ = Λ (−ũ ω̇' − ((ω × u)~ + ω̃ ũ) ω' − ẍ~ y), with ẍ in the axes of the node.
"""

from __future__ import annotations

from flexmb.elements.spatial.exact.helicoid import ARMS, GRAVITY, MASSES, ROTARY
from flexmb.kernels.compilation import compiled, inlined
from flexmb.kernels.rotations import quaternion_at, rotation_matrix
from flexmb.kernels.vectors import (
    add_block,
    applied,
    combined,
    cross,
    dot,
    matrix_in,
    matrix_product,
    minus,
    plus,
    put,
    tilde,
    tilde_product,
    times,
    transposed,
    turning_acceleration,
    vector_at,
    vector_in,
)


@compiled
def _weighted(p, i, a, x):
    """Σ m_ab x_b of four vectors."""
    row, at = p[i], MASSES + 4 * a
    first = plus(times(row[at], x[0]), times(row[at + 1], x[1]))
    return plus(first, plus(times(row[at + 2], x[2]), times(row[at + 3], x[3])))


@compiled
def _rotary(p, i, x, y):
    """Σ_j J_ij times (x, y), of both nodes."""
    one, both, two = matrix_in(p[i], ROTARY), matrix_in(p[i], ROTARY + 9), matrix_in(p[i], ROTARY + 18)
    return plus(applied(one, x), applied(both, y)), plus(applied(transposed(both), x), applied(two, y))


@compiled
def _arms(p, i):
    """The four arms u."""
    return (
        vector_in(p[i], ARMS),
        vector_in(p[i], ARMS + 3),
        vector_in(p[i], ARMS + 6),
        vector_in(p[i], ARMS + 9),
    )


@compiled
def _accelerations(p, i, iv, a, one, two, spin, spin_two, up, up_two, u):
    """The second derivatives of the coefficients of the cubic, less gravity."""
    g = vector_in(p[i], GRAVITY)
    return (
        plus(minus(vector_at(a, iv[i], 0), g), applied(one, turning_acceleration(spin, up, u[0]))),
        applied(one, turning_acceleration(spin, up, u[1])),
        plus(minus(vector_at(a, iv[i], 6), g), applied(two, turning_acceleration(spin_two, up_two, u[2]))),
        applied(two, turning_acceleration(spin_two, up_two, u[3])),
    )


@inlined
def inertia_forces(p, i, iq, iv, q, v, a):
    """The forces on both nodes in the axes of the ground, and the moments in those of the nodes."""
    one, two = rotation_matrix(quaternion_at(q, iq[i], 3)), rotation_matrix(quaternion_at(q, iq[i], 10))
    spin, spin_two = vector_at(v, iv[i], 3), vector_at(v, iv[i], 9)
    up, up_two = vector_at(a, iv[i], 3), vector_at(a, iv[i], 9)
    u = _arms(p, i)
    x = _accelerations(p, i, iv, a, one, two, spin, spin_two, up, up_two, u)
    f = (_weighted(p, i, 0, x), _weighted(p, i, 1, x), _weighted(p, i, 2, x), _weighted(p, i, 3, x))
    back, back_two = transposed(one), transposed(two)
    first = plus(cross(u[0], applied(back, f[0])), cross(u[1], applied(back, f[1])))
    second = plus(cross(u[2], applied(back_two, f[2])), cross(u[3], applied(back_two, f[3])))
    speeding, speeding_two = _rotary(p, i, up, up_two)
    spinning, spinning_two = _rotary(p, i, spin, spin_two)
    first = plus(first, plus(speeding, cross(spin, spinning)))
    second = plus(second, plus(speeding_two, cross(spin_two, spinning_two)))
    return f[0], first, f[2], second


@inlined
def kinetic_and_potential(p, i, iq, iv, q, v):
    """Kinetic energy, and the potential energy in gravity."""
    one, two = rotation_matrix(quaternion_at(q, iq[i], 3)), rotation_matrix(quaternion_at(q, iq[i], 10))
    spin, spin_two = vector_at(v, iv[i], 3), vector_at(v, iv[i], 9)
    u = _arms(p, i)
    x = (
        plus(vector_at(v, iv[i], 0), applied(one, cross(spin, u[0]))),
        applied(one, cross(spin, u[1])),
        plus(vector_at(v, iv[i], 6), applied(two, cross(spin_two, u[2]))),
        applied(two, cross(spin_two, u[3])),
    )
    twice = 0.0
    for k in range(4):
        twice += dot(x[k], _weighted(p, i, k, x))
    spinning, spinning_two = _rotary(p, i, spin, spin_two)
    twice += dot(spin, spinning) + dot(spin_two, spinning_two)
    place = (
        plus(vector_at(q, iq[i], 0), applied(one, u[0])),
        applied(one, u[1]),
        plus(vector_at(q, iq[i], 7), applied(two, u[2])),
        applied(two, u[3]),
    )
    g = vector_in(p[i], GRAVITY)
    pull = (g, (0.0, 0.0, 0.0), g, (0.0, 0.0, 0.0))
    lift = 0.0
    for k in range(4):
        lift -= dot(place[k], _weighted(p, i, k, pull))
    return 0.5 * twice, lift


@compiled
def _moved(R, omega, alpha, u, wm, wd, wk):
    """The change of ẍ of a point by a turn of its node, in the axes of the ground."""
    inner = combined(-wd, tilde(cross(omega, u)), -wd, tilde_product(omega, u))
    inner = combined(1.0, inner, -1.0, tilde(plus(times(wm, u), times(wk, turning_acceleration(omega, alpha, u)))))
    return matrix_product(R, inner)


@inlined
def inertia_tangent(p, i, iq, iv, q, v, a, wm, wd, wk, K):
    """Add wm ∂/∂a, wd ∂/∂v and wk ∂/∂q of the forces of inertia to K (12, 12)."""
    one, two = rotation_matrix(quaternion_at(q, iq[i], 3)), rotation_matrix(quaternion_at(q, iq[i], 10))
    spin, spin_two = vector_at(v, iv[i], 3), vector_at(v, iv[i], 9)
    up, up_two = vector_at(a, iv[i], 3), vector_at(a, iv[i], 9)
    u = _arms(p, i)
    x = _accelerations(p, i, iv, a, one, two, spin, spin_two, up, up_two, u)
    by_turn = (
        _moved(one, spin, up, u[0], wm, wd, wk),
        _moved(one, spin, up, u[1], wm, wd, wk),
        _moved(two, spin_two, up_two, u[2], wm, wd, wk),
        _moved(two, spin_two, up_two, u[3], wm, wd, wk),
    )
    for node in range(2):
        R = one if node == 0 else two
        back = transposed(R)
        at = 6 * node
        for point in range(2):
            k = 2 * node + point
            arm = u[k]
            row = MASSES + 4 * k
            lever = matrix_product(tilde(arm), back)
            by_one = combined(p[i, row], by_turn[0], p[i, row + 1], by_turn[1])
            by_two = combined(p[i, row + 2], by_turn[2], p[i, row + 3], by_turn[3])
            if point == 0:
                add_block(K, at, 3, 1.0, by_one)
                add_block(K, at, 9, 1.0, by_two)
                for j in range(3):
                    K[at + j, j] += wm * p[i, row]
                    K[at + j, 6 + j] += wm * p[i, row + 2]
            add_block(K, at + 3, 0, wm * p[i, row], lever)
            add_block(K, at + 3, 6, wm * p[i, row + 2], lever)
            add_block(K, at + 3, 3, 1.0, matrix_product(lever, by_one))
            add_block(K, at + 3, 9, 1.0, matrix_product(lever, by_two))
            force = applied(back, _weighted(p, i, k, x))
            add_block(K, at + 3, at + 3, wk, tilde_product(arm, force))
    first, both, last = matrix_in(p[i], ROTARY), matrix_in(p[i], ROTARY + 9), matrix_in(p[i], ROTARY + 18)
    spinning, spinning_two = _rotary(p, i, spin, spin_two)
    for_one, for_two = tilde(spin), tilde(spin_two)
    other = transposed(both)
    add_block(K, 3, 3, 1.0, combined(wm, first, wd, matrix_product(for_one, first)))
    add_block(K, 3, 9, 1.0, combined(wm, both, wd, matrix_product(for_one, both)))
    add_block(K, 9, 3, 1.0, combined(wm, other, wd, matrix_product(for_two, other)))
    add_block(K, 9, 9, 1.0, combined(wm, last, wd, matrix_product(for_two, last)))
    add_block(K, 3, 3, -wd, tilde(spinning))
    add_block(K, 9, 9, -wd, tilde(spinning_two))


@compiled
def add_forces(row, f, m, f_two, m_two):
    """Write forces and moments of both nodes to a row."""
    put(row, 0, f)
    put(row, 3, m)
    put(row, 6, f_two)
    put(row, 9, m_two)
