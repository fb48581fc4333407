"""Tangents by forward differentiation, of families that leave theirs out.

    K[:, j] = wm ∂r/∂a_j + wd ∂r/∂v_j + wk ∂r/∂q_j

is the derivative of the residual r in one direction: a_j, v_j and q_j change at the rates wm, wd and wk. The kernel
runs with dual numbers in place of coordinates, speeds and accelerations
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
from flexmb.kernels.compilation import INTERPRETED, allocation_free, kernel, plain, python_of
from flexmb.kernels.contract import MADE, Kernels
from flexmb.kernels.dual_numbers import PythonColumn, PythonVector, python_functions, teach
from flexmb.kernels.dual_types import LANES, column, scratch, seeded, slopes

#: The first places of each orientation among an instance's numbers in q and in v.
Orientations = tuple[tuple[int, int], ...]

#: families whose tangents were made here, by their ids, with the places of their orientations; kept alive with them
_made: dict[int, tuple[Kernels, Orientations]] = {}


def complete(kernels: Any, coordinates: Any, work: int, where: str) -> int:
    """Give a family that has a residual and no tangent one by differentiation; `coordinates` and
    `work`, the number of its scratch numbers, are those of an instance. Returns how many more the tangent needs."""
    if not isinstance(kernels, Kernels) or kernels.residual is None:
        return 0
    known = _made.get(id(kernels))
    if known is None and kernels.tangent is not None:
        return 0
    turns = orientations_in(coordinates, f"{where}: kernels {kernels.name!r} have no tangent, which is then made; {{}}")
    if known is None:
        object.__setattr__(kernels, "tangent", tangent_of(kernels.residual, turns))
        _made[id(kernels)] = kernels, turns
    elif known[1] != turns:
        raise KernelError(
            f"{where}: kernels {kernels.name!r} have no tangent, and stand on orientations in other places here than "
            "before; make a family for each order of blocks"
        )
    return LANES * (int(np.shape(joined(coordinates).v)[-1]) + work)


def is_made(kernels: Kernels) -> bool:
    """Whether the tangent of a family was made by differentiation."""
    return id(kernels) in _made


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
    function = python_of(residual)
    assert function is not None
    if INTERPRETED:
        return _interpreted(plain(function, names=python_functions()), orientations)
    run, firsts = allocation_free(function), tuple(first for _, first in orientations) or (-1,)
    places = tuple(first for first, _ in orientations) or (-1,)
    count = len(orientations)

    def tangent(p, iq, iv, t, q, v, a, lam, w, out, K, work):  # type: ignore[no-untyped-def]
        width = K.shape[1]
        one, two, three, four = (
            slopes(1.0, 0.0, 0.0, 0.0), slopes(0.0, 1.0, 0.0, 0.0), slopes(0.0, 0.0, 1.0, 0.0),
            slopes(0.0, 0.0, 0.0, 1.0),
        )  # fmt: skip
        for i in range(p.shape[0]):
            j, passed = 0, 0  # the next column, and how many orientations are before it
            while j < width:
                turns = passed < count and j == firsts[passed]
                end = firsts[passed] if passed < count and not turns else width
                n = 3 if turns else min(LANES, end - j)
                second, third, fourth = min(j + 1, j + n - 1), min(j + 2, j + n - 1), min(j + 3, j + n - 1)
                along = iv[i, j], iv[i, second], iv[i, third], iv[i, fourth]
                if turns:
                    m = places[passed]
                    at = iq[i, m], iq[i, m + 1], iq[i, m + 2], iq[i, m + 3]
                    h = 0.5 * w[2]
                    s, x, y, z = h * q[at[0]], h * q[at[1]], h * q[at[2]], h * q[at[3]]
                    changes = (
                        slopes(-x, -y, -z, 0.0),
                        slopes(s, -z, y, 0.0),
                        slopes(z, s, -x, 0.0),
                        slopes(-y, x, s, 0.0),
                    )
                else:
                    at = iq[i, j + passed], iq[i, second + passed], iq[i, third + passed], iq[i, fourth + passed]
                    changes = w[2] * one, w[2] * two, w[2] * three, w[2] * four
                for c in range(width):  # what is in the columns already
                    for k in range(n):
                        work[LANES * c + k] = K[i, c, j + k]
                        K[i, c, j + k] = 0.0
                run(
                    p[i : i + 1], iq[i : i + 1], iv[i : i + 1], t, seeded(q, at, changes),
                    seeded(v, along, (w[1] * one, w[1] * two, w[1] * three, w[1] * four)),
                    seeded(a, along, (w[0] * one, w[0] * two, w[0] * three, w[0] * four)), lam[i : i + 1], w,
                    column(K, i, j, n), K, scratch(work[LANES * width :]),
                )  # fmt: skip
                for c in range(width):
                    for k in range(n):
                        K[i, c, j + k] += work[LANES * c + k]
                j += n
                passed += int(turns)

    tangent.__module__, tangent.__qualname__ = function.__module__, f"{function.__qualname__}{MADE}"
    return kernel(tangent)


def _interpreted(residual: Callable[..., Any], orientations: Orientations) -> Callable[..., None]:
    """The tangent where Numba is switched off."""

    def tangent(p: Any, iq: Any, iv: Any, t: Any, q: Any, v: Any, a: Any, lam: Any, w: Any, out: Any, K: Any,
                work: Any) -> None:  # fmt: skip
        for i in range(p.shape[0]):
            own = slice(i, i + 1)
            places = [at for at in range(iq.shape[1]) if not any(0 <= at - first < 4 for first, _ in orientations)]
            columns = [j for j in range(K.shape[1]) if not any(0 <= j - first < 3 for _, first in orientations)]
            seeds = {j: {int(iq[i, at]): w[2]} for j, at in zip(columns, places)}
            for first, j in orientations:
                four = [int(k) for k in iq[i, first : first + 4]]
                s, x, y, z = 0.5 * w[2] * q[four]
                rates = (-x, s, z, -y), (-y, -z, s, x), (-z, y, -x, s)
                seeds |= {j + c: dict(zip(four, rates[c])) for c in range(3)}
            before = K[i].copy()
            for j in range(K.shape[1]):
                K[i, :, j] = 0.0
                speed = int(iv[i, j])
                state = PythonVector(q, seeds[j]), PythonVector(v, {speed: w[1]}), PythonVector(a, {speed: w[0]})
                residual(p[own], iq[own], iv[own], t, *state, lam[own], w, PythonColumn(K[i], j), K, list(work))
            K[i] += before

    return tangent
