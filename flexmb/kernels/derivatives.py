"""Tangents and Jacobians by forward differentiation, of families that leave theirs out.

    K[:, j] = wm ∂r/∂a_j + wd ∂r/∂v_j + wk ∂r/∂q_j,        G[:, j] = ∂ġ/∂v_j

are derivatives of the residual r and of the constraint's rate ġ in one direction: a_j, v_j and q_j change at the rates
wm, wd and wk. The kernel runs with dual numbers in place of coordinates, speeds and accelerations
(:mod:`flexmb.kernels.dual_numbers`). An orientation q has four numbers in q and three columns, by rotations y in the
body's own axes: of column c the four numbers change by  ∂(q ∘ exp y)/∂y_c = ½ q ∘ (0, e_c). What is made of positions
g(q, t) is derived in :mod:`flexmb.kernels.positions`.

Up to twelve columns are differentiated at once, in groups of four, which the processor computes together. The number of
columns and their places are known to the compiler, which leaves out what does not change: of the arm of a body all
columns but those of its own orientation. Whole runs of mechanisms that have nothing but springs take as long as with
tangents written by hand, within a few per cent (`python -m flexmb.validation.performance.derivatives`). A
:class:`~flexmb.kernels.contract.Pattern` is not needed for this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flexmb.kernels import derivatives_in_python as in_python
from flexmb.kernels.compilation import INTERPRETED, inlined, kernel, plain, python_of
from flexmb.kernels.contract import MADE
from flexmb.kernels.dual_arrays import Orientations, coordinates_of, speeds_of, teach_entries, unit
from flexmb.kernels.dual_numbers import python_functions, teach
from flexmb.kernels.dual_outputs import columns_of, scratch_of, size_of
from flexmb.kernels.dual_places import places
from flexmb.kernels.dual_types import LANES, first_order

#: how many groups of columns are differentiated at once, at most
MOST = 3


def function_of(given: Any) -> Callable[..., Any]:
    """The Python function of a kernel that is to be differentiated; the compiler, or Python, then knows the rules."""
    teach()
    teach_entries()
    function = python_of(given)
    assert function is not None
    return plain(function, names=python_functions()) if INTERPRETED else function


def groups_for(width: int) -> int:
    """How many groups of columns are differentiated at once."""
    return min(MOST, -(-width // LANES))


def tangent_of(residual: Any, orientations: Orientations, width: int) -> Any:
    """The tangent of a residual, a kernel, whose instances have `width` speeds, and orientations in these places.

    >>> import numpy as np
    >>> from flexmb.kernels import kernel
    >>> @kernel
    ... def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    ...     for i in range(p.shape[0]):
    ...         out[i, 0] = p[i, 0] * q[iq[i, 0]] ** 3
    >>> K, one = np.zeros((1, 1, 1)), np.zeros((1, 1), dtype=np.int64)
    >>> state, none = np.array([2.0]), np.zeros((1, 0))
    >>> given = np.array([[5.0]]), one, one, 0.0, state, state, state, none, np.array([0.0, 0.0, 1.0, 0.0])
    >>> tangent_of(residual, (), 1)(*given, none, K, np.zeros(5))
    >>> K.tolist()  # 3 · 5 · 2²
    [[[60.0]]]
    """
    function = function_of(residual)
    if INTERPRETED:
        return named(in_python.tangent_of(function, orientations), residual, tangent_of, orientations, width)
    number = first_order(groups_for(width))
    coordinates, speeds, columns = coordinates_of(number, orientations), speeds_of(number), columns_of(number)
    run, scratch, lanes, size = inlined(function), scratch_of(number), LANES * groups_for(width), size_of(number)

    @inlined
    def add_columns(p, iq, iv, t, q, v, a, lam, w, K, work, i, j):  # type: ignore[no-untyped-def]
        """Those from column j on, of instance i."""
        for k in range(size * width):
            work[k] = 0.0
        run(
            p[i : i + 1], places(iq, i), places(iv, i), t, coordinates(q, iq, i, w[2], j, 0),
            speeds(v, iv, i, w[1], j), speeds(a, iv, i, w[0], j), lam[i : i + 1], w,
            columns(work, width, width), K, scratch(work[size * width :]),
        )  # fmt: skip
        n = min(lanes, width - j)
        for c in range(width):
            for k in range(n):
                K[i, c, j + k] += work[size * c + 1 + k]

    def at_once(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            add_columns(p, iq, iv, t, q, v, a, lam, w, K, work, i, 0)

    def in_parts(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            for j in range(0, width, lanes):
                add_columns(p, iq, iv, t, q, v, a, lam, w, K, work, i, j)

    return named(at_once if width <= lanes else in_parts, residual, tangent_of, orientations, width)


def jacobian_of(constraint: Any, orientations: Orientations, width: int) -> Any:
    """The Jacobian of a constraint, a kernel: G from ∂ġ/∂v, of velocity rows also ∂ġ/∂q, and  wk ∂(Gᵀ λ)/∂q. As ġ is
    linear in v, its column for the speed j is  ∂/∂q Σ λ (ġ(q, e_j) − ġ(q, 0))."""
    function = function_of(constraint)
    if INTERPRETED:
        return named(in_python.jacobian_of(function, orientations), constraint, jacobian_of, orientations, width)
    number = first_order(groups_for(width))
    coordinates, speeds, columns = coordinates_of(number, orientations), speeds_of(number), columns_of(number)
    run, scratch, lanes, size = inlined(function), scratch_of(number), LANES * groups_for(width), size_of(number)

    @inlined
    def differentiate(p, iq, iv, t, q, v, a, lam, w, K, work, i):  # type: ignore[no-untyped-def]
        """g and ġ of all rows with their slopes."""
        m = lam.shape[1]
        for k in range(2 * size * m):
            work[k] = 0.0
        run(
            p[i : i + 1], places(iq, i), places(iv, i), t, q, v, a, lam[i : i + 1], w, columns(work, 2 * m, 3 * m), K,
            scratch(work[2 * size * m :]),
        )  # fmt: skip

    @inlined
    def fill(p, iq, iv, t, q, v, a, lam, w, out, K, work, i, j):  # type: ignore[no-untyped-def]
        m, n = lam.shape[1], min(lanes, width - j)
        moved = coordinates(q, iq, i, 1.0, j, 0)
        differentiate(p, iq, iv, t, q, speeds(v, iv, i, 1.0, j), a, lam, w, K, work, i)
        for r in range(m):
            for k in range(n):
                out[i, r * width + j + k] = work[size * (m + r) + 1 + k]
        if out.shape[1] > m * width:
            differentiate(p, iq, iv, t, moved, v, a, lam, w, K, work, i)
            for r in range(m):
                for k in range(n):
                    out[i, (m + r) * width + j + k] = work[size * (m + r) + 1 + k]
        for c in range(-1 if w[2] != 0.0 else width, width):  # at rest first, then for each speed
            differentiate(p, iq, iv, t, moved, unit(c), a, lam, w, K, work, i)
            for r in range(m):
                for k in range(n):
                    force = w[2] * lam[i, r] * work[size * (m + r) + 1 + k]
                    if c >= 0:
                        K[i, c, j + k] += force
                    else:
                        for each in range(width):
                            K[i, each, j + k] -= force

    def at_once(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            fill(p, iq, iv, t, q, v, a, lam, w, out, K, work, i, 0)

    def in_parts(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        for i in range(p.shape[0]):
            for j in range(0, width, lanes):
                fill(p, iq, iv, t, q, v, a, lam, w, out, K, work, i, j)

    return named(at_once if width <= lanes else in_parts, constraint, jacobian_of, orientations, width)


def named(
    made: Callable[..., None], given: Any, how: Callable[..., Any], *arguments: Any, code: Callable[..., Any] = kernel
) -> Any:
    """The kernel, under a name that tells of what it is made: by `how(given, *arguments)`; `code` compiles it."""
    function: Any = python_of(given)
    made.__module__, made.__qualname__ = function.__module__, f"{function.__qualname__}{MADE}"
    made.made_of = function  # type: ignore[attr-defined]
    made.made_by = how, arguments  # type: ignore[attr-defined]
    return code(made)
