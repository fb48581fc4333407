"""Primitive rows of joints in space, and the counted angle of a hinge, called by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from flexmb.joints.spatial.distance import SPATIAL_DISTANCE
from flexmb.joints.spatial.rows.counted_angle import COUNTED_ANGLE
from flexmb.joints.spatial.rows.one_point import ONE_POINT_PAIR
from flexmb.joints.spatial.rows.primitive_rows import ALONG, DOT, LOWER_PAIR, POINT
from flexmb.model.functions.smooth_functions import Harmonic
from flexmb.model.functions.time_function import Constant
from tests.by_hand import Instance, agree, check_constraint, quaternion, rotation

ARM_A, ARM_B = np.array([0.3, -0.5, 0.2]), np.array([-0.1, 0.4, 0.7])
AXES = Rotation.from_rotvec([0.4, -0.2, 0.9]).as_matrix().T


def hinge(nodes=2):
    """A point and an axis: five rows; the axis is AXES[2] in the axes of both bodies."""
    rows = [[POINT, *n, 0, 0, 0, 0.0] for n in np.eye(3)] + [[DOT, *u, *AXES[2], 0.0] for u in AXES[:2]]
    return Instance(LOWER_PAIR, [*ARM_A, *ARM_B, *np.ravel(rows)], nodes, rows=5)


def frames(q):
    return (rotation(q[k + 3 : k + 7]) for k in (0, 7))


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_what_they_say(seed):
    instance = hinge()
    q, v, a = instance.state(seed)
    A, B = frames(q)
    g = instance.call("constraint", q)[0][:5]
    agree(g[:3], q[7:10] + B.apply(ARM_B) - q[:3] - A.apply(ARM_A), 0.0, 1e-15)
    agree(g[3:], [A.apply(u) @ B.apply(AXES[2]) for u in AXES[:2]], 0.0, 1e-15)
    check_constraint(instance, q, v, a, np.array([0.7, -1.1, 0.4, 1.3, -0.9]))


@pytest.mark.parametrize("seed", range(3))
def test_the_kernels_of_one_point_are_those_of_its_three_rows(seed):
    rows = [[POINT, *n, 0, 0, 0, 0.0] for n in np.eye(3)]
    table = Instance(LOWER_PAIR, [*ARM_A, *ARM_B, *np.ravel(rows)], 2, rows=3)
    alone = Instance(ONE_POINT_PAIR, [*ARM_A, *ARM_B], 2, rows=3)
    q, v, _ = table.state(seed)
    agree(alone.call("constraint", q, v)[0], table.call("constraint", q, v)[0], 0.0, 1e-14)
    lam, w = np.array([0.7, -1.1, 0.4]), (0.0, 0.0, 0.3)
    for own, of_table in zip(alone.call("jacobian", q, lam=lam, w=w), table.call("jacobian", q, lam=lam, w=w)):
        agree(own, of_table, 0.0, 1e-14)


def test_values_of_rows_are_taken_off():
    rows = [[POINT, 0, 1, 0, 0, 0, 0, 0.25], [DOT, 1, 0, 0, 0, 0, 1, 0.5]]
    instance = Instance(LOWER_PAIR, [*ARM_A, *ARM_B, *np.ravel(rows)], 2, rows=2)
    bare = instance.p.copy()
    bare[0, [13, 21]] = 0.0
    q, _, _ = instance.state(1)
    other = Instance(LOWER_PAIR, bare, 2, rows=2)
    off = instance.call("constraint", q)[0] - other.call("constraint", q)[0]
    agree(off, [-0.25, -0.5, 0, 0, 0, 0], 0.0, 1e-15)


def test_a_force_in_a_hinge_does_no_work_on_both_bodies_together():
    """Moved as one rigid body, the rows of two bodies do not change."""
    instance = hinge()
    q, _, _ = instance.state(2)
    A, B = frames(q)
    velocity, omega = np.array([0.2, 0.5, -0.4]), np.array([0.9, -0.3, 0.6])
    v = np.concatenate([velocity + np.cross(omega, q[:3]), A.inv().apply(omega),
                        velocity + np.cross(omega, q[7:10]), B.inv().apply(omega)])  # fmt: skip
    rates = instance.call("constraint", q, v)[0][5:10]
    # the points turn about each other as long as they are apart
    gap = instance.call("constraint", q)[0][:3]
    agree(rates, np.concatenate([np.cross(omega, gap), [0, 0]]), 0.0, 1e-14)


def distance(length):
    return Instance(SPATIAL_DISTANCE, [*ARM_A, *ARM_B, *length.parameters()], 2, rows=1, work=36)


@pytest.mark.parametrize("seed", range(4))
def test_places_along_a_direction_of_body_a(seed):
    u = np.array([0.5, -0.8, 0.3])
    instance = Instance(LOWER_PAIR, [*ARM_A, *ARM_B, ALONG, *u, 0, 0, 0, 0.25], 2, rows=1)
    q, v, a = instance.state(seed)
    A, B = frames(q)
    g = instance.call("constraint", q)[0][0]
    agree(g, A.apply(u) @ (q[7:10] + B.apply(ARM_B) - q[:3] - A.apply(ARM_A)) - 0.25, 0.0, 1e-15)
    check_constraint(instance, q, v, a, np.array([0.7]))


@pytest.mark.parametrize("seed", range(4))
def test_distances_of_two_points(seed):
    instance = distance(Constant(0.8))
    q, v, a = instance.state(seed)
    A, B = frames(q)
    d = q[7:10] + B.apply(ARM_B) - q[:3] - A.apply(ARM_A)
    agree(instance.call("constraint", q)[0][0], np.linalg.norm(d) - 0.8, 0.0, 1e-15)
    check_constraint(instance, q, v, a, np.array([0.7]))


def test_distances_that_are_prescribed():
    f, still = Harmonic(0.2, 3.0, 0.4, 1.5), Constant(0.0)
    q, v, _ = distance(f).state(1)
    off = distance(still).call("constraint", q, v)[0] - distance(f).call("constraint", q, v)[0]
    agree(off * [1, 1, -1], [f(0.3), f.rate(0.3), f.second_rate(0.3)], 0.0, 1e-15)


def counted():
    return Instance(COUNTED_ANGLE, np.concatenate([AXES[0], AXES[1], AXES[0]]), 2, 1, rows=1, work=12)


@pytest.mark.parametrize("turns", [0, 1, -1000])
def test_counted_angle_of_a_hinge(turns):
    instance = counted()
    rng = np.random.default_rng(3)
    for angle in (0.0, 1.0, 3.1, -3.1):
        A = Rotation.from_rotvec(rng.normal(size=3))
        B = A * Rotation.from_rotvec(angle * AXES[2])
        for sign in (1, -1):
            s = angle + 2 * np.pi * turns - 0.1
            nodes = [rng.normal(size=3), quaternion(A), rng.normal(size=3), sign * quaternion(B)]
            q = np.concatenate([*nodes, [s]])
            assert instance.call("constraint", q)[0][0] == pytest.approx(0.1, abs=1e-12)
            # with the axes together only a turn about the axis counts
            G = instance.call("jacobian", q)[0]
            agree(G, np.concatenate([np.zeros(3), -AXES[2], np.zeros(3), AXES[2], [-1.0]]), 0.0, 1e-15)


@pytest.mark.parametrize("seed", range(4))
def test_counted_angle_off_the_hinge(seed):
    instance = counted()
    A = np.roll(Rotation.from_rotvec([0.2, 0.5, -0.7]).as_quat(), 1)
    B = np.roll((Rotation.from_rotvec([0.2, 0.5, -0.7]) * Rotation.from_rotvec(0.8 * AXES[2])).as_quat(), 1)
    q, v, a = instance.state(seed, np.concatenate([np.zeros(3), A, np.zeros(3), B, [14.0]]))
    check_constraint(instance, q, v, a, np.array([1.3]))
