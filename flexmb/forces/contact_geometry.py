"""Where two bodies touch: gap, normal and place, and how they change; for space and the plane, z = 0.

Body a brings a point A and a unit direction u, body b a point B and a unit direction w, fixed to them. The normal n
points from a to b. ρ and r are the radii of a and of b; a ball of radius zero is a point.

    half-space, ball    n = u                                          g = n · (B − A) − r
    ball, ball          n = (B − A)/|B − A|                            g = |B − A| − ρ − r
    cavity, ball        n = (A − B)/|A − B|                            g = ρ − r − |A − B|
    cylinder, ball      n from the nearest point of the cylinder: of   g = distance of B from it − r
                        its side, of an end, or of an edge
    half-space, rim     n = u; the rim of radius r about B, across w   g = n · (B − A) − r f(|s|),  s = n − (n · w) w

The place P of the force is midway between the two surfaces, on the common normal. So the rate of the gap is that of the
two bodies at P along n, ġ = n · (v_b(P) − v_a(P)), and the power of the force N n is N ġ.

**A rim** touches at its lowest point B − r s/|s|, with f(x) = x. Where the cylinder stands upright, that point is not
determined, and it leaps across the end of the cylinder. There, for |s| below ε = 0.01 (0.6° of tilt),
f = ε (3 + 6 x² − x⁴)/8 with x = |s|/ε, which is smooth to the second derivative, as if the end were slightly domed; the
place moves from the rim to its middle, B − r f′(|s|) s/|s|. A cylinder stands by that, higher by 3/8 ε r.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import compiled
from flexmb.kernels.vectors import dot, minus, plus, times

#: kinds of pairs, by what stands on a and on b
HALF_SPACE_BALL, BALL_BALL, CAVITY_BALL, CYLINDER_BALL, HALF_SPACE_RIM = range(5)
#: which part of a cylinder is nearest
SIDE, END, EDGE = range(3)
#: sine of the tilt of a cylinder below which its end is domed
DOMED = 0.01


@compiled
def _scaled(u, length):
    """u/length, zero where the length is."""
    return times(1.0 / length, u) if length > 0.0 else (0.0, 0.0, 0.0)


@compiled
def _length(u):
    return math.sqrt(dot(u, u))


@compiled
def _region(along, across, radius, half):
    """The part of a cylinder that is nearest to a point at (along, across) its axis. Inside, the nearer face."""
    beyond = abs(along) - half
    outside = across - radius
    if beyond > 0.0 and outside > 0.0:
        return EDGE
    return END if beyond > outside else SIDE


@compiled
def _rim(n, w):
    """s = n − (n · w) w, its length, and f(|s|), f′(|s|)/|s| of the rim."""
    s = minus(n, times(dot(n, w), w))
    size = _length(s)
    if size >= DOMED:
        return s, size, size, 1.0 / size
    x = size / DOMED
    return s, size, 0.125 * DOMED * (3.0 + x * x * (6.0 - x * x)), (1.5 - 0.5 * x * x) / DOMED


@compiled
def gap_and_normal(kind, A, u, B, w, x, y, z):
    """g and n; x is the radius of a, z the half length of a cylinder, y the radius of b."""
    d = minus(B, A)
    if kind == HALF_SPACE_BALL:
        return dot(u, d) - y, u
    if kind == HALF_SPACE_RIM:
        return dot(u, d) - y * _rim(u, w)[2], u
    if kind == CYLINDER_BALL:
        along = dot(d, u)
        out = minus(d, times(along, u))
        across = _length(out)
        sign = 1.0 if along >= 0.0 else -1.0
        part = _region(along, across, x, z)
        if part == SIDE:
            return across - x - y, _scaled(out, across)
        if part == END:
            return sign * along - z - y, times(sign, u)
        e = minus(minus(d, times(sign * z, u)), _scaled(times(x, out), across))
        length = _length(e)
        return length - y, _scaled(e, length)
    length = _length(d)
    if kind == BALL_BALL:
        return length - x - y, _scaled(d, length)
    return x - y - length, _scaled(times(-1.0, d), length)


@compiled
def place(kind, g, n, B, w, y):
    """P, midway between the surfaces."""
    if kind == HALF_SPACE_RIM:
        s, _, _, slope = _rim(n, w)
        return minus(minus(B, times(y * slope, s)), times(0.5 * g, n))
    return minus(B, times(y + 0.5 * g, n))


@compiled
def normal_change(kind, n, A, u, B, w, x, z, dA, du, dB):
    """δn of changes δA, δu and δB."""
    if kind == HALF_SPACE_BALL or kind == HALF_SPACE_RIM:
        return du
    d = minus(B, A)
    dd = minus(dB, dA)
    if kind == CYLINDER_BALL:
        along = dot(d, u)
        out = minus(d, times(along, u))
        across = _length(out)
        sign = 1.0 if along >= 0.0 else -1.0
        part = _region(along, across, x, z)
        if part == END:
            return times(sign, du)
        d_out = minus(minus(dd, times(dot(dd, u) + dot(d, du), u)), times(along, du))
        m = _scaled(out, across)
        dm = _scaled(minus(d_out, times(dot(m, d_out), m)), across)
        if part == SIDE:
            return dm
        e = minus(minus(d, times(sign * z, u)), times(x, m))
        de = minus(minus(dd, times(sign * z, du)), times(x, dm))
        return _scaled(minus(de, times(dot(n, de), n)), _length(e))
    if kind == CAVITY_BALL:
        dd = times(-1.0, dd)
    return _scaled(minus(dd, times(dot(n, dd), n)), _length(d))


@compiled
def place_change(kind, g, dg, n, dn, w, dw, dB, y):
    """δP of changes δg, δn, δw and δB."""
    if kind == HALF_SPACE_RIM:
        s, size, _, slope = _rim(n, w)
        c = dot(n, w)
        ds = minus(minus(dn, times(dot(dn, w) + dot(n, dw), w)), times(c, dw))
        bend = -dot(s, ds) / (size * size * size if size >= DOMED else DOMED * DOMED * DOMED)
        turned = plus(times(y * bend, s), times(y * slope, ds))
        return minus(minus(dB, turned), plus(times(0.5 * dg, n), times(0.5 * g, dn)))
    return minus(dB, plus(times(0.5 * dg, n), times(y + 0.5 * g, dn)))
