"""Kernels of the spring, damper and actuator between two frames of the plane."""

from __future__ import annotations

import math

from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import pair_arms, separation
from flexmb.kernels.slots import strength_at


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        k, c, free, least = p[i, 6], p[i, 7], p[i, 8], p[i, 9]
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        dx, dy, ex, ey = separation(iq[i], iv[i], q, v, ax, ay, bx, by)
        f = strength_at(p[i], 10, t)
        length = max(math.hypot(dx, dy), least)
        nx = dx / length
        ny = dy / length
        if length > least:
            pull = c * (nx * ex + ny * ey) - k * free - f
            fx = k * dx + pull * nx
            fy = k * dy + pull * ny
        else:
            fx = k * dx + c * ex - (k * free + f) * nx
            fy = k * dy + c * ey - (k * free + f) * ny
        out[i, 0] = -fx
        out[i, 1] = -fy
        out[i, 2] = ay * fx - ax * fy
        out[i, 3] = fx
        out[i, 4] = fy
        out[i, 5] = bx * fy - by * fx


@compiled
def _add_product(K, work, rows, n):
    """K += Bᵀ T for matrices (rows, n) that stand row by row in scratch space: B at its head, T behind it."""
    for k in range(rows):
        for i in range(n):
            left = work[k * n + i]
            if left != 0.0:
                for j in range(n):
                    K[i, j] += left * work[(rows + k) * n + j]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        k, c, free, least = p[i, 6], p[i, 7], p[i, 8], p[i, 9]
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        dx, dy, ex, ey = separation(iq[i], iv[i], q, v, ax, ay, bx, by)
        f = strength_at(p[i], 10, t)
        length = max(math.hypot(dx, dy), least)
        nx = dx / length
        ny = dy / length
        push = k * free + f
        if length > least:
            # ∂F/∂d = k 1 + (c ℓ̇ − push) P + c n (Pḋ)ᵀ with P = (1 − n nᵀ)/ℓ, ∂F/∂ḋ = c n nᵀ
            rate = nx * ex + ny * ey
            hx = c * (ex - rate * nx) / length
            hy = c * (ey - rate * ny) / length
            side = (c * rate - push) / length
            kxx = k + side * ny * ny + nx * hx
            kxy = -side * nx * ny + nx * hy
            kyx = -side * nx * ny + ny * hx
            kyy = k + side * nx * nx + ny * hy
            cxx = c * nx * nx
            cxy = c * nx * ny
            cyy = c * ny * ny
            fx = k * dx + (c * rate - push) * nx
            fy = k * dy + (c * rate - push) * ny
        else:
            kxx = k - push / least
            kxy = 0.0
            kyx = 0.0
            kyy = kxx
            cxx = c
            cxy = 0.0
            cyy = c
            fx = k * dx + c * ex - push * nx
            fy = k * dy + c * ey - push * ny
        # B = ∂d/∂q stands in work[0:12], T = wk ∂F/∂q + wd ∂F/∂v behind it
        for j in range(12):
            work[j] = 0.0
        work[0] = -1.0
        work[2] = ay
        work[3] = 1.0
        work[5] = -by
        work[7] = -1.0
        work[8] = -ax
        work[10] = 1.0
        work[11] = bx
        mxx = w[2] * kxx + w[1] * cxx
        mxy = w[2] * kxy + w[1] * cxy
        myx = w[2] * kyx + w[1] * cxy
        myy = w[2] * kyy + w[1] * cyy
        for j in range(6):
            work[12 + j] = mxx * work[j] + mxy * work[6 + j]
            work[18 + j] = myx * work[j] + myy * work[6 + j]
        # ∂ḋ/∂q: ω_a a in the column of θ_a, −ω_b b in that of θ_b
        wa = w[2] * v[iv[i, 2]]
        wb = w[2] * v[iv[i, 5]]
        work[14] += wa * (cxx * ax + cxy * ay)
        work[20] += wa * (cxy * ax + cyy * ay)
        work[17] -= wb * (cxx * bx + cxy * by)
        work[23] -= wb * (cxy * bx + cyy * by)
        _add_product(K[i], work, 2, 6)
        K[i, 2, 2] += w[2] * (fx * ax + fy * ay)
        K[i, 5, 5] -= w[2] * (fx * bx + fy * by)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        k, c, free, least = p[i, 6], p[i, 7], p[i, 8], p[i, 9]
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        dx, dy, ex, ey = separation(iq[i], iv[i], q, v, ax, ay, bx, by)
        f = strength_at(p[i], 10, t)
        length = math.hypot(dx, dy)
        if length > least:
            rate = (dx * ex + dy * ey) / length
            out[i, 1] = 0.5 * k * (length - free) * (length - free)
            out[i, 3] = c * rate * rate
        else:
            rate = (dx * ex + dy * ey) / least
            out[i, 1] = 0.5 * k * (length * length + free * (free - least - length * length / least))
            out[i, 3] = c * (ex * ex + ey * ey)
        out[i, 4] = f * rate


#: Parameters: those of the frames (6), stiffness, damping, free length, the length that counts as zero, the slot of the
#: actuator's force.
SPRING_DAMPER: Kernels = Kernels("spring-damper", residual=residual, tangent=tangent, energy=energy)
