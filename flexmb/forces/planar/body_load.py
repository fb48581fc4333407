"""Kernels of a load on a reduced body in the plane, see :mod:`flexmb.forces.body_load`. Parameters: n, F (2), M, φᵀp
(n), S (n), Θᵀp (n, n), the slot of the factor."""

from __future__ import annotations

import math

from flexmb.elements.modal_amplitudes import along_modes
from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.slots import strength_at

FORCE, MOMENT, MODAL = 1, 3, 4


@inlined
def _starts(row):
    """n, and where S, Θᵀp and the slot begin."""
    n = int(row[0])
    return n, MODAL + n, MODAL + 2 * n, MODAL + 2 * n + n * n


@compiled
def _moment(row, q, at_q):
    """M + S η."""
    n, at_S, _, _ = _starts(row)
    return along_modes(row, MOMENT, at_S, n, q, at_q, 3)


@compiled
def _on_mode(row, k, q, at_q):
    """(φᵀp + η·Θᵀp)_k."""
    n, _, at_T, _ = _starts(row)
    return along_modes(row, MODAL + k, at_T + k * n, n, q, at_q, 3)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        n, _, _, slot = _starts(row)
        f = strength_at(row, slot, t)
        co, si = math.cos(q[iq[i, 2]]), math.sin(q[iq[i, 2]])
        out[i, 0] = -f * (co * row[FORCE] - si * row[FORCE + 1])
        out[i, 1] = -f * (si * row[FORCE] + co * row[FORCE + 1])
        out[i, 2] = -f * _moment(row, q, iq[i])
        for k in range(n):
            out[i, 3 + k] = -f * _on_mode(row, k, q, iq[i])


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        n, at_S, at_T, slot = _starts(row)
        f = -w[2] * strength_at(row, slot, t)
        co, si = math.cos(q[iq[i, 2]]), math.sin(q[iq[i, 2]])
        K[i, 0, 2] -= f * (si * row[FORCE] + co * row[FORCE + 1])
        K[i, 1, 2] += f * (co * row[FORCE] - si * row[FORCE + 1])
        for j in range(n):
            K[i, 2, 3 + j] += f * row[at_S + j]
            for k in range(n):
                K[i, 3 + j, 3 + k] += f * row[at_T + j * n + k]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        n, _, _, slot = _starts(row)
        co, si = math.cos(q[iq[i, 2]]), math.sin(q[iq[i, 2]])
        vx, vy = v[iv[i, 0]], v[iv[i, 1]]
        power = row[FORCE] * (co * vx + si * vy) + row[FORCE + 1] * (co * vy - si * vx)
        power += _moment(row, q, iq[i]) * v[iv[i, 2]]
        for k in range(n):
            power += _on_mode(row, k, q, iq[i]) * v[iv[i, 3 + k]]
        out[i, 4] = strength_at(row, slot, t) * power


BODY_LOAD = Kernels("load on a reduced body", residual=residual, tangent=tangent, energy=energy)
