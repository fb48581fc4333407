"""The attraction of exact beams: of the mass and of the rotary inertia that their kernels of inertia know.

The mass lies along the cubic (:mod:`flexmb.elements.spatial.attraction.cubics`) with x₁ = r₁ + Λ₁ u₁, x₂ = Λ₁ u₂ and so
on, of :mod:`flexmb.elements.spatial.exact.inertia`. The kinetic energy of turning is ½ Σ ω_iᵀ J_ij ω_j in the axes of
both nodes. A body with the inertia J has ½ k (3 n·J n − tr J) in the field
(:mod:`flexmb.elements.spatial.attraction.pull`); so has the element in that of its middle, with n_i = Λ_iᵀ n

    V = ½ k (3 Q − tr J),   Q = Σ_i n_i·p_i,   p_i = Σ_j J_ij n_j,   p = Σ_i Λ_i p_i
    M_i = 3 k n_i × p_i       as ω_i × Σ_j J_ij ω_j of a spin ω = n, 3 k times, and reversed
    F = (3 k/2 ρ) [(5 Q − tr J) n − 2 p]      on the middle

As the middle moves by e and both nodes turn by y_i in their own axes, with δn = (e − n n·e)/ρ and δk = −3 k n·e/ρ,

    δn_i = Λ_iᵀ δn + n_i × y_i,     δp_i = Σ_j J_ij δn_j,     δM_i = δk/k M_i + 3 k (δn_i × p_i + n_i × δp_i)
    δF by e: factor −4 n·e/ρ, bracket 10 p·δn n + (5 Q − tr J) δn − 2 Σ Λ_i J_ij Λ_jᵀ δn

and δF by y_i is (δM_i by e)ᵀ, as both follow from V. What is left out is, of what turns the sections, of the second
order in the length of the element over ρ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.elements.spatial.attraction.cubics import (
    POINTS,
    added,
    along,
    cubics_at,
)
from flexmb.elements.spatial.attraction.pull import AttractionAlong
from flexmb.elements.spatial.exact.parameters import Sections, Shape, arms
from flexmb.elements.spatial.exact.places import shares
from flexmb.kernels.blocks import joined
from flexmb.kernels.compilation import compiled, kernel
from flexmb.kernels.contract import Kernels
from flexmb.kernels.rotations import quaternion_at, rotation_matrix
from flexmb.kernels.vectors import (
    IDENTITY,
    NONE,
    add_block,
    applied,
    combined,
    cross,
    dot,
    matrix_in,
    matrix_product,
    minus,
    outer,
    plus,
    put,
    tilde,
    tilde_product,
    times,
    transposed,
    vector_at,
    vector_in,
)
from flexmb.model.components import Assembler
from flexmb.model.gravity.falling import MU, SIZE, attraction, gradient, origin_of, potential, power

#: parameters behind those of the field: the four arms u in the axes of the nodes, the masses of the Gauss points, tr J,
#: and J₁₁, J₁₂, J₂₂ (9 each) in the axes of the nodes
ARMS, MASSES, TRACE, TURNING = SIZE, SIZE + 12, SIZE + 16, SIZE + 17
#: the cubics in the middle
MIDDLE = shares(0.5)


class SectionsAttraction(AttractionAlong):
    """The attraction of an exact beam.

    >>> import flexmb as fm
    >>> m = fm.SpatialModel("craft", gravity=fm.spatial.CentralGravity(4.0, (4.0, 0, 0), (0, 1.0, 0)))
    >>> given = fm.spatial.BeamProperties(EA=1e6, EIy=10.0, EIz=20.0, GJ=15.0, rhoA=0.5)
    >>> rod = m.add_beam("rod", (3.0, 0, 0), (5.0, 0, 0), properties=given, theory="exact", elements=1)
    >>> system = fm.System(m)  # the mass 1 at 8 from the center, but for 1/7 and 1/9 at its ends
    >>> float(system.residual(0.0, system.q0, system.v0, 0.0 * system.v0)[[0, 6]].sum().round(6))
    -0.186508
    """

    def assemble(self, assembly: Assembler) -> None:
        field = self.gravity.parameters

        def row(turns: np.ndarray, shape: Shape, sections: Sections) -> np.ndarray:
            lever, trace = arms(turns, shape, sections), np.trace(np.sum(sections.inertia, axis=0))
            turning = np.sum(sections.rotary(shape, turns), axis=1)
            return np.concatenate([field, lever.ravel(), sections.mass, [trace], turning.ravel()])

        beam: Any = self.of
        numbers, rows = joined(beam.elements_of(assembly).coordinates), beam.rows_of_elements(row)
        assembly.series(self, ATTRACTED_SECTIONS, numbers, np.array(rows))


@compiled
def _nodes(p, i, iq, q):
    """Λ₁, Λ₂ and x_a."""
    one, two = rotation_matrix(quaternion_at(q, iq[i], 3)), rotation_matrix(quaternion_at(q, iq[i], 10))
    row = p[i]
    x = (
        plus(vector_at(q, iq[i], 0), applied(one, vector_in(row, ARMS))),
        applied(one, vector_in(row, ARMS + 3)),
        plus(vector_at(q, iq[i], 7), applied(two, vector_in(row, ARMS + 6))),
        applied(two, vector_in(row, ARMS + 9)),
    )
    return one, two, x


@compiled
def _inertia(p, i):
    """tr J, and J₁₁, J₁₂, J₂₂."""
    row = p[i]
    return row[TRACE], matrix_in(row, TURNING), matrix_in(row, TURNING + 9), matrix_in(row, TURNING + 18)


@compiled
def _turned(J, one, two, n):
    """n₁, n₂, p₁, p₂ and p."""
    first, second = applied(transposed(one), n), applied(transposed(two), n)
    p1 = plus(applied(J[1], first), applied(J[2], second))
    p2 = plus(applied(transposed(J[2]), first), applied(J[3], second))
    return first, second, p1, p2, plus(applied(one, p1), applied(two, p2))


@compiled
def _on_middle(trace, k, rho, n, p):
    """F."""
    return times(1.5 * k / rho, minus(times(5.0 * dot(n, p) - trace, n), times(2.0, p)))


@compiled
def _moment(p, i, at, axes, f, f_slope):
    """The moment Σ u × Λᵀ f of two forces, whose arms begin at an offset."""
    back = transposed(axes)
    of_place = cross(vector_in(p[i], ARMS + at), applied(back, f))
    return plus(of_place, cross(vector_in(p[i], ARMS + at + 3), applied(back, f_slope)))


@kernel
def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    o, od = NONE, NONE
    for i in range(p.shape[0]):
        o, od = origin_of(p, i, 0, 0, t, o, od)
        one, two, x = _nodes(p, i, iq, q)
        J, mu = _inertia(p, i), p[i, MU]
        _, k, rho, n = attraction(mu, o, along(MIDDLE, x))
        n1, n2, p1, p2, whole = _turned(J, one, two, n)
        f = added((NONE, NONE, NONE, NONE), MIDDLE, times(-1.0, _on_middle(J[0], k, rho, n, whole)))
        for g in range(POINTS):
            N = cubics_at(g)
            f = added(f, N, times(-p[i, MASSES + g], attraction(mu, o, along(N, x))[0]))
        put(out[i], 0, f[0])
        put(out[i], 3, plus(times(-3.0 * k, cross(n1, p1)), _moment(p, i, 0, one, f[0], f[1])))
        put(out[i], 6, f[2])
        put(out[i], 9, plus(times(-3.0 * k, cross(n2, p2)), _moment(p, i, 6, two, f[2], f[3])))


@compiled
def _levers(p, i, N, one, two):
    """Levers by which a place with the cubics N moves as both nodes turn: −Σ N_a Λ ũ_a."""
    row = p[i]
    first = plus(times(N[0], vector_in(row, ARMS)), times(N[1], vector_in(row, ARMS + 3)))
    second = plus(times(N[2], vector_in(row, ARMS + 6)), times(N[3], vector_in(row, ARMS + 9)))
    return matrix_product(one, tilde(times(-1.0, first))), matrix_product(two, tilde(times(-1.0, second)))


@compiled
def _add_place(K, wk, N, B1, B2, A):
    """Add what A (3, 3) and the levers B_i of a place give for places and turns of both nodes, wk times."""
    AB1, AB2 = matrix_product(A, B1), matrix_product(A, B2)
    back, back_two = transposed(AB1), transposed(AB2)
    for r in range(2):
        share, at = wk * N[2 * r], 6 * r
        add_block(K, at, 0, share * N[0], A)
        add_block(K, at, 6, share * N[2], A)
        add_block(K, at, 3, share, AB1)
        add_block(K, at, 9, share, AB2)
        add_block(K, 3, at, share, back)
        add_block(K, 9, at, share, back_two)
    both = matrix_product(transposed(B1), AB2)
    add_block(K, 3, 3, wk, matrix_product(transposed(B1), AB1))
    add_block(K, 3, 9, wk, both)
    add_block(K, 9, 3, wk, transposed(both))
    add_block(K, 9, 9, wk, matrix_product(transposed(B2), AB2))


@compiled
def _across(rho, n):
    """∂n/∂e."""
    return combined(1.0 / rho, IDENTITY, -1.0 / rho, outer(n, n))


@compiled
def _moment_changes(k, rho, n, axes, n_i, p_i, J):
    """∂M_i/∂e, given Σ_j J_ij Λ_jᵀ."""
    by_n = combined(-3.0 * k, matrix_product(tilde(p_i), transposed(axes)), 3.0 * k, matrix_product(tilde(n_i), J))
    return combined(1.0, matrix_product(by_n, _across(rho, n)), -9.0 * k / rho, outer(cross(n_i, p_i), n))


@compiled
def _force_changes(trace, k, rho, n, p, tensor):
    """∂F/∂e, given Σ Λ_i J_ij Λ_jᵀ."""
    size = 5.0 * dot(n, p) - trace
    bracket = minus(times(size, n), times(2.0, p))
    by_n = combined(1.0, combined(size, IDENTITY, 10.0, outer(n, p)), -2.0, tensor)
    change = combined(1.0, matrix_product(by_n, _across(rho, n)), -4.0 / rho, outer(bracket, n))
    return combined(1.5 * k / rho, change, 0.0, change)


@compiled
def _add_moment(K, wk, at, N, B1, B2, E):
    """Add what ∂M_i/∂e and its transpose give, for the node whose turn begins in the row `at` of K."""
    back = transposed(E)
    EB1, EB2 = matrix_product(E, B1), matrix_product(E, B2)
    for r in range(2):
        add_block(K, at, 6 * r, wk * N[2 * r], E)
        add_block(K, 6 * r, at, wk * N[2 * r], back)
    add_block(K, at, 3, wk, EB1)
    add_block(K, at, 9, wk, EB2)
    add_block(K, 3, at, wk, transposed(EB1))
    add_block(K, 9, at, wk, transposed(EB2))


@compiled
def _add_turning(p, i, wk, o, x, one, two, K):
    """Add the changes of F and M_i to K, wk times; and find F."""
    J = _inertia(p, i)
    _, k, rho, n = attraction(p[i, MU], o, along(MIDDLE, x))
    n1, n2, p1, p2, whole = _turned(J, one, two, n)
    back, back_two = transposed(one), transposed(two)
    J1 = combined(1.0, matrix_product(J[1], back), 1.0, matrix_product(J[2], back_two))
    J2 = combined(1.0, matrix_product(transposed(J[2]), back), 1.0, matrix_product(J[3], back_two))
    tensor = combined(1.0, matrix_product(one, J1), 1.0, matrix_product(two, J2))
    B1, B2 = _levers(p, i, MIDDLE, one, two)
    _add_place(K, wk, MIDDLE, B1, B2, _force_changes(J[0], k, rho, n, whole, tensor))
    _add_moment(K, wk, 3, MIDDLE, B1, B2, _moment_changes(k, rho, n, one, n1, p1, J1))
    _add_moment(K, wk, 9, MIDDLE, B1, B2, _moment_changes(k, rho, n, two, n2, p2, J2))
    n1, n2 = tilde(n1), tilde(n2)
    both = matrix_product(n1, matrix_product(J[2], n2))
    add_block(K, 3, 3, 3.0 * k * wk, matrix_product(_less_tilde(matrix_product(n1, J[1]), p1), n1))
    add_block(K, 3, 9, 3.0 * k * wk, both)
    add_block(K, 9, 3, 3.0 * k * wk, transposed(both))
    add_block(K, 9, 9, 3.0 * k * wk, matrix_product(_less_tilde(matrix_product(n2, J[3]), p2), n2))
    return _on_middle(J[0], k, rho, n, whole)


@compiled
def _less_tilde(A, u):
    """A − ũ."""
    return combined(1.0, A, -1.0, tilde(u))


@kernel
def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    o, od, wk = NONE, NONE, -w[2]
    for i in range(p.shape[0] if wk != 0.0 else 0):
        o, od = origin_of(p, i, 0, 0, t, o, od)
        one, two, x = _nodes(p, i, iq, q)
        row = K[i]
        f = added((NONE, NONE, NONE, NONE), MIDDLE, _add_turning(p, i, wk, o, x, one, two, row))
        for g in range(POINTS):
            N, m = cubics_at(g), p[i, MASSES + g]
            pulled, k, _, n = attraction(p[i, MU], o, along(N, x))
            B1, B2 = _levers(p, i, N, one, two)
            _add_place(row, wk * m, N, B1, B2, gradient(k, n))
            f = added(f, N, times(m, pulled))
        back, back_two = transposed(one), transposed(two)
        for j in range(2):
            arm, arm_two = vector_in(p[i], ARMS + 3 * j), vector_in(p[i], ARMS + 6 + 3 * j)
            add_block(row, 3, 3, wk, tilde_product(arm, applied(back, f[j])))
            add_block(row, 9, 9, wk, tilde_product(arm_two, applied(back_two, f[2 + j])))


@kernel
def energy(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    o, od = NONE, NONE
    for i in range(p.shape[0]):
        o, od = origin_of(p, i, 0, 0, t, o, od)
        one, two, x = _nodes(p, i, iq, q)
        J, mu = _inertia(p, i), p[i, MU]
        _, k, rho, n = attraction(mu, o, along(MIDDLE, x))
        _, _, _, _, whole = _turned(J, one, two, n)
        extent, rate = 3.0 * dot(n, whole) - J[0], dot(n, od)
        turning = times(1.0 / rho, minus(od, times(rate, n)))
        out[i, 2] = 0.5 * k * extent
        out[i, 4] = 3.0 * k * dot(turning, whole) - 1.5 * k * rate / rho * extent
        for g in range(POINTS):
            place = along(cubics_at(g), x)
            out[i, 2] += p[i, MASSES + g] * potential(mu, o, place)
            out[i, 4] += p[i, MASSES + g] * power(mu, o, od, place)


#: On the coordinates of an element.
ATTRACTED_SECTIONS = Kernels("central gravity on an exact beam", residual=residual, tangent=tangent, energy=energy)
