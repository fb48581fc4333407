"""Lagrange's equations of a tree, M(q) u̇ + h(q, u) = τ: mass matrix, bias, and their solution.

The bias h is the drive that is needed for u̇ = 0, found by the recursive Newton-Euler algorithm of Luh, Walker and Paul
(1980), from the tips to the ground. The mass matrix is found by the composite-rigid-body algorithm of Walker and Orin
(1982): with the inertia I_c of link j and all that it carries, Mᵢⱼ = Sᵢᵀ (I_c Sⱼ), where the force I_c Sⱼ is shifted
from joint j to joint i on its path to the ground. Its factors LᵀL are computed from the tips, so that zeros between
branches are kept: Featherstone (2008), table 6.3.

M of a long chain is ill-conditioned: the solution with its factors keeps nine digits for 100 links and seven for 1000.
The residual, τ minus the drives that inverse dynamics finds for this solution, is accurate to rounding; solved for with
the same factors it gives a correction. After one or two of these, u̇ agrees with the other formulations to some
fourteen digits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmb.formulations.binding import FormulationKind
from flexmb.formulations.carried import hand_back, hand_in
from flexmb.formulations.coupling import add_forces, add_mass, link_of_speed
from flexmb.formulations.groups import Groups, groups_for
from flexmb.formulations.newton_euler import own_force, weigh
from flexmb.formulations.spatial_algebra import (
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
from flexmb.formulations.tree.arrays import Moving
from flexmb.formulations.tree.moving import accelerate, acceleration_without, motions_along, move, moving_for
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.references import by_reference
from flexmb.kernels.vectors import NONE, cross, dot, minus, plus, times, vector_in

if TYPE_CHECKING:
    from flexmb.formulations.tree.tree import Tree

#: a diagonal entry of M below this fraction of the inertia that the joint carries along the same axes, or a pivot below
#: this fraction of the diagonal entry, marks a joint motion without inertia
NO_INERTIA = 1e-14
#: u̇ is corrected at most CORRECTIONS times, until a correction is below the fraction SMALL of it: the next one would
#: be of the order of its square
CORRECTIONS, SMALL = 3, 1e-7


@by_reference
class LagrangeRoom(NamedTuple):
    """Workspace for a tree of n links: their motion, `moving`; composite bodies: `masses` (n,), first moments (n, 3)
    and inertias (n, 6); `mass` (nv, nv), the mass matrix and then its factor L, both on and below the diagonal;
    `before` (nv,), for each speed the next one towards the ground, −1 if there is none; `bias` (nv,), h and then a
    correction of u̇; `unit` (nv,), zeros; `forces` (n, 6) on the links from the joints that carry them; absolute
    `accelerations` (n, 6)."""

    moving: Moving
    masses: np.ndarray
    moments: np.ndarray
    inertias: np.ndarray
    mass: np.ndarray
    before: np.ndarray
    bias: np.ndarray
    unit: np.ndarray
    forces: np.ndarray
    accelerations: np.ndarray
    groups: Groups


def room_for(tree: Tree) -> LagrangeRoom:
    """Workspace for a tree."""
    links = tree.arrays
    n, nv = len(links.parent), tree.nv
    moving = moving_for(links)
    before = np.arange(-1, nv - 1)
    for k in range(0 if tree.graph.groups else n):  # with groups also speeds on different branches are coupled
        above = links.parent[k]
        while above >= 0 and moving.speeds[above] == moving.speeds[above + 1]:
            above = links.parent[above]
        if moving.speeds[k] < moving.speeds[k + 1]:
            before[moving.speeds[k]] = moving.speeds[above + 1] - 1 if above >= 0 else -1
    return LagrangeRoom(
        moving, np.zeros(n), np.zeros((n, 3)), np.zeros((n, 6)), np.zeros((nv, nv)), before.astype(np.int64),
        np.zeros(nv), np.zeros(nv), np.zeros((n, 6)), np.zeros((n, 6)), groups_for(tree),
    )  # fmt: skip


@called(int)
def solve(links, room, x, u, tau, wrench, ud):
    """Fill u̇ (nv,) and the accelerations of the links, for joint coordinates x, speeds u, drives τ (nv,) and external
    forces (n, 6) on the links. Returns zero, or the number from 1 of a link that can turn or shift without any
    inertia."""
    move(links, room.moving, x, u)
    return answer(links, room, x, u, tau, wrench, ud)


@called(int)
def answer(links, room, x, u, tau, wrench, ud):
    """As :func:`solve`, of links that `room.moving` has moved already."""
    moving, nv = room.moving, links.joints.nv
    weigh(links, room, x, u)
    for i in range(nv):
        ud[i] = 0.0
    mass_matrix(links, room)
    drives(links, room, ud, wrench, room.bias)
    failed = factorize(room.mass, room.before, nv)
    if failed >= 0:
        return link_of_speed(links, room.groups, moving, failed) + 1
    for i in range(nv):
        ud[i] = tau[i] - room.bias[i]
    solve_factorized(room.mass, room.before, nv, ud)
    for _ in range(CORRECTIONS):
        drives(links, room, ud, wrench, room.bias)
        for i in range(nv):
            room.bias[i] = tau[i] - room.bias[i]
        solve_factorized(room.mass, room.before, nv, room.bias)
        largest, correction = 0.0, 0.0
        for i in range(nv):
            ud[i] += room.bias[i]
            largest = max(largest, abs(ud[i]))
            correction = max(correction, abs(room.bias[i]))
        if not correction > SMALL * largest:
            break
    accelerate(links, moving, ud, (0.0, 0.0, 0.0), room.accelerations)
    for i in range(links.joints.inner):
        room.groups.rates[i] = ud[nv - links.joints.inner + i]
    return 0


@called(None)
def _hand_down(links, room, tau):
    """Pass the forces on each link on to the link that carries it, towards the ground; drives τ (nv,) are their
    components along the joint motions."""
    moving = room.moving
    for k in range(links.parent.shape[0] - 1, -1, -1):
        force, parent = six_in(room.forces, k), links.parent[k]
        for j in range(moving.speeds[k], moving.speeds[k + 1]):
            tau[j] = power(six_in(moving.columns, j), force)
        if parent >= 0:
            carried = force_at(force, vector_in(moving.arm[k], 0))
            put_six(room.forces, parent, sum_of(six_in(room.forces, parent), carried))
        elif links.place_of[k] >= 0:
            hand_back(links.places.columns, moving, links.place_of[k], force, room.forces)
            hand_in(links.places.columns, moving, links.place_of[k], force, tau, links.joints.nv - links.joints.inner)


@called(None)
def drives(links, room, ud, wrench, tau):
    """Inverse dynamics, after :func:`flexmb.formulations.tree.moving.move`: the drives τ (nv,) needed for u̇ (nv,)
    under external forces (n, 6); fills `accelerations` and `forces` too."""
    needed_forces(links, room, ud, wrench, tau)
    _hand_down(links, room, tau)


@called(None)
def needed_forces(links, room, ud, wrench, tau):
    """The `forces` (n, 6) that the links themselves need for u̇ (nv,) beside external ones (n, 6) and gravity, and
    those of inner coordinates in τ (nv,); fills `accelerations` too."""
    moving = room.moving
    g = links.gravity[0], links.gravity[1], links.gravity[2]
    for k in range(links.parent.shape[0]):
        A = acceleration_without(links, moving, room.accelerations, NONE, k, ud, links.joints.nv - links.joints.inner)
        for j in range(moving.speeds[k], moving.speeds[k + 1]):
            A = sum_of(A, multiple(ud[j], six_in(moving.columns, j)))
        put_six(room.accelerations, k, A)
        force, outside = own_force(links, moving, (A[0], minus(A[1], g)), k), six_in(wrench, k)
        put_six(room.forces, k, (minus(force[0], outside[0]), minus(force[1], outside[1])))
    at = links.joints.nv - links.joints.inner
    add_forces(links, room.groups, 1.0, room.accelerations, ud, at, room.forces, tau, at)


@called(None)
def inertia_forces(links, room, rates, tau):
    """The `forces` (n, 6) of the links themselves, at rest and without gravity, for `accelerations` that were put and
    inner rates among those (nv,) of joint speeds, and those of inner coordinates in τ (nv,): with motions in place of
    accelerations, their momentum."""
    moving, at = room.moving, links.joints.nv - links.joints.inner
    for k in range(links.parent.shape[0]):
        own = rigid_inertia(links.mass[k], vector_in(moving.moment[k], 0), symmetric_in(moving.inertia, k))
        put_six(room.forces, k, inertia_applied(own, six_in(room.accelerations, k)))
    add_forces(links, room.groups, 0.0, room.accelerations, rates, at, room.forces, tau, at)


@called(None)
def mass_matrix(links, room):
    """The mass matrix (nv, nv), on and below the diagonal, after :func:`flexmb.formulations.tree.moving.move`."""
    moving, M = room.moving, room.mass
    if links.places.own.shape[0] > 0:
        for j in range(links.joints.nv):
            _mass_column(links, room, j)
        return
    n = links.parent.shape[0]
    for k in range(n):
        room.masses[k] = links.mass[k]
        for i in range(3):
            room.moments[k, i] = moving.moment[k, i]
        for i in range(6):
            room.inertias[k, i] = moving.inertia[k, i]
    for i in range(links.joints.nv):
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
            size = (J[0] + J[1] + J[2]) * dot(e, e) + 3.0 * mass * dot(along, along)
            if M[j, j] <= NO_INERTIA * size:
                M[j, j] = 0.0  # what is left is rounding
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
    """Row j of the mass matrix up to the diagonal: the drives for a unit rate of speed j alone, at rest and without
    gravity. Used where links stand on interior points of beams, whose motion depends on several joints."""
    room.unit[j] = 1.0
    motions_along(links, room.moving, room.unit, room.accelerations)
    inertia_forces(links, room, room.unit, room.bias)
    _hand_down(links, room, room.bias)
    room.unit[j] = 0.0
    for i in range(j + 1):
        room.mass[j, i] = room.bias[i]


@compiled
def factorize(M, before, nv):
    """M = LᵀL in place, on and below the diagonal; returns −1, or the index of a row without a positive pivot."""
    for k in range(nv - 1, -1, -1):
        pivot = M[k, k]
        whole = pivot
        for i in range(k + 1, nv):
            whole += M[i, k] * M[i, k]  # what the later rows have subtracted
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
def solve_factorized(L, before, nv, y):
    """y ← (LᵀL)⁻¹ y."""
    solve_transposed(L, before, nv, y)
    solve_lower(L, before, nv, y)


@compiled
def solve_transposed(L, before, nv, y):
    """y ← L⁻ᵀ y."""
    for i in range(nv - 1, -1, -1):
        y[i] /= L[i, i]
        j = before[i]
        while j >= 0:
            y[j] -= L[i, j] * y[i]
            j = before[j]


@compiled
def solve_lower(L, before, nv, y):
    """y ← L⁻¹ y."""
    for i in range(nv):
        j = before[i]
        while j >= 0:
            y[i] -= L[i, j] * y[j]
            j = before[j]
        y[i] /= L[i, i]


#: Lagrange's equations, as an entry of the table of formulations
FORMULATION: FormulationKind = FormulationKind(solve, answer, room_for)
