"""The motion of frames, of two against each other and in joints, as formulas of coordinates, speeds and accelerations.

A node has its coordinates in q at the indices iq from i on, and its speeds in v, and accelerations in a, at iv from k
on; of two nodes b is at i and k, a at j and l. `values` hold from p on the offsets and axes of the frames on their
nodes. With the orientation R of a node and its angular velocity ω, in its own axes,

    r = r₀ + R u,   ṙ = ṙ₀ + R (ω × u),   r̈ = r̈₀ + R (α × u + ω × (ω × u))

In compiled code q, v and a may be vectors of dual numbers (:mod:`flexmb.kernels.dual_arrays`): the derivatives of all
of these follow from them.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import inlined
from flexmb.kernels.rotation_functions import rotation_function
from flexmb.kernels.rotations import (
    inverse,
    log,
    product,
    quaternion_at,
    quaternion_in,
    turned,
    turned_back,
)
from flexmb.kernels.vectors import cross, dot, minus, plus, times, turning_acceleration, vector_at, vector_in


@inlined
def velocity_in_plane(values, p, q, iq, i, v, iv, k):
    """The velocity of a frame in the plane along a direction that turns with it. Values: its arm, the direction."""
    c, si = math.cos(q[iq[i + 2]]), math.sin(q[iq[i + 2]])
    sx = c * values[p] - si * values[p + 1]
    sy = si * values[p] + c * values[p + 1]
    ex = c * values[p + 2] - si * values[p + 3]
    ey = si * values[p + 2] + c * values[p + 3]
    om = v[iv[k + 2]]
    return (v[iv[k]] - om * sy) * ex + (v[iv[k + 1]] + om * sx) * ey


@inlined
def velocity_of_frame_in_plane(values, p, q, iq, i, v, iv, k):
    """The velocity of a frame in the plane, in ground axes. Values: its arm."""
    c, si = math.cos(q[iq[i + 2]]), math.sin(q[iq[i + 2]])
    sx, sy, om = c * values[p] - si * values[p + 1], si * values[p] + c * values[p + 1], v[iv[k + 2]]
    return v[iv[k]] - om * sy, v[iv[k + 1]] + om * sx


@inlined
def acceleration_in_plane(values, p, q, iq, i, v, a, iv, k):
    """The acceleration less gravity of a frame in the plane along a direction that turns with it. Values: its arm, the
    direction, gravity."""
    c, si = math.cos(q[iq[i + 2]]), math.sin(q[iq[i + 2]])
    sx = c * values[p] - si * values[p + 1]
    sy = si * values[p] + c * values[p + 1]
    ex = c * values[p + 2] - si * values[p + 3]
    ey = si * values[p + 2] + c * values[p + 3]
    om, al = v[iv[k + 2]], a[iv[k + 2]]
    x = a[iv[k]] - al * sy - om * om * sx - values[p + 4]
    y = a[iv[k + 1]] + al * sx - om * om * sy - values[p + 5]
    return x * ex + y * ey


@inlined
def motion_in_plane(values, p, q, iq, i, v, a, iv, k, order):
    """The place of a frame in the plane along a direction of the ground, or its rate of an `order` 1 or 2. Values: its
    arm, the direction."""
    c, si = math.cos(q[iq[i + 2]]), math.sin(q[iq[i + 2]])
    sx, sy = c * values[p] - si * values[p + 1], si * values[p] + c * values[p + 1]
    ex, ey = values[p + 2], values[p + 3]
    if order == 0:
        return ex * (q[iq[i]] + sx) + ey * (q[iq[i + 1]] + sy)
    om = v[iv[k + 2]]
    if order == 1:
        return ex * (v[iv[k]] - om * sy) + ey * (v[iv[k + 1]] + om * sx)
    al = a[iv[k + 2]]
    return ex * (a[iv[k]] - al * sy - om * om * sx) + ey * (a[iv[k + 1]] + al * sx - om * om * sy)


@inlined
def slide_in_plane(values, p, q, iq, i, j, v, a, iv, k, l, order):
    """The position in a joint of the plane, b against a along the axis, or its rate of an `order` 1 or 2. Values: the
    arms of b and a, the direction of the axis on the node of a.

    With D = r_b − r_a, the axis e and n across it, and u = Ḋ − ω_a × D:  s = e · D,  ṡ = e · u,
    s̈ = e · (D̈ − α_a × D − 2 ω_a × u) + ω_a² s.
    """
    cb, sb = math.cos(q[iq[i + 2]]), math.sin(q[iq[i + 2]])
    ca, sa = math.cos(q[iq[j + 2]]), math.sin(q[iq[j + 2]])
    bx, by = cb * values[p] - sb * values[p + 1], sb * values[p] + cb * values[p + 1]
    ax, ay = ca * values[p + 2] - sa * values[p + 3], sa * values[p + 2] + ca * values[p + 3]
    ex, ey = ca * values[p + 4] - sa * values[p + 5], sa * values[p + 4] + ca * values[p + 5]
    x, y = q[iq[i]] + bx - q[iq[j]] - ax, q[iq[i + 1]] + by - q[iq[j + 1]] - ay
    along, across = x * ex + y * ey, y * ex - x * ey
    if order == 0:
        return along
    wb, wa = v[iv[k + 2]], v[iv[l + 2]]
    vx = v[iv[k]] - wb * by - v[iv[l]] + wa * ay
    vy = v[iv[k + 1]] + wb * bx - v[iv[l + 1]] - wa * ax
    if order == 1:
        return vx * ex + vy * ey + wa * across
    alb, ala = a[iv[k + 2]], a[iv[l + 2]]
    accx = a[iv[k]] - alb * by - wb * wb * bx - a[iv[l]] + ala * ay + wa * wa * ax
    accy = a[iv[k + 1]] + alb * bx - wb * wb * by - a[iv[l + 1]] - ala * ax + wa * wa * ay
    return accx * ex + accy * ey + ala * across + 2.0 * wa * (vy * ex - vx * ey) - wa * wa * along


@inlined
def apart_in_plane(values, p, q, iq, i, j, v, iv, k, l):
    """The distance of two frames in the plane and its rate. Values: the arms of b and a."""
    cb, sb = math.cos(q[iq[i + 2]]), math.sin(q[iq[i + 2]])
    ca, sa = math.cos(q[iq[j + 2]]), math.sin(q[iq[j + 2]])
    bx, by = cb * values[p] - sb * values[p + 1], sb * values[p] + cb * values[p + 1]
    ax, ay = ca * values[p + 2] - sa * values[p + 3], sa * values[p + 2] + ca * values[p + 3]
    x = q[iq[i]] + bx - q[iq[j]] - ax
    y = q[iq[i + 1]] + by - q[iq[j + 1]] - ay
    vx = v[iv[k]] - v[iv[k + 2]] * by - v[iv[l]] + v[iv[l + 2]] * ay
    vy = v[iv[k + 1]] + v[iv[k + 2]] * bx - v[iv[l + 1]] - v[iv[l + 2]] * ax
    length = math.sqrt(x * x + y * y)
    return length, (x * vx + y * vy) / length


@inlined
def spin_along(values, p, v, iv, k):
    """The angular velocity of a frame in space about a direction fixed to it. Values: its arm, the direction."""
    return dot(vector_at(v, iv, k + 3), vector_in(values, p + 3))


@inlined
def velocity_along(values, p, q, iq, i, v, iv, k):
    """The velocity of a frame in space along a direction fixed to it. Values: its arm, the direction."""
    moved = cross(vector_at(v, iv, k + 3), vector_in(values, p))
    return dot(plus(turned_back(quaternion_at(q, iq, i + 3), vector_at(v, iv, k)), moved), vector_in(values, p + 3))


@inlined
def acceleration_along(values, p, q, iq, i, v, a, iv, k):
    """The acceleration less gravity of a frame in space along a direction fixed to it. Values: its arm, the direction,
    gravity. Vectors are in the axes of the node, except gravity and the acceleration of the node's origin, which are in
    ground axes."""
    R, omega = quaternion_at(q, iq, i + 3), vector_at(v, iv, k + 3)
    free = minus(vector_at(a, iv, k), vector_in(values, p + 6))
    around = turning_acceleration(omega, vector_at(a, iv, k + 3), vector_in(values, p))
    return dot(plus(turned_back(R, free), around), vector_in(values, p + 3))


@inlined
def place_in_space(values, p, q, iq, i):
    """The place of a frame in space along a direction of the ground. Values: its arm, the direction."""
    arm = turned(quaternion_at(q, iq, i + 3), vector_in(values, p))
    return dot(plus(vector_at(q, iq, i), arm), vector_in(values, p + 3))


@inlined
def velocity_in_space(values, p, q, iq, i, v, iv, k):
    """The velocity of a frame in space, in ground axes. Values: its arm."""
    moved = turned(quaternion_at(q, iq, i + 3), cross(vector_at(v, iv, k + 3), vector_in(values, p)))
    return plus(vector_at(v, iv, k), moved)


@inlined
def acceleration_in_space(values, p, q, iq, i, v, a, iv, k):
    """The acceleration of a frame in space along a direction of the ground. Values: its arm, the direction."""
    around = turning_acceleration(vector_at(v, iv, k + 3), vector_at(a, iv, k + 3), vector_in(values, p))
    return dot(plus(vector_at(a, iv, k), turned(quaternion_at(q, iq, i + 3), around)), vector_in(values, p + 3))


@inlined
def axes_at(values, p, q, iq, i):
    """The quaternion to ground axes from axes on a frame in space, which are given relative to its node."""
    return product(quaternion_at(q, iq, i + 3), quaternion_in(values, p))


@inlined
def spin_at(q, iq, i, v, iv, k):
    """The angular velocity of a node in ground axes."""
    return turned(quaternion_at(q, iq, i + 3), vector_at(v, iv, k + 3))


@inlined
def separation(values, p, q, iq, i, j, v, iv, k, l):
    """r_b − r_a and its rate, in ground axes. Values: the arms of b and a."""
    Rb, Ra = quaternion_at(q, iq, i + 3), quaternion_at(q, iq, j + 3)
    ub, ua = vector_in(values, p), vector_in(values, p + 3)
    d = minus(plus(vector_at(q, iq, i), turned(Rb, ub)), plus(vector_at(q, iq, j), turned(Ra, ua)))
    moved_b = turned(Rb, cross(vector_at(v, iv, k + 3), ub))
    moved_a = turned(Ra, cross(vector_at(v, iv, l + 3), ua))
    return d, minus(plus(vector_at(v, iv, k), moved_b), plus(vector_at(v, iv, l), moved_a))


@inlined
def apart(values, p, q, iq, i, j, v, iv, k, l):
    """The distance of two frames in space and its rate. Values: the arms of b and a."""
    d, rate = separation(values, p, q, iq, i, j, v, iv, k, l)
    length = math.sqrt(dot(d, d))
    return length, dot(d, rate) / length


@inlined
def place_between(values, p, q, iq, i, j, v, iv, k, l):
    """r_b − r_a along a direction fixed to a. Values: the arms of b and a, the direction."""
    d, _ = separation(values, p, q, iq, i, j, v, iv, k, l)
    return dot(d, turned(quaternion_at(q, iq, j + 3), vector_in(values, p + 6)))


@inlined
def speed_between(values, p, q, iq, i, j, v, iv, k, l):
    """The rate of that."""
    d, rate = separation(values, p, q, iq, i, j, v, iv, k, l)
    seen = minus(rate, cross(spin_at(q, iq, j, v, iv, l), d))
    return dot(seen, turned(quaternion_at(q, iq, j + 3), vector_in(values, p + 6)))


@inlined
def acceleration_between(values, p, q, iq, i, j, v, a, iv, k, l):
    """The second rate of that: with D = r_b − r_a and u = Ḋ − ω_a × D along the direction
    D̈ − α_a × D − 2 ω_a × u − ω_a × (ω_a × D)."""
    D, rate = separation(values, p, q, iq, i, j, v, iv, k, l)
    Rb, Ra = quaternion_at(q, iq, i + 3), quaternion_at(q, iq, j + 3)
    around_b = turning_acceleration(vector_at(v, iv, k + 3), vector_at(a, iv, k + 3), vector_in(values, p))
    around_a = turning_acceleration(vector_at(v, iv, l + 3), vector_at(a, iv, l + 3), vector_in(values, p + 3))
    b, at_a = plus(vector_at(a, iv, k), turned(Rb, around_b)), plus(vector_at(a, iv, l), turned(Ra, around_a))
    omega, alpha = spin_at(q, iq, j, v, iv, l), turned(Ra, vector_at(a, iv, l + 3))
    u = minus(rate, cross(omega, D))
    moved = plus(turning_acceleration(omega, alpha, D), times(2.0, cross(omega, u)))
    return dot(minus(minus(b, at_a), moved), turned(Ra, vector_in(values, p + 6)))


@inlined
def seen_from(q, iq, i, j, e):
    """A vector fixed to node b, in the axes of node a."""
    return turned_back(quaternion_at(q, iq, j + 3), turned(quaternion_at(q, iq, i + 3), e))


@inlined
def spin_between(q, iq, i, j, v, iv, k, l):
    """The angular velocity of b against a, in the axes of node a."""
    return minus(seen_from(q, iq, i, j, vector_at(v, iv, k + 3)), vector_at(v, iv, l + 3))


@inlined
def spin_up_between(q, iq, i, j, v, a, iv, k, l):
    """The rate of that angular velocity in these axes, α_b − α_a − ω_a × ω_b."""
    alpha = minus(seen_from(q, iq, i, j, vector_at(a, iv, k + 3)), vector_at(a, iv, l + 3))
    return minus(alpha, cross(vector_at(v, iv, l + 3), seen_from(q, iq, i, j, vector_at(v, iv, k + 3))))


@inlined
def turn_between(values, p, q, iq, i, j):
    """The rotation vector of b against a, of half a turn at most, in the axes on a. Values: the axes on both nodes."""
    return log(product(inverse(axes_at(values, p + 4, q, iq, j)), axes_at(values, p, q, iq, i)))


@inlined
def direction_angle(values, p, q, iq, i, j):
    """The angle of a direction u fixed to b in the plane of two that are fixed to a, atan2(y · u, x · u), up to whole
    turns. Values: u on b, x and y on a."""
    u = seen_from(q, iq, i, j, vector_in(values, p))
    return math.atan2(dot(vector_in(values, p + 6), u), dot(vector_in(values, p + 3), u))


@inlined
def direction_rate(values, p, q, iq, i, j, v, iv, k, l):
    """The rate of that angle: with the parts X = x · u and Y = y · u  (X Ẏ − Y Ẋ)/(X² + Y²),  u̇ = ω × u."""
    u, x, y = seen_from(q, iq, i, j, vector_in(values, p)), vector_in(values, p + 3), vector_in(values, p + 6)
    rate = cross(spin_between(q, iq, i, j, v, iv, k, l), u)
    return (dot(x, u) * dot(y, rate) - dot(y, u) * dot(x, rate)) / (dot(x, u) ** 2 + dot(y, u) ** 2)


@inlined
def direction_acceleration(values, p, q, iq, i, j, v, a, iv, k, l):
    """The second rate of that angle:  (X Ÿ − Y Ẍ − 2 rate (X Ẋ + Y Ẏ))/(X² + Y²),  ü = ω̇ × u + ω × u̇."""
    u, x, y = seen_from(q, iq, i, j, vector_in(values, p)), vector_in(values, p + 3), vector_in(values, p + 6)
    omega = spin_between(q, iq, i, j, v, iv, k, l)
    rate = cross(omega, u)
    second = plus(cross(spin_up_between(q, iq, i, j, v, a, iv, k, l), u), cross(omega, rate))
    X, Y, X1, Y1 = dot(x, u), dot(y, u), dot(x, rate), dot(y, rate)
    turning = (X * Y1 - Y * X1) / (X * X + Y * Y)
    return (X * dot(y, second) - Y * dot(x, second) - 2.0 * turning * (X * X1 + Y * Y1)) / (X * X + Y * Y)


@inlined
def attitude(values, p, t, q, iq, i, j):
    """E of a frame against a reference (:mod:`flexmb.feedback.attitude_sensors`), a quaternion. Values: the axes of b
    and a on their nodes, the direction, the rotation of the reference over time."""
    reference, _, _ = rotation_function(values, p + 11, t)
    return product(inverse(product(axes_at(values, p + 4, q, iq, j), reference)), axes_at(values, p, q, iq, i))


@inlined
def attitude_along(values, p, t, q, iq, i, j):
    """The component of the rotation vector of E along the direction."""
    return dot(log(attitude(values, p, t, q, iq, i, j)), vector_in(values, p + 8))


@inlined
def attitude_rate_along(values, p, t, q, iq, i, j, v, iv, k, l):
    """The component of the angular velocity against the reference along the direction."""
    reference, omega, _ = rotation_function(values, p + 11, t)
    wanted = product(axes_at(values, p + 4, q, iq, j), reference)
    spin = minus(spin_at(q, iq, i, v, iv, k), plus(spin_at(q, iq, j, v, iv, l), turned(wanted, omega)))
    return dot(turned_back(axes_at(values, p, q, iq, i), spin), vector_in(values, p + 8))
