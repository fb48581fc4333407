"""The exact tangent of a CMS beam element, see :mod:`flexmb.elements.planar.cms_beam`."""

from __future__ import annotations

from flexmb.elements.cms_folds import folding_by_chord, folding_by_shortening, folding_by_slopes, shortening
from flexmb.elements.cms_products import pair
from flexmb.elements.planar.cms.forces import elastic, places, sizes, tables
from flexmb.elements.planar.cms.gradients import mass_gradients, motion_gradients, unit_loads
from flexmb.elements.planar.cms.inertia import (
    DAMPED,
    EA,
    EI,
    FAR,
    FIELD,
    LENGTH,
    NEAR,
    TABLE,
    acceleration,
    amplitudes,
    c_of_g,
    loads_of,
    motion,
    project,
    turn_sections,
)
from flexmb.kernels.compilation import called, kernel
from flexmb.kernels.fours import wide
from flexmb.kernels.views import matrix_view, vector_view


@called(None)
def _add_elastic_tangent(p, i, m, wd, wk, S, damping, c, g, N, bent, Sg, room, P):
    """Add the tangent of the elastic and damping forces to the block of P that belongs to c; `room` (ng²,) is
    scratch."""
    ng, nc = len(Sg), P.shape[0]
    nl = nc - 7
    L = p[i, LENGTH]
    EIL = p[i, EI] / L
    EAL = p[i, EA] / L
    turning = wk * EIL * folding_by_slopes(c[0, 0] + c[0, 2])[2]
    near, far = p[i, NEAR] * wk * EIL + turning, p[i, FAR] * wk * EIL + turning
    P[3, 3] += near
    P[5, 3] += far
    P[3, 5] += far
    P[5, 5] += near
    P[4, 4] += wk * (EAL + EIL * folding_by_chord(L + c[0, 1], L)[2])
    for k in range(3, nl):
        P[3 + k, 3 + k] += wk * p[i, TABLE + k - 3]
    if p[i, FIELD] > 0.0:
        _, growth, curvature = shortening(bent)
        if growth != 1.0:
            # beyond the range the derivatives of L Q replace S and S g, and the energy of folding adds its own
            _, first, second = folding_by_shortening(bent)
            S2 = matrix_view(room, 0, ng, ng)
            for j in range(ng):
                for k in range(ng):
                    product = Sg[j] * Sg[k] / L
                    P[3 + c_of_g(k, m), 3 + c_of_g(j, m)] += wk * EIL / L * (first * S[j, k] + second * product)
                    S2[j, k] = growth * S[j, k] + curvature * product
            for j in range(ng):
                Sg[j] *= growth
            S = S2
        for j in range(ng):
            cj = 3 + c_of_g(j, m)
            coupling = wk * EAL * Sg[j]
            P[cj, 4] += coupling
            P[4, cj] += coupling
            for k in range(ng):
                P[3 + c_of_g(k, m), cj] += wk * N * S[j, k] + coupling * Sg[k]
    if p[i, DAMPED] != 0.0:
        for j in range(nl):
            for k in range(nl):
                P[3 + k, 3 + j] += wd * damping[j, k]
            # derivatives by the rates of θ, by which ū3 and ū6 fall, and of l
            P[nc - 2, 3 + j] -= damping[j, 0] + damping[j, 2]
            P[nc - 1, 3 + j] += damping[j, 1]
        if p[i, FIELD] > 0.0:
            _add_strain_damping(m, wd, wk, S, damping, g, Sg, P)


@called(None)
def _add_strain_damping(m, wd, wk, S, damping, g, Sg, P):
    """Add the further part of the tangent of the damping forces. It comes from damping ū̇4 + gᵀ S ġ and not ū̇4 alone:
    with J = 1 + e4 (S g)ᵀ the forces are Jᵀ C J ċ."""
    ng, nc = len(Sg), P.shape[0]
    nl = nc - 7
    ends = Sg[0] + Sg[1]
    for k in range(ng):
        ck = 3 + c_of_g(k, m)
        rate = 0.0
        for j in range(ng):
            rate += S[k, j] * g[1, j]
        both = wd * Sg[k] + wk * rate
        for j in range(nl):
            P[ck, 3 + j] += damping[j, 1] * both
            P[3 + j, ck] += wd * Sg[k] * damping[1, j]
        for j in range(ng):
            P[ck, 3 + c_of_g(j, m)] += Sg[j] * damping[1, 1] * both
        P[nc - 2, ck] -= Sg[k] * (damping[1, 0] + damping[1, 2] + damping[1, 1] * ends)
        P[nc - 1, ck] += Sg[k] * damping[1, 1]
    for j in range(nl):
        P[nc - 2, 3 + j] -= damping[j, 1] * ends


@called(None)
def _add_geometric_tangent(m, nx, second, wk, g, loads, P):
    """Add the change of the projected loads that comes from the shapes of θ and c, which depend on c."""
    ng = g.shape[1]
    P[4, 2] += wk * loads[1, 1]
    for k in range(m):
        P[6 + k, 2] += wk * loads[1, 2 + k]
    for j in range(ng):
        total = -loads[0, 1 + nx + j]
        cj = 3 + c_of_g(j, m)
        if second:
            for k in range(ng):
                e = 2 + m + pair(j, k, ng)
                total += g[0, k] * loads[1, e]
                P[3 + c_of_g(k, m), cj] += wk * loads[0, e]
        P[cj, 2] += wk * total


@called(None)
def _add_turning_sections(m, wm, moving, turning, P):
    """Add the change of the loads of turning sections by θ̈ and g̈."""
    n, nc = turning.shape[0], P.shape[0]
    for j in range(n):
        load = 2 if j == 0 else 3 + c_of_g(j - 1, m)
        for k in range(n):
            P[2 if k == 0 else 3 + c_of_g(k - 1, m), load] += wm * turning[k, j]
        if moving:
            # by θ̈ alone, by which ū3 and ū6 fall
            P[nc - 4, load] += turning[0, j] - turning[1, j] - turning[2, j]


@called(None)
def _by_chord(l, Vx, Vy, Wx, Wy, wd, wk, P):
    """Change the gradients by (R1, θ, c) to those by (R1, d, θ1, θ2, ξ) in body axes; the new ones replace old ones in
    place:  0, 1: R1;  2: dy (θ / l);  3: θ1;  4: dx (l);  5: θ2;  6..: ξ"""
    nc = P.shape[0]
    il = 1.0 / l
    # derivatives of the rates of θ and l by ζx and ζy
    tdx = -Vy * il * il
    tdy = -Vx * il * il
    ldy = Vy * il
    tax = -Wy * il * il + 4.0 * Vx * Vy * il**3
    tay = -Wx * il * il + 2.0 * (Vx * Vx - Vy * Vy) * il**3
    lax = -Vy * Vy * il * il
    lay = Wy * il - 2.0 * Vx * Vy * il * il
    for j in range(P.shape[1]):
        theta = P[2, j] - P[3, j] - P[5, j]
        mt, ml = P[nc - 4, j], P[nc - 3, j]
        first_t = 2.0 * wd * mt + wk * P[nc - 2, j]
        first_l = 2.0 * wd * ml + wk * P[nc - 1, j]
        P[2, j] = theta * il + first_t * tdy + first_l * ldy + wk * (mt * tay + ml * lay)
        P[4, j] += first_t * tdx + wk * (mt * tax + ml * lax)


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    wm, wd, wk = w[0], w[1], w[2]
    # the mass matrix alone is that of an element at rest without loads; it needs no rates of θ and l
    moving = wd != 0.0 or wk != 0.0
    for i in range(p.shape[0]):
        m, ng, nl, nx, second = sizes(p, i)
        nf = 1 + nx + ng
        ny = 3 + nl
        nc = ny + 4 if moving else ny
        S, damping, gram, turning = tables(p, i, nl, ng, nf)
        co, si, l, Vx, Vy, Wx, Wy, om, al, ax, ay = motion(p, iq, iv, i, q, v, a, work)
        c, g, zeta, fields, loads, free = places(work, nl, ng, nx)
        y = vector_view(work, free, ny)
        r = vector_view(work, free + 3, nl)
        Sg = vector_view(work, free + ny, ng)
        free += ny + ng
        sums = matrix_view(work, free, 2 + ng, wide(nf))
        unit = matrix_view(work, free + sums.size, 2 * nf, wide(ny))
        # gradients of the loads on (R1 in body axes, θ, c) by these, a row for each, with weights
        P = matrix_view(work, free + sums.size + unit.size, nc, wide(ny))
        room = vector_view(work, free, ng * ng)
        amplitudes(m, ng, second, l, c, g, zeta)
        unit_loads(m, second, zeta, g, gram, sums, unit)
        il = 1.0 / l
        if moving:
            motion_gradients(m, second, om, al, ax, ay, wm, wd, wk, zeta, g, fields, unit, P)
            acceleration(om, al, ax, ay, zeta, g, fields)
            loads_of(gram, fields, loads)
            project(m, second, zeta, g, loads, y)
            if turning.shape[0] > 0:
                turn_sections(m, al, g, turning, y)
                _add_turning_sections(m, wm, True, turning, P)
            _add_geometric_tangent(m, nx, second, wk, g, loads, P)
            N, bent = elastic(p, i, m, S, damping, c, g, r, Sg)
            _add_elastic_tangent(p, i, m, wd, wk, S, damping, c, g, N, bent, Sg, room, P)
            _by_chord(l, Vx, Vy, Wx, Wy, wd, wk, P)
            # by θ: the body axes turn, and the force A F with them
            P[2, 0] -= wk * y[1] * il
            P[2, 1] += wk * y[0] * il
        else:
            mass_gradients(m, second, wm, zeta, g, unit, P)
            if turning.shape[0] > 0:
                _add_turning_sections(m, wm, False, turning, P)
            for j in range(ny):
                P[2, j] = (P[2, j] - P[3, j] - P[5, j]) * il
        # the loads likewise, and the change of the transformation itself
        for k in range(ny):
            P[k, 2] = (P[k, 2] - P[k, 3] - P[k, 5]) * il
        if moving:
            tau = (y[2] - r[0] - r[2]) * il
            P[2, 4] -= wk * tau * il
            P[2, 2] += wk * r[1] * il
            P[4, 2] -= wk * tau * il

        # to global axes and nodes: loads first
        for k in range(ny):
            r0, r1 = P[k, 0], P[k, 1]
            n0 = co * P[k, 4] - si * P[k, 2]
            n1 = si * P[k, 4] + co * P[k, 2]
            P[k, 0] = co * r0 - si * r1 - n0
            P[k, 1] = si * r0 + co * r1 - n1
            P[k, 4] = n0
            P[k, 2] = n1
        for j in range(ny):
            # `place` is the place in the instance of load j of P
            place = j
            if j == 2:
                place = 4
            elif j == 3:
                place = 2
            elif j == 4:
                place = 3
            r0, r1 = P[0, j], P[1, j]
            n0 = co * P[4, j] - si * P[2, j]
            n1 = si * P[4, j] + co * P[2, j]
            K[i, place, 0] += co * r0 - si * r1 - n0
            K[i, place, 1] += si * r0 + co * r1 - n1
            K[i, place, 2] += P[3, j]
            K[i, place, 3] += n0
            K[i, place, 4] += n1
            for k in range(5, ny):
                K[i, place, k] += P[k, j]
