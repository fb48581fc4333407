"""Joints of flexmb by their positions g(q, t) alone: rods and cylinders, slots, and balls. What flexmb makes of them is
compared with the kernels written by hand, in tests and in :mod:`flexmb.validation.performance.derivatives`."""

from __future__ import annotations

import math

from flexmb.joints.spatial.rows.one_point import ONE_POINT_PAIR
from flexmb.kernels import Kernels, kernel, time_function
from flexmb.kernels.geometry import frame_arm, pair_arms, turned
from flexmb.kernels.rotations import quaternion_at, rotation_matrix
from flexmb.kernels.rotations import turned as turned_in_space
from flexmb.kernels.vectors import applied, dot, minus, plus, put, vector_at, vector_in


@kernel
def length(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        f, _, _ = time_function(p[i], 6, t)
        ax, ay, bx, by = pair_arms(p[i], iq[i], q)
        dx = q[iq[i, 3]] + bx - q[iq[i, 0]] - ax
        dy = q[iq[i, 4]] + by - q[iq[i, 1]] - ay
        out[i, 0] = math.hypot(dx, dy) - f


@kernel
def along(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        ex, ey = turned(math.cos(q[iq[i, 2]]), math.sin(q[iq[i, 2]]), p[i, 6], p[i, 7])
        bx, by = frame_arm(p[i], 3, q[iq[i, 5]])
        dx = q[iq[i, 3]] + bx - q[iq[i, 0]]
        dy = q[iq[i, 4]] + by - q[iq[i, 1]]
        out[i, 0] = ex * dx - (p[i, 6] * p[i, 0] + p[i, 7] * p[i, 1]) - time_function(p[i], 8, t)[0]
        out[i, 0] += ey * dy


@kernel
def length_in_space(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        place_a = plus(vector_at(q, iq[i], 0), turned_in_space(quaternion_at(q, iq[i], 3), vector_in(p[i], 0)))
        place_b = plus(vector_at(q, iq[i], 7), turned_in_space(quaternion_at(q, iq[i], 10), vector_in(p[i], 3)))
        d = minus(place_b, place_a)
        out[i, 0] = math.sqrt(dot(d, d)) - time_function(p[i], 6, t)[0]


@kernel
def one_place(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        A = rotation_matrix(quaternion_at(q, iq[i], 3))
        B = rotation_matrix(quaternion_at(q, iq[i], 10))
        apart = minus(vector_at(q, iq[i], 7), vector_at(q, iq[i], 0))
        put(out[i], 0, plus(apart, minus(applied(B, vector_in(p[i], 3)), applied(A, vector_in(p[i], 0)))))


LENGTH = Kernels("length", position=length)
ALONG = Kernels("along", position=along)
LENGTH_IN_SPACE = Kernels("length in space", position=length_in_space)
ONE_PLACE = Kernels("one place", position=one_place, pattern=ONE_POINT_PAIR.pattern)
