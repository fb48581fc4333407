"""Formulas of frames and joints in space.

A node has its coordinates r, e0, …, e3 in q at iq[0:7], and its speeds ṙ, ω, and accelerations, at iv[0:6], ω and α in
its own axes; of two nodes b comes first, then a. Rows have the arms u of frames on their nodes, and directions. With
the orientation R of a node

    r = r₀ + R u,   ṙ = ṙ₀ + R (ω × u),   r̈ = r̈₀ + R (α × u + ω × (ω × u))

A joint has in its row for a position the arms of b and a and a direction on the node of a; for a rotation vector a
direction and the axes on b and a; for an angle the axis on a, about which its rate is measured in a hinge, then the
direction on b and the two on a between which it is measured.
"""

from __future__ import annotations

import math
from typing import Any

from flexmb.kernels.compilation import inlined
from flexmb.kernels.euler_angles import angle_rates, angles_of, turn_of
from flexmb.kernels.formula import formula
from flexmb.kernels.rotation_functions import rotation_function
from flexmb.kernels.rotations import inverse, product, quaternion_at, quaternion_in, turned, turned_back
from flexmb.kernels.rotations import log as rotation_vector
from flexmb.kernels.vectors import cross, dot, minus, plus, times, turning_acceleration, vector_at, vector_in
from flexmb.model.gravity.falling import attraction, origin

#: the places of node a among the coordinates and speeds of two nodes, and of what turns behind its place
A_PLACES, A_SPEEDS, TURN_AT = 7, 6, 3


@inlined
def _R(q, iq, i):
    return quaternion_at(q, iq, i + TURN_AT)


@inlined
def _omega(v, iv, k):
    """The angular velocity of a node in its own axes, of accelerations α."""
    return vector_at(v, iv, k + TURN_AT)


@inlined
def _number(e, which):
    return e[0] if which == 0.0 else e[1] if which == 1.0 else e[2] if which == 2.0 else e[-1]


@formula
def euler_parameter(row, iq, iv, t, q, v, a):
    return _number(quaternion_at(q, iq, 0), row[0])


@formula
def euler_parameter_rate(row, iq, iv, t, q, v, a):
    x, y, z = vector_at(v, iv, 0)
    return _number(product(quaternion_at(q, iq, 0), (0.0, 0.5 * x, 0.5 * y, 0.5 * z)), row[0])


@formula
def orientation(row, iq, iv, t, q, v, a):
    return _number(product(_R(q, iq, 0), quaternion_in(row, 0)), row[4])


@formula
def rotation(row, iq, iv, t, q, v, a):
    """A part of the rotation vector of a frame, of half a turn at most."""
    return dot(rotation_vector(product(_R(q, iq, 0), quaternion_in(row, 0))), vector_in(row, 4))


@inlined
def _axes(row):
    return int(row[1]), int(row[2]), int(row[3])


@formula
def euler_angle(row, iq, iv, t, q, v, a):
    """One of three, which turn about axes that the row names, of a frame against the ground or another one."""
    return _number(angles_of(_axes(row), turn_of(row, 4, iq, iv, q, v)[0]), row[0])


@formula
def euler_rate(row, iq, iv, t, q, v, a):
    e, omega = turn_of(row, 4, iq, iv, q, v)
    return _number(angle_rates(_axes(row), angles_of(_axes(row), e), omega), row[0])


# along a direction fixed to the frame


@formula
def velocity(row, iq, iv, t, q, v, a):
    moved = cross(_omega(v, iv, 0), vector_in(row, 0))
    return dot(plus(turned_back(_R(q, iq, 0), vector_at(v, iv, 0)), moved), vector_in(row, 3))


@formula
def cosine(row, iq, iv, t, q, v, a):
    """Cosine of the angle between that and a direction fixed in space."""
    return dot(turned(_R(q, iq, 0), vector_in(row, 0)), vector_in(row, 3))


@formula
def acceleration(row, iq, iv, t, q, v, a):
    """Less gravity, which follows in the row."""
    free = turned_back(_R(q, iq, 0), minus(vector_at(a, iv, 0), vector_in(row, 6)))
    around = turning_acceleration(_omega(v, iv, 0), _omega(a, iv, 0), vector_in(row, 0))
    return dot(plus(free, around), vector_in(row, 3))


@formula
def acceleration_in_orbit(row, iq, iv, t, q, v, a):
    """Less central gravity at the place, whose parameters follow in the row."""
    arm = vector_in(row, 0)
    o, _ = origin(row, 6, t)
    felt = attraction(row[6], o, plus(vector_at(q, iq, 0), turned(_R(q, iq, 0), arm)))[0]
    free = turned_back(_R(q, iq, 0), minus(vector_at(a, iv, 0), felt))
    around = turning_acceleration(_omega(v, iv, 0), _omega(a, iv, 0), arm)
    return dot(plus(free, around), vector_in(row, 3))


@formula
def spin(row, iq, iv, t, q, v, a):
    return dot(_omega(v, iv, 0), vector_in(row, 3))


# along a direction of the ground


@inlined
def _velocity(u, q, iq, i, v, iv, k):
    return plus(vector_at(v, iv, k), turned(_R(q, iq, i), cross(_omega(v, iv, k), u)))


@inlined
def _acceleration(u, q, iq, i, v, a, iv, k):
    around = turning_acceleration(_omega(v, iv, k), _omega(a, iv, k), u)
    return plus(vector_at(a, iv, k), turned(_R(q, iq, i), around))


@formula
def place(row, iq, iv, t, q, v, a):
    return dot(plus(vector_at(q, iq, 0), turned(_R(q, iq, 0), vector_in(row, 0))), vector_in(row, 3))


@formula
def place_rate(row, iq, iv, t, q, v, a):
    return dot(_velocity(vector_in(row, 0), q, iq, 0, v, iv, 0), vector_in(row, 3))


@formula
def place_second_rate(row, iq, iv, t, q, v, a):
    return dot(_acceleration(vector_in(row, 0), q, iq, 0, v, a, iv, 0), vector_in(row, 3))


@formula
def speed(row, iq, iv, t, q, v, a):
    x = _velocity(vector_in(row, 0), q, iq, 0, v, iv, 0)
    return math.sqrt(dot(x, x))


@formula
def ground_spin(row, iq, iv, t, q, v, a):
    return dot(turned(_R(q, iq, 0), _omega(v, iv, 0)), vector_in(row, 3))


@formula
def ground_spin_up(row, iq, iv, t, q, v, a):
    return dot(turned(_R(q, iq, 0), _omega(a, iv, 0)), vector_in(row, 3))


# two frames


@inlined
def _separation(row, q, iq):
    """r_b − r_a; the arms of b and a stand at the head of the row."""
    b = plus(vector_at(q, iq, 0), turned(_R(q, iq, 0), vector_in(row, 0)))
    return minus(b, plus(vector_at(q, iq, A_PLACES), turned(_R(q, iq, A_PLACES), vector_in(row, 3))))


@inlined
def _separation_rate(row, q, iq, v, iv):
    b = _velocity(vector_in(row, 0), q, iq, 0, v, iv, 0)
    return minus(b, _velocity(vector_in(row, 3), q, iq, A_PLACES, v, iv, A_SPEEDS))


@formula
def distance(row, iq, iv, t, q, v, a):
    d = _separation(row, q, iq)
    return math.sqrt(dot(d, d))


@formula
def distance_rate(row, iq, iv, t, q, v, a):
    d = _separation(row, q, iq)
    return dot(d, _separation_rate(row, q, iq, v, iv)) / math.sqrt(dot(d, d))


@formula
def tension(row, iq, iv, t, q, v, f):
    """What pulls b towards a, of the force f on b."""
    d = _separation(row, q, iq)
    return -dot(vector_in(f, 0), d) / math.sqrt(dot(d, d))


@inlined
def _along(row, q, iq):
    """The direction of a joint on a, in ground axes."""
    return turned(_R(q, iq, A_PLACES), vector_in(row, 6))


@inlined
def _spin_of_a(q, iq, v, iv):
    return turned(_R(q, iq, A_PLACES), _omega(v, iv, A_SPEEDS))


@formula
def joint_place(row, iq, iv, t, q, v, a):
    return dot(_separation(row, q, iq), _along(row, q, iq))


@inlined
def _seen_velocity(row, q, iq, v, iv):
    """The velocity of b as a sees it, in ground axes."""
    return minus(_separation_rate(row, q, iq, v, iv), cross(_spin_of_a(q, iq, v, iv), _separation(row, q, iq)))


@formula
def joint_speed(row, iq, iv, t, q, v, a):
    return dot(_seen_velocity(row, q, iq, v, iv), _along(row, q, iq))


@formula
def seen_speed(row, iq, iv, t, q, v, a):
    u = _seen_velocity(row, q, iq, v, iv)
    return math.sqrt(dot(u, u))


@formula
def seen_orientation(row, iq, iv, t, q, v, a):
    """One of the four numbers of the orientation of b against a; the row has it, and the axes of both."""
    return _number(turn_of(row, 1, iq, iv, q, v)[0], row[0])


@formula
def joint_acceleration(row, iq, iv, t, q, v, a):
    """With D = r_b − r_a and u = Ḋ − ω_a × D along the direction  D̈ − α_a × D − 2 ω_a × u − ω_a × (ω_a × D)."""
    D, omega, alpha = _separation(row, q, iq), _spin_of_a(q, iq, v, iv), _spin_of_a(q, iq, a, iv)
    b = _acceleration(vector_in(row, 0), q, iq, 0, v, a, iv, 0)
    whole = minus(b, _acceleration(vector_in(row, 3), q, iq, A_PLACES, v, a, iv, A_SPEEDS))
    u = minus(_separation_rate(row, q, iq, v, iv), cross(omega, D))
    moved = plus(turning_acceleration(omega, alpha, D), times(2.0, cross(omega, u)))
    return dot(minus(whole, moved), _along(row, q, iq))


@inlined
def _seen_from_a(q, iq, e):
    """A vector fixed to b, in the axes of the node of a."""
    return turned_back(_R(q, iq, A_PLACES), turned(_R(q, iq, 0), e))


@inlined
def _spin_between(q, iq, v, iv):
    """The angular velocity of b against a, in the axes of the node of a."""
    return minus(_seen_from_a(q, iq, _omega(v, iv, 0)), _omega(v, iv, A_SPEEDS))


@inlined
def _spin_up_between(q, iq, v, a, iv):
    """Its rate in these axes, α_b − α_a − ω_a × ω_b."""
    turning = cross(_omega(v, iv, A_SPEEDS), _seen_from_a(q, iq, _omega(v, iv, 0)))
    return minus(_spin_between(q, iq, a, iv), turning)


@formula
def joint_turn(row, iq, iv, t, q, v, a):
    """A part of the rotation vector of b against a, of half a turn at most."""
    on_b, on_a = product(_R(q, iq, 0), quaternion_in(row, 3)), product(_R(q, iq, A_PLACES), quaternion_in(row, 7))
    return dot(vector_in(row, 0), rotation_vector(product(inverse(on_a), on_b)))


@formula
def joint_spin(row, iq, iv, t, q, v, a):
    return dot(vector_in(row, 0), _spin_between(q, iq, v, iv))


@formula
def joint_spin_up(row, iq, iv, t, q, v, a):
    return dot(vector_in(row, 0), _spin_up_between(q, iq, v, a, iv))


@formula
def joint_angle(row, iq, iv, t, q, v, a):
    """The angle of a direction u fixed to b in the plane of x and y, fixed to a, atan2(y · u, x · u), up to whole
    turns."""
    u = _seen_from_a(q, iq, vector_in(row, 3))
    return math.atan2(dot(vector_in(row, 9), u), dot(vector_in(row, 6), u))


@formula
def joint_rate(row, iq, iv, t, q, v, a):
    """The rate of that angle: with the parts X = x · u and Y = y · u  (X Ẏ − Y Ẋ)/(X² + Y²),  u̇ = ω × u."""
    u, x, y = _seen_from_a(q, iq, vector_in(row, 3)), vector_in(row, 6), vector_in(row, 9)
    rate = cross(_spin_between(q, iq, v, iv), u)
    return (dot(x, u) * dot(y, rate) - dot(y, u) * dot(x, rate)) / (dot(x, u) ** 2 + dot(y, u) ** 2)


@formula
def joint_second_rate(row, iq, iv, t, q, v, a):
    """The second rate of that angle:  (X Ÿ − Y Ẍ − 2 rate (X Ẋ + Y Ẏ))/(X² + Y²),  ü = ω̇ × u + ω × u̇."""
    u, x, y = _seen_from_a(q, iq, vector_in(row, 3)), vector_in(row, 6), vector_in(row, 9)
    omega = _spin_between(q, iq, v, iv)
    rate = cross(omega, u)
    second = plus(cross(_spin_up_between(q, iq, v, a, iv), u), cross(omega, rate))
    X, Y, X1, Y1 = dot(x, u), dot(y, u), dot(x, rate), dot(y, rate)
    turning = (X * Y1 - Y * X1) / (X * X + Y * Y)
    return (X * dot(y, second) - Y * dot(x, second) - 2.0 * turning * (X * X1 + Y * Y1)) / (X * X + Y * Y)


# against a reference over time (:mod:`flexmb.feedback.attitude_sensors`)


@inlined
def _attitude(row, t, q, iq):
    """E of a frame against a reference. Row: the axes of b and a on their nodes, the direction, the rotation of the
    reference over time."""
    reference, _, _ = rotation_function(row, 11, t)
    wanted = product(product(_R(q, iq, A_PLACES), quaternion_in(row, 4)), reference)
    return product(inverse(wanted), product(_R(q, iq, 0), quaternion_in(row, 0)))


@formula
def attitude_error(row, iq, iv, t, q, v, a):
    """The part of the rotation vector of E along the direction."""
    return dot(rotation_vector(_attitude(row, t, q, iq)), vector_in(row, 8))


@formula
def attitude_rate(row, iq, iv, t, q, v, a):
    """The part of the angular velocity against the reference along the direction."""
    reference, omega, _ = rotation_function(row, 11, t)
    wanted = product(product(_R(q, iq, A_PLACES), quaternion_in(row, 4)), reference)
    moving = plus(_spin_of_a(q, iq, v, iv), turned(wanted, omega))
    spin = minus(turned(_R(q, iq, 0), _omega(v, iv, 0)), moving)
    return dot(turned_back(product(_R(q, iq, 0), quaternion_in(row, 0)), spin), vector_in(row, 8))


@formula
def attitude_parameter(row, iq, iv, t, q, v, a):
    return _number(_attitude(row, t, q, iq), row[8])


#: of the line between two frames
LINE: tuple[Any, ...] = (distance, distance_rate, tension)
#: of each coordinate with its two rates
PLACE: tuple[Any, ...] = (place, place_rate, place_second_rate)
JOINT_PLACE: tuple[Any, ...] = (joint_place, joint_speed, joint_acceleration)
TURN: tuple[Any, ...] = (joint_turn, joint_spin, joint_spin_up)
HINGE: tuple[Any, ...] = (joint_angle, joint_spin, joint_spin_up)
CROSS: tuple[Any, ...] = (joint_angle, joint_rate, joint_second_rate)
