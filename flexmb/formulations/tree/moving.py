"""Forward kinematics of a tree in ground axes: poses and motions of its links, with which all formulations and motion
in joint coordinates begin; compiled.

The joint of link k has the motions S u about the origin of the link; d is the arm to it from the origin of the link p
that carries it. Speeds [ω; v] and accelerations [α; a] of the links are

    ω = ωₚ + S₀ u,           v = vₚ + ωₚ × d + S₁ u
    α = αₚ + α_c + S₀ u̇,     a = aₚ + αₚ × d + a_c + S₁ u̇

where α_c and a_c are the accelerations for u̇ = 0 and link p not accelerating. A joint is a chain of primitive motions.
With the angular velocities ω₋ and ω₊ before and after each of them

    α_c = Σ ω₋ × S₀ u,       a_c = ωₚ × (ωₚ × d) + Σ (ω₋ + ω₊) × S₁ u

Speeds and accelerations are taken at the origin as a material point, not from the spatial velocity field as in
Featherstone (2008). Quaternions of turns are continuous through full turns: their sign never jumps.
"""

from __future__ import annotations

import numpy as np

from flexmb.formulations.carried import carried_sum
from flexmb.formulations.spatial_algebra import NOTHING, multiple, put_numbers, put_six, six_in, sum_of
from flexmb.formulations.tree.arrays import Links, Moving
from flexmb.formulations.tree.nodes import put_whole
from flexmb.formulations.tree.places import carry_place
from flexmb.formulations.tree.turns import NO_TURN, turned_about_z
from flexmb.kernels.compilation import called, compiled, inlined
from flexmb.kernels.rotations import normalized, product, put_quaternion, quaternion_in, rotation_matrix, turned
from flexmb.kernels.vectors import NONE, cross, minus, plus, put, times, vector_in
from flexmb.model.ways import BALL, FIXED, FREE, SLIDE


def moving_for(links: Links, images: Links | None = None) -> Moving:
    """Workspace for the motion of the links of a tree, and of the `images` of links that follow them."""
    every = images or links
    n, joints = len(every.parent), links.joints
    speeds = np.append([joints.at_v[first] for first in joints.first[:-1]], joints.nv - joints.inner).astype(np.int64)
    return Moving(
        speeds, at=np.zeros((n, 7)), rotation=np.zeros((n, 9)), angle=np.zeros(n), arm=np.zeros((n, 3)),
        motion=np.zeros((n, 6)), bias=np.zeros((n, 6)), columns=np.zeros((every.joints.nv, 6)),
        carried=np.zeros((len(links.places.columns.link), 6)), moment=np.zeros((n, 3)), inertia=np.zeros((n, 6)),
        gyroscopic=np.zeros((n, 6)),
    )  # fmt: skip


@called(None)
def move(links, moving, x, u):
    """Compute `moving` for joint coordinates x (nq,) and speeds u (nv,)."""
    for k in range(links.parent.shape[0]):
        _move_link(links, moving, k, x, u)


@called(None)
def move_link(links, moving, k, x, u):
    """Compute `moving` for link k alone, after the links that carry it have been moved."""
    _move_link(links, moving, k, x, u)


@inlined
def _move_link(links, moving, k, x, u):
    joints, parent, place = links.joints, links.parent[k], links.place_of[k]
    r, q, angle, w, v, alpha, a = NONE, NO_TURN, 0.0, NONE, NONE, NONE, NONE
    if parent >= 0:
        r, q, angle = vector_in(moving.at[parent], 0), quaternion_in(moving.at[parent], 3), moving.angle[parent]
        w, v = six_in(moving.motion, parent)
    elif place >= 0:
        places = links.places
        carry_place(links, moving, place, x, u)
        r, q, angle = vector_in(places.at[place], 0), quaternion_in(places.at[place], 3), places.angle[place]
        w, v = six_in(places.motion, place)
        alpha, a = six_in(places.rates, place)
    d, q, angle = through_joint(joints, k, q, angle, x, moving.columns)
    wd = cross(w, d)
    v, a = plus(v, wd), plus(a, plus(cross(alpha, d), cross(w, wd)))
    for s in range(joints.first[k], joints.first[k + 1]):
        groups, wide = columns_of(joints.kind[s])
        for group in range(groups):
            first = joints.at_v[s] + 3 * group
            turning, shifting = _along_columns(moving.columns, u, first, first + wide)
            before = w
            w, v = plus(w, turning), plus(v, shifting)
            alpha, a = plus(alpha, cross(before, turning)), plus(a, cross(plus(before, w), shifting))
    put(moving.at[k], 0, plus(r, d))
    put_numbers(moving.rotation, k, rotation_matrix(q))
    put_quaternion(moving.at[k], 3, q)
    moving.angle[k] = angle
    put(moving.arm[k], 0, d)
    put_six(moving.motion, k, (w, v))
    put_six(moving.bias, k, (alpha, a))


@inlined
def through_joint(joints, k, q, angle, x, columns):
    """Go through the joint of link k, from the orientation q of the link that carries it: returns the arm from the
    origin of that link to the origin of link k [m], in ground axes, the orientation of link k, and `angle` with the
    turns of the joint added, in the plane the sum of all turns from the ground [rad]. The motions S of the joint are
    written to `columns`."""
    d, first, last = NONE, joints.first[k], joints.first[k + 1]
    several, end = last - first > 1, joints.at_v[first]
    for s in range(first, last):
        d = plus(d, turned(q, vector_in(joints.place[s], 0)))
        q = product(q, quaternion_in(joints.axes[s], 0))
        kind, i, j = joints.kind[s], joints.at_q[s], joints.at_v[s]
        if kind == BALL or kind == FREE:
            if kind == FREE:
                R = rotation_matrix(q)
                d = plus(d, turned(q, vector_in(x, i)))
                for axis in range(3):
                    put_six(columns, j + axis, (NONE, (R[axis], R[3 + axis], R[6 + axis])))
                i, j = i + 3, j + 3
            q = product(q, normalized(quaternion_in(x, i)))
            R = rotation_matrix(q)
            for axis in range(3):
                _put_turn(columns, j + axis, (R[axis], R[3 + axis], R[6 + axis]), NONE, d, several)
            end = j + 3
        elif kind != FIXED:
            R = rotation_matrix(q)
            z = R[2], R[5], R[8]
            along = times(joints.pitch[s], z)
            d = plus(d, times(x[i], along))
            if kind == SLIDE:
                put_six(columns, j, (NONE, along))
            else:
                _put_turn(columns, j, z, along, d, several)
                q = turned_about_z(q, x[i])
                angle += joints.sense[s] * x[i]
            end = j + 1
    if several:
        for j in range(joints.at_v[first], end):
            e, along = six_in(columns, j)
            put_six(columns, j, (e, plus(along, cross(e, d))))
    return d, q, angle


@inlined
def _put_turn(columns, j, e, along, d, several):
    """Write the column of a turn about e through the end of an arm d. The motion refers to that end, or, in a joint of
    several motions, to the start of the arm, which they have in common."""
    put_six(columns, j, (e, minus(along, cross(e, d)) if several else along))


@inlined
def columns_of(kind):
    """Number of groups of simultaneous motions that a primitive motion has, and number of motions in each: a free
    motion is a translation along the axes of a followed by a rotation about the axes of b."""
    return 2 if kind == FREE else 0 if kind == FIXED else 1, 3 if kind == BALL or kind == FREE else 1


@inlined
def _along_columns(columns, u, first, last):
    """S u for the speeds `first` to `last` − 1."""
    motion = NOTHING
    for j in range(first, last):
        motion = sum_of(motion, multiple(u[j], six_in(columns, j)))
    return motion


# -- motions of all links that are linear in joint speeds --------------------------------------------------------------


@compiled
def carried_by_parent(links, moving, motions, k):
    """The motion of link k if its joint does not move, from the `motions` (n, 6) of the links, of which its parent's is
    known."""
    parent = links.parent[k]
    if parent < 0:
        return NOTHING
    e, along = six_in(motions, parent)
    return e, plus(along, cross(e, vector_in(moving.arm[k], 0)))


@compiled
def carried_along(links, moving, motions, k, rates, first):
    """The motion of link k if its joint does not move, also for a link on an interior point of a beam; the rates of
    inner coordinates begin at rates[first]."""
    if links.place_of[k] >= 0:
        return carried_sum(links.places.columns, moving, links.place_of[k], motions, NONE, rates, first)
    return carried_by_parent(links, moving, motions, k)


@called(None)
def motions_along(links, moving, u, motions):
    """Compute the `motions` (n, 6) of the links from joint speeds u (nv,) alone, in the pose of `moving`."""
    for k in range(links.parent.shape[0]):
        before = carried_along(links, moving, motions, k, u, links.joints.nv - links.joints.inner)
        put_six(motions, k, sum_of(before, _along_columns(moving.columns, u, moving.speeds[k], moving.speeds[k + 1])))


@compiled
def acceleration_without(links, moving, accelerations, start, k, rates, first):
    """The acceleration of link k for u̇ = 0 in its joint, where the ground has the acceleration `start` (3,) [m/s²];
    the rates of inner speeds begin at rates[first]."""
    place, (alpha, a) = links.place_of[k], six_in(moving.bias, k)
    if place >= 0:
        beyond = carried_sum(links.places.columns, moving, place, accelerations, start, rates, first)
    else:
        beyond = carried_by_parent(links, moving, accelerations, k)
    if links.parent[k] < 0:
        a = plus(a, start)
    return plus(beyond[0], alpha), plus(beyond[1], a)


@called(None)
def accelerate(links, moving, ud, start, accelerations):
    """Compute the accelerations (n, 6) of the links from u̇ (nv,) and the acceleration `start` (3,) of the ground
    [m/s²]."""
    for k in range(links.parent.shape[0]):
        A = acceleration_without(links, moving, accelerations, start, k, ud, links.joints.nv - links.joints.inner)
        put_six(accelerations, k, sum_of(A, _along_columns(moving.columns, ud, moving.speeds[k], moving.speeds[k + 1])))


@called(None)
def put_state(links, nodes, moving, accelerations, x, u, ud, q, v, a):
    """Move the links and write coordinates q, speeds v and accelerations a of the system for joint coordinates x,
    speeds u and their rates ud; the accelerations of the links are written to `accelerations` (n, 6)."""
    move(links, moving, x, u)
    accelerate(links, moving, ud, NONE, accelerations)
    put_whole(links, nodes, moving, accelerations, x, u, ud, q, v, a)
