"""Elastic and damping forces of a CMS beam in space, on its local coordinates c, with their derivatives.

    U = ½ EA L ε² + ½ Σ k ξx² + ½ ∫ (GJ κ₁² + EIy κ₂² + EIz κ₃²) dx + energy of folding
    ε = ū4/L + Q(½ (g_vᵀ S g_v + g_wᵀ S g_w)/L)

κ are the curvatures of :mod:`flexmb.elements.spatial.cms.curvature`, by a few Gauss points; what these leave out of the
stiffness of the straight element is added as it is: the energy of shear ½ ∫ (GAy γ_v² + GAz γ_w²) dx, with the shear
strains against the axes of the chord frame, and far below a percent of the rest. The shortening Q and the folding,
which begin beyond the range of the theory, are those of :mod:`flexmb.elements.cms_folds`, with the mean of EIy and EIz.
Damping proportional to stiffness adds β times the rates to ε, ξx and κ. Damping of modes is a matrix that acts on the
rates of c, with that of L ε in place of that of ū4.

In `work` behind c: e = ∂(L ε)/∂c, ė, three rows for a Gauss point, and small matrices.
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
from flexmb.elements.spatial.cms.curvature import curvature_gradient
from flexmb.elements.spatial.cms.element import (
    BETA,
    EA,
    EIY,
    EIZ,
    FIELD,
    FOLD,
    FUNCTIONS,
    GJ,
    LENGTH,
    MODAL,
    STRAIN_POINTS,
    TABLE,
)
from flexmb.elements.spatial.cms.frame import sizes
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.views import matrix_view, vector_view


@inlined
def tables(p, i):
    """S of y and of z (2 nb, nb), the integrals G (nf, nf), what Gauss points leave out of the stiffness of bending
    along y and z and of torsion, (nv, nv), (nw, nw) and (nt, nt) one behind the other, the matrix of the damping of
    modes (nc, nc), and where the rows of Gauss points begin, with the width of each."""
    m, nv, nw, nt, nc = sizes(p, i)
    nb, nf = max(nv, nw), int(p[i, FUNCTIONS])
    row = vector_view(p, i * p.shape[1], p.shape[1])
    at = TABLE + m
    S = matrix_view(row, at, 2 * nb, nb)
    gram = matrix_view(row, at + 2 * nb * nb, nf, nf)
    at += 2 * nb * nb + nf * nf
    rest = vector_view(row, at, nv * nv + nw * nw + nt * nt)
    at += nv * nv + nw * nw + nt * nt
    size = nc if p[i, MODAL] != 0.0 else 0
    damping = matrix_view(row, at, size, size)
    return S, gram, rest, damping, at + size * size, 1 + 2 * (nv + nw + nt)


@inlined
def variables(row, at, nv, nw, nt, first, g, x):
    """Local variables x (6,) of a Gauss point whose row begins at row[at]; g is c or a change of it."""
    n = nv + nw + nt
    for k in range(6):
        x[k] = 0.0
    for k in range(nv):
        x[0] += row[at + 1 + k] * g[first + k]
        x[2] += row[at + 1 + n + k] * g[first + k]
    for k in range(nv, nv + nw):
        x[1] += row[at + 1 + k] * g[first + k]
        x[3] += row[at + 1 + n + k] * g[first + k]
    for k in range(nv + nw, n):
        x[4] += row[at + 1 + k] * g[first + k]
        x[5] += row[at + 1 + n + k] * g[first + k]


@inlined
def stretching(S, c, nv, nw, first, e):
    """Put S g_v and S g_w into e (nc,) at their places; returns their product with c."""
    total = 0.0
    for group in range(2):
        n = nv if group == 0 else nw
        at, shift = first + nv * group, S.shape[1] * group
        for j in range(n):
            value = 0.0
            for k in range(n):
                value += S[shift + j, k] * c[at + k]
            e[at + j] = value
            total += value * c[at + j]
    return total


@inlined
def axial_force(p, i, S, damping, c, nv, nw, first, e, modal):
    """N with damping. Fills e = ∂(L ε)/∂c (nc,), and `modal` (nc,) with the forces of the damping of modes; returns N,
    the shortening q, Q', and Lε̇."""
    L = p[i, LENGTH]
    nc = c.shape[1]
    for k in range(nc):
        e[k] = 0.0
        modal[k] = 0.0
    bent = 0.0
    growth = 1.0
    strain = c[0, 0] / L
    if p[i, FIELD] > 0.0:
        bent = 0.5 * stretching(S, vector_view(c, 0, nc), nv, nw, first, e) / L
        shorter, growth, _ = shortening(bent)
        strain += shorter
    rate = c[1, 0]
    for k in range(first, first + nv + nw):
        rate += growth * e[k] * c[1, k]
    N = p[i, EA] * (strain + p[i, BETA] * rate / L)
    if damping.shape[0] > 0:
        for j in range(nc):
            total = damping[j, 0] * rate
            for k in range(1, nc):
                total += damping[j, k] * c[1, k]
            modal[j] = total
        N += modal[0]
        modal[0] = 0.0
    return N, bent, growth, rate


@called(None)
def elastic(p, i, c, r, room):
    """Add elastic and damping forces on c to r (nc,)."""
    m, nv, nw, nt, nc = sizes(p, i)
    n, first = nv + nw + nt, 1 + m
    S, _, rest, damping, at, width = tables(p, i)
    L, beta, fold = p[i, LENGTH], p[i, BETA], p[i, FOLD]
    e = vector_view(room, 0, nc)
    modal = vector_view(room, nc, nc)
    x = vector_view(room, 3 * nc, 6)
    xd = vector_view(room, 3 * nc + 6, 6)
    kappa = vector_view(room, 3 * nc + 12, 3)
    B = matrix_view(room, 3 * nc + 15, 3, 6)
    N, bent, growth, _ = axial_force(p, i, S, damping, c, nv, nw, first, e, modal)
    pull = N * growth + fold / L * folding_by_shortening(bent)[1]
    r[0] += N + fold * folding_by_chord(L + c[0, 0], L)[1]
    for k in range(m):
        r[1 + k] += p[i, TABLE + k] * (c[0, 1 + k] + beta * c[1, 1 + k])
    for k in range(first, first + nv + nw):
        r[k] += pull * e[k]
    for k in range(nc):
        r[k] += modal[k]
    at_w = first + nv
    y, z = c[0, first] + c[0, first + 1], c[0, at_w] + c[0, at_w + 1]
    both = math.sqrt(y * y + z * z)
    turning = fold * folding_by_slopes(both)[1]
    if turning != 0.0:
        for k in range(2):
            r[first + k] += turning * y / both
            r[at_w + k] += turning * z / both
    for k in range(2):
        swing = 2.0 * fold * folding_by_swing(c[0, first + k] ** 2 + c[0, at_w + k] ** 2)[1]
        r[first + k] += swing * c[0, first + k]
        r[at_w + k] += swing * c[0, at_w + k]
    r[at_w + nw] += fold * folding_by_twist(c[0, at_w + nw])[1]
    row = vector_view(p, i * p.shape[1], p.shape[1])
    position = vector_view(c, 0, nc)
    speeds = vector_view(c, nc, nc)
    for _point in range(int(p[i, STRAIN_POINTS])):
        variables(row, at, nv, nw, nt, first, position, x)
        curvature_gradient(x, kappa, B)
        m0, m1, m2 = row[at] * p[i, GJ], row[at] * p[i, EIY], row[at] * p[i, EIZ]
        if beta != 0.0:
            variables(row, at, nv, nw, nt, first, speeds, xd)
            for j in range(3):
                for k in range(6):
                    kappa[j] += beta * B[j, k] * xd[k]
        m0, m1, m2 = m0 * kappa[0], m1 * kappa[1], m2 * kappa[2]
        for k in range(6):
            x[k] = B[0, k] * m0 + B[1, k] * m1 + B[2, k] * m2
        for k in range(nv):
            r[first + k] += row[at + 1 + k] * x[0] + row[at + 1 + n + k] * x[2]
        for k in range(nv, nv + nw):
            r[first + k] += row[at + 1 + k] * x[1] + row[at + 1 + n + k] * x[3]
        for k in range(nv + nw, n):
            r[first + k] += row[at + 1 + k] * x[4] + row[at + 1 + n + k] * x[5]
        at += width
    for group in range(3):
        stiffness, begin, side, at = group_of(p, i, group, first, nv, nw, nt)
        for j in range(side):
            total = 0.0
            for k in range(side):
                total += rest[at + j * side + k] * (c[0, begin + k] + beta * c[1, begin + k])
            r[begin + j] += stiffness * total


@inlined
def group_of(p, i, group, first, nv, nw, nt):
    """Of bending along y, along z, and torsion: stiffness, first coordinate and number of them, and where its matrix
    stands among what Gauss points leave out."""
    if group == 0:
        return p[i, EIZ], first, nv, 0
    if group == 1:
        return p[i, EIY], first + nv, nw, nv * nv
    return p[i, GJ], first + nv + nw, nt, nv * nv + nw * nw


@called((float, float))
def strain_energy(p, i, c, room):
    """Strain energy and dissipated power."""
    m, nv, nw, nt, nc = sizes(p, i)
    first = 1 + m
    S, _, rest, damping, at, width = tables(p, i)
    L, beta, fold = p[i, LENGTH], p[i, BETA], p[i, FOLD]
    e = vector_view(room, 0, nc)
    modal = vector_view(room, nc, nc)
    x = vector_view(room, 3 * nc, 6)
    xd = vector_view(room, 3 * nc + 6, 6)
    kappa = vector_view(room, 3 * nc + 12, 3)
    B = matrix_view(room, 3 * nc + 15, 3, 6)
    _, bent, _, rate = axial_force(p, i, S, damping, c, nv, nw, first, e, modal)
    strain = c[0, 0] / L
    folded = folding_by_chord(L + c[0, 0], L)[0]
    if p[i, FIELD] > 0.0:
        strain += shortening(bent)[0]
        folded += folding_by_shortening(bent)[0]
    at_w = first + nv
    y, z = c[0, first] + c[0, first + 1], c[0, at_w] + c[0, at_w + 1]
    folded += folding_by_slopes(math.sqrt(y * y + z * z))[0]
    for k in range(2):
        folded += folding_by_swing(c[0, first + k] ** 2 + c[0, at_w + k] ** 2)[0]
    folded += folding_by_twist(c[0, at_w + nw])[0]
    energy = 0.5 * p[i, EA] * L * strain * strain + fold * folded
    lost = beta * p[i, EA] / L * rate * rate
    for k in range(m):
        energy += 0.5 * p[i, TABLE + k] * c[0, 1 + k] ** 2
        lost += beta * p[i, TABLE + k] * c[1, 1 + k] ** 2
    for j in range(damping.shape[0]):
        first_rate = rate if j == 0 else c[1, j]
        for k in range(damping.shape[0]):
            lost += first_rate * damping[j, k] * (rate if k == 0 else c[1, k])
    row = vector_view(p, i * p.shape[1], p.shape[1])
    for _point in range(int(p[i, STRAIN_POINTS])):
        variables(row, at, nv, nw, nt, first, vector_view(c, 0, nc), x)
        variables(row, at, nv, nw, nt, first, vector_view(c, nc, nc), xd)
        curvature_gradient(x, kappa, B)
        for j in range(3):
            stiffness = row[at] * (p[i, GJ] if j == 0 else p[i, EIY] if j == 1 else p[i, EIZ])
            turning = 0.0
            for k in range(6):
                turning += B[j, k] * xd[k]
            energy += 0.5 * stiffness * kappa[j] * kappa[j]
            lost += beta * stiffness * turning * turning
        at += width
    for group in range(3):
        stiffness, begin, side, at = group_of(p, i, group, first, nv, nw, nt)
        for j in range(side):
            for k in range(side):
                value = stiffness * rest[at + j * side + k]
                energy += 0.5 * c[0, begin + j] * value * c[0, begin + k]
                lost += beta * c[1, begin + j] * value * c[1, begin + k]
    return energy, lost
