"""Families of quantities: each is one formula of :mod:`flexmb.quantities.frame_formulas` as a kernel.

Those of frames in space along a direction of the ground have the frame's arm and the direction in their rows, those of
joints the arms of b and a, the axes of the joint on both nodes, and behind them a number that says which coordinate.
"""

from __future__ import annotations

import math
from typing import Any

from flexmb.kernels.compilation import inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import product, quaternion_at
from flexmb.kernels.slots import time_function
from flexmb.kernels.vectors import dot, vector_at, vector_in
from flexmb.quantities.frame_formulas import (
    acceleration_along,
    acceleration_in_joint,
    acceleration_in_plane,
    acceleration_in_space,
    angle_acceleration_in_joint,
    angle_in_joint,
    apart,
    apart_in_plane,
    attitude,
    attitude_along,
    attitude_rate_along,
    axes_at,
    motion_in_plane,
    place_in_joint,
    place_in_space,
    slide_in_plane,
    spin_along,
    spin_at,
    spin_in_joint,
    spin_up_in_joint,
    turn_in_joint,
    velocity_along,
    velocity_in_plane,
    velocity_in_space,
    velocity_of_frame_in_plane,
)

#: the places of nodes b and a among the coordinates and speeds of an instance, in the plane and in space
PLANAR_A, A_PLACES, A_SPEEDS = 3, 7, 6


def family(name: str, read: Any) -> Kernels:
    """The family whose number is read(row of parameters, iq, iv, t, q, v, a) of each instance."""

    @kernel
    def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            out[i, 0] = read(p[i], iq[i], iv[i], t, q, v, a)

    return Kernels(name, residual=residual)


@inlined
def _coordinate(row, iq, iv, t, q, v, a):
    return row[0] * q[iq[0]] + row[1] * v[iv[0]]


@inlined
def _two_coordinates(row, iq, iv, t, q, v, a):
    first = row[0] * q[iq[0]] + row[1] * v[iv[0]]
    return first + row[2] * q[iq[1]] + row[3] * v[iv[1]]


@inlined
def _second_rate(row, iq, iv, t, q, v, a):
    return row[0] * a[iv[0]]


@inlined
def _two_second_rates(row, iq, iv, t, q, v, a):
    return row[0] * a[iv[0]] + row[1] * a[iv[1]]


@inlined
def _euler_parameter(row, iq, iv, t, q, v, a):
    e, which = quaternion_at(q, iq, 0), row[0]
    return e[0] if which == 0.0 else e[1] if which == 1.0 else e[2] if which == 2.0 else e[3]


@inlined
def _euler_parameter_rate(row, iq, iv, t, q, v, a):
    x, y, z = vector_at(v, iv, 0)
    rate = product(quaternion_at(q, iq, 0), (0.0, 0.5 * x, 0.5 * y, 0.5 * z))
    return rate[0] if row[0] == 0.0 else rate[1] if row[0] == 1.0 else rate[2] if row[0] == 2.0 else rate[3]


@inlined
def _function(row, iq, iv, t, q, v, a):
    value, rate, second_rate = time_function(row, 1, t)
    return value if row[0] == 0.0 else rate if row[0] == 1.0 else second_rate


@inlined
def _planar_velocity(row, iq, iv, t, q, v, a):
    return velocity_in_plane(row, 0, q, iq, 0, v, iv, 0)


@inlined
def _planar_distance(row, iq, iv, t, q, v, a):
    return apart_in_plane(row, 0, q, iq, 0, PLANAR_A, v, iv, 0, PLANAR_A)[0]


@inlined
def _planar_distance_rate(row, iq, iv, t, q, v, a):
    return apart_in_plane(row, 0, q, iq, 0, PLANAR_A, v, iv, 0, PLANAR_A)[1]


@inlined
def _velocity(row, iq, iv, t, q, v, a):
    return velocity_along(row, 0, q, iq, 0, v, iv, 0)


@inlined
def _spin(row, iq, iv, t, q, v, a):
    return spin_along(row, 0, v, iv, 0)


@inlined
def _distance(row, iq, iv, t, q, v, a):
    return apart(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)[0]


@inlined
def _distance_rate(row, iq, iv, t, q, v, a):
    return apart(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)[1]


@inlined
def _planar_acceleration(row, iq, iv, t, q, v, a):
    return acceleration_in_plane(row, 0, q, iq, 0, v, a, iv, 0)


@inlined
def _acceleration(row, iq, iv, t, q, v, a):
    return acceleration_along(row, 0, q, iq, 0, v, a, iv, 0)


# frames along a direction of the ground


@inlined
def _planar_place(row, iq, iv, t, q, v, a):
    return motion_in_plane(row, 0, q, iq, 0, v, a, iv, 0, 0)


@inlined
def _planar_place_rate(row, iq, iv, t, q, v, a):
    return motion_in_plane(row, 0, q, iq, 0, v, a, iv, 0, 1)


@inlined
def _planar_place_second_rate(row, iq, iv, t, q, v, a):
    return motion_in_plane(row, 0, q, iq, 0, v, a, iv, 0, 2)


@inlined
def _planar_speed(row, iq, iv, t, q, v, a):
    x, y = velocity_of_frame_in_plane(row, 0, q, iq, 0, v, iv, 0)
    return math.sqrt(x * x + y * y)


@inlined
def _place(row, iq, iv, t, q, v, a):
    return place_in_space(row, 0, q, iq, 0)


@inlined
def _place_rate(row, iq, iv, t, q, v, a):
    return dot(velocity_in_space(row, 0, q, iq, 0, v, iv, 0), vector_in(row, 3))


@inlined
def _speed(row, iq, iv, t, q, v, a):
    x = velocity_in_space(row, 0, q, iq, 0, v, iv, 0)
    return math.sqrt(dot(x, x))


@inlined
def _place_second_rate(row, iq, iv, t, q, v, a):
    return acceleration_in_space(row, 0, q, iq, 0, v, a, iv, 0)


@inlined
def _ground_spin(row, iq, iv, t, q, v, a):
    return dot(spin_at(q, iq, 0, v, iv, 0), vector_in(row, 3))


@inlined
def _ground_spin_up(row, iq, iv, t, q, v, a):
    return dot(spin_at(q, iq, 0, a, iv, 0), vector_in(row, 3))


@inlined
def _orientation(row, iq, iv, t, q, v, a):
    e, which = axes_at(row, 0, q, iq, 0), row[4]
    return e[0] if which == 0.0 else e[1] if which == 1.0 else e[2] if which == 2.0 else e[3]


# joints


@inlined
def _slide(row, iq, iv, t, q, v, a):
    return slide_in_plane(row, 0, q, iq, 0, PLANAR_A, v, a, iv, 0, PLANAR_A, 0)


@inlined
def _slide_rate(row, iq, iv, t, q, v, a):
    return slide_in_plane(row, 0, q, iq, 0, PLANAR_A, v, a, iv, 0, PLANAR_A, 1)


@inlined
def _slide_second_rate(row, iq, iv, t, q, v, a):
    return slide_in_plane(row, 0, q, iq, 0, PLANAR_A, v, a, iv, 0, PLANAR_A, 2)


@inlined
def _component(row, x):
    return x[0] if row[14] == 0.0 else x[1] if row[14] == 1.0 else x[2]


@inlined
def _joint_place(row, iq, iv, t, q, v, a):
    return _component(row, place_in_joint(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)[0])


@inlined
def _joint_speed(row, iq, iv, t, q, v, a):
    return _component(row, place_in_joint(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)[1])


@inlined
def _joint_acceleration(row, iq, iv, t, q, v, a):
    return _component(row, acceleration_in_joint(row, 0, q, iq, 0, A_PLACES, v, a, iv, 0, A_SPEEDS))


@inlined
def _joint_angle(row, iq, iv, t, q, v, a):
    return angle_in_joint(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS, int(row[14]))[0]


@inlined
def _joint_rate(row, iq, iv, t, q, v, a):
    return angle_in_joint(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS, int(row[14]))[1]


@inlined
def _joint_angle_acceleration(row, iq, iv, t, q, v, a):
    return angle_acceleration_in_joint(row, 0, q, iq, 0, A_PLACES, v, a, iv, 0, A_SPEEDS, int(row[14]))


@inlined
def _joint_turn(row, iq, iv, t, q, v, a):
    return _component(row, turn_in_joint(row, 0, q, iq, 0, A_PLACES))


@inlined
def _joint_spin(row, iq, iv, t, q, v, a):
    return _component(row, spin_in_joint(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS))


@inlined
def _joint_spin_up(row, iq, iv, t, q, v, a):
    return _component(row, spin_up_in_joint(row, 0, q, iq, 0, A_PLACES, v, a, iv, 0, A_SPEEDS))


@inlined
def _attitude(row, iq, iv, t, q, v, a):
    return attitude_along(row, 0, t, q, iq, 0, A_PLACES)


@inlined
def _attitude_rate(row, iq, iv, t, q, v, a):
    return attitude_rate_along(row, 0, t, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)


@inlined
def _quaternion(row, iq, iv, t, q, v, a):
    e, which = attitude(row, 0, t, q, iq, 0, A_PLACES), row[8]
    return e[0] if which == 0.0 else e[1] if which == 1.0 else e[2] if which == 2.0 else e[3]


COORDINATE: Kernels = family("a coordinate and its rate", _coordinate)
TWO_COORDINATES: Kernels = family("two coordinates and their rates", _two_coordinates)
SECOND_RATE: Kernels = family("the second rate of a coordinate", _second_rate)
TWO_SECOND_RATES: Kernels = family("the second rates of two coordinates", _two_second_rates)
EULER_PARAMETER: Kernels = family("a number of an orientation", _euler_parameter)
EULER_PARAMETER_RATE: Kernels = family("the rate of a number of an orientation", _euler_parameter_rate)
FUNCTION: Kernels = family("a function of time", _function)
PLANAR_VELOCITY: Kernels = family("a velocity in the plane", _planar_velocity)
PLANAR_ACCELERATION: Kernels = family("an acceleration in the plane", _planar_acceleration)
PLANAR_DISTANCE: Kernels = family("a distance in the plane", _planar_distance)
PLANAR_DISTANCE_RATE: Kernels = family("the rate of a distance in the plane", _planar_distance_rate)
VELOCITY: Kernels = family("a velocity", _velocity)
ACCELERATION: Kernels = family("an acceleration", _acceleration)
SPIN: Kernels = family("an angular velocity", _spin)
DISTANCE: Kernels = family("a distance", _distance)
DISTANCE_RATE: Kernels = family("the rate of a distance", _distance_rate)
PLANAR_PLACE: tuple[Kernels, ...] = (
    family("a place in the plane", _planar_place),
    family("the rate of a place in the plane", _planar_place_rate),
    family("the second rate of a place in the plane", _planar_place_second_rate),
)
PLANAR_SPEED: Kernels = family("the size of a velocity in the plane", _planar_speed)
PLACE: tuple[Kernels, ...] = (
    family("a place", _place),
    family("the rate of a place", _place_rate),
    family("the second rate of a place", _place_second_rate),
)
SPEED: Kernels = family("the size of a velocity", _speed)
GROUND_SPIN: Kernels = family("an angular velocity in ground axes", _ground_spin)
GROUND_SPIN_UP: Kernels = family("an angular acceleration in ground axes", _ground_spin_up)
ORIENTATION: Kernels = family("an Euler parameter of a frame", _orientation)
SLIDE: tuple[Kernels, ...] = (
    family("a position in a joint of the plane", _slide),
    family("its rate", _slide_rate),
    family("its second rate", _slide_second_rate),
)
JOINT_PLACE: tuple[Kernels, ...] = (
    family("a position in a joint", _joint_place),
    family("a speed in a joint", _joint_speed),
    family("an acceleration in a joint", _joint_acceleration),
)
JOINT_ANGLE: tuple[Kernels, ...] = (
    family("an angle in a joint", _joint_angle),
    family("the rate of an angle in a joint", _joint_rate),
    family("the second rate of an angle in a joint", _joint_angle_acceleration),
)
JOINT_TURN: tuple[Kernels, ...] = (
    family("a rotation vector in a joint", _joint_turn),
    family("an angular velocity in a joint", _joint_spin),
    family("an angular acceleration in a joint", _joint_spin_up),
)
ATTITUDE: Kernels = family("an error of attitude", _attitude)
ATTITUDE_RATE: Kernels = family("the rate of an error of attitude", _attitude_rate)
QUATERNION: Kernels = family("an Euler parameter", _quaternion)


@kernel
def _sum(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for j in range(iq.shape[1]):
            out[i, 0] += p[i, j] * q[iq[i, j]]


@kernel
def _sum_tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        for j in range(iq.shape[1]):
            K[i, 0, j] += w[2] * p[i, j]


SUM: Kernels = Kernels("a sum of coordinates", residual=_sum, tangent=_sum_tangent)
#: those that read accelerations
OF_ACCELERATIONS: tuple[Kernels, ...] = (
    SECOND_RATE, TWO_SECOND_RATES, PLANAR_ACCELERATION, ACCELERATION, GROUND_SPIN_UP,
    *(several[2] for several in (PLANAR_PLACE, PLACE, SLIDE, JOINT_PLACE, JOINT_ANGLE, JOINT_TURN)),
)  # fmt: skip
