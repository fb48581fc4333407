"""Forces of a reduced body in space, see :mod:`flexmb.elements.spatial.modal_body`: the parameters of an instance, its
residual and its energies."""

from __future__ import annotations

from flexmb.elements.modal_amplitudes import fill_amplitudes
from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.rotations import quaternion_at, turned, turned_back
from flexmb.kernels.vectors import (
    applied,
    combined,
    cross,
    dot,
    matrix_in,
    matrix_product,
    minus,
    outer,
    plus,
    put,
    tilde,
    tilde_product,
    times,
    vector_at,
    vector_in,
)
from flexmb.kernels.views import vector_view

# places of the parameters; behind them c_F (3 each), P_FG (9 each), T^m (n, n), stiffness and damping of each mode
GRAVITY, MODES, SLAVES, MASS, FIRST = 0, 3, 4, 5, 6


# -- kernels: in `work` f, ḟ, f̈; then p_F, ṗ_F, p̈_F; H_F; and Tη, Tη̇, Tη̈ (n_s, n) -----------------------------------


@inlined
def sizes(p, i):
    """Numbers n of modes and of all functions F; where P, T, and stiffness begin."""
    n, slaves = int(p[i, MODES]), int(p[i, SLAVES])
    many = 1 + n + slaves
    at_P = FIRST + 3 * many
    at_T = at_P + 9 * many * many
    return n, many, at_P, at_T, at_T + slaves * n * n


@inlined
def rooms(n, many):
    """Offsets in `work` of p_F, H_F, Tη, and of the free space behind them."""
    return 3 * many, 30 * many, 39 * many, 39 * many + 3 * (many - 1 - n) * n


def scratch(n: int, slaves: int) -> int:
    """How many numbers of scratch the kernels need."""
    many = 1 + n + slaves
    return 39 * many + 3 * slaves * n + many * (many + n + 2 * slaves)


@inlined
def put_nine(row, k, A):
    """Write a matrix into row[k : k + 9]."""
    for j in range(9):
        row[k + j] = A[j]


@inlined
def trace_of(A, B):
    """tr (A B)."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6]
        + A[3] * B[1] + A[4] * B[4] + A[5] * B[7]
        + A[6] * B[2] + A[7] * B[5] + A[8] * B[8]
    )  # fmt: skip


@inlined
def twice_skew(B):
    """∫ s × a dm from B = ∫ a sᵀ dm."""
    return B[7] - B[5], B[2] - B[6], B[3] - B[1]


@inlined
def _fill(p, i, iq, iv, q, v, a, work):
    """Fill f and its rates, and Tη, Tη̇, Tη̈."""
    n, many, _, at_T, _ = sizes(p, i)
    fill_amplitudes(p[i], n, many, at_T, rooms(n, many)[2], iq[i], 7, iv[i], 6, q, v, a, work)


@compiled
def _contract(p, i, many, at_P, at_p, work, orders):
    """Fill p_F = Σ_G f_G P_GF and ṗ_F, with `orders` 3 also p̈_F."""
    width = 9 * many
    x, y = vector_view(work, at_p, width), vector_view(work, at_p + width, width)
    z = vector_view(work, at_p + 2 * width, width)
    first = i * p.shape[1] + at_P
    for k in range(width):
        x[k] = 0.0
        y[k] = 0.0
        z[k] = 0.0
    for G in range(many):
        f, fd, fdd = work[G], work[many + G], work[2 * many + G]
        row = vector_view(p, first + G * width, width)
        if orders == 3:
            for k in range(width):
                x[k] += f * row[k]
                y[k] += fd * row[k]
                z[k] += fdd * row[k]
        else:
            for k in range(width):
                x[k] += f * row[k]
                y[k] += fd * row[k]


@compiled
def first_moments(p, i, n, many, work):
    """c and its rates."""
    c, cd, cdd = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for F in range(many):
        own = vector_in(p[i], FIRST + 3 * F)
        c = plus(c, times(work[F], own))
        cd = plus(cd, times(work[many + F], own))
        cdd = plus(cdd, times(work[2 * many + F], own))
    return c, cd, cdd


@compiled
def inertia(p, iq, iv, i, q, v, a, work):
    """Fill all of `work` up to Tη̈; u, 𝒲, ω of the frame, and the force on it in its own axes."""
    n, many, at_P, _, _ = sizes(p, i)
    at_p, at_H, _, _ = rooms(n, many)
    _fill(p, i, iq, iv, q, v, a, work)
    _contract(p, i, many, at_P, at_p, work, 3)
    R = quaternion_at(q, iq[i], 3)
    omega, alpha = vector_at(v, iv[i], 3), vector_at(a, iv[i], 3)
    u = turned_back(R, minus(vector_at(a, iv[i], 0), vector_in(p[i], GRAVITY)))
    W = combined(1.0, tilde(alpha), 1.0, tilde_product(omega, omega))
    spin = tilde(omega)
    for F in range(many):
        own = at_p + 9 * F
        H = combined(1.0, outer(u, vector_in(p[i], FIRST + 3 * F)), 1.0, matrix_product(W, matrix_in(work, own)))
        H = combined(1.0, H, 2.0, matrix_product(spin, matrix_in(work, own + 9 * many)))
        put_nine(work, at_H + 9 * F, combined(1.0, H, 1.0, matrix_in(work, own + 18 * many)))
    c, cd, cdd = first_moments(p, i, n, many, work)
    force = plus(plus(times(p[i, MASS], u), applied(W, c)), plus(times(2.0, cross(omega, cd)), cdd))
    return u, W, omega, force


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, many, _, _, at_K = sizes(p, i)
        _, at_H, at_B, _ = rooms(n, many)
        _, _, _, force = inertia(p, iq, iv, i, q, v, a, work)
        B = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for F in range(many):
            B = combined(1.0, B, work[F], matrix_in(work, at_H + 9 * F))
        put(out[i], 0, turned(quaternion_at(q, iq[i], 3), force))
        put(out[i], 3, twice_skew(B))
        for k in range(n):
            own = at_H + 9 * (1 + k)
            elastic = p[i, at_K + k] * work[1 + k] + p[i, at_K + n + k] * work[many + 1 + k]
            out[i, 6 + k] = work[own] + work[own + 4] + work[own + 8] + elastic
        for m in range(many - 1 - n):
            own = at_H + 9 * (1 + n + m)
            trace = work[own] + work[own + 4] + work[own + 8]
            for k in range(n):
                out[i, 6 + k] += trace * work[at_B + m * n + k]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    """With ∫ ẋ Fᵀ dm = w c_Fᵀ + ω̃ p_F + ṗ_F in the axes of the frame, w = Rᵀṙ, T = ½ ∫ ẋ·ẋ dm is summed from its
    parts w, ω × s and ṡ."""
    for i in range(p.shape[0]):
        n, many, at_P, _, at_K = sizes(p, i)
        at_p, _, _, _ = rooms(n, many)
        _fill(p, i, iq, iv, q, v, a, work)
        _contract(p, i, many, at_P, at_p, work, 2)
        R = quaternion_at(q, iq[i], 3)
        omega, speed = vector_at(v, iv[i], 3), turned_back(R, vector_at(v, iv[i], 0))
        c, cd, _ = first_moments(p, i, n, many, work)
        kinetic = dot(speed, plus(times(p[i, MASS], speed), plus(cross(omega, c), cd)))
        B = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for F in range(many):
            own = at_p + 9 * F
            G = combined(1.0, matrix_product(tilde(omega), matrix_in(work, own)), 1.0, matrix_in(work, own + 9 * many))
            G = combined(1.0, G, 1.0, outer(speed, vector_in(p[i], FIRST + 3 * F)))
            B = combined(1.0, B, work[F], G)
            kinetic += work[many + F] * (G[0] + G[4] + G[8])
        elastic, lost = 0.0, 0.0
        for k in range(n):
            elastic += 0.5 * p[i, at_K + k] * work[1 + k] * work[1 + k]
            lost += p[i, at_K + n + k] * work[many + 1 + k] * work[many + 1 + k]
        place = plus(times(p[i, MASS], vector_at(q, iq[i], 0)), turned(R, c))
        out[i, 0] = 0.5 * (kinetic + dot(omega, twice_skew(B)))
        out[i, 1] = elastic
        out[i, 2] = -dot(vector_in(p[i], GRAVITY), place)
        out[i, 3] = lost
