"""Jacobians of points on the links of a tree, from joint speeds to [ω; v] in ground axes, and their rates; momentum of
the whole; compiled. All functions follow a call of :func:`flexmb.formulations.tree.moving.move`.

A column of S at the origin r of its link, [e; s], becomes [e; s + e × (p − r)] at a point p of any link farther out.
Its rate follows from those of e and s. The axis of a motion stands still in the link between this motion of the joint
and the next one. Where that has the angular velocity ω, and, at the point r of it, the velocity v, and r moves with ṙ,

    ė = ω × e,    ṡ = ω × s + e × (ṙ − v)

and the link before the motion may take the place of the one behind it; for turns about a point, whose axes are those of
b, it may not.
"""

from __future__ import annotations

from flexmb.formulations.lagrange import inertia_forces, needed_forces
from flexmb.formulations.newton_euler import spin_of
from flexmb.formulations.spatial_algebra import NOTHING, force_at, put_six, six_in, sum_of
from flexmb.formulations.tree.moving import carried_by_parent, columns_of, motions_along
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.vectors import NONE, cross, minus, plus, put, times, vector_in


@called(None)
def place_jacobian(links, moving, k, place, J):
    """J (6, nv) at a point `place` (3,) that moves with link k."""
    for i in range(6):
        for j in range(links.joints.nv):
            J[i, j] = 0.0
    p = place[0], place[1], place[2]
    here = k
    while here >= 0:
        arm = minus(p, vector_in(moving.at[here], 0))
        for j in range(moving.speeds[here], moving.speeds[here + 1]):
            e, s = six_in(moving.columns, j)
            _put(J, j, e, plus(s, cross(e, arm)))
        here = links.parent[here]


@called(None)
def place_jacobian_rate(links, moving, rates, k, place, J):
    """J̇ (6, nv) at a point `place` (3,) that moves with link k, from the rates of columns (nv, 6) of
    :func:`column_rates`."""
    for i in range(6):
        for j in range(links.joints.nv):
            J[i, j] = 0.0
    p = place[0], place[1], place[2]
    if k < 0:
        return
    w, v = six_in(moving.motion, k)
    speed = plus(v, cross(w, minus(p, vector_in(moving.at[k], 0))))
    here = k
    while here >= 0:
        arm, relative = minus(p, vector_in(moving.at[here], 0)), minus(speed, six_in(moving.motion, here)[1])
        for j in range(moving.speeds[here], moving.speeds[here + 1]):
            e, (turning, shifting) = six_in(moving.columns, j)[0], six_in(rates, j)
            _put(J, j, turning, plus(shifting, plus(cross(turning, arm), cross(e, relative))))
        here = links.parent[here]


@compiled
def _put(J, j, angular, linear):
    for i in range(3):
        J[i, j] = angular[i]
        J[3 + i, j] = linear[i]


@called(None)
def column_rates(links, moving, u, rates):
    """Rates (nv, 6) of the columns of S, each at the origin of its link."""
    for k in range(links.parent.shape[0]):
        w, v = carried_by_parent(links, moving, moving.motion, k)
        speed = six_in(moving.motion, k)[1]
        for s in range(links.joints.first[k], links.joints.first[k + 1]):
            groups, wide = columns_of(links.joints.kind[s])
            for group in range(groups):
                first = links.joints.at_v[s] + 3 * group
                for j in range(first, first + wide):
                    e, along = six_in(moving.columns, j)
                    w, v = plus(w, times(u[j], e)), plus(v, times(u[j], along))
                for j in range(first, first + wide):
                    e, along = six_in(moving.columns, j)
                    put_six(rates, j, (cross(w, e), plus(cross(w, along), cross(e, minus(speed, v)))))


# -- momentum --------------------------------------------------------------------------------------------------------


@compiled
def _total(links, room, about):
    """The sum of the forces on the links of :mod:`flexmb.formulations.lagrange`, about a point."""
    total = NOTHING
    for k in range(links.parent.shape[0]):
        arm = minus(vector_in(room.moving.at[k], 0), about)
        total = sum_of(total, force_at(six_in(room.forces, k), arm))
    return total


@called(None)
def sums(links, room, u, ud, still, found):
    """Sums over all links, 16 numbers in `found`: mass, mass times mass center (3), [L; p] (6) and its rate (6) about
    the origin of the ground, for joint speeds u (nv,) and u̇ (nv,); `still` (n, 6) are zeros. A mechanism that shifts
    along x and y alone has momenta that say its mass and where its center is."""
    for axis in range(2):
        for k in range(links.parent.shape[0]):
            put_six(room.accelerations, k, (NONE, (1.0 - axis, 0.0 + axis, 0.0)))
        inertia_forces(links, room, room.unit, room.bias)
        L, p = _total(links, room, NONE)
        if axis == 0:
            found[0], found[2], found[3] = p[0], -L[2], L[1]
        else:
            found[1] = L[2]
    for k in range(links.parent.shape[0]):
        put_six(room.accelerations, k, six_in(room.moving.motion, k))
    inertia_forces(links, room, u, room.bias)
    L, p = _total(links, room, NONE)
    for k in range(links.parent.shape[0]):
        L = plus(L, spin_of(links, room.moving, k))
    put(found, 4, L)
    put(found, 7, p)
    needed_forces(links, room, ud, still, room.bias)
    (n, f), weight = _total(links, room, NONE), vector_in(links.gravity, 0)
    put(found, 10, plus(n, cross(vector_in(found, 1), weight)))
    put(found, 13, plus(f, times(found[0], weight)))


@called(None)
def momentum_columns(links, room, at, A):
    """A (6, nv): A u is [L; p] about the point `at` (3,), without what wheels of constant speed have at rest."""
    for j in range(links.joints.nv):
        room.unit[j] = 1.0
        motions_along(links, room.moving, room.unit, room.accelerations)
        inertia_forces(links, room, room.unit, room.bias)
        room.unit[j] = 0.0
        L, p = _total(links, room, vector_in(at, 0))
        _put(A, j, L, p)
