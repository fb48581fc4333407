"""Jacobians of points on the links of a tree, from joint speeds to [ω; v] in ground axes, and their rates; compiled.
All functions follow a call of :func:`flexmb.formulations.tree.moving.move`.

A column of S at the origin r of its link, [e; s], becomes [e; s + e × (p − r)] at a point p of any link farther out.
Its rate follows from those of e and s. The axis of a motion stands still in the link between this motion of the joint
and the next one. Where that has the angular velocity ω, and, at the point r of it, the velocity v, and r moves with ṙ,

    ė = ω × e,    ṡ = ω × s + e × (ṙ − v)

and the link before the motion may take the place of the one behind it; for turns about a point, whose axes are those of
b, it may not.
"""

from __future__ import annotations

from flexmb.formulations.newton_euler import own_force
from flexmb.formulations.spatial_algebra import put_six, six_in, symmetric_applied, symmetric_in
from flexmb.formulations.tree.moving import carried_by_parent, columns_of
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.vectors import cross, minus, plus, times, vector_in


@called(None)
def place_jacobian(links, moving, k, place, J):
    """J (6, nv) at a point `place` (3,) that moves with link k."""
    for i in range(6):
        for j in range(links.nv):
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
        for j in range(links.nv):
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
        for s in range(links.first[k], links.first[k + 1]):
            groups, wide = columns_of(links.kind[s])
            for group in range(groups):
                first = links.at_v[s] + 3 * group
                for j in range(first, first + wide):
                    e, along = six_in(moving.columns, j)
                    w, v = plus(w, times(u[j], e)), plus(v, times(u[j], along))
                for j in range(first, first + wide):
                    e, along = six_in(moving.columns, j)
                    put_six(rates, j, (cross(w, e), plus(cross(w, along), cross(e, minus(speed, v)))))


@called(None)
def sums(links, moving, accelerations, found):
    """Sums over all links, 16 numbers in `found`: mass, mass times mass centre (3), [L; p] (6) and its rate (6) about
    the origin of the ground, for absolute accelerations (n, 6) of the links."""
    for i in range(16):
        found[i] = 0.0
    for k in range(links.parent.shape[0]):
        mass, r = links.mass[k], vector_in(moving.at[k], 0)
        moment, (w, v) = vector_in(moving.moment[k], 0), six_in(moving.motion, k)
        p = plus(times(mass, v), cross(w, moment))
        L = plus(symmetric_applied(symmetric_in(moving.inertia, k), w), plus(cross(moment, v), cross(r, p)))
        n, f = own_force(links, moving, six_in(accelerations, k), k)
        n = plus(n, cross(r, f))
        found[0] += mass
        for i in range(3):
            found[1 + i] += mass * r[i] + moment[i]
            found[4 + i] += L[i]
            found[7 + i] += p[i]
            found[10 + i] += n[i]
            found[13 + i] += f[i]


@called(None)
def momentum_columns(links, moving, at, A):
    """A (6, nv): A u is [L; p] about the point `at` (3,). Each link contributes to the columns of all joints that carry
    it."""
    for i in range(6):
        for j in range(links.nv):
            A[i, j] = 0.0
    about = at[0], at[1], at[2]
    for k in range(links.parent.shape[0]):
        mass, moment, r = links.mass[k], vector_in(moving.moment[k], 0), vector_in(moving.at[k], 0)
        J = symmetric_in(moving.inertia, k)
        here = k
        while here >= 0:
            arm = minus(r, vector_in(moving.at[here], 0))
            for j in range(moving.speeds[here], moving.speeds[here + 1]):
                e, s = six_in(moving.columns, j)
                v = plus(s, cross(e, arm))
                p = plus(times(mass, v), cross(e, moment))
                L = plus(symmetric_applied(J, e), plus(cross(moment, v), cross(minus(r, about), p)))
                for i in range(3):
                    A[i, j] += L[i]
                    A[3 + i, j] += p[i]
            here = links.parent[here]
