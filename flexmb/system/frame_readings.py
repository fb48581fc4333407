"""What sensors on frames read, as formulas that sampled controllers and states of a user's own share.

A node has its coordinates in q at the indices iq from i on, and its speeds in v at iv from k on; of two nodes b is at
i and k, a at j and l. `values` hold from p on the offsets and axes of the frames on their nodes. With the orientation R
of a node and its angular velocity ω, in its own axes,

    r = r₀ + R u,   ṙ = ṙ₀ + R (ω × u)

In compiled code q and v may be vectors of dual numbers (:mod:`flexmb.kernels.dual_arrays`): the derivatives of all of
these follow from them.
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
    rotation_matrix,
    turned,
    turned_back,
)
from flexmb.kernels.vectors import cross, dot, minus, plus, vector_at, vector_in


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
def place_in_joint(values, p, q, iq, i, j, v, iv, k, l):
    """The displacement in a joint of space and its rate, in the axes of the joint on a. Values: the arms of b and a,
    the axes of the joint on both nodes."""
    axes_a = axes_at(values, p + 10, q, iq, j)
    d, rate = separation(values, p, q, iq, i, j, v, iv, k, l)
    relative = minus(rate, cross(spin_at(q, iq, j, v, iv, l), d))
    return turned_back(axes_a, d), turned_back(axes_a, relative)


@inlined
def angle_in_joint(values, p, q, iq, i, j, v, iv, k, l, which):
    """The angle of a joint in space, up to whole turns, and its rate: `which` 0 about z of a hinge, 1 and 2 about the
    two axes of a universal joint. Values as those of :func:`place_in_joint`."""
    axes_b, axes_a = axes_at(values, p + 6, q, iq, i), axes_at(values, p + 10, q, iq, j)
    M = rotation_matrix(product(inverse(axes_a), axes_b))
    omega = turned_back(axes_a, minus(spin_at(q, iq, i, v, iv, k), spin_at(q, iq, j, v, iv, l)))
    if which == 0:
        return math.atan2(M[3], M[0]), omega[2]
    z = (M[2], M[5], M[8])
    along = dot(omega, z)
    own, other = (omega[2], along) if which == 1 else (along, omega[2])
    rate = (own - z[2] * other) / (1.0 - z[2] * z[2])
    return math.atan2(M[5], M[2]) if which == 1 else -math.atan2(M[7], M[6]), rate


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
