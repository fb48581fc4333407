"""Forward and inverse position problem of the tree: poses of links and nodes from joint coordinates, and back;
compiled.

All in ground axes: poses `at` (n, 7), origin and unit quaternion; velocities `moving` (n, 6), [ω; v of the origin];
absolute accelerations (n, 6) likewise. The motions of a joint are composed one after the other, each about its own
origin and axes. A turn about z at rate u, whose origin lies at the end of an arm d that moves with ω, gives

    ω ← ω + z u,   α ← α + z u̇ + ω × z u,    v ← v + ω × d,   a ← a + α × d + ω × (ω × d)

and a slide d = z x adds z u to v, z u̇ + 2 ω × z u to a. Quaternions of turns are continuous through whole turns: their
sign never jumps.
"""

from __future__ import annotations

import math

from flexmb.formulations.tree.places import carry_place, moved_by, put_four, put_node_as, stand_place
from flexmb.formulations.tree.turns import about_z, four_in, is_turn, read_turns, turn_of
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.rotations import inverse, normalised, product, turned, turned_back
from flexmb.kernels.vectors import NONE, cross, dot, minus, plus, put, times, vector_in
from flexmb.model.ways import BALL, FIXED, FREE, SCREW, SLIDE, TURN

_Z = (0.0, 0.0, 1.0)


@called(None)
def move_links(links, x, u, ud, at, moving, accelerating):
    """Poses (n, 7), velocities and accelerations (n, 6) of all links from joint coordinates x (nq,), speeds u (nv,) and
    their rates ud (nv,)."""
    for k in range(links.parent.shape[0]):
        move_link(links, k, x, u, ud, at, moving, accelerating)


@called(None)
def move_link(links, k, x, u, ud, at, moving, accelerating):
    """Pose, velocity and acceleration of link k from those of the link that carries it."""
    parent = links.parent[k]
    r, q = NONE, (1.0, 0.0, 0.0, 0.0)
    w, v, alpha, a = NONE, NONE, NONE, NONE
    if parent >= 0:
        r, q = vector_in(at[parent], 0), four_in(at[parent], 3)
        w, v = vector_in(moving[parent], 0), vector_in(moving[parent], 3)
        alpha, a = vector_in(accelerating[parent], 0), vector_in(accelerating[parent], 3)
    elif links.place_of[k] >= 0:
        c, places = links.place_of[k], links.places
        carry_place(links, c, x, u, ud, at, moving, accelerating)
        r, q = vector_in(places.at[c], 0), four_in(places.at[c], 3)
        w, v = vector_in(places.motion[c], 0), vector_in(places.motion[c], 3)
        alpha, a = vector_in(places.rates[c], 0), vector_in(places.rates[c], 3)
    for s in range(links.first[k], links.first[k + 1]):
        d = turned(q, vector_in(links.place[s], 0))
        v, a = moved_by(w, alpha, v, a, d)
        r = plus(r, d)
        q = product(q, four_in(links.axes[s], 0))
        kind, i, j = links.kind[s], links.at_q[s], links.at_v[s]
        if kind == SLIDE or kind == SCREW:
            along = 1.0 if kind == SLIDE else links.pitch[s]
            z = turned(q, _Z)
            d = times(along * x[i], z)
            r = plus(r, d)
            v, a = moved_by(w, alpha, v, a, d)
            v, rate = plus(v, times(along * u[j], z)), times(along, z)
            a = plus(a, plus(times(ud[j], rate), times(2.0 * u[j], cross(w, rate))))
        elif kind == FREE:
            d, rate = turned(q, vector_in(x, i)), turned(q, vector_in(u, j))
            r = plus(r, d)
            v, a = moved_by(w, alpha, v, a, d)
            v = plus(v, rate)
            a = plus(a, plus(turned(q, vector_in(ud, j)), times(2.0, cross(w, rate))))
        if kind == TURN or kind == SCREW:
            z = turned(q, _Z)
            turn = times(u[j], z)
            alpha = plus(alpha, plus(times(ud[j], z), cross(w, turn)))
            w = plus(w, turn)
            q = product(q, about_z(x[i]))
        elif kind == BALL or kind == FREE:
            if kind == FREE:
                i, j = i + 3, j + 3
            q = product(q, four_in(x, i))
            turn = turned(q, vector_in(u, j))
            alpha = plus(alpha, plus(turned(q, vector_in(ud, j)), cross(w, turn)))
            w = plus(w, turn)
    put(at[k], 0, r)
    put_four(at[k], 3, normalised(q))
    put(moving[k], 0, w)
    put(moving[k], 3, v)
    put(accelerating[k], 0, alpha)
    put(accelerating[k], 3, a)


@called(None)
def put_nodes(links, nodes, x, u, ud, at, moving, accelerating, q, v, a):
    """Write coordinates q, speeds v and accelerations a of the system at all nodes, of the coordinates that joints own
    and of inner coordinates; after :func:`move_links`. Of the two quaternions of an orientation the one closer to that
    in q is taken."""
    sign = 1.0
    for k in range(links.parent.shape[0]):
        axes = four_in(at[k], 3)
        w, alpha = vector_in(moving[k], 0), vector_in(accelerating[k], 0)
        speed, rate = vector_in(moving[k], 3), vector_in(accelerating[k], 3)
        d = turned(axes, vector_in(nodes.place[k], 0))
        of = product(axes, four_in(nodes.axes[k], 0))
        if nodes.dimension == 3:
            if links.group[k] >= -1:  # nodes beside the head of a group have a sign against it
                to_q = nodes.numbers_q[k]
                before = of[0] * q[to_q[3]] + of[1] * q[to_q[4]] + of[2] * q[to_q[5]] + of[3] * q[to_q[6]]
                sign = -1.0 if before < 0.0 else 1.0
            of = sign * of[0], sign * of[1], sign * of[2], sign * of[3]
        put_node_as(links, nodes, k, x, of, vector_in(at[k], 0), w, speed, alpha, rate, d, q, v, a)
    for s in range(links.kind.shape[0]):
        if nodes.own[s] >= 0:
            own = nodes.own[s]
            q[own], v[own], a[own] = x[links.at_q[s]] + nodes.more[s], u[links.at_v[s]], ud[links.at_v[s]]
    for i in range(links.inner):
        own, at_u = nodes.inner[i], links.nv - links.inner + i
        q[own], v[own], a[own] = x[links.nq - links.inner + i], u[at_u], ud[at_u]


@compiled
def put_speeds(nodes, k, axes, w, speed, v):
    """Write the system speeds v at the node of link k, from the link's orientation `axes`, its ω and the velocity of
    its origin."""
    speed = plus(speed, cross(w, turned(axes, vector_in(nodes.place[k], 0))))
    to = nodes.numbers_v[k]
    if nodes.dimension == 2:
        v[to[0]], v[to[1]], v[to[2]] = speed[0], speed[1], w[2]
        return
    w = turned_back(product(axes, four_in(nodes.axes[k], 0)), w)
    for i in range(3):
        v[to[i]], v[to[3 + i]] = speed[i], w[i]


@called(None)
def joint_columns(links, k, at, x, S):
    """S (nJ, 6), the motion subspace of the joint of link k: for each of its speeds the motion [ω; v] of b against a,
    about the origin of the link, in ground axes."""
    parent, here = links.parent[k], vector_in(at[k], 0)
    r, q = NONE, (1.0, 0.0, 0.0, 0.0)
    if parent >= 0:
        r, q = vector_in(at[parent], 0), four_in(at[parent], 3)
    base = links.at_v[links.first[k]]
    for s in range(links.first[k], links.first[k + 1]):
        r = plus(r, turned(q, vector_in(links.place[s], 0)))
        q = product(q, four_in(links.axes[s], 0))
        kind, i, j = links.kind[s], links.at_q[s], links.at_v[s] - base
        if kind == SLIDE:
            z = turned(q, _Z)
            r = plus(r, times(x[i], z))
            put(S[j], 0, NONE)
            put(S[j], 3, z)
        elif kind == TURN or kind == SCREW:
            z = turned(q, _Z)
            put(S[j], 0, z)
            put(S[j], 3, plus(cross(z, minus(here, r)), times(links.pitch[s], z)))
            if kind == SCREW:
                r = plus(r, times(links.pitch[s] * x[i], z))
            q = product(q, about_z(x[i]))
        elif kind == BALL or kind == FREE:
            if kind == FREE:
                for axis in range(3):
                    put(S[j + axis], 0, NONE)
                    put(S[j + axis], 3, turned(q, _axis(axis)))
                r = plus(r, turned(q, vector_in(x, i)))
                i, j = i + 3, j + 3
            q = product(q, four_in(x, i))
            for axis in range(3):
                e = turned(q, _axis(axis))
                put(S[j + axis], 0, e)
                put(S[j + axis], 3, cross(e, minus(here, r)))


@compiled
def _axis(k):
    return (1.0 if k == 0 else 0.0), (1.0 if k == 1 else 0.0), (1.0 if k == 2 else 0.0)


# -- from the system to joint coordinates ----------------------------------------------------------------------------


@called(None)
def links_of(links, nodes, q, v, a, at, moving, accelerating):
    """Poses, velocities and accelerations of the links from coordinates q, speeds v and accelerations a of the system:
    the inverse of :func:`put_nodes`."""
    for k in range(links.parent.shape[0]):
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
        axes = product(of, inverse(four_in(nodes.axes[k], 0)))
        d = times(-1.0, turned(axes, vector_in(nodes.place[k], 0)))
        speed, rate = moved_by(w, alpha, speed, rate, d)
        put(at[k], 0, plus(r, d))
        put_four(at[k], 3, axes)
        put(moving[k], 0, w)
        put(moving[k], 3, speed)
        put(accelerating[k], 0, alpha)
        put(accelerating[k], 3, rate)


@called(None)
def read_positions(links, nodes, at, q, x):
    """Joint coordinates x (nq,) from the poses of the links; after :func:`links_of`. In space angles are those closest
    to the previous values in x, and so are the signs of quaternions; in the plane angles follow from those in q."""
    for k in range(links.parent.shape[0]):
        d, seen = _apart(links, k, at)
        read_turns(links, k, seen, x)
        if nodes.dimension == 2:
            _read_plane_turns(links, nodes, k, q, x)
        _read_slides(links, k, d, x)
    for s in range(links.kind.shape[0]):
        if nodes.own[s] >= 0:
            x[links.at_q[s]] = q[nodes.own[s]] - nodes.more[s]
    for i in range(links.inner):
        x[links.nq - links.inner + i] = q[nodes.inner[i]]
    read_signs(links, at, x)


@compiled
def read_signs(links, at, x):
    """Give the quaternions in x of the free joints in groups the right sign. Relative to the head of the group it must
    be as in `at` (n, 7): with the other sign a beam would be twisted by one more or one fewer whole turn. This holds
    too for a head with a free joint, since a beam may also have a fixed node."""
    sign = 1.0
    for k in range(links.parent.shape[0]):
        if links.place_of[k] >= 0:
            stand_place(links, links.place_of[k], at, x)
        if links.group[k] == -1:
            continue
        first, free = links.first[k], False
        if links.first[k + 1] == first + 1 and links.kind[first] == FREE and links.parent[k] < 0:
            free = True
        if links.group[k] >= 0:
            q = turn_of(links, k, x)
            sign = 1.0
            if not free and q[0] * at[k, 3] + q[1] * at[k, 4] + q[2] * at[k, 5] + q[3] * at[k, 6] < 0.0:
                sign = -1.0
        if free:
            own = product(inverse(four_in(links.axes[first], 0)), four_in(at[k], 3))
            for i in range(4):
                x[links.at_q[first] + 3 + i] = sign * own[i]


@called(None)
def agree_in_sign(links, axes, at, x):
    """Flip the sign of the node axes `axes` (n, 4) on a link where the quaternion composed from the joint turns differs
    in sign from the pose in `at` (n, 7), so that nodes start with the quaternions of the system's initial state."""
    for k in range(links.parent.shape[0]):
        if links.place_of[k] >= 0:
            stand_place(links, links.place_of[k], at, x)
        q = turn_of(links, k, x)
        if q[0] * at[k, 3] + q[1] * at[k, 4] + q[2] * at[k, 5] + q[3] * at[k, 6] < 0.0:
            for i in range(4):
                axes[k, i] = -axes[k, i]


@called(None)
def read_joint(links, k, at, x):
    """The coordinates of the joint of link k from the poses of its two links, closest to the previous values in x."""
    d, seen = _apart(links, k, at)
    read_turns(links, k, seen, x)
    _read_slides(links, k, d, x)


@compiled
def _apart(links, k, at):
    """Position and unit quaternion of link k in the axes of its parent."""
    parent = links.parent[k]
    r, q_a = NONE, (1.0, 0.0, 0.0, 0.0)
    if parent >= 0:
        r, q_a = vector_in(at[parent], 0), four_in(at[parent], 3)
    return turned_back(q_a, minus(vector_in(at[k], 0), r)), product(inverse(q_a), four_in(at[k], 3))


@compiled
def _read_plane_turns(links, nodes, k, q, x):
    """The angle of a planar joint from the angles of the nodes on both sides, which count whole turns."""
    parent = links.parent[k]
    angle = q[nodes.numbers_q[k, 2]] - nodes.angle[k]
    if parent >= 0:
        angle -= q[nodes.numbers_q[parent, 2]] - nodes.angle[parent]
    for s in range(links.first[k], links.first[k + 1]):
        if links.kind[s] == TURN:
            x[links.at_q[s]] = nodes.sense[s] * angle


@compiled
def _read_slides(links, k, d, x):
    """The displacements of a joint, whose slide directions are perpendicular to each other, from the position d of the
    origin of b in the axes of a; its angles are known."""
    for slide in range(links.first[k], links.first[k + 1]):
        if links.kind[slide] != SLIDE and links.kind[slide] != FREE:
            continue
        # r: where the origin of b would be without this slide and later ones; z: the direction of the slide
        r, q, z, before = NONE, (1.0, 0.0, 0.0, 0.0), _Z, (1.0, 0.0, 0.0, 0.0)
        for s in range(links.first[k], links.first[k + 1]):
            r = plus(r, turned(q, vector_in(links.place[s], 0)))
            q = product(q, four_in(links.axes[s], 0))
            kind, i = links.kind[s], links.at_q[s]
            if s == slide:
                z, before = turned(q, _Z), q
            elif (kind == SLIDE and s < slide) or kind == SCREW:
                r = plus(r, times(x[i] * (1.0 if kind == SLIDE else links.pitch[s]), turned(q, _Z)))
            if is_turn(kind):
                q = product(q, about_z(x[i]))
            elif kind == BALL:
                q = product(q, four_in(x, i))
            elif kind == FREE:
                q = product(q, four_in(x, i + 3))
        apart, i = minus(d, r), links.at_q[slide]
        if links.kind[slide] == FREE:
            put(x, i, turned_back(before, apart))
        else:
            x[i] = dot(z, apart)


@called(None)
def read_speeds(links, x, at, motion, S, u):
    """Joint speeds u (nv,) from link motions (n, 6) [ω; v]: for each joint the least-squares solution of S u = motion
    of b relative to a. Applied to changes of acceleration it gives the changes of u̇. S is workspace (12, 6)."""
    for k in range(links.parent.shape[0]):
        read_joint_speeds(links, k, x, at, motion, S, u)


@called(None)
def read_joint_speeds(links, k, x, at, motion, S, u):
    """The speeds of the joint of link k, as in :func:`read_speeds`."""
    count = speeds_of(links, k)
    if count == 0:
        return
    w, v = vector_in(motion[k], 0), vector_in(motion[k], 3)
    parent = links.parent[k]
    if parent >= 0:
        carried = vector_in(motion[parent], 0)
        arm = minus(vector_in(at[k], 0), vector_in(at[parent], 0))
        w = minus(w, carried)
        v = minus(v, plus(vector_in(motion[parent], 3), cross(carried, arm)))
    joint_columns(links, k, at, x, S)
    _least_squares(S, count, w, v, u, links.at_v[links.first[k]])


@compiled
def speeds_of(links, k):
    """Number of speeds of the joint of a link."""
    count = 0
    for s in range(links.first[k], links.first[k + 1]):
        kind = links.kind[s]
        count += 0 if kind == FIXED else 3 if kind == BALL else 6 if kind == FREE else 1
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
