"""Forces of ANCF cable elements, see :mod:`flexmb.elements.planar.ancf_cable`.

Eight elements are computed side by side: their numbers stand next to one another in `work`, so that one vector
instruction serves them all. In a group that is not full the first element stands for those that are missing.
"""

from __future__ import annotations

import math

from flexmb.elements.hermite import AXIAL, BENDING, hermite_mass
from flexmb.elements.planar.ancf.shapes import BETA, EA, EI, GX, GY, LENGTH, RHO_A, local
from flexmb.kernels.compilation import called, inlined, kernel

#: elements side by side
LANES = 8
# where rows of LANES numbers begin in `work`: d, A and B of positions (dx, dy, ax, ay, bx, by) and of speeds; EA L,
# EI/L and β; forces on d, A and B
DX, DY, AX, AY, BX, BY = range(0, 6 * LANES, LANES)
VDX, VDY, VAX, VAY, VBX, VBY = range(6 * LANES, 12 * LANES, LANES)
STRETCHING, CURVING, DAMPING = range(12 * LANES, 15 * LANES, LANES)
FDX, FDY, FAX, FAY, FBX, FBY = range(15 * LANES, 21 * LANES, LANES)
#: numbers in `work`
SIDE_BY_SIDE = 21 * LANES


@inlined
def _gather(p, iq, iv, i, j, q, v, damped, work):
    """Put the numbers of element i at the place j of each row, forces zero."""
    L = p[i, LENGTH]
    il = 1.0 / L
    work[DX + j], work[DY + j], work[AX + j], work[AY + j], work[BX + j], work[BY + j] = local(iq, i, il, q)
    if damped:
        work[VDX + j], work[VDY + j], work[VAX + j], work[VAY + j], work[VBX + j], work[VBY + j] = local(iv, i, il, v)
    work[STRETCHING + j] = p[i, EA] * L
    work[CURVING + j] = p[i, EI] * il  # EI L, and 1/L of r'' twice
    work[DAMPING + j] = p[i, BETA]
    for row in range(FDX, SIDE_BY_SIDE, LANES):
        work[row + j] = 0.0


@inlined
def _add(work, j, h2, h4, nx, ny):
    """Add what a force n on r' is on d, A and B."""
    work[FDX + j] += nx
    work[FDY + j] += ny
    work[FAX + j] += h2 * nx
    work[FAY + j] += h2 * ny
    work[FBX + j] += h4 * nx
    work[FBY + j] += h4 * ny


@called(None)
def _elastic(work):
    """Add the forces of elements without damping."""
    for k in range(5):
        h2, h4, weight = AXIAL[k, 0], AXIAL[k, 1], AXIAL[k, 4]
        for j in range(LANES):
            rx = work[DX + j] + h2 * work[AX + j] + h4 * work[BX + j]
            ry = work[DY + j] + h2 * work[AY + j] + h4 * work[BY + j]
            n = weight * work[STRETCHING + j] * (1.0 - 1.0 / math.sqrt(rx * rx + ry * ry))
            _add(work, j, h2, h4, n * rx, n * ry)
    for k in range(3):
        h2, h4, g2, g4, weight = BENDING[k, 0], BENDING[k, 1], BENDING[k, 2], BENDING[k, 3], BENDING[k, 4]
        for j in range(LANES):
            ax, ay, bx, by = work[AX + j], work[AY + j], work[BX + j], work[BY + j]
            rx = work[DX + j] + h2 * ax + h4 * bx
            ry = work[DY + j] + h2 * ay + h4 * by
            cx = g2 * ax + g4 * bx
            cy = g2 * ay + g4 * by
            i2 = 1.0 / (rx * rx + ry * ry)
            kappa = (rx * cy - ry * cx) * i2
            m = weight * work[CURVING + j] * kappa * i2
            _add(work, j, h2, h4, m * (cy - 2.0 * kappa * rx), -m * (cx + 2.0 * kappa * ry))
            _add_moment(work, j, g2, g4, m, rx, ry)


@inlined
def _add_moment(work, j, g2, g4, m, rx, ry):
    """Add what the force m (−ry, rx) on r'' is on A and B."""
    work[FAX + j] -= g2 * m * ry
    work[FAY + j] += g2 * m * rx
    work[FBX + j] -= g4 * m * ry
    work[FBY + j] += g4 * m * rx


@called(None)
def _elastic_and_damping(work):
    """Add the forces of elements of which some are damped."""
    for k in range(5):
        h2, h4, weight = AXIAL[k, 0], AXIAL[k, 1], AXIAL[k, 4]
        for j in range(LANES):
            rx = work[DX + j] + h2 * work[AX + j] + h4 * work[BX + j]
            ry = work[DY + j] + h2 * work[AY + j] + h4 * work[BY + j]
            vx = work[VDX + j] + h2 * work[VAX + j] + h4 * work[VBX + j]
            vy = work[VDY + j] + h2 * work[VAY + j] + h4 * work[VBY + j]
            i1 = 1.0 / math.sqrt(rx * rx + ry * ry)
            rate = (rx * vx + ry * vy) * i1 * i1
            n = weight * work[STRETCHING + j] * (1.0 - i1 + work[DAMPING + j] * rate)
            _add(work, j, h2, h4, n * rx, n * ry)
    for k in range(3):
        h2, h4, g2, g4, weight = BENDING[k, 0], BENDING[k, 1], BENDING[k, 2], BENDING[k, 3], BENDING[k, 4]
        for j in range(LANES):
            ax, ay, bx, by = work[AX + j], work[AY + j], work[BX + j], work[BY + j]
            vax, vay, vbx, vby = work[VAX + j], work[VAY + j], work[VBX + j], work[VBY + j]
            rx = work[DX + j] + h2 * ax + h4 * bx
            ry = work[DY + j] + h2 * ay + h4 * by
            cx = g2 * ax + g4 * bx
            cy = g2 * ay + g4 * by
            vx = work[VDX + j] + h2 * vax + h4 * vbx
            vy = work[VDY + j] + h2 * vay + h4 * vby
            i2 = 1.0 / (rx * rx + ry * ry)
            kappa = (rx * cy - ry * cx) * i2
            px = cy - 2.0 * kappa * rx
            py = -cx - 2.0 * kappa * ry
            rate = px * vx + py * vy + rx * (g2 * vay + g4 * vby) - ry * (g2 * vax + g4 * vbx)
            m = weight * work[CURVING + j] * (kappa + work[DAMPING + j] * rate * i2) * i2
            _add(work, j, h2, h4, m * px, m * py)
            _add_moment(work, j, g2, g4, m, rx, ry)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    count = p.shape[0]
    damped = False
    for i in range(count):
        damped |= p[i, BETA] != 0.0
    for first in range(0, count, LANES):
        for j in range(LANES):
            _gather(p, iq, iv, first + j if first + j < count else first, j, q, v, damped, work)
        if damped:
            _elastic_and_damping(work)
        else:
            _elastic(work)
        for j in range(min(LANES, count - first)):
            i = first + j
            L = p[i, LENGTH]
            mass = p[i, RHO_A] * L * (1.0 / 420.0)
            fax, fay, fbx, fby = work[FAX + j], work[FAY + j], work[FBX + j], work[FBY + j]
            ex = (work[FDX + j] - fax - fbx) * (1.0 / L)
            ey = (work[FDY + j] - fay - fby) * (1.0 / L)
            # slopes do not change in free fall, so gravity is subtracted from the accelerations of the places alone
            gx, gy = p[i, GX], p[i, GY]
            m0, m1, m2, m3 = hermite_mass(mass, L, a[iv[i, 0]] - gx, a[iv[i, 2]], a[iv[i, 4]] - gx, a[iv[i, 6]])
            out[i, 0] = m0 - ex
            out[i, 2] = m1 + fax
            out[i, 4] = m2 + ex
            out[i, 6] = m3 + fbx
            m0, m1, m2, m3 = hermite_mass(mass, L, a[iv[i, 1]] - gy, a[iv[i, 3]], a[iv[i, 5]] - gy, a[iv[i, 7]])
            out[i, 1] = m0 - ey
            out[i, 3] = m1 + fay
            out[i, 5] = m2 + ey
            out[i, 7] = m3 + fby
