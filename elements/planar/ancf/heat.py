"""Heat on an ANCF cable in the plane, see :mod:`flexmb.elements.heat`: ∫ (N δε + M δκ) dx at the Gauss points of the
element, with δε = r'·δr'/|r'| and the change of κ of :mod:`flexmb.elements.planar.ancf_cable`."""

from __future__ import annotations

import math

from flexmb.elements.heat import factor_at, forces_at, power_of
from flexmb.elements.hermite import AXIAL, BENDING
from flexmb.elements.planar.ancf.shapes import LENGTH, local
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.views import vector_view


@compiled
def _put(p, i, iq, t, q, row):
    """Put the forces of heat into a row (8,)."""
    L = p[i, LENGTH]
    at, factor = forces_at(p, i), factor_at(p, i, 2, t)
    N, M = -factor * p[i, at], -factor * p[i, at + 1]
    dx, dy, ax, ay, bx, by = local(iq, i, 1.0 / L, q)
    fdx, fdy, fax, fay, fbx, fby = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(AXIAL.shape[0]):
        h2, h4 = AXIAL[k, 0], AXIAL[k, 1]
        rx, ry = dx + h2 * ax + h4 * bx, dy + h2 * ay + h4 * by
        n = AXIAL[k, 4] * L * N / math.sqrt(rx * rx + ry * ry)
        nx, ny = n * rx, n * ry
        fdx, fax, fbx = fdx + nx, fax + h2 * nx, fbx + h4 * nx
        fdy, fay, fby = fdy + ny, fay + h2 * ny, fby + h4 * ny
    for k in range(BENDING.shape[0]):
        h2, h4, g2, g4 = BENDING[k, 0], BENDING[k, 1], BENDING[k, 2], BENDING[k, 3]
        rx, ry = dx + h2 * ax + h4 * bx, dy + h2 * ay + h4 * by
        cx, cy = g2 * ax + g4 * bx, g2 * ay + g4 * by
        i2 = 1.0 / (rx * rx + ry * ry)
        kappa = (rx * cy - ry * cx) * i2
        m = BENDING[k, 4] * M * i2
        nx, ny = m * (cy - 2.0 * kappa * rx), -m * (cx + 2.0 * kappa * ry)
        fdx, fax, fbx = fdx + nx, fax + h2 * nx - g2 * m * ry, fbx + h4 * nx - g4 * m * ry
        fdy, fay, fby = fdy + ny, fay + h2 * ny + g2 * m * rx, fby + h4 * ny + g4 * m * rx
    ex, ey = (fdx - fax - fbx) / L, (fdy - fay - fby) / L
    row[0], row[1], row[2], row[3] = -ex, -ey, fax, fay
    row[4], row[5], row[6], row[7] = ex, ey, fbx, fby


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        _put(p, i, iq, t, q, out[i])


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    row = vector_view(work, 0, 8)
    for i in range(p.shape[0]):
        _put(p, i, iq, t, q, row)
        out[i, 4] = power_of(row, iv, i, v)


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        at = forces_at(p, i)
        out[i, 2], out[i, 4] = p[i, at], p[i, at + 1]


ANCF_HEAT = Kernels("heat on an ANCF cable", residual, energy=energy, section=section)
