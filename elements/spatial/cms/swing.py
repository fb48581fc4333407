"""Swing and twist of the ends of a CMS beam in space: their rates, and two derivatives of these.

A section is turned against the chord frame by S(u) Rx(φ): first a twist φ about x, then a swing that tilts x towards m,
across x, by the angle θ; u = θ m = (v', w'). In the axes of the frame let ν be the angular velocity of the section
against it, ν⊥ = (νy, νz), J = (νz, −νy) and u⊥ = (−u₂, u₁). From the tilted axis t = (cos θ, sin θ m), ṫ = ν × t,

    φ̇ = νx + K u·ν⊥,     K = tan(½θ)/θ
    u̇ = C J + D (J·u) u + νx u⊥,     C = θ cot θ,   D = (1 − C)/θ²

The functions K, C and D of x = u·u are quotients of Stumpff's c_k(x) = Σ (−x)^j/(2j + k)!, with c₀ = cos θ, c₁ =
sin θ/θ, and c_k' = −½ (c_{k+1} − k c_{k+2}); Stumpff (1956). They end at θ = π, where the swing has no direction.

A derivative along a path is written d, one along another δ, the mixed one dδ. All vectors are tuples.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import inlined

#: the coefficients 1/(2j + 6)! and 1/(2j + 7)! of c₆ and c₇, and how many of them a small x needs for all digits
SIXTH: tuple[float, ...] = tuple((-1.0) ** j / math.factorial(2 * j + 6) for j in range(15))
SEVENTH: tuple[float, ...] = tuple((-1.0) ** j / math.factorial(2 * j + 7) for j in range(15))
SMALL, FEW = 0.3, 6


@inlined
def stumpff(x):
    """c₀ … c₇ of x."""
    c6 = 0.0
    c7 = 0.0
    if abs(x) > SMALL:
        for j in range(14, FEW - 1, -1):
            c6 = SIXTH[j] + x * c6
            c7 = SEVENTH[j] + x * c7
    for j in range(FEW - 1, -1, -1):  # Horner's scheme of both series
        c6 = SIXTH[j] + x * c6
        c7 = SEVENTH[j] + x * c7
    c5 = 1.0 / 120.0 - x * c7
    c4 = 1.0 / 24.0 - x * c6
    c3 = 1.0 / 6.0 - x * c5
    c2 = 0.5 - x * c4
    return 1.0 - x * c2, 1.0 - x * c3, c2, c3, c4, c5, c6, c7


@inlined
def stumpff_rates(c):
    """First derivatives of c₀ … c₅ by x."""
    return (
        -0.5 * c[1],
        -0.5 * (c[2] - c[3]),
        -0.5 * (c[3] - 2.0 * c[4]),
        -0.5 * (c[4] - 3.0 * c[5]),
        -0.5 * (c[5] - 4.0 * c[6]),
        -0.5 * (c[6] - 5.0 * c[7]),
    )


@inlined
def second_rates(r):
    """Second derivatives of c₀ … c₃ by x, from the first ones."""
    return -0.5 * r[1], -0.5 * (r[2] - r[3]), -0.5 * (r[3] - 2.0 * r[4]), -0.5 * (r[4] - 3.0 * r[5])


@inlined
def _quotient(a, a1, a2, b, b1, b2):
    """a/b with its derivatives, from those of a and b."""
    value = a / b
    first = (a1 - value * b1) / b
    return value, first, (a2 - 2.0 * first * b1 - value * b2) / b


@inlined
def end_functions(x):
    """K, C, D with two derivatives of each, of x = u·u."""
    c = stumpff(x)
    r = stumpff_rates(c)
    s = second_rates(r)
    K, K1, K2 = _quotient(c[2], r[2], s[2], c[1], r[1], s[1])
    C, C1, C2 = _quotient(c[0], r[0], s[0], c[1], r[1], s[1])
    D, D1, D2 = _quotient(c[2] - c[3], r[2] - r[3], s[2] - s[3], c[1], r[1], s[1])
    return K, K1, K2, C, C1, C2, D, D1, D2


@inlined
def dot2(a, b):
    """a·b in the plane across the axis."""
    return a[0] * b[0] + a[1] * b[1]


# -- the twist: φ̇ = νx + K u·n with n = ν⊥ --------------------------------------------------------------------------


@inlined
def twist_rate(f, u, wx, n):
    """wx + K u·n."""
    return wx + f[0] * dot2(u, n)


@inlined
def twist_change(f, u, n, du, dwx, dn):
    """Its derivative."""
    return dwx + f[0] * (dot2(du, n) + dot2(u, dn)) + f[1] * 2.0 * dot2(u, du) * dot2(u, n)


@inlined
def twist_second(f, u, n, du, dn, eu, en, ddu, ddwx, ddn):
    """Mixed second derivative of the twist rate: along (du, dn), then along (eu, en)."""
    e = 2.0 * dot2(u, du)
    g = 2.0 * dot2(u, eu)
    h = 2.0 * (dot2(du, eu) + dot2(u, ddu))
    y = dot2(u, n)
    yd = dot2(du, n) + dot2(u, dn)
    ye = dot2(eu, n) + dot2(u, en)
    ydd = dot2(ddu, n) + dot2(du, en) + dot2(eu, dn) + dot2(u, ddn)
    return ddwx + f[0] * ydd + f[1] * (e * ye + g * yd + h * y) + f[2] * e * g * y


# -- the swing: u̇ = C J + D (J·u) u + νx u⊥ with J = (n₂, −n₁) -------------------------------------------------------


@inlined
def swing_rate(f, u, n, nx):
    """C J + D (J·u) u + νx u⊥."""
    j = f[6] * (n[1] * u[0] - n[0] * u[1])
    return f[3] * n[1] + j * u[0] - nx * u[1], -f[3] * n[0] + j * u[1] + nx * u[0]


@inlined
def swing_change(f, u, n, nx, du, dn, dnx):
    """Its derivative."""
    e = 2.0 * dot2(u, du)
    j = n[1] * u[0] - n[0] * u[1]
    dj = dn[1] * u[0] - dn[0] * u[1] + n[1] * du[0] - n[0] * du[1]
    g = f[6] * j
    dg = f[7] * e * j + f[6] * dj
    dC = f[4] * e
    x = f[3] * dn[1] + dC * n[1] + dg * u[0] + g * du[0] - dnx * u[1] - nx * du[1]
    y = -f[3] * dn[0] - dC * n[0] + dg * u[1] + g * du[1] + dnx * u[0] + nx * du[0]
    return x, y


@inlined
def swing_second(f, u, n, nx, du, dn, dnx, eu, en, enx, ddu, ddn, ddnx):
    """Its mixed derivative."""
    e = 2.0 * dot2(u, du)
    h = 2.0 * dot2(u, eu)
    k = 2.0 * (dot2(du, eu) + dot2(u, ddu))
    j = n[1] * u[0] - n[0] * u[1]
    dj = dn[1] * u[0] - dn[0] * u[1] + n[1] * du[0] - n[0] * du[1]
    ej = en[1] * u[0] - en[0] * u[1] + n[1] * eu[0] - n[0] * eu[1]
    ddj = ddn[1] * u[0] - ddn[0] * u[1] + dn[1] * eu[0] - dn[0] * eu[1]
    ddj += en[1] * du[0] - en[0] * du[1] + n[1] * ddu[0] - n[0] * ddu[1]
    g = f[6] * j
    dg = f[7] * e * j + f[6] * dj
    eg = f[7] * h * j + f[6] * ej
    ddg = f[8] * e * h * j + f[7] * (k * j + e * ej + h * dj) + f[6] * ddj
    dC = f[4] * e
    eC = f[4] * h
    ddC = f[5] * e * h + f[4] * k
    x = f[3] * ddn[1] + dC * en[1] + eC * dn[1] + ddC * n[1]
    x += ddg * u[0] + dg * eu[0] + eg * du[0] + g * ddu[0]
    x -= ddnx * u[1] + dnx * eu[1] + enx * du[1] + nx * ddu[1]
    y = -f[3] * ddn[0] - dC * en[0] - eC * dn[0] - ddC * n[0]
    y += ddg * u[1] + dg * eu[1] + eg * du[1] + g * ddu[1]
    y += ddnx * u[0] + dnx * eu[0] + enx * du[0] + nx * ddu[0]
    return x, y


# -- forces: the transpose of both, with the force π on φ̇ and f on u̇ -------------------------------------------------


@inlined
def end_force(f, u, force, pi):
    """Force on n (2) of π (K u·n) + force · (C J + D (J·u) u)."""
    fu = f[6] * dot2(force, u)
    g0 = f[3] * force[0] + fu * u[0]
    g1 = f[3] * force[1] + fu * u[1]
    return pi * f[0] * u[0] - g1, pi * f[0] * u[1] + g0


@inlined
def end_force_change(f, u, force, pi, du, dforce, dpi):
    """Its derivative."""
    e = 2.0 * dot2(u, du)
    y = dot2(force, u)
    dy = dot2(dforce, u) + dot2(force, du)
    fu = f[6] * y
    dfu = f[7] * e * y + f[6] * dy
    dC = f[4] * e
    g0 = f[3] * dforce[0] + dC * force[0] + dfu * u[0] + fu * du[0]
    g1 = f[3] * dforce[1] + dC * force[1] + dfu * u[1] + fu * du[1]
    k = dpi * f[0] + pi * f[1] * e
    return k * u[0] + pi * f[0] * du[0] - g1, k * u[1] + pi * f[0] * du[1] + g0
