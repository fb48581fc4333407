"""Points of a CMS beam, their rates, and forces at them.

The symbols are those of :mod:`flexmb.elements.planar.cms_beam`. A force f and a moment M at a point, which do not
change, have the potential −Π with

    Π = f·r + M ψ,    r = R1 + A(θ) s(c),    ψ = θ + b'·g

so Jᵀ(f, M) = ∂Π/∂q, and ∂(Jᵀ(f, M))/∂q is the symmetric second derivative. With F = Aᵀ f and s_c = ∂s/∂c,

    Π_θ = s × F + M,    Π_c = s_cᵀ F + b' M
    Π_θθ = −s·F,        Π_θc = s_c × F,        Π_cc = H Fx (of g)

c falls by θ in ū3 and ū6, which changes both to (θ, l, θ1, θ2, ξ); and θ and l depend on the nodes through d alone: for
a variation ζ of d in body axes,

    δθ = ζy/l,   δl = ζx,   δ²θ = −2 ζx ζy/l²,   δ²l = ζy²/l
"""

from __future__ import annotations

from flexmb.elements.planar.cms.inertia import AXIAL, BENDING, FIELD, TURN1, c_of_g, motion
from flexmb.kernels.compilation import inlined, kernel
from flexmb.kernels.views import matrix_view, vector_view


@kernel
def point(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        m = int(p[i, AXIAL])
        n = int(p[i, BENDING])
        second = p[i, FIELD] == 2.0
        nl = 3 + m + n
        ng = 2 + n
        g_at = 3 * nl
        co, si, l, Vx, Vy, Wx, Wy, om, al, ax, ay = motion(p, iq, iv, i, q, v, a, work)
        # w holds the values of the shapes: x, η, Φx, b, b', H
        sx = w[0] + w[1] * work[1]
        vx = w[1] * work[nl + 1]
        bx = w[1] * work[2 * nl + 1]
        for k in range(m):
            sx += w[2 + k] * work[3 + k]
            vx += w[2 + k] * work[nl + 3 + k]
            bx += w[2 + k] * work[2 * nl + 3 + k]
        sy = 0.0
        vy = 0.0
        by = 0.0
        turn = 0.0
        turn1 = 0.0
        turn2 = 0.0
        for k in range(ng):
            b = w[2 + m + k]
            slope = w[2 + m + ng + k]
            sy += b * work[g_at + k]
            vy += b * work[g_at + ng + k]
            by += b * work[g_at + 2 * ng + k]
            turn += slope * work[g_at + k]
            turn1 += slope * work[g_at + ng + k]
            turn2 += slope * work[g_at + 2 * ng + k]
        if second:
            H = 2 + m + 2 * ng
            for j in range(ng):
                for k in range(ng):
                    h = w[H + j * ng + k]
                    sx += 0.5 * h * work[g_at + j] * work[g_at + k]
                    vx += h * work[g_at + j] * work[g_at + ng + k]
                    bx += h * (work[g_at + j] * work[g_at + 2 * ng + k] + work[g_at + ng + j] * work[g_at + ng + k])
        out[i, 0] = q[iq[i, 0]] + co * sx - si * sy
        out[i, 1] = q[iq[i, 1]] + si * sx + co * sy
        out[i, 2] = q[iq[i, 2]] - p[i, TURN1] - work[0] + turn
        ux = vx - om * sy
        uy = vy + om * sx
        out[i, 3] = v[iv[i, 0]] + co * ux - si * uy
        out[i, 4] = v[iv[i, 1]] + si * ux + co * uy
        out[i, 5] = om + turn1
        ux = bx - al * sy - om * om * sx - 2.0 * om * vy
        uy = by + al * sx - om * om * sy + 2.0 * om * vx
        out[i, 6] = a[iv[i, 0]] + co * ux - si * uy
        out[i, 7] = a[iv[i, 1]] + si * ux + co * uy
        out[i, 8] = al + turn2


# w holds the values of the shapes, x, η, Φx, b, b', H, and wk as its last number


@inlined
def _shapes(m, ng, second, w, work, g, s_c, turns):
    """Local position; fill s_c (2, nl) and ∂(b'·g)/∂c (nl,)."""
    for k in range(s_c.shape[1]):
        s_c[0, k] = 0.0
        s_c[1, k] = 0.0
        turns[k] = 0.0
    sx = w[0] + w[1] * work[1]
    sy = 0.0
    s_c[0, 1] = w[1]
    for k in range(m):
        sx += w[2 + k] * work[3 + k]
        s_c[0, 3 + k] = w[2 + k]
    for j in range(ng):
        c = c_of_g(j, m)
        sy += w[2 + m + j] * g[j]
        s_c[1, c] = w[2 + m + j]
        turns[c] = w[2 + m + ng + j]
        if second:
            total = 0.0
            for k in range(ng):
                total += w[2 + m + 2 * ng + j * ng + k] * g[k]
            s_c[0, c] = total
            sx += 0.5 * total * g[j]
    return sx, sy


@kernel
def point_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    wk = w[len(w) - 1]
    nv = iv.shape[1]
    for i in range(p.shape[0]):
        m = int(p[i, AXIAL])
        ng = 2 + int(p[i, BENDING])
        nl = 1 + m + ng
        second = p[i, FIELD] == 2.0
        co, si, l, _, _, _, _, _, _, _, _ = motion(p, iq, iv, i, q, v, a, work)
        il = 1.0 / l
        free = 3 * nl + 3 * ng
        g = vector_view(work, 3 * nl, ng)
        s_c = matrix_view(work, free, 2, nl)
        turns = vector_view(work, free + 2 * nl, nl)
        P = matrix_view(work, free + 3 * nl, 1 + nl, 1 + nl)
        sx, sy = _shapes(m, ng, second, w, work, g, s_c, turns)
        for row in range(3):
            # a unit force along x or y in body axes, or a unit moment
            fx = co if row == 0 else si if row == 1 else 0.0
            fy = -si if row == 0 else co if row == 1 else 0.0
            moment = 1.0 if row == 2 else 0.0
            at = row * nv
            for k in range(3, nl):
                out[i, at + 3 + k] = s_c[0, k] * fx + s_c[1, k] * fy + turns[k] * moment
            c0 = s_c[0, 0] * fx + s_c[1, 0] * fy + turns[0] * moment
            c2 = s_c[0, 2] * fx + s_c[1, 2] * fy + turns[2] * moment
            along = s_c[0, 1] * fx + s_c[1, 1] * fy
            across = (sx * fy - sy * fx + moment - c0 - c2) * il
            out[i, at] = co * (fx - along) - si * (fy - across)
            out[i, at + 1] = si * (fx - along) + co * (fy - across)
            out[i, at + 2] = c0
            out[i, at + 3] = co * along - si * across
            out[i, at + 4] = si * along + co * across
            out[i, at + 5] = c2
        if wk == 0.0:
            continue
        fx = wk * (co * lam[i, 0] + si * lam[i, 1])
        fy = wk * (co * lam[i, 1] - si * lam[i, 0])
        moment = wk * lam[i, 2]
        # second derivatives by (θ, c)
        for j in range(1 + nl):
            for k in range(1 + nl):
                P[j, k] = 0.0
        P[0, 0] = -(sx * fx + sy * fy)
        for k in range(nl):
            P[0, 1 + k] = s_c[0, k] * fy - s_c[1, k] * fx
            P[1 + k, 0] = P[0, 1 + k]
        if second:
            for j in range(ng):
                for k in range(ng):
                    P[1 + c_of_g(j, m), 1 + c_of_g(k, m)] = fx * w[2 + m + 2 * ng + j * ng + k]
        # by (θ, θ1, l, θ2, ξ): ū3 and ū6 fall by θ
        for k in range(1 + nl):
            P[k, 0] -= P[k, 1] + P[k, 3]
        for k in range(1 + nl):
            P[0, k] -= P[1, k] + P[3, k]
        by_turn = sx * fy - sy * fx + moment
        for k in range(0, 3, 2):
            by_turn -= s_c[0, k] * fx + s_c[1, k] * fy + turns[k] * moment
        by_length = s_c[0, 1] * fx + s_c[1, 1] * fy
        # by d in body axes, in place of θ and l
        for k in range(1 + nl):
            P[k, 0] *= il
        for k in range(1 + nl):
            P[0, k] *= il
        P[0, 0] += by_length * il
        P[0, 2] -= by_turn * il * il
        P[2, 0] -= by_turn * il * il
        # to the nodes: rows and columns ζy, θ1, ζx, θ2, ξ
        for j in range(1 + nl):
            if j != 0 and j != 2:
                own_row = 2 if j == 1 else 5 if j == 3 else 2 + j
                x = co * P[j, 2] - si * P[j, 0]
                y = si * P[j, 2] + co * P[j, 0]
                K[i, own_row, 0] -= x
                K[i, own_row, 1] -= y
                K[i, own_row, 3] += x
                K[i, own_row, 4] += y
                K[i, 0, own_row] -= x
                K[i, 1, own_row] -= y
                K[i, 3, own_row] += x
                K[i, 4, own_row] += y
                for k in range(1 + nl):
                    if k != 0 and k != 2:
                        own_column = 2 if k == 1 else 5 if k == 3 else 2 + k
                        K[i, own_row, own_column] += P[j, k]
        xx = co * co * P[2, 2] - 2.0 * co * si * P[0, 2] + si * si * P[0, 0]
        xy = co * si * (P[2, 2] - P[0, 0]) + (co * co - si * si) * P[0, 2]
        yy = si * si * P[2, 2] + 2.0 * co * si * P[0, 2] + co * co * P[0, 0]
        for j in range(0, 6, 3):
            for k in range(0, 6, 3):
                sign = 1.0 if j == k else -1.0
                K[i, j, k] += sign * xx
                K[i, j, k + 1] += sign * xy
                K[i, j + 1, k] += sign * xy
                K[i, j + 1, k + 1] += sign * yy
