"""Points and sections of a CMS beam in space, their rates, and forces at them.

The symbols are those of :mod:`flexmb.elements.spatial.cms_beam`. A force f and a moment M at a point, with F = Eᵀ f and
m = Eᵀ M, act

    on R₁: F,    on Π: s × F + m,    on c: s_cᵀ F + x_cᵀ Bᵀ m

with x = (v', w', φ) of the section and the matrix B of its rates (:mod:`flexmb.elements.spatial.cms.disks`); and from
there on the nodes as all forces do. Their change takes the columns of the tangent, in which F and m change by F × δΠ
and m × δΠ.
"""

from __future__ import annotations

import math

from flexmb.elements.cms_folds import shortening
from flexmb.elements.spatial.cms.curvature import curvature_gradient, curvature_hessian
from flexmb.elements.spatial.cms.disks import turning_matrix, turning_matrix_change
from flexmb.elements.spatial.cms.element import BETA, EA, EIY, EIZ, FIELD, FRAME, GAY, GJ, KEPT, LENGTH
from flexmb.elements.spatial.cms.forces import to_instance
from flexmb.elements.spatial.cms.frame import (
    ALPHA,
    OMEGA,
    QUATERNION,
    TO_GROUND,
    TURN,
    motion,
    moved_column,
    nine,
    on_nodes,
    sizes,
)
from flexmb.elements.spatial.cms.strains import stretching, tables, variables
from flexmb.elements.spatial.cms.swing import stumpff, stumpff_rates
from flexmb.elements.spatial.cms.tangent import matrix_to_instance
from flexmb.kernels.compilation import called, compiled, inlined, kernel
from flexmb.kernels.rotations import exp, product
from flexmb.kernels.vectors import applied, cross, plus, put, times, transposed, vector_in
from flexmb.kernels.views import matrix_view, vector_view


@inlined
def section_row(m, nv, nw):
    """Where the turns of sections begin in `w`, less one, as in the row of a Gauss point."""
    return 1 + 2 * m + nv + nw + nv * nv + nw * nw


@compiled
def bent_turn(x):
    """S(u) Rx(φ) of (v', w', φ), as a quaternion."""
    return product(exp((0.0, -x[1], x[0])), (math.cos(0.5 * x[2]), math.sin(0.5 * x[2]), 0.0, 0.0))


@inlined
def _quadratic(w, at, n, c, one, two, first):
    """g_oneᵀ H g_two of n coordinates from `first` on, with the orders of their rates."""
    total = 0.0
    for j in range(n):
        for k in range(n):
            total += w[at + j * n + k] * c[one, first + j] * c[two, first + k]
    return total


@called(None)
def place_at(m, nv, nw, second, w, c, s):
    """Local position s, ṡ, s̈ (9,), and (v', w', φ) with both rates behind them (18,)."""
    first, nt = 1 + m, c.shape[1] - 1 - m - nv - nw
    at_b, at_H, at = 2 + m, 2 + m + nv + nw, section_row(m, nv, nw)
    for order in range(3):
        x = w[1] * c[order, 0] + (w[0] if order == 0 else 0.0)
        y = 0.0
        z = 0.0
        for k in range(m):
            x += w[2 + k] * c[order, 1 + k]
        for k in range(nv):
            y += w[at_b + k] * c[order, first + k]
        for k in range(nw):
            z += w[at_b + nv + k] * c[order, first + nv + k]
        if second:
            for plane in range(2):
                n, begin, H = (nv, first, at_H) if plane == 0 else (nw, first + nv, at_H + nv * nv)
                if order == 0:
                    x += 0.5 * _quadratic(w, H, n, c, 0, 0, begin)
                elif order == 1:
                    x += _quadratic(w, H, n, c, 0, 1, begin)
                else:
                    x += _quadratic(w, H, n, c, 0, 2, begin) + _quadratic(w, H, n, c, 1, 1, begin)
        s[3 * order], s[3 * order + 1], s[3 * order + 2] = x, y, z
        x = 0.0
        y = 0.0
        z = 0.0
        for k in range(nv):
            x += w[at + 1 + k] * c[order, first + k]
        for k in range(nv, nv + nw):
            y += w[at + 1 + k] * c[order, first + k]
        for k in range(nv + nw, nv + nw + nt):
            z += w[at + 1 + k] * c[order, first + k]
        s[9 + 3 * order], s[10 + 3 * order], s[11 + 3 * order] = x, y, z


@kernel
def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        m, nv, nw, nt, nc = sizes(p, i)
        motion(p, iq, iv, i, q, v, a, work)
        H, c = vector_view(work, 0, FRAME), matrix_view(work, FRAME, 3, nc)
        X = vector_view(work, FRAME + 3 * nc, 18)
        place_at(m, nv, nw, p[i, FIELD] == 2.0, w, c, X)
        s, sd, sdd = vector_in(X, 0), vector_in(X, 3), vector_in(X, 6)
        x, xd, xdd = vector_in(X, 9), vector_in(X, 12), vector_in(X, 15)
        om, al, axes = vector_in(H, OMEGA), vector_in(H, ALPHA), nine(H, TO_GROUND)
        E = (H[QUATERNION], H[QUATERNION + 1], H[QUATERNION + 2], H[QUATERNION + 3])
        turned = product(E, bent_turn(x))
        f = stumpff(x[0] * x[0] + x[1] * x[1])
        B = turning_matrix(x[0], x[1], f)
        Bd = turning_matrix_change(x[0], x[1], f, stumpff_rates(f), xd[0], xd[1])
        own = applied(B, xd)
        alpha = plus(plus(al, cross(om, own)), plus(applied(Bd, xd), applied(B, xdd)))
        place = applied(axes, s)
        speed = applied(axes, plus(sd, cross(om, s)))
        faster = plus(sdd, plus(cross(al, s), plus(cross(om, cross(om, s)), times(2.0, cross(om, sd)))))
        faster = applied(axes, faster)
        omega, alpha = applied(axes, plus(om, own)), applied(axes, alpha)
        for k in range(3):
            out[i, k] = q[iq[i, k]] + place[k]
            out[i, 7 + k] = v[iv[i, k]] + speed[k]
            out[i, 10 + k] = omega[k]
            out[i, 13 + k] = a[iv[i, k]] + faster[k]
            out[i, 16 + k] = alpha[k]
        for k in range(4):
            out[i, 3 + k] = turned[k]


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        m, nv, nw, nt, nc = sizes(p, i)
        n, first, L = nv + nw + nt, 1 + m, p[i, LENGTH]
        motion(p, iq, iv, i, q, v, a, work)
        c = matrix_view(work, FRAME, 3, nc)
        free = FRAME + 3 * nc
        e = vector_view(work, free, nc)
        x, xd = vector_view(work, free + nc, 6), vector_view(work, free + nc + 6, 6)
        y, yd = vector_view(work, free + nc + 12, 6), vector_view(work, free + nc + 18, 6)
        kappa, B = vector_view(work, free + nc + 24, 3), matrix_view(work, free + nc + 27, 3, 6)
        A = matrix_view(work, free + nc + 45, 6, 6)
        at = section_row(m, nv, nw)
        strain, rate = c[0, 0] / L, c[1, 0] / L
        for k in range(m):
            strain += w[at + 1 - m + k] * c[0, 1 + k]
            rate += w[at + 1 - m + k] * c[1, 1 + k]
        if p[i, FIELD] > 0.0:
            S, _, _, _, _, _ = tables(p, i)
            for k in range(nc):
                e[k] = 0.0
            bent = 0.5 * stretching(S, vector_view(work, FRAME, nc), nv, nw, first, e) / L
            shorter, growth, _ = shortening(bent)
            strain += shorter
            for k in range(nc):
                rate += growth * e[k] * c[1, k] / L
        position, speeds = vector_view(work, FRAME, nc), vector_view(work, FRAME + nc, nc)
        variables(w, at, nv, nw, nt, first, position, x)
        variables(w, at, nv, nw, nt, first, speeds, xd)
        variables(w, at + n, nv, nw, nt, first, position, y)  # y = x' along the beam
        variables(w, at + n, nv, nw, nt, first, speeds, yd)
        curvature_gradient(x, kappa, B)
        out[i, 0] = strain
        out[i, 6] = p[i, EA] * (strain + p[i, BETA] * rate)
        moment, change = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        damped, faster = moment, change
        for j in range(3):
            stiffness = p[i, GJ] if j == 0 else p[i, EIY] if j == 1 else p[i, EIZ]
            unit = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
            curvature_hessian(x, kappa, B, unit[0], unit[1], unit[2], A)
            turning = 0.0
            bent = 0.0
            rate = 0.0
            for k in range(6):
                turning += B[j, k] * xd[k]
                bent += B[j, k] * y[k]
                rate += B[j, k] * yd[k]
                for h in range(6):
                    rate += A[k, h] * xd[k] * y[h]
            moment = plus(moment, times(stiffness * kappa[j], unit))
            change = plus(change, times(stiffness * bent, unit))
            damped = plus(damped, times(stiffness * (kappa[j] + p[i, BETA] * turning), unit))
            faster = plus(faster, times(stiffness * (bent + p[i, BETA] * rate), unit))
        turn = vector_in(kappa, 0)
        put(out[i], 3, turn)
        put(out[i], 9, damped)
        put_shear(p, i, out[i], shear_forces(turn, moment, change), shear_forces(turn, damped, faster))


@inlined
def shear_forces(kappa, moment, change):
    """(0, Qy, Qz) of Q = −(M' + κ × M), in the axes of the section, which turn by κ along the beam: what balances the
    moments of a piece of it."""
    turned = plus(change, cross(kappa, moment))
    return 0.0, -turned[2], turned[1]


@inlined
def put_shear(p, i, row, elastic, force):
    """Shear strains of the elastic part of the forces, and the forces; none of a plane without shear."""
    for k in range(1, 3):
        GA = p[i, GAY - 1 + k]
        row[k] = elastic[k] / GA if GA > 0.0 else 0.0
        row[6 + k] = force[k] if GA > 0.0 else math.nan


@inlined
def _bend(w, at_H, n, c, row, first, j):
    """(H g)_j of n coordinates from `first` on."""
    total = 0.0
    for k in range(n):
        total += w[at_H + j * n + k] * c[row, first + k]
    return total


@called(None)
def loads_at(m, nv, nw, second, w, c, s, force, moment, turning, y):
    """Forces y (6 + nc) of a force and a moment, with turning = Bᵀ m."""
    first, nc = 1 + m, c.shape[1]
    at_b, at_H, at = 2 + m, 2 + m + nv + nw, section_row(m, nv, nw)
    put(y, 0, force)
    put(y, 3, plus(cross(s, force), moment))
    y[6] = w[1] * force[0]
    for k in range(m):
        y[7 + k] = w[2 + k] * force[0]
    for plane in range(2):
        n, begin, H = (nv, first, at_H) if plane == 0 else (nw, first + nv, at_H + nv * nv)
        for k in range(n):
            value = w[at_b + plane * nv + k] * force[1 + plane] + w[at + 1 + plane * nv + k] * turning[plane]
            if second:
                value += _bend(w, H, n, c, 0, begin, k) * force[0]
            y[6 + begin + k] = value
    for k in range(nv + nw, nc - first):
        y[6 + first + k] = w[at + 1 + k] * turning[2]


@called(None)
def _loads_change(m, nv, nw, second, w, c, s, y, force, dforce, dmoment, dturning, dc, dy):
    """Change of these forces y when c changes by dc, and what acts by dforce, dmoment and dturning."""
    first = 1 + m
    at_b, at_H = 2 + m, 2 + m + nv + nw
    loads_at(m, nv, nw, second, w, c, s, dforce, dmoment, dturning, dy)
    # sx depends on c as y / Fx says; what s adds is its own change
    x = w[1] * dc[0, 0]
    across = (0.0, 0.0)
    for k in range(m):
        x += w[2 + k] * dc[0, 1 + k]
    for plane in range(2):
        n, begin, H = (nv, first, at_H) if plane == 0 else (nw, first + nv, at_H + nv * nv)
        total = 0.0
        for k in range(n):
            total += w[at_b + plane * nv + k] * dc[0, begin + k]
            if second:
                x += _bend(w, H, n, c, 0, begin, k) * dc[0, begin + k]
                dy[6 + begin + k] += _bend(w, H, n, dc, 0, begin, k) * force[0]
        across = (total, across[1]) if plane == 0 else (across[0], total)
    moment = cross((x, across[0], across[1]), force)
    for k in range(3):
        dy[3 + k] += moment[k]


@kernel
def point_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    wk = w[len(w) - 1]
    nspeeds = iv.shape[1]
    for i in range(p.shape[0]):
        m, nv, nw, nt, nc = sizes(p, i)
        columns, second = 6 + nc, p[i, FIELD] == 2.0
        motion(p, iq, iv, i, q, v, a, work)
        H, c = vector_view(work, 0, FRAME), matrix_view(work, FRAME, 3, nc)
        free = FRAME + 3 * nc
        X, y, z = (
            vector_view(work, free, 18),
            vector_view(work, free + 18, 6 + nc),
            vector_view(work, free + 24 + nc, 9),
        )
        free += 33 + nc
        place_at(m, nv, nw, second, w, c, X)
        s, x = vector_in(X, 0), vector_in(X, 9)
        f = stumpff(x[0] * x[0] + x[1] * x[1])
        B = turning_matrix(x[0], x[1], f)
        back, to_frame = transposed(B), transposed(nine(H, TO_GROUND))
        for row in range(6):
            unit = (1.0 if row % 3 == 0 else 0.0, 1.0 if row % 3 == 1 else 0.0, 1.0 if row % 3 == 2 else 0.0)
            along = applied(to_frame, unit)
            force = times(1.0 if row < 3 else 0.0, along)
            moment = times(0.0 if row < 3 else 1.0, along)
            loads_at(m, nv, nw, second, w, c, s, force, moment, applied(back, moment), y)
            on_nodes(H, c, m, nv, nw, y, z)
            to_instance(H, m, nv, nw, y, z, matrix_view(out, (6 * i + row) * nspeeds, 1, nspeeds), 0)
        if wk == 0.0:
            continue
        kept = matrix_view(work, free, columns, KEPT)
        dc = matrix_view(work, free + columns * KEPT, columns, 3 * nc)
        free += columns * (KEPT + 3 * nc)
        P = matrix_view(work, free, 6 + nc, columns)
        free += (6 + nc) * columns
        dy = vector_view(work, free, 6 + nc)
        room = vector_view(work, free + 6 + nc, len(work) - free - 6 - nc)
        rates = stumpff_rates(f)
        force, moment = applied(to_frame, vector_in(lam[i], 0)), applied(to_frame, vector_in(lam[i], 3))
        loads_at(m, nv, nw, second, w, c, s, force, moment, applied(back, moment), y)
        on_nodes(H, c, m, nv, nw, y, z)
        for k in range(columns):
            own = matrix_view(dc, k * 3 * nc, 3, nc)
            keep = vector_view(kept, k * KEPT, KEPT)
            moved_column(H, c, m, nv, nw, k, 0.0, 0.0, wk, keep, own)
            turn = vector_in(keep, TURN)
            dforce, dmoment = cross(force, turn), cross(moment, turn)
            d0 = 0.0
            d1 = 0.0
            at = section_row(m, nv, nw)
            for j in range(nv):
                d0 += w[at + 1 + j] * own[0, 1 + m + j]
            for j in range(nv, nv + nw):
                d1 += w[at + 1 + j] * own[0, 1 + m + j]
            dB = turning_matrix_change(x[0], x[1], f, rates, d0, d1)
            dturning = plus(applied(transposed(dB), moment), applied(back, dmoment))
            _loads_change(m, nv, nw, second, w, c, s, y, force, dforce, dmoment, dturning, own, dy)
            for j in range(6 + nc):
                P[j, k] = dy[j]
        matrix_to_instance(H, c, m, nv, nw, y, z, kept, dc, P, room, K, i)
