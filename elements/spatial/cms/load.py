"""Distributed load on a CMS beam in space.

The load q [N/m] does work on the field of the element, r = R₁ + E s (:mod:`flexmb.elements.spatial.cms_beam`). With the
functions f = (1; X; b) of which s is a sum it is what the acceleration is to inertia, loads

    F_e = ∫ f_e Eᵀ q dx

that act on R₁, on the turn Π of the frame and on c (:func:`flexmb.elements.spatial.cms.inertia.project`). A dead load
has constant integrals, F_e = Eᵀ ∫ f_e q dx, and changes by F_e × δΠ with the frame. A follower load is given in the
axes of the sections, at Gauss points F = S(u) Rx(φ) q dx; it stays in the frame and changes with x = (v', w', φ) of the
section by (B δx) × F, with the matrix B of its rates (:mod:`flexmb.elements.spatial.cms.disks`).
"""

from __future__ import annotations

import numpy as np

from flexmb.elements.beam import BeamElements
from flexmb.elements.beam_load import BeamLoad
from flexmb.elements.spatial.cms.disks import turning_matrix
from flexmb.elements.spatial.cms.element import KEPT, TABLE, SpatialCmsElement
from flexmb.elements.spatial.cms.forces import field, to_instance
from flexmb.elements.spatial.cms.frame import (
    OMEGA,
    SPEED,
    TO_GROUND,
    TURN,
    moved_column,
    nine,
    on_nodes,
    sizes,
)
from flexmb.elements.spatial.cms.inertia import (
    amplitudes_change,
    bending_of,
    project,
    project_all,
    shapes_change,
    velocity,
)
from flexmb.elements.spatial.cms.point import bent_turn
from flexmb.elements.spatial.cms.swing import stumpff
from flexmb.elements.spatial.cms.tangent import matrix_to_instance
from flexmb.kernels.blocks import joined
from flexmb.kernels.compilation import called, inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import turned
from flexmb.kernels.slots import strength_at
from flexmb.kernels.vectors import applied, cross, times, transposed, vector_in
from flexmb.kernels.views import matrix_view, vector_view
from flexmb.model.components import Assembler

# The parameters begin like those of the element, up to its tables. Then how many Gauss points there are, none for a
# dead load, and the slot of its strength; at the end the integrals (nf, 3) of a dead load, or of a follower for each
# point its force (3), the functions (nf), and the turns of sections (nv + nw + nt).
POINTS, FACTOR = TABLE, TABLE + 1


def put_load(element: SpatialCmsElement, beam: BeamElements, assembly: Assembler, load: BeamLoad) -> None:
    """Add the load on the elements of a beam, all like `element`, with the coordinates and parameters of `beam`."""
    shapes = element.shapes
    eta = shapes.x / shapes.length
    functions, sections = element.functions(eta), element.sections(eta)
    turning = sections[:, : sections.shape[1] // 2]
    slot = assembly.strength(load).slot()
    numbers = joined(beam.coordinates)
    count = len(numbers.v)
    rows = []
    for e, own in enumerate(beam.parameters):
        force = shapes.weights[:, None] * load.line_load_at((e + eta) / count)
        table = np.hstack([force, functions, turning]) if not load.fixed_in_space else functions.T @ force
        points = 0 if load.fixed_in_space else len(eta)
        rows.append(np.concatenate([own[:TABLE], [points], slot, table.ravel()]))
    assembly.series(load, SPATIAL_CMS_LOAD, numbers, np.array(rows), beam.work, strength=FACTOR)


@inlined
def _table(p, i, nf, width):
    """Where the integrals or the rows of Gauss points begin, with the length of such a row."""
    points = int(p[i, POINTS])
    size = 3 * nf if points == 0 else points * width
    return p.shape[1] - size, points


@inlined
def _section(p, i, at, m, nv, nw, nt, c, row):
    """(v', w', φ) at a Gauss point whose turns of sections begin at p[i, at]; `row` of c."""
    first = 1 + m
    x = 0.0
    y = 0.0
    z = 0.0
    for k in range(nv):
        x += p[i, at + k] * c[row, first + k]
    for k in range(nv, nv + nw):
        y += p[i, at + k] * c[row, first + k]
    for k in range(nv + nw, nv + nw + nt):
        z += p[i, at + k] * c[row, first + k]
    return x, y, z


@called(None)
def _loads(p, i, factor, H, c, loads):
    """The loads F (nf, 3)."""
    m, nv, nw, nt, nc = sizes(p, i)
    nf = loads.shape[0]
    width = 3 + nf + nv + nw + nt
    at, points = _table(p, i, nf, width)
    if points == 0:
        to_frame = transposed(nine(H, TO_GROUND))
        for e in range(nf):
            force = applied(to_frame, vector_in(p[i], at + 3 * e))
            loads[e, 0], loads[e, 1], loads[e, 2] = factor * force[0], factor * force[1], factor * force[2]
        return
    for e in range(nf):
        for k in range(3):
            loads[e, k] = 0.0
    for _ in range(points):
        x = _section(p, i, at + 3 + nf, m, nv, nw, nt, c, 0)
        force = turned(bent_turn(x), times(factor, vector_in(p[i], at)))
        for e in range(nf):
            amount = p[i, at + 3 + e]
            loads[e, 0] += amount * force[0]
            loads[e, 1] += amount * force[1]
            loads[e, 2] += amount * force[2]
        at += width


@called(None)
def _turning_changes(p, i, factor, c, dc, many):
    """Add the changes of a follower's loads to `many` (nf, 3 columns), for the changes dc (columns, 3 nc) of c."""
    m, nv, nw, nt, nc = sizes(p, i)
    nf, columns = many.shape[0], dc.shape[0]
    width = 3 + nf + nv + nw + nt
    at, points = _table(p, i, nf, width)
    for _ in range(points):
        x = _section(p, i, at + 3 + nf, m, nv, nw, nt, c, 0)
        force = turned(bent_turn(x), times(factor, vector_in(p[i], at)))
        B = turning_matrix(x[0], x[1], stumpff(x[0] * x[0] + x[1] * x[1]))
        for k in range(3, columns):
            own = matrix_view(dc, k * 3 * nc, 3, nc)
            change = cross(applied(B, _section(p, i, at + 3 + nf, m, nv, nw, nt, own, 0)), force)
            for e in range(nf):
                amount = p[i, at + 3 + e]
                many[e, k] += amount * change[0]
                many[e, columns + k] += amount * change[1]
                many[e, 2 * columns + k] += amount * change[2]
        at += width


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        m, nv, nw, nc, second, H, c, g, zeta, fields, loads, y, z, free = field(p, iq, iv, i, q, v, a, work)
        _loads(p, i, -strength_at(p[i], FACTOR, t), H, c, loads)
        for k in range(6 + nc):
            y[k] = 0.0
        project(m, nv, nw, second, zeta, g, loads, y)
        on_nodes(H, c, m, nv, nw, y, z)
        to_instance(H, m, nv, nw, y, z, out, i)


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    wk = w[2]
    for i in range(p.shape[0] if wk != 0.0 else 0):
        m, nv, nw, nc, second, H, c, g, zeta, fields, loads, y, z, free = field(p, iq, iv, i, q, v, a, work)
        nb, nx, nf, columns = g.shape[1], zeta.shape[1], fields.shape[0], 6 + nc
        factor = -strength_at(p[i], FACTOR, t)
        _loads(p, i, factor, H, c, loads)
        for k in range(6 + nc):
            y[k] = 0.0
        project(m, nv, nw, second, zeta, g, loads, y)
        on_nodes(H, c, m, nv, nw, y, z)

        dg, dzeta = matrix_view(work, free, 6, nb), matrix_view(work, free + 6 * nb, 3, nx)
        free += 6 * nb + 3 * nx
        kept, dc = matrix_view(work, free, columns, KEPT), matrix_view(work, free + columns * KEPT, columns, 3 * nc)
        free += columns * (KEPT + 3 * nc)
        many, P = matrix_view(work, free, nf, 3 * columns), matrix_view(work, free + 3 * nf * columns, 6 + nc, columns)
        free += (3 * nf + 6 + nc) * columns
        room = vector_view(work, free, len(work) - free)
        dead = p[i, POINTS] == 0.0
        for k in range(columns):
            own = matrix_view(dc, k * 3 * nc, 3, nc)
            keep = vector_view(kept, k * KEPT, KEPT)
            moved_column(H, c, m, nv, nw, k, 0.0, 0.0, wk, keep, own)
            bending_of(own, m, nv, nw, dg)
            amplitudes_change(m, second, own, g, dg, dzeta)
            shapes_change(m, nv, nw, second, dzeta, dg, loads, k, P)
            for e in range(nf):
                change = (0.0, 0.0, 0.0)
                if dead:
                    change = cross(vector_in(loads[e], 0), vector_in(keep, TURN))
                many[e, k], many[e, columns + k], many[e, 2 * columns + k] = change
        if not dead:
            _turning_changes(p, i, factor, c, dc, many)
        project_all(m, nv, nw, second, zeta, g, many, P)
        matrix_to_instance(H, c, m, nv, nw, y, z, kept, dc, P, room, K, i)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        m, nv, nw, nc, second, H, c, g, zeta, fields, loads, y, z, free = field(p, iq, iv, i, q, v, a, work)
        velocity(vector_in(H, OMEGA), vector_in(H, SPEED), zeta, g, fields)
        _loads(p, i, strength_at(p[i], FACTOR, t), H, c, loads)
        for e in range(fields.shape[0]):
            for k in range(3):
                out[i, 4] += fields[e, k] * loads[e, k]


SPATIAL_CMS_LOAD = Kernels("load on a CMS beam in space", residual, tangent, energy)
