"""Inertia of a CMS beam in space: its acceleration in the chord frame as a sum of functions, and what moves with them.

With the functions f = (1; X; b) of :mod:`flexmb.elements.cms_shapes` a point stands at

    s = (X·ζ, b·g_v, b·g_w),     ζ = (l; ξx; ½ (g_v,i² + g_w,i²), g_v,i g_v,j + g_w,i g_w,j)

in the axes of the frame, which turns with Ω. With W = α̃ + Ω̃ Ω̃ and a₀ = Eᵀ(R̈₁ − g), the coefficients of its acceleration

    of 1:    a₀
    of X_e:  W e_x ζ_e + 2 Ω × e_x ζ̇_e + e_x ζ̈_e
    of b_k:  W e_y g_v,k + 2 Ω × e_y ġ_v,k + e_y g̈_v,k,   and so with z and g_w

G, the integrals of ρA f fᵀ, turn these into loads F, which act by the functions that move with a coordinate: on R₁ by
1; on the turn Π of the frame by ζ_e e_x × F_e + …; on ū4 by η, on ξx by Φx; on g_v,j by b_j along y and by Σ g_v,k X_jk
along x.

Where shear makes the shapes of both planes differ, H and b, and with them ζ of the quadratic terms, are there twice,
first along y, then along z: in the code `apart` is how far apart they stand, 0 where both planes share them.

In `work`, g is kept as rows g_v, g_w, ġ_v, ġ_w, g̈_v, g̈_w (6, nb), filled up with zeros.
"""

from __future__ import annotations

from flexmb.elements.cms_products import pair
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.vectors import cross, plus, times


@inlined
def bending_of(c, m, nv, nw, g):
    """Fill g (6, nb) from c or from a change of it (3, nc)."""
    first = 1 + m
    for order in range(3):
        for k in range(g.shape[1]):
            g[2 * order, k] = c[order, first + k] if k < nv else 0.0
            g[2 * order + 1, k] = c[order, first + nv + k] if k < nw else 0.0


@inlined
def apart_in_x(m, second, nx, nb):
    """Number of functions X between the H_ij of bending along y and those along z."""
    return nx - 1 - m - (nb * (nb + 1)) // 2 if second else 0


@inlined
def amplitudes(m, second, l, c, g, zeta):
    """Fill ζ, ζ̇, ζ̈ (3, nx)."""
    for order in range(3):
        for k in range(1 + m):
            zeta[order, k] = c[order, k]
        for k in range(1 + m, zeta.shape[1]):
            zeta[order, k] = 0.0
    zeta[0, 0] = l
    apart = apart_in_x(m, second, zeta.shape[1], g.shape[1])
    if second:
        for plane in range(2):
            place = 1 + m + plane * apart
            for j in range(g.shape[1]):
                gj, vj, aj = g[plane, j], g[2 + plane, j], g[4 + plane, j]
                for k in range(j, g.shape[1]):
                    half = 0.5 if j == k else 1.0
                    gk, vk, ak = g[plane, k], g[2 + plane, k], g[4 + plane, k]
                    zeta[0, place] += half * gj * gk
                    zeta[1, place] += half * (gj * vk + vj * gk)
                    zeta[2, place] += half * (gj * ak + 2.0 * vj * vk + aj * gk)
                    place += 1


@inlined
def amplitudes_change(m, second, dc, g, dg, dzeta):
    """Fill the changes of ζ, ζ̇, ζ̈ that follow from changes dc, dg."""
    for order in range(3):
        for k in range(1 + m):
            dzeta[order, k] = dc[order, k]
        for k in range(1 + m, dzeta.shape[1]):
            dzeta[order, k] = 0.0
    apart = apart_in_x(m, second, dzeta.shape[1], g.shape[1])
    if second:
        for plane in range(2):
            place = 1 + m + plane * apart
            for j in range(g.shape[1]):
                gj, vj, aj = g[plane, j], g[2 + plane, j], g[4 + plane, j]
                hj, wj, bj = dg[plane, j], dg[2 + plane, j], dg[4 + plane, j]
                for k in range(j, g.shape[1]):
                    half = 0.5 if j == k else 1.0
                    gk, vk, ak = g[plane, k], g[2 + plane, k], g[4 + plane, k]
                    hk, wk, bk = dg[plane, k], dg[2 + plane, k], dg[4 + plane, k]
                    dzeta[0, place] += half * (hj * gk + gj * hk)
                    dzeta[1, place] += half * (hj * vk + gj * wk + wj * gk + vj * hk)
                    acceleration = hj * ak + gj * bk + 2.0 * (wj * vk + vj * wk) + bj * gk + aj * hk
                    dzeta[2, place] += half * acceleration
                    place += 1


@inlined
def axis(k):
    """The unit vector k."""
    return 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0


@inlined
def turning(om, al, k):
    """W e_k."""
    e = axis(k)
    return plus(cross(al, e), cross(om, cross(om, e)))


@inlined
def turning_change(om, dom, dal, k):
    """Change of W e_k."""
    e = axis(k)
    return plus(cross(dal, e), plus(cross(dom, cross(om, e)), cross(om, cross(dom, e))))


@inlined
def add_terms(fields, row, column, step, A, B, k, x0, x1, x2):
    """fields[row] += A x0 + B x1 + e_k x2, with the components `step` columns apart."""
    fields[row, column] += A[0] * x0 + B[0] * x1
    fields[row, column + step] += A[1] * x0 + B[1] * x1
    fields[row, column + 2 * step] += A[2] * x0 + B[2] * x1
    fields[row, column + k * step] += x2


@called(None)
def acceleration(om, al, push, zeta, g, fields):
    """Coefficients (nf, 3) of the acceleration."""
    nx, nb = zeta.shape[1], g.shape[1]
    apart = fields.shape[0] - 1 - nx - nb
    for f in range(fields.shape[0]):
        for k in range(3):
            fields[f, k] = push[k] if f == 0 else 0.0
    for k in range(3):
        W, V = turning(om, al, k), times(2.0, cross(om, axis(k)))
        if k == 0:
            for e in range(nx):
                add_terms(fields, 1 + e, 0, 1, W, V, 0, zeta[0, e], zeta[1, e], zeta[2, e])
        else:
            for b in range(nb):
                at = 1 + nx + b + (k - 1) * apart
                add_terms(fields, at, 0, 1, W, V, k, g[k - 1, b], g[k + 1, b], g[k + 3, b])


@called(None)
def velocity(om, push, zeta, g, fields):
    """Coefficients (nf, 3) of the velocity; `push` is that of R₁."""
    nx, nb = zeta.shape[1], g.shape[1]
    apart = fields.shape[0] - 1 - nx - nb
    for f in range(fields.shape[0]):
        for k in range(3):
            fields[f, k] = push[k] if f == 0 else 0.0
    for k in range(3):
        W = cross(om, axis(k))
        if k == 0:
            for e in range(nx):
                add_terms(fields, 1 + e, 0, 1, W, W, 0, zeta[0, e], 0.0, zeta[1, e])
        else:
            for b in range(nb):
                add_terms(fields, 1 + nx + b + (k - 1) * apart, 0, 1, W, W, k, g[k - 1, b], 0.0, g[k + 1, b])


@called(None)
def acceleration_change(om, al, dom, dal, dpush, zeta, g, dzeta, dg, column, fields):
    """Change of the coefficients, into column `column` of each of the three components of fields (nf, 3 columns)."""
    nx, nb = zeta.shape[1], g.shape[1]
    step = fields.shape[1] // 3
    apart = fields.shape[0] - 1 - nx - nb
    for f in range(fields.shape[0]):
        for k in range(3):
            fields[f, column + k * step] = dpush[k] if f == 0 else 0.0
    for k in range(3):
        W, V = turning(om, al, k), times(2.0, cross(om, axis(k)))
        dW, dV = turning_change(om, dom, dal, k), times(2.0, cross(dom, axis(k)))
        if k == 0:
            for e in range(nx):
                add_terms(fields, 1 + e, column, step, W, V, 0, dzeta[0, e], dzeta[1, e], dzeta[2, e])
                add_terms(fields, 1 + e, column, step, dW, dV, 0, zeta[0, e], zeta[1, e], 0.0)
        else:
            for b in range(nb):
                at = 1 + nx + b + (k - 1) * apart
                add_terms(fields, at, column, step, W, V, k, dg[k - 1, b], dg[k + 1, b], dg[k + 3, b])
                add_terms(fields, at, column, step, dW, dV, k, g[k - 1, b], g[k + 1, b], 0.0)


@called(None)
def loads_of(gram, fields, loads):
    """G times the coefficients (nf, 3)."""
    nf = gram.shape[0]
    for e in range(nf):
        x = 0.0
        y = 0.0
        z = 0.0
        for f in range(nf):
            x += gram[e, f] * fields[f, 0]
            y += gram[e, f] * fields[f, 1]
            z += gram[e, f] * fields[f, 2]
        loads[e, 0], loads[e, 1], loads[e, 2] = x, y, z


@called(None)
def project(m, nv, nw, second, zeta, g, loads, y):
    """Add loads (nf, 3) to the forces y (6 + nc) on R₁, Π and c."""
    nx, nb = zeta.shape[1], g.shape[1]
    apart, apart_H = loads.shape[0] - 1 - nx - nb, apart_in_x(m, second, nx, nb)
    for k in range(3):
        y[k] += loads[0, k]
    for e in range(nx):
        y[4] -= zeta[0, e] * loads[1 + e, 2]
        y[5] += zeta[0, e] * loads[1 + e, 1]
    for k in range(1 + m):
        y[6 + k] += loads[1 + k, 0]
    for b in range(nb):
        at = 1 + nx + b
        # e_y × F = (Fz, 0, −Fx),  e_z × F = (−Fy, Fx, 0)
        y[3] += g[0, b] * loads[at, 2] - g[1, b] * loads[at + apart, 1]
        y[4] += g[1, b] * loads[at + apart, 0]
        y[5] -= g[0, b] * loads[at, 0]
        v, w = loads[at, 1], loads[at + apart, 2]
        if second:
            for k in range(nb):
                along = 2 + m + pair(b, k, nb)
                v += g[0, k] * loads[along, 0]
                w += g[1, k] * loads[along + apart_H, 0]
        if b < nv:
            y[7 + m + b] += v
        if b < nw:
            y[7 + m + nv + b] += w


@called(None)
def loads_of_all(gram, fields, loads):
    """G times all columns (nf, 2 nc)."""
    nf, columns = fields.shape
    whole = nf - nf % 4
    for e in range(nf):
        for k in range(columns):
            loads[e, k] = 0.0
        for f in range(0, whole, 4):
            g0, g1, g2, g3 = gram[e, f], gram[e, f + 1], gram[e, f + 2], gram[e, f + 3]
            for k in range(columns):
                loads[e, k] += g0 * fields[f, k] + g1 * fields[f + 1, k] + g2 * fields[f + 2, k] + g3 * fields[f + 3, k]
        for f in range(whole, nf):
            g0 = gram[e, f]
            for k in range(columns):
                loads[e, k] += g0 * fields[f, k]


@called(None)
def project_all(m, nv, nw, second, zeta, g, loads, P):
    """Add loads (nf, 3 columns) of all columns on R₁, Π and c to P (6 + nc, columns)."""
    nx, nb = zeta.shape[1], g.shape[1]
    apart, apart_H = loads.shape[0] - 1 - nx - nb, apart_in_x(m, second, nx, nb)
    n = P.shape[1]
    for j in range(3):
        for k in range(n):
            P[j, k] += loads[0, j * n + k]
    for e in range(nx):
        amount = zeta[0, e]
        for k in range(n):
            P[4, k] -= amount * loads[1 + e, 2 * n + k]
            P[5, k] += amount * loads[1 + e, n + k]
    for j in range(1 + m):
        for k in range(n):
            P[6 + j, k] += loads[1 + j, k]
    for b in range(nb):
        at = 1 + nx + b
        gv, gw = g[0, b], g[1, b]
        for k in range(n):
            P[3, k] += gv * loads[at, 2 * n + k] - gw * loads[at + apart, n + k]
            P[4, k] += gw * loads[at + apart, k]
            P[5, k] -= gv * loads[at, k]
        for plane in range(2):
            if b < (nv if plane == 0 else nw):
                row = 7 + m + b + plane * nv
                for k in range(n):
                    P[row, k] += loads[at + plane * apart, (1 + plane) * n + k]
                if second:
                    for j in range(nb):
                        amount = g[plane, j]
                        along = 2 + m + pair(b, j, nb) + plane * apart_H
                        for k in range(n):
                            P[row, k] += amount * loads[along, k]


@called(None)
def shapes_change(m, nv, nw, second, dzeta, dg, loads, column, P):
    """Put into a column of P the change of the projected loads (nf, 3) by that of ζ and g, with which they act."""
    nx, nb = dzeta.shape[1], dg.shape[1]
    apart, apart_H = loads.shape[0] - 1 - nx - nb, apart_in_x(m, second, nx, nb)
    for j in range(P.shape[0]):
        P[j, column] = 0.0
    for e in range(nx):
        P[4, column] -= dzeta[0, e] * loads[1 + e, 2]
        P[5, column] += dzeta[0, e] * loads[1 + e, 1]
    for b in range(nb):
        at = 1 + nx + b
        P[3, column] += dg[0, b] * loads[at, 2] - dg[1, b] * loads[at + apart, 1]
        P[4, column] += dg[1, b] * loads[at + apart, 0]
        P[5, column] -= dg[0, b] * loads[at, 0]
        if second:
            for j in range(nb):
                along = 2 + m + pair(b, j, nb)
                if b < nv:
                    P[7 + m + b, column] += dg[0, j] * loads[along, 0]
                if b < nw:
                    P[7 + m + nv + b, column] += dg[1, j] * loads[along + apart_H, 0]
