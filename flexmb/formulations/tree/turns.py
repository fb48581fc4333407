"""The angles of a joint from the orientation of b relative to a: one turn, two turns as in a universal joint, three as
Euler angles; or the quaternion itself.

    M = turn(x₁) C₁ turn(x₂) C₂ turn(x₃),      turns about z, C constant

The z axis of b seen from a, and that of a seen from b, determine all of them:

    M z = turn(x₁) C₁ turn(x₂) C₂ z,      Mᵀ z = turn(−x₃) C₂ᵀ turn(−x₂) C₁ᵀ z,      z · M z = C₁ᵀ z · turn(x₂) C₂ z

For Euler angles C₁ᵀ z and C₂ z are perpendicular to z, so that the last product is the cosine of x₂ plus the angle from
C₁ᵀ z to C₂ z: two values of x₂ satisfy it. Where its sine is zero, the first and the last axis are parallel, and only
the sum or difference of x₁ and x₃ is determined.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.euler_angles import whole_turns
from flexmb.kernels.rotations import inverse, product, quaternion_in, turned, turned_back
from flexmb.kernels.vectors import cross, dot
from flexmb.model.ways import BALL, FREE, SCREW, TURN

_Z = (0.0, 0.0, 1.0)
NO_TURN = (1.0, 0.0, 0.0, 0.0)


@compiled
def about_z(x):
    """The unit quaternion of a turn about z."""
    return math.cos(0.5 * x), 0.0, 0.0, math.sin(0.5 * x)


@compiled
def turned_about_z(q, x):
    """q ∘ about_z(x)."""
    c, s = math.cos(0.5 * x), math.sin(0.5 * x)
    return c * q[0] - s * q[3], c * q[1] + s * q[2], c * q[2] - s * q[1], c * q[3] + s * q[0]


@compiled
def is_turn(kind):
    """Whether a motion of this kind turns about its z."""
    return kind == TURN or kind == SCREW


@compiled
def _turns_of(joints, k):
    """How many motions of the joint of a link turn, and the indices of the first three of them, −1 where there is
    none."""
    count, one, two, three = 0, -1, -1, -1
    for s in range(joints.first[k], joints.first[k + 1]):
        if is_turn(joints.kind[s]) or joints.kind[s] == BALL or joints.kind[s] == FREE:
            count += 1
            if count == 1:
                one = s
            elif count == 2:
                two = s
            else:
                three = s
    return count, one, two, three


@compiled
def _constant(joints, first, last):
    """The product of the constant rotations before the motions `first` to `last` − 1."""
    q = NO_TURN
    for s in range(first, last):
        q = product(q, quaternion_in(joints.axes[s], 0))
    return q


@compiled
def read_turns(joints, k, seen, x):
    """Write the angles, or the quaternion, of the joint of link k into x, from the quaternion `seen` of b relative to
    a, which is the product of those of its motions. Angles and signs of quaternions are those closest to the previous
    values in x."""
    count, one, two, three = _turns_of(joints, k)
    if count == 0:
        return
    first, last = joints.first[k], joints.first[k + 1]
    behind = one if count == 1 else two if count == 2 else three
    M = product(inverse(_constant(joints, first, one + 1)), seen)
    M = product(M, inverse(_constant(joints, behind + 1, last)))
    at = joints.at_q[one]
    if not is_turn(joints.kind[one]):
        if joints.kind[one] == FREE:
            at += 3
        sign = 1.0
        if M[0] * x[at] + M[1] * x[at + 1] + M[2] * x[at + 2] + M[3] * x[at + 3] < 0.0:
            sign = -1.0
        for i in range(4):
            x[at + i] = sign * M[i]
    elif count == 1:
        x[at] = whole_turns(2.0 * math.atan2(M[3], M[0]), x[at])
    elif count == 2:
        between = _constant(joints, one + 1, two + 1)
        x[at] = whole_turns(_direction(turned(M, _Z)) - _direction(turned(between, _Z)), x[at])
        at = joints.at_q[two]
        x[at] = whole_turns(_direction(turned_back(between, _Z)) - _direction(turned_back(M, _Z)), x[at])
    else:
        _read_three(joints, one, two, three, M, x)


@compiled
def _direction(u):
    """The angle of a vector about z."""
    return math.atan2(u[1], u[0])


@compiled
def _read_three(joints, one, two, three, M, x):
    C_1, C_2 = _constant(joints, one + 1, two + 1), _constant(joints, two + 1, three + 1)
    m, n = turned(M, _Z), turned_back(M, _Z)
    start, end = turned_back(C_1, _Z), turned(C_2, _Z)
    across = math.atan2(math.sqrt(m[0] * m[0] + m[1] * m[1]), m[2])
    near = x[joints.at_q[one]], x[joints.at_q[two]], x[joints.at_q[three]]
    best = math.inf
    for side in range(2):
        angle = across if side == 0 else -across
        middle = whole_turns(_direction(start) - _direction(end) + angle, near[1])
        first = _direction(m) - _direction(turned(C_1, turned(about_z(middle), end)))
        last = _direction(turned_back(C_2, turned_back(about_z(middle), start))) - _direction(n)
        first, last = whole_turns(first, near[0]), whole_turns(last, near[2])
        off = (first - near[0]) ** 2 + (middle - near[1]) ** 2 + (last - near[2]) ** 2
        if off < best:
            best = off
            x[joints.at_q[one]], x[joints.at_q[two]], x[joints.at_q[three]] = first, middle, last


@compiled
def axes_apart(joints, k, x):
    """The sine of the angle from the first to the last of the three axes about which the joint of link k turns,
    positive about the middle axis; 1 for joints without three turns."""
    count, one, two, three = _turns_of(joints, k)
    if count != 3:
        return 1.0
    C_1, C_2 = _constant(joints, one + 1, two + 1), _constant(joints, two + 1, three + 1)
    across = cross(turned_back(C_1, _Z), turned(about_z(x[joints.at_q[two]]), turned(C_2, _Z)))
    return math.copysign(math.sqrt(dot(across, across)), across[2])


@called(int)
def parallel_axes(joints, x, nearest):
    """The first link in whose joint of three turns the sine of the angle between the first and the last axis is below
    `nearest`, so that their rates are not determined; −1 if there is none."""
    for k in range(joints.first.shape[0] - 1):
        if not abs(axes_apart(joints, k, x)) >= nearest:
            return k
    return -1


@called(None)
def note_sides(joints, x, side):
    """Write `side` (n,): the sign of the sine between the first and last axis of each joint of three turns, 1 or −1."""
    for k in range(side.shape[0]):
        side[k] = math.copysign(1.0, axes_apart(joints, k, x))


@called(int)
def beyond_parallel(joints, side, x, nearest):
    """The first link in whose joint the first and last axis are closer to parallel than `nearest` (a sine), or have
    passed through parallel since `side` was noted; −1 if there is none. An empty `side` checks no link."""
    for k in range(side.shape[0]):
        if not side[k] * axes_apart(joints, k, x) >= nearest:
            return k
    return -1
