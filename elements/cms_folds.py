"""Limits of a CMS beam element that is bent beyond the range of its theory: its motion stays smooth and bounded.

The field is of second order in the slopes against the chord. If the element bent further, its chord would vanish and
then reverse, and energies would jump; so these terms stop the folding. With q = ½ gᵀ S g / L, by which bending shortens
the chord, and s = ū3 + ū6, twice the mean of the end slopes:

    shortening in the axial strain    Q(q) = q up to q₀ = ½, then q₀ + u (1 + (u/w)⁴)^(−¼),  u = q − q₀,  w = 0.4
    energy of folding                 EI/L (u⁴ + ((|s| − s₀)/(2π − |s|))⁴ + ((l₀ − l)/l)⁴),   s₀ = 4,  l₀ = L/10

each term only beyond its threshold, so that inside nothing changes; all are smooth (three continuous derivatives). The
second one grows without limit before the chord reverses against the mean of the ends, the third before the chord
vanishes. Beyond the thresholds the element is no model of a beam, and solutions warn of it (:meth:`CmsBeam.doubts`).
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import inlined

#: threshold q₀ of the shortening, as a part of the length, and the range w in which it still grows
SHORTENED, ROOM = 0.5, 0.4
#: thresholds of the sum of the end slopes [rad] and of the chord, as a part of the length
SLOPES, CHORD = 4.0, 0.1
#: threshold of the swing of an end in space [rad], and how steep its energy is
SWING, STEEP = 2.0, 2.5
#: threshold of half of the twist between the nodes in space [rad], which can be counted up to π
TWIST = 2.75


@inlined
def shortening(q):
    """The shortening Q(q) with its first and second derivative."""
    u = q - SHORTENED
    if u <= 0.0:
        return q, 1.0, 0.0
    r = (u / ROOM) ** 4
    root = (1.0 + r) ** -0.25
    return SHORTENED + u * root, root / (1.0 + r), -5.0 * r / u * root / (1.0 + r) ** 2


@inlined
def _power(x):
    """x⁴ with its first and second derivative; all zero for x ≤ 0."""
    return (x**4, 4.0 * x**3, 12.0 * x * x) if x > 0.0 else (0.0, 0.0, 0.0)


@inlined
def folding_by_shortening(q):
    """Energy of folding by the shortening, in units of EI/L, with derivatives."""
    return _power(q - SHORTENED)


@inlined
def folding_by_slopes(s):
    """Energy of folding by the sum s of the end slopes, in units of EI/L, with derivatives."""
    if abs(s) <= SLOPES:
        return 0.0, 0.0, 0.0
    room = max(2.0 * math.pi - abs(s), 1e-9)
    x = (abs(s) - SLOPES) / room
    value, first, second = _power(x)
    dx = (1.0 + x) / room
    sign = 1.0 if s > 0.0 else -1.0
    return value, sign * first * dx, second * dx * dx + first * 2.0 * dx / room


@inlined
def folding_by_chord(l, L):
    """Energy of folding by the length l of the chord, in units of EI/L, with derivatives by l."""
    if l >= CHORD * L:
        return 0.0, 0.0, 0.0
    x = CHORD * L / l - 1.0
    value, first, second = _power(x)
    dx = -CHORD * L / (l * l)
    return value, first * dx, second * dx * dx - first * 2.0 * dx / l


@inlined
def _wall(angle, begin):
    """An energy that grows from an angle on without limit before half a turn, with its first and second derivative."""
    room = max(math.pi - angle, 1e-9)
    y = STEEP * (angle - begin) / room
    value, first, second = _power(y)
    dy = (STEEP + y) / room
    return value, first * dy, second * dy * dy + first * 2.0 * dy / room


@inlined
def folding_by_swing(x):
    """Energy of folding by the swing of an end, the root of x [rad], in units of EI/L, with derivatives by x: in space
    the chord may not come to lie against an end (x = π²)."""
    angle = math.sqrt(x)
    if angle <= SWING:
        return 0.0, 0.0, 0.0
    value, slope, curve = _wall(angle, SWING)
    return value, 0.5 * slope / angle, 0.25 * (curve - slope / angle) / x


@inlined
def folding_by_twist(phi):
    """Energy of folding by half of the twist between the nodes [rad], in units of EI/L, with derivatives: beyond a
    whole turn the twist would begin again on the other side."""
    if abs(phi) <= TWIST:
        return 0.0, 0.0, 0.0
    value, slope, curve = _wall(abs(phi), TWIST)
    return value, slope if phi > 0.0 else -slope, curve
