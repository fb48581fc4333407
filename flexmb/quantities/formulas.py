"""Formulas of quantities: those of :mod:`flexmb.quantities.frame_formulas` with their rows of parameters.

Those of frames in space along a direction of the ground have the frame's arm and the direction in their rows. A joint
has in its row for a position the arms of b and a and a direction on the node of a; for a rotation vector a direction,
and the axes of the joint on b and a; for an angle the axis on a, about which its rate is measured in a hinge, then the
direction on b and the two on a between which it is measured.
"""

from __future__ import annotations

import math
from typing import Any

from flexmb.kernels.formula import formula
from flexmb.kernels.rotations import product, quaternion_at
from flexmb.kernels.slots import time_function
from flexmb.kernels.vectors import dot, vector_at, vector_in
from flexmb.quantities.frame_formulas import (
    acceleration_along,
    acceleration_between,
    acceleration_in_plane,
    acceleration_in_space,
    apart,
    apart_in_plane,
    attitude,
    attitude_along,
    attitude_rate_along,
    axes_at,
    direction_acceleration,
    direction_angle,
    direction_rate,
    motion_in_plane,
    place_between,
    place_in_space,
    slide_in_plane,
    speed_between,
    spin_along,
    spin_at,
    spin_between,
    spin_up_between,
    turn_between,
    velocity_along,
    velocity_in_plane,
    velocity_in_space,
    velocity_of_frame_in_plane,
)

#: the places of nodes b and a among the coordinates and speeds of an instance, in the plane and in space
PLANAR_A, A_PLACES, A_SPEEDS = 3, 7, 6


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


@formula
def euler_parameter(row, iq, iv, t, q, v, a):
    e, which = quaternion_at(q, iq, 0), row[0]
    return e[0] if which == 0.0 else e[1] if which == 1.0 else e[2] if which == 2.0 else e[3]


@formula
def euler_parameter_rate(row, iq, iv, t, q, v, a):
    x, y, z = vector_at(v, iv, 0)
    rate = product(quaternion_at(q, iq, 0), (0.0, 0.5 * x, 0.5 * y, 0.5 * z))
    return rate[0] if row[0] == 0.0 else rate[1] if row[0] == 1.0 else rate[2] if row[0] == 2.0 else rate[3]


@formula
def function(row, iq, iv, t, q, v, a):
    value, rate, second_rate = time_function(row, 1, t)
    return value if row[0] == 0.0 else rate if row[0] == 1.0 else second_rate


@formula
def planar_velocity(row, iq, iv, t, q, v, a):
    return velocity_in_plane(row, 0, q, iq, 0, v, iv, 0)


@formula
def planar_distance(row, iq, iv, t, q, v, a):
    return apart_in_plane(row, 0, q, iq, 0, PLANAR_A, v, iv, 0, PLANAR_A)[0]


@formula
def planar_distance_rate(row, iq, iv, t, q, v, a):
    return apart_in_plane(row, 0, q, iq, 0, PLANAR_A, v, iv, 0, PLANAR_A)[1]


@formula
def velocity(row, iq, iv, t, q, v, a):
    return velocity_along(row, 0, q, iq, 0, v, iv, 0)


@formula
def spin(row, iq, iv, t, q, v, a):
    return spin_along(row, 0, v, iv, 0)


@formula
def distance(row, iq, iv, t, q, v, a):
    return apart(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)[0]


@formula
def distance_rate(row, iq, iv, t, q, v, a):
    return apart(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)[1]


@formula
def planar_acceleration(row, iq, iv, t, q, v, a):
    return acceleration_in_plane(row, 0, q, iq, 0, v, a, iv, 0)


@formula
def acceleration(row, iq, iv, t, q, v, a):
    return acceleration_along(row, 0, q, iq, 0, v, a, iv, 0)


# frames along a direction of the ground


@formula
def planar_place(row, iq, iv, t, q, v, a):
    return motion_in_plane(row, 0, q, iq, 0, v, v, iv, 0, 0)


@formula
def planar_place_rate(row, iq, iv, t, q, v, a):
    return motion_in_plane(row, 0, q, iq, 0, v, v, iv, 0, 1)


@formula
def planar_place_second_rate(row, iq, iv, t, q, v, a):
    return motion_in_plane(row, 0, q, iq, 0, v, a, iv, 0, 2)


@formula
def planar_speed(row, iq, iv, t, q, v, a):
    x, y = velocity_of_frame_in_plane(row, 0, q, iq, 0, v, iv, 0)
    return math.sqrt(x * x + y * y)


@formula
def place(row, iq, iv, t, q, v, a):
    return place_in_space(row, 0, q, iq, 0)


@formula
def place_rate(row, iq, iv, t, q, v, a):
    return dot(velocity_in_space(row, 0, q, iq, 0, v, iv, 0), vector_in(row, 3))


@formula
def speed(row, iq, iv, t, q, v, a):
    x = velocity_in_space(row, 0, q, iq, 0, v, iv, 0)
    return math.sqrt(dot(x, x))


@formula
def place_second_rate(row, iq, iv, t, q, v, a):
    return acceleration_in_space(row, 0, q, iq, 0, v, a, iv, 0)


@formula
def ground_spin(row, iq, iv, t, q, v, a):
    return dot(spin_at(q, iq, 0, v, iv, 0), vector_in(row, 3))


@formula
def ground_spin_up(row, iq, iv, t, q, v, a):
    return dot(spin_at(q, iq, 0, a, iv, 0), vector_in(row, 3))


@formula
def orientation(row, iq, iv, t, q, v, a):
    e, which = axes_at(row, 0, q, iq, 0), row[4]
    return e[0] if which == 0.0 else e[1] if which == 1.0 else e[2] if which == 2.0 else e[3]


# joints


@formula
def slide(row, iq, iv, t, q, v, a):
    return slide_in_plane(row, 0, q, iq, 0, PLANAR_A, v, v, iv, 0, PLANAR_A, 0)


@formula
def slide_rate(row, iq, iv, t, q, v, a):
    return slide_in_plane(row, 0, q, iq, 0, PLANAR_A, v, v, iv, 0, PLANAR_A, 1)


@formula
def slide_second_rate(row, iq, iv, t, q, v, a):
    return slide_in_plane(row, 0, q, iq, 0, PLANAR_A, v, a, iv, 0, PLANAR_A, 2)


@formula
def joint_place(row, iq, iv, t, q, v, a):
    return place_between(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)


@formula
def joint_speed(row, iq, iv, t, q, v, a):
    return speed_between(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)


@formula
def joint_acceleration(row, iq, iv, t, q, v, a):
    return acceleration_between(row, 0, q, iq, 0, A_PLACES, v, a, iv, 0, A_SPEEDS)


@formula
def joint_turn(row, iq, iv, t, q, v, a):
    return dot(vector_in(row, 0), turn_between(row, 3, q, iq, 0, A_PLACES))


@formula
def joint_spin(row, iq, iv, t, q, v, a):
    return dot(vector_in(row, 0), spin_between(q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS))


@formula
def joint_spin_up(row, iq, iv, t, q, v, a):
    return dot(vector_in(row, 0), spin_up_between(q, iq, 0, A_PLACES, v, a, iv, 0, A_SPEEDS))


@formula
def joint_angle(row, iq, iv, t, q, v, a):
    return direction_angle(row, 3, q, iq, 0, A_PLACES)


@formula
def joint_rate(row, iq, iv, t, q, v, a):
    return direction_rate(row, 3, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)


@formula
def joint_second_rate(row, iq, iv, t, q, v, a):
    return direction_acceleration(row, 3, q, iq, 0, A_PLACES, v, a, iv, 0, A_SPEEDS)


@formula
def attitude_error(row, iq, iv, t, q, v, a):
    return attitude_along(row, 0, t, q, iq, 0, A_PLACES)


@formula
def attitude_rate(row, iq, iv, t, q, v, a):
    return attitude_rate_along(row, 0, t, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)


@formula
def quaternion(row, iq, iv, t, q, v, a):
    e, which = attitude(row, 0, t, q, iq, 0, A_PLACES), row[8]
    return e[0] if which == 0.0 else e[1] if which == 1.0 else e[2] if which == 2.0 else e[3]


@formula
def weighted_sum(row, iq, iv, t, q, v, a):
    total = 0.0
    for j in range(iq.shape[0]):
        total += row[j] * q[iq[j]]
    return total


#: of each coordinate with its two rates
PLANAR_PLACE: tuple[Any, ...] = (planar_place, planar_place_rate, planar_place_second_rate)
PLACE: tuple[Any, ...] = (place, place_rate, place_second_rate)
SLIDE: tuple[Any, ...] = (slide, slide_rate, slide_second_rate)
JOINT_PLACE: tuple[Any, ...] = (joint_place, joint_speed, joint_acceleration)
TURN: tuple[Any, ...] = (joint_turn, joint_spin, joint_spin_up)
HINGE: tuple[Any, ...] = (joint_angle, joint_spin, joint_spin_up)
CROSS: tuple[Any, ...] = (joint_angle, joint_rate, joint_second_rate)
