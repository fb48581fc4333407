"""Joint coordinates as a method carries them, and the coordinates of the system that belong to them; compiled.

The links of `j.moving` always are where the joint coordinates at hand say, and move as the speeds say: whoever changes
these moves the links too.
"""

from __future__ import annotations

import math

from flexmb.formulations.tree.coordinates import normalise, speeds_of_rates
from flexmb.formulations.tree.moving import accelerate, motions_along, move
from flexmb.formulations.tree.nodes import put_accelerations as put_at_nodes
from flexmb.formulations.tree.nodes import put_motions, put_positions
from flexmb.formulations.tree.reading import read_joints as read_seen
from flexmb.formulations.tree.reading import read_rates, see_links
from flexmb.formulations.tree.turns import note_sides
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.vectors import NONE


@called(None)
def move_joints(j):
    """Move the links to the joint coordinates and speeds of `j`."""
    move(j.links, j.moving, j.x, j.u)


@called(None)
def put_system(j, q, v):
    """Move the links to the joint coordinates and speeds of `j`, and make q and v those that belong to them."""
    move_joints(j)
    put_state(j, q, v)


@called(None)
def put_state(j, q, v):
    """Coordinates q and speeds v of the system, those of followers too, where the links are."""
    f = j.followers
    put_positions(j.links, j.nodes, j.moving, j.x, q)
    put_motions(j.links, j.nodes, j.moving, j.moving.motion, j.u, v)
    for k in range(f.follower.shape[0]):
        place = f.more[k]
        for entry in range(f.begins[k], f.begins[k + 1]):
            place += f.follows[entry] * j.x[f.position[f.of_speed[entry]]]
        q[f.follower[k]] = place
    _follow(f, j.u, v)


@inlined
def _follow(f, u, v):
    """Speeds, or their rates, v (n,) of followers for those u (nv,) of joints."""
    for k in range(f.follower.shape[0]):
        rate = 0.0
        for entry in range(f.begins[k], f.begins[k + 1]):
            rate += f.follows[entry] * u[f.of_speed[entry]]
        v[f.follower[k]] = rate


@called(None)
def read_joints(j, x, u, q, v):
    """Joint coordinates and speeds of carried numbers x and u, whose quaternions are normalised, and q and v of the
    system."""
    take_joints(j, x, u)
    put_state(j, q, v)


@called(None)
def take_joints(j, x, u):
    """The same without those of the system."""
    for i in range(j.links.nq):
        j.x[i] = x[i]
    for i in range(j.links.nv):
        j.u[i] = u[i]
    normalise(j.links, j.x)
    move_joints(j)


@called(None)
def stand_on(j, q, v):
    """Make the joint coordinates and speeds of `j` those of positions q and speeds v of the system; angles are those
    nearest to what they were, but those that are counted by followers. Euler angles are then on the side of their
    singular positions on which they are."""
    f, links = j.followers, j.links
    see_links(j.nodes, q, v, j.work.zero, j.work.seen)
    read_seen(links, j.nodes, j.moving, j.work.seen, q, v, j.x, j.u)
    note_sides(links, j.x, j.last.side)
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
        j.last.x[i] = j.x[i]
    for i in range(j.links.nv):
        j.last.u[i] = j.u[i]
        j.last.ud[i] = j.ud[i]


@called(None)
def recall(j, x, u):
    """x and u of the state that the run has come to, whose u̇ is at hand then."""
    for i in range(j.links.nq):
        x[i] = j.last.x[i]
    for i in range(j.links.nv):
        u[i] = j.last.u[i]
        j.ud[i] = j.last.ud[i]


@called(None)
def rates_of_speeds(j, q, v, a):
    """u̇ of `j` by accelerations a of the system, behind :func:`stand_on`."""
    see_links(j.nodes, q, v, a, j.work.seen)
    read_rates(j.links, j.moving, j.work.seen, j.ud)
    for i in range(j.links.inner):
        j.ud[j.links.nv - j.links.inner + i] = a[j.nodes.inner[i]]


@called(None)
def joint_changes(j, x, dx, du, y, dv):
    """The vector y (n,) that moves the position of the system, and the change dv (n,) of its speeds at that position,
    for small changes dx and du of what is carried."""
    speeds_of_rates(j.links, x, dx, j.work.move)
    speeds_along(j, j.work.move, y)
    speeds_along(j, du, dv)


@called(None)
def speeds_along(j, u, v):
    """v (n,) of the system for joint speeds u at the position of `j`."""
    motions_along(j.links, j.moving, u, j.work.motions)
    put_motions(j.links, j.nodes, j.moving, j.work.motions, u, v)
    _follow(j.followers, u, v)


@called(None)
def put_accelerations(j, a):
    """a (n,) of the system for the u̇ of `j` at its joint coordinates and speeds."""
    accelerate(j.links, j.moving, j.ud, NONE, j.work.motions)
    put_at_nodes(j.links, j.nodes, j.moving, j.work.motions, j.ud, a)
    _follow(j.followers, j.ud, a)
