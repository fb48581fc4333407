"""Newton and Euler's equations of the links of a tree, in ground axes: the force [n; f] at the origin of a link that
gives it the acceleration [α; a], with the angular momentum h of wheels that turn at a constant speed on it,

    n = J α + m c × a + ω × (J ω + h),    f = m a + α × m c + ω × (ω × m c)

and the forces of the joints, from the tips to the ground.
"""

from __future__ import annotations

from flexmb.formulations.carried import hand_back
from flexmb.formulations.coupling import add_forces
from flexmb.formulations.groups import gather
from flexmb.formulations.spatial_algebra import (
    NOTHING,
    nine_in,
    put_numbers,
    put_six,
    six_in,
    symmetric_applied,
    symmetric_in,
    symmetric_turned,
)
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.vectors import applied, cross, minus, plus, put, times, vector_in


@called(None)
def weigh(links, room, x, u):
    """First moments and inertias of the links in ground axes, their forces for zero accelerations, and the equations of
    groups; behind :func:`flexmb.formulations.tree.moving.move` of `room.moving`."""
    for k in range(links.parent.shape[0]):
        weigh_link(links, room.moving, k)
    gather(links, room.groups, room.moving, x, u)


@compiled
def weigh_link(links, moving, k):
    """First moment and inertia of link k in ground axes, and its forces for zero accelerations."""
    R, w = nine_in(moving.rotation, k), vector_in(moving.motion[k], 0)
    moment = applied(R, vector_in(links.moment[k], 0))
    J = symmetric_turned(R, symmetric_in(links.inertia, k))
    put(moving.moment[k], 0, moment)
    put_numbers(moving.inertia, k, J)
    along = plus(symmetric_applied(J, w), spin_of(links, moving, k))
    put_six(moving.gyroscopic, k, (cross(w, along), cross(w, cross(w, moment))))


@compiled
def spin_of(links, moving, k):
    """The angular momentum of wheels of constant speed on link k, in ground axes."""
    return applied(nine_in(moving.rotation, k), vector_in(links.spin[k], 0))


@compiled
def has_spin(links, k):
    """Whether link k has wheels of constant speed."""
    return links.spin[k, 0] != 0.0 or links.spin[k, 1] != 0.0 or links.spin[k, 2] != 0.0


@compiled
def from_outside(links, moving, wrench, k):
    """The external force (n, 6) on link k, and the moment −ω × h of wheels of constant speed, for equations of links
    that do not know these."""
    n, f = six_in(wrench, k)
    if has_spin(links, k):
        n = minus(n, cross(vector_in(moving.motion[k], 0), spin_of(links, moving, k)))
    return n, f


@compiled
def own_force(links, moving, acceleration, k):
    """The force [n; f] at its origin that gives link k an acceleration."""
    alpha, a = acceleration
    moment = vector_in(moving.moment[k], 0)
    n, f = six_in(moving.gyroscopic, k)
    n = plus(n, plus(symmetric_applied(symmetric_in(moving.inertia, k), alpha), cross(moment, a)))
    return n, plus(f, plus(times(links.mass[k], a), cross(alpha, moment)))


@called(None)
def joint_forces(links, moving, groups, accelerations, wrench, forces):
    """Forces (n, 6) on the links at their origins from the joints that carry them, by the Newton-Euler equations from
    the tips to the ground, from absolute accelerations (n, 6) and external forces `wrench` (n, 6). Called after a
    formulation has left the accelerations of the inner coordinates of groups."""
    g = links.gravity[0], links.gravity[1], links.gravity[2]
    for k in range(links.parent.shape[0]):
        put_six(forces, k, NOTHING)
    add_forces(links, groups, 1.0, accelerations, groups.rates, 0, forces, groups.ways.product, 0)
    for k in range(links.parent.shape[0] - 1, -1, -1):
        alpha, a = six_in(accelerations, k)
        n, f = own_force(links, moving, (alpha, minus(a, g)), k)
        outside, beyond = six_in(wrench, k), six_in(forces, k)
        n, f = plus(minus(n, outside[0]), beyond[0]), plus(minus(f, outside[1]), beyond[1])
        put_six(forces, k, (n, f))
        parent = links.parent[k]
        if parent >= 0:
            beyond = six_in(forces, parent)
            n = plus(n, cross(vector_in(moving.arm[k], 0), f))
            put_six(forces, parent, (plus(beyond[0], n), plus(beyond[1], f)))
        elif links.place_of[k] >= 0:
            hand_back(links.places.columns, moving, links.place_of[k], (n, f), forces)
