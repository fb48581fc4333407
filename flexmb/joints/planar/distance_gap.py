"""The row of the gap between the distance of two frames of the plane and a limit L of it.

    g = σ (d · d − L²)/(2 L) − s,    d = (R_b + A_b u_b) − (R_a + A_a u_a)
    γ = −σ (ḋ · ḋ + ω_a² d·s_a − ω_b² d·s_b)/L,    s = A u the arms of the frames

σ is 1 for a lower limit and −1 for an upper one. The gap s is zero where |d| = L, and its rate there is that of the
distance; unlike |d| it is smooth where both origins meet, as those of a slack rope may.
"""

from __future__ import annotations

from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import pair_arms, separation

#: parameters behind the offsets of the frames: the limit, and σ
LIMIT, SIGN = 6, 7


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        dx, dy, vx, vy = separation(iq[i], iv[i], q, v, ax, ay, bx, by)
        wa = v[iv[i, 2]]
        wb = v[iv[i, 5]]
        L, by_L = p[i, LIMIT], p[i, SIGN] / p[i, LIMIT]
        turning = wa * wa * (dx * ax + dy * ay) - wb * wb * (dx * bx + dy * by)
        out[i, 0] = 0.5 * by_L * (dx * dx + dy * dy - L * L) - q[iq[i, 6]]
        out[i, 1] = by_L * (dx * vx + dy * vy) - v[iv[i, 6]]
        out[i, 2] = -by_L * (vx * vx + vy * vy + turning)


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    # K = λ σ/L (Jᵀ J + d · ∂²d/∂q²) with J = ∂d/∂q, whose columns of the angles are (ay, −ax) and (−by, bx)
    for i in range(p.shape[0]):
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        dx, dy, _, _ = separation(iq[i], iv[i], q, v, ax, ay, bx, by)
        by_L = p[i, SIGN] / p[i, LIMIT]
        out[i, 0] = -by_L * dx
        out[i, 1] = -by_L * dy
        out[i, 2] = by_L * (dx * ay - dy * ax)
        out[i, 3] = by_L * dx
        out[i, 4] = by_L * dy
        out[i, 5] = by_L * (dy * bx - dx * by)
        out[i, 6] = -1.0
        force = w[2] * lam[i, 0] * by_L
        for j in range(6):
            jx = -1.0 if j == 0 else ay if j == 2 else 1.0 if j == 3 else -by if j == 5 else 0.0
            jy = -1.0 if j == 1 else -ax if j == 2 else 1.0 if j == 4 else bx if j == 5 else 0.0
            for k in range(6):
                kx = -1.0 if k == 0 else ay if k == 2 else 1.0 if k == 3 else -by if k == 5 else 0.0
                ky = -1.0 if k == 1 else -ax if k == 2 else 1.0 if k == 4 else bx if k == 5 else 0.0
                K[i, j, k] += force * (jx * kx + jy * ky)
        K[i, 2, 2] += force * (dx * ax + dy * ay)
        K[i, 5, 5] -= force * (dx * bx + dy * by)


#: One row, on two nodes and the gap; parameters: offsets (6), the limit, and σ.
DISTANCE_GAP = Kernels("gap of a distance", constraint=constraint, jacobian=jacobian)
