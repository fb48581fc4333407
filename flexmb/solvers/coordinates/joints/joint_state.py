"""The state in joint coordinates, and the coordinates of the system that belong to it; compiled.

The links in `j.moving` always have the poses and speeds that belong to j.x and j.u: a function that changes these has
to move the links too.
"""

from __future__ import annotations

import math

from flexmb.formulations.tree.coordinates import normalize, speeds_of_rates
from flexmb.formulations.tree.moving import accelerate, motions_along, move
from flexmb.formulations.tree.nodes import put_accelerations as put_at_nodes
from flexmb.formulations.tree.nodes import put_changes, put_motions, put_positions, put_whole
from flexmb.formulations.tree.reading import read_joints as read_seen
from flexmb.formulations.tree.reading import read_rates, see_links
from flexmb.formulations.tree.turns import note_sides
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.vectors import NONE
from flexmb.solvers.coordinates.joints.along_joints import put_known


@called(None)
def move_joints(j):
    """Move the links to the joint coordinates and speeds of `j`."""
    move(j.links, j.moving, j.x, j.u)


@called(None)
def put_system(j, q, v):
    """Move the links to the joint coordinates and speeds of `j`, and fill q and v of the system."""
    move_joints(j)
    put_state(j, q, v)


@called(None)
def put_state(j, q, v):
    """Fill coordinates q and speeds v of the system, including followers, from the poses and speeds of the links."""
    put_positions(j.links, j.nodes, j.moving, j.x, q)
    put_motions(j.links, j.nodes, j.moving, j.moving.motion, j.u, v)
    put_followers(j, q, v)


@called(None)
def put_followers(j, q, v):
    """Fill coordinates q and speeds v of the followers from joint coordinates and speeds."""
    f = j.followers
    for k in range(f.follower.shape[0]):
        place = f.more[k]
        for entry in range(f.begins[k], f.begins[k + 1]):
            place += f.follows[entry] * j.x[f.position[f.of_speed[entry]]]
        q[f.follower[k]] = place
    _follow(f, j.u, v)


@inlined
def _follow(f, u, v):
    """Fill the speeds v (n,) of followers from joint speeds u (nv,), or likewise their accelerations from u̇."""
    for k in range(f.follower.shape[0]):
        rate = 0.0
        for entry in range(f.begins[k], f.begins[k + 1]):
            rate += f.follows[entry] * u[f.of_speed[entry]]
        v[f.follower[k]] = rate


@called(None)
def read_joints(j, x, u, q, v):
    """Take the integrated numbers x and u as the present state, with normalized quaternions, and fill q and v of the
    system."""
    take_joints(j, x, u)
    put_state(j, q, v)


@called(None)
def take_joints(j, x, u):
    """Take the integrated numbers x and u as the present state, with normalized quaternions, and move the links."""
    for i in range(j.links.joints.nq):
        j.x[i] = x[i]
    for i in range(j.links.joints.nv):
        j.u[i] = u[i]
    normalize(j.links.joints, j.x)
    move_joints(j)


@called(None)
def take_unseen(j, x, u, q, v):
    """As :func:`take_joints`, where forces act along the joints alone; of q and v what they read is filled."""
    take_joints(j, x, u)
    put_known(j.acting.known, j.x, j.u, q, v)


@called(None)
def stand_on(j, q, v):
    """Compute the joint coordinates and speeds of `j` from positions q and speeds v of the system. Of the values of an
    angle that differ by full turns, the one nearest to its last value is taken, or the one that a follower counts. The
    present sides of the singular positions of Euler angles are noted."""
    f, links = j.followers, j.links
    see_links(j.nodes, q, v, j.work.zero, j.work.seen)
    read_seen(links, j.nodes, j.moving, j.work.seen, q, v, j.x, j.u)
    note_sides(links.joints, j.x, j.last.side)
    counts = False
    for k in range(f.follower.shape[0]):
        i = f.counted[k]
        if i >= 0:
            c, at = f.follows[f.begins[k]], f.position[i]
            turns = ((q[f.follower[k]] - f.more[k]) / c - j.x[at]) / (2.0 * math.pi)
            j.x[at] += 2.0 * math.pi * math.floor(turns + 0.5)
            counts = True
    if counts:
        move_joints(j)


@called(None)
def carry_joints(j, q, v, x, u):
    """Fill x and u from positions q and speeds v of the system, as :func:`stand_on` does for `j`."""
    stand_on(j, q, v)
    for i in range(j.links.joints.nq):
        x[i] = j.x[i]
    for i in range(j.links.joints.nv):
        u[i] = j.u[i]


@called(None)
def remember(j):
    """Keep the present state and its u̇ as the end of the last step."""
    for i in range(j.links.joints.nq):
        j.last.x[i] = j.x[i]
    for i in range(j.links.joints.nv):
        j.last.u[i] = j.u[i]
        j.last.ud[i] = j.ud[i]


@called(None)
def recall(j, x, u):
    """Restore the end of the last step: its x and u into these arrays, and its u̇ into `j`."""
    for i in range(j.links.joints.nq):
        x[i] = j.last.x[i]
    for i in range(j.links.joints.nv):
        u[i] = j.last.u[i]
        j.ud[i] = j.last.ud[i]


@called(None)
def rates_of_speeds(j, q, v, a):
    """Compute u̇ of `j` from accelerations a of the system, after :func:`stand_on`."""
    see_links(j.nodes, q, v, a, j.work.seen)
    read_rates(j.links, j.moving, j.work.seen, j.ud)
    for i in range(j.links.joints.inner):
        j.ud[j.links.joints.nv - j.links.joints.inner + i] = a[j.nodes.inner[i]]


@called(None)
def joint_changes(j, x, dx, du, y, dv):
    """Fill the vector y (n,) that moves the position of the system, and the change dv (n,) of its speeds at that
    position, for small changes dx and du of the integrated numbers."""
    speeds_of_rates(j.links.joints, x, dx, j.work.move)
    motions_along(j.links, j.moving, j.work.move, j.work.motions)
    motions_along(j.links, j.moving, du, j.work.others)
    put_changes(j.links, j.nodes, j.moving, j.work.motions, j.work.others, j.work.move, du, y, dv)
    _follow(j.followers, j.work.move, y)
    _follow(j.followers, du, dv)


@called(None)
def speeds_along(j, u, v):
    """Fill v (n,) of the system for joint speeds u at the position of `j`."""
    motions_along(j.links, j.moving, u, j.work.motions)
    put_motions(j.links, j.nodes, j.moving, j.work.motions, u, v)
    _follow(j.followers, u, v)


@called(None)
def put_whole_state(j, q, v, a):
    """Fill coordinates q, speeds v and accelerations a of the system, as :func:`put_state` and
    :func:`put_accelerations` do."""
    accelerate(j.links, j.moving, j.ud, NONE, j.work.motions)
    put_whole(j.links, j.nodes, j.moving, j.work.motions, j.x, j.u, j.ud, q, v, a)
    put_followers(j, q, v)
    _follow(j.followers, j.ud, a)


@called(None)
def put_accelerations(j, a):
    """Fill a (n,) of the system for the u̇ of `j` at its joint coordinates and speeds."""
    accelerate(j.links, j.moving, j.ud, NONE, j.work.motions)
    put_at_nodes(j.links, j.nodes, j.moving, j.work.motions, j.ud, a)
    _follow(j.followers, j.ud, a)
