"""Derivatives of the elastic and damping forces of a CMS beam in space, see :mod:`flexmb.elements.spatial.cms.strains`.

At a Gauss point the forces on the local variables x are κ_xᵀ m with m = diag(GJ, EIy, EIz) (κ + β κ̇) and κ̇ = κ_x ẋ, so

    ∂/∂x = κ_xᵀ diag(GJ, EIy, EIz) (κ_x + β κ_xx ẋ) + m κ_xx,     ∂/∂ẋ = β κ_xᵀ diag(GJ, EIy, EIz) κ_x
"""

from __future__ import annotations

import math

from flexmb.elements.cms_folds import (
    folding_by_chord,
    folding_by_shortening,
    folding_by_slopes,
    folding_by_swing,
    folding_by_twist,
    shortening,
)
from flexmb.elements.spatial.cms.curvature import curvature_gradient, curvature_hessian
from flexmb.elements.spatial.cms.element import (
    BETA,
    EA,
    EIY,
    EIZ,
    FIELD,
    FOLD,
    GJ,
    LENGTH,
    STRAIN_POINTS,
    TABLE,
)
from flexmb.elements.spatial.cms.frame import sizes
from flexmb.elements.spatial.cms.strains import axial_force, group_of, stretching, tables, variables
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.views import matrix_view, vector_view


@called(None)
def elastic_tangent(p, i, c, Ke, Kd, room):
    """Ke = ∂r/∂c and Kd = ∂r/∂ċ (nc, nc) of :func:`elastic`."""
    m, nv, nw, nt, nc = sizes(p, i)
    nb, first = max(nv, nw), 1 + m
    at_w, at_t = first + nv, first + nv + nw
    S, _, rest, damping, at, width = tables(p, i)
    L, beta, fold = p[i, LENGTH], p[i, BETA], p[i, FOLD]
    e = vector_view(room, 0, nc)
    ed = vector_view(room, nc, nc)
    damped = beta != 0.0 or damping.shape[0] > 0
    for j in range(nc):
        for k in range(nc):
            Ke[j, k] = 0.0
            Kd[j, k] = 0.0
    N, bent, growth, _ = axial_force(p, i, S, damping, c, nv, nw, first, e, ed)
    EAL = p[i, EA] / L
    _, push, pushing = folding_by_shortening(bent)
    curving = shortening(bent)[2]
    push, pushing = fold / L * push, fold / L * pushing
    # second derivatives of L Q and of the energy of folding
    for j in range(first, at_t):
        for k in range(first, at_t):
            Ke[j, k] += (N * curving + pushing) * e[j] * e[k] / L
    if p[i, FIELD] > 0.0:
        for j in range(nv):
            for k in range(nv):
                Ke[first + j, first + k] += (N * growth + push) * S[j, k]
        for j in range(nw):
            for k in range(nw):
                Ke[at_w + j, at_w + k] += (N * growth + push) * S[nb + j, k]
    if damped:
        # ė: rates of e
        sg = 0.0
        for k in range(first, at_t):
            sg += e[k] * c[1, k]
        stretching(S, vector_view(c, nc, nc), nv, nw, first, ed)
        ed[0] = 0.0
        for k in range(1, first):
            ed[k] = 0.0
        for k in range(at_t, nc):
            ed[k] = 0.0
        for k in range(first, at_t):
            ed[k] = growth * ed[k] + curving * sg / L * e[k] if p[i, FIELD] > 0.0 else 0.0
    else:
        for k in range(nc):
            ed[k] = 0.0
    e[0] = 1.0
    for k in range(first, at_t):
        e[k] *= growth
    for j in range(at_t):
        for k in range(at_t):
            Ke[j, k] += EAL * e[j] * (e[k] + beta * ed[k])
            Kd[j, k] += EAL * beta * e[j] * e[k]
    if damping.shape[0] > 0:
        # of Jᵀ C J ċ, J = 1 with e in the first row
        for j in range(nc):
            by_rate = damping[j, 0]
            for k in range(nc):
                value = damping[j, k] if k > 0 else 0.0
                value += by_rate * e[k]
                Ke[j, k] += by_rate * ed[k]
                Kd[j, k] += value
                if j == 0:
                    for n in range(first, at_t):
                        Ke[n, k] += e[n] * by_rate * ed[k]
                        Kd[n, k] += e[n] * value
    Ke[0, 0] += fold * folding_by_chord(L + c[0, 0], L)[2]
    for k in range(m):
        Ke[1 + k, 1 + k] += p[i, TABLE + k]
        Kd[1 + k, 1 + k] += beta * p[i, TABLE + k]
    _folding_tangent(fold, c, first, at_w, at_w + nw, Ke)
    n = nv + nw + nt
    X = vector_view(room, 2 * nc, n)
    Y = vector_view(room, 3 * nc, n)
    free = 4 * nc
    x = vector_view(room, free, 6)
    xd = vector_view(room, free + 6, 6)
    kappa = vector_view(room, free + 12, 3)
    B = matrix_view(room, free + 15, 3, 6)
    A = matrix_view(room, free + 33, 6, 6)
    Ad = matrix_view(room, free + 69, 6, 6)
    one = matrix_view(room, free + 105, 6, 6)
    R = matrix_view(room, free + 141, 6, n)
    row = vector_view(p, i * p.shape[1], p.shape[1])
    position = vector_view(c, 0, nc)
    speeds = vector_view(c, nc, nc)
    for _point in range(int(p[i, STRAIN_POINTS])):
        variables(row, at, nv, nw, nt, first, position, x)
        curvature_gradient(x, kappa, B)
        k0, k1, k2 = row[at] * p[i, GJ], row[at] * p[i, EIY], row[at] * p[i, EIZ]
        m0, m1, m2 = k0 * kappa[0], k1 * kappa[1], k2 * kappa[2]
        if beta != 0.0:
            variables(row, at, nv, nw, nt, first, speeds, xd)
            for j in range(6):
                m0 += beta * k0 * B[0, j] * xd[j]
                m1 += beta * k1 * B[1, j] * xd[j]
                m2 += beta * k2 * B[2, j] * xd[j]
        curvature_hessian(x, kappa, B, m0, m1, m2, A)
        for j in range(6):
            b0, b1, b2 = k0 * B[0, j], k1 * B[1, j], k2 * B[2, j]
            for k in range(6):
                Ad[j, k] = b0 * B[0, k] + b1 * B[1, k] + b2 * B[2, k]
                A[j, k] += Ad[j, k]
        if beta != 0.0:
            for s in range(3):
                curvature_hessian(
                    x, kappa, B, 1.0 if s == 0 else 0.0, 1.0 if s == 1 else 0.0, 1.0 if s == 2 else 0.0, one
                )
                stiffness = beta * (k0 if s == 0 else k1 if s == 1 else k2)
                for k in range(6):
                    rate = 0.0
                    for j in range(6):
                        rate += one[k, j] * xd[j]
                    for j in range(6):
                        A[j, k] += stiffness * B[s, j] * rate
        for k in range(n):
            X[k], Y[k] = row[at + 1 + k], row[at + 1 + n + k]
        spread(A, 1.0, nv, nw, first, X, Y, R, Ke)
        if beta != 0.0:
            spread(Ad, beta, nv, nw, first, X, Y, R, Kd)
        at += width
    for group in range(3):
        stiffness, begin, side, at = group_of(p, i, group, first, nv, nw, nt)
        for j in range(side):
            for k in range(side):
                value = stiffness * rest[at + j * side + k]
                Ke[begin + j, begin + k] += value
                Kd[begin + j, begin + k] += beta * value


@inlined
def local_of(k, nv, nw):
    """The local variables that coordinate k of bending and torsion moves by X and Y."""
    if k < nv:
        return 0, 2
    if k < nv + nw:
        return 1, 3
    return 4, 5


@inlined
def spread(A, factor, nv, nw, first, X, Y, R, K):
    """K += the local matrix A (6, 6), on the coordinates."""
    n = len(X)
    for j in range(n):
        a, b = local_of(j, nv, nw)
        for k in range(6):
            R[k, j] = factor * (A[k, a] * X[j] + A[k, b] * Y[j])
    for j in range(n):
        a, b = local_of(j, nv, nw)
        for k in range(n):
            K[first + j, first + k] += X[j] * R[a, k] + Y[j] * R[b, k]


@inlined
def _folding_tangent(fold, c, first, at_w, at_t, Ke):
    """Add the second derivatives of the energy of folding by slopes, swings and twist."""
    y, z = c[0, first] + c[0, first + 1], c[0, at_w] + c[0, at_w + 1]
    both = math.sqrt(y * y + z * z)
    _, slope, curve = folding_by_slopes(both)
    if slope != 0.0:
        y, z, slope, curve = y / both, z / both, fold * slope / both, fold * curve
        for j in range(2):
            for k in range(2):
                Ke[first + j, first + k] += slope + (curve - slope) * y * y
                Ke[at_w + j, at_w + k] += slope + (curve - slope) * z * z
                Ke[first + j, at_w + k] += (curve - slope) * y * z
                Ke[at_w + j, first + k] += (curve - slope) * y * z
    for k in range(2):
        y, z = c[0, first + k], c[0, at_w + k]
        _, slope, curve = folding_by_swing(y * y + z * z)
        slope, curve = 2.0 * fold * slope, 4.0 * fold * curve
        Ke[first + k, first + k] += slope + curve * y * y
        Ke[at_w + k, at_w + k] += slope + curve * z * z
        Ke[first + k, at_w + k] += curve * y * z
        Ke[at_w + k, first + k] += curve * y * z
    Ke[at_t, at_t] += fold * folding_by_twist(c[0, at_t])[2]
