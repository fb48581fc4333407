"""Central gravity in a frame that falls along a Kepler orbit without turning, as compiled code.

The origin o(t) of a model falls freely about a center of attraction, and its axes keep their directions. A mass at x
from it then feels the difference of two attractions alone, Encke's, as Battin (1999) writes it. With
d = o + x, ρ₀ = |o|, e = o·x/ρ₀², σ = x·x/ρ₀², q = 2 e + σ, w = √(1 + q) = |d|/ρ₀:

    a(t, x) = −μ [d/|d|³ − o/ρ₀³] = −(μ/ρ₀³) [x − F d],     F = q (1 + w + w²)/(w³ (1 + w)) = 1 − w⁻³
    φ(t, x) = (μ/ρ₀) [½ σ − ½ q² (w + 2)/(w (1 + w)²)],      a = −∂φ/∂x
    ∂φ/∂t = (μ/ρ₀³) [(3 e − F) o − F x] · ȯ
    3 e − F = q² (3 w³ + 6 w² + 4 w + 2)/(2 w³ (1 + w)²) − 3/2 σ
    G = ∂a/∂x = −k (1 − 3 n nᵀ),     k = μ/|d|³,  n = d/|d|

Of a center that is held at c in the model, o = −c stands still, and the whole attraction acts, a = −μ d/|d|³ and
φ = −μ/|d|; in a row of parameters, and where μ is asked for here, its μ stands with a minus.

In these forms no large numbers are subtracted, however small x is. The orbit through o(0) and ȯ(0) is found by the
functions f and g of Lagrange from the change E − E₀ of the eccentric anomaly, which circles determine well too:

    N t = E − E₀ − C sin(E − E₀) + S (1 − cos(E − E₀)),      C = e cos E₀ = 1 − |o(0)|/a,   S = e sin E₀ = o·ȯ/√(μ a)
    o = f o(0) + g ȯ(0),     f = 1 − (1 − c)/(1 − C),   N g = S (1 − c) + (1 − C) s,     c, s of E − E₀
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import allocation_free, compiled
from flexmb.kernels.vectors import IDENTITY, NONE, combined, dot, minus, outer, plus, times, vector_in

#: where in a row of parameters stand μ, o(0) (3) and ȯ(0) (3), half the great axis a, the mean rate N, C, S, the
#: eccentricity and the eccentric anomaly at the start; and how many numbers these are
MU, PLACE, SPEED, AXIS, RATE, COSINE, SINE, ECCENTRICITY, ANOMALY, SIZE = 0, 1, 4, 7, 8, 9, 10, 11, 12, 13
#: Newton's steps for Kepler's equation: their error is squared, so that one smaller than this is the last
LAST = 1e-9
#: the first guess beyond the mean anomaly, in eccentricities, from which Newton's steps converge for all orbits: Danby
#: (1988); and more steps than these never need
GUESS, MOST = 0.85, 40


@compiled
def anomaly(row, at, t):
    """The eccentric anomaly E by Kepler's equation, E − e sin E = M, with M within half a turn of 0."""
    mean = row[at + ANOMALY] - row[at + SINE] + row[at + RATE] * t
    mean -= 2.0 * math.pi * math.floor(mean / (2.0 * math.pi) + 0.5)
    e = row[at + ECCENTRICITY]
    found = mean + math.copysign(GUESS * e, mean)
    for _ in range(MOST):
        change = (found - e * math.sin(found) - mean) / (1.0 - e * math.cos(found))
        found -= change
        if abs(change) < LAST:
            break
    return found


@compiled
def origin(row, at, t):
    """o and ȯ at the time t, from the parameters that begin at row[at]."""
    if row[at + MU] < 0.0:
        return vector_in(row, at + PLACE), NONE
    C, S, N = row[at + COSINE], row[at + SINE], row[at + RATE]
    turn = anomaly(row, at, t) - row[at + ANOMALY]
    s, half = math.sin(turn), math.sin(0.5 * turn)
    less = 2.0 * half * half
    distance = 1.0 - C * (1.0 - less) + S * s
    o, od = vector_in(row, at + PLACE), vector_in(row, at + SPEED)
    place = plus(times(1.0 - less / (1.0 - C), o), times((S * less + (1.0 - C) * s) / N, od))
    speed = plus(times(-N * s / (distance * (1.0 - C)), o), times(1.0 - less / distance, od))
    return place, speed


@compiled
def origin_of(p, i, at, before, t, o, od):
    """Place and speed of the origin of an instance, whose parameters begin at p[i, at]; `o` and `od` are those of the
    instance before, of parameters from `before` on, and hold on as long as these are alike."""
    same = i > 0 and at == before
    for k in range(SIZE if same else 0):
        same = same and p[i, at + k] == p[i - 1, at + k]
    if same:
        return o, od
    return origin(p[i], at, t)


@compiled
def _numbers(o, x):
    """ρ₀², e, σ, q and w."""
    square = dot(o, o)
    e, sigma = dot(o, x) / square, dot(x, x) / square
    q = 2.0 * e + sigma
    return square, e, sigma, q, math.sqrt(1.0 + q)


@compiled
def away(mu, o, x):
    """k, |d| and n of d = o + x."""
    d = plus(o, x)
    square = dot(d, d)
    rho = math.sqrt(square)
    return abs(mu) / (square * rho), rho, times(1.0 / rho, d)


@compiled
def attraction(mu, o, x):
    """At x from the origin o: a, then k, |d| and n of d = o + x."""
    if mu < 0.0:
        k, rho, n = away(mu, o, x)
        return times(-k * rho, n), k, rho, n
    square, _, _, q, w = _numbers(o, x)
    far, cube = math.sqrt(square), w * w * w
    k, d = mu / (square * far), plus(o, x)
    F = q * (1.0 + w + w * w) / (cube * (1.0 + w))
    return times(-k, minus(x, times(F, d))), k / cube, far * w, times(1.0 / (far * w), d)


@compiled
def potential(mu, o, x):
    """φ at x from the origin o."""
    if mu < 0.0:
        return mu / math.sqrt(dot(plus(o, x), plus(o, x)))
    square, _, sigma, q, w = _numbers(o, x)
    return mu / math.sqrt(square) * (0.5 * sigma - 0.5 * q * q * (w + 2.0) / (w * (1.0 + w) * (1.0 + w)))


@compiled
def power(mu, o, od, x):
    """∂φ/∂t at a fixed x, as the origin o moves at ȯ."""
    if mu < 0.0:
        return 0.0
    square, _, sigma, q, w = _numbers(o, x)
    cube = w * w * w
    F = q * (1.0 + w + w * w) / (cube * (1.0 + w))
    more = 0.5 * q * q * (3.0 * cube + 6.0 * w * w + 4.0 * w + 2.0) / (cube * (1.0 + w) * (1.0 + w)) - 1.5 * sigma
    return mu / (square * math.sqrt(square)) * (more * dot(o, od) - F * dot(x, od))


@compiled
def gradient(k, n):
    """G."""
    return combined(-k, IDENTITY, 3.0 * k, outer(n, n))


@compiled
def attraction_rate(mu, o, od, x):
    """∂a/∂t = (G(o + x) − G(o)) ȯ at a fixed x: with k = k₀ (1 − F), k₀ = μ/ρ₀³ and n₀ = o/ρ₀ it is
    k₀ [F ȯ + 3 (n nᵀ − n₀ n₀ᵀ) ȯ − 3 F n (n·ȯ)], and n nᵀ − n₀ n₀ᵀ = (o xᵀ + x oᵀ + x xᵀ − q o oᵀ)/(ρ₀² w²)."""
    if mu < 0.0:
        return NONE
    square, _, _, q, w = _numbers(o, x)
    F = q * (1.0 + w + w * w) / (w * w * w * (1.0 + w))
    _, _, _, n = attraction(mu, o, x)
    by_o, by_x = dot(o, od), dot(x, od)
    turned = plus(times(by_x - q * by_o, o), times(by_o + by_x, x))
    change = plus(times(F, od), times(3.0 / (square * w * w), turned))
    return times(mu / (square * math.sqrt(square)), minus(change, times(3.0 * F * dot(n, od), n)))


@allocation_free
def along(row, t, x, o, a, G, phi):
    """Fill, for times (k,) and places x (k, 3): the origin with its speed (k, 6), a (k, 3), G (k, 9) and φ (k,)."""
    for i in range(t.shape[0]):
        place, speed = origin(row, 0, t[i])
        at = vector_in(x[i], 0)
        pulled, k, _, n = attraction(row[MU], place, at)
        of_place = gradient(k, n)
        for j in range(3):
            o[i, j], o[i, 3 + j], a[i, j] = place[j], speed[j], pulled[j]
        for j in range(9):
            G[i, j] = of_place[j]
        phi[i] = potential(row[MU], place, at)
