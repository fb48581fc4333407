"""The exact tangent of the forces of an ANCF cable element in space, see :mod:`flexmb.elements.spatial.ancf_cable`.

With N = EA (ε + β ε̇) and t = p/|p|,   ∂(N t) = t ∂N + N/|p| (∂p − t (t·∂p)).
"""

from __future__ import annotations

import math

from flexmb.elements.hermite import AXIAL, AXIAL_PAIRS, BENDING, BENDING_PAIRS
from flexmb.elements.spatial.ancf.shapes import (
    BETA,
    EA,
    EI,
    LENGTH,
    ONE,
    RHO_A,
    bending,
    bending_changes,
    local,
    summed,
)
from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.vectors import combined, dot, minus, outer, plus, times

# 3×3 blocks in `work`, 9 numbers each: sums over Gauss points of ∂force/∂strain times products of shapes
#   0..5   p, p with (1, h2, h4, h2h2, h2h4, h4h4)        6..11   p, c with (1, h2, h4) × (g2, g4)
#   12..14 c, c with (g2g2, g2g4, g4g4)
PC, CC, BLOCKS = 54, 108, 135


@inlined
def _add(work, first, pairs, k, column, count, block):
    """Add a block (9,) with `count` products of shapes of the Gauss point k, from `column` of the table on."""
    for j in range(count):
        h = pairs[k, column + j]
        at = first + 9 * j
        for e in range(9):
            work[at + e] += h * block[e]


@compiled
def _stretch(wk, wb, EA, beta, r, v):
    """wk ∂(N t)/∂p + wb ∂(N t)/∂ṗ at a Gauss point."""
    i1 = 1.0 / math.sqrt(dot(r, r))
    t = times(i1, r)
    along = dot(t, v)
    n = wk * EA * (1.0 - i1 + beta * along * i1)
    change = summed(wk + wb, t, wk * beta * i1, minus(v, times(along, t)))
    return combined(1.0, outer(t, times(EA, change)), n, combined(1.0, ONE, -1.0, outer(t, t)))


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        L = p[i, LENGTH]
        il = 1.0 / L
        block = K[i]
        m = w[0] * p[i, RHO_A] * L * (1.0 / 420.0)
        if m != 0.0:
            _add_mass(block, m, L)
        beta = p[i, BETA]
        wk = w[2]
        wb = w[1] * beta
        if wk == 0.0 and wb == 0.0:  # explicit methods ask for the mass alone
            continue
        d, A, B = local(iq, i, il, q)
        none = (0.0, 0.0, 0.0)
        d_v, A_v, B_v = local(iv, i, il, v) if beta != 0.0 else (none, none, none)
        for k in range(BLOCKS):
            work[k] = 0.0
        for k in range(5):
            h2, h4 = AXIAL[k, 0], AXIAL[k, 1]
            r, rate = plus(d, summed(h2, A, h4, B)), plus(d_v, summed(h2, A_v, h4, B_v))
            _add(work, 0, AXIAL_PAIRS, k, 0, 6, _stretch(wk, wb, p[i, EA] * L, beta, r, rate))
        scale = wk * p[i, EI] * il
        for k in range(3 if wk != 0.0 else 0):
            h2, h4, g2, g4 = BENDING[k, 0], BENDING[k, 1], BENDING[k, 2], BENDING[k, 3]
            r = plus(d, summed(h2, A, h4, B))
            squared, _, _, inverse, b, e = bending(r, summed(g2, A, g4, B))
            pp, pc, cc = bending_changes(r, scale, squared, inverse, b, e)
            _add(work, 0, BENDING_PAIRS, k, 0, 6, pp)
            _add(work, PC, BENDING_PAIRS, k, 6, 6, pc)
            _add(work, CC, BENDING_PAIRS, k, 12, 3, cc)
        _add_blocks(block, il, work)


@inlined
def _add_mass(block, m, L):
    """Add the consistent mass, m = ρA L/420."""
    mL = m * L
    mLL = mL * L
    for j in range(3):
        block[j, j] += 156.0 * m
        block[j, 3 + j] += 22.0 * mL
        block[j, 6 + j] += 54.0 * m
        block[j, 9 + j] -= 13.0 * mL
        block[3 + j, j] += 22.0 * mL
        block[3 + j, 3 + j] += 4.0 * mLL
        block[3 + j, 6 + j] += 13.0 * mL
        block[3 + j, 9 + j] -= 3.0 * mLL
        block[6 + j, j] += 54.0 * m
        block[6 + j, 3 + j] += 13.0 * mL
        block[6 + j, 6 + j] += 156.0 * m
        block[6 + j, 9 + j] -= 22.0 * mL
        block[9 + j, j] -= 13.0 * mL
        block[9 + j, 3 + j] -= 3.0 * mLL
        block[9 + j, 6 + j] -= 22.0 * mL
        block[9 + j, 9 + j] += 4.0 * mLL


@inlined
def _add_blocks(block, il, work):
    """Add the sums in `work`, from (d, A, B) to places and slopes of the nodes: entry (j, k) of each 3×3 block."""
    for j in range(3):
        for k in range(3):
            e, f = 3 * j + k, 3 * k + j
            AA = work[27 + e] + work[PC + 18 + e] + work[PC + 18 + f] + work[CC + e]
            AB = work[36 + e] + work[PC + 27 + e] + work[PC + 36 + f] + work[CC + 9 + e]
            BA = work[36 + e] + work[PC + 36 + e] + work[PC + 27 + f] + work[CC + 9 + e]
            BB = work[45 + e] + work[PC + 45 + e] + work[PC + 45 + f] + work[CC + 18 + e]
            d1 = (work[9 + e] + work[PC + e] - AA - BA) * il
            d2 = (work[18 + e] + work[PC + 9 + e] - AB - BB) * il
            Ad = work[9 + e] + work[PC + f]
            Bd = work[18 + e] + work[PC + 9 + f]
            dd = (work[e] - Ad - Bd) * il * il - (d1 + d2) * il
            r1 = (Ad - AA - AB) * il
            r2 = (Bd - BA - BB) * il
            block[j, k] += dd
            block[j, 3 + k] -= d1
            block[j, 6 + k] -= dd
            block[j, 9 + k] -= d2
            block[3 + j, k] -= r1
            block[3 + j, 3 + k] += AA
            block[3 + j, 6 + k] += r1
            block[3 + j, 9 + k] += AB
            block[6 + j, k] -= dd
            block[6 + j, 3 + k] += d1
            block[6 + j, 6 + k] += dd
            block[6 + j, 9 + k] += d2
            block[9 + j, k] -= r2
            block[9 + j, 3 + k] += BA
            block[9 + j, 6 + k] += r2
            block[9 + j, 9 + k] += BB
