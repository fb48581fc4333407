"""Kernels made by forward differentiation where Numba is switched off, one column at a time; see
:mod:`flexmb.kernels.derivatives` and :mod:`flexmb.kernels.positions` for the formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flexmb.kernels.dual_numbers import PythonDual

Run = Callable[..., Any]
Orientations = tuple[tuple[int, int], ...]


class Place(int):
    """The index of a coordinate, which remembers where in its instance it stands."""

    local: int

    @classmethod
    def of(cls, number: Any, local: int) -> Place:
        made = cls(number)
        made.local = local
        return made


class PlacesRow(list[Place]):
    """The row of the indices of one instance."""

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)


class Places:
    """The indices of one instance, as an array of one row."""

    def __init__(self, row: np.ndarray) -> None:
        self.row = PlacesRow(Place.of(number, k) for k, number in enumerate(row))
        self.shape, self.size = (1, len(row)), len(row)

    def __getitem__(self, at: Any) -> Any:
        return self.row[at[1]] if isinstance(at, tuple) else self.row


class Moved:
    """A vector of which the entries of an instance change as `changed(x, local)` says."""

    def __init__(self, x: np.ndarray, changed: Callable[[float, int], Any], row: np.ndarray) -> None:
        self.x, self.changed, self.row = x, changed, row.tolist()

    def __getitem__(self, at: int) -> Any:
        if isinstance(at, Place):
            return self.changed(float(self.x[at]), at.local)
        return self.changed(float(self.x[at]), self.row.index(at)) if at in self.row else PythonDual(self.x[at], 0.0)


class Unit:
    """Speeds of which that of one column is 1, all others are 0."""

    def __init__(self, column: int) -> None:
        self.column = column

    def __getitem__(self, at: Place) -> float:
        return 1.0 if at.local == self.column else 0.0


class Output:
    """The row of one instance, as an array of one row; it keeps whole dual numbers."""

    def __init__(self, zero: Any) -> None:
        self.zero, self.row = zero, dict[int, Any]()

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, tuple):
            return self.row.get(at[1], self.zero)
        return Row(self)

    def __setitem__(self, at: tuple[int, int], y: Any) -> None:
        self.row[at[1]] = y


class Row:
    """That row."""

    def __init__(self, output: Output) -> None:
        self.output = output

    def __getitem__(self, at: int) -> Any:
        return self.output[0, at]

    def __setitem__(self, at: int, y: Any) -> None:
        self.output[0, at] = y


def part(x: Any, *path: str) -> float:
    """A derivative of a number; zero of one that does not change."""
    for name in path:
        if isinstance(x, PythonDual):
            x = getattr(x, name)
        elif name == "d":
            return 0.0
    return float(x)


def tangent_of(residual: Run, orientations: Orientations) -> Callable[..., None]:
    """The tangent of a residual."""

    def tangent(p: Any, iq: Any, iv: Any, t: Any, q: Any, v: Any, a: Any, lam: Any, w: Any, out: Any, K: Any,
                work: Any) -> None:  # fmt: skip
        for i in range(p.shape[0]):
            own, width = slice(i, i + 1), K.shape[1]
            for j, seed in enumerate(_seeds(iq[i], q, orientations, width)):
                state = _along(q, iq[i], seed, w[2]), _along(v, iv[i], {j: 1.0}, w[1]), _along(a, iv[i], {j: 1.0}, w[0])
                found = Output(PythonDual(0.0, 0.0))
                residual(p[own], Places(iq[i]), Places(iv[i]), t, *state, lam[own], w, found, K, list(work))
                K[i, :, j] += [part(found[0, c], "d") for c in range(width)]

    return tangent


def gradient_of(formula: Run, orientations: Orientations) -> Callable[..., None]:
    """The derivatives of a formula."""

    def gradient(row: Any, iq: Any, iv: Any, t: Any, q: Any, v: Any, a: Any, w: Any, out: Any, work: Any) -> None:
        places = Places(iq[0])[0], Places(iv[0])[0]
        for j, seed in enumerate(_seeds(iq[0], q, orientations, iv.shape[1])):
            state = _along(q, iq[0], seed, w[2]), _along(v, iv[0], {j: 1.0}, w[1]), _along(a, iv[0], {j: 1.0}, w[0])
            out[j] += part(formula(row, *places, t, *state), "d")

    return gradient


def jacobian_of(constraint: Run, orientations: Orientations) -> Callable[..., None]:
    """The Jacobian of a constraint."""

    def jacobian(p: Any, iq: Any, iv: Any, t: Any, q: Any, v: Any, a: Any, lam: Any, w: Any, out: Any, K: Any,
                 work: Any) -> None:  # fmt: skip
        width, m = K.shape[1], lam.shape[1]
        for i in range(p.shape[0]):
            own = slice(i, i + 1)

            def slopes_of(places: Any, speeds: Any, i: int = i, own: slice = own) -> np.ndarray:
                found = Output(PythonDual(0.0, 0.0))
                given = p[own], Places(iq[i]), Places(iv[i]), t, places, speeds, a, lam[own], w
                constraint(*given, found, K, list(work))
                return np.array([part(found[0, m + r], "d") for r in range(m)])

            for j, seed in enumerate(_seeds(iq[i], q, orientations, width)):
                places = _along(q, iq[i], seed, 1.0)
                out[i, j : m * width : width] = slopes_of(q, _along(v, iv[i], {j: 1.0}, 1.0))
                if out.shape[1] > m * width:
                    out[i, m * width + j :: width] = slopes_of(places, v)
                still = slopes_of(places, Unit(-1))
                for c in range(width):
                    K[i, c, j] += w[2] * (lam[i] @ (slopes_of(places, Unit(c)) - still))

    return jacobian


def constraint_from(position: Run, orientations: Orientations) -> Callable[..., None]:
    """The constraint of positions."""

    def constraint(p: Any, iq: Any, iv: Any, t: Any, q: Any, v: Any, a: Any, lam: Any, w: Any, out: Any, K: Any,
                   work: Any) -> None:  # fmt: skip
        m = lam.shape[1]
        for i in range(p.shape[0]):
            own = slice(i, i + 1)
            rate, second = np.zeros((2, iq.shape[1]))
            for speed, seed in zip(v[iv[i]], _seeds(iq[i], q, orientations, iv.shape[1])):
                rate += speed * np.array(_column(seed, iq.shape[1]))
            for in_q, in_v in orientations:
                omega = v[iv[i, in_v : in_v + 3]]
                second[in_q : in_q + 4] = -0.25 * (omega @ omega) * q[iq[i, in_q : in_q + 4]]

            def changed(x: float, k: int, rate: Any = rate, second: Any = second) -> Any:
                return PythonDual(PythonDual(x, rate[k]), PythonDual(rate[k], second[k]))

            now = PythonDual(PythonDual(t, 1.0), PythonDual(1.0, 0.0))
            zero = PythonDual(PythonDual(0.0, 0.0), PythonDual(0.0, 0.0))
            found, moving = Output(zero), Moved(q, changed, iq[i])
            position(p[own], Places(iq[i]), Places(iv[i]), now, moving, None, None, lam[own], w, found, K, list(work))
            for r in range(m):
                g = found[0, r]
                out[i, r], out[i, m + r], out[i, 2 * m + r] = part(g, "x", "x"), part(g, "x", "d"), -part(g, "d", "d")

    return constraint


def jacobian_from(position: Run, orientations: Orientations) -> Callable[..., None]:
    """The Jacobian of positions."""

    def jacobian(p: Any, iq: Any, iv: Any, t: Any, q: Any, v: Any, a: Any, lam: Any, w: Any, out: Any, K: Any,
                 work: Any) -> None:  # fmt: skip
        width, m, size = K.shape[1], lam.shape[1], iq.shape[1]
        zero = PythonDual(PythonDual(0.0, 0.0), PythonDual(0.0, 0.0))
        for i in range(p.shape[0]):
            own, seeds = slice(i, i + 1), _seeds(iq[i], q, orientations, width)
            for j, seed in enumerate(seeds):
                for c, other in enumerate(seeds):
                    by_j, by_c, twice = (_column(x, size) for x in (seed, other, _turned(seed, orientations, c)))

                    def changed(x: float, k: int, by_j: Any = by_j, by_c: Any = by_c, twice: Any = twice) -> Any:
                        return PythonDual(PythonDual(x, by_j[k]), PythonDual(by_c[k], twice[k]))

                    found = Output(zero)
                    given = p[own], Places(iq[i]), Places(iv[i]), t, Moved(q, changed, iq[i]), None, None, lam[own], w
                    position(*given, found, K, list(work))
                    for r in range(m):
                        out[i, r * width + j] = part(found[0, r], "x", "d")
                        K[i, c, j] += w[2] * lam[i, r] * part(found[0, r], "d", "d")

    return jacobian


def _along(x: np.ndarray, row: np.ndarray, seed: dict[int, float], rate: float) -> Moved:
    """A vector whose entries change at a rate along a seed."""
    return Moved(x, lambda value, k: PythonDual(value, rate * seed.get(k, 0.0)), row)


def _column(seed: dict[int, float], size: int) -> list[float]:
    """How each of the numbers of an instance changes."""
    return [seed.get(k, 0.0) for k in range(size)]


def _turned(seed: dict[int, float], orientations: Orientations, c: int) -> dict[int, float]:
    """½ x ∘ (0, e_c) of changes x of the numbers of the orientation to which column c belongs."""
    for in_q, in_v in orientations:
        if 0 <= c - in_v < 3:
            s, x, y, z = (0.5 * seed.get(in_q + k, 0.0) for k in range(4))
            return dict(zip(range(in_q, in_q + 4), ((-x, s, z, -y), (-y, -z, s, x), (-z, y, -x, s))[c - in_v]))
    return {}


def _seeds(iq: np.ndarray, q: np.ndarray, orientations: Orientations, width: int) -> list[dict[int, float]]:
    """How the numbers of an instance in q change along each column, by their places."""
    places = [at for at in range(len(iq)) if not any(0 <= at - first < 4 for first, _ in orientations)]
    columns = [j for j in range(width) if not any(0 <= j - first < 3 for _, first in orientations)]
    seeds = {j: {at: 1.0} for j, at in zip(columns, places)}
    for in_q, in_v in orientations:
        numbers = {in_q + k: float(q[iq[in_q + k]]) for k in range(4)}
        seeds |= {in_v + c: _turned(numbers, orientations, in_v + c) for c in range(3)}
    return [seeds[j] for j in range(width)]
