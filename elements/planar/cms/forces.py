"""Forces of a CMS beam element: inertia, gravity and elasticity, see :mod:`flexmb.elements.planar.cms_beam`."""

from __future__ import annotations

from flexmb.elements.cms_folds import folding_by_chord, folding_by_shortening, folding_by_slopes, shortening
from flexmb.elements.planar.cms.inertia import (
    AXIAL,
    BENDING,
    DAMPED,
    EA,
    EI,
    FAR,
    FIELD,
    FUNCTIONS,
    LENGTH,
    NEAR,
    TABLE,
    TURNING,
    acceleration,
    amplitudes,
    c_of_g,
    loads_of,
    motion,
    project,
    turn_sections,
)
from flexmb.kernels.compilation import inlined, kernel
from flexmb.kernels.fours import wide
from flexmb.kernels.views import matrix_view, vector_view


@inlined
def sizes(p, i):
    """Numbers of axial modes, of g, of c and of X, and whether X has the quadratic functions."""
    m = int(p[i, AXIAL])
    ng = 2 + int(p[i, BENDING])
    return m, ng, 1 + m + ng, int(p[i, FUNCTIONS]) - 1 - ng, p[i, FIELD] == 2.0


@inlined
def tables(p, i, nl, ng, nf):
    """S (ng, ng), the matrix of the damping (nl, nl), G (nf, wide(nf)), and the inertia of turning sections, (1 + ng, 1
    + ng) or of no size, which stand in the parameters."""
    at = TABLE + nl - 3
    row = vector_view(p[i], 0, p.shape[1])
    S = matrix_view(row, at, ng, ng)
    damping = matrix_view(row, at + ng * ng, nl, nl)
    at += ng * ng + nl * nl
    side = 1 + ng if p[i, TURNING] != 0.0 else 0
    return S, damping, matrix_view(row, at, nf, wide(nf)), matrix_view(row, at + nf * wide(nf), side, side)


@inlined
def places(work, nl, ng, nx):
    """c (3, nl), g (3, ng), ζ (3, nx), fields and loads (2, nf) in `work`, and where it is free behind them."""
    nf = 1 + nx + ng
    free = 3 * nl + 3 * ng
    c = matrix_view(work, 0, 3, nl)
    g = matrix_view(work, 3 * nl, 3, ng)
    zeta = matrix_view(work, free, 3, nx)
    fields = matrix_view(work, free + 3 * nx, 2, nf)
    loads = matrix_view(work, free + 3 * nx + 2 * nf, 2, nf)
    return c, g, zeta, fields, loads, free + 3 * nx + 4 * nf


@inlined
def stretching_rate(S, g):
    """gᵀ S ġ, the rate of the quadratic stretch ½ gᵀ S g."""
    total = 0.0
    for j in range(g.shape[1]):
        for k in range(g.shape[1]):
            total += g[0, j] * S[j, k] * g[1, k]
    return total


@inlined
def stretching(S, g):
    """gᵀ S g, twice the quadratic stretch."""
    ng = g.shape[1]
    total = 0.0
    for j in range(ng):
        for k in range(ng):
            total += g[0, j] * S[j, k] * g[0, k]
    return total


@inlined
def elastic(p, i, m, S, damping, c, g, r, Sg):
    """Add elastic and damping forces on c to r (nl,), and put S g into Sg (ng,). Return the axial force, damping
    included, and the shortening q."""
    nl, ng = c.shape[1], g.shape[1]
    L = p[i, LENGTH]
    strain = c[0, 1] / L
    quadratic = p[i, FIELD] > 0.0
    bent = folding = 0.0
    growth = 1.0
    if quadratic:
        for j in range(ng):
            total = 0.0
            for k in range(ng):
                total += S[j, k] * g[0, k]
            Sg[j] = total
            bent += 0.5 * g[0, j] * total / L
        shorter, growth, _ = shortening(bent)
        strain += shorter
        folding = p[i, EI] / (L * L) * folding_by_shortening(bent)[1]
    N = p[i, EA] * strain
    EIL = p[i, EI] / L
    turning = folding_by_slopes(c[0, 0] + c[0, 2])[1]
    r[0] += EIL * (p[i, NEAR] * c[0, 0] + p[i, FAR] * c[0, 2] + turning)
    r[1] += N + EIL * folding_by_chord(L + c[0, 1], L)[1]
    r[2] += EIL * (p[i, FAR] * c[0, 0] + p[i, NEAR] * c[0, 2] + turning)
    for k in range(3, nl):
        r[k] += p[i, TABLE + k - 3] * c[0, k]
    if p[i, DAMPED] != 0.0:
        # damping along the axis acts on the rate of the strain, not of the chord, which bending shortens
        rate = 0.0
        if quadratic:
            for j in range(ng):
                rate += growth * Sg[j] * g[1, j]
        for j in range(nl):
            total = damping[j, 1] * rate
            for k in range(nl):
                total += damping[j, k] * c[1, k]
            r[j] += total
            if j == 1:
                N += total
    if quadratic:
        for j in range(ng):
            r[c_of_g(j, m)] += (N * growth + folding) * Sg[j]
    return N, bent


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        m, ng, nl, nx, second = sizes(p, i)
        nf = 1 + nx + ng
        S, damping, gram, turning = tables(p, i, nl, ng, nf)
        co, si, l, Vx, Vy, Wx, Wy, om, al, ax, ay = motion(p, iq, iv, i, q, v, a, work)
        c, g, zeta, fields, loads, free = places(work, nl, ng, nx)
        y = vector_view(work, free, 3 + nl)  # forces on R1 in body axes, θ, c
        r = vector_view(work, free + 3, nl)
        amplitudes(m, ng, second, l, c, g, zeta)
        acceleration(om, al, ax, ay, zeta, g, fields)
        loads_of(gram, fields, loads)
        project(m, second, zeta, g, loads, y)
        if turning.shape[0] > 0:
            turn_sections(m, al, g, turning, y)
        elastic(p, i, m, S, damping, c, g, r, vector_view(work, free + 3 + nl, ng))

        # back to the nodes
        tau = (y[2] - r[0] - r[2]) / l
        ex = co * r[1] - si * tau
        ey = si * r[1] + co * tau
        out[i, 0] = co * y[0] - si * y[1] - ex
        out[i, 1] = si * y[0] + co * y[1] - ey
        out[i, 2] = r[0]
        out[i, 3] = ex
        out[i, 4] = ey
        out[i, 5] = r[2]
        for k in range(3, nl):
            out[i, 3 + k] = r[k]
