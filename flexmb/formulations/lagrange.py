"""Lagrange's equations of a tree, M(q) u̇ + h(q, u) = τ: mass matrix, bias, and what follows from them.

The bias is what drives have to do without u̇, by Newton and Euler's equations from the tips to the ground, as Luh,
Walker and Paul (1980) use them. The mass matrix is that of composite bodies, each link with all that it carries, of
Walker and Orin (1982): Mᵢⱼ = Sᵢᵀ (I_c Sⱼ), the force taken from the joint of j to that of i on its way to the ground.
Its factors LᵀL begin with the tips, so that zeros between branches stay: Featherstone (2008), table 6.3.

M of a long chain is ill-conditioned, so that the solution of its factors keeps nine digits of 100 links and seven of
1000. What the drives of that solution leave of τ, from link to link, has no more than rounding in it, and the factors
make of it a correction: after it, or two of them, u̇ is that of the other roads to some fourteen digits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmb.formulations.binding import RoadKind
from flexmb.formulations.carried import carried_sum, hand_back, hand_in
from flexmb.formulations.coupling import add_forces, add_mass, link_of_speed
from flexmb.formulations.groups import Groups, gather, groups_for
from flexmb.formulations.moving import Moving, accelerate, acceleration_without, move, moving_for, own_force
from flexmb.formulations.spatial_algebra import (
    NOTHING,
    force_at,
    inertia_applied,
    multiple,
    power,
    put_six,
    rigid_inertia,
    six_in,
    sum_of,
    symmetric_applied,
    symmetric_in,
    symmetric_plus,
)
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.references import by_reference
from flexmb.kernels.vectors import NONE, cross, dot, minus, plus, times, vector_in

if TYPE_CHECKING:
    from flexmb.formulations.tree.tree import Tree

#: a way to move whose inertia, beyond that of others, is this part of the whole is one without inertia
NO_INERTIA = 1e-14
#: u̇ is corrected at most so many times, until a correction is this part of it: the next one is its square
CORRECTIONS, SMALL = 3, 1e-7


@by_reference
class LagrangeRoom(NamedTuple):
    """Room for a tree of n links: where they are, `moving`; `masses` (n,), moments (n, 3) and inertias (n, 6) of
    composite bodies; `mass` (nv, nv), the mass matrix and then its factor L, both below the diagonal; `before` (nv,),
    the next speed on the way to the ground, −1 if there is none; `bias` (nv,), and then a correction of u̇; `forces`
    (n, 6) on the links from the joints that carry them; absolute `accelerations` (n, 6)."""

    moving: Moving
    masses: np.ndarray
    moments: np.ndarray
    inertias: np.ndarray
    mass: np.ndarray
    before: np.ndarray
    bias: np.ndarray
    forces: np.ndarray
    accelerations: np.ndarray
    groups: Groups


def room_for(tree: Tree) -> LagrangeRoom:
    """Room for a tree."""
    links = tree.arrays
    n, nv = len(links.parent), tree.nv
    moving = moving_for(links)
    before = np.arange(-1, nv - 1)
    for k in range(0 if tree.graph.groups else n):  # groups couple what is not on one way to the ground
        above = links.parent[k]
        while above >= 0 and moving.speeds[above] == moving.speeds[above + 1]:
            above = links.parent[above]
        if moving.speeds[k] < moving.speeds[k + 1]:
            before[moving.speeds[k]] = moving.speeds[above + 1] - 1 if above >= 0 else -1
    return LagrangeRoom(
        moving, np.zeros(n), np.zeros((n, 3)), np.zeros((n, 6)), np.zeros((nv, nv)), before.astype(np.int64),
        np.zeros(nv), np.zeros((n, 6)), np.zeros((n, 6)), groups_for(tree),
    )  # fmt: skip


@called(int)
def solve(links, room, x, u, tau, wrench, ud):
    """Fill u̇ (nv,) and the accelerations of the links, of joint coordinates x, speeds u, drives τ (nv,) and forces from
    outside (n, 6). Zero, or the number from 1 of a link that something may turn or shift without any inertia."""
    moving, nv = room.moving, links.nv
    move(links, moving, x, u)
    if room.groups.size.shape[0] > 0:
        gather(links, room.groups, moving, x, u)
    for i in range(nv):
        ud[i] = 0.0
    mass_matrix(links, room)
    drives(links, room, ud, wrench, room.bias)
    failed = factorise(room.mass, room.before, nv)
    if failed >= 0:
        return link_of_speed(links, room.groups, moving, failed) + 1
    for i in range(nv):
        ud[i] = tau[i] - room.bias[i]
    solve_factorised(room.mass, room.before, nv, ud)
    for _ in range(CORRECTIONS):
        drives(links, room, ud, wrench, room.bias)
        for i in range(nv):
            room.bias[i] = tau[i] - room.bias[i]
        solve_factorised(room.mass, room.before, nv, room.bias)
        largest, correction = 0.0, 0.0
        for i in range(nv):
            ud[i] += room.bias[i]
            largest = max(largest, abs(ud[i]))
            correction = max(correction, abs(room.bias[i]))
        if not correction > SMALL * largest:
            break
    accelerate(links, moving, ud, (0.0, 0.0, 0.0), room.accelerations)
    for i in range(links.inner):
        room.groups.rates[i] = ud[nv - links.inner + i]
    return 0


@called(None)
def _hand_down(links, room, tau):
    """Hand forces of links on towards the ground; the drives τ (nv,) take of each what their speeds do work on."""
    moving = room.moving
    for k in range(links.parent.shape[0] - 1, -1, -1):
        force, parent = six_in(room.forces, k), links.parent[k]
        for j in range(moving.speeds[k], moving.speeds[k + 1]):
            tau[j] = power(six_in(moving.columns, j), force)
        if parent >= 0:
            carried = force_at(force, vector_in(moving.arm[k], 0))
            put_six(room.forces, parent, sum_of(six_in(room.forces, parent), carried))
        elif links.place_of[k] >= 0:
            hand_back(links, moving, links.place_of[k], force, room.forces)
            hand_in(links, moving, links.place_of[k], force, tau, links.nv - links.inner)


@called(None)
def drives(links, room, ud, wrench, tau):
    """Inverse dynamics behind :func:`flexmb.formulations.moving.move`: drives τ (nv,) that u̇ (nv,) needs beside forces
    from outside (n, 6); fills `accelerations` and `forces` too."""
    moving = room.moving
    g = links.gravity[0], links.gravity[1], links.gravity[2]
    n = links.parent.shape[0]
    for k in range(n):
        A = acceleration_without(links, moving, room.accelerations, NONE, k, ud, links.nv - links.inner)
        for j in range(moving.speeds[k], moving.speeds[k + 1]):
            A = sum_of(A, multiple(ud[j], six_in(moving.columns, j)))
        put_six(room.accelerations, k, A)
        force, outside = own_force(links, moving, (A[0], minus(A[1], g)), k), six_in(wrench, k)
        put_six(room.forces, k, (minus(force[0], outside[0]), minus(force[1], outside[1])))
    at = links.nv - links.inner
    add_forces(links, room.groups, 1.0, room.accelerations, ud, at, room.forces, tau, at)
    _hand_down(links, room, tau)


@called(None)
def mass_matrix(links, room):
    """The mass matrix (nv, nv), what is on and below its diagonal, behind :func:`flexmb.formulations.moving.move`."""
    moving, M = room.moving, room.mass
    if links.places.own.shape[0] > 0:
        for j in range(links.nv):
            _mass_column(links, room, j)
        return
    n = links.parent.shape[0]
    for k in range(n):
        room.masses[k] = links.mass[k]
        for i in range(3):
            room.moments[k, i] = moving.moment[k, i]
        for i in range(6):
            room.inertias[k, i] = moving.inertia[k, i]
    for i in range(links.nv):
        for j in range(i + 1):
            M[i, j] = 0.0
    for k in range(n - 1, -1, -1):
        mass, moment, J = room.masses[k], vector_in(room.moments[k], 0), symmetric_in(room.inertias, k)
        for j in range(moving.speeds[k], moving.speeds[k + 1]):
            e, along = six_in(moving.columns, j)
            force = (
                plus(symmetric_applied(J, e), cross(moment, along)),
                plus(times(mass, along), cross(e, moment)),
            )
            for i in range(moving.speeds[k], j + 1):
                M[j, i] = power(six_in(moving.columns, i), force)
            here = k
            while links.parent[here] >= 0:
                force = force_at(force, vector_in(moving.arm[here], 0))
                here = links.parent[here]
                for i in range(moving.speeds[here], moving.speeds[here + 1]):
                    M[j, i] = power(six_in(moving.columns, i), force)
        parent = links.parent[k]
        if parent >= 0:
            # about the other origin: J + m (d² 1 − d dᵀ) + 2 d · s 1 − d sᵀ − s dᵀ, with s = m c
            d = vector_in(moving.arm[k], 0)
            both = plus(moment, times(mass, d))
            J = symmetric_plus(symmetric_in(room.inertias, parent), 1.0, J)
            square = dot(d, moment) + dot(d, both)
            room.inertias[parent, 0] = J[0] + square - d[0] * (moment[0] + both[0])
            room.inertias[parent, 1] = J[1] + square - d[1] * (moment[1] + both[1])
            room.inertias[parent, 2] = J[2] + square - d[2] * (moment[2] + both[2])
            room.inertias[parent, 3] = J[3] - d[0] * both[1] - moment[0] * d[1]
            room.inertias[parent, 4] = J[4] - d[0] * both[2] - moment[0] * d[2]
            room.inertias[parent, 5] = J[5] - d[1] * both[2] - moment[1] * d[2]
            for i in range(3):
                room.moments[parent, i] += both[i]
            room.masses[parent] += mass
    add_mass(links, room.groups, moving, M)


@called(None)
def _mass_column(links, room, j):
    """What is on and left of the diagonal in row j of the mass matrix: the drives that a unit rate of speed j alone
    takes, at rest and without weight. It goes through places within beams, whose motions depend on several joints."""
    moving, groups, tau = room.moving, room.groups, room.bias
    n, at = links.parent.shape[0], links.nv - links.inner
    for i in range(links.inner):
        groups.rates[i] = 1.0 if at + i == j else 0.0
    for k in range(n):
        A, parent = NOTHING, links.parent[k]
        if links.place_of[k] >= 0:
            A = carried_sum(links, moving.carried, links.place_of[k], room.accelerations, NONE, groups.rates, 0)
        elif parent >= 0:
            alpha, a = six_in(room.accelerations, parent)
            A = alpha, plus(a, cross(alpha, vector_in(moving.arm[k], 0)))
        if moving.speeds[k] <= j < moving.speeds[k + 1]:
            A = sum_of(A, six_in(moving.columns, j))
        put_six(room.accelerations, k, A)
        own = rigid_inertia(links.mass[k], vector_in(moving.moment[k], 0), symmetric_in(moving.inertia, k))
        put_six(room.forces, k, inertia_applied(own, A))
    add_forces(links, groups, 0.0, room.accelerations, groups.rates, 0, room.forces, tau, at)
    _hand_down(links, room, tau)
    for i in range(j + 1):
        room.mass[j, i] = tau[i]


@compiled
def factorise(M, before, nv):
    """M = LᵀL in place, on and below the diagonal; −1, or the number of a row without a pivot."""
    for k in range(nv - 1, -1, -1):
        pivot = M[k, k]
        whole = pivot
        for i in range(k + 1, nv):
            whole += M[i, k] * M[i, k]  # what the rows behind have taken
        if not pivot > NO_INERTIA * whole:
            return k
        root = math.sqrt(pivot)
        M[k, k] = root
        i = before[k]
        while i >= 0:
            M[k, i] /= root
            i = before[i]
        i = before[k]
        while i >= 0:
            j = i
            while j >= 0:
                M[i, j] -= M[k, i] * M[k, j]
                j = before[j]
            i = before[i]
    return -1


@compiled
def solve_factorised(L, before, nv, y):
    """y ← (LᵀL)⁻¹ y."""
    for i in range(nv - 1, -1, -1):
        y[i] /= L[i, i]
        j = before[i]
        while j >= 0:
            y[j] -= L[i, j] * y[i]
            j = before[j]
    for i in range(nv):
        j = before[i]
        while j >= 0:
            y[i] -= L[i, j] * y[j]
            j = before[j]
        y[i] /= L[i, i]


#: this road among the others
ROAD: RoadKind = RoadKind(solve, room_for)
