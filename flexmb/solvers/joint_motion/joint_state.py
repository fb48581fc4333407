"""Joint coordinates as a method carries them, and the coordinates of the system that belong to them; compiled."""

from __future__ import annotations

import math

from flexmb.formulations.carried import carried_sum
from flexmb.formulations.tree.coordinates import normalise, speeds_of_rates
from flexmb.formulations.tree.places import moved_by, put_columns
from flexmb.formulations.tree.placing import (
    four_in,
    joint_columns,
    links_of,
    move_links,
    put_nodes,
    put_speeds,
    read_positions,
    read_speeds,
    speeds_of,
)
from flexmb.formulations.tree.turns import note_sides
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.rotations import product, turned, turned_back
from flexmb.kernels.vectors import NONE, cross, minus, plus, put, times, vector_in


@called(None)
def put_system(j, q, v):
    """Make q and v those that belong to the joint coordinates and speeds of `j`."""
    move_links(j.links, j.x, j.u, j.still, j.at, j.moving, j.accelerating)
    put_all(j, j.x, j.u, j.still, q, v, j.a)


@called(None)
def put_all(j, x, u, ud, q, v, a):
    """Coordinates q, speeds v and accelerations a of the system, behind `move_links`; those of followers too."""
    f = j.followers
    put_nodes(j.links, j.nodes, x, u, ud, j.at, j.moving, j.accelerating, q, v, a)
    for k in range(f.follower.shape[0]):
        place, speed, rate = f.more[k], 0.0, 0.0
        for entry in range(f.begins[k], f.begins[k + 1]):
            c, i = f.follows[entry], f.of_speed[entry]
            place += c * x[f.position[i]]
            speed += c * u[i]
            rate += c * ud[i]
        q[f.follower[k]], v[f.follower[k]], a[f.follower[k]] = place, speed, rate


@called(None)
def read_joints(j, x, u, q, v):
    """Joint coordinates and speeds of carried numbers x and u, whose quaternions are normalised, and q and v of the
    system."""
    take_joints(j, x, u)
    put_system(j, q, v)


@called(None)
def take_joints(j, x, u):
    """The same without those of the system."""
    for i in range(j.links.nq):
        j.x[i] = x[i]
    for i in range(j.links.nv):
        j.u[i] = u[i]
    normalise(j.links, j.x)


@called(None)
def stand_on(j, q, v):
    """Make the joint coordinates and speeds of `j` those of positions q and speeds v of the system; angles are those
    nearest to what they were, but those that are counted by followers. Euler angles are then on the side of their
    singular positions on which they are."""
    f = j.followers
    links = j.links
    links_of(links, j.nodes, q, v, j.zero, j.at, j.moving, j.accelerating)
    read_positions(links, j.nodes, j.at, q, j.x)
    note_sides(links, j.x, j.side)
    read_speeds(links, j.x, j.at, j.moving, j.S, j.u)
    for i in range(links.inner):
        j.x[links.nq - links.inner + i] = q[j.nodes.inner[i]]
        j.u[links.nv - links.inner + i] = v[j.nodes.inner[i]]
    for k in range(f.follower.shape[0]):
        i = f.counted[k]
        if i >= 0:
            c, at = f.follows[f.begins[k]], f.position[i]
            turns = ((q[f.follower[k]] - f.more[k]) / c - j.x[at]) / (2.0 * math.pi)
            j.x[at] += 2.0 * math.pi * math.floor(turns + 0.5)


@called(None)
def carry_joints(j, q, v, x, u):
    """x and u of a position q and speeds v; angles are those nearest to what they were in `j`."""
    stand_on(j, q, v)
    for i in range(j.links.nq):
        x[i] = j.x[i]
    for i in range(j.links.nv):
        u[i] = j.u[i]


@called(None)
def remember(j):
    """Keep the state at hand, and its u̇, as that which the run has come to."""
    for i in range(j.links.nq):
        j.x_present[i] = j.x[i]
    for i in range(j.links.nv):
        j.u_present[i] = j.u[i]
        j.present[i] = j.ud[i]


@called(None)
def recall(j, x, u):
    """x and u of the state that the run has come to, whose u̇ is at hand then."""
    for i in range(j.links.nq):
        x[i] = j.x_present[i]
    for i in range(j.links.nv):
        u[i] = j.u_present[i]
        j.ud[i] = j.present[i]


@called(None)
def rates_of_speeds(j, q, v, a):
    """u̇ of `j` by accelerations a of the system, behind :func:`stand_on`: those at u̇ = 0 differ from them by S u̇."""
    links_of(j.links, j.nodes, q, v, a, j.at, j.moving, j.asked)
    move_links(j.links, j.x, j.u, j.still, j.at, j.moving, j.accelerating)
    for k in range(j.asked.shape[0]):
        for i in range(6):
            j.asked[k, i] -= j.accelerating[k, i]
    read_speeds(j.links, j.x, j.at, j.asked, j.S, j.ud)
    for i in range(j.links.inner):
        j.ud[j.links.nv - j.links.inner + i] = a[j.nodes.inner[i]]


@called(None)
def joint_changes(j, x, dx, du, y, dv):
    """The vector y (n,) that moves the position of the system, and the change dv (n,) of its speeds at that position,
    for small changes dx and du of what is carried, behind :func:`lay_columns`."""
    speeds_of_rates(j.links, x, dx, j.move)
    speeds_along(j, j.move, y)
    speeds_along(j, du, dv)


@called(None)
def lay_columns(j):
    """Find the motions of the links that each joint speed alone makes at the position of `j`: they serve for as many
    :func:`speeds_along` as are asked for there."""
    links = j.links
    move_links(links, j.x, j.u, j.still, j.at, j.moving, j.accelerating)
    for k in range(links.parent.shape[0]):
        if speeds_of(links, k) > 0:
            joint_columns(links, k, j.at, j.x, j.columns[links.at_v[links.first[k]] :])
    for c in range(links.places.own.shape[0]):
        put_columns(links.places, c, j.at, j.carried)


@called(None)
def speeds_along(j, u, v):
    """v (n,) of the system for joint speeds u at the position of `j`, behind :func:`lay_columns`."""
    f = j.followers
    links, nodes = j.links, j.nodes
    for k in range(links.parent.shape[0]):
        parent, place = links.parent[k], vector_in(j.at[k], 0)
        w, speed = NONE, NONE
        if parent >= 0:
            w = vector_in(j.moving[parent], 0)
            arm = minus(place, vector_in(j.at[parent], 0))
            speed = plus(vector_in(j.moving[parent], 3), cross(w, arm))
        elif links.place_of[k] >= 0:
            w, speed = carried_sum(links, j.carried, links.place_of[k], j.moving, NONE, u, links.nv - links.inner)
        first = links.at_v[links.first[k]]
        for i in range(first, first + speeds_of(links, k)):
            w = plus(w, times(u[i], vector_in(j.columns[i], 0)))
            speed = plus(speed, times(u[i], vector_in(j.columns[i], 3)))
        put(j.moving[k], 0, w)
        put(j.moving[k], 3, speed)
        put_speeds(nodes, k, four_in(j.at[k], 3), w, speed, v)
    for s in range(nodes.own.shape[0]):
        if nodes.own[s] >= 0:
            v[nodes.own[s]] = u[links.at_v[s]]
    for i in range(links.inner):
        v[nodes.inner[i]] = u[links.nv - links.inner + i]
    for k in range(f.follower.shape[0]):
        rate = 0.0
        for entry in range(f.begins[k], f.begins[k + 1]):
            rate += f.follows[entry] * u[f.of_speed[entry]]
        v[f.follower[k]] = rate


@compiled
def put_wrench(j, k, r):
    """The wrench on link k about its origin of forces −r (total,) on its node, at the pose of `j`."""
    nodes, axes, at = j.nodes, four_in(j.at[k], 3), j.nodes.numbers_v[k]
    if nodes.dimension == 2:
        force, moment = (-r[at[0]], -r[at[1]], 0.0), (0.0, 0.0, -r[at[2]])
    else:
        force = -r[at[0]], -r[at[1]], -r[at[2]]
        moment = turned(product(axes, four_in(nodes.axes[k], 0)), (-r[at[3]], -r[at[4]], -r[at[5]]))
    arm = turned(axes, vector_in(nodes.place[k], 0))
    put(j.wrench[k], 0, plus(moment, cross(arm, force)))
    put(j.wrench[k], 3, force)


@compiled
def put_rates(j, k, accelerations, a):
    """Accelerations a of the system at the node of link k, of those (n, 6) of links at the pose and motion of `j`."""
    nodes, axes, to = j.nodes, four_in(j.at[k], 3), j.nodes.numbers_v[k]
    w, alpha = vector_in(j.moving[k], 0), vector_in(accelerations[k], 0)
    d = turned(axes, vector_in(nodes.place[k], 0))
    _, rate = moved_by(w, alpha, NONE, vector_in(accelerations[k], 3), d)
    if nodes.dimension == 2:
        a[to[0]], a[to[1]], a[to[2]] = rate[0], rate[1], alpha[2]
        return
    alpha = turned_back(product(axes, four_in(nodes.axes[k], 0)), alpha)
    for i in range(3):
        a[to[i]], a[to[3 + i]] = rate[i], alpha[i]


@called(None)
def put_accelerations(j, a):
    """a (n,) of the system for the u̇ of `j` at its joint coordinates and speeds."""
    put_motion(j, j.q, j.v, a)


@called(None)
def put_motion(j, q, v, a):
    """q, v and a of the system for the joint coordinates and speeds of `j` and its u̇."""
    move_links(j.links, j.x, j.u, j.ud, j.at, j.moving, j.accelerating)
    put_all(j, j.x, j.u, j.ud, q, v, a)
