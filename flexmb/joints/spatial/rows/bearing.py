"""Friction of a bearing in space by the joint's own force (:mod:`flexmb.joints.friction`): its compiled law.

All is seen in the axes of body b, z the joint's axis there. The multipliers push b at its node with a force and a
moment; f and m are those about the origin of frame b, s_b its arm. Surfaces slip by the relative speeds

    along  z · V,   V = R_bᵀ(ṙ_b − ṙ_a) + ω_b × s_b − w × d,     w = R_bᵀ R_a ω_a,   d = R_bᵀ(r_b − r_a) + s_b
    about  e · ρ,   ρ = ω_b − w

each a product h · v. They do not change when the whole moves as one body, so that friction, F = Σ h φ, keeps the
momentum. A bearing has up to two faces with normal forces N (the journal, and a thrust face or none), and

    φ_c = Σ N ψ_c(slip) + viscous part,     D = Σ h_c ψ_c ∂N/∂λ,     ∂N = ∂N/∂f · ∂f + ∂N/∂m · ∂m

The derivatives of f and m by q are those of Gᵀ λ, which the joint's own rows give.

A thread of mean radius r and pitch h slips along its helix, whose lead angle is α, tan α = h/r: by the speed
cos α r (e · ρ) + sin α (z · V), under the normal force N = |f · z|/cos α of a square thread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from flexmb.joints.friction import (
    LENGTH,
    PRELOAD,
    RADIUS,
    SMALL_FORCE,
    THRUST_RADIUS,
    VISCOUS,
    JointFriction,
    along_slip,
    smooth_size,
)
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, rotation_matrix, turned, turned_back
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
    times,
    transposed,
    vector_at,
    vector_in,
)
from flexmb.kernels.views import matrix_view, vector_view

#: kinds of bearings: they turn about the axis, slide along it, do both on one surface, turn in every direction, or slip
#: along a helix
HINGE: float = 0.0
SLIDE: float = 1.0
SLEEVE: float = 2.0
BALL: float = 3.0
THREAD: float = 4.0
#: parameters: those of the law, the axis in the axes of b, the kind of bearing, the pitch of a helix [m/rad]
LAW, AXIS, KIND, PITCH, PARAMETERS = 0, 10, 13, 14, 15
#: where the arm of frame b stands among the parameters of joints that have a bearing
ARM_B = 3


def room(rows: int) -> int:
    """The scratch numbers that a bearing in a joint with so many rows asks for."""
    return 12 * rows + 144 + 36 + 36 + 24 + 2 * rows


@compiled
def _slide_row(A, B, q, v, at_q, at_v, z, arm, row, change):
    """h of the speed z · V, in `row` (12), and its derivative by q, in `change` (12)."""
    omega_a = vector_at(v, at_v, 3)
    w = turned_back(B, turned(A, omega_a))
    c = turned_back(B, minus(vector_at(q, at_q, 7), vector_at(q, at_q, 0)))
    g = turned_back(B, minus(vector_at(v, at_v, 6), vector_at(v, at_v, 0)))
    d = plus(c, arm)
    e = turned(B, z)
    put(row, 0, times(-1.0, e))
    put(row, 3, turned_back(A, turned(B, cross(z, d))))
    put(row, 6, e)
    put(row, 9, cross(arm, z))
    by_place = turned(B, cross(w, z))
    put(change, 0, times(-1.0, by_place))
    put(change, 3, cross(omega_a, turned_back(A, turned(B, cross(z, d)))))
    put(change, 6, by_place)
    put(change, 9, plus(cross(z, g), minus(cross(cross(z, d), w), cross(cross(z, w), c))))


@compiled
def _turn_row(A, B, v, at_v, e, row, change):
    """h of the speed e · ρ, in `row` (12), and its derivative by q, in `change` (12)."""
    omega_a = vector_at(v, at_v, 3)
    on_a = turned_back(A, turned(B, e))
    none = (0.0, 0.0, 0.0)
    put(row, 0, none)
    put(row, 3, times(-1.0, on_a))
    put(row, 6, none)
    put(row, 9, e)
    put(change, 0, none)
    put(change, 3, cross(on_a, omega_a))
    put(change, 6, none)
    put(change, 9, cross(turned_back(B, turned(A, omega_a)), e))


@compiled
def journal(law, z, f, m, slides, turns):
    """N of the cylindrical surface, and its derivatives by f and m."""
    small, length, radius = law[SMALL_FORCE], law[LENGTH], law[RADIUS]
    none = (0.0, 0.0, 0.0)
    across = minus(f, times(dot(f, z), z))
    if length > 0.0:
        pair = times(1.0 / length, cross(m, z))
        first = plus(times(0.5, across), pair)
        second = minus(times(0.5, across), pair)
        size_1, by_1 = smooth_size(dot(first, first), small)
        size_2, by_2 = smooth_size(dot(second, second), small)
        N = size_1 + size_2
        by_f = plus(times(0.5 * by_1, first), times(0.5 * by_2, second))
        by_m = times(1.0 / length, cross(z, minus(times(by_1, first), times(by_2, second))))
    else:
        N, by = smooth_size(dot(across, across), small)
        by_f = times(by, across)
        by_m = none
    if not turns and radius > 0.0:
        about = dot(m, z) / radius
        size, by = smooth_size(about * about, small)
        N += size
        by_m = plus(by_m, times(by * about / radius, z))
    return N + law[PRELOAD], by_f, by_m


@compiled
def forces_on_bearing(B, arm, force, G):
    """f and m about the origin of frame b, in the axes of body b, of multipliers λ (m,) whose rows are G (12 m)."""
    f_ground, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(force.shape[0]):
        f_ground = plus(f_ground, times(force[k], vector_in(G, 12 * k + 6)))
        moment = plus(moment, times(force[k], vector_in(G, 12 * k + 9)))
    f = turned_back(B, f_ground)
    return f, minus(moment, cross(arm, f))


@compiled
def changes_of_size(by_f, by_m, B, arm, f, G, Kj, by_q, by_lam):
    """How a normal force N, whose derivatives by f and m are given, changes with q (12,) and with λ (m,)."""
    inward = minus(by_f, cross(by_m, arm))
    outward = turned(B, inward)
    turning = cross(inward, f)
    for j in range(12):
        total = 0.0
        for k in range(3):
            total += outward[k] * Kj[6 + k, j] + by_m[k] * Kj[9 + k, j]
        by_q[j] = total
    for k in range(3):
        by_q[9 + k] += turning[k]
    for k in range(by_lam.shape[0]):
        by_lam[k] = dot(outward, vector_in(G, 12 * k + 6)) + dot(by_m, vector_in(G, 12 * k + 9))


@compiled
def add_friction(law, A, B, q, v, at_q, at_v, arm, force, w, answer, block, G, Kj, spare):
    """Fill `answer` with F and D, and block (nv, nv) with its part of the tangent, nv ≥ 12, where the speeds of the two
    nodes come first. `law` are the parameters of the bearing, A and B the quaternions of the bodies, `arm` that of
    frame b, `force` λ (m,); G (12 m) are the joint's rows, Kj (12, 12) is ∂(Gᵀ λ)/∂q; `spare` is scratch."""
    m_rows, nv = force.shape[0], block.shape[0]
    z, kind, radius = vector_in(law, AXIS), law[KIND], law[RADIUS]
    slides, turns = kind == SLIDE or kind == SLEEVE or kind == THREAD, kind != SLIDE
    H, Hq, by_q, by_lam = 0, 36, 72, 96
    count = 3 if kind == BALL else 2
    for k in range(96 + 2 * m_rows):
        spare[k] = 0.0
    f, m = forces_on_bearing(B, arm, force, G)
    # the speeds of slip
    if kind == BALL:
        _turn_row(A, B, v, at_v, (1.0, 0.0, 0.0), vector_view(spare, H, 12), vector_view(spare, Hq, 12))
        _turn_row(A, B, v, at_v, (0.0, 1.0, 0.0), vector_view(spare, H + 12, 12), vector_view(spare, Hq + 12, 12))
        _turn_row(A, B, v, at_v, (0.0, 0.0, 1.0), vector_view(spare, H + 24, 12), vector_view(spare, Hq + 24, 12))
    else:
        if slides:
            _slide_row(A, B, q, v, at_q, at_v, z, arm, vector_view(spare, H, 12), vector_view(spare, Hq, 12))
        if turns:
            _turn_row(A, B, v, at_v, z, vector_view(spare, H + 12, 12), vector_view(spare, Hq + 12, 12))
    s0, s1, s2 = 0.0, 0.0, 0.0
    for j in range(12):
        speed = v[at_v[j]]
        s0 += spare[H + j] * speed
        s1 += spare[H + 12 + j] * speed
        s2 += spare[H + 24 + j] * speed
    # arms of the slip: σ_c = arm_c s_c
    square = radius * radius
    helix = (0.0, 0.0, 0.0)
    if kind == THREAD:
        around = radius / math.sqrt(square + law[PITCH] * law[PITCH])
        helix = (law[PITCH] / radius * around, radius * around, 0.0)
        g0, g1, g2 = 0.0, 0.0, 0.0
        axial = dot(f, z) / around
        N, by = smooth_size(axial * axial, law[SMALL_FORCE])
        N += law[PRELOAD]
        by_f, by_m = times(by * axial / around, z), (0.0, 0.0, 0.0)
    elif kind == BALL:
        g0, g1, g2 = square, square, square
        N, by = smooth_size(dot(f, f), law[SMALL_FORCE])
        N += law[PRELOAD]
        by_f, by_m = times(by, f), (0.0, 0.0, 0.0)
    else:
        g0, g1, g2 = (1.0 if slides else 0.0), (square if turns else 0.0), 0.0
        N, by_f, by_m = journal(law, z, f, m, slides, turns)
    on_helix = helix[0] * s0 + helix[1] * s1
    slip = math.sqrt(g0 * s0 * s0 + g1 * s1 * s1 + g2 * s2 * s2 + on_helix * on_helix)
    c, c_by = along_slip(law, 0, slip)
    viscous = law[VISCOUS]
    x0, x1, x2 = g0 * s0 + helix[0] * on_helix, g1 * s1 + helix[1] * on_helix, g2 * s2
    # φ = (N c + d) x, ∂φ/∂s = (N c + d) ∂x/∂s + N c' x xᵀ, and ψ = c x
    own = N * c + viscous
    phi = (own * x0, own * x1, own * x2)
    P = (
        own * (g0 + helix[0] ** 2) + N * c_by * x0 * x0, own * helix[0] * helix[1] + N * c_by * x0 * x1,
        N * c_by * x0 * x2,
        own * helix[0] * helix[1] + N * c_by * x1 * x0, own * (g1 + helix[1] ** 2) + N * c_by * x1 * x1,
        N * c_by * x1 * x2,
        N * c_by * x2 * x0, N * c_by * x2 * x1, own * g2 + N * c_by * x2 * x2,
    )  # fmt: skip
    psi = times(c, (x0, x1, x2))
    thrust_psi = 0.0
    by_f_t = (0.0, 0.0, 0.0)
    if kind == HINGE:
        reach = law[THRUST_RADIUS]
        axial = dot(f, z)
        N_t, by_t = smooth_size(axial * axial, law[SMALL_FORCE])
        c_t, c_by_t = along_slip(law, 0, reach * abs(s1))
        thrust_psi = c_t * reach * reach * s1
        by_f_t = times(by_t * axial, z)
        phi = (phi[0], phi[1] + N_t * thrust_psi, phi[2])
        steep = N_t * (c_t * reach * reach + c_by_t * (reach * reach * s1) ** 2)
        P = (P[0], P[1], P[2], P[3], P[4] + steep, P[5], P[6], P[7], P[8])
    # the changes of both normal forces by q and λ
    for face in range(2):
        by = by_f if face == 0 else by_f_t
        on_m = by_m if face == 0 else (0.0, 0.0, 0.0)
        at = vector_view(spare, by_q + 12 * face, 12), vector_view(spare, by_lam + m_rows * face, m_rows)
        changes_of_size(by, on_m, B, arm, f, G, Kj, at[0], at[1])
    for row in range(count):
        for j in range(12):
            h = spare[H + 12 * row + j]
            if h == 0.0:
                continue
            answer[j] += h * phi[row]
            own_psi = psi[row]
            other_psi = thrust_psi if row == 1 else 0.0
            for k in range(m_rows):
                answer[nv + nv * k + j] += h * (own_psi * spare[by_lam + k] + other_psi * spare[by_lam + m_rows + k])
            for i in range(12):
                by_speed, by_place = 0.0, 0.0
                for other in range(count):
                    by_speed += P[3 * row + other] * spare[H + 12 * other + i]
                    by_place += P[3 * row + other] * spare[Hq + 12 * other + i]
                by_place += own_psi * spare[by_q + i] + other_psi * spare[by_q + 12 + i]
                block[j, i] += h * (w[1] * by_speed + w[2] * by_place)
    if w[2] != 0.0:
        _add_curvature(block, A, B, q, at_q, z, arm, phi, kind, w[2])


@compiled
def _add_curvature(block, A, B, q, at_q, z, arm, phi, kind, weight):
    """block += weight ∂(Σ h φ)/∂q for constant φ."""
    axial = 0.0 if kind == BALL else phi[0]
    f = times(axial, z)
    torque = (phi[0], phi[1], phi[2]) if kind == BALL else times(phi[1], z)
    c = turned_back(B, minus(vector_at(q, at_q, 7), vector_at(q, at_q, 0)))
    X = plus(cross(plus(c, arm), f), torque)
    to_ground = rotation_matrix(B)
    to_a = matrix_product(transposed(rotation_matrix(A)), to_ground)
    on_force = matrix_product(to_ground, tilde(f))
    across = matrix_product(matrix_product(to_a, tilde(f)), transposed(to_ground))
    add_block(block, 6, 9, -weight, on_force)
    add_block(block, 0, 9, weight, on_force)
    add_block(block, 3, 6, weight, across)
    add_block(block, 3, 0, -weight, across)
    add_block(block, 3, 9, weight, matrix_product(to_a, tilde(X)))
    add_block(block, 3, 9, weight, matrix_product(matrix_product(to_a, tilde(f)), tilde(c)))
    add_block(block, 3, 3, -weight, tilde(applied(to_a, X)))


def parameters(friction: JointFriction, axis: Sequence[float], kind: float, pitch: float = 0.0) -> np.ndarray:
    """The parameters of a bearing about an axis (3,), in the axes of body b."""
    return np.array([*friction.parameters(), *axis, kind, pitch], dtype=float)


def with_friction(family: Kernels, name: str, fill_rows: Any) -> Kernels:
    """The family of a joint on two nodes, with friction; the parameters of its bearing stand last. `fill_rows` is a
    compiled function (row, at_q, q, force, weight, answer, block): the rows of G of one instance into `answer`, and
    block (12, 12) += weight ∂(Gᵀ λ)/∂q for the multipliers `force`."""

    @kernel
    def friction(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        m = lam.shape[1]
        G = vector_view(work, 0, 12 * m)
        Kj = matrix_view(work, 12 * m, 12, 12)
        spare = vector_view(work, 12 * m + 144, work.shape[0] - 12 * m - 144)
        for i in range(p.shape[0]):
            for k in range(12 * m + 144):
                work[k] = 0.0
            fill_rows(p[i], iq[i], q, lam[i], 1.0, G, Kj)
            A, B = quaternion_at(q, iq[i], 3), quaternion_at(q, iq[i], 10)
            arm = vector_in(p[i], ARM_B)
            law = p[i, p.shape[1] - PARAMETERS :]
            add_friction(law, A, B, q, v, iq[i], iv[i], arm, lam[i], w, out[i], K[i], G, Kj, spare)

    return replace(family, name=name, friction=friction, pattern=None)
