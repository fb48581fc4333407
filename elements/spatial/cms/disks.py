"""Rotary inertia of a CMS beam in space: its sections as thin rigid disks, with the orientation that they have exactly.

At a Gauss point the section turns against the chord frame by R = S(u) Rx(φ) and has, in the axes of the frame, with x =
(u₁, u₂, φ) and the matrix B(u) of the rates,

    ω = Ω + B ẋ,    α = Ω̇ + Ω × B ẋ + Ḃ ẋ + B ẍ,    M = J α + ω × J ω,    J = R diag(ρIp, ρIy, ρIz) Rᵀ

    B = ( −c₂ u₂       c₂ u₁            c₀    )
        ( −c₃ u₁ u₂    −c₁ − c₃ u₂²     c₁ u₁ )
        ( c₁ + c₃ u₁²  c₃ u₁ u₂         c₁ u₂ )

with Stumpff's functions of u·u. M acts on Π, and BᵀM on x. If the disk is turned by ρ while ω and α stay, J α becomes
J α + ρ × J α − J (ρ × α). The gyroscopic moments of a spinning shaft are part of this.
"""

from __future__ import annotations

import math

from flexmb.elements.spatial.cms.element import DISK_POINTS, RHO_IP, RHO_IY, RHO_IZ, STRAIN_POINTS
from flexmb.elements.spatial.cms.frame import sizes
from flexmb.elements.spatial.cms.strains import tables
from flexmb.elements.spatial.cms.swing import second_rates, stumpff, stumpff_rates
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.vectors import (
    applied,
    combined,
    cross,
    dot,
    matrix_product,
    minus,
    outer,
    plus,
    tilde,
    times,
    transposed,
)
from flexmb.kernels.views import matrix_view, vector_view


@inlined
def turning_matrix(u0, u1, c):
    """B, with the functions c of u·u."""
    return (
        -c[2] * u1,
        c[2] * u0,
        c[0],
        -c[3] * u0 * u1,
        -c[1] - c[3] * u1 * u1,
        c[1] * u0,
        c[1] + c[3] * u0 * u0,
        c[3] * u0 * u1,
        c[1] * u1,
    )


@inlined
def turning_matrix_change(u0, u1, c, r, d0, d1):
    """Change of B along (d0, d1); r are the derivatives of the functions c."""
    e = 2.0 * (u0 * d0 + u1 * d1)
    dc0, dc1, dc2, dc3 = e * r[0], e * r[1], e * r[2], e * r[3]
    product, dproduct = u0 * u1, d0 * u1 + u0 * d1
    cross_term = dc3 * product + c[3] * dproduct
    return (
        -dc2 * u1 - c[2] * d1,
        dc2 * u0 + c[2] * d0,
        dc0,
        -cross_term,
        -dc1 - dc3 * u1 * u1 - 2.0 * c[3] * u1 * d1,
        dc1 * u0 + c[1] * d0,
        dc1 + dc3 * u0 * u0 + 2.0 * c[3] * u0 * d0,
        cross_term,
        dc1 * u1 + c[1] * d1,
    )


@inlined
def turning_matrix_second(u0, u1, c, r, s, d0, d1, e0, e1):
    """Second change of B along the straight directions (d0, d1), (e0, e1); s: second derivatives of c₀ … c₃."""
    d, e, both = 2.0 * (u0 * d0 + u1 * d1), 2.0 * (u0 * e0 + u1 * e1), 2.0 * (d0 * e0 + d1 * e1)
    x0, x1, x2, x3 = s[0] * d * e + r[0] * both, s[1] * d * e + r[1] * both, s[2] * d * e + r[2] * both, 0.0
    x3 = s[3] * d * e + r[3] * both
    y1, y2, y3 = r[1] * d, r[2] * d, r[3] * d
    z1, z2, z3 = r[1] * e, r[2] * e, r[3] * e
    term = x3 * u0 * u1 + y3 * (e0 * u1 + u0 * e1) + z3 * (d0 * u1 + u0 * d1) + c[3] * (d0 * e1 + e0 * d1)
    return (
        -x2 * u1 - y2 * e1 - z2 * d1,
        x2 * u0 + y2 * e0 + z2 * d0,
        x0,
        -term,
        -x1 - x3 * u1 * u1 - 2.0 * (y3 * u1 * e1 + z3 * u1 * d1 + c[3] * d1 * e1),
        x1 * u0 + y1 * e0 + z1 * d0,
        x1 + x3 * u0 * u0 + 2.0 * (y3 * u0 * e0 + z3 * u0 * d0 + c[3] * d0 * e0),
        term,
        x1 * u1 + y1 * e1 + z1 * d1,
    )


@inlined
def _tensor(p, i, u0, u1, phi, c):
    """J in the axes of the frame."""
    t = (c[0], c[1] * u0, c[1] * u1)
    y = (-c[1] * u0, 1.0 - c[2] * u0 * u0, -c[2] * u0 * u1)
    z = (-c[1] * u1, -c[2] * u0 * u1, 1.0 - c[2] * u1 * u1)
    co, si = math.cos(phi), math.sin(phi)
    y, z = plus(times(co, y), times(si, z)), minus(times(co, z), times(si, y))
    J = combined(p[i, RHO_IP], outer(t, t), p[i, RHO_IY], outer(y, y))
    return combined(1.0, J, p[i, RHO_IZ], outer(z, z))


@inlined
def _variables(row, at, nv, nw, nt, first, c, order):
    """(u₁, u₂, φ) of the Gauss point whose row begins at row[at], or their rates."""
    x = 0.0
    y = 0.0
    phi = 0.0
    for k in range(nv):
        x += row[at + 1 + k] * c[order, first + k]
    for k in range(nv, nv + nw):
        y += row[at + 1 + k] * c[order, first + k]
    for k in range(nv + nw, nv + nw + nt):
        phi += row[at + 1 + k] * c[order, first + k]
    return x, y, phi


@called(None)
def disk_forces(p, i, om, al, c, y):
    """Add the forces of all disks on Π and c to y (6 + nc)."""
    m, nv, nw, nt, nc = sizes(p, i)
    first = 1 + m
    _, _, _, _, at, width = tables(p, i)
    at += int(p[i, STRAIN_POINTS]) * width
    row = vector_view(p, i * p.shape[1], p.shape[1])
    for _point in range(int(p[i, DISK_POINTS])):
        x = _variables(row, at, nv, nw, nt, first, c, 0)
        v = _variables(row, at, nv, nw, nt, first, c, 1)
        a = _variables(row, at, nv, nw, nt, first, c, 2)
        f = stumpff(x[0] * x[0] + x[1] * x[1])
        B = turning_matrix(x[0], x[1], f)
        Bd = turning_matrix_change(x[0], x[1], f, stumpff_rates(f), v[0], v[1])
        J = _tensor(p, i, x[0], x[1], x[2], f)
        own = applied(B, v)
        omega = plus(om, own)
        alpha = plus(plus(al, cross(om, own)), plus(applied(Bd, v), applied(B, a)))
        M = times(row[at], plus(applied(J, alpha), cross(omega, applied(J, omega))))
        force = applied(transposed(B), M)
        for k in range(3):
            y[3 + k] += M[k]
        for k in range(nv):
            y[6 + first + k] += row[at + 1 + k] * force[0]
        for k in range(nv, nv + nw):
            y[6 + first + k] += row[at + 1 + k] * force[1]
        for k in range(nv + nw, nv + nw + nt):
            y[6 + first + k] += row[at + 1 + k] * force[2]
        at += width


@called(float)
def disk_energy(p, i, om, c):
    """Kinetic energy of all disks."""
    m, nv, nw, nt, nc = sizes(p, i)
    first = 1 + m
    _, _, _, _, at, width = tables(p, i)
    at += int(p[i, STRAIN_POINTS]) * width
    row = vector_view(p, i * p.shape[1], p.shape[1])
    total = 0.0
    for _point in range(int(p[i, DISK_POINTS])):
        x = _variables(row, at, nv, nw, nt, first, c, 0)
        v = _variables(row, at, nv, nw, nt, first, c, 1)
        f = stumpff(x[0] * x[0] + x[1] * x[1])
        omega = plus(om, applied(turning_matrix(x[0], x[1], f), v))
        total += 0.5 * row[at] * dot(omega, applied(_tensor(p, i, x[0], x[1], x[2], f), omega))
        at += width
    return total


@inlined
def _columns(a, b):
    """The matrix (a, b, 0)."""
    return a[0], b[0], 0.0, a[1], b[1], 0.0, a[2], b[2], 0.0


@inlined
def _put(local, column, factor, A, B):
    """Put two matrices, one below the other, into three columns."""
    for j in range(3):
        for k in range(3):
            local[j, column + k] = factor * A[3 * j + k]
            local[3 + j, column + k] = factor * B[3 * j + k]


@called(None)
def disk_tangent(p, i, om, al, c, Z, room):
    """Z (3 + n, 6 + 3 n): derivatives of the forces of all disks on Π and on the n coordinates of bending and torsion,
    by Ω, Ω̇, these coordinates and both of their rates."""
    m, nv, nw, nt, nc = sizes(p, i)
    first, n = 1 + m, nv + nw + nt
    _, _, _, _, at, width = tables(p, i)
    at += int(p[i, STRAIN_POINTS]) * width
    row = vector_view(p, i * p.shape[1], p.shape[1])
    local = matrix_view(room, 0, 6, 15)
    R = matrix_view(room, 90, 6, Z.shape[1])
    for j in range(Z.shape[0]):
        for k in range(Z.shape[1]):
            Z[j, k] = 0.0
    for _point in range(int(p[i, DISK_POINTS])):
        x = _variables(row, at, nv, nw, nt, first, c, 0)
        v = _variables(row, at, nv, nw, nt, first, c, 1)
        a = _variables(row, at, nv, nw, nt, first, c, 2)
        f = stumpff(x[0] * x[0] + x[1] * x[1])
        r = stumpff_rates(f)
        s = second_rates(r)
        B = turning_matrix(x[0], x[1], f)
        Bd = turning_matrix_change(x[0], x[1], f, r, v[0], v[1])
        J = _tensor(p, i, x[0], x[1], x[2], f)
        back = transposed(B)
        own = applied(B, v)
        omega = plus(om, own)
        alpha = plus(plus(al, cross(om, own)), plus(applied(Bd, v), applied(B, a)))
        M = plus(applied(J, alpha), cross(omega, applied(J, omega)))
        first_change = turning_matrix_change(x[0], x[1], f, r, 1.0, 0.0)
        second_change = turning_matrix_change(x[0], x[1], f, r, 0.0, 1.0)
        first_rate = turning_matrix_second(x[0], x[1], f, r, s, v[0], v[1], 1.0, 0.0)
        second_rate = turning_matrix_second(x[0], x[1], f, r, s, v[0], v[1], 0.0, 1.0)
        speeds = _columns(applied(first_change, v), applied(second_change, v))  # of B ẋ by x
        rates = _columns(
            plus(applied(first_rate, v), applied(first_change, a)),
            plus(applied(second_rate, v), applied(second_change, a)),
        )
        # derivatives of M by Ω, Ω̇, x, ẋ, ẍ
        spin, faster = tilde(applied(J, omega)), tilde(applied(J, alpha))
        turn, frame = tilde(omega), tilde(om)
        gyroscopic = combined(1.0, matrix_product(turn, J), -1.0, spin)
        by_omega = combined(1.0, gyroscopic, -1.0, matrix_product(J, tilde(own)))
        by_acceleration = matrix_product(J, B)
        by_rate = combined(1.0, matrix_product(frame, B), 1.0, combined(1.0, speeds, 1.0, Bd))
        by_rate = combined(1.0, matrix_product(J, by_rate), 1.0, matrix_product(gyroscopic, B))
        by_x = combined(1.0, matrix_product(frame, speeds), 1.0, rates)
        by_x = combined(1.0, by_x, 1.0, matrix_product(tilde(alpha), B))
        by_x = combined(1.0, matrix_product(J, by_x), -1.0, matrix_product(faster, B))
        dspin = matrix_product(J, combined(1.0, speeds, 1.0, matrix_product(turn, B)))
        dspin = combined(1.0, dspin, -1.0, matrix_product(spin, B))
        by_x = combined(1.0, by_x, -1.0, matrix_product(spin, speeds))
        by_x = combined(1.0, by_x, 1.0, matrix_product(turn, dspin))
        own_change = _columns(applied(transposed(first_change), M), applied(transposed(second_change), M))
        _put(local, 0, row[at], by_omega, matrix_product(back, by_omega))
        _put(local, 3, row[at], J, matrix_product(back, J))
        _put(local, 6, row[at], by_x, combined(1.0, matrix_product(back, by_x), 1.0, own_change))
        _put(local, 9, row[at], by_rate, matrix_product(back, by_rate))
        _put(local, 12, row[at], by_acceleration, matrix_product(back, by_acceleration))
        for j in range(6):
            for k in range(6):
                R[j, k] = local[j, k]
            for order in range(3):
                for k in range(n):
                    what = 0 if k < nv else 1 if k < nv + nw else 2
                    R[j, 6 + order * n + k] = local[j, 6 + 3 * order + what] * row[at + 1 + k]
        for k in range(Z.shape[1]):
            for j in range(3):
                Z[j, k] += R[j, k]
        for j in range(n):
            what = 3 if j < nv else 4 if j < nv + nw else 5
            shape = row[at + 1 + j]
            for k in range(Z.shape[1]):
                Z[3 + j, k] += shape * R[what, k]
        at += width
