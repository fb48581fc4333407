"""Tangent of a reduced body in space, see :mod:`flexmb.elements.spatial.modal_body`.

A and P are constant or linear in η, so derivatives of H are contractions as H is. Along a change of η_j by wk, of its
speed by wd and of its acceleration by wm, f changes by A_j, and with B^m = T^m η, its rates by those of B^m η̇:

    dH_F = M Σ_G A_Gj P_GF + Σ_m N_jm P_mF,   M = wk 𝒲 + 2 wd ω̃ + wm,
    N_jm = 2 wk (T^mη̇)_j ω̃ + 2 wd (T^mη̇)_j + wk (T^mη̈)_j

of which the rows of η need traces alone, and the moment Σ_F f_F P_GF = p_Gᵀ.
"""

from __future__ import annotations

from flexmb.elements.spatial.modal.inertia import (
    FIRST,
    MASS,
    first_moments,
    inertia,
    rooms,
    sizes,
    trace_of,
    twice_skew,
)
from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.rotations import quaternion_at, turned, turned_back
from flexmb.kernels.vectors import (
    IDENTITY,
    applied,
    combined,
    cross,
    dot,
    matrix_in,
    matrix_product,
    outer,
    plus,
    tilde,
    tilde_product,
    times,
    vector_in,
)
from flexmb.kernels.views import vector_view


@inlined
def _unit(k):
    """The unit vector e_k."""
    return 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0


@compiled
def _product_transposed(A, B):
    """A Bᵀ."""
    x, y, z = B[0:3], B[3:6], B[6:9]
    a, b, c = A[0:3], A[3:6], A[6:9]
    return dot(a, x), dot(a, y), dot(a, z), dot(b, x), dot(b, y), dot(b, z), dot(c, x), dot(c, y), dot(c, z)


@compiled
def _traces(p, i, M, spin, work):
    """Fill tr(M P_GF) at [F, G], and for each slave m tr(ω̃ P_mF) and tr P_mF; returns where they begin, and the end."""
    n, many, at_P, _, _ = sizes(p, i)
    _, _, _, at_E = rooms(n, many)
    slaves = many - 1 - n
    E = vector_view(work, at_E, many * many)
    P = vector_view(p, i * p.shape[1] + at_P, 9 * many * many)
    for k in range(many * many):  # tr(M P_GF) is the sum of products of M and P_FG
        x = M[0] * P[9 * k] + M[1] * P[9 * k + 1] + M[2] * P[9 * k + 2]
        y = M[3] * P[9 * k + 3] + M[4] * P[9 * k + 4] + M[5] * P[9 * k + 5]
        E[k] = x + y + M[6] * P[9 * k + 6] + M[7] * P[9 * k + 7] + M[8] * P[9 * k + 8]
    at_D = at_E + many * many
    at_S = at_D + slaves * many
    for m in range(slaves):
        for F in range(many):
            own = matrix_in(p[i], at_P + 9 * ((1 + n + m) * many + F))
            work[at_D + m * many + F] = trace_of(spin, own)
            work[at_S + m * many + F] = own[0] + own[4] + own[8]
    return at_E, at_D, at_S, at_S + slaves * many


@compiled
def _modes_by_modes(p, i, w, work, at_E, at_D, at_S, at_X, K):
    """Add the rows of η in the columns of η."""
    n, many, _, at_T, at_K = sizes(p, i)
    _, at_H, at_B, _ = rooms(n, many)
    slaves = many - 1 - n
    rate, second = at_B + slaves * n, at_B + 2 * slaves * n
    for F in range(1, many):
        row = at_X + F * n
        for j in range(n):
            work[row + j] = work[at_E + F * many + 1 + j]
        for m in range(slaves):
            e = work[at_E + F * many + 1 + n + m]
            d, s = 2.0 * w[2] * work[at_D + m * many + F], work[at_S + m * many + F]
            for j in range(n):
                k = m * n + j
                turning = (d + 2.0 * w[1] * s) * work[rate + k] + w[2] * s * work[second + k]
                work[row + j] += e * work[at_B + k] + turning
    for j in range(n):
        for k in range(n):
            K[i, 6 + j, 6 + k] += work[at_X + (1 + j) * n + k]
        K[i, 6 + j, 6 + j] += w[2] * p[i, at_K + j] + w[1] * p[i, at_K + n + j]
    for m in range(slaves):
        own = at_H + 9 * (1 + n + m)
        trace = w[2] * (work[own] + work[own + 4] + work[own + 8])
        for j in range(n):
            b = work[at_B + m * n + j]
            for k in range(n):
                K[i, 6 + j, 6 + k] += b * work[at_X + (1 + n + m) * n + k] + trace * p[i, at_T + (m * n + j) * n + k]


@compiled
def _frame_by_modes(p, i, w, R, M, spin, work, K):
    """Add the rows of r and of the turn in the columns of η."""
    n, many, _, _, _ = sizes(p, i)
    at_p, at_H, at_B, _ = rooms(n, many)
    slaves = many - 1 - n
    rate, second = at_B + slaves * n, at_B + 2 * slaves * n
    for j in range(n):
        first = vector_in(p[i], FIRST + 3 * (1 + j))
        of_s = matrix_in(work, at_p + 9 * (1 + j))
        B = combined(w[2], matrix_in(work, at_H + 9 * (1 + j)), 0.0, IDENTITY)
        force = (0.0, 0.0, 0.0)
        for m in range(slaves):
            k = m * n + j
            own = 1 + n + m
            c, slave = vector_in(p[i], FIRST + 3 * own), matrix_in(work, at_p + 9 * own)
            first = plus(first, times(work[at_B + k], c))
            of_s = combined(1.0, of_s, work[at_B + k], slave)
            B = combined(1.0, B, w[2] * work[at_B + k], matrix_in(work, at_H + 9 * own))
            still = 2.0 * w[1] * work[rate + k] + w[2] * work[second + k]
            N = combined(2.0 * w[2] * work[rate + k], spin, still, IDENTITY)
            force = plus(force, applied(N, c))
            B = combined(1.0, B, 1.0, _product_transposed(N, slave))
        force = turned(R, plus(force, applied(M, first)))
        moment = twice_skew(combined(1.0, B, 1.0, _product_transposed(M, of_s)))
        for k in range(3):
            K[i, k, 6 + j] += force[k]
            K[i, 3 + k, 6 + j] += moment[k]


@inlined
def _axial(P):
    """ax P, for which tr(ẽ P) = e·ax P."""
    return P[5] - P[7], P[6] - P[2], P[1] - P[3]


@compiled
def _modes_by_frame(p, i, w, R, u, spin, work, K):
    """Add the rows of η in the columns of r and of the turn: as r changes by wm e, tr dH_F by wm e·R c_F; along a turn
    e, whose rate changes ω by wd e and α by wm e, by e·(wk c_F × u + ax(wm p_F + wd (ω̃ p_F + p_F ω̃ + 2 ṗ_F)))."""
    n, many, _, _, _ = sizes(p, i)
    at_p, _, at_B, _ = rooms(n, many)
    for F in range(1, many):
        c, own = vector_in(p[i], FIRST + 3 * F), matrix_in(work, at_p + 9 * F)
        rate = combined(1.0, matrix_product(spin, own), 1.0, matrix_product(own, spin))
        rate = combined(1.0, rate, 2.0, matrix_in(work, at_p + 9 * (many + F)))
        by_place = times(w[0], turned(R, c))
        by_turn = plus(times(w[2], cross(c, u)), _axial(combined(w[0], own, w[1], rate)))
        for j in range(3):
            if F <= n:
                K[i, 5 + F, j] += by_place[j]
                K[i, 5 + F, 3 + j] += by_turn[j]
            else:
                for k in range(n):
                    b = work[at_B + (F - 1 - n) * n + k]
                    K[i, 6 + k, j] += by_place[j] * b
                    K[i, 6 + k, 3 + j] += by_turn[j] * b


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, many, _, _, _ = sizes(p, i)
        at_p, _, _, _ = rooms(n, many)
        u, W, omega, force = inertia(p, iq, iv, i, q, v, a, work)
        R = quaternion_at(q, iq[i], 3)
        spin = tilde(omega)
        M = combined(1.0, combined(w[2], W, 2.0 * w[1], spin), w[0], IDENTITY)
        at_E, at_D, at_S, at_X = _traces(p, i, M, spin, work)
        _modes_by_modes(p, i, w, work, at_E, at_D, at_S, at_X, K)
        _frame_by_modes(p, i, w, R, M, spin, work, K)
        _modes_by_frame(p, i, w, R, u, spin, work, K)
        c, cd, _ = first_moments(p, i, n, many, work)
        of_s, of_rate = combined(0.0, IDENTITY, 0.0, IDENTITY), combined(0.0, IDENTITY, 0.0, IDENTITY)
        for F in range(many):
            of_s = combined(1.0, of_s, work[F], matrix_in(work, at_p + 9 * F))
            of_rate = combined(1.0, of_rate, work[F], matrix_in(work, at_p + 9 * (many + F)))
        none = combined(0.0, IDENTITY, 0.0, IDENTITY)
        for j in range(6):
            e = _unit(j % 3)
            if j < 3:
                du, dW, turning = times(w[0], turned_back(R, e)), none, none
            else:
                du, turning = times(w[2], cross(u, e)), tilde(times(w[1], e))
                twice = combined(1.0, tilde_product(e, omega), 1.0, tilde_product(omega, e))
                dW = combined(w[0], tilde(e), w[1], twice)
            df = plus(times(p[i, MASS], du), plus(applied(dW, c), times(2.0, applied(turning, cd))))
            df = turned(R, plus(df, times(w[2] if j >= 3 else 0.0, cross(e, force))))
            B = combined(1.0, outer(du, c), 1.0, matrix_product(dW, of_s))
            moment = twice_skew(combined(1.0, B, 2.0, matrix_product(turning, of_rate)))
            for k in range(3):
                K[i, k, j] += df[k]
                K[i, 3 + k, j] += moment[k]
