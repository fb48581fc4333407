"""Links on interior points of beams (:mod:`flexmb.formulations.tree.places`) in the equations of motion; compiled.
Their accelerations follow from those of the group that carries them, P Ẏ + bias, and forces F on them act on the group
as Pᵀ F.

`columns` says to which component of Y each column of P belongs (:class:`flexmb.formulations.tree.arrays.Columns`); its
numbers stand in `carried` of `moving`. `start` (3,) is the acceleration of the ground, −g where it replaces gravity.
Accelerations of links include it; Ẏ that P multiplies does not."""

from __future__ import annotations

from flexmb.formulations.spatial_algebra import (
    NOTHING,
    inertia_applied,
    multiple,
    power,
    six_in,
    sum_of,
)
from flexmb.kernels.compilation import called, compiled
from flexmb.kernels.vectors import applied, plus, transposed, vector_in


@compiled
def carried_sum(columns, moving, c, accelerations, start, rates, first):
    """P Ẏ of interior point c, from accelerations (n, 6) of the links less `start` and inner rates in `rates` from
    `first` on; with velocities and speeds, P Y."""
    A = NOTHING
    for j in range(columns.first[c], columns.first[c + 1]):
        axis = columns.axis[j]
        if columns.link[j] < 0:
            y = rates[first + axis]
        else:
            y = accelerations[columns.link[j], axis]
            if axis >= 3:
                y -= start[axis - 3]
        A = sum_of(A, multiple(y, six_in(moving.carried, j)))
    return A


@compiled
def carried_alone(links, moving, c, start):
    """The acceleration of interior point c where those of its group, without `start`, are zero."""
    columns, bias = links.places.columns, six_in(moving.bias, links.places.own[c])
    A = bias[0], plus(bias[1], start)
    for j in range(columns.first[c], columns.first[c + 1]):
        if columns.link[j] >= 0 and columns.axis[j] >= 3:
            A = sum_of(A, multiple(-start[columns.axis[j] - 3], six_in(moving.carried, j)))
    return A


@called(None)
def hand_back(columns, moving, c, force, forces):
    """Add the part of Pᵀ F that acts on the nodes of the element to `forces` (n, 6), for a force F = [n; f] on interior
    point c."""
    for j in range(columns.first[c], columns.first[c + 1]):
        if columns.link[j] >= 0:
            forces[columns.link[j], columns.axis[j]] += power(six_in(moving.carried, j), force)


@called(None)
def hand_in(columns, moving, c, force, inner, first):
    """Add the part of Pᵀ F that acts on inner coordinates to `inner` from `first` on, for a force F = [n; f] on
    interior point c."""
    for j in range(columns.first[c], columns.first[c + 1]):
        if columns.link[j] < 0:
            inner[first + columns.axis[j]] += power(six_in(moving.carried, j), force)


@compiled
def add_inertia(columns, moving, c, A, place, L):
    """Add Pᵀ A P, for an inertia A at interior point c, to L on and below the diagonal; unknown i of the group has the
    row place[i] of L."""
    for j in range(columns.first[c], columns.first[c + 1]):
        force, at = inertia_applied(A, six_in(moving.carried, j)), place[columns.row[j]]
        for i in range(columns.first[c], j + 1):
            to = place[columns.row[i]]
            L[max(at, to), min(at, to)] += power(six_in(moving.carried, i), force)


@compiled
def add_force(columns, moving, c, force, place, y):
    """Add Pᵀ F, for a force F on interior point c, to y; unknown i of the group has the entry place[i] of y."""
    for j in range(columns.first[c], columns.first[c + 1]):
        y[place[columns.row[j]]] += power(six_in(moving.carried, j), force)


@compiled
def hang(links, moving, frame, M, numbers, r, wide, R):
    """Let M and the residual r of a body that hangs by an interface be those of the head and the amplitudes, whose W
    are the columns of its `frame` in P."""
    size = M.shape[0]
    at = links.places.columns.first[links.place_of[frame]] + 6
    # of each amplitude W in coordinates of the node, and M_xx W: the latter in the lower triangle of M_zx
    for k in range(size - wide):
        W = _of_node(moving.carried, at + k, R, wide)
        for i in range(wide):
            total = 0.0
            for j in range(wide):
                total += M[i, j] * W[j]
            M[wide + k, i] += total
    # with M_zx new and M_xz old: Wᵀ M_xz + M_zx W = Wᵀ M_xz + M_zx W + Wᵀ M_xx W
    for k in range(size - wide):
        W = _of_node(moving.carried, at + k, R, wide)
        for j in range(size - wide):
            total = 0.0
            for i in range(wide):
                total += W[i] * M[i, wide + j]
            M[wide + k, wide + j] += total
            total = 0.0
            for i in range(wide):
                total += W[i] * M[wide + j, i]
            M[wide + j, wide + k] += total
        for i in range(wide):
            r[numbers[wide + k]] += W[i] * r[numbers[i]]
    for k in range(size - wide):
        for i in range(wide):
            M[i, wide + k] = M[wide + k, i]


@compiled
def _of_node(P, j, R, wide):
    """Column j of P, the motion of a link, as speeds of the node in its origin, with axes R."""
    if wide == 3:
        return P[j, 3], P[j, 4], P[j, 2], 0.0, 0.0, 0.0
    w = applied(transposed(R), vector_in(P[j], 0))
    return P[j, 3], P[j, 4], P[j, 5], w[0], w[1], w[2]
