"""Kernels of contact in space."""

from __future__ import annotations

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
from flexmb.kernels.rotations import quaternion_at, turned, turned_back
from flexmb.kernels.vectors import IDENTITY, NONE, cross, minus, put, times, vector_at, vector_in


@compiled
def _gap(row, iq, q, work):
    """See a pair of nodes; the gap."""
    return see(row, work, vector_at(q, iq, 0), quaternion_at(q, iq, 3), vector_at(q, iq, 7), quaternion_at(q, iq, 10))


@compiled
def _touch(row, iq, iv, q, v, work):
    """The force of a pair that was seen."""
    omega_a = turned(quaternion_at(q, iq, 3), vector_at(v, iv, 3))
    omega_b = turned(quaternion_at(q, iq, 10), vector_at(v, iv, 9))
    touch(row, work, vector_at(v, iv, 0), omega_a, vector_at(v, iv, 6), omega_b)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if _gap(p[i], iq[i], q, work) >= 0.0:
            continue
        _touch(p[i], iq[i], iv[i], q, v, work)
        moment_a, moment_b = moments(work)
        F = vector_in(work, FORCE)
        put(out[i], 0, F)
        put(out[i], 3, turned_back(quaternion_at(q, iq[i], 3), moment_a))
        put(out[i], 6, times(-1.0, F))
        put(out[i], 9, times(-1.0, turned_back(quaternion_at(q, iq[i], 10), moment_b)))


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        if _gap(p[i], iq[i], q, work) >= 0.0:
            continue
        _touch(p[i], iq[i], iv[i], q, v, work)
        moment_a, moment_b = moments(work)
        turn_a, turn_b = quaternion_at(q, iq[i], 3), quaternion_at(q, iq[i], 10)
        for j in range(12):
            e = vector_in(IDENTITY, 3 * (j % 3))
            move_a, spin_a, move_b, spin_b = NONE, NONE, NONE, NONE
            if j < 3:
                move_a = e
            elif j < 6:
                spin_a = turned(turn_a, e)
            elif j < 9:
                move_b = e
            else:
                spin_b = turned(turn_b, e)
            change(p[i], work, w[2], w[1], move_a, spin_a, move_b, spin_b)
            about_a = minus(vector_in(work, CHANGE_A), times(w[2], cross(spin_a, moment_a)))
            about_b = minus(vector_in(work, CHANGE_B), times(w[2], cross(spin_b, moment_b)))
            about_a, about_b = turned_back(turn_a, about_a), turned_back(turn_b, about_b)
            for k in range(3):
                K[i, k, j] += work[CHANGE + k]
                K[i, 3 + k, j] += about_a[k]
                K[i, 6 + k, j] -= work[CHANGE + k]
                K[i, 9 + k, j] -= about_b[k]


#: A pair of shapes in space; parameters as in :mod:`flexmb.forces.contact_force`.
SPATIAL_CONTACT = contact_family("contact in space", _gap, _touch, residual, tangent).standing_at(
    __name__, "SPATIAL_CONTACT"
)
