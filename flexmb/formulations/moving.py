"""Forward kinematics of a tree in ground axes: the motion of its links, with which all formulations begin.

The joint of link k has the motions S u̇ about the link's origin; d is the arm to it from the origin of the carrying
link p. Accelerations [α; a] of the links are

    α = αₚ + α_c + S₀ u̇,    a = aₚ + αₚ × d + a_c + S₁ u̇

where α_c and a_c are the accelerations for u̇ = 0 and link p not accelerating. Speeds and accelerations are those of
the origin as a material point, not of the spatial velocity field as in Featherstone (2008). The force at the origin
that gives a link these accelerations is

    n = J α + m c × a + ω × J ω,    f = m a + α × m c + ω × (ω × m c).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmb.formulations.carried import hand_back, put_carried
from flexmb.formulations.coupling import add_forces
from flexmb.formulations.spatial_algebra import (
    NOTHING,
    multiple,
    nine_in,
    put_numbers,
    put_six,
    six_in,
    sum_of,
    symmetric_applied,
    symmetric_in,
    symmetric_turned,
)
from flexmb.formulations.tree.places import carry_as_road, moved_by, put_columns
from flexmb.formulations.tree.turns import four_in
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.references import by_reference
from flexmb.kernels.rotations import normalised, rotation_matrix
from flexmb.kernels.vectors import IDENTITY, NONE, applied, cross, matrix_product, minus, plus, times, vector_in
from flexmb.model.ways import BALL, FREE, SCREW, SLIDE, TURN

if TYPE_CHECKING:
    from flexmb.formulations.tree.arrays import Links


@by_reference
class Moving(NamedTuple):
    """Motion of n links with nv speeds, in ground axes, about the origins of the links. `speeds` (n + 1,): those of
    link k are speeds[k] to speeds[k + 1] − 1; `rotation` (n, 9); `place` (n, 3) of the origin and `arm` (n, 3) to it
    from the origin of the carrying link [m]; `motion` (n, 6), [ω; v]; `bias` (n, 6), [α_c; a_c]; `columns` (nv, 6), S;
    `moment` (n, 3), m c; `inertia` (n, 6); `gyroscopic` (n, 6), the force for zero accelerations. `carried` (…, 6): for
    links on interior points of beams the columns of P (:mod:`flexmb.formulations.tree.places`)."""

    speeds: np.ndarray
    rotation: np.ndarray
    place: np.ndarray
    arm: np.ndarray
    motion: np.ndarray
    bias: np.ndarray
    columns: np.ndarray
    moment: np.ndarray
    inertia: np.ndarray
    gyroscopic: np.ndarray
    carried: np.ndarray


def moving_for(links: Links) -> Moving:
    """Workspace for the motion of the links of a tree."""
    n = len(links.parent)
    speeds = np.append([links.at_v[first] for first in links.first[:-1]], links.nv - links.inner).astype(np.int64)
    return Moving(
        speeds, rotation=np.zeros((n, 9)), place=np.zeros((n, 3)), arm=np.zeros((n, 3)), motion=np.zeros((n, 6)),
        bias=np.zeros((n, 6)), columns=np.zeros((links.nv, 6)), moment=np.zeros((n, 3)), inertia=np.zeros((n, 6)),
        gyroscopic=np.zeros((n, 6)), carried=np.zeros((len(links.places.link), 6)),
    )  # fmt: skip


@compiled
def _turned_about_z(R, x):
    """R times a turn about z."""
    c, s = math.cos(x), math.sin(x)
    return (
        c * R[0] + s * R[1],
        c * R[1] - s * R[0],
        R[2],
        c * R[3] + s * R[4],
        c * R[4] - s * R[3],
        R[5],
        c * R[6] + s * R[7],
        c * R[7] - s * R[6],
        R[8],
    )


@compiled
def _column(R, k):
    """A column of a matrix."""
    return (R[0], R[3], R[6]) if k == 0 else (R[1], R[4], R[7]) if k == 1 else (R[2], R[5], R[8])


@called(None)
def move(links, moving, x, u):
    """Fill `moving` for joint coordinates x (nq,) and speeds u (nv,)."""
    for k in range(links.parent.shape[0]):
        parent = links.parent[k]
        R, r, w, v = IDENTITY, NONE, NONE, NONE
        if parent >= 0:
            R, r = nine_in(moving.rotation, parent), vector_in(moving.place[parent], 0)
            w, v = six_in(moving.motion, parent)
        arm, alpha, a = NONE, NONE, NONE
        if links.place_of[k] >= 0:
            c, places = links.place_of[k], links.places
            carry_as_road(links, c, moving, x, u)
            put_columns(places, c, moving.place, moving.carried)
            r, R = vector_in(places.at[c], 0), rotation_matrix(four_in(places.at[c], 3))
            w, v = six_in(places.motion, c)
            alpha, a = six_in(places.rates, c)
        first, last = links.first[k], links.first[k + 1]
        several = last - first > 1
        for s in range(first, last):
            d = applied(R, vector_in(links.place[s], 0))
            v, a = moved_by(w, alpha, v, a, d)
            arm = plus(arm, d)
            R = matrix_product(R, nine_in(links.rotation, s))
            kind, i, j = links.kind[s], links.at_q[s], links.at_v[s]
            z = _column(R, 2)
            if kind == SLIDE or kind == SCREW:
                along = 1.0 if kind == SLIDE else links.pitch[s]
                rate = times(along, z)
                d = times(x[i], rate)
                v, a = moved_by(w, alpha, v, a, d)
                arm = plus(arm, d)
                a = plus(a, times(2.0 * u[j], cross(w, rate)))
                v = plus(v, times(u[j], rate))
                if kind == SLIDE:
                    put_six(moving.columns, j, (NONE, z))
                else:
                    _put_column(moving.columns, j, z, rate, arm, several)
            elif kind == FREE:
                d, rate = applied(R, (x[i], x[i + 1], x[i + 2])), applied(R, (u[j], u[j + 1], u[j + 2]))
                v, a = moved_by(w, alpha, v, a, d)
                arm = plus(arm, d)
                a = plus(a, times(2.0, cross(w, rate)))
                v = plus(v, rate)
                for axis in range(3):
                    put_six(moving.columns, j + axis, (NONE, _column(R, axis)))
                i, j = i + 3, j + 3
            if kind == TURN or kind == SCREW:
                turn = times(u[j], z)
                alpha = plus(alpha, cross(w, turn))
                w = plus(w, turn)
                R = _turned_about_z(R, x[i])
                if kind == TURN:
                    _put_column(moving.columns, j, z, NONE, arm, several)
            elif kind == BALL or kind == FREE:
                q = normalised((x[i], x[i + 1], x[i + 2], x[i + 3]))
                R = matrix_product(R, rotation_matrix(q))
                turn = applied(R, (u[j], u[j + 1], u[j + 2]))
                alpha = plus(alpha, cross(w, turn))
                w = plus(w, turn)
                for axis in range(3):
                    _put_column(moving.columns, j + axis, _column(R, axis), NONE, arm, several)
        if several:
            for j in range(moving.speeds[k], moving.speeds[k + 1]):
                e, along = six_in(moving.columns, j)
                put_six(moving.columns, j, (e, plus(along, cross(e, arm))))
        put_numbers(moving.rotation, k, R)
        put_numbers(moving.place, k, plus(r, arm))
        put_numbers(moving.arm, k, arm)
        put_six(moving.motion, k, (w, v))
        put_six(moving.bias, k, (alpha, a))
        moment = applied(R, vector_in(links.moment[k], 0))
        J = symmetric_turned(R, symmetric_in(links.inertia, k))
        put_numbers(moving.moment, k, moment)
        put_numbers(moving.inertia, k, J)
        put_six(moving.gyroscopic, k, (cross(w, symmetric_applied(J, w)), cross(w, cross(w, moment))))


@compiled
def _put_column(columns, j, e, along, arm, several):
    """Write the column of a turn about e through the end of an arm: about that end, or, in a joint of several motions,
    about the beginning of the arm, which all of them share."""
    put_six(columns, j, (e, minus(along, cross(e, arm)) if several else along))


@called(None)
def accelerate(links, moving, ud, start, accelerations):
    """Accelerations (n, 6) of the links from u̇ (nv,) and the acceleration `start` (3,) of the ground."""
    for k in range(links.parent.shape[0]):
        A = acceleration_without(links, moving, accelerations, start, k, ud, links.nv - links.inner)
        for j in range(moving.speeds[k], moving.speeds[k + 1]):
            A = sum_of(A, multiple(ud[j], six_in(moving.columns, j)))
        put_six(accelerations, k, A)


@compiled
def acceleration_without(links, moving, accelerations, start, k, rates, first):
    """The acceleration of link k for u̇ = 0 in its joint; rates of inner speeds stand in `rates` from `first` on."""
    parent = links.parent[k]
    if links.place_of[k] >= 0:
        put_carried(links, moving, links.place_of[k], accelerations, start, rates, first)
        return six_in(accelerations, k)
    alpha_c, a_c = six_in(moving.bias, k)
    if parent < 0:
        return alpha_c, plus(a_c, start)
    alpha, a = six_in(accelerations, parent)
    return plus(alpha, alpha_c), plus(plus(a, a_c), cross(alpha, vector_in(moving.arm[k], 0)))


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
    add_forces(links, groups, 1.0, accelerations, groups.rates, 0, forces, groups.product, 0)
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
            hand_back(links, moving, links.place_of[k], (n, f), forces)
