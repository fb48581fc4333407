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
    """The vector from a node to a frame on it, in global axes; its offset stands at p[k], p[k + 1]."""
    c = math.cos(angle)
    s = math.sin(angle)
    return c * p[k] - s * p[k + 1], s * p[k] + c * p[k + 1]
