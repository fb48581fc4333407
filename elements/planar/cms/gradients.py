"""Gradients of the inertia loads of a CMS beam, for its tangent.

The symbols are those of :mod:`flexmb.elements.planar.cms.inertia`. The loads on the coordinates (R1 in body axes, θ, c)
are  Bᵀ G u + Cᵀ G w,  where the functions that move with a coordinate are the columns of B, along x, and of C, along y.
All coordinates together move few of the functions each, and few of the coefficients u and w depend on each. So first
come the loads of a unit of each coefficient, the columns of Bᵀ G and Cᵀ G; a gradient of the loads is a sum of few of
them. (With full matrices, G times all gradients of u and w, it takes twice as long with two bending modes, and four
times with eight.)

Rows are as wide as :mod:`flexmb.kernels.fours` says.
"""

from __future__ import annotations

from flexmb.elements.cms_products import pair
from flexmb.elements.planar.cms.inertia import c_of_g
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.fours import add_row, add_rows, add_two_rows
from flexmb.kernels.views import vector_view


@called(None)
def unit_loads(m, second, zeta, g, gram, sums, unit):
    """Loads on (R1 in body axes, θ, c) of a unit of each coefficient: unit (2 nf, wide(ny)), those of u, then those of
    w. `sums` (2 + ng, wide(nf)) is scratch."""
    nx, ng = zeta.shape[1], g.shape[1]
    nf, width = gram.shape
    rows, out = vector_view(gram, 0, gram.size), vector_view(sums, 0, sums.size)
    for k in range(out.shape[0]):
        out[k] = 0.0
    add_rows(vector_view(g, 0, ng), rows, (1 + nx) * width, out, 0, width)
    add_rows(vector_view(zeta, 0, nx), rows, width, out, width, width)
    if second:
        at = (2 + m) * width
        for j in range(ng):
            for k in range(j, ng):
                add_row(g[0, k], rows, at, out, (2 + j) * width, width)
                if k > j:
                    add_row(g[0, j], rows, at, out, (2 + k) * width, width)
                at += width
    for f in range(2 * nf):
        for k in range(unit.shape[1]):
            unit[f, k] = 0.0
    for f in range(nf):
        of_u, of_w = unit[f], unit[nf + f]
        of_u[0], of_w[1] = gram[f, 0], gram[f, 0]
        of_u[2], of_w[2] = -sums[0, f], sums[1, f]
        of_u[4] = gram[f, 1]
        for k in range(m):
            of_u[6 + k] = gram[f, 2 + k]
        for j in range(ng):
            c = 3 + c_of_g(j, m)
            of_u[c], of_w[c] = sums[2 + j, f], gram[f, 1 + nx + j]


@called(None)
def mass_gradients(m, second, wm, zeta, g, unit, P):
    """The gradients by R̈1 in body axes, θ̈ and c̈, times wm: P (ny, wide(ny)), a row for each."""
    nx, ng = zeta.shape[1], g.shape[1]
    nf, width = unit.shape[0] // 2, unit.shape[1]
    rows, out = vector_view(unit, 0, unit.size), vector_view(P, 0, P.size)
    of_w = nf * width
    for k in range(out.shape[0]):
        out[k] = 0.0
    add_row(1.0, rows, 0, out, 0, width)
    add_row(1.0, rows, of_w, out, width, width)
    add_rows(vector_view(g, 0, ng), rows, (1 + nx) * width, out, 2 * width, width)
    for k in range(width):
        out[2 * width + k] = -out[2 * width + k]
    add_rows(vector_view(zeta, 0, nx), rows, of_w + width, out, 2 * width, width)
    for k in range(1 + m):
        add_row(1.0, rows, (1 + k) * width, out, (4 if k == 0 else 5 + k) * width, width)
    for j in range(ng):
        to = (3 + c_of_g(j, m)) * width
        add_row(1.0, rows, of_w + (1 + nx + j) * width, out, to, width)
        if second:
            for k in range(ng):
                add_row(g[0, k], rows, (2 + m + pair(j, k, ng)) * width, out, to, width)
    for k in range(out.shape[0]):
        out[k] *= wm


@inlined
def _put_turning(om, wm, wd, zeta, g, fields):
    """The gradient of (u, w) by θ that comes through θ̇ and θ̈."""
    nx, ng = zeta.shape[1], g.shape[1]
    fields[0, 0] = 0.0
    fields[1, 0] = 0.0
    for e in range(nx):
        fields[0, 1 + e] = -2.0 * om * wd * zeta[0, e]
        fields[1, 1 + e] = wm * zeta[0, e] + 2.0 * wd * zeta[1, e]
    for b in range(ng):
        fields[0, 1 + nx + b] = -wm * g[0, b] - 2.0 * wd * g[1, b]
        fields[1, 1 + nx + b] = -2.0 * om * wd * g[0, b]


@inlined
def _take_bending(m, nx, second, j, om, wm, wd, g, fields):
    """Take away the gradient by g_j that comes through ġ and g̈."""
    ng = g.shape[1]
    fields[0, 1 + nx + j] += 2.0 * om * wd
    fields[1, 1 + nx + j] -= wm
    if second:
        for k in range(ng):
            e = 2 + m + pair(j, k, ng)
            fields[0, e] -= wm * g[0, k] + 2.0 * wd * g[1, k]
            fields[1, e] -= 2.0 * om * wd * g[0, k]


@called(None)
def motion_gradients(m, second, om, al, ax, ay, wm, wd, wk, zeta, g, fields, unit, P):
    """The gradients by (R1 in body axes, θ, c), their rates and accelerations, with the weights wk, wd and wm, and then
    those by θ̈, l̈, θ̇ and l̇ without weights, which are needed because θ and l depend on the motion of the chord:
    P (ny + 4, wide(ny)), a row for each. `fields` (2, nf) is scratch."""
    nx, ng = zeta.shape[1], g.shape[1]
    nf, width = unit.shape[0] // 2, unit.shape[1]
    rows, out, of_w = vector_view(unit, 0, unit.size), vector_view(P, 0, P.size), nf * width
    coefficients = vector_view(fields, 0, 2 * nf)
    for k in range(out.shape[0]):
        out[k] = 0.0
    add_row(wm, rows, 0, out, 0, width)
    add_row(wm, rows, of_w, out, width, width)
    _put_turning(om, wm, wd, zeta, g, fields)
    fields[0, 0] = wk * ay
    fields[1, 0] = -wk * ax
    add_rows(coefficients, rows, 0, out, 2 * width, width)
    still, turning = wm - om * om * wk, al * wk + 2.0 * om * wd
    for k in range(1 + m):
        at = (1 + k) * width
        add_two_rows(still, turning, rows, at, of_w + at, out, (4 if k == 0 else 5 + k) * width, width)
    for j in range(ng):
        to, at = (3 + c_of_g(j, m)) * width, (1 + nx + j) * width
        add_two_rows(-turning, still, rows, at, of_w + at, out, to, width)
        if second:
            for k in range(ng):
                u = still * g[0, k] + 2.0 * wd * g[1, k] + wk * g[2, k]
                w = turning * g[0, k] + 2.0 * om * wk * g[1, k]
                at = (2 + m + pair(j, k, ng)) * width
                add_two_rows(u, w, rows, at, of_w + at, out, to, width)
    first = P.shape[0] - 4
    for order in range(2):
        # θ turns the frame, and ū3 and ū6 fall by θ
        mass, rate = 1.0 - order, 1.0 * order
        _put_turning(om, mass, rate, zeta, g, fields)
        for j in range(2):
            _take_bending(m, nx, second, j, om, mass, rate, g, fields)
        add_rows(coefficients, rows, 0, out, (first + 2 * order) * width, width)
    add_row(1.0, rows, width, out, (first + 1) * width, width)
    add_row(2.0 * om, rows, of_w + width, out, (first + 3) * width, width)
