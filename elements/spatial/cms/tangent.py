"""The exact tangent of a CMS beam element in space, see :mod:`flexmb.elements.spatial.cms_beam`.

Its columns are the coordinates (R₁, d, θ₁, θ₂, ξ) in the axes of the chord frame, moved with the weights in their
values, speeds and accelerations at once: the changes of the motion of the frame and of c follow from
:func:`flexmb.elements.spatial.cms.frame.moved`, those of the loads from one product with the matrix of integrals.
"""

from __future__ import annotations

from flexmb.elements.spatial.cms.disks import disk_forces, disk_tangent
from flexmb.elements.spatial.cms.element import DISK_POINTS, KEPT
from flexmb.elements.spatial.cms.forces import field
from flexmb.elements.spatial.cms.frame import (
    ALPHA,
    DALPHA,
    DOMEGA,
    DPUSH,
    OMEGA,
    PUSH,
    TO_GROUND,
    TO_NODE1,
    TO_NODE2,
    TURN,
    TURN1,
    TURN2,
    column_of,
    moved_column,
    nine,
    on_nodes,
    on_nodes_change,
    sizes,
)
from flexmb.elements.spatial.cms.inertia import (
    acceleration,
    acceleration_change,
    amplitudes_change,
    bending_of,
    loads_of,
    loads_of_all,
    project,
    project_all,
    shapes_change,
)
from flexmb.elements.spatial.cms.stiffness import elastic_tangent
from flexmb.elements.spatial.cms.strains import elastic, tables
from flexmb.kernels.compilation import called, inlined, kernel
from flexmb.kernels.vectors import cross, plus, vector_in
from flexmb.kernels.views import matrix_view, vector_view


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    wm, wd, wk = w[0], w[1], w[2]
    for i in range(p.shape[0]):
        m, nv, nw, nc, second, H, c, g, zeta, fields, loads, y, z, free = field(p, iq, iv, i, q, v, a, work)
        nb, nx, nf, columns = g.shape[1], zeta.shape[1], fields.shape[0], 6 + nc
        _, gram, _, _, _, _ = tables(p, i)
        om, al, push = vector_in(H, OMEGA), vector_in(H, ALPHA), vector_in(H, PUSH)
        acceleration(om, al, push, zeta, g, fields)
        loads_of(gram, fields, loads)
        for k in range(6 + nc):
            y[k] = 0.0
        project(m, nv, nw, second, zeta, g, loads, y)
        disks = p[i, DISK_POINTS] > 0.0
        if disks:
            disk_forces(p, i, om, al, c, y)

        dg = matrix_view(work, free, 6, nb)
        dzeta = matrix_view(work, free + 6 * nb, 3, nx)
        free += 6 * nb + 3 * nx
        kept = matrix_view(work, free, columns, KEPT)
        free += columns * KEPT
        dc = matrix_view(work, free, columns, 3 * nc)
        free += columns * 3 * nc
        many = matrix_view(work, free, nf, 3 * columns)
        products = matrix_view(work, free + 3 * nf * columns, nf, 3 * columns)
        free += 6 * nf * columns
        P = matrix_view(work, free, 6 + nc, columns)
        Ke = matrix_view(work, free + (6 + nc) * columns, nc, nc)
        free += (6 + nc) * columns + nc * nc
        Kd = matrix_view(work, free, nc, nc)
        free += nc * nc
        room = vector_view(work, free, len(work) - free)

        for k in range(columns):
            own = matrix_view(dc, k * 3 * nc, 3, nc)
            keep = vector_view(kept, k * KEPT, KEPT)
            moved_column(H, c, m, nv, nw, k, wm, wd, wk, keep, own)
            if k < 3:
                # R₁ alone is accelerated
                for f in range(nf):
                    for e in range(3):
                        many[f, k + e * columns] = wm if f == 0 and e == k else 0.0
                for j in range(6 + nc):
                    P[j, k] = 0.0
                continue
            bending_of(own, m, nv, nw, dg)
            amplitudes_change(m, second, own, g, dg, dzeta)
            dom, dal, dpush = vector_in(keep, DOMEGA), vector_in(keep, DALPHA), vector_in(keep, DPUSH)
            acceleration_change(om, al, dom, dal, dpush, zeta, g, dzeta, dg, k, many)
            shapes_change(m, nv, nw, second, dzeta, dg, loads, k, P)
        loads_of_all(gram, many, products)
        project_all(m, nv, nw, second, zeta, g, products, P)
        if disks:
            _add_disks(p, i, om, al, c, kept, dc, room, P)
        if wk != 0.0 or wd != 0.0:
            elastic(p, i, c, vector_view(y, 6, nc), room)
            elastic_tangent(p, i, c, Ke, Kd, room)
            _add_elastic(Ke, Kd, dc, P)
        on_nodes(H, c, m, nv, nw, y, z)
        matrix_to_instance(H, c, m, nv, nw, y, z, kept, dc, P, room, K, i)


@inlined
def _add_disks(p, i, om, al, c, kept, dc, room, P):
    """Add the changes of the forces of disks to P."""
    m, nv, nw, nt, nc = sizes(p, i)
    n, first, columns = nv + nw + nt, 1 + m, P.shape[1]
    Z = matrix_view(room, 0, 3 + n, 6 + 3 * n)
    inputs = matrix_view(room, (3 + n) * (6 + 3 * n), 6 + 3 * n, 9)
    at = (12 + n) * (6 + 3 * n)
    disk_tangent(p, i, om, al, c, Z, vector_view(room, at, len(room) - at))
    for k in range(9):
        for j in range(3):
            inputs[j, k], inputs[3 + j, k] = kept[3 + k, DOMEGA + j], kept[3 + k, DALPHA + j]
        for order in range(3):
            for j in range(n):
                inputs[6 + order * n + j, k] = dc[3 + k, order * nc + first + j]
    for e in range(6 + 3 * n):
        what = (e - 6) % n
        if e >= 6 and what != 0 and what != 1 and what != nv and what != nv + 1 and what != nv + nw:
            continue  # nodes do not move the amplitudes of modes
        for j in range(3 + n):
            row = 3 + j if j < 3 else 3 + first + j
            amount = Z[j, e]
            for k in range(9):
                P[row, 3 + k] += amount * inputs[e, k]
    for k in range(12, columns):
        e = column_of(k - 12, m, nv, nw)
        if e >= first:  # it moves no other coordinate
            for j in range(3 + n):
                row = 3 + j if j < 3 else 3 + first + j
                for order in range(3):
                    P[row, k] += Z[j, 6 + order * n + e - first] * dc[k, order * nc + e]


@called(None)
def _add_elastic(Ke, Kd, dc, P):
    """Add the changes of elastic and damping forces to P; ξ alone moves one coordinate of c."""
    nc = Ke.shape[0]
    for k in range(3, P.shape[1]):
        for e in range(nc):
            x, v = dc[k, e], dc[k, nc + e]
            if x != 0.0 or v != 0.0:
                for j in range(nc):
                    P[6 + j, k] += Ke[j, e] * x + Kd[j, e] * v


@called(None)
def matrix_to_instance(H, c, m, nv, nw, y, z, kept, dc, P, room, K, i):
    """Rows and columns of the instance, from P (6 + nc, columns) by the coordinates (R₁, d, θ₁, θ₂, ξ)."""
    nc, columns = c.shape[1], P.shape[1]
    rows = matrix_view(room, 0, columns, columns)  # rows of the instance, columns as in P
    dy = vector_view(room, columns * columns, 6 + nc)
    dz = vector_view(room, columns * columns + 6 + nc, 9)
    axes, node1, node2 = nine(H, TO_GROUND), nine(H, TO_NODE1), nine(H, TO_NODE2)
    on1 = (y[0] - z[0], y[1] - z[1], y[2] - z[2])
    for k in range(columns):
        for j in range(6 + nc):
            dy[j] = P[j, k]
        on_nodes_change(H, c, m, nv, nw, y, z, matrix_view(dc, k * 3 * nc, 3, nc), dy, dz)
        keep = vector_view(kept, k * KEPT, KEPT)
        turn = vector_in(keep, TURN)
        d1 = plus(cross(turn, on1), (dy[0] - dz[0], dy[1] - dz[1], dy[2] - dz[2]))
        d2 = plus(cross(turn, vector_in(z, 0)), vector_in(dz, 0))
        d3 = plus(cross(vector_in(z, 3), vector_in(keep, TURN1)), vector_in(dz, 3))
        d4 = plus(cross(vector_in(z, 6), vector_in(keep, TURN2)), vector_in(dz, 6))
        for j in range(3):
            rows[j, k] = axes[3 * j] * d1[0] + axes[3 * j + 1] * d1[1] + axes[3 * j + 2] * d1[2]
            rows[3 + j, k] = node1[3 * j] * d3[0] + node1[3 * j + 1] * d3[1] + node1[3 * j + 2] * d3[2]
            rows[6 + j, k] = axes[3 * j] * d2[0] + axes[3 * j + 1] * d2[1] + axes[3 * j + 2] * d2[2]
            rows[9 + j, k] = node2[3 * j] * d4[0] + node2[3 * j + 1] * d4[1] + node2[3 * j + 2] * d4[2]
        for j in range(columns - 12):
            rows[12 + j, k] = dy[6 + column_of(j, m, nv, nw)]
    for j in range(columns):
        for k in range(3):
            start = 0.0
            chord = 0.0
            turn1 = 0.0
            turn2 = 0.0
            for e in range(3):
                start += rows[j, e] * axes[3 * k + e]
                chord += rows[j, 3 + e] * axes[3 * k + e]
                turn1 += rows[j, 6 + e] * node1[3 * k + e]
                turn2 += rows[j, 9 + e] * node2[3 * k + e]
            K[i, j, k] += start - chord
            K[i, j, 3 + k] += turn1
            K[i, j, 6 + k] += chord
            K[i, j, 9 + k] += turn2
        for k in range(12, columns):
            K[i, j, k] += rows[j, k]
