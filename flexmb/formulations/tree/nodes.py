"""Coordinates of the system at the nodes of links, from the poses and motions of the links; compiled.

A node has constant axes on its link, and an arm d from the origin of the link. Its velocity is v + ω × d, its
acceleration a + α × d + ω × (ω × d). In space the system has a quaternion for each node, and its angular velocity in
its own axes; in the plane it has the angle, which counts full turns.
"""

from __future__ import annotations

from flexmb.formulations.spatial_algebra import six_in
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.rotations import product, quaternion_in, turned, turned_back
from flexmb.kernels.vectors import NONE, cross, plus, put, vector_in


@compiled
def moved_by(w, alpha, v, a, d):
    """Velocity and acceleration at the end of an arm d that rotates with ω and α, from v and a at its start."""
    wd = cross(w, d)
    return plus(v, wd), plus(a, plus(cross(alpha, d), cross(w, wd)))


@compiled
def node_on(nodes, at, k):
    """Arm and axes of the node of link k, in ground axes, where the links have the poses `at` (n, 7)."""
    axes = quaternion_in(at[k], 3)
    return turned(axes, vector_in(nodes.place[k], 0)), product(axes, quaternion_in(nodes.axes[k], 0))


@compiled
def put_pose(nodes, moving, k, d, axes, q):
    """Write coordinates q of the node of link k, whose arm d and axes are given in ground axes."""
    r, to = plus(vector_in(moving.at[k], 0), d), nodes.numbers_q[k]
    q[to[0]], q[to[1]] = r[0], r[1]
    if nodes.dimension == 2:
        q[to[2]] = moving.angle[k] + nodes.angle[k]
        return
    q[to[2]] = r[2]
    for i in range(4):  # its indices need not be consecutive
        q[to[3 + i]] = axes[i]


@compiled
def put_speeds(nodes, k, d, axes, motion, v):
    """Write speeds v of the node of link k, from the motion [ω; v] of the link."""
    w, speed = motion
    _put_motion(nodes, k, axes, w, plus(speed, cross(w, d)), v)


@compiled
def put_rates(nodes, k, d, axes, w, acceleration, a):
    """Write accelerations a of the node of link k, from the angular velocity ω and the acceleration [α; a] of the
    link."""
    alpha, rate = acceleration
    _, rate = moved_by(w, alpha, NONE, rate, d)
    _put_motion(nodes, k, axes, alpha, rate, a)


@compiled
def _put_motion(nodes, k, axes, turning, shifting, v):
    to = nodes.numbers_v[k]
    if nodes.dimension == 2:
        v[to[0]], v[to[1]], v[to[2]] = shifting[0], shifting[1], turning[2]
        return
    turning = turned_back(axes, turning)
    for i in range(3):
        v[to[i]], v[to[3 + i]] = shifting[i], turning[i]


@compiled
def put_node(nodes, moving, k, q, v, a):
    """Write coordinates q and speeds v of the node of link k, and its accelerations a for a link that does not
    accelerate. Signs of quaternions are those in `moving`."""
    d, axes = node_on(nodes, moving.at, k)
    motion = six_in(moving.motion, k)
    put_pose(nodes, moving, k, d, axes, q)
    put_speeds(nodes, k, d, axes, motion, v)
    put_rates(nodes, k, d, axes, motion[0], (NONE, NONE), a)


@compiled
def put_bearer(nodes, moving, k, q, v, a):
    """Put a node as :func:`put_node` does, with the acceleration that link k has while that which carries it does
    not accelerate."""
    d, axes = node_on(nodes, moving.at, k)
    motion = six_in(moving.motion, k)
    put_pose(nodes, moving, k, d, axes, q)
    put_speeds(nodes, k, d, axes, motion, v)
    put_rates(nodes, k, d, axes, motion[0], six_in(moving.bias, k), a)


@called(None)
def put_positions(links, nodes, moving, x, q):
    """Write coordinates q of the system at all nodes, the coordinates that joints own and the inner coordinates of
    groups, in the pose of `moving`. Of the two quaternions of an orientation the one closer to the present one in q is
    taken."""
    sign = 1.0
    for k in range(links.parent.shape[0]):
        d, axes = node_on(nodes, moving.at, k)
        sign = _put_nearer(links, nodes, moving, k, d, axes, sign, q)
    _put_own_positions(links.joints, nodes, x, q)


@compiled
def _put_nearer(links, nodes, moving, k, d, axes, sign, q):
    """Write coordinates q of the node of link k with the quaternion closer to the present one; returns its sign, where
    `sign` is that of the link before."""
    if nodes.dimension == 3 and links.group[k] >= -1:  # other nodes of a group have signs relative to its head
        to = nodes.numbers_q[k]
        before = axes[0] * q[to[3]] + axes[1] * q[to[4]] + axes[2] * q[to[5]] + axes[3] * q[to[6]]
        sign = -1.0 if before < 0.0 else 1.0
    put_pose(nodes, moving, k, d, (sign * axes[0], sign * axes[1], sign * axes[2], sign * axes[3]), q)
    return sign


@compiled
def _put_own_positions(joints, nodes, x, q):
    for s in range(joints.kind.shape[0]):
        if nodes.own[s] >= 0:
            q[nodes.own[s]] = x[joints.at_q[s]] + nodes.more[s]
    for i in range(joints.inner):
        q[nodes.inner[i]] = x[joints.nq - joints.inner + i]


@called(None)
def put_whole(links, nodes, moving, accelerations, x, u, ud, q, v, a):
    """Write coordinates q, speeds v and accelerations a of the system as :func:`put_positions`, :func:`put_motions` and
    :func:`put_accelerations` do, of each node all at once."""
    sign = 1.0
    for k in range(links.parent.shape[0]):
        d, axes = node_on(nodes, moving.at, k)
        motion = six_in(moving.motion, k)
        sign = _put_nearer(links, nodes, moving, k, d, axes, sign, q)
        put_speeds(nodes, k, d, axes, motion, v)
        put_rates(nodes, k, d, axes, motion[0], six_in(accelerations, k), a)
    _put_own_positions(links.joints, nodes, x, q)
    _put_own(links.joints, nodes, u, v)
    _put_own(links.joints, nodes, ud, a)


@called(None)
def put_changes(links, nodes, moving, motions, others, u, w, v, more):
    """Write speeds v of the system as :func:`put_motions` does for joint speeds u and `motions`, and `more` for w and
    `others`."""
    for k in range(links.parent.shape[0]):
        d, axes = node_on(nodes, moving.at, k)
        put_speeds(nodes, k, d, axes, six_in(motions, k), v)
        put_speeds(nodes, k, d, axes, six_in(others, k), more)
    _put_own(links.joints, nodes, u, v)
    _put_own(links.joints, nodes, w, more)


@called(None)
def put_motions(links, nodes, moving, motions, u, v):
    """Write speeds v of the system from joint speeds u and `motions` (n, 6) of the links, in the pose of `moving`."""
    for k in range(links.parent.shape[0]):
        d, axes = node_on(nodes, moving.at, k)
        put_speeds(nodes, k, d, axes, six_in(motions, k), v)
    _put_own(links.joints, nodes, u, v)


@called(None)
def put_accelerations(links, nodes, moving, accelerations, ud, a):
    """Write accelerations a of the system from rates ud of joint speeds and `accelerations` (n, 6) of the links, in the
    pose and motion of `moving`."""
    for k in range(links.parent.shape[0]):
        d, axes = node_on(nodes, moving.at, k)
        put_rates(nodes, k, d, axes, vector_in(moving.motion[k], 0), six_in(accelerations, k), a)
    _put_own(links.joints, nodes, ud, a)


@compiled
def _put_own(joints, nodes, u, v):
    for s in range(nodes.own.shape[0]):
        if nodes.own[s] >= 0:
            v[nodes.own[s]] = u[joints.at_v[s]]
    for i in range(joints.inner):
        v[nodes.inner[i]] = u[joints.nv - joints.inner + i]


@compiled
def put_wrench(nodes, at, k, r, wrench):
    """Write the wrench on link k about its origin into `wrench` (n, 6), from forces −r (total,) on its node, at the
    poses `at`."""
    (d, axes), of = node_on(nodes, at, k), nodes.numbers_v[k]
    if nodes.dimension == 2:
        force, moment = (-r[of[0]], -r[of[1]], 0.0), (0.0, 0.0, -r[of[2]])
    else:
        force, moment = (-r[of[0]], -r[of[1]], -r[of[2]]), turned(axes, (-r[of[3]], -r[of[4]], -r[of[5]]))
    put(wrench[k], 0, plus(moment, cross(d, force)))
    put(wrench[k], 3, force)
