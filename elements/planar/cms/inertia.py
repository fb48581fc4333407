"""Inertia of a CMS beam: its motion in the floating frame, and the integrals of the products of its functions.

The symbols are those of :mod:`flexmb.elements.planar.cms_beam`. The acceleration in body axes is a sum of the functions
f = (1, X, b), with coefficients u for its x and w for its y component:

    u = (ax; ζ̈ − θ̇² ζ; −(θ̈ g + 2 θ̇ ġ)),      w = (ay; θ̈ ζ + 2 θ̇ ζ̇; g̈ − θ̇² g)

With G the integrals of ρA f fᵀ, the loads G u and G w act on a virtual displacement of a coordinate by the functions
that move with it: on R1 by 1, on θ by (−b·g, X·ζ), on l by η, on ξx by Φx, on g_j by (Σ_k g_k X_jk, b_j).

Sections turn by θ + ψ·g. With the constant matrix T = ∫ ρI (1, ψ)(1, ψ)ᵀ dx their inertia adds T (θ̈, g̈) to the loads
on (θ, g).

The kernels keep small matrices in `work`: c, ċ, c̈ (3, nl), then g, ġ, g̈ (3, ng), then ζ, ζ̇, ζ̈ (3, nx). There are nl
local coordinates, ng bending ones, nx functions X, and nf = 1 + nx + ng functions in all.
"""

from __future__ import annotations

import math

from flexmb.elements.cms_products import pair
from flexmb.kernels.compilation import inlined

# places of the parameters of an instance
GX, GY, LENGTH, EA, EI, RHO_A, TURN1, TURN2, AXIAL, BENDING, FUNCTIONS, FIELD, DAMPED, BETA = range(14)
#: moments in EI/L for a turn of the same end and of the other one, GA (0 without shear), whether sections have inertia
NEAR, FAR, GA, TURNING = range(14, 18)
TABLE = 18


@inlined
def motion(p, iq, iv, i, q, v, a, work):
    """Put c, g and their rates into `work`; return cos θ, sin θ, l, V, W, θ̇, θ̈, R̈1 − gravity in body axes."""
    L = p[i, LENGTH]
    m = int(p[i, AXIAL])
    n = int(p[i, BENDING])
    nl = 3 + m + n
    dx = q[iq[i, 3]] - q[iq[i, 0]]
    dy = q[iq[i, 4]] - q[iq[i, 1]]
    l = math.sqrt(dx * dx + dy * dy)
    co = dx / l
    si = dy / l
    th1 = q[iq[i, 2]] - p[i, TURN1]
    c1 = math.cos(th1)
    s1 = math.sin(th1)
    turn = math.atan2(c1 * si - s1 * co, c1 * co + s1 * si)
    dvx = v[iv[i, 3]] - v[iv[i, 0]]
    dvy = v[iv[i, 4]] - v[iv[i, 1]]
    dax = a[iv[i, 3]] - a[iv[i, 0]]
    day = a[iv[i, 4]] - a[iv[i, 1]]
    Vx = co * dvx + si * dvy
    Vy = co * dvy - si * dvx
    Wx = co * dax + si * day
    Wy = co * day - si * dax
    om = Vy / l
    al = Wy / l - 2.0 * Vx * Vy / (l * l)
    between = q[iq[i, 5]] - p[i, TURN2] - th1
    # of the angles that differ by whole turns, the chord has the one nearest to the mean of the ends
    turn += 2.0 * math.pi * math.floor((between - 2.0 * turn) / (4.0 * math.pi) + 0.5)
    work[0] = -turn
    work[1] = l - L
    work[2] = between - turn
    work[nl] = v[iv[i, 2]] - om
    work[nl + 1] = Vx
    work[nl + 2] = v[iv[i, 5]] - om
    work[2 * nl] = a[iv[i, 2]] - al
    work[2 * nl + 1] = Wx + Vy * Vy / l
    work[2 * nl + 2] = a[iv[i, 5]] - al
    for k in range(m + n):
        work[3 + k] = q[iq[i, 6 + k]]
        work[nl + 3 + k] = v[iv[i, 6 + k]]
        work[2 * nl + 3 + k] = a[iv[i, 6 + k]]
    ng = 2 + n
    for order in range(3):
        at = 3 * nl + order * ng
        work[at] = work[order * nl]
        work[at + 1] = work[order * nl + 2]
        for k in range(n):
            work[at + 2 + k] = work[order * nl + 3 + m + k]
    ax = a[iv[i, 0]] - p[i, GX]
    ay = a[iv[i, 1]] - p[i, GY]
    return co, si, l, Vx, Vy, Wx, Wy, om, al, co * ax + si * ay, co * ay - si * ax


@inlined
def c_of_g(k, m):
    """Number in c of the k-th entry of g."""
    return 2 * k if k < 2 else 1 + m + k


@inlined
def amplitudes(m, ng, second, l, c, g, zeta):
    """Fill ζ, ζ̇, ζ̈ (3, nx)."""
    for order in range(3):
        zeta[order, 0] = c[order, 1]
        for k in range(m):
            zeta[order, 1 + k] = c[order, 3 + k]
    zeta[0, 0] = l
    if second:
        place = 1 + m
        for j in range(ng):
            gj, vj, aj = g[0, j], g[1, j], g[2, j]
            for k in range(j, ng):
                half = 0.5 if j == k else 1.0
                gk, vk, ak = g[0, k], g[1, k], g[2, k]
                zeta[0, place] = half * (gj * gk)
                zeta[1, place] = half * (gj * vk + vj * gk)
                zeta[2, place] = half * (gj * ak + 2.0 * (vj * vk) + aj * gk)
                place += 1


@inlined
def acceleration(om, al, ax, ay, zeta, g, fields):
    """Coefficients u, w (2, nf) of the acceleration in body axes."""
    nx, ng = zeta.shape[1], g.shape[1]
    fields[0, 0] = ax
    fields[1, 0] = ay
    for e in range(nx):
        fields[0, 1 + e] = zeta[2, e] - om * om * zeta[0, e]
        fields[1, 1 + e] = al * zeta[0, e] + 2.0 * om * zeta[1, e]
    for b in range(ng):
        fields[0, 1 + nx + b] = -al * g[0, b] - 2.0 * om * g[1, b]
        fields[1, 1 + nx + b] = g[2, b] - om * om * g[0, b]


@inlined
def velocity(om, vx, vy, zeta, g, fields):
    """Coefficients (2, nf) of the velocity in body axes; (vx, vy) is the velocity of R1."""
    nx, ng = zeta.shape[1], g.shape[1]
    fields[0, 0] = vx
    fields[1, 0] = vy
    for e in range(nx):
        fields[0, 1 + e] = zeta[1, e]
        fields[1, 1 + e] = om * zeta[0, e]
    for b in range(ng):
        fields[0, 1 + nx + b] = -om * g[0, b]
        fields[1, 1 + nx + b] = g[1, b]


@inlined
def loads_of(gram, fields, loads):
    """G u and G w (2, nf): integrals of the functions times a field (2, nf). Four rows of G at a time."""
    nf = gram.shape[0]
    whole = nf - nf % 4
    for e in range(nf):
        loads[0, e] = 0.0
        loads[1, e] = 0.0
    for f in range(0, whole, 4):
        x0, x1, x2, x3 = fields[0, f], fields[0, f + 1], fields[0, f + 2], fields[0, f + 3]
        y0, y1, y2, y3 = fields[1, f], fields[1, f + 1], fields[1, f + 2], fields[1, f + 3]
        for e in range(nf):
            g0, g1, g2, g3 = gram[f, e], gram[f + 1, e], gram[f + 2, e], gram[f + 3, e]
            loads[0, e] += g0 * x0 + g1 * x1 + g2 * x2 + g3 * x3
            loads[1, e] += g0 * y0 + g1 * y1 + g2 * y2 + g3 * y3
    for f in range(whole, nf):
        x0, y0 = fields[0, f], fields[1, f]
        for e in range(nf):
            loads[0, e] += gram[f, e] * x0
            loads[1, e] += gram[f, e] * y0


@inlined
def project(m, second, zeta, g, loads, out):
    """Loads (2, nf) on the coordinates (R1 in body axes, θ, c): out (3 + nl,)."""
    nx, ng = zeta.shape[1], g.shape[1]
    out[0] = loads[0, 0]
    out[1] = loads[1, 0]
    moment = 0.0
    for e in range(nx):
        moment += zeta[0, e] * loads[1, 1 + e]
    for b in range(ng):
        moment -= g[0, b] * loads[0, 1 + nx + b]
    out[2] = moment
    out[4] = loads[0, 1]
    for k in range(m):
        out[6 + k] = loads[0, 2 + k]
    for j in range(ng):
        total = loads[1, 1 + nx + j]
        if second:
            for k in range(ng):
                total += g[0, k] * loads[0, 2 + m + pair(j, k, ng)]
        out[3 + c_of_g(j, m)] = total


@inlined
def turn_sections(m, al, g, turning, y):
    """Add the loads of turning sections on θ and c to y (3 + nl,)."""
    ng = g.shape[1]
    for j in range(1 + ng):
        total = turning[j, 0] * al
        for k in range(ng):
            total += turning[j, 1 + k] * g[2, k]
        y[2 if j == 0 else 3 + c_of_g(j - 1, m)] += total
