"""Heat on a CMS beam in space, see :mod:`flexmb.elements.heat`: N on the mean strain of an element, My and Mz on its
curvatures at the Gauss points of its strain energy (:mod:`flexmb.elements.spatial.cms.strains`)."""

from __future__ import annotations

from flexmb.elements.cms_folds import shortening
from flexmb.elements.heat import factor_at, forces_at, power_of
from flexmb.elements.spatial.cms.curvature import curvature_gradient, curvature_hessian
from flexmb.elements.spatial.cms.element import FIELD, FRAME, KEPT, LENGTH, STRAIN_POINTS
from flexmb.elements.spatial.cms.forces import to_instance
from flexmb.elements.spatial.cms.frame import motion, moved_column, on_nodes, sizes
from flexmb.elements.spatial.cms.point import put_shear, section_row, shear_forces
from flexmb.elements.spatial.cms.stiffness import local_of, spread
from flexmb.elements.spatial.cms.strains import stretching, tables, variables
from flexmb.elements.spatial.cms.tangent import matrix_to_instance
from flexmb.kernels.compilation import compiled, inlined, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.vectors import NONE, vector_in
from flexmb.kernels.views import matrix_view, vector_view


def scratch(nc: int) -> int:
    """How many scratch numbers the kernels need with nc local coordinates."""
    columns = 6 + nc
    changes = (KEPT + 3 * nc + 6 + nc) * columns + nc * nc
    return FRAME + 5 * nc + 42 + changes + max(2 * nc + 72 + 6 * nc, columns * columns + 15 + nc)


@compiled
def _put(p, i, iq, iv, q, v, a, factor, work):
    """Put the forces of heat on c and on the nodes into y (6 + nc) and z (9), behind H and c in `work`; and ∂(L ε)/∂c
    without ū4 behind them. Returns N, Q', and Q''."""
    m, nv, nw, nt, nc = sizes(p, i)
    n, first = nv + nw + nt, 1 + m
    motion(p, iq, iv, i, q, v, a, work)
    H, c, y, z, e, free = _places(work, nc)
    x, kappa, B = vector_view(work, free, 6), vector_view(work, free + 6, 3), matrix_view(work, free + 9, 3, 6)
    S, _, _, _, at, width = tables(p, i)
    heat = forces_at(p, i)
    N, m1, m2 = -factor * p[i, heat], -factor * p[i, heat + 1], -factor * p[i, heat + 2]
    growth, curving = 1.0, 0.0
    for k in range(6 + nc):
        y[k] = 0.0
    for k in range(nc):
        e[k] = 0.0
    y[6] = N
    position = vector_view(c, 0, nc)
    if p[i, FIELD] > 0.0:
        bent = 0.5 * stretching(S, position, nv, nw, first, e) / p[i, LENGTH]
        _, growth, curving = shortening(bent)
        for k in range(first, first + nv + nw):
            y[6 + k] = N * growth * e[k]
    row = vector_view(p, i * p.shape[1], p.shape[1])
    r = vector_view(y, 6, nc)
    for _point in range(int(p[i, STRAIN_POINTS])):
        variables(row, at, nv, nw, nt, first, position, x)
        curvature_gradient(x, kappa, B)
        for k in range(6):
            x[k] = row[at] * (B[1, k] * m1 + B[2, k] * m2)
        for k in range(n):
            by_turn, by_bend = local_of(k, nv, nw)
            r[first + k] += row[at + 1 + k] * x[by_turn] + row[at + 1 + n + k] * x[by_bend]
        at += width
    on_nodes(H, c, m, nv, nw, y, z)
    return N, growth, curving


@inlined
def _places(work, nc):
    """H, c, y, z and ∂(L ε)/∂c in `work`, and where it is free behind them."""
    H, c, free = vector_view(work, 0, FRAME), matrix_view(work, FRAME, 3, nc), FRAME + 3 * nc
    y, z = vector_view(work, free, 6 + nc), vector_view(work, free + 6 + nc, 9)
    return H, c, y, z, vector_view(work, free + 15 + nc, nc), free + 15 + 2 * nc


@compiled
def _by_local(p, i, c, e, N, growth, curving, factor, Ke, room):
    """The derivatives Ke (nc, nc) of the forces on c."""
    m, nv, nw, nt, nc = sizes(p, i)
    n, nb, first, at_w = nv + nw + nt, max(nv, nw), 1 + m, 1 + m + nv
    S, _, _, _, at, width = tables(p, i)
    heat = forces_at(p, i)
    m1, m2 = -factor * p[i, heat + 1], -factor * p[i, heat + 2]
    for j in range(nc):
        for k in range(nc):
            Ke[j, k] = N * curving * e[j] * e[k] / p[i, LENGTH]
    if p[i, FIELD] > 0.0:
        for j in range(nv):
            for k in range(nv):
                Ke[first + j, first + k] += N * growth * S[j, k]
        for j in range(nw):
            for k in range(nw):
                Ke[at_w + j, at_w + k] += N * growth * S[nb + j, k]
    X, Y = vector_view(room, 0, n), vector_view(room, nc, n)
    x, kappa, B = vector_view(room, 2 * nc, 6), vector_view(room, 2 * nc + 6, 3), matrix_view(room, 2 * nc + 9, 3, 6)
    A, R = matrix_view(room, 2 * nc + 27, 6, 6), matrix_view(room, 2 * nc + 63, 6, n)
    row = vector_view(p, i * p.shape[1], p.shape[1])
    for _point in range(int(p[i, STRAIN_POINTS])):
        variables(row, at, nv, nw, nt, first, vector_view(c, 0, nc), x)
        curvature_gradient(x, kappa, B)
        curvature_hessian(x, kappa, B, 0.0, row[at] * m1, row[at] * m2, A)
        for k in range(n):
            X[k], Y[k] = row[at + 1 + k], row[at + 1 + n + k]
        spread(A, 1.0, nv, nw, first, X, Y, R, Ke)
        at += width


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        m, nv, nw, _, nc = sizes(p, i)
        _put(p, i, iq, iv, q, v, a, factor_at(p, i, 3, t), work)
        H, _, y, z, _, _ = _places(work, nc)
        to_instance(H, m, nv, nw, y, z, out, i)


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0] if w[2] != 0.0 else 0):
        m, nv, nw, _, nc = sizes(p, i)
        columns, factor = 6 + nc, factor_at(p, i, 3, t)
        N, growth, curving = _put(p, i, iq, iv, q, v, a, factor, work)
        H, c, y, z, e, free = _places(work, nc)
        kept, dc = matrix_view(work, free, columns, KEPT), matrix_view(work, free + columns * KEPT, columns, 3 * nc)
        free += columns * (KEPT + 3 * nc)
        P, Ke = matrix_view(work, free, 6 + nc, columns), matrix_view(work, free + (6 + nc) * columns, nc, nc)
        free += (6 + nc) * columns + nc * nc
        room = vector_view(work, free, len(work) - free)
        _by_local(p, i, c, e, N, growth, curving, factor, Ke, room)
        for k in range(columns):
            own = matrix_view(dc, k * 3 * nc, 3, nc)
            moved_column(H, c, m, nv, nw, k, 0.0, 0.0, w[2], vector_view(kept, k * KEPT, KEPT), own)
            for j in range(6):
                P[j, k] = 0.0
            for j in range(nc):
                total = 0.0
                for x in range(nc if k > 2 else 0):  # nothing changes with the place of the start
                    total += Ke[j, x] * own[0, x]
                P[6 + j, k] = total
        matrix_to_instance(H, c, m, nv, nw, y, z, kept, dc, P, room, K, i)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    n = iv.shape[1]
    for i in range(p.shape[0]):
        m, nv, nw, _, nc = sizes(p, i)
        _put(p, i, iq, iv, q, v, a, factor_at(p, i, 3, t), work)
        H, _, y, z, _, free = _places(work, nc)
        row = matrix_view(work, free, 1, n)
        to_instance(H, m, nv, nw, y, z, row, 0)
        out[i, 4] = power_of(row[0], iv, i, v)


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    """What twists a bent section turns the moments of heat too, which shear forces balance."""
    for i in range(p.shape[0]):
        m, nv, nw, nt, nc = sizes(p, i)
        at = forces_at(p, i)
        motion(p, iq, iv, i, q, v, a, work)
        x, kappa = vector_view(work, FRAME + 3 * nc, 6), vector_view(work, FRAME + 3 * nc + 6, 3)
        variables(w, section_row(m, nv, nw), nv, nw, nt, 1 + m, vector_view(work, FRAME, nc), x)
        curvature_gradient(x, kappa, matrix_view(work, FRAME + 3 * nc + 9, 3, 6))
        moment = (0.0, p[i, at + 1], p[i, at + 2])
        out[i, 6], out[i, 10], out[i, 11] = p[i, at], moment[1], moment[2]
        shear = shear_forces(vector_in(kappa, 0), moment, NONE)
        put_shear(p, i, out[i], shear, shear)


SPATIAL_CMS_HEAT = Kernels("heat on a CMS beam in space", residual, tangent, energy, section=section)
