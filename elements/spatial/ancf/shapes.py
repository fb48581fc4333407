"""Parameters of an ANCF cable element in space and its curvature, see :mod:`flexmb.elements.spatial.ancf_cable`."""

from __future__ import annotations

from flexmb.kernels.compilation import compiled
from flexmb.kernels.vectors import combined, dot, minus, outer, plus, times, vector_at

# places of the parameters of an element; AXES is the quaternion from the undeformed section to the ground
GRAVITY, LENGTH, EA, EI, RHO_A, BETA, AXES = 0, 3, 4, 5, 6, 7, 8
#: the unit matrix
ONE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@compiled
def local(iq, i, il, z):
    """d, A, B of an element from a vector of coordinates or speeds."""
    d = times(il, minus(vector_at(z, iq[i], 6), vector_at(z, iq[i], 0)))
    return d, minus(vector_at(z, iq[i], 3), d), minus(vector_at(z, iq[i], 9), d)


@compiled
def summed(x, a, y, b):
    """x a + y b."""
    return plus(times(x, a), times(y, b))


@compiled
def bending(p, c):
    """|κ|² of the slope p and c = p', and the halves of its derivatives: −(|κ|² p + b e)/p² and e/p², with b = p·c/p²
    and the part e = c − b p of c across p. Returned besides: 1/p², b, e."""
    inverse = 1.0 / dot(p, p)
    b = inverse * dot(p, c)
    e = minus(c, times(b, p))
    squared = inverse * dot(e, e)
    return squared, summed(-inverse * squared, p, -inverse * b, e), times(inverse, e), inverse, b, e


@compiled
def bending_changes(p, scale, squared, inverse, b, e):
    """The second derivatives of ½ |κ|², times a scale: by p and p, by p and c (rows p), by c and c, each (9,)."""
    once, twice = scale * inverse, scale * inverse * inverse
    pp, pe, ep = outer(p, p), outer(p, e), outer(e, p)
    slope = combined(once * (b * b - squared), ONE, twice * (4.0 * squared - b * b), pp)
    slope = combined(1.0, slope, 3.0 * b * twice, combined(1.0, pe, 1.0, ep))
    slope = combined(1.0, slope, -twice, outer(e, e))
    mixed = combined(-b * once, ONE, b * twice, pp)
    mixed = combined(1.0, mixed, -twice, combined(2.0, pe, 1.0, ep))
    return slope, mixed, combined(once, ONE, -twice, pp)
