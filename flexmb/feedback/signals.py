"""Signals: what sensors read at every instant, as compiled functions with exact derivatives.

States of a user's own (:mod:`flexmb.feedback.states`) depend on what sensors read of t, q and v. Each sensor gives a
kernel with one number in its `out`; the derivatives along q ∘ exp y and by v are made of it by forward differentiation
(:mod:`flexmb.kernels.derivatives`). Kernels have no memory, so that no turns are counted: an angle is read where a
coordinate of the mechanism is that angle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.kernels.blocks import Numbers, joined
from flexmb.kernels.compilation import inlined, kernel
from flexmb.kernels.completion import complete
from flexmb.kernels.contract import Kernels, checked_address
from flexmb.kernels.slots import time_function
from flexmb.system.frame_readings import (
    angle_in_joint,
    apart,
    apart_in_plane,
    attitude,
    attitude_along,
    attitude_rate_along,
    place_in_joint,
    spin_along,
    velocity_along,
    velocity_in_plane,
)

#: the places of nodes b and a among the coordinates and speeds of an instance, in the plane and in space
PLANAR_A, A_PLACES, A_SPEEDS = 3, 7, 6


@dataclass
class Signal:
    """A sensor read at every instant: kernels with one number, the coordinates that it depends on, block by block, and
    its values."""

    kernels: Kernels
    coordinates: Sequence[Numbers]
    values: Sequence[float] | np.ndarray
    #: a number that is added
    constant: float = 0.0

    def record(self, bias: float, where: str) -> tuple[np.ndarray, Numbers, int]:
        """Its numbers in a row of parameters (:mod:`flexmb.feedback.state_kernels`), its coordinates, and how many
        scratch numbers it needs."""
        values, bias = np.asarray(self.values, dtype=float), self.constant + bias
        if not self.coordinates:
            head = [checked_address(self.kernels, "residual", where), 0, 0, 0, len(values), bias]
            none = np.zeros(0, dtype=np.int64)
            return np.array([*head, *values]), Numbers(none, none), 1
        whole, work = complete(self.kernels, list(self.coordinates), (), 0, where)
        numbers = joined(list(self.coordinates))
        addresses = [checked_address(whole, role, where) for role in ("residual", "tangent")]
        head = [*addresses, len(numbers.q), len(numbers.v), len(values), bias]
        return np.array([*head, *values]), numbers, work + len(numbers.v) ** 2


def _signal(name: str, read: Any) -> Kernels:
    """The family whose number is read(row of parameters, iq, iv, t, q, v) of each instance."""

    @kernel
    def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            out[i, 0] = read(p[i], iq[i], iv[i], t, q, v)

    return Kernels(f"signal: {name}", residual=residual)


@inlined
def _coordinate(row, iq, iv, t, q, v):
    return row[0] * q[iq[0]] + row[1] * v[iv[0]]


@inlined
def _two_coordinates(row, iq, iv, t, q, v):
    first = row[0] * q[iq[0]] + row[1] * v[iv[0]]
    return first + row[2] * q[iq[1]] + row[3] * v[iv[1]]


@inlined
def _function(row, iq, iv, t, q, v):
    value, rate, second_rate = time_function(row, 1, t)
    return value if row[0] == 0.0 else rate if row[0] == 1.0 else second_rate


@inlined
def _planar_velocity(row, iq, iv, t, q, v):
    return velocity_in_plane(row, 0, q, iq, 0, v, iv, 0)


@inlined
def _planar_distance(row, iq, iv, t, q, v):
    return apart_in_plane(row, 0, q, iq, 0, PLANAR_A, v, iv, 0, PLANAR_A)[0]


@inlined
def _planar_distance_rate(row, iq, iv, t, q, v):
    return apart_in_plane(row, 0, q, iq, 0, PLANAR_A, v, iv, 0, PLANAR_A)[1]


@inlined
def _velocity(row, iq, iv, t, q, v):
    return velocity_along(row, 0, q, iq, 0, v, iv, 0)


@inlined
def _spin(row, iq, iv, t, q, v):
    return spin_along(row, 0, v, iv, 0)


@inlined
def _distance(row, iq, iv, t, q, v):
    return apart(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)[0]


@inlined
def _distance_rate(row, iq, iv, t, q, v):
    return apart(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)[1]


# what is read of joints has behind its values a number that says which coordinate


@inlined
def _joint_place(row, iq, iv, t, q, v):
    x = place_in_joint(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)[0]
    return x[0] if row[14] == 0.0 else x[1] if row[14] == 1.0 else x[2]


@inlined
def _joint_speed(row, iq, iv, t, q, v):
    x = place_in_joint(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)[1]
    return x[0] if row[14] == 0.0 else x[1] if row[14] == 1.0 else x[2]


@inlined
def _joint_rate(row, iq, iv, t, q, v):
    return angle_in_joint(row, 0, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS, int(row[14]))[1]


@inlined
def _attitude(row, iq, iv, t, q, v):
    return attitude_along(row, 0, t, q, iq, 0, A_PLACES)


@inlined
def _attitude_rate(row, iq, iv, t, q, v):
    return attitude_rate_along(row, 0, t, q, iq, 0, A_PLACES, v, iv, 0, A_SPEEDS)


@inlined
def _quaternion(row, iq, iv, t, q, v):
    e, which = attitude(row, 0, t, q, iq, 0, A_PLACES), row[8]
    return e[0] if which == 0.0 else e[1] if which == 1.0 else e[2] if which == 2.0 else e[3]


COORDINATE: Kernels = _signal("a coordinate and its rate", _coordinate)
TWO_COORDINATES: Kernels = _signal("two coordinates and their rates", _two_coordinates)
FUNCTION: Kernels = _signal("a function of time", _function)
PLANAR_VELOCITY: Kernels = _signal("a velocity in the plane", _planar_velocity)
PLANAR_DISTANCE: Kernels = _signal("a distance in the plane", _planar_distance)
PLANAR_DISTANCE_RATE: Kernels = _signal("the rate of a distance in the plane", _planar_distance_rate)
VELOCITY: Kernels = _signal("a velocity", _velocity)
SPIN: Kernels = _signal("an angular velocity", _spin)
DISTANCE: Kernels = _signal("a distance", _distance)
DISTANCE_RATE: Kernels = _signal("the rate of a distance", _distance_rate)
JOINT_PLACE: Kernels = _signal("a position in a joint", _joint_place)
JOINT_SPEED: Kernels = _signal("a speed in a joint", _joint_speed)
JOINT_RATE: Kernels = _signal("the rate of an angle in a joint", _joint_rate)
ATTITUDE: Kernels = _signal("an error of attitude", _attitude)
ATTITUDE_RATE: Kernels = _signal("the rate of an error of attitude", _attitude_rate)
QUATERNION: Kernels = _signal("an Euler parameter", _quaternion)


def of_nodes(assembly: Any, kernels: Kernels, frames: Sequence[Any], values: Sequence[float] | np.ndarray) -> Signal:
    """A signal on the nodes of some frames."""
    return Signal(kernels, [block for frame in frames for block in assembly.node(frame.node)], values)
