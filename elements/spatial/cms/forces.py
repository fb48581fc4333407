"""Forces of a CMS beam element in space, see :mod:`flexmb.elements.spatial.cms_beam`."""

from __future__ import annotations

from flexmb.elements.spatial.cms.disks import disk_energy, disk_forces
from flexmb.elements.spatial.cms.element import DISK_POINTS, FIELD, FRAME, FUNCTIONS, GRAVITY, ROUND
from flexmb.elements.spatial.cms.frame import (
    ALPHA,
    CHORD,
    OMEGA,
    PUSH,
    SPEED,
    TO_GROUND,
    TO_NODE1,
    TO_NODE2,
    column_of,
    motion,
    nine,
    on_nodes,
    sizes,
)
from flexmb.elements.spatial.cms.inertia import acceleration, amplitudes, bending_of, loads_of, project, velocity
from flexmb.elements.spatial.cms.strains import elastic, strain_energy, tables
from flexmb.kernels.compilation import inlined, kernel
from flexmb.kernels.vectors import applied, dot, vector_in
from flexmb.kernels.views import matrix_view, vector_view


@inlined
def places(work, nc, nb, nx, nf):
    """The frame's numbers, c (3, nc), g (6, nb), ζ (3, nx), fields and loads (nf, 3), y (6 + nc) and z (9) in `work`,
    and where it is free behind them."""
    at = FRAME + 3 * nc
    H, c = vector_view(work, 0, FRAME), matrix_view(work, FRAME, 3, nc)
    g, zeta = matrix_view(work, at, 6, nb), matrix_view(work, at + 6 * nb, 3, nx)
    at += 6 * nb + 3 * nx
    fields, loads = matrix_view(work, at, nf, 3), matrix_view(work, at + 3 * nf, nf, 3)
    at += 6 * nf
    return H, c, g, zeta, fields, loads, vector_view(work, at, 6 + nc), vector_view(work, at + 6 + nc, 9), at + 15 + nc


@inlined
def field(p, iq, iv, i, q, v, a, work):
    """Put the motion of the frame, c, g and ζ into `work`. Returns the numbers m, nv, nw and nc of coordinates, whether
    the field is of second order, and what :func:`places` does."""
    m, nv, nw, _, nc = sizes(p, i)
    nb, second = max(nv, nw), p[i, FIELD] == 2.0
    motion(p, iq, iv, i, q, v, a, work)
    nf, planes = int(p[i, FUNCTIONS]), 1 if p[i, ROUND] != 0.0 else 2
    H, c, g, zeta, fields, loads, y, z, free = places(work, nc, nb, nf - 1 - planes * nb, nf)
    bending_of(c, m, nv, nw, g)
    amplitudes(m, second, H[CHORD], c, g, zeta)
    return m, nv, nw, nc, second, H, c, g, zeta, fields, loads, y, z, free


@inlined
def to_instance(H, m, nv, nw, y, z, out, i):
    """Put the forces y on R₁ and c, and z on the nodes, into row i of `out`, in the axes of the instance."""
    axes = nine(H, TO_GROUND)
    on2 = vector_in(z, 0)
    first = applied(axes, (y[0] - on2[0], y[1] - on2[1], y[2] - on2[2]))
    second = applied(axes, on2)
    turn1, turn2 = applied(nine(H, TO_NODE1), vector_in(z, 3)), applied(nine(H, TO_NODE2), vector_in(z, 6))
    for k in range(3):
        out[i, k], out[i, 3 + k], out[i, 6 + k], out[i, 9 + k] = first[k], turn1[k], second[k], turn2[k]
    for k in range(len(y) - 12):
        out[i, 12 + k] = y[6 + column_of(k, m, nv, nw)]


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        m, nv, nw, nc, second, H, c, g, zeta, fields, loads, y, z, free = field(p, iq, iv, i, q, v, a, work)
        _, gram, _, _, _, _ = tables(p, i)
        om, al = vector_in(H, OMEGA), vector_in(H, ALPHA)
        acceleration(om, al, vector_in(H, PUSH), zeta, g, fields)
        loads_of(gram, fields, loads)
        for k in range(6 + nc):
            y[k] = 0.0
        project(m, nv, nw, second, zeta, g, loads, y)
        if p[i, DISK_POINTS] > 0.0:
            disk_forces(p, i, om, al, c, y)
        elastic(p, i, c, vector_view(y, 6, nc), vector_view(work, free, len(work) - free))
        on_nodes(H, c, m, nv, nw, y, z)
        to_instance(H, m, nv, nw, y, z, out, i)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        m, nv, nw, nc, second, H, c, g, zeta, fields, loads, y, z, free = field(p, iq, iv, i, q, v, a, work)
        nb, nx, nf = g.shape[1], zeta.shape[1], fields.shape[0]
        _, gram, _, _, _, _ = tables(p, i)
        om = vector_in(H, OMEGA)
        velocity(om, vector_in(H, SPEED), zeta, g, fields)
        loads_of(gram, fields, loads)
        kinetic = 0.0
        for e in range(nf):
            for k in range(3):
                kinetic += 0.5 * fields[e, k] * loads[e, k]
        if p[i, DISK_POINTS] > 0.0:
            kinetic += disk_energy(p, i, om, c)
        # first moment of mass, by the first row of the matrix of integrals
        sx = 0.0
        sy = 0.0
        sz = 0.0
        for e in range(nx):
            sx += gram[0, 1 + e] * zeta[0, e]
        for b in range(nb):
            sy += gram[0, 1 + nx + b] * g[0, b]
            sz += gram[0, nf - nb + b] * g[1, b]
        arm = applied(nine(H, TO_GROUND), (sx, sy, sz))
        mass = gram[0, 0]
        start = q[iq[i, 0]], q[iq[i, 1]], q[iq[i, 2]]
        gravity = p[i, GRAVITY], p[i, GRAVITY + 1], p[i, GRAVITY + 2]
        stored, lost = strain_energy(p, i, c, vector_view(work, free, len(work) - free))
        out[i, 0] = kinetic
        out[i, 1] = stored
        out[i, 2] = -mass * dot(gravity, start) - dot(gravity, arm)
        out[i, 3] = lost
