"""Kernels of a bushing in the plane (:mod:`flexmb.forces.bushing`).

With the axes A_a of frame a, d = r_b − r_a and both arms s_a, s_b,

    u = A_aᵀ d,   u̇ = A_aᵀ (Ṙ_b − Ṙ_a − ω_a (s_a + d)⊥ + ω_b s_b⊥),   δ = θ_b − θ_a

The force A_a N acts at r_b on both bodies. The tangent is made of the residual by differentiation
(:mod:`flexmb.kernels.derivatives`).
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import pair_arms, separation

#: parameters: offsets (6), e₀ (3), S (9), C (9)
FREE, STIFFNESS, DAMPING = 6, 9, 18


@inlined
def _deformation(p, iq, iv, q, v, e):
    """Put e into e[0:3] and ė into e[3:6]; return cosine and sine of the angle of frame a, the arms of both frames, and
    d = r_b − r_a."""
    c = math.cos(q[iq[2]] + p[2])
    s = math.sin(q[iq[2]] + p[2])
    ax, ay, bx, by = pair_arms(p, iq, q)
    dx, dy, ex, ey = separation(iq, iv, q, v, ax, ay, bx, by)
    wa = v[iv[2]]
    ex += wa * dy
    ey -= wa * dx
    e[0] = c * dx + s * dy - p[FREE]
    e[1] = c * dy - s * dx - p[FREE + 1]
    e[2] = q[iq[5]] + p[5] - q[iq[2]] - p[2] - p[FREE + 2]
    e[3] = c * ex + s * ey
    e[4] = c * ey - s * ex
    e[5] = v[iv[5]] - wa
    return c, s, ax, ay, bx, by, dx, dy


@compiled
def _resultant(p, e, n):
    """Put S e + C ė, in the axes of frame a, into e[n : n + 3]."""
    for j in range(3):
        e[n + j] = 0.0
        for k in range(3):
            e[n + j] += p[STIFFNESS + 3 * j + k] * e[k] + p[DAMPING + 3 * j + k] * e[3 + k]


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        c, s, ax, ay, bx, by, dx, dy = _deformation(p[i], iq[i], iv[i], q, v, work)
        _resultant(p[i], work, 6)
        fx = c * work[6] - s * work[7]
        fy = s * work[6] + c * work[7]
        out[i, 0] = -fx
        out[i, 1] = -fy
        out[i, 2] = (ay + dy) * fx - (ax + dx) * fy - work[8]
        out[i, 3] = fx
        out[i, 4] = fy
        out[i, 5] = bx * fy - by * fx + work[8]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        _deformation(p[i], iq[i], iv[i], q, v, work)
        for j in range(3):
            for k in range(3):
                out[i, 1] += 0.5 * work[j] * p[i, STIFFNESS + 3 * j + k] * work[k]
                out[i, 3] += work[3 + j] * p[i, DAMPING + 3 * j + k] * work[3 + k]


#: On two nodes.
BUSHING: Kernels = Kernels("bushing", residual=residual, energy=energy)
