"""Jacobians of points on the links of a tree, from joint speeds to [ω; v] in ground axes, and their rates; compiled.
All functions follow a call of :func:`flexmb.formulations.moving.move`.

A column of S at the origin r of its link, [e; s], becomes [e; s + e × (p − r)] at a point p of any link farther out.
Its rate follows from those of e and s. A turn about e through a point c that moves with ċ, and a slide along e, have

    s = e × (r − c),  ṡ = ė × (r − c) + e × (ṙ − ċ);    s = e,  ṡ = ė,    ė = ω × e

with the angular velocity ω before the motion, or after it, which makes no difference for its own axis; for turns about
a point, whose axes are those of b, it is that after the motion.
"""

from __future__ import annotations

from flexmb.formulations.moving import own_force
from flexmb.formulations.spatial_algebra import nine_in, put_six, six_in, symmetric_applied, symmetric_in
from flexmb.formulations.tree.turns import about_z
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.rotations import normalised, rotation_matrix
from flexmb.kernels.vectors import IDENTITY, NONE, applied, cross, matrix_product, minus, plus, times, vector_in
from flexmb.model.ways import BALL, FREE, SCREW, SLIDE, TURN


@called(None)
def place_jacobian(links, moving, k, place, J):
    """J (6, nv) at a point `place` (3,) that moves with link k."""
    for i in range(6):
        for j in range(links.nv):
            J[i, j] = 0.0
    p = place[0], place[1], place[2]
    here = k
    while here >= 0:
        arm = minus(p, vector_in(moving.place[here], 0))
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
    speed = plus(v, cross(w, minus(p, vector_in(moving.place[k], 0))))
    here = k
    while here >= 0:
        arm, relative = minus(p, vector_in(moving.place[here], 0)), minus(speed, six_in(moving.motion, here)[1])
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
def column_rates(links, moving, x, u, rates):
    """Rates (nv, 6) of the columns of S, each at the origin of its link."""
    for k in range(links.parent.shape[0]):
        parent = links.parent[k]
        R, w = IDENTITY, NONE
        if parent >= 0:
            R, w = nine_in(moving.rotation, parent), six_in(moving.motion, parent)[0]
        arm, v = NONE, NONE  # arm from the origin of the carrying link, and the rate of the arm
        for s in range(links.first[k], links.first[k + 1]):
            d = applied(R, vector_in(links.place[s], 0))
            arm, v = plus(arm, d), plus(v, cross(w, d))
            R = matrix_product(R, nine_in(links.rotation, s))
            kind, i, j = links.kind[s], links.at_q[s], links.at_v[s]
            z = R[2], R[5], R[8]
            if kind == SLIDE or kind == SCREW:
                along = 1.0 if kind == SLIDE else links.pitch[s]
                d = times(along * x[i], z)
                arm, v = plus(arm, d), plus(v, plus(cross(w, d), times(along * u[j], z)))
                if kind == SLIDE:
                    put_six(rates, j, (NONE, cross(w, z)))
                else:
                    _put_turn(rates, j, w, z, arm, v, along)
            elif kind == FREE:
                d = applied(R, (x[i], x[i + 1], x[i + 2]))
                arm = plus(arm, d)
                v = plus(v, plus(cross(w, d), applied(R, (u[j], u[j + 1], u[j + 2]))))
                for axis in range(3):
                    put_six(rates, j + axis, (NONE, cross(w, (R[axis], R[3 + axis], R[6 + axis]))))
                i, j = i + 3, j + 3
            if kind == TURN or kind == SCREW:
                if kind == TURN:
                    _put_turn(rates, j, w, z, arm, v, 0.0)
                w = plus(w, times(u[j], z))
                R = matrix_product(R, rotation_matrix(about_z(x[i])))
            elif kind == BALL or kind == FREE:
                q = normalised((x[i], x[i + 1], x[i + 2], x[i + 3]))
                R = matrix_product(R, rotation_matrix(q))
                w = plus(w, applied(R, (u[j], u[j + 1], u[j + 2])))
                for axis in range(3):
                    _put_turn(rates, j + axis, w, (R[axis], R[3 + axis], R[6 + axis]), arm, v, 0.0)
        first = moving.speeds[k]
        for j in range(first, moving.speeds[k + 1]):
            (turning, shifting), e = six_in(rates, j), six_in(moving.columns, j)[0]
            put_six(rates, j, (turning, plus(shifting, plus(cross(turning, arm), cross(e, v)))))


@compiled
def _put_turn(rates, j, w, e, arm, v, pitch):
    """The rate of the column of a turn about e through the end of an arm, taken about the beginning of the arm; with a
    pitch that of a screw."""
    rate = cross(w, e)
    put_six(rates, j, (rate, minus(times(pitch, rate), plus(cross(rate, arm), cross(e, v)))))


@called(None)
def sums(links, moving, accelerations, found):
    """Sums over all links, 16 numbers in `found`: mass, mass times mass centre (3), [L; p] (6) and its rate (6) about
    the origin of the ground, for absolute accelerations (n, 6) of the links."""
    for i in range(16):
        found[i] = 0.0
    for k in range(links.parent.shape[0]):
        mass, r = links.mass[k], vector_in(moving.place[k], 0)
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
        mass, moment, r = links.mass[k], vector_in(moving.moment[k], 0), vector_in(moving.place[k], 0)
        J = symmetric_in(moving.inertia, k)
        here = k
        while here >= 0:
            arm = minus(r, vector_in(moving.place[here], 0))
            for j in range(moving.speeds[here], moving.speeds[here + 1]):
                e, s = six_in(moving.columns, j)
                v = plus(s, cross(e, arm))
                p = plus(times(mass, v), cross(e, moment))
                L = plus(symmetric_applied(J, e), plus(cross(moment, v), cross(minus(r, about), p)))
                for i in range(3):
                    A[i, j] += L[i]
                    A[3 + i, j] += p[i]
            here = links.parent[here]
