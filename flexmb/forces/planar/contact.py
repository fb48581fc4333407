"""Kernels of contact in the plane."""

from __future__ import annotations

import math

from flexmb.forces.contact_force import (
    CHANGE,
    CHANGE_A,
    CHANGE_B,
    FORCE,
    change,
    contact_family,
    moments,
    see,
    touch,
)
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.vectors import IDENTITY, NONE


@compiled
def _gap(row, iq, q, work):
    """See a pair of nodes of the plane; the gap."""
    half_a, half_b = 0.5 * q[iq[2]], 0.5 * q[iq[5]]
    turn_a = (math.cos(half_a), 0.0, 0.0, math.sin(half_a))
    turn_b = (math.cos(half_b), 0.0, 0.0, math.sin(half_b))
    return see(row, work, (q[iq[0]], q[iq[1]], 0.0), turn_a, (q[iq[3]], q[iq[4]], 0.0), turn_b)


@compiled
def _touch(row, iq, iv, q, v, work):
    """The force of a pair that was seen."""
    speed_a, speed_b = (v[iv[0]], v[iv[1]], 0.0), (v[iv[3]], v[iv[4]], 0.0)
    touch(row, work, speed_a, (0.0, 0.0, v[iv[2]]), speed_b, (0.0, 0.0, v[iv[5]]))


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if _gap(p[i], iq[i], q, work) >= 0.0:
            continue
        _touch(p[i], iq[i], iv[i], q, v, work)
        moment_a, moment_b = moments(work)
        out[i, 0] = work[FORCE]
        out[i, 1] = work[FORCE + 1]
        out[i, 2] = moment_a[2]
        out[i, 3] = -work[FORCE]
        out[i, 4] = -work[FORCE + 1]
        out[i, 5] = -moment_b[2]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if _gap(p[i], iq[i], q, work) >= 0.0:
            continue
        _touch(p[i], iq[i], iv[i], q, v, work)
        for j in range(6):
            k = 3 * (j % 3)
            move, spin = (IDENTITY[k], IDENTITY[k + 1], 0.0), (0.0, 0.0, IDENTITY[k + 2])
            if j < 3:
                change(p[i], work, w[2], w[1], move, spin, NONE, NONE)
            else:
                change(p[i], work, w[2], w[1], NONE, NONE, move, spin)
            K[i, 0, j] += work[CHANGE]
            K[i, 1, j] += work[CHANGE + 1]
            K[i, 2, j] += work[CHANGE_A + 2]
            K[i, 3, j] -= work[CHANGE]
            K[i, 4, j] -= work[CHANGE + 1]
            K[i, 5, j] -= work[CHANGE_B + 2]


#: A pair of shapes in the plane; parameters as in :mod:`flexmb.forces.contact_force`.
CONTACT = contact_family("contact", _gap, _touch, residual, tangent).standing_at(__name__, "CONTACT")
