"""Multipliers of the rows of the joints of a tree, from the accelerations of its links; compiled.

    Gᵀ λ = −(M a + f + F)

with the friction F is solved from the tips to the ground: nothing but the rows of its own joint still holds a link
whose outer joints are known. Those rows are independent on the coordinates of the link and on those that the joint
owns, and a holds them, so that as many of its equations as there are rows say all.
"""

from __future__ import annotations

from flexmb.kernels.compilation import called, inlined
from flexmb.system.kernel_calls import JACOBIAN, call_kernel
from flexmb.system.plan import BLOCK, COUNT, IV_AT, KERNEL_AT, NV, ROW_AT, ROWS, VELOCITY_ROWS


@called(None)
def hand_inwards(j, plan, lam):
    """λ (m,) of the joints of the tree and of its followers, behind :func:`fill_entries`, where `j.r` has all other
    forces, with their signs, and is lost."""
    for k in range(j.followers.follower.shape[0]):
        _followed(j, plan, lam, k)
    for k in range(j.links.parent.shape[0] - 1, -1, -1):
        rows = 0
        j.G[:] = 0.0
        for i in range(j.first_instance[k], j.first_instance[k + 1]):
            rows += _put_rows(j, plan, k, i, rows)
        _solve(j, k, rows)
        at = 0
        for i in range(j.first_instance[k], j.first_instance[k + 1]):
            at += _hand_on(j, plan, lam, i, at)


@inlined
def _width(plan, group):
    """How many numbers the Jacobian of an instance has."""
    width = plan.groups[group, ROWS] * plan.groups[group, NV]
    return 2 * width if plan.groups[group, VELOCITY_ROWS] > 0 else width


@inlined
def _entries_of(j, plan, group, instance):
    """Where the G of an instance begins."""
    return j.entries_at[group] + instance * _width(plan, group)


@called(None)
def fill_entries(entries, entries_at, plan, scratch, t, q, v, a):
    """The G of all instances of a plan, those of a group from entries_at[group] on."""
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
    """Put the rows of an instance, as far as they hold link k, into the matrix; how many there are."""
    group, instance = j.instances[i, 0], j.instances[i, 1]
    m, nv = plan.groups[group, ROWS], plan.groups[group, NV]
    at_G = _entries_of(j, plan, group, instance)
    base = plan.groups[group, IV_AT] + instance * nv
    for c in range(nv):
        number = plan.numbers[base + c]
        if j.holder[number] == k:
            local = j.local[number]
            for row in range(m):
                j.G[at + row, local] += j.entries[at_G + row * nv + c]
    return m


@called(None)
def _solve(j, k, rows):
    """j.mu_rows[: rows] of Gᵀ λ = −r on the coordinates of link k. The equations are as many as these, but no more of
    them are independent than there are rows: by Gauss's elimination with the largest pivot of each row of G."""
    G, held, mu, width = j.G, j.held, j.mu_rows, j.width[k]
    for c in range(width):
        held[c] = -j.r[j.numbers[k, c]]
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
    """The multiplier of the row by which a coordinate without mass follows joints: it bears the force on that."""
    f = j.followers
    i = j.links.parent.shape[0] + k
    instance = j.first_instance[i]
    group, place = j.instances[instance, 0], j.instances[instance, 1]
    m, nv = plan.groups[group, ROWS], plan.groups[group, NV]
    at_G = _entries_of(j, plan, group, place)
    base, first = plan.groups[group, IV_AT] + place * nv, plan.groups[group, ROW_AT] + place * m
    for row in range(m):
        if plan.rows[first + row] == f.followed[k]:
            own = 0.0
            for c in range(nv):
                if plan.numbers[base + c] == f.follower[k]:
                    own += j.entries[at_G + row * nv + c]
            force = -j.r[f.follower[k]] / own
            lam[f.followed[k]] = force
            for c in range(nv):
                j.r[plan.numbers[base + c]] += force * j.entries[at_G + row * nv + c]


@called(int)
def _hand_on(j, plan, lam, i, at):
    """Keep the multipliers of an instance, and add what its rows do to all coordinates; how many rows there are."""
    group, instance = j.instances[i, 0], j.instances[i, 1]
    m, nv = plan.groups[group, ROWS], plan.groups[group, NV]
    at_G = _entries_of(j, plan, group, instance)
    base, first = plan.groups[group, IV_AT] + instance * nv, plan.groups[group, ROW_AT] + instance * m
    for row in range(m):
        if plan.rows[first + row] >= 0:
            lam[plan.rows[first + row]] = j.mu_rows[at + row]
    for c in range(nv):
        force = 0.0
        for row in range(m):
            force += j.mu_rows[at + row] * j.entries[at_G + row * nv + c]
        j.r[plan.numbers[base + c]] += force
    return m
