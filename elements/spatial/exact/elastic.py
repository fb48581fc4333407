"""Internal forces of the exact beam in space, elastic and of damping, and their tangent.

With the stresses (n*, m*) of the law (:mod:`flexmb.elements.spatial.exact.law`), to which damping adds β C* (Γ̇, κ̇) with
the stiffness C* of the undeformed element, and the kinematics of :mod:`flexmb.elements.spatial.exact.helicoid`:

    f = M n*,   c = L f × d,   w = Nᵀ(φ, d) n*,   h = m* + L w,   b = M h − k c × φ
    forces on the nodes: ∓Λm f,   moments in the axes of the sections: P (½ c − b), Pᵀ (½ c + b)

The tangent goes by columns x = u, α, β of changes in the middle: f_x, c_x, h_x and b_x are the changes of the above,

    W = −g [n* dᵀ + d n*ᵀ − 2 (n*·d) 1] − 2g' (z φᵀ + φ zᵀ) − 2g' Q 1 − 4g'' Q φ φᵀ
    z = n* (φ·d) + d (φ·n*) − 2φ (n*·d),   Q = (φ·n*)(φ·d) − φ² (n*·d)
    h_x = m*_x + L [W φ_x + Nᵀ(φ, n*) d_x + Nᵀ(φ, d) n*_x],   b_x = M h_x + N(φ, h) φ_x + (k c × φ)_x, the last reversed
"""

from __future__ import annotations

from flexmb.elements.spatial.exact.helicoid import (
    BETA,
    LENGTH,
    STIFFNESS,
    TURN1,
    TURN2,
    bending,
    bending_back,
    curving,
    middle,
    straightened,
    strain_rates,
    turning,
)
from flexmb.elements.spatial.exact.law import stiffness_of_stresses, stresses, weighted
from flexmb.kernels.compilation import called, compiled, inlined
from flexmb.kernels.rotations import inverse, product, quaternion_in, rotation_matrix, turned
from flexmb.kernels.vectors import (
    NONE,
    add_block,
    combined,
    cross,
    dot,
    matrix_product,
    minus,
    plus,
    times,
    transposed,
)
from flexmb.kernels.views import vector_view

_VECTOR = (float, float, float)
_QUATERNION = (float, float, float, float)
#: scratch numbers of the tangent: those of the law, H and the matrix of the middle
WORK = 108 + 36 + 81


@inlined
def _ends(L, phi, d, g, g1, k, force, moment):
    """f, and the moments ½c − b and ½c + b, of (n*, m*)."""
    f = straightened(phi, g, force)
    c = times(L, cross(f, d))
    h = plus(moment, times(L, bending_back(phi, d, g, g1, force)))
    b = minus(straightened(phi, g, h), times(k, cross(c, phi)))
    return f, minus(times(0.5, c), b), plus(times(0.5, c), b)


@compiled
def forces_of_stresses(p, i, phi, d, half, axes, force, moment):
    """The force on the second node in the axes of the ground, and the moments on both in their own axes, of stresses
    (n*, m*) that are given; φ, d, P and Λm are those of the middle."""
    x = dot(phi, phi)
    g, g1, _ = curving(x)
    k, _ = turning(x)
    f, first, second = _ends(p[i, LENGTH], phi, d, g, g1, k, force, moment)
    one = turned(product(quaternion_in(p[i], TURN1), half), first)
    two = turned(product(quaternion_in(p[i], TURN2), inverse(half)), second)
    return turned(axes, f), one, two


@called((_VECTOR, _VECTOR, _VECTOR, _QUATERNION, _QUATERNION, float))
def internal(p, i, iq, iv, q, v, damped, work):
    """f and the moments on both sections in the axes of the middle, P, Λm, and twice the energy by the length; with
    the forces of damping if wanted."""
    phi, d, half, axes = middle(p, i, iq, q)
    x = dot(phi, phi)
    g, g1, _ = curving(x)
    k, _ = turning(x)
    L = p[i, LENGTH]
    gamma, kappa = straightened(phi, g, d), times(1.0 / L, phi)
    _, _, _, _, force, moment, twice = stresses(p, i, gamma, kappa, work)
    if damped and p[i, BETA] != 0.0:
        stretching, curving_on, _, _, _, _, _, _ = strain_rates(p, i, iv, v, phi, d, half, axes, g, g1, k)
        stiffness = vector_view(p, i * p.shape[1] + STIFFNESS, 36)
        by_rates = weighted(stiffness, times(p[i, BETA], stretching), times(p[i, BETA], curving_on))
        force, moment = plus(force, by_rates[0]), plus(moment, by_rates[1])
    f, first, second = _ends(L, phi, d, g, g1, k, force, moment)
    return f, first, second, half, axes, twice


@called(float)
def lost_power(p, i, iq, iv, q, v):
    """β L (Γ̇, κ̇)·C* (Γ̇, κ̇)."""
    if p[i, BETA] == 0.0:
        return 0.0
    phi, d, half, axes = middle(p, i, iq, q)
    x = dot(phi, phi)
    g, g1, _ = curving(x)
    k, _ = turning(x)
    stretching, curving_on, _, _, _, _, _, _ = strain_rates(p, i, iv, v, phi, d, half, axes, g, g1, k)
    stiffness = vector_view(p, i * p.shape[1] + STIFFNESS, 36)
    n, m = weighted(stiffness, stretching, curving_on)
    return p[i, BETA] * p[i, LENGTH] * (dot(n, stretching) + dot(m, curving_on))


@inlined
def _bending_change(phi, d, g, g1, g2, x, r):
    """∂(N(φ, d) x)/∂φ r."""
    fd, fx, fr, dx, dr, xr = dot(phi, d), dot(phi, x), dot(phi, r), dot(d, x), dot(d, r), dot(x, r)
    y = minus(times(fd, phi), times(dot(phi, phi), d))
    linear = plus(times(dr, x), minus(times(dx, r), times(2.0 * xr, d)))
    inner = plus(times(fd, x), minus(times(dx, phi), times(2.0 * fx, d)))
    turned_y = plus(times(fd, r), minus(times(dr, phi), times(2.0 * fr, d)))
    second = plus(times(fr, inner), plus(times(fx, turned_y), times(xr, y)))
    return minus(times(-g, linear), plus(times(2.0 * g1, second), times(4.0 * g2 * fx * fr, y)))


@called(None)
def internal_tangent(p, i, iq, iv, q, v, wd, wk, work, K):
    """Add wd ∂/∂v and wk ∂/∂q of the internal forces to K (12, 12)."""
    phi, d, half, axes = middle(p, i, iq, q)
    x = dot(phi, phi)
    g, g1, g2 = curving(x)
    k, k1 = turning(x)
    L, beta = p[i, LENGTH], p[i, BETA]
    per_length = 1.0 / L
    gamma, kappa = straightened(phi, g, d), times(per_length, phi)
    n, m, eta1, eta2, force, moment, _ = stresses(p, i, gamma, kappa, work)
    H, A = vector_view(work, 108, 36), vector_view(work, 144, 81)
    stiffness_of_stresses(p, i, gamma, kappa, n, m, eta1, eta2, work, H)
    damping = vector_view(p, i * p.shape[1] + STIFFNESS, 36)
    one, two, u_rate, theta_rate, d_rate, phi_rate = NONE, NONE, NONE, NONE, NONE, NONE
    if beta != 0.0:
        stretching, curving_on, one, two, u_rate, theta_rate, d_rate, phi_rate = strain_rates(
            p, i, iv, v, phi, d, half, axes, g, g1, k
        )
        by_rates = weighted(damping, times(beta, stretching), times(beta, curving_on))
        force, moment = plus(force, by_rates[0]), plus(moment, by_rates[1])
    apart = minus(two, one)
    f = straightened(phi, g, force)
    c = times(L, cross(f, d))
    h = plus(moment, times(L, bending_back(phi, d, g, g1, force)))
    b = minus(straightened(phi, g, h), times(k, cross(c, phi)))
    first, second = minus(times(0.5, c), b), plus(times(0.5, c), b)
    fd, fn, nd = dot(phi, d), dot(phi, force), dot(force, d)
    z = plus(times(fd, force), minus(times(fn, d), times(2.0 * nd, phi)))
    Q = fn * fd - x * nd
    for column in range(9):
        way = column // 3
        e = (
            1.0 if column % 3 == 0 else 0.0,
            1.0 if column % 3 == 1 else 0.0,
            1.0 if column % 3 == 2 else 0.0,
        )
        # changes of the middle: alpha and beta, turn, d and φ
        alpha, twist, theta, phi_x, d_x = NONE, NONE, NONE, NONE, e
        if way > 0:
            if way == 1:
                alpha, theta = e, e
            else:
                twist, theta, phi_x = e, times(-k, cross(phi, e)), straightened(phi, g, e)
            d_x = cross(d, theta)
        gamma_x = straightened(phi, g, d_x)
        if way == 2:
            gamma_x = plus(gamma_x, bending(phi, d, g, g1, phi_x))
        kappa_x = times(per_length, phi_x)
        n_x, m_x = weighted(H, times(wk, gamma_x), times(wk, kappa_x))
        if beta != 0.0:
            # changes of the rates of strain at fixed velocities
            one_x = cross(one, minus(theta, minus(alpha, times(0.5, twist))))
            two_x = cross(two, minus(theta, plus(alpha, times(0.5, twist))))
            apart_x = minus(two_x, one_x)
            phi_rate_x = plus(straightened(phi, g, apart_x), bending(phi, apart, g, g1, phi_x))
            theta_x = minus(
                times(0.5, plus(one_x, two_x)),
                plus(
                    times(k, plus(cross(phi_x, apart), cross(phi, apart_x))),
                    times(2.0 * k1 * dot(phi, phi_x), cross(phi, apart)),
                ),
            )
            d_rate_x = plus(cross(u_rate, theta), plus(cross(d_x, theta_rate), cross(d, theta_x)))
            gamma_rate_x = plus(straightened(phi, g, d_rate_x), bending(phi, d_rate, g, g1, phi_x))
            gamma_rate_x = plus(gamma_rate_x, _bending_change(phi, d, g, g1, g2, phi_rate, phi_x))
            gamma_rate_x = plus(gamma_rate_x, bending(phi, d_x, g, g1, phi_rate))
            gamma_rate_x = plus(gamma_rate_x, bending(phi, d, g, g1, phi_rate_x))
            rate = plus(times(wk * beta, gamma_rate_x), times(wd * beta, gamma_x))
            turn_rate = times(per_length, plus(times(wk * beta, phi_rate_x), times(wd * beta, phi_x)))
            lost = weighted(damping, rate, turn_rate)
            n_x, m_x = plus(n_x, lost[0]), plus(m_x, lost[1])
        phi_x, theta, d_x = times(wk, phi_x), times(wk, theta), times(wk, d_x)
        f_x = plus(straightened(phi, g, n_x), bending(phi, force, g, g1, phi_x))
        c_x = times(L, minus(cross(f, d_x), cross(d, f_x)))
        zp, fp = dot(z, phi_x), dot(phi, phi_x)
        w_x = times(-g, plus(times(dot(d, phi_x), force), minus(times(dot(force, phi_x), d), times(2.0 * nd, phi_x))))
        w_x = minus(w_x, times(2.0 * g1, plus(times(fp, z), plus(times(zp, phi), times(Q, phi_x)))))
        w_x = minus(w_x, times(4.0 * g2 * Q * fp, phi))
        w_x = plus(w_x, plus(bending_back(phi, force, g, g1, d_x), bending_back(phi, d, g, g1, n_x)))
        h_x = plus(m_x, times(L, w_x))
        b_x = plus(straightened(phi, g, h_x), bending(phi, h, g, g1, phi_x))
        b_x = plus(b_x, minus(times(k, cross(phi, c_x)), times(k, cross(c, phi_x))))
        b_x = minus(b_x, times(2.0 * k1 * fp, cross(c, phi)))
        back = times(wk, minus(alpha, times(0.5, twist)))  # a₁ and a₂ of the column
        ahead = times(wk, plus(alpha, times(0.5, twist)))
        on_force = minus(f_x, cross(f, theta))
        on_first = minus(minus(times(0.5, c_x), b_x), cross(first, minus(theta, back)))
        on_second = minus(plus(times(0.5, c_x), b_x), cross(second, minus(theta, ahead)))
        for r in range(3):
            A[9 * r + column] = on_force[r]
            A[9 * (3 + r) + column] = on_first[r]
            A[9 * (6 + r) + column] = on_second[r]
    _to_nodes(p, i, half, axes, A, K)


@inlined
def _block(A, r, c):
    """A block (3, 3) of the matrix of the middle."""
    at = 27 * r + 3 * c
    return (
        A[at],
        A[at + 1],
        A[at + 2],
        A[at + 9],
        A[at + 10],
        A[at + 11],
        A[at + 18],
        A[at + 19],
        A[at + 20],
    )


@inlined
def _to_nodes(p, i, half, axes, A, K):
    """Add the matrix of the middle (rows f, ½c − b, ½c + b; columns u, α, β) to that of the nodes' coordinates."""
    one = rotation_matrix(product(quaternion_in(p[i], TURN1), half))
    two = rotation_matrix(product(quaternion_in(p[i], TURN2), inverse(half)))
    ground = rotation_matrix(axes)
    to_ground, to_one, to_two = transposed(ground), transposed(one), transposed(two)
    scale = 1.0 / p[i, LENGTH]
    for row in range(3):
        left = ground
        if row == 1:
            left = one
        elif row == 2:
            left = two
        by_u = matrix_product(matrix_product(left, _block(A, row, 0)), to_ground)
        alpha, beta = _block(A, row, 1), _block(A, row, 2)
        by_one = matrix_product(matrix_product(left, combined(0.5, alpha, -1.0, beta)), to_one)
        by_two = matrix_product(matrix_product(left, combined(0.5, alpha, 1.0, beta)), to_two)
        if row == 0:
            for at in range(2):
                sign = 1.0 if at == 1 else -1.0
                add_block(K, 6 * at, 0, -sign * scale, by_u)
                add_block(K, 6 * at, 6, sign * scale, by_u)
                add_block(K, 6 * at, 3, sign, by_one)
                add_block(K, 6 * at, 9, sign, by_two)
        else:
            at = 3 if row == 1 else 9
            add_block(K, at, 0, -scale, by_u)
            add_block(K, at, 6, scale, by_u)
            add_block(K, at, 3, 1.0, by_one)
            add_block(K, at, 9, 1.0, by_two)


@inlined
def on_nodes(p, i, iq, iv, q, v, damped, work):
    """The force on the second node in the axes of the ground, and the moments on both in their own axes."""
    f, first, second, half, axes, _ = internal(p, i, iq, iv, q, v, damped, work)
    one = turned(product(quaternion_in(p[i], TURN1), half), first)
    two = turned(product(quaternion_in(p[i], TURN2), inverse(half)), second)
    return turned(axes, f), one, two
