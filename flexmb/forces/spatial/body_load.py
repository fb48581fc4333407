"""Kernels of a load on a reduced body in space, see :mod:`flexmb.forces.body_load`. Parameters: n, F (3), M (3), φᵀp
(n), S (3, n), Θᵀp (n, n), the slot of the factor."""

from __future__ import annotations

from flexmb.elements.modal_amplitudes import along_modes
from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, turned, turned_back
from flexmb.kernels.slots import strength_at
from flexmb.kernels.vectors import cross, dot, put, times, vector_at, vector_in

FORCE, MOMENT, MODAL = 1, 4, 7


@inlined
def _starts(row):
    """n, and where S, Θᵀp and the slot begin."""
    n = int(row[0])
    return n, MODAL + n, MODAL + 4 * n, MODAL + 4 * n + n * n


@compiled
def _moment(row, q, at_q):
    """M + S η."""
    n, at_S, _, _ = _starts(row)
    return (
        along_modes(row, MOMENT, at_S, n, q, at_q, 7),
        along_modes(row, MOMENT + 1, at_S + n, n, q, at_q, 7),
        along_modes(row, MOMENT + 2, at_S + 2 * n, n, q, at_q, 7),
    )


@compiled
def _on_mode(row, k, q, at_q):
    """(φᵀp + η·Θᵀp)_k."""
    n, _, at_T, _ = _starts(row)
    return along_modes(row, MODAL + k, at_T + k * n, n, q, at_q, 7)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        n, _, _, slot = _starts(row)
        f = strength_at(row, slot, t)
        put(out[i], 0, times(-f, turned(quaternion_at(q, iq[i], 3), vector_in(row, FORCE))))
        put(out[i], 3, times(-f, _moment(row, q, iq[i])))
        for k in range(n):
            out[i, 6 + k] = -f * _on_mode(row, k, q, iq[i])


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    """R F changes by R (y × F) as the frame turns by y."""
    for i in range(p.shape[0]):
        row = p[i]
        n, at_S, at_T, slot = _starts(row)
        f = -w[2] * strength_at(row, slot, t)
        for j in range(3):
            e = (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)
            change = turned(quaternion_at(q, iq[i], 3), cross(e, vector_in(row, FORCE)))
            for k in range(3):
                K[i, k, 3 + j] += f * change[k]
            for k in range(n):
                K[i, 3 + j, 6 + k] += f * row[at_S + j * n + k]
        for j in range(n):
            for k in range(n):
                K[i, 6 + j, 6 + k] += f * row[at_T + j * n + k]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        row = p[i]
        n, _, _, slot = _starts(row)
        speed = turned_back(quaternion_at(q, iq[i], 3), vector_at(v, iv[i], 0))
        power = dot(vector_in(row, FORCE), speed) + dot(_moment(row, q, iq[i]), vector_at(v, iv[i], 3))
        for k in range(n):
            power += _on_mode(row, k, q, iq[i]) * v[iv[i, 6 + k]]
        out[i, 4] = strength_at(row, slot, t) * power


SPATIAL_BODY_LOAD = Kernels("load on a reduced body in space", residual=residual, tangent=tangent, energy=energy)
