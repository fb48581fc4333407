r"""Laws by which light and thin gases push on surfaces, and what they give on flat faces, round rods and balls.

On a flat face with the area A and the normal n, outwards, acts

    f = A [α(x) d + β(x) n],      x = d · n

of a vector d: in sunlight the direction s of the sun, in a gas the velocity u of the face against it. So a face that
turns follows from α, β and their derivatives alone. They are, with the factor −p of the pressure of light and −½ϱ of
the density of gas left to whoever calls, and x₊ = max(x, 0),

    light              α = (1 − ϱ_s) x₊,      β = 2 ϱ_s x₊² + ⅔ ϱ_d x₊
    Newton's law       α = 0,                 β = c x₊²
    free molecules     α = σ_t (c_m/√π) χ,    β = c_m² Π − α x,      with x/c_m for x in
        χ = e^(−x²) + √π x (1 + erf x)
        Π = [(2 − σ_n) x/√π + ½ σ_n √(T_w/T)] e^(−x²) + [(2 − σ_n)(½ + x²) + ½ σ_n √(π T_w/T) x] (1 + erf x)

Light is that of Wertz (1978), section 17.2; the gas, of the most probable speed c_m, that of Schaaf and Chambré (1961)
with their accommodation σ_n, σ_t and the temperature T_w of the wall, multiplied out so that u = 0 is no exception.

**A round rod** of the diameter D along t, for each length, with d⊥ = d − (d·t) t, b = |d⊥|, and a **ball**:

    f = D [A(b) d + G(b) d⊥],   A = ½ ∫ α(b cos φ) dφ,   G = ½ ∫ β(b cos φ) cos φ dφ / b
    f = π r² C(|d|) d,          C = 2 ∫ (α(x) + β(x) μ/|d|) dμ,   x = |d| μ,   −1 ≤ μ ≤ 1

of light in closed form, A = (1 − ϱ_s) b, G = 4/3 ϱ_s b + π/6 ϱ_d, C = 1 + 4/9 ϱ_d; of gas by sums that converge as fast
as the law is smooth.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.compilation import compiled
from flexmb.kernels.vectors import IDENTITY, combined, dot, minus, outer, plus, times

_ROOT_PI = math.sqrt(math.pi)
#: numbers of the law itself, in the row of parameters: of a gas c_m and √(T_w/T); of Newton's law c alone
SPEED, WALL = 0, 1
NUMBERS: int = 2
#: points around half of a rod at rest and for each speed ratio, and at most
AT_REST, BY_RATIO, MOST = 16, 5.0, 2000
#: Gauss points from one pole of a ball to the other
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(96)
_BALL_NODES, _BALL_WEIGHTS = tuple(_NODES.tolist()), tuple(_WEIGHTS.tolist())


class SurfaceLaw(NamedTuple):
    """Compiled functions of a law, which read its numbers from row[law] and those of the finish, ϱ_s and ϱ_d or σ_n
    and σ_t, from row[own]: `flat`(row, law, own, x) gives α, α', α'', β, β', β''; `rod`(row, law, own, b) gives A, A',
    G, G'; `ball`(row, law, own, |d|) gives C, C'."""

    flat: Any
    rod: Any
    ball: Any


# -- sunlight --------------------------------------------------------------------------------------------------------


@compiled
def light_flat(row, law, own, x):
    if x <= 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    mirror, diffuse = row[own], 2.0 / 3.0 * row[own + 1]
    taken = 1.0 - mirror
    return taken * x, taken, 0.0, (2.0 * mirror * x + diffuse) * x, 4.0 * mirror * x + diffuse, 4.0 * mirror


@compiled
def light_rod(row, law, own, b):
    mirror = row[own]
    return (1.0 - mirror) * b, 1.0 - mirror, 4.0 / 3.0 * mirror * b + math.pi / 6.0 * row[own + 1], 4.0 / 3.0 * mirror


@compiled
def light_ball(row, law, own, size):
    return 1.0 + 4.0 / 9.0 * row[own + 1], 0.0


# -- Newton's law ----------------------------------------------------------------------------------------------------


@compiled
def newton_flat(row, law, own, x):
    if x <= 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    c = row[law]
    return 0.0, 0.0, 0.0, c * x * x, 2.0 * c * x, 2.0 * c


@compiled
def newton_rod(row, law, own, b):
    """∫ cos³φ dφ over the windward half is 4/3."""
    c = 2.0 / 3.0 * row[law]
    return 0.0, 0.0, c * b, c


@compiled
def newton_ball(row, law, own, size):
    """2 ∫ μ³ dμ over the windward half is ½."""
    c = 0.5 * row[law]
    return c * size, c


# -- free molecules --------------------------------------------------------------------------------------------------


@compiled
def gas_flat(row, law, own, x):
    """With y = x/c_m and E = e^(−y²), χ' = √π (1 + erf y), χ'' = 2 E, and so by parts of Π: those of a mirror,
    y E/√π + (½ + y²)(1 + erf y) with the derivative 2 χ/√π, and those of the wall, ½ χ."""
    cm = row[law + SPEED]
    y = x / cm
    E, one = math.exp(-y * y), 1.0 + math.erf(y)
    chi, chi1, chi2 = E + _ROOT_PI * y * one, _ROOT_PI * one, 2.0 * E
    mirror, wall = 2.0 - row[own], 0.5 * row[own] * row[law + WALL]
    shear = row[own + 1] / _ROOT_PI
    alpha, alpha1, alpha2 = shear * cm * chi, shear * chi1, shear / cm * chi2
    P = mirror * (y * E / _ROOT_PI + (0.5 + y * y) * one) + wall * chi
    P1 = mirror * 2.0 / _ROOT_PI * chi + wall * chi1
    P2 = mirror * 2.0 / _ROOT_PI * chi1 + wall * chi2
    return (
        alpha, alpha1, alpha2,
        cm * cm * P - alpha * x, cm * P1 - alpha - alpha1 * x, P2 - 2.0 * alpha1 - alpha2 * x,
    )  # fmt: skip


@compiled
def gas_rod(row, law, own, b):
    count = min(int(AT_REST + BY_RATIO * b / row[law + SPEED]), MOST)
    A, A1, G, G1 = 0.0, 0.0, 0.0, 0.0
    for k in range(count):
        c = math.cos(math.pi * (k + 0.5) / count)
        alpha, alpha1, _, beta, beta1, beta2 = gas_flat(row, law, own, b * c)
        A += alpha
        A1 += alpha1 * c
        if b > 1e-6 * row[law + SPEED]:
            G += beta * c / b
            G1 += (beta1 * c - beta / b) * c / b
        else:  # β = β₀ + β' b c + ½ β'' (b c)², the odd powers of c are nothing in the sum
            G += beta1 * c * c
            G1 += 0.5 * beta2 * c * c * c
    share = math.pi / count
    return share * A, share * A1, share * G, share * G1


@compiled
def gas_ball(row, law, own, size):
    C, C1 = 0.0, 0.0
    for k in range(len(_BALL_NODES)):
        mu, weight = _BALL_NODES[k], 2.0 * _BALL_WEIGHTS[k]
        alpha, alpha1, _, beta, beta1, beta2 = gas_flat(row, law, own, size * mu)
        C += weight * alpha
        C1 += weight * alpha1 * mu
        if size > 1e-6 * row[law + SPEED]:
            C += weight * beta * mu / size
            C1 += weight * (beta1 * mu - beta / size) * mu / size
        else:
            C += weight * beta1 * mu * mu
            C1 += 0.5 * weight * beta2 * mu * mu * mu
    return C, C1


LIGHT: SurfaceLaw = SurfaceLaw(light_flat, light_rod, light_ball)
NEWTON: SurfaceLaw = SurfaceLaw(newton_flat, newton_rod, newton_ball)
GAS: SurfaceLaw = SurfaceLaw(gas_flat, gas_rod, gas_ball)


# -- forces and their derivatives, by the numbers of a law -----------------------------------------------------------


@compiled
def on_face(six, d, n):
    """α d + β n, and its derivatives by d (3, 3) and, of a face a = A n, by a: N = α 1 + (α' d + β' n) nᵀ and
    M = (α − x α') d nᵀ − x β' n nᵀ + (α' d + β' n) dᵀ + β 1."""
    alpha, alpha1, _, beta, beta1, _ = six
    x = dot(d, n)
    slope = plus(times(alpha1, d), times(beta1, n))
    turning = plus(times(alpha - x * alpha1, d), times(-x * beta1, n))
    N = combined(alpha, IDENTITY, 1.0, outer(slope, n))
    M = combined(1.0, combined(1.0, outer(turning, n), 1.0, outer(slope, d)), beta, IDENTITY)
    return plus(times(alpha, d), times(beta, n)), N, M


@compiled
def change_of_M(six, d, n, dd, dn):
    """Change of M as d and the unit normal n change by dd and dn."""
    alpha, alpha1, alpha2, _, beta1, beta2 = six
    x, dx = dot(d, n), dot(dd, n) + dot(d, dn)
    slope = plus(times(alpha1, d), times(beta1, n))
    of_slope = plus(plus(times(alpha2 * dx, d), times(beta2 * dx, n)), plus(times(alpha1, dd), times(beta1, dn)))
    turning = plus(times(alpha - x * alpha1, d), times(-x * beta1, n))
    of_turning = plus(times(-x * alpha2 * dx, d), times(alpha - x * alpha1, dd))
    of_turning = minus(of_turning, plus(times((beta1 + x * beta2) * dx, n), times(x * beta1, dn)))
    by_n = combined(1.0, outer(of_turning, n), 1.0, outer(turning, dn))
    by_d = combined(1.0, outer(of_slope, d), 1.0, outer(slope, dd))
    return combined(1.0, combined(1.0, by_n, 1.0, by_d), beta1 * dx, IDENTITY)


@compiled
def across(d, t):
    """d⊥ and b."""
    d = minus(d, times(dot(d, t), t))
    return d, math.sqrt(dot(d, d))


@compiled
def on_rod(four, d, t):
    """A d + G d⊥ and its derivative by d."""
    A, A1, G, G1 = four
    beside, b = across(d, t)
    N = combined(A + G, IDENTITY, -G, outer(t, t))
    if b > 0.0:
        slope = plus(times(A1 / b, d), times(G1 / b, beside))
        N = combined(1.0, N, 1.0, outer(slope, beside))
    return plus(times(A, d), times(G, beside)), N


@compiled
def on_ball(two, d, size):
    """C d and its derivative by d."""
    C, C1 = two
    N = combined(C, IDENTITY, C1 / size if size > 0.0 else 0.0, outer(d, d))
    return times(C, d), N
