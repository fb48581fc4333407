"""Distributed load on a beam of component modes.

The load q [N/m] does work on the displacement field of the element, r = R1 + A(θ) s(c)
(:mod:`flexmb.elements.planar.cms_beam`). With F = Aᵀ q dx at a Gauss point and s_c = ∂s/∂c, whose x row holds η, Φx
and H g and whose y row holds b,

    on R1: A Σ F,    on θ: Σ s × F,    on c: Σ s_cᵀ F

which go to the nodes like the inertia forces of the element. A follower load acts in the axes of the chord, turned
by the slope b'·g of the deflection. Derivatives, with F⊥ for F turned by +90°:

    dead load   ∂F/∂θ = −F⊥            follower   ∂F/∂g = F⊥ b'
    ∂(s × F) = s_c × F + s × ∂F,       ∂(s_cᵀ F) = s_cᵀ ∂F + H Fx
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.elements.beam_load import BeamLoad
from flexmb.elements.cms_shapes import FIELDS, ElementShapes
from flexmb.elements.planar.cms.inertia import (
    AXIAL,
    BENDING,
    FIELD,
    LENGTH,
    TABLE,
    TURN1,
    TURN2,
    c_of_g,
    motion,
)

# the number of Gauss points stands where the element has the number of its functions, and whether the load turns with
# the axis stands where the element says whether it is damped
from flexmb.elements.planar.cms.inertia import DAMPED as FOLLOWER
from flexmb.elements.planar.cms.inertia import FUNCTIONS as POINTS
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.slots import strength_at
from flexmb.model.components import Assembler

# The parameters begin like those of the element, with gravity, stiffness and mass zero. Then for each Gauss point:
# force (2,) and the values of the shapes; last the slot of its strength.


def put_load(
    turns: list[float], shapes: ElementShapes, coordinates: np.ndarray, assembly: Assembler, load: BeamLoad
) -> None:
    """Add the load on the coordinates (elements, n) of a beam's elements; `turns` are the angles of its nodes."""
    count, n = coordinates.shape
    values = shapes.at(shapes.x / shapes.length)
    for e in range(count):
        force = shapes.weights[:, None] * load.line_load_at((e + shapes.x / shapes.length) / count)
        head = np.zeros(TABLE)
        head[[LENGTH, TURN1, TURN2]] = shapes.length, turns[e], turns[e + 1]
        head[[AXIAL, BENDING, POINTS]] = shapes.axial, shapes.bending, len(values)
        head[[FIELD, FOLLOWER]] = FIELDS.index(shapes.field), not load.fixed_in_space
        before = np.concatenate([head, np.column_stack([force, values]).ravel()])
        p = np.concatenate([before, assembly.strength(load).slot()])
        assembly.instance(load, CMS_LOAD, coordinates[e], p, work=n * n + 20 * n, strength=len(before))


# `work` holds, after the numbers of the element: rows x and y of s_c, ∂ψ/∂c of a follower's ψ = b'·g (3 nl);
# the sums Fx, Fy, s × F, s_cᵀ F (3 + nl); and their derivatives by θ and c, (3 + nl, 1 + nl).


@compiled
def _point_fields(p, i, at, m, ng, second, work, g_at, h_at):
    """Local position s and velocity ṡ at a Gauss point; put H g into `work`."""
    nl = 1 + m + ng
    x = p[i, at]
    eta = p[i, at + 1]
    sx = x + eta * work[1]
    vx = eta * work[nl + 1]
    for k in range(m):
        phi = p[i, at + 2 + k]
        sx += phi * work[3 + k]
        vx += phi * work[nl + 3 + k]
    sy = 0.0
    vy = 0.0
    for k in range(ng):
        b = p[i, at + 2 + m + k]
        sy += b * work[g_at + k]
        vy += b * work[g_at + ng + k]
    if second:
        H = at + 2 + m + 2 * ng
        for j in range(ng):
            h0 = 0.0
            for k in range(ng):
                h0 += p[i, H + j * ng + k] * work[g_at + k]
            work[h_at + j] = h0
            sx += 0.5 * h0 * work[g_at + j]
            vx += h0 * work[g_at + ng + j]
    return sx, sy, vx, vy


@compiled
def _sizes(p, i):
    """Numbers of c and of g, place of s_c, place of the function of time, length of a point's row."""
    m = int(p[i, AXIAL])
    ng = 2 + int(p[i, BENDING])
    width = 4 + m + 2 * ng + ng * ng
    return 1 + m + ng, ng, 3 * (1 + m + ng) + 4 * ng, TABLE + int(p[i, POINTS]) * width, width


@compiled
def _load_at(p, i, row, nl, ng, s_at, co, si, f, work):
    """Local position, velocity and force F at a Gauss point; put s_c and ∂ψ/∂c into `work`."""
    m = nl - 1 - ng
    second = p[i, FIELD] == 2.0
    g_at = 3 * nl
    h_at = g_at + 3 * ng
    sx, sy, vx, vy = _point_fields(p, i, row + 2, m, ng, second, work, g_at, h_at)
    for k in range(3 * nl):
        work[s_at + k] = 0.0
    work[s_at + 1] = p[i, row + 3]
    for k in range(m):
        work[s_at + 3 + k] = p[i, row + 4 + k]
    follower = p[i, FOLLOWER] != 0.0
    turn = 0.0
    for k in range(ng):
        c = s_at + c_of_g(k, m)
        if second:
            work[c] = work[h_at + k]
        work[c + nl] = p[i, row + 4 + m + k]
        if follower:
            work[c + 2 * nl] = p[i, row + 4 + m + ng + k]
            turn += work[c + 2 * nl] * work[g_at + k]
    if follower:
        co = math.cos(turn)
        si = -math.sin(turn)
    fx = f * p[i, row]
    fy = f * p[i, row + 1]
    return sx, sy, vx, vy, co * fx + si * fy, co * fy - si * fx


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        nl, ng, s_at, f_at, width = _sizes(p, i)
        r_at = s_at + 3 * nl
        f = -strength_at(p[i], f_at, t)
        co, si, l, _, _, _, _, _, _, _, _ = motion(p, iq, iv, i, q, v, a, work)
        for k in range(3 + nl):
            work[r_at + k] = 0.0
        for point in range(int(p[i, POINTS])):
            sx, sy, _, _, fx, fy = _load_at(p, i, TABLE + point * width, nl, ng, s_at, co, si, f, work)
            work[r_at] += fx
            work[r_at + 1] += fy
            work[r_at + 2] += sx * fy - sy * fx
            for k in range(nl):
                work[r_at + 3 + k] += work[s_at + k] * fx + work[s_at + nl + k] * fy
        c0 = work[r_at + 3]
        N = work[r_at + 4]
        c2 = work[r_at + 5]
        tau = (work[r_at + 2] - c0 - c2) / l
        out[i, 0] = co * (work[r_at] - N) - si * (work[r_at + 1] - tau)
        out[i, 1] = si * (work[r_at] - N) + co * (work[r_at + 1] - tau)
        out[i, 2] = c0
        out[i, 3] = co * N - si * tau
        out[i, 4] = si * N + co * tau
        out[i, 5] = c2
        for k in range(3, nl):
            out[i, 3 + k] = work[r_at + 3 + k]


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        nl, ng, s_at, f_at, width = _sizes(p, i)
        m = nl - 1 - ng
        second = p[i, FIELD] == 2.0
        follower = p[i, FOLLOWER] != 0.0
        r_at = s_at + 3 * nl
        P = r_at + 3 + nl
        nc = 1 + nl
        f = -w[2] * strength_at(p[i], f_at, t)
        co, si, l, _, _, _, _, _, _, _, _ = motion(p, iq, iv, i, q, v, a, work)
        for k in range(3 + nl + (3 + nl) * nc):
            work[r_at + k] = 0.0
        for point in range(int(p[i, POINTS])):
            row = TABLE + point * width
            sx, sy, _, _, fx, fy = _load_at(p, i, row, nl, ng, s_at, co, si, f, work)
            work[r_at] += fx
            work[r_at + 1] += fy
            work[r_at + 2] += sx * fy - sy * fx
            for k in range(nl):
                work[r_at + 3 + k] += work[s_at + k] * fx + work[s_at + nl + k] * fy
            for column in range(nc):
                # how far the force turns against the body axes
                turn = 0.0
                moment = 0.0
                if column > 0:
                    c = s_at + column - 1
                    turn = work[c + 2 * nl]
                    moment = work[c] * fy - work[c + nl] * fx
                elif not follower:
                    turn = -1.0
                dx = -turn * fy
                dy = turn * fx
                at = P + column
                work[at] += dx
                work[at + nc] += dy
                work[at + 2 * nc] += moment + sx * dy - sy * dx
                for k in range(nl):
                    work[at + (3 + k) * nc] += work[s_at + k] * dx + work[s_at + nl + k] * dy
            if second:
                H = row + 4 + m + 2 * ng
                for j in range(ng):
                    at = P + (3 + c_of_g(j, m)) * nc + 1
                    for k in range(ng):
                        work[at + c_of_g(k, m)] += p[i, H + j * ng + k] * fx

        # columns: ū3 and ū6 fall by θ, and the axes of the force on R1 turn with θ
        il = 1.0 / l
        for k in range(3 + nl):
            at = P + k * nc
            work[at] -= work[at + 1] + work[at + 3]
        work[P] -= work[r_at + 1]
        work[P + nc] += work[r_at]
        N = work[r_at + 4]
        tau = (work[r_at + 2] - work[r_at + 3] - work[r_at + 5]) * il
        for column in range(nc):
            at = P + column
            dN = work[at + 4 * nc]
            dtau = (work[at + 2 * nc] - work[at + 3 * nc] - work[at + 5 * nc]) * il
            if column == 0:
                dN -= tau
                dtau += N
            elif column == 2:
                dtau -= tau * il
            ex = co * dN - si * dtau
            ey = si * dN + co * dtau
            # the rows of the column change from the order of P to that of the instance
            dx = work[at]
            dy = work[at + nc]
            work[at] = co * dx - si * dy - ex
            work[at + nc] = si * dx + co * dy - ey
            work[at + 2 * nc] = work[at + 3 * nc]
            work[at + 3 * nc] = ex
            work[at + 4 * nc] = ey
        for j in range(3 + nl):
            at = P + j * nc
            x = co * work[at + 2] - si * il * work[at]
            y = si * work[at + 2] + co * il * work[at]
            K[i, j, 0] -= x
            K[i, j, 1] -= y
            K[i, j, 2] += work[at + 1]
            K[i, j, 3] += x
            K[i, j, 4] += y
            for k in range(2, nl):
                K[i, j, 3 + k] += work[at + 1 + k]


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        nl, ng, s_at, f_at, width = _sizes(p, i)
        f = strength_at(p[i], f_at, t)
        co, si, _, _, _, _, _, om, _, _, _ = motion(p, iq, iv, i, q, v, a, work)
        ux = co * v[iv[i, 0]] + si * v[iv[i, 1]]
        uy = co * v[iv[i, 1]] - si * v[iv[i, 0]]
        for point in range(int(p[i, POINTS])):
            sx, sy, vx, vy, fx, fy = _load_at(p, i, TABLE + point * width, nl, ng, s_at, co, si, f, work)
            out[i, 4] += fx * (ux - om * sy + vx) + fy * (uy + om * sx + vy)


CMS_LOAD = Kernels("load on a CMS beam", residual, tangent, energy)
