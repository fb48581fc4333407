"""Places and sections of the ANCF cable in space.

A cable knows the direction t of its axis, and no turn about it. The axes of a place are those of the undeformed section
after the smallest turn that takes its x-axis to t, which follows from the place alone. With p = r' in the axes of the
undeformed section, l = |p| and s = l + pₓ, they turn with ω = W(p) ṗ there,

    ωₓ = (p_y ṗ_z − p_z ṗ_y)/(l s),   ω_y = (−ṗ_z + p_z (ṗₓ + t·ṗ)/s)/l,   ω_z = (ṗ_y − p_y (ṗₓ + t·ṗ)/s)/l

and that has no limit where t is opposite to its first direction, s = 0. With k = 1/(l s) and h = 1/(l² s) the
derivative of Wᵀμ is

    H(μ) = μₓ (b ∇kᵀ + k ∂b/∂p) − l⁻² g tᵀ − (k eₓ + h p) gᵀ + c (eₓ ∇kᵀ + p ∇hᵀ + h I),   b = (0, −p_z, p_y),
    g = (0, μ_z, −μ_y),   c = μ_y p_z − μ_z p_y,   ∇k = −k (t/l + (t + eₓ)/s),   ∇h = −h (2t/l + (t + eₓ)/s)

so that ω̇ᵢ = (W p̈)ᵢ + ṗᵀ H(eᵢ) ṗ.
"""

from __future__ import annotations

import math

from flexmb.elements.spatial.ancf.shapes import AXES, BETA, EA, EI, LENGTH, bending, local, summed
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.rotations import product, quaternion_in, rotation_matrix, turned, turned_back
from flexmb.kernels.vectors import (
    applied,
    combined,
    dot,
    matrix_product,
    outer,
    plus,
    put,
    times,
    transposed,
    vector_at,
    vector_in,
)
from flexmb.kernels.views import matrix_view

X = (1.0, 0.0, 0.0)
ONE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@compiled
def smallest_turn(p):
    """The unit quaternion that turns x the shortest way to the direction of p."""
    l = math.sqrt(dot(p, p))
    s = l + p[0]
    n = 1.0 / math.sqrt(2.0 * l * s)
    return n * s, 0.0, -n * p[2], n * p[1]


@compiled
def turning(p):
    """W (9,): the angular velocity of the smallest turn by ṗ."""
    l = math.sqrt(dot(p, p))
    s = l + p[0]
    k, h = 1.0 / (l * s), 1.0 / (l * l * s)
    x = plus((k, 0.0, 0.0), times(h, p))
    y, z = times(p[2], x), times(-p[1], x)
    return 0.0, -k * p[2], k * p[1], y[0], y[1], y[2] - 1.0 / l, z[0], z[1] + 1.0 / l, z[2]


@compiled
def turning_change(p, mu):
    """H(μ) (9,): the derivative of Wᵀμ by p."""
    l = math.sqrt(dot(p, p))
    s = l + p[0]
    k, h = 1.0 / (l * s), 1.0 / (l * l * s)
    t = times(1.0 / l, p)
    by_s = times(1.0 / s, plus(t, X))
    grad_k = times(-k, plus(times(1.0 / l, t), by_s))
    grad_h = times(-h, plus(times(2.0 / l, t), by_s))
    g = (0.0, mu[2], -mu[1])
    c = mu[1] * p[2] - mu[2] * p[1]
    spin = combined(1.0, outer((0.0, -p[2], p[1]), grad_k), k, (0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0))
    H = combined(mu[0], spin, -1.0 / (l * l), outer(g, t))
    H = combined(1.0, H, -1.0, outer(plus((k, 0.0, 0.0), times(h, p)), g))
    rest = combined(1.0, outer(X, grad_k), 1.0, outer(p, grad_h))
    return combined(1.0, H, c, combined(1.0, rest, h, ONE))


@compiled
def put_turning(answer, axes, p, p_d, p_dd):
    """Orientation, angular velocity and acceleration of a place with the slope p and its rates, in `answer`."""
    p, p_d, p_dd = turned_back(axes, p), turned_back(axes, p_d), turned_back(axes, p_dd)
    W = turning(p)
    faster = applied(W, p_dd)
    bent = (
        dot(p_d, applied(turning_change(p, (1.0, 0.0, 0.0)), p_d)),
        dot(p_d, applied(turning_change(p, (0.0, 1.0, 0.0)), p_d)),
        dot(p_d, applied(turning_change(p, (0.0, 0.0, 1.0)), p_d)),
    )
    whole = product(axes, smallest_turn(p))
    for k in range(4):
        answer[3 + k] = whole[k]
    put(answer, 10, turned(axes, applied(W, p_d)))
    put(answer, 16, turned(axes, plus(faster, bent)))


@compiled
def shares(x, L):
    """The shares of r₁, r₁', r₂ and r₂' in r, and those in r'."""
    n = x * x * (3.0 - 2.0 * x)
    h2, h4 = 1.0 - 4.0 * x + 3.0 * x * x, -2.0 * x + 3.0 * x * x
    last = (1.0 - h2 - h4) / L
    return (1.0 - n, L * x * (1.0 - x) * (1.0 - x), n, L * x * x * (x - 1.0)), (-last, h2, last, h4)


@compiled
def mixed(s, numbers, z):
    """What the shares s (4,) make of coordinates or speeds."""
    first = summed(s[0], vector_at(z, numbers, 0), s[1], vector_at(z, numbers, 3))
    return plus(first, summed(s[2], vector_at(z, numbers, 6), s[3], vector_at(z, numbers, 9)))


@kernel
def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        N, D = shares(w[0], p[i, LENGTH])
        put(out[i], 0, mixed(N, iq[i], q))
        put(out[i], 7, mixed(N, iv[i], v))
        put(out[i], 13, mixed(N, iv[i], a))
        axes = quaternion_in(p[i], AXES)
        put_turning(out[i], axes, mixed(D, iq[i], q), mixed(D, iv[i], v), mixed(D, iv[i], a))


@kernel
def node_point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        put(out[i], 0, vector_at(q, iq[i], 0))
        put(out[i], 7, vector_at(v, iv[i], 0))
        put(out[i], 13, vector_at(a, iv[i], 0))
        axes = quaternion_in(p[i], 0)
        put_turning(out[i], axes, vector_at(q, iq[i], 3), vector_at(v, iv[i], 3), vector_at(a, iv[i], 3))


@compiled
def turning_in_ground(axes, p, moment, wk):
    """W, and wk times the derivative of Wᵀ times a moment, in the axes of the ground."""
    A = rotation_matrix(axes)
    back = transposed(A)
    p = applied(back, p)
    W = matrix_product(matrix_product(A, turning(p)), back)
    if wk == 0.0:
        return W, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    H = turning_change(p, applied(back, moment))
    return W, combined(wk, matrix_product(matrix_product(A, H), back), 0.0, H)


@kernel
def point_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    wk = w[len(w) - 1]
    for i in range(p.shape[0]):
        J = matrix_view(out[i], 0, 6, 12)
        N, D = shares(w[0], p[i, LENGTH])
        W, H = turning_in_ground(quaternion_in(p[i], AXES), mixed(D, iq[i], q), vector_in(lam[i], 3), wk)
        for k in range(4):
            for j in range(3):
                J[j, 3 * k + j] = N[k]
                for e in range(3):
                    J[3 + j, 3 * k + e] = D[k] * W[3 * j + e]
        if wk != 0.0:
            for j in range(4):
                for k in range(4):
                    for c in range(9):
                        K[i, 3 * j + c // 3, 3 * k + c % 3] += D[j] * D[k] * H[c]


@kernel
def node_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    wk = w[len(w) - 1]
    for i in range(p.shape[0]):
        J = matrix_view(out[i], 0, 6, 6)
        W, H = turning_in_ground(quaternion_in(p[i], 0), vector_at(q, iq[i], 3), vector_in(lam[i], 3), wk)
        for j in range(3):
            J[j, j] = 1.0
            for e in range(3):
                J[3 + j, 3 + e] = W[3 * j + e]
                K[i, 3 + j, 3 + e] += H[3 * j + e]


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    x = w[0]
    h2, h4 = 1.0 - 4.0 * x + 3.0 * x * x, -2.0 * x + 3.0 * x * x
    g2, g4 = 6.0 * x - 4.0, 6.0 * x - 2.0
    for i in range(p.shape[0]):
        il = 1.0 / p[i, LENGTH]
        d, A, B = local(iq, i, il, q)
        r, c = plus(d, summed(h2, A, h4, B)), summed(g2, A, g4, B)
        d, A, B = local(iv, i, il, v)
        r_d = plus(d, summed(h2, A, h4, B))
        e = bending(r, c)[5]
        l = math.sqrt(dot(r, r))
        # κ = t × e/l turns t towards e: in the axes of the place its y-part is −e_z, its z-part e_y
        axes = quaternion_in(p[i], AXES)
        whole = product(axes, smallest_turn(turned_back(axes, r)))
        across = turned_back(whole, times(il / l, e))
        answer = out[i]
        answer[0] = l - 1.0
        answer[4] = -across[2]
        answer[5] = across[1]
        answer[6] = p[i, EA] * (l - 1.0 + p[i, BETA] * dot(r, r_d) / l)
        answer[7] = answer[8] = math.nan
        answer[10] = -p[i, EI] * across[2]
        answer[11] = p[i, EI] * across[1]
