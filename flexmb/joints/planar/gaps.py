"""Rows of gaps in the plane, and of the slip beside them: of two points, round bodies, and half-planes.

Body a has a half-plane with the normal n and the point p_a, or p_a is the middle of what is round, or a point. On body
b is p_b, a point or the middle of a circle of radius r. With D = p_b − R_a from the node of a, the arm s_b = p_b − R_b
and d = p_b − p_a the gap s and its normal n, from a to b, are those of the rows

    half-plane     g = n · d − r − s,                n turns with a
    distance       g = σ (d · d − L²)/(2 L) − s,     n = σ d/L

σ is 1 for a lower limit L of the distance, the sum of two radii, and −1 for an upper one, as in a round hole. Where the
gap is zero n has the length 1, and the rate of g is that of the distance; unlike |d| it is smooth where both points
meet, as those of a slack rope may. With t = k × n both rates are, where b touches a,

    ġ = n · w − ṡ,    u = t · w − r (ω_b − ω_a) − σ̇,    w = Ṙ_b + ω_b k × s_b − Ṙ_a − ω_a k × D

so that the rows of both are −e, −e · (k × D), e, e · (k × s_b) for e = n and e = t, and that of the slip has ±r for the
angles. The slip is a velocity row: in a round hole the middle of b may pass that of a, about which it has no angle.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.geometry import pair_arms, turned

#: parameters behind the offsets of p_a and p_b on their nodes: L, or 0 of a half-plane, and σ; the normal of a
#: half-plane in the axes of node a (2), and r
LIMIT, SIGN, NORMAL, RADIUS = 6, 7, 8, 10


@compiled
def _seen(p, iq, q):
    """n, D, the arm of p_b, and the gap."""
    ax, ay, bx, by = pair_arms(p, iq, q)
    far_x, far_y = q[iq[3]] + bx - q[iq[0]], q[iq[4]] + by - q[iq[1]]
    dx, dy = far_x - ax, far_y - ay
    L = p[LIMIT]
    if L > 0.0:
        by_L = p[SIGN] / L
        return by_L * dx, by_L * dy, far_x, far_y, bx, by, 0.5 * by_L * (dx * dx + dy * dy - L * L)
    nx, ny = turned(math.cos(q[iq[2]]), math.sin(q[iq[2]]), p[NORMAL], p[NORMAL + 1])
    return nx, ny, far_x, far_y, bx, by, nx * dx + ny * dy - p[RADIUS]


@compiled
def _rates(p, iq, iv, q, v, nx, ny, far_x, far_y, bx, by):
    """w and its rate without accelerations, and the rate of n."""
    wa, wb = v[iv[2]], v[iv[5]]
    ux, uy = v[iv[3]] - wb * by - v[iv[0]], v[iv[4]] + wb * bx - v[iv[1]]
    wx, wy = ux + wa * far_y, uy - wa * far_x
    more_x, more_y = wa * uy - wb * wb * bx, -wa * ux - wb * wb * by
    if p[LIMIT] > 0.0:
        by_L = p[SIGN] / p[LIMIT]
        ax, ay = far_x - nx / by_L, far_y - ny / by_L
        return wx, wy, more_x, more_y, by_L * (ux + wa * ay), by_L * (uy - wa * ax)
    return wx, wy, more_x, more_y, -wa * ny, wa * nx


@compiled
def _bend(p, j, nx, ny, far_x, far_y, bx, by):
    """The changes of n, D and the arm of p_b with coordinate number j of both nodes."""
    Dx = -1.0 if j == 0 else 1.0 if j == 3 else -by if j == 5 else 0.0
    Dy = -1.0 if j == 1 else 1.0 if j == 4 else bx if j == 5 else 0.0
    arm_x, arm_y = (-by, bx) if j == 5 else (0.0, 0.0)
    if p[LIMIT] > 0.0:
        by_L = p[SIGN] / p[LIMIT]
        ax, ay = far_x - nx / by_L, far_y - ny / by_L
        return by_L * (Dx + (ay if j == 2 else 0.0)), by_L * (Dy - (ax if j == 2 else 0.0)), Dx, Dy, arm_x, arm_y
    return (-ny, nx, Dx, Dy, arm_x, arm_y) if j == 2 else (0.0, 0.0, Dx, Dy, arm_x, arm_y)


@compiled
def _row(k, ex, ey, far_x, far_y, bx, by):
    """Entry k of the row of a direction e."""
    if k == 2:
        return ex * far_y - ey * far_x
    if k == 5:
        return ey * bx - ex * by
    return (-1.0 if k < 3 else 1.0) * (ex if k == 0 or k == 3 else ey)


@kernel
def gap_constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        nx, ny, far_x, far_y, bx, by, gap = _seen(p[i], iq[i], q)
        wx, wy, more_x, more_y, nx_rate, ny_rate = _rates(p[i], iq[i], iv[i], q, v, nx, ny, far_x, far_y, bx, by)
        out[i, 0] = gap - q[iq[i, 6]]
        out[i, 1] = nx * wx + ny * wy - v[iv[i, 6]]
        out[i, 2] = -nx_rate * wx - ny_rate * wy - nx * more_x - ny * more_y


@kernel
def gap_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        nx, ny, far_x, far_y, bx, by, _ = _seen(p[i], iq[i], q)
        force = w[2] * lam[i, 0]
        for k in range(6):
            out[i, k] = _row(k, nx, ny, far_x, far_y, bx, by)
        out[i, 6] = -1.0
        for j in range(6):
            ex, ey, Dx, Dy, arm_x, arm_y = _bend(p[i], j, nx, ny, far_x, far_y, bx, by)
            for k in range(6):
                K[i, k, j] += force * _row(k, ex, ey, far_x, far_y, bx, by)
            K[i, 2, j] += force * (nx * Dy - ny * Dx)
            K[i, 5, j] += force * (ny * arm_x - nx * arm_y)


@kernel
def slip_constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        nx, ny, far_x, far_y, bx, by, _ = _seen(p[i], iq[i], q)
        wx, wy, more_x, more_y, nx_rate, ny_rate = _rates(p[i], iq[i], iv[i], q, v, nx, ny, far_x, far_y, bx, by)
        out[i, 1] = nx * wy - ny * wx - p[i, RADIUS] * (v[iv[i, 5]] - v[iv[i, 2]]) - v[iv[i, 6]]
        out[i, 2] = ny_rate * wx - nx_rate * wy + ny * more_x - nx * more_y


@kernel
def slip_jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        nx, ny, far_x, far_y, bx, by, _ = _seen(p[i], iq[i], q)
        force = w[2] * lam[i, 0]
        for k in range(6):
            out[i, k] = _row(k, -ny, nx, far_x, far_y, bx, by)
        out[i, 2] += p[i, RADIUS]
        out[i, 5] -= p[i, RADIUS]
        out[i, 6] = -1.0
        for j in range(6):
            ex, ey, Dx, Dy, arm_x, arm_y = _bend(p[i], j, nx, ny, far_x, far_y, bx, by)
            for k in range(6):
                change = _row(k, -ey, ex, far_x, far_y, bx, by)
                if k == 2:
                    change -= ny * Dy + nx * Dx
                elif k == 5:
                    change += nx * arm_x + ny * arm_y
                K[i, k, j] += force * change
                out[i, 7 + j] += change * v[iv[i, k]]


#: One row, on two nodes and the gap; parameters: offsets (6), L, σ, the normal of a half-plane (2), r.
GAP = Kernels("gap", constraint=gap_constraint, jacobian=gap_jacobian)
#: One velocity row, on two nodes and the slip; parameters as of the gap.
SLIP = Kernels("slip beside a gap", constraint=slip_constraint, jacobian=slip_jacobian)
