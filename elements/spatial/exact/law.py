"""The law of an element: the flexibility of the moment that the present state of an unloaded element has.

With the stresses s = (n, m) in the middle, strains e = ω − ω₀ and ω = (Γ, κ): within the element n' = −κ × n and
m' = −κ × m − Γ × n, so the strains vary, and to fourth order in the length (Magnus' expansion, and stationarity)

    F = K₀ + K₁ adᵀ + ad K₁ + ad K₂ adᵀ,   ad = [[κ̃, Γ̃], [0, κ̃]],   U = ½ L (Y e)ᵀ F⁻¹ (Y e),   Y = 1 + ad(w)

K_j = ∫ xʲ C⁻¹ dx/L are moments of the flexibility (6, 6) of the sections, x from the middle, in which a section without
shear has exact zeros; K₁ is zero where the section does not vary, and K₂ then L²/12 C⁻¹. w = L²/12 ω₀' is there where
curvature or twist of the undeformed axis change along it. The residual bending flexibility of MacNeal (1978) in the
plane, 1/GA + L²/12EI, is the linear part of F of a straight element. With s = F⁻¹ Y e:

    τ = adᵀ s = −(κ × n, κ × m + Γ × n),   η = K₁ s + K₂ τ + w = (η₁, η₂)
    (n*, m*) = ∂(U/L)/∂ω = s + (n × η₂, n × η₁ + m × η₂)
    S = [[0, ñ], [ñ, m̃]],   X = 1 + [[η̃₂, η̃₁], [0, η̃₂]] − (K₁ + ad K₂) S
    H = ∂(n*, m*)/∂ω = Xᵀ F⁻¹ X − Sᵀ K₂ S
"""

from __future__ import annotations

import math

from flexmb.elements.spatial.exact.helicoid import CHANGE, FIRST, FLEXIBILITY, LENGTH, SECOND, STRAINS, TAPERED
from flexmb.kernels.compilation import inlined
from flexmb.kernels.vectors import cross, minus, plus, times, vector_in
from flexmb.kernels.views import vector_view

#: numbers of strains or stresses
SIX = 6


@inlined
def _row(at, k):
    """A row of six numbers of a matrix, as two vectors."""
    return vector_in(at, SIX * k), vector_in(at, SIX * k + 3)


@inlined
def _ad(gamma, kappa, x, y):
    """ad times (x, y)."""
    return plus(cross(kappa, x), cross(gamma, y)), cross(kappa, y)


@inlined
def _second(p, i):
    """A matrix and the factor by which it is K₂: itself where the section varies, else L²/12 C⁻¹."""
    if p[i, TAPERED] != 0.0:
        return vector_view(p, i * p.shape[1] + SECOND, 36), 1.0
    return vector_view(p, i * p.shape[1] + FLEXIBILITY, 36), p[i, LENGTH] * p[i, LENGTH] / 12.0


@inlined
def factor_flexibility(p, i, gamma, kappa, F, room):
    """Put the Cholesky factor of F into the lower triangle of F (36); `room` has 36 numbers."""
    at = i * p.shape[1]
    flexibility = vector_view(p, at + FLEXIBILITY, 36)
    second, share = _second(p, i)
    for k in range(SIX):
        x, y = _row(second, k)
        z, y = _ad(gamma, kappa, times(share, x), times(share, y))
        for j in range(3):
            room[SIX * j + k], room[SIX * (j + 3) + k] = z[j], y[j]  # ad K₂, by columns
    for k in range(SIX):
        x, y = _row(room, k)
        z, y = _ad(gamma, kappa, x, y)
        for j in range(3):
            F[SIX * k + j] = flexibility[SIX * k + j] + z[j]
            F[SIX * k + 3 + j] = flexibility[SIX * k + 3 + j] + y[j]
    if p[i, TAPERED] != 0.0:
        first = vector_view(p, at + FIRST, 36)
        for k in range(SIX):
            x, y = _row(first, k)
            z, y = _ad(gamma, kappa, x, y)
            for j in range(3):
                F[SIX * k + j] += z[j]
                F[SIX * k + 3 + j] += y[j]
                F[SIX * j + k] += z[j]
                F[SIX * (3 + j) + k] += y[j]
    for k in range(SIX):
        pivot = F[SIX * k + k]
        for j in range(k):
            pivot -= F[SIX * k + j] * F[SIX * k + j]
        pivot = 1.0 / math.sqrt(pivot)
        F[SIX * k + k] = pivot  # its inverse
        for r in range(k + 1, SIX):
            x = F[SIX * r + k]
            for j in range(k):
                x -= F[SIX * r + j] * F[SIX * k + j]
            F[SIX * r + k] = x * pivot


@inlined
def halfway(F, x):
    """Solve with the factor of F alone, in place: x = L⁻¹ x."""
    for k in range(SIX):
        value = x[k]
        for j in range(k):
            value -= F[SIX * k + j] * x[j]
        x[k] = value * F[SIX * k + k]


@inlined
def rest_of_the_way(F, x):
    """x = L⁻ᵀ x, in place."""
    for back in range(SIX):
        k = SIX - 1 - back
        value = x[k]
        for j in range(k + 1, SIX):
            value -= F[SIX * j + k] * x[j]
        x[k] = value * F[SIX * k + k]


@inlined
def weighted(matrix, x, y):
    """A matrix (36) times (x, y)."""
    out1 = (
        _by(matrix, 0, x, y),
        _by(matrix, 1, x, y),
        _by(matrix, 2, x, y),
    )
    return out1, (_by(matrix, 3, x, y), _by(matrix, 4, x, y), _by(matrix, 5, x, y))


@inlined
def _by(matrix, k, x, y):
    """A row of a matrix times (x, y)."""
    at = SIX * k
    first = matrix[at] * x[0] + matrix[at + 1] * x[1] + matrix[at + 2] * x[2]
    return first + matrix[at + 3] * y[0] + matrix[at + 4] * y[1] + matrix[at + 5] * y[2]


@inlined
def stresses(p, i, gamma, kappa, work):
    """s = (n, m), η and (n*, m*), and Y e·s; the factor of F is in work[:36], of which 78 numbers are used."""
    at = i * p.shape[1]
    F, room, s = vector_view(work, 0, 36), vector_view(work, 36, 36), vector_view(work, 72, SIX)
    factor_flexibility(p, i, gamma, kappa, F, room)
    e1, e2 = minus(gamma, vector_in(p[i], STRAINS)), minus(kappa, vector_in(p[i], STRAINS + 3))
    w1, w2 = vector_in(p[i], CHANGE), vector_in(p[i], CHANGE + 3)
    z, y = _ad(w1, w2, e1, e2)
    e1, e2 = plus(e1, z), plus(e2, y)
    for k in range(3):
        s[k], s[3 + k] = e1[k], e2[k]
    halfway(F, s)
    twice = 0.0
    for k in range(SIX):
        twice += s[k] * s[k]
    rest_of_the_way(F, s)
    n, m = vector_in(s, 0), vector_in(s, 3)
    tau1 = cross(n, kappa)
    tau2 = plus(cross(m, kappa), cross(n, gamma))
    second, share = _second(p, i)
    eta1, eta2 = weighted(second, times(share, tau1), times(share, tau2))
    eta1, eta2 = plus(eta1, w1), plus(eta2, w2)
    if p[i, TAPERED] != 0.0:
        z, y = weighted(vector_view(p, at + FIRST, 36), n, m)
        eta1, eta2 = plus(eta1, z), plus(eta2, y)
    force = plus(n, cross(n, eta2))
    moment = plus(m, plus(cross(n, eta1), cross(m, eta2)))
    return n, m, eta1, eta2, force, moment, twice


@inlined
def stiffness_of_stresses(p, i, gamma, kappa, n, m, eta1, eta2, work, H):
    """H (36), after :func:`stresses` with the same `work`, of which 108 numbers are used."""
    at = i * p.shape[1]
    second, share = _second(p, i)
    F, V, X = vector_view(work, 0, 36), vector_view(work, 36, 36), vector_view(work, 72, 36)
    # by columns k, each of six numbers: V = K₂ S and X
    for r in range(SIX):
        x, y = _row(second, r)
        z = plus(cross(x, n), cross(y, m))
        y = cross(y, n)
        for j in range(3):
            V[SIX * j + r], V[SIX * (3 + j) + r] = share * y[j], share * z[j]
    for k in range(SIX):
        a, b = _row(V, k)
        x = minus((0.0, 0.0, 0.0), plus(cross(kappa, a), cross(gamma, b)))
        y = cross(b, kappa)
        for j in range(3):
            X[SIX * k + j], X[SIX * k + 3 + j] = x[j], y[j]
        X[SIX * k + k] += 1.0
    if p[i, TAPERED] != 0.0:
        first = vector_view(p, at + FIRST, 36)
        for r in range(SIX):
            x, y = _row(first, r)
            z = plus(cross(x, n), cross(y, m))
            y = cross(y, n)
            for j in range(3):
                X[SIX * j + r] -= y[j]
                X[SIX * (3 + j) + r] -= z[j]
    # + η̃₂ in both diagonal blocks, + η̃₁ in the upper right one; column c of ũ is u × e_c
    for c in range(3):
        e = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        x, y = cross(eta2, e), cross(eta1, e)
        for j in range(3):
            X[SIX * c + j] += x[j]
            X[SIX * (3 + c) + j] += y[j]
            X[SIX * (3 + c) + 3 + j] += x[j]
    for k in range(SIX):
        halfway(F, vector_view(X, SIX * k, SIX))
    for k in range(SIX):
        a, b = _row(V, k)
        x = cross(n, b)
        y = plus(cross(n, a), cross(m, b))
        for j in range(3):
            H[SIX * j + k], H[SIX * (3 + j) + k] = x[j], y[j]  # −Sᵀ K₂ S
    for k in range(SIX):
        for r in range(SIX):
            value = 0.0
            for j in range(SIX):
                value += X[SIX * k + j] * X[SIX * r + j]
            H[SIX * r + k] += value


@inlined
def change_of_curvature(p, i, gamma, kappa, n, m, gamma_x, kappa_x, work):
    """δη₂ of δω = (δΓ, δκ), after :func:`stiffness_of_stresses` with the same `work`: with F δs = X δω
    it is the lower half of  K₁ δs + K₂ (adᵀ δs + S δω)."""
    at = i * p.shape[1]
    F, X, s = vector_view(work, 0, 36), vector_view(work, 72, 36), vector_view(work, 108, SIX)
    for k in range(SIX):
        s[k] = 0.0
        for c in range(3):
            s[k] += X[SIX * c + k] * gamma_x[c] + X[SIX * (3 + c) + k] * kappa_x[c]
    rest_of_the_way(F, s)
    n_x, m_x = vector_in(s, 0), vector_in(s, 3)
    tau1 = plus(cross(n_x, kappa), cross(n, kappa_x))
    tau2 = plus(plus(cross(m_x, kappa), cross(m, kappa_x)), plus(cross(n_x, gamma), cross(n, gamma_x)))
    second, share = _second(p, i)
    eta2 = weighted(second, times(share, tau1), times(share, tau2))[1]
    if p[i, TAPERED] != 0.0:
        eta2 = plus(eta2, weighted(vector_view(p, at + FIRST, 36), n_x, m_x)[1])
    return eta2
