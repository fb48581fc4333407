"""Joint coordinates and speeds of a tree from the poses and motions of its links, which follow from coordinates of the
system: the inverse of :mod:`flexmb.formulations.tree.moving`; compiled.

Where the poses of two links violate their joint, it gets the coordinates and speeds closest to them.
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.formulations.spatial_algebra import put_six, six_in
from flexmb.formulations.tree.arrays import Links, Seen
from flexmb.formulations.tree.moving import carried_by_parent, columns_of, move, move_link
from flexmb.formulations.tree.nodes import moved_by
from flexmb.formulations.tree.turns import NO_TURN, about_z, read_turns
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.rotations import inverse, product, put_quaternion, quaternion_in, turned, turned_back
from flexmb.kernels.vectors import dot, minus, plus, put, times, vector_in
from flexmb.model.ways import FREE, SLIDE, TURN


def seen_for(links: Links) -> Seen:
    """Workspace for the poses and motions of links that follow from coordinates of the system."""
    n = len(links.parent)
    return Seen(np.zeros((n, 7)), np.zeros((n, 6)), np.zeros((n, 6)), np.zeros((12, 6)))


@called(None)
def see_links(nodes, q, v, a, seen):
    """Compute the poses, motions and accelerations of the links, `seen`, from coordinates q, speeds v and accelerations
    a of the system."""
    for k in range(nodes.numbers_q.shape[0]):
        from_q, from_v = nodes.numbers_q[k], nodes.numbers_v[k]
        if nodes.dimension == 2:
            of = about_z(q[from_q[2]])
            r = (q[from_q[0]], q[from_q[1]], 0.0)
            w, alpha = (0.0, 0.0, v[from_v[2]]), (0.0, 0.0, a[from_v[2]])
            speed, rate = (v[from_v[0]], v[from_v[1]], 0.0), (a[from_v[0]], a[from_v[1]], 0.0)
        else:
            of = (q[from_q[3]], q[from_q[4]], q[from_q[5]], q[from_q[6]])
            r = (q[from_q[0]], q[from_q[1]], q[from_q[2]])
            w = turned(of, (v[from_v[3]], v[from_v[4]], v[from_v[5]]))
            alpha = turned(of, (a[from_v[3]], a[from_v[4]], a[from_v[5]]))
            speed, rate = (v[from_v[0]], v[from_v[1]], v[from_v[2]]), (a[from_v[0]], a[from_v[1]], a[from_v[2]])
        axes = product(of, inverse(quaternion_in(nodes.axes[k], 0)))
        d = times(-1.0, turned(axes, vector_in(nodes.place[k], 0)))
        put_seen(seen, k, plus(r, d), axes, w, alpha, *moved_by(w, alpha, speed, rate, d))


@compiled
def put_seen(seen, k, r, axes, w, alpha, v, a):
    """Write the pose, motion and acceleration of link k into `seen`."""
    put(seen.at[k], 0, r)
    put_quaternion(seen.at[k], 3, axes)
    put_six(seen.motion, k, (w, v))
    put_six(seen.rates, k, (alpha, a))


@called(None)
def read_joints(links, nodes, moving, seen, q, v, x, u):
    """Compute joint coordinates x (nq,) and speeds u (nv,) from the poses and motions of the links, `seen`, and from q
    and v of the system, and move the links in `moving`. In space the angles, and the signs of quaternions, closest to
    the previous values in x are taken; in the plane angles follow from the angles in q, which count full turns.

    The quaternions of free joints in groups get the sign that they have in `seen`, relative to the head of the group:
    with the other one a beam would be twisted by one more or one fewer full turn. This holds too for a head with a free
    joint, since a beam may also have a fixed node.
    """
    joints = links.joints
    for i in range(joints.inner):
        x[joints.nq - joints.inner + i], u[joints.nv - joints.inner + i] = q[nodes.inner[i]], v[nodes.inner[i]]
    sign = 1.0
    for k in range(links.parent.shape[0]):
        four = quaternion_in(seen.at[k], 3)
        d, turn = apart(links, seen.at, k, vector_in(seen.at[k], 0), four)
        read_joint(links, moving, k, d, turn, x, u)
        if nodes.dimension == 2:
            _read_plane_turns(links, nodes, k, q, x)
        for s in range(joints.first[k], joints.first[k + 1]):
            if nodes.own[s] >= 0:
                x[joints.at_q[s]] = q[nodes.own[s]] - nodes.more[s]
        first = joints.first[k]
        free = joints.first[k + 1] == first + 1 and joints.kind[first] == FREE and links.parent[k] < 0
        if links.group[k] >= 0:
            sign = 1.0
        if links.group[k] != -1 and free:
            own = product(inverse(quaternion_in(joints.axes[first], 0)), four)
            put_quaternion(x, joints.at_q[first] + 3, (sign * own[0], sign * own[1], sign * own[2], sign * own[3]))
        move_link(links, moving, k, x, u)
        if links.group[k] >= 0 and not free and _against(moving.at, seen.at, k):
            sign = -1.0
        read_speeds(links, moving, k, _relative(links, moving, seen.motion, k), seen.S, u)
    move(links, moving, x, u)


@compiled
def _against(at, other, k):
    """Whether the quaternions of link k have opposite signs in two arrays of poses."""
    return at[k, 3] * other[k, 3] + at[k, 4] * other[k, 4] + at[k, 5] * other[k, 5] + at[k, 6] * other[k, 6] < 0.0


@called(None)
def agree_with_start(links, nodes, moving, seen, q, x, u):
    """Adapt the nodes to the initial state q of the system, from which the joint coordinates x were computed: the signs
    of their axes, so that nodes start with the quaternions in q, and in the plane the sense of turns and the offsets of
    angles."""
    joints = links.joints
    for k in range(links.parent.shape[0]):
        if nodes.dimension == 2:
            parent = links.parent[k]
            axes = quaternion_in(moving.at[parent], 3) if parent >= 0 else NO_TURN
            for s in range(joints.first[k], joints.first[k + 1]):
                axes = product(axes, quaternion_in(joints.axes[s], 0))
                joints.sense[s] = math.copysign(1.0, turned(axes, (0.0, 0.0, 1.0))[2])
        move_link(links, moving, k, x, u)
        if _against(moving.at, seen.at, k):
            for i in range(4):
                nodes.axes[k, i] = -nodes.axes[k, i]
        if nodes.dimension == 2:
            nodes.angle[k] = q[nodes.numbers_q[k, 2]] - moving.angle[k]


@compiled
def apart(links, at, k, r, axes):
    """The position r and the orientation `axes`, given in ground axes, relative to the parent of link k in its pose in
    `at` (n, 7)."""
    parent = links.parent[k]
    if parent < 0:
        return r, axes
    q = quaternion_in(at[parent], 3)
    return turned_back(q, minus(r, vector_in(at[parent], 0))), product(inverse(q), axes)


@called(None)
def read_joint(links, moving, k, d, turn, x, u):
    """Compute the coordinates of the joint of link k from the position d and the orientation `turn` of its link b
    relative to a; of several possible values the closest to the previous ones in x are taken. Directions of slides are
    assumed perpendicular to one another."""
    joints, slides = links.joints, 0
    read_turns(joints, k, turn, x)
    for s in range(joints.first[k], joints.first[k + 1]):
        if joints.kind[s] == SLIDE or joints.kind[s] == FREE:
            slides += 1
            for i in range(3 if joints.kind[s] == FREE else 1):
                x[joints.at_q[s] + i] = 0.0
    if slides == 0:
        return
    move_link(links, moving, k, x, u)
    parent = links.parent[k]
    if parent >= 0:
        d = turned(quaternion_in(moving.at[parent], 3), d)
    d = minus(d, vector_in(moving.arm[k], 0))
    for s in range(joints.first[k], joints.first[k + 1]):
        if joints.kind[s] == SLIDE or joints.kind[s] == FREE:
            for i in range(3 if joints.kind[s] == FREE else 1):
                x[joints.at_q[s] + i] = dot(vector_in(moving.columns[joints.at_v[s] + i], 3), d)


@compiled
def _read_plane_turns(links, nodes, k, q, x):
    """The angle of a planar joint from the angles of the nodes on both sides."""
    joints, parent = links.joints, links.parent[k]
    angle = q[nodes.numbers_q[k, 2]] - nodes.angle[k]
    if parent >= 0:
        angle -= q[nodes.numbers_q[parent, 2]] - nodes.angle[parent]
    for s in range(joints.first[k], joints.first[k + 1]):
        if joints.kind[s] == TURN:
            x[joints.at_q[s]] = joints.sense[s] * angle


@compiled
def _relative(links, moving, motions, k):
    """The motion of link k relative to its parent, about its origin, from the `motions` (n, 6) of the links."""
    motion, before = six_in(motions, k), carried_by_parent(links, moving, motions, k)
    return minus(motion[0], before[0]), minus(motion[1], before[1])


@called(None)
def read_rates(links, moving, seen, ud):
    """Compute the rates ud (nv,) of joint speeds from the accelerations of the links in `seen`, in the pose and motion
    of `moving`."""
    for k in range(links.parent.shape[0]):
        (alpha, a), bias = _relative(links, moving, seen.rates, k), six_in(moving.bias, k)
        read_speeds(links, moving, k, (minus(alpha, bias[0]), minus(a, bias[1])), seen.S, ud)


@called(None)
def read_speeds(links, moving, k, motion, S, u):
    """Compute the speeds of the joint of link k from the motion [ω; v] of b relative to a: the least-squares solution
    of S u = motion. S is scratch (12, 6)."""
    first, count = links.joints.at_v[links.joints.first[k]], speeds_of(links.joints, k)
    for j in range(count):
        for i in range(6):
            S[j, i] = moving.columns[first + j, i]
    _least_squares(S, count, motion[0], motion[1], u, first)


@compiled
def speeds_of(joints, k):
    """Number of speeds of the joint of a link."""
    count = 0
    for s in range(joints.first[k], joints.first[k + 1]):
        groups, wide = columns_of(joints.kind[s])
        count += groups * wide
    return count


@compiled
def _least_squares(S, count, w, v, u, first):
    """Solve S u = [w; v] for u[first : first + count] in the least-squares sense by Gram-Schmidt. The rows of S
    (count, 6) are overwritten by orthonormal ones, the rows from the seventh on by the triangular factor."""
    for j in range(count):
        for i in range(j):
            share = 0.0
            for c in range(6):
                share += S[i, c] * S[j, c]
            for c in range(6):
                S[j, c] -= share * S[i, c]
            S[6 + i, j] = share
        size = 0.0
        for c in range(6):
            size += S[j, c] * S[j, c]
        size = math.sqrt(size)
        S[6 + j, j] = size
        for c in range(6):
            S[j, c] /= size
    for j in range(count - 1, -1, -1):
        total = dot(vector_in(S[j], 0), w) + dot(vector_in(S[j], 3), v)
        for i in range(j + 1, count):
            total -= S[6 + j, i] * u[first + i]
        u[first + j] = total / S[6 + j, j]
