"""Rows of rolling in space: the compiled kernels of all joints in which one body rolls on another at a point.

A joint of rolling has a point of contact p, the normal n there, off the surface of body a and towards body b, and two
directions t₁, t₂ across it, all of them functions of the places of the two bodies. What body b has as velocity at p
against body a is

    V = ṙ_b + ω_b × (p − r_b) − ṙ_a − ω_a × (p − r_a)

Touching is the position row g = 0, the distance of the surfaces, whose rate is n · V, since p is the nearest point of
both. Not slipping are the velocity rows t₁ · V = 0 and t₂ · V = 0, and not spinning is n · (ω_b − ω_a) = 0 (Neĭmark and
Fufaev (1972), chapter III). With d for n, t₁ or t₂ and F = Σ λ d:

    G = [ −d,  −R_aᵀ((p − r_a) × d),  d,  R_bᵀ((p − r_b) × d) ]     for (ṙ_a, ω_a, ṙ_b, ω_b)
    γ = −ḋ · V − d · (ω_b × (ṗ − ṙ_b) − ω_a × (ṗ − ṙ_a))

The point and the directions come with their change along any motion of the two bodies: along the velocities it gives ṗ
and ḋ, along each coordinate the columns of ∂ġ/∂q and of ∂(Gᵀλ)/∂q.

The surfaces, with c the origin of frame b, o that of frame a, n_a a direction fixed to a and u one fixed to b:

    wheel     the rim of a wheel with the axis u, the radius r and a tire of the crown radius κ, on a plane of a
                  n = n_a,  σ = u · n,  s = √(1 − σ²),  e = (σ u − n)/s  down in the wheel's plane,  ρ = r − κ
                  p = c + ρ e − κ n,  g = n · (c − o) − ρ s − κ,  t₁ = u × n/s  ahead,  t₂ = n × t₁  aside
    sphere    a sphere on a plane:  p = c − r n,  g = n · (c − o) − r,  t₁, t₂ fixed to a
    drum      a sphere on a cylinder of the radius R about the axis n_a:  D = c − o less its part along n_a,
                  n = ± D/|D|,  p = c − r n,  g = ±(|D| − R) − r,  t₁ = n_a × n/|n_a × n| around,  t₂ = n × t₁ along;
                  the lower sign inside
    ball      a sphere on a sphere of the radius R: the same with D = c − o;  t₁, t₂ are not defined at n = ± n_a
    edge      a blade with the heading u on a plane of a:  p = c,  g = n · (c − o),  t₂ = n × u/|n × u|,  t₁ = t₂ × n
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, turned, turned_back
from flexmb.kernels.vectors import IDENTITY, NONE, cross, dot, minus, plus, put, times, vector_at, vector_in

#: kinds of surfaces
WHEEL, SPHERE, DRUM, BALL, EDGE = 0.0, 1.0, 2.0, 3.0, 4.0
#: kinds of rows
TOUCH, FIRST, SECOND, SPIN = 0.0, 1.0, 2.0, 3.0
#: parameters: kind; arms of the two frames; z, x on a; u on b; radius of b; crown radius, or radius of a, negative
#: inside; then the kind of each row
KIND, ARM_A, ARM_B, Z_A, X_A, U_B, RADIUS, OTHER, ROWS = 0, 1, 4, 7, 10, 13, 16, 17, 18


@compiled
def _unit_change(x, change):
    """x/|x|, and its change."""
    size = 1.0 / math.sqrt(dot(x, x))
    e = times(size, x)
    moved = times(size, change)
    return e, minus(moved, times(dot(e, moved), e))


@compiled
def contact(row, A, B, r_a, r_b, step_a, turn_a, step_b, turn_b):
    """g, p, n, t₁, t₂, and how p, n, t₁, t₂ change where the bodies at r_a, r_b, turned by A and B, move by step_a,
    step_b and turn by turn_a, turn_b, all in the axes of the ground."""
    kind = row[KIND]
    radius, other = row[RADIUS], row[OTHER]
    arm_a, arm_b = turned(A, vector_in(row, ARM_A)), turned(B, vector_in(row, ARM_B))
    z = turned(A, vector_in(row, Z_A))
    z_moves = cross(turn_a, z)
    c = plus(r_b, arm_b)
    c_moves = plus(step_b, cross(turn_b, arm_b))
    gap = minus(c, plus(r_a, arm_a))
    gap_moves = minus(c_moves, plus(step_a, cross(turn_a, arm_a)))
    if kind == WHEEL or kind == EDGE:
        u = turned(B, vector_in(row, U_B))
        u_moves = cross(turn_b, u)
        t1, t1_moves = _unit_change(cross(u, z), plus(cross(u_moves, z), cross(u, z_moves)))
        t2, t2_moves = cross(z, t1), plus(cross(z_moves, t1), cross(z, t1_moves))
        if kind == EDGE:  # there u is ahead: t₁ across it and z is −t₂
            return dot(z, gap), c, z, t2, times(-1.0, t1), c_moves, z_moves, t2_moves, times(-1.0, t1_moves)
        # e is across the axis and across t₁
        e, e_moves = cross(u, t1), plus(cross(u_moves, t1), cross(u, t1_moves))
        rim = radius - other
        p = plus(c, minus(times(rim, e), times(other, z)))
        p_moves = plus(c_moves, minus(times(rim, e_moves), times(other, z_moves)))
        return dot(z, gap) + rim * dot(z, e) - other, p, z, t1, t2, p_moves, z_moves, t1_moves, t2_moves
    x = turned(A, vector_in(row, X_A))
    x_moves = cross(turn_a, x)
    if kind == SPHERE:
        y, y_moves = cross(z, x), plus(cross(z_moves, x), cross(z, x_moves))
        p, p_moves = minus(c, times(radius, z)), minus(c_moves, times(radius, z_moves))
        return dot(z, gap) - radius, p, z, x, y, p_moves, z_moves, x_moves, y_moves
    sign = math.copysign(1.0, other)
    D, D_moves = times(sign, gap), times(sign, gap_moves)
    if kind == DRUM:
        along, along_moves = dot(D, z), dot(D_moves, z) + dot(D, z_moves)
        D = minus(D, times(along, z))
        D_moves = minus(D_moves, plus(times(along_moves, z), times(along, z_moves)))
    n, n_moves = _unit_change(D, D_moves)
    t1, t1_moves = _unit_change(cross(z, n), plus(cross(z_moves, n), cross(z, n_moves)))
    t2, t2_moves = cross(n, t1), plus(cross(n_moves, t1), cross(n, t1_moves))
    p, p_moves = minus(c, times(radius, n)), minus(c_moves, times(radius, n_moves))
    g = sign * math.sqrt(dot(D, D)) - other - radius
    return g, p, n, t1, t2, p_moves, n_moves, t1_moves, t2_moves


@compiled
def _direction(kind, n, t1, t2):
    """The direction of a row."""
    if kind == FIRST:
        return t1
    if kind == SECOND:
        return t2
    return n


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    m = lam.shape[1]
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        A, B = quaternion_at(q, at_q, 3), quaternion_at(q, at_q, 10)
        r_a, r_b = vector_at(q, at_q, 0), vector_at(q, at_q, 7)
        v_a, v_b = vector_at(v, at_v, 0), vector_at(v, at_v, 6)
        w_a, w_b = turned(A, vector_at(v, at_v, 3)), turned(B, vector_at(v, at_v, 9))
        g, place, n, t1, t2, place_moves, n_moves, t1_moves, t2_moves = contact(row, A, B, r_a, r_b, v_a, w_a, v_b, w_b)
        slip = minus(
            plus(v_b, cross(w_b, minus(place, r_b))),
            plus(v_a, cross(w_a, minus(place, r_a))),
        )
        inward = minus(cross(w_b, minus(place_moves, v_b)), cross(w_a, minus(place_moves, v_a)))
        for k in range(m):
            kind = row[ROWS + k]
            if kind == SPIN:
                spin = minus(w_b, w_a)
                out[i, m + k] = dot(n, spin)
                out[i, 2 * m + k] = -dot(n_moves, spin)
                continue
            d = _direction(kind, n, t1, t2)
            out[i, k] = g if kind == TOUCH else 0.0
            out[i, m + k] = dot(d, slip)
            out[i, 2 * m + k] = -dot(_direction(kind, n_moves, t1_moves, t2_moves), slip) - dot(d, inward)


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    m = lam.shape[1]
    for i in range(p.shape[0]):
        row = p[i]
        at_q = iq[i]
        at_v = iv[i]
        answer = out[i]
        block = K[i]
        A, B = quaternion_at(q, at_q, 3), quaternion_at(q, at_q, 10)
        r_a, r_b = vector_at(q, at_q, 0), vector_at(q, at_q, 7)
        v_a, v_b = vector_at(v, at_v, 0), vector_at(v, at_v, 6)
        w_a, w_b = turned(A, vector_at(v, at_v, 3)), turned(B, vector_at(v, at_v, 9))
        _, place, n, t1, t2, _, _, _, _ = contact(row, A, B, r_a, r_b, NONE, NONE, NONE, NONE)
        to_a, to_b = minus(place, r_a), minus(place, r_b)
        slip = minus(plus(v_b, cross(w_b, to_b)), plus(v_a, cross(w_a, to_a)))
        spin = minus(w_b, w_a)
        force = NONE
        moment = NONE
        for k in range(m):
            kind = row[ROWS + k]
            d = _direction(kind, n, t1, t2)
            if kind == SPIN:
                put(answer, 12 * k + 3, times(-1.0, turned_back(A, d)))
                put(answer, 12 * k + 9, turned_back(B, d))
                moment = plus(moment, times(lam[i, k], d))
            else:
                put(answer, 12 * k, times(-1.0, d))
                put(answer, 12 * k + 3, times(-1.0, turned_back(A, cross(to_a, d))))
                put(answer, 12 * k + 6, d)
                put(answer, 12 * k + 9, turned_back(B, cross(to_b, d)))
                force = plus(force, times(lam[i, k], d))
        on_a, on_b = plus(cross(to_a, force), moment), plus(cross(to_b, force), moment)
        # what each coordinate changes: the axes of the ground, and of the bodies
        for j in range(12):
            e = vector_in(IDENTITY, 3 * (j % 3))
            step_a = e if j < 3 else NONE
            turn_a = turned(A, e) if 3 <= j < 6 else NONE
            step_b = e if 6 <= j < 9 else NONE
            turn_b = turned(B, e) if j >= 9 else NONE
            _, _, _, _, _, place_moves, n_moves, t1_moves, t2_moves = contact(
                row, A, B, r_a, r_b, step_a, turn_a, step_b, turn_b
            )
            to_a_moves, to_b_moves = minus(place_moves, step_a), minus(place_moves, step_b)
            w_a_moves, w_b_moves = cross(turn_a, w_a), cross(turn_b, w_b)
            slip_moves = minus(
                plus(cross(w_b_moves, to_b), cross(w_b, to_b_moves)),
                plus(cross(w_a_moves, to_a), cross(w_a, to_a_moves)),
            )
            spin_moves = minus(w_b_moves, w_a_moves)
            force_moves = NONE
            moment_moves = NONE
            for k in range(m):
                kind = row[ROWS + k]
                d = _direction(kind, n, t1, t2)
                d_moves = _direction(kind, n_moves, t1_moves, t2_moves)
                if kind == SPIN:
                    moment_moves = plus(moment_moves, times(lam[i, k], d_moves))
                    answer[12 * (m + k) + j] = dot(d_moves, spin) + dot(d, spin_moves)
                else:
                    force_moves = plus(force_moves, times(lam[i, k], d_moves))
                    if kind != TOUCH:
                        answer[12 * (m + k) + j] = dot(d_moves, slip) + dot(d, slip_moves)
            if w[2] != 0.0:
                on_a_moves = plus(plus(cross(to_a_moves, force), cross(to_a, force_moves)), moment_moves)
                on_b_moves = plus(plus(cross(to_b_moves, force), cross(to_b, force_moves)), moment_moves)
                on_a_moves = turned_back(A, minus(on_a_moves, cross(turn_a, on_a)))
                on_b_moves = turned_back(B, minus(on_b_moves, cross(turn_b, on_b)))
                for k in range(3):
                    block[k, j] -= w[2] * force_moves[k]
                    block[3 + k, j] -= w[2] * on_a_moves[k]
                    block[6 + k, j] += w[2] * force_moves[k]
                    block[9 + k, j] += w[2] * on_b_moves[k]


#: A position row and velocity rows, as many as its table of kinds has.
ROLLING = Kernels("rolling in space", constraint=constraint, jacobian=jacobian)
