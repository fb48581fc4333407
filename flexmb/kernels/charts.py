"""Charts: how increments move coordinates, and the increment between two positions.

All coordinates but orientations move by addition. An orientation is moved by a rotation vector y in its own axes,
q ∘ exp y; with the speeds ω in the same axes, ẏ = T⁻¹(y) ω (:mod:`flexmb.kernels.rotations`). `orientations` (k, 2)
lists them: index of the first speed, which is that of e1 in q, and index of e0 in q; see :mod:`flexmb.kernels.blocks`.
No solver computes with quaternions.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import allocation_free, called, inlined
from flexmb.kernels.rotations import (
    counted_log,
    exp,
    inverse,
    inverse_rate_map,
    inverse_rate_map_change,
    log,
    normalized,
    product,
    rate_map,
    turned_back,
)
from flexmb.kernels.vectors import applied, cross, dot, minus, plus, times

#: largest rotation vector [rad] used in a chart, which is singular at 2π
LARGEST = 2.0
#: the accelerations at the ends of a step are used if they agree with its speeds and displacement to within these
#: fractions of h a and h² a (:mod:`flexmb.results.between_steps.interpolation`)
DISAGREEMENT, MISSED = 1.0 / 4.0, 1.0 / 60.0


@inlined
def orientation(orientations, k, q):
    """The quaternion of orientation number k."""
    i = orientations[k, 0]
    return q[orientations[k, 1]], q[i], q[i + 1], q[i + 2]


@inlined
def put_orientation(orientations, k, e, q):
    """Put a quaternion into the place of orientation number k."""
    i = orientations[k, 0]
    q[orientations[k, 1]] = e[0]
    q[i], q[i + 1], q[i + 2] = e[1], e[2], e[3]


@called(None)
def turn(orientations, q, y, out):
    """The orientations of out (nq,) = q ∘ exp y; all other coordinates of `out` are left unchanged."""
    for k in range(orientations.shape[0]):
        i = orientations[k, 0]
        put_orientation(orientations, k, product(orientation(orientations, k, q), exp((y[i], y[i + 1], y[i + 2]))), out)


@allocation_free
def retract(orientations, n, q, y, out):
    """out (nq,): the position q moved by y (n,); `out` may be q."""
    for k in range(orientations.shape[0]):
        i = orientations[k, 0]
        e = product(orientation(orientations, k, q), exp((y[i], y[i + 1], y[i + 2])))
        put_orientation(orientations, k, normalized(e), out)
    first = 0
    for k in range(orientations.shape[0] + 1):  # coordinates between orientations
        last = orientations[k, 0] if k < orientations.shape[0] else n
        for i in range(first, last):
            out[i] = q[i] + y[i]
        first = last + 3


@allocation_free
def difference(orientations, n, q, before, out):
    """out (n,): the increment that moves `before` to q, by turns of at most π."""
    for i in range(n):
        out[i] = q[i] - before[i]
    for k in range(orientations.shape[0]):
        i = orientations[k, 0]
        e = product(inverse(orientation(orientations, k, before)), orientation(orientations, k, q))
        out[i], out[i + 1], out[i + 2] = log(e)


@called(None)
def rates(orientations, n, q, v, out):
    """out (nq,) = q̇: the speeds v, and ½ q ∘ ω of orientations."""
    for i in range(n):
        out[i] = v[i]
    for k in range(orientations.shape[0]):
        i = orientations[k, 0]
        e = product(orientation(orientations, k, q), (0.0, 0.5 * v[i], 0.5 * v[i + 1], 0.5 * v[i + 2]))
        put_orientation(orientations, k, e, out)


@allocation_free
def speeds_of(orientations, n, q, rates, out):
    """out (n,) = v from q̇ (nq,): the inverse of :func:`rates`."""
    for i in range(n):
        out[i] = rates[i]
    for k in range(orientations.shape[0]):
        i = orientations[k, 0]
        e = product(inverse(orientation(orientations, k, q)), orientation(orientations, k, rates))
        out[i], out[i + 1], out[i + 2] = 2.0 * e[1], 2.0 * e[2], 2.0 * e[3]


@called(None)
def normalize(orientations, q):
    """Scale the quaternions of q (nq,) to unit length, which rounding or the integration method has changed."""
    for k in range(orientations.shape[0]):
        put_orientation(orientations, k, normalized(orientation(orientations, k, q)), q)


@called(None)
def rate_maps(orientations, y, maps):
    """maps (k, 9): T(y) of each orientation, row by row."""
    for k in range(orientations.shape[0]):
        i = orientations[k, 0]
        T = rate_map((y[i], y[i + 1], y[i + 2]))
        for j in range(9):
            maps[k, j] = T[j]


@called(None)
def to_speeds(orientations, maps, x):
    """x (n,) ← T x: increments of y become increments of speeds; unchanged if `maps` is empty."""
    for k in range(maps.shape[0]):
        i = orientations[k, 0]
        x0, x1, x2 = x[i], x[i + 1], x[i + 2]
        for j in range(3):
            x[i + j] = maps[k, 3 * j] * x0 + maps[k, 3 * j + 1] * x1 + maps[k, 3 * j + 2] * x2


@called(None)
def extrapolate(orientations, past, q, weights, y):
    """For orientations y = Σ wₚ log(q⁻¹ ∘ pastₚ), the polynomial through three earlier positions (3, nq) and q."""
    for k in range(orientations.shape[0]):
        i, scalar = orientations[k, 0], orientations[k, 1]
        back = inverse(orientation(orientations, k, q))
        y[i] = y[i + 1] = y[i + 2] = 0.0
        for p in range(3):
            turned = log(product(back, (past[p, scalar], past[p, i], past[p, i + 1], past[p, i + 2])))
            for j in range(3):
                y[i + j] += weights[p] * turned[j]


@called(None)
def add_turning(orientations, factor, a, v, out):
    """out (n,) += factor/12 v × a for the speeds and accelerations of orientations.

    By this term the series of y differs from that of other coordinates, y = h v + ½ h² a + h³ (ȧ/6 + v × a/12) + …,
    because ẏ = T⁻¹(y) ω = ω + ½ y × ω + … with y = h v + ½ h² a, ω = v + h a.
    """
    part = factor / 12.0
    for k in range(orientations.shape[0]):
        i = orientations[k, 0]
        out[i] += part * (v[i + 1] * a[i + 2] - v[i + 2] * a[i + 1])
        out[i + 1] += part * (v[i + 2] * a[i] - v[i] * a[i + 2])
        out[i + 2] += part * (v[i] * a[i + 1] - v[i + 1] * a[i])


@allocation_free
def chart_rates(orientations, n, y, v, out):
    """out (n,) = ẏ for a position with the chart coordinates y: T⁻¹(y) ω for orientations, else v."""
    for i in range(n):
        out[i] = v[i]
    for k in range(orientations.shape[0]):
        i = orientations[k, 0]
        T = inverse_rate_map((y[i], y[i + 1], y[i + 2]))
        for j in range(3):
            out[i + j] = T[3 * j] * v[i] + T[3 * j + 1] * v[i + 1] + T[3 * j + 2] * v[i + 2]


@allocation_free
def turn_within(orientations, before, v_before, a_before, after, v_after, a_after, taken, h, part, out, v_out):
    """Interpolate orientations in out (nq,), and their speeds in v_out (n,), at the fraction `part` of a step of length
    h between the positions `before` and `after`.

    A Hermite cubic in the chart about the earlier position: with q₁ = q₀ ∘ exp y the motion is q₀ ∘ exp z(s), where z
    has at the ends the values 0 and y and the rates h ω₀ and T⁻¹(y) h ω₁. Where y is close to a whole turn, at which
    that chart is singular, z is the deviation from a steady turn, q₀ ∘ exp(s y) ∘ exp z(s): its values at the ends are
    0, and its rates h ω − y, since a steady turn has the angular velocity y/h in its own axes. Both have errors of
    fourth order, and both are the cubic of the angle if the axis is fixed. Whole turns within the step are counted by
    the angular velocities. For h = 0 the turn is steady.

    Where `taken` (n,) is true and the accelerations agree with speeds and displacement (otherwise `taken` becomes
    false), z is the Hermite quintic, with errors of sixth order. Its second rates are, from h ω = R(z)ᵀ ȳ + T(z) ż with
    the steady turn ȳ (y or 0), and d(R(z)ᵀ)/ds ȳ = −ż × ȳ at z = 0,

        z̈ = h² α + h ω × ȳ  at z = 0,      z̈ = T⁻¹ h² α + (∂(T⁻¹ h ω)/∂z) ż  at z = y without a steady turn.

    With the errors e₀ and e₁ of the cubic's second rates, the quintic is the cubic + ½ s² r² (r e₀ + s e₁), r = 1 − s.
    """
    s, r = part, 1.0 - part
    for k in range(orientations.shape[0]):
        i = orientations[k, 0]
        turn0 = (h * v_before[i], h * v_before[i + 1], h * v_before[i + 2])
        turn1 = (h * v_after[i], h * v_after[i + 1], h * v_after[i + 2])
        start = orientation(orientations, k, before)
        moved = product(inverse(start), orientation(orientations, k, after))
        y = counted_log(moved, times(0.5, plus(turn0, turn1)))
        steady = y
        if h > 0.0 and dot(y, y) < LARGEST * LARGEST:
            steady = (0.0, 0.0, 0.0)
        end = minus(y, steady)
        left, right = minus(turn0, steady), applied(inverse_rate_map(end), minus(turn1, steady))
        if h == 0.0:
            left = right = (0.0, 0.0, 0.0)
        z = plus(times(s * s * (3.0 - 2.0 * s), end), minus(times(s * r * r, left), times(s * s * r, right)))
        change = minus(times(r * (r - 2.0 * s), left), times(s * (2.0 * r - s), right))
        change = plus(times(6.0 * s * r, end), change)
        if taken[i]:
            to_rates = inverse_rate_map_change(end, minus(turn1, steady), 1.0)
            second0 = plus(times(h * h, (a_before[i], a_before[i + 1], a_before[i + 2])), cross(turn0, steady))
            second1 = plus(times(h * h, (a_after[i], a_after[i + 1], a_after[i + 2])), cross(turn1, steady))
            second1 = plus(applied(inverse_rate_map(end), second1), applied(to_rates, right))
            largest = math.sqrt(max(dot(second0, second0), dot(second1, second1)))
            off = minus(minus(right, left), times(0.5, plus(second0, second1)))
            missed = minus(minus(end, times(0.5, plus(left, right))), times(1.0 / 12.0, minus(second0, second1)))
            if dot(off, off) > (DISAGREEMENT * largest) ** 2 or dot(missed, missed) > (MISSED * largest) ** 2:
                taken[i] = taken[i + 1] = taken[i + 2] = False
        if taken[i]:
            e0 = plus(second0, minus(times(4.0, left), minus(times(6.0, end), times(2.0, right))))
            e1 = plus(second1, minus(times(6.0, end), plus(times(2.0, left), times(4.0, right))))
            mixed = plus(times(r, e0), times(s, e1))
            z = plus(z, times(0.5 * s * s * r * r, mixed))
            change = plus(change, plus(times(s * r * (r - s), mixed), times(0.5 * s * s * r * r, minus(e1, e0))))
        found = normalized(product(start, product(exp(times(s, steady)), exp(z))))
        if s == 0.0:  # an end of the step has its numbers, without the rounding of a turn
            found = start
        elif s == 1.0:
            found = orientation(orientations, k, after)
        put_orientation(orientations, k, found, out)
        if h > 0.0:
            turning = plus(turned_back(exp(z), steady), applied(rate_map(z), change))
            for j in range(3):
                v_out[i + j] = turning[j] / h
