"""Tangents and Jacobians by forward differentiation, of families that leave theirs out.

    K[:, j] = wm ∂r/∂a_j + wd ∂r/∂v_j + wk ∂r/∂q_j,        G[:, j] = ∂ġ/∂v_j

are derivatives of the residual r and of the constraint's rate ġ in one direction: a_j, v_j and q_j change at the rates
wm, wd and wk. The kernel runs with dual numbers in place of coordinates, speeds and accelerations
(:mod:`flexmb.kernels.dual_numbers`). An orientation q has four numbers in q and three columns, by rotations y in the
body's own axes: of column c the four numbers change by  ∂(q ∘ exp y)/∂y_c = ½ q ∘ (0, e_c).

Four columns are differentiated at once, or the three of an orientation. Whole runs of mechanisms that have nothing but
springs or bushings take 1.0 to 1.15 times as long as with tangents written by hand by generalized-α, 1.0 to 1.35 times
by Radau (`python -m flexmb.validation.performance.derivatives`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flexmb.errors import KernelError
from flexmb.kernels.blocks import Numbers, joined
from flexmb.kernels.compilation import INTERPRETED, allocation_free, inlined, kernel, plain, python_of
from flexmb.kernels.contract import MADE, Kernels
from flexmb.kernels.dual_arrays import column, rates, scratch, seeded, teach_entries, unit
from flexmb.kernels.dual_numbers import PythonColumn, PythonVector, python_functions, teach
from flexmb.kernels.dual_types import LANES, slopes

#: The first places of each orientation among an instance's numbers in q and in v.
Orientations = tuple[tuple[int, int], ...]

#: kernels, and those that are made of them
MAKERS = (("residual", "tangent"), ("constraint", "jacobian"))
#: families with kernels that were made here, by their ids, with the places of their orientations; kept alive with them
_made: dict[int, tuple[Kernels, Orientations]] = {}


def complete(kernels: Any, coordinates: Any, rows: int, work: int, where: str) -> int:
    """Give a family the tangent and the Jacobian that it leaves out; `coordinates`, the number of `rows` and `work`,
    the number of scratch numbers, are those of an instance. Returns how many more of these it needs."""
    if not isinstance(kernels, Kernels):
        return 0
    known = _made.get(id(kernels))
    lacks = {
        made: getattr(kernels, of) for of, made in MAKERS if getattr(kernels, made) is None and getattr(kernels, of)
    }
    if known is None and not lacks:
        return 0
    turns = orientations_in(
        coordinates, f"{where}: kernels {kernels.name!r} lack derivatives, which are then made; {{}}"
    )
    if known is None:
        for role, of in lacks.items():
            object.__setattr__(kernels, role, {"tangent": tangent_of, "jacobian": jacobian_of}[role](of, turns))
        _made[id(kernels)] = kernels, turns
    elif known[1] != turns:
        raise KernelError(
            f"{where}: kernels {kernels.name!r} leave a derivative out, and stand on orientations in other places here "
            "than before; make a family for each order of blocks"
        )
    return LANES * (max(int(np.shape(joined(coordinates).v)[-1]), rows) + work)


def orientations_in(coordinates: Any, message: str = "{}") -> Orientations:
    """The places of orientations among the blocks of an instance, or of many instances.

    >>> place, turn = Numbers(np.arange(3), np.arange(3)), Numbers(np.arange(3, 7), np.arange(3, 6))
    >>> orientations_in([place, turn, place, turn])
    ((3, 3), (10, 9))
    """
    blocks = [coordinates] if isinstance(coordinates, Numbers | np.ndarray) else list(coordinates)
    found, at_q, at_v = [], 0, 0
    for block in blocks:
        q, v = (np.shape(x)[-1] for x in (block if isinstance(block, Numbers) else (block, block)))
        if (q, v) == (4, 3):
            found.append((at_q, at_v))
        elif q != v:
            raise KernelError(message.format("give its coordinates block by block, so that it knows the orientations"))
        at_q, at_v = at_q + q, at_v + v
    return tuple(found)


def tangent_of(residual: Any, orientations: Orientations = ()) -> Any:
    """The tangent of a residual, a kernel, whose instances have orientations in these places.

    >>> from flexmb.kernels import kernel
    >>> @kernel
    ... def residual(p, iq, iv, t, q, v, a, lam, w, out, K, work):
    ...     for i in range(p.shape[0]):
    ...         out[i, 0] = p[i, 0] * q[iq[i, 0]] ** 3
    >>> K, one = np.zeros((1, 1, 1)), np.zeros((1, 1), dtype=np.int64)
    >>> state, none = np.array([2.0]), np.zeros((1, 0))
    >>> given = np.array([[5.0]]), one, one, 0.0, state, state, state, none, np.array([0.0, 0.0, 1.0, 0.0])
    >>> tangent_of(residual)(*given, none, K, np.zeros(4))
    >>> K.tolist()  # 3 · 5 · 2²
    [[[60.0]]]
    """
    teach()
    teach_entries()
    function = python_of(residual)
    assert function is not None
    if INTERPRETED:
        return _interpreted(plain(function, names=python_functions()), orientations)
    run, firsts, places, count = allocation_free(function), *_layout(orientations)

    def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        width = K.shape[1]
        for i in range(p.shape[0]):
            j, passed = 0, 0  # the next column, and how many orientations are before it
            while j < width:
                n, turns = _columns(width, j, passed, count, firsts)
                at, changes = _places(iq, q, i, j, n, passed, turns, places[min(passed, len(places) - 1)], w[2])
                along = _speeds(iv, i, j, n)
                for c in range(width):  # what is in the columns already
                    for k in range(n):
                        work[LANES * c + k] = K[i, c, j + k]
                        K[i, c, j + k] = 0.0
                run(
                    p[i : i + 1], iq[i : i + 1], iv[i : i + 1], t, seeded(q, at, changes),
                    seeded(v, along, _each(w[1])), seeded(a, along, _each(w[0])), lam[i : i + 1], w,
                    column(K, i, j, n), K, scratch(work[LANES * width :]),
                )  # fmt: skip
                for c in range(width):
                    for k in range(n):
                        K[i, c, j + k] += work[LANES * c + k]
                j += n
                passed += int(turns)

    return _named(tangent, function)


def jacobian_of(constraint: Any, orientations: Orientations = ()) -> Any:
    """The Jacobian of a constraint, a kernel: G from ∂ġ/∂v, of velocity rows also ∂ġ/∂q, and  wk ∂(Gᵀ λ)/∂q. As ġ is
    linear in v, its column for the speed j is  ∂/∂q Σ λ (ġ(q, e_j) − ġ(q, 0))."""
    teach()
    teach_entries()
    function = python_of(constraint)
    assert function is not None
    if INTERPRETED:
        return _interpreted_jacobian(plain(function, names=python_functions()), orientations)
    run, firsts, places, count = allocation_free(function), *_layout(orientations)

    def jacobian(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        width, m = K.shape[1], lam.shape[1]
        found, rest = work[: LANES * m], work[LANES * m :]
        for i in range(p.shape[0]):
            j, passed = 0, 0
            while j < width:
                n, turns = _columns(width, j, passed, count, firsts)
                at, changes = _places(iq, q, i, j, n, passed, turns, places[min(passed, len(places) - 1)], 1.0)
                own = p[i : i + 1], iq[i : i + 1], iv[i : i + 1]
                run(*own, t, q, seeded(v, _speeds(iv, i, j, n), _each(1.0)), a, lam[i : i + 1], w, rates(found, m), K,
                    scratch(rest))  # fmt: skip
                for r in range(m):
                    for k in range(n):
                        out[i, r * width + j + k] = found[LANES * r + k]
                if out.shape[1] > m * width:
                    run(*own, t, seeded(q, at, changes), v, a, lam[i : i + 1], w, rates(found, m), K, scratch(rest))
                    for r in range(m):
                        for k in range(n):
                            out[i, (m + r) * width + j + k] = found[LANES * r + k]
                for c in range(-1 if w[2] != 0.0 else width, width):  # at rest first, then for each speed
                    speed = unit(iv[i, c] if c >= 0 else -1)
                    run(*own, t, seeded(q, at, changes), speed, a, lam[i : i + 1], w, rates(found, m), K, scratch(rest))
                    for r in range(m):
                        for k in range(n):
                            force = w[2] * lam[i, r] * found[LANES * r + k]
                            if c >= 0:
                                K[i, c, j + k] += force
                            else:
                                for each in range(width):
                                    K[i, each, j + k] -= force
                j += n
                passed += int(turns)

    return _named(jacobian, function)


def _named(made: Callable[..., None], function: Callable[..., Any]) -> Any:
    """The kernel, under a name that tells of what it is made."""
    made.__module__, made.__qualname__ = function.__module__, f"{function.__qualname__}{MADE}"
    return kernel(made)


def _layout(orientations: Orientations) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """The first columns of orientations, their first places in q, and how many they are."""
    return tuple(v for _, v in orientations) or (-1,), tuple(q for q, _ in orientations) or (-1,), len(orientations)


@inlined
def _columns(width, j, passed, count, firsts):
    """How many columns from j on are differentiated at once, and whether they are those of an orientation."""
    turns = passed < count and j == firsts[passed]
    end = firsts[passed] if passed < count and not turns else width
    return (3 if turns else min(LANES, end - j)), turns


@inlined
def _each(rate):
    """One entry for each direction, which changes at a rate in that direction alone."""
    return (
        slopes(rate, 0.0, 0.0, 0.0), slopes(0.0, rate, 0.0, 0.0), slopes(0.0, 0.0, rate, 0.0),
        slopes(0.0, 0.0, 0.0, rate),
    )  # fmt: skip


@inlined
def _speeds(iv, i, j, n):
    """Places in v of n columns from j on; the last one stands for those beyond."""
    last = j + n - 1
    return iv[i, j], iv[i, min(j + 1, last)], iv[i, min(j + 2, last)], iv[i, min(j + 3, last)]


@inlined
def _places(iq, q, i, j, n, passed, turns, place, rate):
    """Places in q of n columns from j on, and how these entries change at a rate along each column."""
    if not turns:
        first, last = j + passed, j + passed + n - 1
        at = iq[i, first], iq[i, min(first + 1, last)], iq[i, min(first + 2, last)], iq[i, min(first + 3, last)]
        return at, _each(rate)
    at = iq[i, place], iq[i, place + 1], iq[i, place + 2], iq[i, place + 3]
    h = 0.5 * rate
    s, x, y, z = h * q[at[0]], h * q[at[1]], h * q[at[2]], h * q[at[3]]
    return at, (slopes(-x, -y, -z, 0.0), slopes(s, -z, y, 0.0), slopes(z, s, -x, 0.0), slopes(-y, x, s, 0.0))


def _interpreted(residual: Callable[..., Any], orientations: Orientations) -> Callable[..., None]:
    """The tangent where Numba is switched off."""

    def tangent(p: Any, iq: Any, iv: Any, t: Any, q: Any, v: Any, a: Any, lam: Any, w: Any, out: Any, K: Any,
                work: Any) -> None:  # fmt: skip
        for i in range(p.shape[0]):
            own, before = slice(i, i + 1), K[i].copy()
            for j, seed in enumerate(_seeds(iq[i], q, orientations, K.shape[1], w[2])):
                K[i, :, j] = 0.0
                speed = int(iv[i, j])
                state = PythonVector(q, seed), PythonVector(v, {speed: w[1]}), PythonVector(a, {speed: w[0]})
                residual(p[own], iq[own], iv[own], t, *state, lam[own], w, PythonColumn(K[i], j), K, list(work))
            K[i] += before

    return tangent


def _interpreted_jacobian(constraint: Callable[..., Any], orientations: Orientations) -> Callable[..., None]:
    """The Jacobian where Numba is switched off."""

    def jacobian(p: Any, iq: Any, iv: Any, t: Any, q: Any, v: Any, a: Any, lam: Any, w: Any, out: Any, K: Any,
                 work: Any) -> None:  # fmt: skip
        width, m = K.shape[1], lam.shape[1]
        for i in range(p.shape[0]):
            own = slice(i, i + 1)

            def slopes_of(places: Any, speeds: Any, own: slice = own) -> np.ndarray:
                found = np.zeros((3 * m, 1))
                column = PythonColumn(found, 0)
                constraint(p[own], iq[own], iv[own], t, places, speeds, a, lam[own], w, column, K, list(work))
                return found[m : 2 * m, 0]

            for j, seed in enumerate(_seeds(iq[i], q, orientations, width, 1.0)):
                places = PythonVector(q, seed)
                out[i, j : m * width : width] = slopes_of(q, PythonVector(v, {int(iv[i, j]): 1.0}))
                if out.shape[1] > m * width:
                    out[i, m * width + j :: width] = slopes_of(places, v)
                still = lam[i] @ slopes_of(places, np.zeros(len(v)))
                for c in range(width):
                    one = np.zeros(len(v))
                    one[iv[i, c]] = 1.0
                    K[i, c, j] += w[2] * (lam[i] @ slopes_of(places, one) - still)

    return jacobian


def _seeds(
    iq: np.ndarray, q: np.ndarray, orientations: Orientations, width: int, rate: float
) -> list[dict[int, float]]:
    """How numbers of q change along each column."""
    places = [at for at in range(len(iq)) if not any(0 <= at - first < 4 for first, _ in orientations)]
    columns = [j for j in range(width) if not any(0 <= j - first < 3 for _, first in orientations)]
    seeds = {j: {int(iq[at]): rate} for j, at in zip(columns, places)}
    for first, j in orientations:
        four = [int(k) for k in iq[first : first + 4]]
        s, x, y, z = 0.5 * rate * q[four]
        changes = (-x, s, z, -y), (-y, -z, s, x), (-z, y, -x, s)
        seeds |= {j + c: dict(zip(four, changes[c])) for c in range(3)}
    return [seeds[j] for j in range(width)]
