"""Geometry of the plane inside kernels."""

from __future__ import annotations

import math

from flexmb.kernels.compilation import compiled


@compiled
def turned(c, s, ux, uy):
    """A u: a vector turned by the angle whose cosine and sine are given."""
    return c * ux - s * uy, s * ux + c * uy


@compiled
def frame_arm(p, k, angle):
    """The vector from a node to a frame on it, in global axes; its offset is p[k], p[k + 1]."""
    c = math.cos(angle)
    s = math.sin(angle)
    return c * p[k] - s * p[k + 1], s * p[k] + c * p[k + 1]


@compiled
def pair_arms(p, iq, q):
    """The vectors (ax, ay), (bx, by) from two nodes to frames on them, in global axes; the frames' offsets are in
    p[0:3] and p[3:6], see :func:`flexmb.model.pairs.pair_offsets`."""
    ax, ay = frame_arm(p, 0, q[iq[2]])
    bx, by = frame_arm(p, 3, q[iq[5]])
    return ax, ay, bx, by


@compiled
def separation(iq, iv, q, v, ax, ay, bx, by):
    """d = r_b − r_a and its rate ḋ, for two frames on two nodes; (ax, ay) and (bx, by) are the arms of the frames."""
    wa = v[iv[2]]
    wb = v[iv[5]]
    dx = q[iq[3]] + bx - q[iq[0]] - ax
    dy = q[iq[4]] + by - q[iq[1]] - ay
    ex = v[iv[3]] - wb * by - v[iv[0]] + wa * ay
    ey = v[iv[4]] + wb * bx - v[iv[1]] - wa * ax
    return dx, dy, ex, ey
