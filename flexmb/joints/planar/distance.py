"""The row of a distance between the origins of two frames of the plane.

g = |d| − f(t),    d = (R_b + A_b u_b) − (R_a + A_a u_a),    u = d/|d|,  w = u turned by +90°
γ = f̈ − (w·ḋ)²/|d| − ω_a² u·s_a + ω_b² u·s_b,    s = A u the arms of the frames
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import pair_arms, separation
from flexmb.kernels.slots import time_function


@kernel
def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        f, fd, fdd = time_function(p[i], 6, t)
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        dx, dy, vx, vy = separation(iq[i], iv[i], q, v, ax, ay, bx, by)
        wa = v[iv[i, 2]]
        wb = v[iv[i, 5]]
        length = math.hypot(dx, dy)
        ux = dx / length
        uy = dy / length
        across = ux * vy - uy * vx
        out[i, 0] = length - f
        out[i, 1] = ux * vx + uy * vy - fd
        turning = wb * wb * (ux * bx + uy * by) - wa * wa * (ux * ax + uy * ay)
        out[i, 2] = fdd - across * across / length + turning


@kernel
def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        dx, dy, _, _ = separation(iq[i], iv[i], q, v, ax, ay, bx, by)
        length = math.hypot(dx, dy)
        ux = dx / length
        uy = dy / length
        a_along = ux * ax + uy * ay
        b_along = ux * bx + uy * by
        out[i, 0] = -ux
        out[i, 1] = -uy
        out[i, 2] = ux * ay - uy * ax
        out[i, 3] = ux
        out[i, 4] = uy
        out[i, 5] = uy * bx - ux * by
        # K = λ (c cᵀ/|d| + u·∂²d/∂q²) with c = w·∂d/∂q, how the rod's direction turns
        force = w[2] * lam[i, 0]
        work[0] = uy
        work[1] = -ux
        work[2] = -a_along
        work[3] = -uy
        work[4] = ux
        work[5] = b_along
        for j in range(6):
            for k in range(6):
                K[i, j, k] += force / length * work[j] * work[k]
        K[i, 2, 2] += force * a_along
        K[i, 5, 5] -= force * b_along


#: One row, the distance between two points; parameters: offsets (6), function of time.
DISTANCE: Kernels = Kernels("distance", constraint=constraint, jacobian=jacobian)
