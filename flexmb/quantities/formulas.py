"""Formulas of coordinates, and of frames and joints in the plane.

A node has its coordinates x, y, θ in q at iq[0:3], and its speeds, and accelerations, at iv[0:3]; of two nodes b comes
first, then a. Rows have the arms of frames on their nodes, and directions. With the arm s, turned with the node,

    r = r₀ + s,   ṙ = ṙ₀ + ω × s,   r̈ = r̈₀ + α × s − ω² s

In compiled code q, v and a may be vectors of dual numbers (:mod:`flexmb.kernels.dual_arrays`): the derivatives of all
of these follow from them.
"""

from __future__ import annotations

import math
from typing import Any

from flexmb.kernels.compilation import inlined
from flexmb.kernels.formula import formula
from flexmb.kernels.slots import time_function

#: the place of node a among the coordinates and speeds of two nodes
A = 3


@formula
def coordinate(row, iq, iv, t, q, v, a):
    return row[0] * q[iq[0]] + row[1] * v[iv[0]]


@formula
def two_coordinates(row, iq, iv, t, q, v, a):
    first = row[0] * q[iq[0]] + row[1] * v[iv[0]]
    return first + row[2] * q[iq[1]] + row[3] * v[iv[1]]


@formula
def second_rate(row, iq, iv, t, q, v, a):
    return row[0] * a[iv[0]]


@formula
def two_second_rates(row, iq, iv, t, q, v, a):
    return row[0] * a[iv[0]] + row[1] * a[iv[1]]


@inlined
def _sum(row, p, iq, q):
    total = 0.0
    for j in range(iq.shape[0]):
        total += row[p + j] * q[iq[j]]
    return total


@formula
def weighted_sum(row, iq, iv, t, q, v, a):
    return _sum(row, 0, iq, q)


@formula
def part_of_given(row, iq, iv, t, q, v, f):
    """Σ row_j f_j; what does not count may be NaN, as kernels give it for quantities that their theory does not
    contain."""
    total = 0.0
    for j in range(row.shape[0]):
        if row[j] != 0.0:
            total += row[j] * f[j]
    return total


@formula
def von_mises(row, iq, iv, t, q, v, a):
    """The equivalent stress of components that are weighted sums of coordinates: xx, yy, zz and the shears."""
    n = iq.shape[0]
    x, y, z = _sum(row, 0, iq, q), _sum(row, n, iq, q), _sum(row, 2 * n, iq, q)
    square = 0.5 * ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2)
    for c in range(3, row.shape[0] // n):
        square += 3.0 * _sum(row, c * n, iq, q) ** 2
    return math.sqrt(square)


@formula
def function(row, iq, iv, t, q, v, a):
    value, rate, second_rate = time_function(row, 1, t)
    return value if row[0] == 0.0 else rate if row[0] == 1.0 else second_rate


@inlined
def _turned(row, p, angle):
    """The vector row[p:p + 2] turned by an angle."""
    c, s = math.cos(angle), math.sin(angle)
    return c * row[p] - s * row[p + 1], s * row[p] + c * row[p + 1]


@inlined
def _velocity(s, v, iv, k):
    return v[iv[k]] - v[iv[k + 2]] * s[1], v[iv[k + 1]] + v[iv[k + 2]] * s[0]


@inlined
def _acceleration(s, v, a, iv, k):
    om, al = v[iv[k + 2]], a[iv[k + 2]]
    return a[iv[k]] - al * s[1] - om * om * s[0], a[iv[k + 1]] + al * s[0] - om * om * s[1]


@formula
def planar_velocity(row, iq, iv, t, q, v, a):
    """Along a direction that turns with the frame."""
    (x, y), (ex, ey) = _velocity(_turned(row, 0, q[iq[2]]), v, iv, 0), _turned(row, 2, q[iq[2]])
    return x * ex + y * ey


@formula
def planar_acceleration(row, iq, iv, t, q, v, a):
    """Along a direction that turns with the frame, less gravity, which follows in the row."""
    (x, y), (ex, ey) = _acceleration(_turned(row, 0, q[iq[2]]), v, a, iv, 0), _turned(row, 2, q[iq[2]])
    return (x - row[4]) * ex + (y - row[5]) * ey


@formula
def planar_place(row, iq, iv, t, q, v, a):
    """Along a direction of the ground, as its rates."""
    x, y = _turned(row, 0, q[iq[2]])
    return row[2] * (q[iq[0]] + x) + row[3] * (q[iq[1]] + y)


@formula
def planar_place_rate(row, iq, iv, t, q, v, a):
    x, y = _velocity(_turned(row, 0, q[iq[2]]), v, iv, 0)
    return row[2] * x + row[3] * y


@formula
def planar_place_second_rate(row, iq, iv, t, q, v, a):
    x, y = _acceleration(_turned(row, 0, q[iq[2]]), v, a, iv, 0)
    return row[2] * x + row[3] * y


@formula
def planar_speed(row, iq, iv, t, q, v, a):
    x, y = _velocity(_turned(row, 0, q[iq[2]]), v, iv, 0)
    return math.sqrt(x * x + y * y)


@inlined
def _separation(row, iq, q):
    """The arms of b and a, and r_b − r_a."""
    b, a = _turned(row, 0, q[iq[2]]), _turned(row, 2, q[iq[A + 2]])
    return b, a, (q[iq[0]] + b[0] - q[iq[A]] - a[0], q[iq[1]] + b[1] - q[iq[A + 1]] - a[1])


@inlined
def _separation_rate(b, a, v, iv):
    (bx, by), (ax, ay) = _velocity(b, v, iv, 0), _velocity(a, v, iv, A)
    return bx - ax, by - ay


@formula
def planar_distance(row, iq, iv, t, q, v, a):
    _, _, (x, y) = _separation(row, iq, q)
    return math.sqrt(x * x + y * y)


@formula
def planar_distance_rate(row, iq, iv, t, q, v, a):
    on_b, on_a, (x, y) = _separation(row, iq, q)
    vx, vy = _separation_rate(on_b, on_a, v, iv)
    return (x * vx + y * vy) / math.sqrt(x * x + y * y)


@formula
def planar_tension(row, iq, iv, t, q, v, f):
    """What pulls b towards a, of the force f on b."""
    _, _, (x, y) = _separation(row, iq, q)
    return -(f[0] * x + f[1] * y) / math.sqrt(x * x + y * y)


@formula
def slide(row, iq, iv, t, q, v, a):
    """The position in a joint, b against a along the axis e, whose direction on the node of a follows the arms; with
    D = r_b − r_a and u = Ḋ − ω_a × D:  s = e · D,  ṡ = e · u,  s̈ = e · (D̈ − α_a × D − 2 ω_a × u) + ω_a² s."""
    _, _, (x, y) = _separation(row, iq, q)
    ex, ey = _turned(row, 4, q[iq[A + 2]])
    return x * ex + y * ey


@formula
def planar_seen_speed(row, iq, iv, t, q, v, a):
    """The size of u."""
    on_b, on_a, (x, y) = _separation(row, iq, q)
    vx, vy = _separation_rate(on_b, on_a, v, iv)
    return math.hypot(vx + v[iv[A + 2]] * y, vy - v[iv[A + 2]] * x)


@formula
def slide_rate(row, iq, iv, t, q, v, a):
    on_b, on_a, (x, y) = _separation(row, iq, q)
    vx, vy = _separation_rate(on_b, on_a, v, iv)
    ex, ey = _turned(row, 4, q[iq[A + 2]])
    return vx * ex + vy * ey + v[iv[A + 2]] * (y * ex - x * ey)


@formula
def slide_second_rate(row, iq, iv, t, q, v, a):
    on_b, on_a, (x, y) = _separation(row, iq, q)
    vx, vy = _separation_rate(on_b, on_a, v, iv)
    ex, ey = _turned(row, 4, q[iq[A + 2]])
    (bx, by), (ax, ay) = _acceleration(on_b, v, a, iv, 0), _acceleration(on_a, v, a, iv, A)
    om, along, across = v[iv[A + 2]], x * ex + y * ey, y * ex - x * ey
    whole = (bx - ax) * ex + (by - ay) * ey
    return whole + a[iv[A + 2]] * across + 2.0 * om * (vy * ex - vx * ey) - om * om * along


#: of each coordinate with its two rates
PLANAR_PLACE: tuple[Any, ...] = (planar_place, planar_place_rate, planar_place_second_rate)
SLIDE: tuple[Any, ...] = (slide, slide_rate, slide_second_rate)
#: of the line between two frames
PLANAR_LINE: tuple[Any, ...] = (planar_distance, planar_distance_rate, planar_tension)
