"""Contribution of groups of links with coupled mass to Lagrange's equations of a tree and to the recursive Newton-Euler
algorithm.

J contains the motions of the nodes of a group for all joint speeds: for each joint between the ground and the head its
columns of S, for each other node its own six columns. The group adds Jᵀ S J to the mass matrix, with S of equation (1)
of :mod:`flexmb.formulations.groups`, and S Y + p to the forces on its nodes and inner coordinates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.references import by_reference
from flexmb.kernels.vectors import cross, minus, plus, put, vector_in
from flexmb.kernels.views import matrix_view, vector_view


@by_reference
class GroupWays(NamedTuple):
    """Motions of the nodes of a group for joint speeds, one for each speed `column` and each `node` of the group that
    it moves (nv,): `motion` (nv, 6), [ω; v]; `product`: scratch."""

    column: np.ndarray
    node: np.ndarray
    motion: np.ndarray
    product: np.ndarray


def ways_for(nv: int, rows: int) -> GroupWays:
    """Workspace for nv speeds and groups with `rows` unknowns in all."""
    column, node = np.zeros((2, nv), dtype=np.int64)
    return GroupWays(column, node, np.zeros((nv, 6)), np.zeros(rows + 1))


@called(None)
def add_forces(links, groups, weight, accelerations, rates, first, forces, tau, at):
    """Add to `forces` (n, 6) the forces S Y + p that groups need for absolute accelerations (n, 6) of their nodes and
    rates of their inner coordinates, which begin at rates[first]; write the forces on inner coordinates to τ from `at`
    on. If `weight` is 0 instead of 1, the forces are S Y alone, at rest and without gravity."""
    for g in range(groups.size.shape[0]):
        size, start, inner = groups.size[g], groups.first[g], groups.inner[g]
        S = matrix_view(groups.matrix, groups.at[g], size, size)
        p = vector_view(groups.force, groups.row_at[g], size)
        row = 6 * (groups.first[g + 1] - start)
        for i in range(size):
            total = weight * p[i]
            for j in range(row):
                k = groups.link[start + j // 6]
                down = weight * links.gravity[j % 6 - 3] if j % 6 >= 3 else 0.0
                total += S[i, j] * (accelerations[k, j % 6] - down)
            for j in range(size - row):
                total += S[i, row + j] * rates[first + inner + j]
            if i < row:
                forces[groups.link[start + i // 6], i % 6] += total
            else:
                tau[at + inner + i - row] = total


@called(None)
def add_mass(links, groups, moving, M):
    """Add the contribution of groups to the mass matrix (nv, nv), on and below its diagonal."""
    for g in range(groups.size.shape[0]):
        size, first = groups.size[g], groups.first[g]
        S = matrix_view(groups.matrix, groups.at[g], size, size)
        row, at = 6 * (groups.first[g + 1] - first), links.joints.nv - links.joints.inner + groups.inner[g]
        count = _ways(links, groups, moving, g)
        for c in range(count):
            j, i = groups.ways.column[c], 6 * groups.ways.node[c]
            for k in range(size):
                total = 0.0
                for axis in range(6):
                    total += S[k, i + axis] * groups.ways.motion[c, axis]
                groups.ways.product[k] = total
            for other in range(c + 1):
                j2, i2 = groups.ways.column[other], 6 * groups.ways.node[other]
                total = 0.0
                for axis in range(6):
                    total += groups.ways.product[i2 + axis] * groups.ways.motion[other, axis]
                M[max(j, j2), min(j, j2)] += total
            for k in range(size - row):
                M[at + k, j] += groups.ways.product[row + k]
        for k in range(size - row):
            for j in range(k + 1):
                M[at + k, at + j] += S[row + k, row + j]


@compiled
def _ways(links, groups, moving, g):
    """Write the motions of the nodes of a group for joint speeds: the index of each speed into `column`, the index of
    the node in the group into `node`, [ω; v] into `motion`. Returns their number."""
    count = 0
    for k in range(groups.first[g], groups.first[g + 1]):
        link = groups.link[k]
        place, here = vector_in(moving.at[link], 0), link
        while here >= 0:
            arm = minus(place, vector_in(moving.at[here], 0))
            for j in range(moving.speeds[here], moving.speeds[here + 1]):
                e, along = vector_in(moving.columns[j], 0), vector_in(moving.columns[j], 3)
                groups.ways.column[count], groups.ways.node[count] = j, k - groups.first[g]
                put(groups.ways.motion[count], 0, e)
                put(groups.ways.motion[count], 3, plus(along, cross(e, arm)))
                count += 1
            here = links.parent[here]
    return count


@compiled
def link_of_speed(links, groups, moving, number):
    """The link that a speed moves; for the speed of an inner coordinate the head of its group."""
    n = links.parent.shape[0]
    if number < moving.speeds[n]:
        k = 0
        while moving.speeds[k + 1] <= number:
            k += 1
        return k
    g = 0
    while groups.inner[g + 1] <= number - moving.speeds[n]:
        g += 1
    return groups.link[groups.first[g]]
