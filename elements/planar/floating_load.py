"""Distributed load on a beam in a linear floating frame.

Coordinates: X, Y, θ, ξ; parameters: turn, modes, points, follower, then for each point: force (2,), x,
φ, φ', and last the slot of its strength. The axis has the angle θ + w'.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import turned
from flexmb.kernels.slots import strength_at


@inlined
def _load(p, i, iq, t, q):
    """Numbers of modes and of points, length of a point's row, strength of the load, cos θ, sin θ."""
    n = int(p[i, 1])
    points = int(p[i, 2])
    width = 3 + 2 * n
    angle = q[iq[i, 2]] - p[i, 0]
    return n, points, width, strength_at(p[i], 4 + points * width, t), math.cos(angle), math.sin(angle)


@compiled
def _load_at(p, i, at, n, iq, q, si, co, f):
    """Force in space at a point, and the arm from the start to the point."""
    y = 0.0
    turn = 0.0
    for k in range(n):
        y += p[i, at + 3 + k] * q[iq[i, 3 + k]]
        turn += p[i, at + 3 + n + k] * q[iq[i, 3 + k]]
    fx = f * p[i, at]
    fy = f * p[i, at + 1]
    if p[i, 3] != 0.0:
        cs = math.cos(turn)
        sn = math.sin(turn)
        ux, uy = turned(cs, sn, fx, fy)
        fx, fy = turned(co, si, ux, uy)
    sx, sy = turned(co, si, p[i, at + 2], y)
    return fx, fy, sx, sy


@kernel
def load_residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, points, width, f, co, si = _load(p, i, iq, t, q)
        for point in range(points):
            at = 4 + point * width
            fx, fy, sx, sy = _load_at(p, i, at, n, iq, q, si, co, f)
            out[i, 0] -= fx
            out[i, 1] -= fy
            out[i, 2] -= sx * fy - sy * fx
            across = co * fy - si * fx
            for k in range(n):
                out[i, 3 + k] -= p[i, at + 3 + k] * across


@kernel
def load_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, points, width, f, co, si = _load(p, i, iq, t, q)
        f *= w[2]
        for point in range(points):
            at = 4 + point * width
            fx, fy, sx, sy = _load_at(p, i, at, n, iq, q, si, co, f)
            along = co * fx + si * fy
            if p[i, 3] != 0.0:
                # the force turns by the change of θ + w'
                K[i, 0, 2] += fy
                K[i, 1, 2] -= fx
                for k in range(n):
                    phi = p[i, at + 3 + k]
                    slope = p[i, at + 3 + n + k]
                    K[i, 0, 3 + k] += slope * fy
                    K[i, 1, 3 + k] -= slope * fx
                    K[i, 2, 3 + k] += phi * along - slope * (sx * fx + sy * fy)
                    for j in range(n):
                        K[i, 3 + k, 3 + j] -= phi * along * p[i, at + 3 + n + j]
            else:
                K[i, 2, 2] += sx * fx + sy * fy
                for k in range(n):
                    phi = p[i, at + 3 + k]
                    K[i, 2, 3 + k] += phi * along
                    K[i, 3 + k, 2] += phi * along


@kernel
def load_energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        n, points, width, f, co, si = _load(p, i, iq, t, q)
        om = v[iv[i, 2]]
        for point in range(points):
            at = 4 + point * width
            fx, fy, sx, sy = _load_at(p, i, at, n, iq, q, si, co, f)
            y1 = 0.0
            for k in range(n):
                y1 += p[i, at + 3 + k] * v[iv[i, 3 + k]]
            out[i, 4] += fx * (v[iv[i, 0]] - om * sy - si * y1) + fy * (v[iv[i, 1]] + om * sx + co * y1)


FLOATING_LOAD = Kernels("load on a floating beam", load_residual, load_tangent, load_energy)
