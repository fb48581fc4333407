"""The helicoid between two sections, with its strains and their changes.

Between the sections Λ₁ at r₁ and Λ₂ at r₂ the axis is a helix and the section turns on steadily: the path of constant
strains in the group of rigid motions (Sonneville, Cardona and Brüls (2014)). With φ = log(Λ₁ᵀ Λ₂), P = exp ½φ,
Λm = Λ₁ P in the middle and d = Λmᵀ (r₂ − r₁)/L the strains are

    Γ = M(φ) d,   κ = φ/L,   M(φ) = 1 − g φ̃²,   g = (½φ/sin ½φ − 1)/φ²

Changes are written in the axes of the middle. With a₁ = Pᵀ y₁ and a₂ = P y₂ of the turns y₁, y₂ of both sections in
their own axes, α = ½ (a₁ + a₂), β = a₂ − a₁, u = Λmᵀ (δr₂ − δr₁)/L and k = tan(¼φ)/(2φ):

    δφ = M β,   Θ = α − k φ × β (the turn of Λm),   δd = u + d × Θ,   δΓ = M δd + N(φ, d) δφ,   δκ = δφ/L
    N(φ, d) = ∂(M d)/∂φ = −g [(φ·d) 1 + φ dᵀ − 2 d φᵀ] − 2g' y φᵀ,   y = φ (φ·d) − φ² d

g' and k' are derivatives by φ². Rates are the same lines with velocities in place of changes.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import compiled
from flexmb.kernels.rotations import inverse, product, quaternion_at, quaternion_in, turned_back
from flexmb.kernels.vectors import cross, dot, minus, plus, times, vector_at

# places of the parameters of an element
GRAVITY = 0
LENGTH, BETA, TAPERED = 3, 4, 5  # TAPERED: whether its section varies, so that K₁ counts
TURN1, TURN2 = 6, 10  # from each node to the section there
ARMS = 14  # in the axes of the nodes: mass centre of the section and L times the slope of its line, at each node
SLOPES = 26  # in the axes of the nodes: L times the slope of the axis, at each node
ROTARY = 32  # three matrices: rotary inertia of the first node, of the first with the second, of the second
STRAINS = 59  # ω₀, the strains of the undeformed element
CHANGE = 65  # L²/12 ω₀', by which they change along it
MASSES = 71  # the mass matrix of the cubic
FLEXIBILITY = 87  # K₀, the mean flexibility of its sections
STIFFNESS = 123  # of the undeformed element, for damping
SECOND = 159  # K₂, and
FIRST = 195  # K₁ of sections that vary; rows of others end before, so that many elements need less memory
SIZE = 231

#: turn of one section against the next [rad], a third of a whole one, up to which an element may be taken: beyond it
#: the axis between them is hardly known, and from a whole turn on the strains jump. Kernels give NaN there.
FARTHEST = 2.1
LEAST_COSINE = math.cos(0.5 * FARTHEST)

#: coefficients of g and of k in powers of φ², from Bernoulli's numbers
_G = (
    0.041666666666666664,
    0.0012152777777777778,
    3.2035383597883595e-05,
    8.202608300264551e-07,
    2.0835982071876168e-08,
    5.281609967721337e-10,
    1.3380902920268335e-11,
    3.389576851489321e-13,
    8.585996549822947e-15,
    2.174864550325223e-16,
    5.509000201462976e-18,
    1.3954463022310702e-19,
    3.5347069342869885e-21,
)
_K = (
    0.125,
    0.0026041666666666665,
    6.510416666666667e-05,
    1.6469804067460318e-06,
    4.171273905974427e-08,
    1.0565800106408831e-09,
    2.6763439450953015e-11,
    6.779257147811904e-13,
    1.717205860610079e-14,
    4.349733248883285e-16,
    1.1018003029823207e-17,
    2.7908927708123224e-19,
    7.069413973916456e-21,
)


@compiled
def curving(x):
    """g, g', g'' as functions of x = φ²."""
    if x < 1.0:
        g, g1, g2 = 0.0, 0.0, 0.0
        for j in range(len(_G) - 1, -1, -1):
            g2 = g2 * x + g1
            g1 = g1 * x + g
            g = g * x + _G[j]
        return g, g1, 2.0 * g2
    half = 0.5 * math.sqrt(x)
    s, c = math.sin(half), math.cos(half)
    slope = (s - half * c) / (s * s)  # of ½φ/sin ½φ, by ½φ
    second = half / s - 2.0 * c * slope / s
    first = slope / (8.0 * half)  # by φ²
    g = (half / s - 1.0) / x
    g1 = (first - g) / x
    return g, g1, ((second - slope / half) / (16.0 * x) - 2.0 * g1) / x


@compiled
def turning(x):
    """k and k' as functions of x = φ²."""
    if x < 1.0:
        k, k1 = 0.0, 0.0
        for j in range(len(_K) - 1, -1, -1):
            k1 = k1 * x + k
            k = k * x + _K[j]
        return k, k1
    angle = math.sqrt(x)
    t = math.tan(0.25 * angle)
    k = 0.5 * t / angle
    return k, ((1.0 + t * t) / 16.0 - 0.5 * k) / x


@compiled
def counted(q):
    """The rotation vector of a unit quaternion, of less than a whole turn; q and −q differ by a turn."""
    s = math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    k = 2.0 * math.atan2(s, q[0]) / s if s > 1e-8 else 2.0
    return k * q[1], k * q[2], k * q[3]


@compiled
def sections(p, i, iq, q):
    """The quaternions of both sections and of the turn from the first to the second, and φ."""
    first = product(quaternion_at(q, iq[i], 3), quaternion_in(p[i], TURN1))
    second = product(quaternion_at(q, iq[i], 10), quaternion_in(p[i], TURN2))
    between = product(inverse(first), second)
    return first, second, between, counted(between)


@compiled
def half_turn(between):
    """P = exp ½φ of exp φ, as quaternions."""
    e = between[0] + 1.0
    s = 1.0 / math.sqrt(2.0 * e)
    return e * s, between[1] * s, between[2] * s, between[3] * s


@compiled
def middle(p, i, iq, q):
    """φ, d, and the quaternions P and of Λm; φ is NaN where the sections are turned too far against each other."""
    first, _, between, phi = sections(p, i, iq, q)
    if between[0] < LEAST_COSINE:
        phi = (math.nan, math.nan, math.nan)
    half = half_turn(between)
    axes = product(first, half)
    along = minus(vector_at(q, iq[i], 7), vector_at(q, iq[i], 0))
    return phi, times(1.0 / p[i, LENGTH], turned_back(axes, along)), half, axes


@compiled
def straightened(phi, g, x):
    """M(φ) x."""
    return minus(x, times(g, cross(phi, cross(phi, x))))


@compiled
def bending(phi, d, g, g1, x):
    """N(φ, d) x."""
    fd, fx = dot(phi, d), dot(phi, x)
    y = minus(times(fd, phi), times(dot(phi, phi), d))
    linear = plus(times(fd, x), minus(times(dot(d, x), phi), times(2.0 * fx, d)))
    return minus(times(-g, linear), times(2.0 * g1 * fx, y))


@compiled
def bending_back(phi, d, g, g1, x):
    """Nᵀ(φ, d) x."""
    fd, fx, dx = dot(phi, d), dot(phi, x), dot(d, x)
    z = plus(times(fd, x), minus(times(fx, d), times(2.0 * dx, phi)))
    return minus(times(-g, z), times(2.0 * g1 * (fx * fd - dot(phi, phi) * dx), phi))


@compiled
def turns(p, i, iv, v, half):
    """Pᵀ ω₁ and P ω₂, the angular velocities of both sections in the axes of the middle."""
    one = turned_back(product(quaternion_in(p[i], TURN1), half), vector_at(v, iv[i], 3))
    two = turned_back(product(quaternion_in(p[i], TURN2), inverse(half)), vector_at(v, iv[i], 9))
    return one, two


@compiled
def strain_changes(L, phi, d, g, g1, k, u, one, two):
    """δΓ and δκ, and Θ, δd and δφ, of u and of the turns a₁ and a₂ of both sections."""
    apart = minus(two, one)
    theta = minus(times(0.5, plus(one, two)), times(k, cross(phi, apart)))
    d_x = plus(u, cross(d, theta))
    phi_x = straightened(phi, g, apart)
    gamma = plus(straightened(phi, g, d_x), bending(phi, d, g, g1, phi_x))
    return gamma, times(1.0 / L, phi_x), theta, d_x, phi_x


@compiled
def strain_rates(p, i, iv, v, phi, d, half, axes, g, g1, k):
    """Γ̇ and κ̇, and what they are made of: Pᵀ ω₁, P ω₂, u̇, Θ̇, ḋ and φ̇."""
    one, two = turns(p, i, iv, v, half)
    L = p[i, LENGTH]
    u = times(1.0 / L, turned_back(axes, minus(vector_at(v, iv[i], 6), vector_at(v, iv[i], 0))))
    gamma, kappa, theta, d_rate, phi_rate = strain_changes(L, phi, d, g, g1, k, u, one, two)
    return gamma, kappa, one, two, u, theta, d_rate, phi_rate
