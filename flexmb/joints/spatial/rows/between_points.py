"""A point of one body against a point of another in space, as the rows of distances and of gaps read it:

d = (r_b + R_b s_b) − (r_a + R_a s_a)
"""

from __future__ import annotations

from flexmb.kernels.compilation import compiled
from flexmb.kernels.rotations import quaternion_at, turned
from flexmb.kernels.vectors import cross, dot, minus, plus, put, times, vector_at, vector_in


@compiled
def between(q, at_q, arm_a, arm_b):
    """d, of arms in the axes of the ground."""
    return minus(plus(vector_at(q, at_q, 7), arm_b), plus(vector_at(q, at_q, 0), arm_a))


@compiled
def motion_between(q, v, at_q, at_v, own_a, own_b):
    """d, ḋ, and minus d̈ without accelerations, of arms in the axes of their bodies."""
    A = quaternion_at(q, at_q, 3)
    B = quaternion_at(q, at_q, 10)
    arm_a = turned(A, own_a)
    arm_b = turned(B, own_b)
    a_turns = turned(A, vector_at(v, at_v, 3))
    b_turns = turned(B, vector_at(v, at_v, 9))
    speed_a = cross(a_turns, arm_a)
    speed_b = cross(b_turns, arm_b)
    rate = minus(plus(vector_at(v, at_v, 6), speed_b), plus(vector_at(v, at_v, 0), speed_a))
    return between(q, at_q, arm_a, arm_b), rate, minus(cross(a_turns, speed_a), cross(b_turns, speed_b))


@compiled
def put_columns(A, B, own_a, own_b, work):
    """∂d/∂y, its columns in work (12, 3)."""
    for k in range(3):
        e = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        put(work, 3 * k, times(-1.0, e))
        put(work, 9 + 3 * k, turned(A, cross(own_a, e)))
        put(work, 18 + 3 * k, e)
        put(work, 27 + 3 * k, turned(B, cross(e, own_b)))


@compiled
def add_squares(work, factor, block):
    """Add the products of the columns in work (12, 3) to K (12, 12), `factor` times."""
    for j in range(12):
        for k in range(12):
            block[j, k] += factor * dot(vector_in(work, 3 * j), vector_in(work, 3 * k))
