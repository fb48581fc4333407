"""Heat on a beam of component modes in the plane, see :mod:`flexmb.elements.heat`.

The mean strain of an element is ε = ū4/L + Q(½ gᵀ S g/L), and its sections turn by ∫ κ dx = ū6 − ū3, so heat is

    on ū4: N,    on g: N Q' S g,    on ū3: −M,    on ū6: M

and nothing on axial modes, which have no mean strain.
"""

from __future__ import annotations

from flexmb.elements.cms_folds import shortening
from flexmb.elements.heat import factor_at, forces_at, power_of
from flexmb.elements.planar.cms.inertia import AXIAL, BENDING, FIELD, LENGTH, TABLE, motion
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.views import vector_view


@compiled
def _put(p, i, iq, iv, t, q, v, a, row, work):
    """Put the forces of heat into a row (nv,). Without views, so that it is
    differentiated as it stands."""
    m = int(p[i, AXIAL])
    ng = 2 + int(p[i, BENDING])
    nl = 1 + m + ng
    co, si, l, _, _, _, _, _, _, _, _ = motion(p, iq, iv, i, q, v, a, work)
    g, free = 3 * nl, 3 * nl + 3 * ng
    at, factor = forces_at(p, i), factor_at(p, i, 2, t)
    N, M = -factor * p[i, at], -factor * p[i, at + 1]
    first, second = -M, M
    for k in range(m):
        row[6 + k] = 0.0
    if p[i, FIELD] > 0.0:
        table = TABLE + nl - 3
        bent = 0.0
        for j in range(ng):
            total = 0.0
            for k in range(ng):
                total += p[i, table + j * ng + k] * work[g + k]
            work[free + j] = total
            bent += 0.5 * total * work[g + j] / p[i, LENGTH]
        _, growth, _ = shortening(bent)
        pull = N * growth
        first += pull * work[free]
        second += pull * work[free + 1]
        for j in range(2, ng):
            row[4 + m + j] = pull * work[free + j]
    else:
        for j in range(2, ng):
            row[4 + m + j] = 0.0
    tau = -(first + second) / l
    ex = co * N - si * tau
    ey = si * N + co * tau
    row[0], row[1], row[2] = -ex, -ey, first
    row[3], row[4], row[5] = ex, ey, second


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        _put(p, i, iq, iv, t, q, v, a, out[i], work)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    n = iv.shape[1]
    for i in range(p.shape[0]):
        ng = 2 + int(p[i, BENDING])
        row = vector_view(work, 3 * (1 + int(p[i, AXIAL]) + ng) + 4 * ng, n)  # behind what _put needs
        _put(p, i, iq, iv, t, q, v, a, row, work)
        out[i, 4] = power_of(row, iv, i, v)


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        at = forces_at(p, i)
        out[i, 2], out[i, 4] = p[i, at], p[i, at + 1]


CMS_HEAT = Kernels("heat on a CMS beam", residual, energy=energy, section=section)
