"""Multipliers of the rows of the joints of a tree, from the accelerations of its links; compiled.

    Gᵀ λ = −(M a + f + F)

with the friction F is solved from the tips to the ground: once the forces of the outer joints of a link are known, only
the rows of its own joint have unknown multipliers in its equations. Restricted to the coordinates of the link and those
that its joint owns, these rows are independent, and since a satisfies them, as many equations as there are rows
determine their multipliers.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from flexmb.formulations.tree.tree import Tree
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.references import by_reference
from flexmb.system.kernel_calls import JACOBIAN, call_kernel
from flexmb.system.plan import BLOCK, COUNT, IV_AT, KERNEL_AT, NV, ROW_AT, ROWS, VELOCITY_ROWS, counted_in
from flexmb.system.system import System


@by_reference
class Reactions(NamedTuple):
    """Data for the multipliers of the joints of a tree with n links. `instances` (i, 2): groups and instances of the
    joints, for link k from first[k] on, then for the rows of followers; `numbers` (n, 12): indices of the speeds of the
    system that belong to link k and its joint, width[k] of them; `holder` (total,): the link to which a speed belongs,
    `local` (total,): its index there, both −1 if there is none. `entries`: G of all instances, for group g from
    entries_at[g] on. Scratch for one link: its rows `G` (12, 12), the forces `held` (12,) that they balance, and their
    multipliers `mu` (12,)."""

    instances: np.ndarray
    first: np.ndarray
    numbers: np.ndarray
    width: np.ndarray
    holder: np.ndarray
    local: np.ndarray
    entries: np.ndarray
    entries_at: np.ndarray
    G: np.ndarray
    held: np.ndarray
    mu: np.ndarray


@cache
def no_reactions() -> Reactions:
    """An empty Reactions: there are no joints."""
    whole, none, table = np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros((0, 0))
    wholes = np.zeros((0, 0), dtype=np.int64)
    return Reactions(wholes, whole, wholes, whole, whole, whole, none, whole, table, none, none)


def reactions_of(system: System, tree: Tree, followed: np.ndarray) -> Reactions:
    """The Reactions of a tree, and of the rows `followed` by followers."""
    n, plan = len(tree.arrays.parent), system.plan
    numbers, width = np.full((n, 12), -1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    holder, local = np.full((2, plan.total), -1, dtype=np.int64)
    instances: list[tuple[int, int]] = []
    first = [0]

    def rows_of(name: str) -> list[tuple[int, int]]:
        own = system.assembly.instances_by_owner[name]
        held = [i for i in own if not i.off and plan.groups[i.group, KERNEL_AT + JACOBIAN]]
        return [counted_in(plan.groups, i.group, i.place) for i in held]

    shares = {place.link: place.share for place in tree.graph.places}
    within = {k: [counted_in(plan.groups, share.group, share.place)] for k, share in shares.items()}
    sizes = plan.groups[:, COUNT] * plan.groups[:, ROWS] * plan.groups[:, NV]
    sizes *= np.where(plan.groups[:, VELOCITY_ROWS] > 0, 2, 1)
    for k, joint in enumerate(tree.graph.joints):
        own = tree.nodes.own[tree.arrays.joints.first[k] : tree.arrays.joints.first[k + 1]]
        mine = [*tree.nodes.numbers_v[k], *own[own >= 0]]
        numbers[k, : len(mine)], width[k] = mine, len(mine)
        holder[mine], local[mine] = k, np.arange(len(mine))
        if joint.component is not None:
            instances += rows_of(joint.name)
        instances += within.get(k, [])
        first.append(len(instances))
    for row in followed.tolist():
        instances += [
            (group, place)
            for group, place in rows_of(system.rows[row].owner)
            if row
            in plan.rows[plan.groups[group, ROW_AT] + place * plan.groups[group, ROWS] :][: plan.groups[group, ROWS]]
        ]
        first.append(len(instances))
    return Reactions(
        np.array(instances, dtype=np.int64).reshape(-1, 2), np.array(first), numbers, width, holder, local,
        np.zeros(int(sizes.sum())), np.cumsum(sizes) - sizes, np.zeros((12, 12)), np.zeros(12), np.zeros(12),
    )  # fmt: skip


@called(None)
def hand_inwards(j, plan, lam):
    """Compute λ (m,) of the joints of the tree and of followers, after :func:`fill_entries`. `acting.r` must hold all
    other terms of the equations of motion, with their signs, and is overwritten."""
    for k in range(j.followers.follower.shape[0]):
        _followed(j, plan, lam, k)
    for k in range(j.links.parent.shape[0] - 1, -1, -1):
        rows = 0
        j.reactions.G[:] = 0.0
        for i in range(j.reactions.first[k], j.reactions.first[k + 1]):
            rows += _put_rows(j, plan, k, i, rows)
        _solve(j, k, rows)
        at = 0
        for i in range(j.reactions.first[k], j.reactions.first[k + 1]):
            at += _hand_on(j, plan, lam, i, at)


@inlined
def _width(plan, group):
    """Number of entries of the Jacobian of an instance."""
    width = plan.groups[group, ROWS] * plan.groups[group, NV]
    return 2 * width if plan.groups[group, VELOCITY_ROWS] > 0 else width


@inlined
def _entries_of(j, plan, group, instance):
    """Index in `entries` where the G of an instance begins."""
    return j.reactions.entries_at[group] + instance * _width(plan, group)


@called(None)
def fill_entries(entries, entries_at, plan, scratch, t, q, v, a):
    """Evaluate G of all instances of a plan, for a group from entries[entries_at[group]] on."""
    for group in range(plan.groups.shape[0]):
        if plan.groups[group, KERNEL_AT + JACOBIAN] == 0:
            continue
        width, at = _width(plan, group), entries_at[group]
        for first in range(0, plan.groups[group, COUNT], BLOCK):
            last = min(first + BLOCK, plan.groups[group, COUNT])
            call_kernel(plan, scratch, JACOBIAN, group, first, last, width, True, t, q, v, a, scratch.still)
            for k in range((last - first) * width):
                entries[at + first * width + k] = scratch.out[k]


@called(int)
def _put_rows(j, plan, k, i, at):
    """Write the entries of the rows of an instance at the speeds of link k into G, from row `at` on; returns the number
    of rows."""
    group, instance = j.reactions.instances[i, 0], j.reactions.instances[i, 1]
    m, nv = plan.groups[group, ROWS], plan.groups[group, NV]
    at_G = _entries_of(j, plan, group, instance)
    base = plan.groups[group, IV_AT] + instance * nv
    for c in range(nv):
        number = plan.numbers[base + c]
        if j.reactions.holder[number] == k:
            local = j.reactions.local[number]
            for row in range(m):
                j.reactions.G[at + row, local] += j.reactions.entries[at_G + row * nv + c]
    return m


@called(None)
def _solve(j, k, rows):
    """Compute the multipliers `mu` (rows,) from Gᵀ λ = −r at the speeds of link k. There are as many equations as
    speeds, of which as many are independent as there are rows: Gaussian elimination takes the largest pivot of each row
    of G."""
    G, held, mu, width = j.reactions.G, j.reactions.held, j.reactions.mu, j.reactions.width[k]
    for c in range(width):
        held[c] = -j.acting.r[j.reactions.numbers[k, c]]
    for p in range(rows):
        best = p
        for c in range(p + 1, width):
            if abs(G[p, c]) > abs(G[p, best]):
                best = c
        if best != p:
            held[p], held[best] = held[best], held[p]
            for row in range(p, rows):
                G[row, p], G[row, best] = G[row, best], G[row, p]
        inverse = 1.0 / G[p, p]
        for c in range(p + 1, width):
            G[p, c] *= inverse
            held[c] -= G[p, c] * held[p]
        for row in range(p + 1, rows):
            own = G[row, p]
            for c in range(p + 1, width):
                G[row, c] -= own * G[p, c]
    for p in range(rows - 1, -1, -1):
        total = held[p]
        for row in range(p + 1, rows):
            total -= G[row, p] * mu[row]
        mu[p] = total / G[p, p]


@called(None)
def _followed(j, plan, lam, k):
    """Compute the multiplier of the row of follower k, which balances the force on it, and add the forces of that row
    to r."""
    f = j.followers
    i = j.links.parent.shape[0] + k
    instance = j.reactions.first[i]
    group, place = j.reactions.instances[instance, 0], j.reactions.instances[instance, 1]
    m, nv = plan.groups[group, ROWS], plan.groups[group, NV]
    at_G = _entries_of(j, plan, group, place)
    base, first = plan.groups[group, IV_AT] + place * nv, plan.groups[group, ROW_AT] + place * m
    for row in range(m):
        if plan.rows[first + row] == f.followed[k]:
            own = 0.0
            for c in range(nv):
                if plan.numbers[base + c] == f.follower[k]:
                    own += j.reactions.entries[at_G + row * nv + c]
            force = -j.acting.r[f.follower[k]] / own
            lam[f.followed[k]] = force
            for c in range(nv):
                j.acting.r[plan.numbers[base + c]] += force * j.reactions.entries[at_G + row * nv + c]


@called(int)
def _hand_on(j, plan, lam, i, at):
    """Write the multipliers of an instance into λ (m,) and add its forces to r; returns the number of its rows."""
    group, instance = j.reactions.instances[i, 0], j.reactions.instances[i, 1]
    m, nv = plan.groups[group, ROWS], plan.groups[group, NV]
    at_G = _entries_of(j, plan, group, instance)
    base, first = plan.groups[group, IV_AT] + instance * nv, plan.groups[group, ROW_AT] + instance * m
    for row in range(m):
        if plan.rows[first + row] >= 0:
            lam[plan.rows[first + row]] = j.reactions.mu[at + row]
    for c in range(nv):
        force = 0.0
        for row in range(m):
            force += j.reactions.mu[at + row] * j.reactions.entries[at_G + row * nv + c]
        j.acting.r[plan.numbers[base + c]] += force
    return m
