"""Heat on the exact beam in space, see :mod:`flexmb.elements.heat`.

The law of an element, U = ½ L e·F⁻¹ e (:mod:`flexmb.elements.spatial.exact.law`), is that of a section whose strains ê
depend on those of the element. F and the flexibility C⁻¹ = diag(f) of a straight beam's section have lower triangles,
in one order of strains, F = Λ Λᵀ, with which

    U = ½ L ê·C ê,   ê = diag(√f) y,   y = Λ⁻¹ e,   so heat that strains a section by θ has V = −L θ·C ê = −L σ·y

where σ = θ/√f. Then U + V = ½ L (ê − θ)·C (ê − θ) but for a constant: a beam that grows and bends as its heat wants
has no stress, and keeps its stiffness. (With V = −L θ·C e the law takes EA ᾱ τ for a force in a bent element, and adds
the stiffness N² L²/12 GA.) What heat does not strain, shear and torsion, comes first in the order, and ε last, so that
no ê of heat is less for being sheared. By differences of Λ, with u = σ_k Λ⁻ᵀ e_k and
w = Λ⁻ᵀ (y₁, …, y_(k−1), ½ y_k, 0, …) for each strain k of heat,

    (n*, m*) = −∂(V/L)/∂ω = Σ_k [u + c(w, K₂ adᵀ u) + c(u, K₂ adᵀ w)],   c((n, m), (η₁, η₂)) = (n × η₂, n × η₁ + m × η₂)

As the residual is linear in the temperature, V is, and what it has in common with the law's own energy remains. For the
law a force that strains a section by θ makes shear and torsion in an element that is bent; so an element whose sections
are turned against each other by φ has strains θ that are larger by the parts

    ε: (φy² EA/GAz + φz² EA/GAy)/24,    κy: (φx² EIy/EIz + φz² EIy/GJ)/24,    κz: (φx² EIz/EIy + φy² EIz/GJ)/24

The circle of a gradient in one plane is exact with any number of elements.
"""

from __future__ import annotations

import math

from flexmb.elements.heat import factor_at, forces_at, power_of
from flexmb.elements.spatial.exact.elastic import forces_of_stresses
from flexmb.elements.spatial.exact.helicoid import FLEXIBILITY, LENGTH, STRAINS, curving, middle, straightened
from flexmb.elements.spatial.exact.inertia import add_forces
from flexmb.elements.spatial.exact.law import SIX
from flexmb.elements.spatial.exact.places import of_section, strains_of
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.vectors import cross, dot, minus, plus, put, times, vector_in
from flexmb.kernels.views import vector_view

#: scratch numbers: Λ, then y, then u and w of one strain
WORK = SIX * SIX + 3 * SIX
_Y, _U, _W = (SIX * (SIX + k) for k in range(3))


@compiled
def _factor(p, i, gamma, kappa, work):
    """Put Λ, with inverse pivots, of  F = Σ_k f_k (e_k e_kᵀ + L²/12 a_k a_kᵀ)  to the head of `work`, with the columns
    a_k of ad; strains stand in the order γy, γz, κx, κy, κz, ε."""
    share = p[i, LENGTH] * p[i, LENGTH] / 12.0
    for k in range(SIX * SIX):
        work[k] = 0.0
    for k in range(SIX):
        f, bent = p[i, FLEXIBILITY + 7 * k], 1.0 if k > 2 else 0.0
        e = (1.0 if k % 3 == 0 else 0.0, 1.0 if k % 3 == 1 else 0.0, 1.0 if k % 3 == 2 else 0.0)
        x, y = cross(kappa, e), cross(gamma, e)
        _keep(work, _Y, plus(times(1.0 - bent, x), times(bent, y)), times(bent, x))
        for r in range(SIX):
            for c in range(r + 1):
                work[SIX * r + c] += f * share * work[_Y + r] * work[_Y + c]
        at = (k + 5) % SIX
        work[SIX * at + at] += f
    for k in range(SIX):
        pivot = work[SIX * k + k]
        for j in range(k):
            pivot -= work[SIX * k + j] * work[SIX * k + j]
        pivot = 1.0 / math.sqrt(pivot)
        work[SIX * k + k] = pivot
        for r in range(k + 1, SIX):
            x = work[SIX * r + k]
            for j in range(k):
                x -= work[SIX * r + j] * work[SIX * k + j]
            work[SIX * r + k] = x * pivot


@compiled
def _keep(work, at, x, y):
    """Put strains (x, y) in that order into `work`."""
    for k in range(2):
        work[at + k], work[at + 2 + k] = x[k + 1], y[k]
    work[at + 4], work[at + 5] = y[2], x[0]


@compiled
def _kept(work, at):
    """Strains (x, y) that stand in that order in `work`."""
    return (work[at + 5], work[at], work[at + 1]), (work[at + 2], work[at + 3], work[at + 4])


@compiled
def _back(work, at):
    """Λ⁻ᵀ times the six numbers from work[at] on, in place."""
    for back in range(SIX):
        k = SIX - 1 - back
        value = work[at + k]
        for j in range(k + 1, SIX):
            value -= work[SIX * j + k] * work[at + j]
        work[at + k] = value * work[SIX * k + k]


@compiled
def _turned(p, i, gamma, kappa, u, w):
    """c(w, K₂ adᵀ u)."""
    share = p[i, LENGTH] * p[i, LENGTH] / 12.0
    one, two = cross(u[0], kappa), plus(cross(u[1], kappa), cross(u[0], gamma))
    f = FLEXIBILITY
    one = (share * p[i, f] * one[0], share * p[i, f + 7] * one[1], share * p[i, f + 14] * one[2])
    two = (share * p[i, f + 21] * two[0], share * p[i, f + 28] * two[1], share * p[i, f + 35] * two[2])
    return cross(w[0], two), plus(cross(w[0], one), cross(w[1], two))


@compiled
def _stresses(p, i, gamma, kappa, work):
    """(n*, m*) of a factor of 1."""
    _factor(p, i, gamma, kappa, work)
    e = minus(gamma, vector_in(p[i], STRAINS)), minus(kappa, vector_in(p[i], STRAINS + 3))
    _keep(work, _Y, e[0], e[1])
    for k in range(SIX):
        value = work[_Y + k]
        for j in range(k):
            value -= work[SIX * k + j] * work[_Y + j]
        work[_Y + k] = value * work[SIX * k + k]
    force, moment, at = times(0.0, gamma), times(0.0, kappa), forces_at(p, i)
    for k in range(3, SIX):
        which = (k + 1) % 3
        for j in range(SIX):
            work[_U + j], work[_W + j] = 0.0, work[_Y + j] if j < k else 0.0
        work[_U + k] = p[i, at + which] * math.sqrt(p[i, FLEXIBILITY + 7 * ((k + 1) % SIX)])
        work[_W + k] = 0.5 * work[_Y + k]
        _back(work, _U)
        _back(work, _W)
        u, w = _kept(work, _U), _kept(work, _W)
        one, two = _turned(p, i, gamma, kappa, u, w), _turned(p, i, gamma, kappa, w, u)
        force = plus(force, plus(u[0], plus(one[0], two[0])))
        moment = plus(moment, plus(u[1], plus(one[1], two[1])))
    return force, moment


@compiled
def _on_nodes(p, i, iq, q, factor, work):
    """The force on the second node in the axes of the ground, and the moments on both in their own axes."""
    phi, d, half, axes = middle(p, i, iq, q)
    gamma, kappa = straightened(phi, curving(dot(phi, phi))[0], d), times(1.0 / p[i, LENGTH], phi)
    force, moment = _stresses(p, i, gamma, kappa, work)
    return forces_of_stresses(p, i, phi, d, half, axes, times(factor, force), times(factor, moment))


@compiled
def _put(p, i, iq, t, q, row, work):
    """Put the forces of heat into a row (12,)."""
    force, one, two = _on_nodes(p, i, iq, q, -factor_at(p, i, 3, t), work)
    for k in range(12):
        row[k] = 0.0
    add_forces(row, times(-1.0, force), one, force, two)


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    for i in range(p.shape[0]):
        _put(p, i, iq, t, q, out[i], work)


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    row = vector_view(work, WORK, 12)
    for i in range(p.shape[0]):
        _put(p, i, iq, t, q, row, work)
        out[i, 4] = power_of(row, iv, i, v)


@kernel
def section(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    """Strains of a section are those of its forces and those of heat."""
    for i in range(p.shape[0]):
        at = forces_at(p, i)
        force, _, moment = _on_nodes(p, i, iq, q, 1.0, work)
        n, m = of_section(p, i, iq, q, w[0], force, moment)
        strain, curvature = strains_of(p, i, w[0], n, m)
        free = strains_of(p, i, w[0], (p[i, at], 0.0, 0.0), (0.0, p[i, at + 1], p[i, at + 2]))
        put(out[i], 0, minus(strain, free[0]))
        put(out[i], 3, minus(curvature, free[1]))
        put(out[i], 6, n)
        put(out[i], 9, m)


SPATIAL_EXACT_HEAT = Kernels("heat on an exact beam in space", residual, energy=energy, section=section)
