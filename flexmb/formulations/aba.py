"""The articulated-body algorithm: accelerations of a tree, from the tips to the ground and back, in time linear in its
size.

Featherstone (1983): a link with all that it carries needs the force Iᴬ A + pᴬ on its joint for the acceleration A of
its origin. With the joint motions S u̇, driven by τ, and the acceleration A′ for u̇ = 0, A = A′ + S u̇,

    U = Iᴬ S,   D = Sᵀ U,   u̇ = D⁻¹ (τ − Sᵀ pᴬ − Uᵀ A′)
    Iᵃ = Iᴬ − U D⁻¹ Uᵀ,     pᵃ = pᴬ + U D⁻¹ (τ − Sᵀ pᴬ)

and Iᵃ and pᵃ + Iᵃ [α_c; a_c], shifted to the origin of the link that carries it, add to Iᴬ and pᴬ of that link:
Takahashi (2012), eqs. (2.30) to (2.34). A joint with several free directions takes the columns of S one after the
other, the outermost first, each with the Iᵃ and pᵃ that the one before has left: this is the factorization L D Lᵀ of
its matrix D.

At rest and without gravity u̇ is linear in the forces f along the joints, and the outward recursion is the transpose of
the inward one, as Rodriguez and Kreutz-Delgado (1992) found:

    u̇ = M⁻¹ f = R y,    y = Rᵀ f,    yⱼ = D⁻½ (τ − Sᵀ pᴬ)                                                  (R)

so that products cᵀ M⁻¹ c' of joint forces are products of their y, for which the inward recursion suffices.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from flexmb.formulations import condensing
from flexmb.formulations.binding import FormulationKind, Halves
from flexmb.formulations.condensing import condense, expand
from flexmb.formulations.groups import Groups, groups_for
from flexmb.formulations.newton_euler import weigh
from flexmb.formulations.spatial_algebra import (
    NOTHING,
    force_at,
    inertia_applied,
    inertia_at,
    inertia_in,
    inertia_plus,
    inertia_without,
    multiple,
    power,
    put_inertia,
    put_six,
    rigid_inertia,
    six_in,
    sum_of,
    symmetric_in,
)
from flexmb.formulations.tree.arrays import Moving
from flexmb.formulations.tree.moving import acceleration_without, carried_along, move, moving_for
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.references import by_reference
from flexmb.kernels.vectors import dot, minus, plus, vector_in

if TYPE_CHECKING:
    from flexmb.formulations.tree.arrays import Links
    from flexmb.formulations.tree.tree import Tree

#: a joint motion is without inertia if its D is below this fraction of the inertia of its link along the same axes
NO_INERTIA = 1e-14


@by_reference
class AbaRoom(NamedTuple):
    """Workspace for a tree of n links: their motion, `moving`; articulated inertias (n, 21) and forces (n, 6); U
    (nv, 6), 1/D (nv,) and τ − Sᵀ pᴬ (nv,) in `rest`; absolute `accelerations` (n, 6)."""

    moving: Moving
    inertias: np.ndarray
    bias_forces: np.ndarray
    U: np.ndarray
    inverse_D: np.ndarray
    rest: np.ndarray
    accelerations: np.ndarray
    groups: Groups


def room_for(tree: Tree) -> AbaRoom:
    """Workspace for a tree."""
    n, nv = len(tree.arrays.parent), tree.nv
    return AbaRoom(
        moving_for(tree.arrays), inertias=np.zeros((n, 21)), bias_forces=np.zeros((n, 6)), U=np.zeros((nv, 6)),
        inverse_D=np.zeros(nv), rest=np.zeros(nv), accelerations=np.zeros((n, 6)),
        groups=groups_for(tree),
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
    weigh(links, room, x, u)
    status = inwards(links, room, tau, wrench)
    if status == 0:
        outwards(links, room, ud)
    return status


@compiled
def inwards(links, room, tau, wrench):
    """From the tips to the ground: articulated inertias and forces, U, 1/D and τ − Sᵀ pᴬ."""
    moving = room.moving
    n = links.parent.shape[0]
    for k in range(n):
        own = rigid_inertia(links.mass[k], vector_in(moving.moment[k], 0), symmetric_in(moving.inertia, k))
        put_inertia(room.inertias, k, own)
        force, outside = six_in(moving.gyroscopic, k), six_in(wrench, k)
        put_six(room.bias_forces, k, (minus(force[0], outside[0]), minus(force[1], outside[1])))
    for k in range(n - 1, -1, -1):
        if links.group[k] != -1:
            if links.group[k] < 0:
                continue
            status = condense(links, room.groups, moving, links.group[k], room.inertias, room.bias_forces, tau)
            if status != 0:
                return status
        A, p = inertia_in(room.inertias, k), six_in(room.bias_forces, k)
        turning, shifting = A[0][0] + A[0][1] + A[0][2], A[2][0] + A[2][1] + A[2][2]
        for j in range(moving.speeds[k + 1] - 1, moving.speeds[k] - 1, -1):
            S = six_in(moving.columns, j)
            U = inertia_applied(A, S)
            D = power(S, U)
            if not D > NO_INERTIA * (turning * dot(S[0], S[0]) + shifting * dot(S[1], S[1])):
                return k + 1
            inverse, rest = 1.0 / D, tau[j] - power(S, p)
            A = inertia_without(A, inverse, U)
            p = sum_of(p, multiple(inverse * rest, U))
            put_six(room.U, j, U)
            room.inverse_D[j], room.rest[j] = inverse, rest
        parent = links.parent[k]
        if parent >= 0:
            arm = vector_in(moving.arm[k], 0)
            p = force_at(sum_of(p, inertia_applied(A, six_in(moving.bias, k))), arm)
            put_inertia(room.inertias, parent, inertia_plus(inertia_in(room.inertias, parent), inertia_at(A, arm)))
            put_six(room.bias_forces, parent, sum_of(six_in(room.bias_forces, parent), p))
    return 0


@compiled
def outwards(links, room, ud):
    """From the ground to the tips: u̇ and accelerations. Gravity is represented by a ground that accelerates
    upwards."""
    moving = room.moving
    g = links.gravity[0], links.gravity[1], links.gravity[2]
    up = -g[0], -g[1], -g[2]
    n = links.parent.shape[0]
    for k in range(n):
        if links.group[k] < -1:
            continue  # set by `expand` for the head of its group
        A = acceleration_without(links, moving, room.accelerations, up, k, room.groups.rates, 0)
        for j in range(moving.speeds[k], moving.speeds[k + 1]):
            ud[j] = room.inverse_D[j] * (room.rest[j] - power(A, six_in(room.U, j)))
            A = sum_of(A, multiple(ud[j], six_in(moving.columns, j)))
        put_six(room.accelerations, k, A)
        if links.group[k] >= 0:
            expand(links, room.groups, moving, links.group[k], room.accelerations, ud)
    for k in range(n):
        alpha, a = six_in(room.accelerations, k)
        put_six(room.accelerations, k, (alpha, plus(a, g)))


# -- inward and outward halves, at rest and without gravity -----------------------------------------------------------


@called(int)
def halve(links, room, path, first, last, wrench, tau, y, at):
    """After :func:`solve`: the entries of y = Rᵀ f in (R) that forces `wrench` (n, 6) on links and drives τ (nv,) make
    nonzero, written into y from `at` on; the forces and drives are set to zero. path[first : last] are the links with
    forces and all links that carry them, from the tips to the ground. Returns the index after the last entry
    written."""
    moving = room.moving
    for i in range(first, last):
        k = path[i]
        if links.group[k] != -1:
            if links.group[k] < 0:
                continue
            at = condensing.halve(links, room.groups, moving, links.group[k], wrench, tau, y, at)
        force = six_in(wrench, k)
        for j in range(moving.speeds[k + 1] - 1, moving.speeds[k] - 1, -1):
            rest, inverse = tau[j] + power(six_in(moving.columns, j), force), room.inverse_D[j]
            y[at] = math.sqrt(inverse) * rest
            force = sum_of(force, multiple(-inverse * rest, six_in(room.U, j)))
            tau[j] = 0.0
            at += 1
        parent = links.parent[k]
        if parent >= 0:
            carried = force_at(force, vector_in(moving.arm[k], 0))
            put_six(wrench, parent, sum_of(six_in(wrench, parent), carried))
        put_six(wrench, k, force if links.place_of[k] >= 0 else NOTHING)
    return at


@called(None)
def join(links, room, y, ud):
    """u̇ = R y for the full y: an entry for each joint speed, then those of groups; leaves the accelerations of this
    motion in the workspace."""
    moving, found = room.moving, room.accelerations
    for k in range(links.parent.shape[0]):
        if links.group[k] < -1:
            continue
        A = carried_along(links, moving, found, k, room.groups.rates, 0)
        for j in range(moving.speeds[k], moving.speeds[k + 1]):
            inverse = room.inverse_D[j]
            ud[j] = math.sqrt(inverse) * y[j] - inverse * power(A, six_in(room.U, j))
            A = sum_of(A, multiple(ud[j], six_in(moving.columns, j)))
        put_six(found, k, A)
        g = links.group[k]
        if g >= 0:
            condensing.join(links, room.groups, moving, g, found, y, links.joints.nv + room.groups.row_at[g], ud)


def numbers_of(links: Links, room: AbaRoom, path: list[int]) -> list[int]:
    """Indices in y of the entries that :func:`halve` writes for a path, in its order."""
    groups, speeds, found = room.groups, room.moving.speeds, list[int]()
    for k in path:
        g = links.group[k]
        if g >= 0:
            first = links.joints.nv + int(groups.row_at[g])
            found += range(first, first + int(groups.size[g]) - 6)
        if g >= -1:
            found += range(int(speeds[k + 1]) - 1, int(speeds[k]) - 1, -1)
    return found


def how_many(links: Links, room: AbaRoom) -> int:
    """Length of y."""
    return int(links.joints.nv + room.groups.size.sum())


#: articulated bodies, as an entry of the table of formulations
FORMULATION: FormulationKind = FormulationKind(
    solve, answer, room_for, halves=Halves(halve, join, numbers_of, how_many)
)
