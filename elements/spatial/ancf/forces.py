"""Forces of ANCF cable elements in space, see :mod:`flexmb.elements.spatial.ancf_cable`.

Eight elements are computed side by side, as in the plane (:mod:`flexmb.elements.planar.ancf.forces`).
"""

from __future__ import annotations

import math

from flexmb.elements.hermite import AXIAL, BENDING, hermite_mass
from flexmb.elements.spatial.ancf.shapes import BETA, EA, EI, GRAVITY, LENGTH, RHO_A, local
from flexmb.kernels.compilation import called, inlined, kernel

#: elements side by side, and the room of a vector of each
LANES = 8
VECTOR = 3 * LANES
# where rows of LANES numbers begin in `work`: x, y, z of d, A and B of positions and of speeds; EA L, EI/L and β;
# forces on d, A and B
D, A, B = range(0, 3 * VECTOR, VECTOR)
RATE_D, RATE_A, RATE_B = range(3 * VECTOR, 6 * VECTOR, VECTOR)
STRETCHING, CURVING, DAMPING = range(6 * VECTOR, 6 * VECTOR + 3 * LANES, LANES)
ON_D, ON_A, ON_B = range(7 * VECTOR, 10 * VECTOR, VECTOR)
#: numbers in `work`
SIDE_BY_SIDE = 10 * VECTOR


@inlined
def _gather(p, iq, iv, i, j, q, v, damped, work):
    """Put the numbers of element i at the place j of each row, forces zero."""
    L = p[i, LENGTH]
    il = 1.0 / L
    d, a, b = local(iq, i, il, q)
    for k in range(3):
        at = k * LANES + j
        work[D + at], work[A + at], work[B + at] = d[k], a[k], b[k]
        work[ON_D + at] = work[ON_A + at] = work[ON_B + at] = 0.0
    if damped:
        d, a, b = local(iv, i, il, v)
        for k in range(3):
            at = k * LANES + j
            work[RATE_D + at], work[RATE_A + at], work[RATE_B + at] = d[k], a[k], b[k]
    work[STRETCHING + j] = p[i, EA] * L
    work[CURVING + j] = p[i, EI] * il  # EI L, and 1/L of r'' twice
    work[DAMPING + j] = p[i, BETA]


@inlined
def _slope(work, d, a, b, j, h2, h4):
    """r' of the place j, or its rate, where d, A and B begin there."""
    y, z = LANES + j, 2 * LANES + j
    return (
        work[d + j] + h2 * work[a + j] + h4 * work[b + j],
        work[d + y] + h2 * work[a + y] + h4 * work[b + y],
        work[d + z] + h2 * work[a + z] + h4 * work[b + z],
    )


@inlined
def _second(work, a, b, j, g2, g4):
    """L r'' of the place j, or its rate."""
    y, z = LANES + j, 2 * LANES + j
    return (
        g2 * work[a + j] + g4 * work[b + j],
        g2 * work[a + y] + g4 * work[b + y],
        g2 * work[a + z] + g4 * work[b + z],
    )


@inlined
def _add(work, j, h2, h4, x, y, z):
    """Add what a force on r' is on d, A and B."""
    for at, n in ((j, x), (LANES + j, y), (2 * LANES + j, z)):
        work[ON_D + at] += n
        work[ON_A + at] += h2 * n
        work[ON_B + at] += h4 * n


@called(None)
def _stretch(work):
    """Add the forces of stretching, of elements without damping."""
    for k in range(5):
        h2, h4, weight = AXIAL[k, 0], AXIAL[k, 1], AXIAL[k, 4]
        for j in range(LANES):
            x, y, z = _slope(work, D, A, B, j, h2, h4)
            n = weight * work[STRETCHING + j] * (1.0 - 1.0 / math.sqrt(x * x + y * y + z * z))
            _add(work, j, h2, h4, n * x, n * y, n * z)


@called(None)
def _stretch_and_damp(work):
    """Add the forces of stretching of elements of which some are damped."""
    for k in range(5):
        h2, h4, weight = AXIAL[k, 0], AXIAL[k, 1], AXIAL[k, 4]
        for j in range(LANES):
            x, y, z = _slope(work, D, A, B, j, h2, h4)
            vx, vy, vz = _slope(work, RATE_D, RATE_A, RATE_B, j, h2, h4)
            squared = x * x + y * y + z * z
            rate = (x * vx + y * vy + z * vz) / squared
            n = weight * work[STRETCHING + j] * (1.0 - 1.0 / math.sqrt(squared) + work[DAMPING + j] * rate)
            _add(work, j, h2, h4, n * x, n * y, n * z)


@called(None)
def _bend(work):
    """Add the forces of bending: the halves of the derivatives of (L κ)² times EI/L."""
    for k in range(3):
        h2, h4, g2, g4, weight = BENDING[k, 0], BENDING[k, 1], BENDING[k, 2], BENDING[k, 3], BENDING[k, 4]
        for j in range(LANES):
            x, y, z = _slope(work, D, A, B, j, h2, h4)
            cx, cy, cz = _second(work, A, B, j, g2, g4)
            inverse = 1.0 / (x * x + y * y + z * z)
            b = inverse * (x * cx + y * cy + z * cz)
            ex, ey, ez = cx - b * x, cy - b * y, cz - b * z
            squared = inverse * (ex * ex + ey * ey + ez * ez)
            m = weight * work[CURVING + j] * inverse
            s = m * squared
            mx, my, mz = m * ex, m * ey, m * ez
            _add(work, j, h2, h4, -s * x - b * mx, -s * y - b * my, -s * z - b * mz)
            for at, n in ((j, mx), (LANES + j, my), (2 * LANES + j, mz)):
                work[ON_A + at] += g2 * n
                work[ON_B + at] += g4 * n


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
            _stretch_and_damp(work)
        else:
            _stretch(work)
        _bend(work)
        for j in range(min(LANES, count - first)):
            i = first + j
            L = p[i, LENGTH]
            mass = p[i, RHO_A] * L * (1.0 / 420.0)
            for k in range(3):
                at = k * LANES + j
                on_a, on_b = work[ON_A + at], work[ON_B + at]
                end = (work[ON_D + at] - on_a - on_b) / L
                # slopes do not change in free fall, so gravity is subtracted from the accelerations of places alone
                g = p[i, GRAVITY + k]
                one, two = a[iv[i, k]] - g, a[iv[i, 6 + k]] - g
                m0, m1, m2, m3 = hermite_mass(mass, L, one, a[iv[i, 3 + k]], two, a[iv[i, 9 + k]])
                out[i, k] = m0 - end
                out[i, 3 + k] = m1 + on_a
                out[i, 6 + k] = m2 + end
                out[i, 9 + k] = m3 + on_b
