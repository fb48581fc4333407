"""The exact tangent of the forces of an ANCF cable element, see :mod:`flexmb.elements.planar.ancf_cable`."""

from __future__ import annotations

import math

from flexmb.elements.hermite import AXIAL, AXIAL_PAIRS, BENDING, BENDING_PAIRS
from flexmb.elements.planar.ancf.shapes import BETA, EA, EI, LENGTH, RHO_A, local
from flexmb.kernels.compilation import kernel

# 2×2 blocks in `work`, 4 numbers each: sums over Gauss points of ∂force/∂strain times products of shapes
#   0..5   p, p with (1, h2, h4, h2h2, h2h4, h4h4)        6..11   p, c with (1, h2, h4) × (g2, g4)
#   12..17 c, p with the same                             18..20  c, c with (g2g2, g2g4, g4g4)
BLOCKS = 84


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        il = 1.0 / L
        m = w[0] * p[i, RHO_A] * L * (1.0 / 420.0)
        if m != 0.0:
            mL = m * L
            mLL = mL * L
            for j in range(2):
                K[i, j, j] += 156.0 * m
                K[i, j, 2 + j] += 22.0 * mL
                K[i, j, 4 + j] += 54.0 * m
                K[i, j, 6 + j] -= 13.0 * mL
                K[i, 2 + j, j] += 22.0 * mL
                K[i, 2 + j, 2 + j] += 4.0 * mLL
                K[i, 2 + j, 4 + j] += 13.0 * mL
                K[i, 2 + j, 6 + j] -= 3.0 * mLL
                K[i, 4 + j, j] += 54.0 * m
                K[i, 4 + j, 2 + j] += 13.0 * mL
                K[i, 4 + j, 4 + j] += 156.0 * m
                K[i, 4 + j, 6 + j] -= 22.0 * mL
                K[i, 6 + j, j] -= 13.0 * mL
                K[i, 6 + j, 2 + j] -= 3.0 * mLL
                K[i, 6 + j, 4 + j] -= 22.0 * mL
                K[i, 6 + j, 6 + j] += 4.0 * mLL
        beta = p[i, BETA]
        wk = w[2]
        wb = w[1] * beta
        if wk == 0.0 and wb == 0.0:  # explicit methods ask for the mass alone
            continue
        dx, dy, ax, ay, bx, by = local(iq, i, il, q)
        damped = beta != 0.0
        ddx = ddy = dax = day = dbx = dby = 0.0
        if damped:
            ddx, ddy, dax, day, dbx, dby = local(iv, i, il, v)
        for k in range(BLOCKS):
            work[k] = 0.0
        scale = p[i, EA] * L
        for k in range(5):
            h2, h4 = AXIAL[k, 0], AXIAL[k, 1]
            rx = dx + h2 * ax + h4 * bx
            ry = dy + h2 * ay + h4 * by
            i1 = 1.0 / math.sqrt(rx * rx + ry * ry)
            tx = rx * i1
            ty = ry * i1
            # change of the force N t: t ∂N + N/|r'| n nᵀ, with n the normal (−ty, tx)
            n = wk * scale * (1.0 - i1)
            yx = (wk + wb) * scale * tx
            yy = (wk + wb) * scale * ty
            if damped:
                vx = ddx + h2 * dax + h4 * dbx
                vy = ddy + h2 * day + h4 * dby
                n += wk * scale * beta * (tx * vx + ty * vy) * i1
                across = wk * scale * beta * (tx * vy - ty * vx) * i1
                yx -= across * ty
                yy += across * tx
            Dxx = tx * yx + n * ty * ty
            Dxy = tx * yy - n * tx * ty
            Dyx = ty * yx - n * tx * ty
            Dyy = ty * yy + n * tx * tx
            for j in range(6):
                h = AXIAL_PAIRS[k, j]
                work[4 * j] += h * Dxx
                work[4 * j + 1] += h * Dxy
                work[4 * j + 2] += h * Dyx
                work[4 * j + 3] += h * Dyy
        scale = p[i, EI] * il
        for k in range(3):
            h2, h4, g2, g4 = BENDING[k, 0], BENDING[k, 1], BENDING[k, 2], BENDING[k, 3]
            rx = dx + h2 * ax + h4 * bx
            ry = dy + h2 * ay + h4 * by
            cx = g2 * ax + g4 * bx
            cy = g2 * ay + g4 * by
            i2 = 1.0 / (rx * rx + ry * ry)
            kappa = (rx * cy - ry * cx) * i2
            # first derivatives of κ: (px, py) with respect to r', (−ry, rx) i2 with respect to r''
            px = (cy - 2.0 * kappa * rx) * i2
            py = (-cx - 2.0 * kappa * ry) * i2
            sx = -ry * i2
            sy = rx * i2
            # second derivatives: symmetric (a, b, c) for r' r', and (e, f; g, −e) for r' r''
            ha = (-4.0 * i2 * cy * rx + 8.0 * kappa * i2 * rx * rx - 2.0 * kappa) * i2
            hb = (-2.0 * i2 * (cy * ry - cx * rx) + 8.0 * kappa * i2 * rx * ry) * i2
            hc = (4.0 * i2 * cx * ry + 8.0 * kappa * i2 * ry * ry - 2.0 * kappa) * i2
            he = 2.0 * rx * ry * i2 * i2
            hf = (1.0 - 2.0 * rx * rx * i2) * i2
            hg = (2.0 * ry * ry * i2 - 1.0) * i2
            y0 = (wk + wb) * px
            y1 = (wk + wb) * py
            y2 = (wk + wb) * sx
            y3 = (wk + wb) * sy
            m = wk * kappa
            if damped:
                vx = ddx + h2 * dax + h4 * dbx
                vy = ddy + h2 * day + h4 * dby
                ux = g2 * dax + g4 * dbx
                uy = g2 * day + g4 * dby
                b = wk * beta
                m += b * (px * vx + py * vy + sx * ux + sy * uy)
                y0 += b * (ha * vx + hb * vy + he * ux + hf * uy)
                y1 += b * (hb * vx + hc * vy + hg * ux - he * uy)
                y2 += b * (he * vx + hg * vy)
                y3 += b * (hf * vx - he * vy)
            m *= scale
            y0 *= scale
            y1 *= scale
            y2 *= scale
            y3 *= scale
            Dxx = px * y0 + m * ha
            Dxy = px * y1 + m * hb
            Dyx = py * y0 + m * hb
            Dyy = py * y1 + m * hc
            Exx = px * y2 + m * he
            Exy = px * y3 + m * hf
            Eyx = py * y2 + m * hg
            Eyy = py * y3 - m * he
            Fxx = sx * y0 + m * he
            Fxy = sx * y1 + m * hg
            Fyx = sy * y0 + m * hf
            Fyy = sy * y1 - m * he
            for j in range(6):
                h = BENDING_PAIRS[k, j]
                work[4 * j] += h * Dxx
                work[4 * j + 1] += h * Dxy
                work[4 * j + 2] += h * Dyx
                work[4 * j + 3] += h * Dyy
                h = BENDING_PAIRS[k, 6 + j]
                work[24 + 4 * j] += h * Exx
                work[25 + 4 * j] += h * Exy
                work[26 + 4 * j] += h * Eyx
                work[27 + 4 * j] += h * Eyy
                work[48 + 4 * j] += h * Fxx
                work[49 + 4 * j] += h * Fxy
                work[50 + 4 * j] += h * Fyx
                work[51 + 4 * j] += h * Fyy
            Dxx = sx * y2
            Dxy = sx * y3
            Dyx = sy * y2
            Dyy = sy * y3
            for j in range(3):
                h = BENDING_PAIRS[k, 12 + j]
                work[72 + 4 * j] += h * Dxx
                work[73 + 4 * j] += h * Dxy
                work[74 + 4 * j] += h * Dyx
                work[75 + 4 * j] += h * Dyy
        # from (d, A, B) to the places and slopes of the nodes: entry (j, k) of each 2×2 block
        for j in range(2):
            for k in range(2):
                e = 2 * j + k
                AA = work[12 + e] + work[32 + e] + work[56 + e] + work[72 + e]
                AB = work[16 + e] + work[36 + e] + work[64 + e] + work[76 + e]
                BA = work[16 + e] + work[40 + e] + work[60 + e] + work[76 + e]
                BB = work[20 + e] + work[44 + e] + work[68 + e] + work[80 + e]
                d1 = (work[4 + e] + work[24 + e] - AA - BA) * il
                d2 = (work[8 + e] + work[28 + e] - AB - BB) * il
                Ad = work[4 + e] + work[48 + e]
                Bd = work[8 + e] + work[52 + e]
                dd = (work[e] - Ad - Bd) * il * il - (d1 + d2) * il
                r1 = (Ad - AA - AB) * il
                r2 = (Bd - BA - BB) * il
                K[i, j, k] += dd
                K[i, j, 2 + k] -= d1
                K[i, j, 4 + k] -= dd
                K[i, j, 6 + k] -= d2
                K[i, 2 + j, k] -= r1
                K[i, 2 + j, 2 + k] += AA
                K[i, 2 + j, 4 + k] += r1
                K[i, 2 + j, 6 + k] += AB
                K[i, 4 + j, k] -= dd
                K[i, 4 + j, 2 + k] += d1
                K[i, 4 + j, 4 + k] += dd
                K[i, 4 + j, 6 + k] += d2
                K[i, 6 + j, k] -= r2
                K[i, 6 + j, 2 + k] += BA
                K[i, 6 + j, 4 + k] += r2
                K[i, 6 + j, 6 + k] += BB
