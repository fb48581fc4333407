"""Constraints and their Jacobians from positions g(q, t) alone, by forward differentiation.

**Rates.** Along the motion in which the speeds v stay the same, the coordinates of an instance are functions of a time
s from now: places and angles q + s v, orientations q ∘ exp(s ω), and t + s. With q̇ = ½ q ∘ (0, ω) and (0, ω)² = −|ω|²,
the rates of the four numbers of an orientation at s = 0 are

    q̇ = ½ q ∘ (0, ω),        q̈ = ½ q̇ ∘ (0, ω) = −¼ |ω|² q.

Then d/ds g = G v + g_t = ġ, the velocity error. By a second derivation d(ġ)/dt = G a − γ in any motion, and here a = 0:

    γ = −d²g/ds².

The kernel runs with numbers x + x′ (ε + δ) + x″ ε δ, ε² = δ² = 0, dual numbers of dual numbers: their rules give x″
too, of a function of time as of any other code.

**Jacobian.** Column j of G is the derivative of g by y_j, with q moved by y: places and angles q + y, orientations
q ∘ exp y. The force Gᵀ λ in the place moved by y has the entries ∂/∂z_c λ · g(q moved by y, then by z) at z = 0, so

    ∂(Gᵀ λ)_c/∂q_j = ∂²/∂y_j ∂z_c λ · g.

The numbers x + Σ_j x_j ε_j + (x_c + Σ_j x_cj ε_j) δ hold x_cj of all columns j for one column c. Number k of a place,
or an angle, has x_j = 1 for j = k, x_c = 1 for c = k, and x_cj = 0. Numbers of an orientation have, from
q ∘ exp y ∘ exp z,

    x_j = ½ q ∘ (0, e_j),        x_c = ½ q ∘ (0, e_c),        x_cj = ¼ q ∘ (0, e_j) ∘ (0, e_c);

the last is not symmetric, and neither is K: a torque about an axis of the body turns with it.
"""

from __future__ import annotations

from typing import Any

from flexmb.kernels import derivatives_in_python as in_python
from flexmb.kernels.compilation import INTERPRETED, inlined
from flexmb.kernels.derivatives import function_of, groups_for, named
from flexmb.kernels.dual_arrays import Orientations, coordinates_of, moving_of
from flexmb.kernels.dual_numbers import dual
from flexmb.kernels.dual_outputs import columns_of, rates, scratch_of, size_of
from flexmb.kernels.dual_places import places
from flexmb.kernels.dual_types import ALONG, LANES, first_order, second_order


def constraint_from(position: Any, orientations: Orientations) -> Any:
    """The constraint g | ġ | γ of positions, a kernel, whose instances have orientations in these places."""
    function = function_of(position)
    if INTERPRETED:
        return named(in_python.constraint_from(function, orientations), position, constraint_from, orientations)
    run, moving, scratch = inlined(function), moving_of(orientations), scratch_of(ALONG)

    def constraint(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        now = dual(dual(t, 1.0), dual(1.0, 0.0))
        for i in range(p.shape[0]):
            run(
                p[i : i + 1], places(iq, i), places(iv, i), now, moving(q, v, iq, iv, i), None, None, lam[i : i + 1], w,
                rates(out, i, lam.shape[1]), K, scratch(work),
            )  # fmt: skip

    return named(constraint, position, constraint_from, orientations)


def jacobian_from(position: Any, orientations: Orientations, width: int, rows: tuple[int, ...] = ()) -> Any:
    """The Jacobian of positions, a kernel, whose instances have `width` speeds: G, and  wk ∂(Gᵀ λ)/∂q; of the latter
    only `rows` are computed if these are given, as all others are zero."""
    given = orientations, width, rows
    function = function_of(position)
    if INTERPRETED:
        return named(in_python.jacobian_from(function, orientations), position, jacobian_from, *given)
    groups = groups_for(width)
    first, second, lanes = first_order(groups), second_order(groups), LANES * groups
    one, two = size_of(first), size_of(second)
    rows = rows or tuple(range(width))
    run, again = inlined(function), inlined(function)
    moved, columns, scratch = coordinates_of(first, orientations), columns_of(first), scratch_of(first)
    moved_twice, forces, more_scratch = coordinates_of(second, orientations), columns_of(second), scratch_of(second)

    @inlined
    def fill(p, iq, iv, t, q, v, a, lam, w, out, K, work, i, j):  # type: ignore[no-untyped-def]
        m, n = lam.shape[1], min(lanes, width - j)
        if w[2] == 0.0:
            for k in range(one * m):
                work[k] = 0.0
            run(
                p[i : i + 1], places(iq, i), places(iv, i), t, moved(q, iq, i, 1.0, j, 0), None, None, lam[i : i + 1],
                w, columns(work, m, m), K, scratch(work[one * m :]),
            )  # fmt: skip
        for each in range(len(rows) if w[2] != 0.0 else 0):
            c = rows[each]
            for k in range(two * m):
                work[k] = 0.0
            again(
                p[i : i + 1], places(iq, i), places(iv, i), t, moved_twice(q, iq, i, 1.0, j, c), None, None,
                lam[i : i + 1], w, forces(work, m, m), K, more_scratch(work[two * m :]),
            )  # fmt: skip
            for r in range(m):
                weight = w[2] * lam[i, r]
                for k in range(n):
                    K[i, c, j + k] += weight * work[two * r + one + 1 + k]
        for r in range(m):
            for k in range(n):
                out[i, r * width + j + k] = work[(one if w[2] == 0.0 else two) * r + 1 + k]

    def at_once(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            fill(p, iq, iv, t, q, v, a, lam, w, out, K, work, i, 0)

    def in_parts(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            for j in range(0, width, lanes):
                fill(p, iq, iv, t, q, v, a, lam, w, out, K, work, i, j)

    return named(at_once if width <= lanes else in_parts, position, jacobian_from, *given)
