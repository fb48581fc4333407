"""The steps of a run, kept in chunks that grow with it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.references import by_reference

#: numbers that a chunk may hold
CHUNK_NUMBERS = 250_000


@by_reference
class Rows(NamedTuple):
    """Times (k,), coordinates, speeds, accelerations (k, n) and multipliers (k, m), a row a step."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray

    def part(self, first: int, last: int) -> Rows:
        """The rows first..last."""
        return Rows(*(x[first:last] for x in self))


class History:
    """Times (k,), coordinates, speeds, accelerations (k, n) and multipliers (k, m) of the saved steps."""

    def __init__(self, n: int, m: int) -> None:
        self.n, self.m = n, m
        self._parts: list[Rows] = []

    def room(self, rows: int = 4096) -> Rows:
        """A new empty chunk for the compiled loop to fill."""
        rows = int(max(16, min(rows, CHUNK_NUMBERS // (3 * self.n + self.m + 1))))
        widths = (self.n, self.n, self.n, self.m)
        return Rows(np.empty(rows), *(np.empty((rows, width)) for width in widths))

    def keep(self, chunk: Rows, first: int, last: int) -> None:
        """Keep the rows first..last of a chunk."""
        if last > first:
            self._parts.append(chunk.part(first, last))

    def append(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> None:
        """Keep one step."""
        n, m = self.n, self.m
        row = (np.array([t]), q[None, :n].copy(), v[None, :n].copy(), a[None, :n].copy(), lam[None, :m].copy())
        self._parts.append(Rows(*row))

    def arrays(self) -> Rows:
        """All that was kept."""
        return Rows(*(np.concatenate(column) for column in zip(*self._parts)))
