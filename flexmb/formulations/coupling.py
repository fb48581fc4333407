"""Contribution of groups of links with coupled mass to Lagrange's equations of a tree and to the recursive Newton-Euler
algorithm.

J are the motions of the nodes of a group for all joint speeds: for each joint between the ground and the head its
column of S, for each other node its own six columns. The group adds Jᵀ S J to the mass matrix, with S of equation (1)
of :mod:`flexmb.formulations.groups`, and S Y + p to the forces on its nodes and inner coordinates.
"""

from __future__ import annotations

from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.vectors import cross, minus, plus, put, times, vector_in
from flexmb.kernels.views import matrix_view, vector_view


@called(None)
def add_forces(links, groups, weight, accelerations, rates, first, forces, tau, at):
    """Add to `forces` (n, 6) the forces S Y + p that groups need for absolute accelerations (n, 6) of their nodes and
    inner rates, in `rates` from `first` on; those on inner coordinates are written to τ from `at` on. With `weight` 0
    in place of 1: S Y alone, at rest and without gravity."""
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
        row, at = 6 * (groups.first[g + 1] - first), links.nv - links.inner + groups.inner[g]
        count = _ways(links, groups, moving, g)
        for c in range(count):
            j, i = groups.column[c], 6 * groups.node[c]
            for k in range(size):
                total = 0.0
                for axis in range(6):
                    total += S[k, i + axis] * groups.ways[c, axis]
                groups.product[k] = total
            for other in range(c + 1):
                j2, i2 = groups.column[other], 6 * groups.node[other]
                total = 0.0
                for axis in range(6):
                    total += groups.product[i2 + axis] * groups.ways[other, axis]
                M[max(j, j2), min(j, j2)] += total
            for k in range(size - row):
                M[at + k, j] += groups.product[row + k]
        for k in range(size - row):
            for j in range(k + 1):
                M[at + k, at + j] += S[row + k, row + j]


@compiled
def _ways(links, groups, moving, g):
    """The motions of the nodes of a group for joint speeds: index of the speed in `column`, index of the node in the
    group in `node`, [ω; v] in `ways`. Returns how many there are."""
    count = 0
    for k in range(groups.first[g], groups.first[g + 1]):
        link = groups.link[k]
        place, here = vector_in(moving.at[link], 0), link
        while here >= 0:
            arm = minus(place, vector_in(moving.at[here], 0))
            for j in range(moving.speeds[here], moving.speeds[here + 1]):
                e, along = vector_in(moving.columns[j], 0), vector_in(moving.columns[j], 3)
                groups.column[count], groups.node[count] = j, k - groups.first[g]
                put(groups.ways[count], 0, e)
                put(groups.ways[count], 3, plus(along, cross(e, arm)))
                count += 1
            here = links.parent[here]
    return count


@called(None)
def add_sums(links, groups, moving, u, accelerations, rates, found):
    """Add the contribution of groups to the 16 sums of :func:`flexmb.formulations.jacobians.sums`, for joint speeds u
    (nv,), absolute accelerations (n, 6) of the links and u̇ (nv,) in `rates`. When a group moves as a rigid body its
    inner coordinates are constant: so momentum is the sum of that of the nodes, Σ (S V)ᵢ, and the mass is the inertia
    against moving all nodes alike."""
    for g in range(groups.size.shape[0]):
        size, first, last = groups.size[g], groups.first[g], groups.first[g + 1]
        S = matrix_view(groups.matrix, groups.at[g], size, size)
        p = vector_view(groups.force, groups.row_at[g], size)
        row, at = 6 * (last - first), links.nv - links.inner + groups.inner[g]
        mass, cx, cy, cz = 0.0, 0.0, 0.0, 0.0
        for k in range(first, last):
            r, base = vector_in(moving.at[groups.link[k]], 0), 6 * (k - first)
            for i in range(6):
                momentum, force, x, y = 0.0, p[base + i], 0.0, 0.0
                for j in range(row):
                    link, c = groups.link[first + j // 6], j % 6
                    down = links.gravity[c - 3] if c >= 3 else 0.0
                    momentum += S[base + i, j] * moving.motion[link, c]
                    force += S[base + i, j] * (accelerations[link, c] - down)
                    x += S[base + i, j] if c == 3 else 0.0
                    y += S[base + i, j] if c == 4 else 0.0
                for j in range(size - row):
                    momentum += S[base + i, row + j] * u[at + j]
                    force += S[base + i, row + j] * rates[at + j]
                # a force along an axis has a moment about the origin of the ground
                e = (1.0 if i == 3 else 0.0, 1.0 if i == 4 else 0.0, 1.0 if i == 5 else 0.0)
                turning = cross(r, e)
                for c in range(3):
                    of = turning[c] + (1.0 if c == i else 0.0)
                    found[4 + c] += of * momentum
                    found[10 + c] += of * force
                    found[7 + c] += e[c] * momentum
                    found[13 + c] += e[c] * force
                mass += e[0] * x
                cy -= (turning[2] + (1.0 if i == 2 else 0.0)) * x
                cz += (turning[1] + (1.0 if i == 1 else 0.0)) * x
                cx += (turning[2] + (1.0 if i == 2 else 0.0)) * y
        found[0] += mass
        weight = vector_in(links.gravity, 0)
        moment = cross((cx, cy, cz), weight)
        for c in range(3):
            found[1 + c] += cx if c == 0 else cy if c == 1 else cz
            found[10 + c] += moment[c]
            found[13 + c] += mass * weight[c]


@called(None)
def add_momentum_columns(links, groups, moving, at, A):
    """Add the contribution of groups to A (6, nv), where A u is [L; p] about the point `at` (3,)."""
    about = at[0], at[1], at[2]
    for g in range(groups.size.shape[0]):
        size, first, last = groups.size[g], groups.first[g], groups.first[g + 1]
        S = matrix_view(groups.matrix, groups.at[g], size, size)
        row, inner = 6 * (last - first), links.nv - links.inner + groups.inner[g]
        count = _ways(links, groups, moving, g)
        for c in range(count + size - row):
            column = groups.column[c] if c < count else inner + c - count
            for k in range(first, last):
                n, f = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
                for i in range(6):
                    total = 0.0
                    if c < count:
                        for axis in range(6):
                            total += S[6 * (k - first) + i, 6 * groups.node[c] + axis] * groups.ways[c, axis]
                    else:
                        total = S[6 * (k - first) + i, row + c - count]
                    e = (1.0 if i % 3 == 0 else 0.0, 1.0 if i % 3 == 1 else 0.0, 1.0 if i % 3 == 2 else 0.0)
                    if i < 3:
                        n = plus(n, times(total, e))
                    else:
                        f = plus(f, times(total, e))
                n = plus(n, cross(minus(vector_in(moving.at[groups.link[k]], 0), about), f))
                for i in range(3):
                    A[i, column] += n[i]
                    A[3 + i, column] += f[i]


@compiled
def link_of_speed(links, groups, moving, number):
    """The link that a speed moves; for an inner speed the head of its group."""
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
