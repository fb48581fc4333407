"""The steps of a run, kept in chunks that grow with it."""

from __future__ import annotations

import numpy as np

#: numbers that a chunk may hold
CHUNK_NUMBERS = 250_000

Rows = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class History:
    """Times (k,), coordinates, speeds, accelerations (k, n) and multipliers (k, m) of the saved steps."""

    def __init__(self, n: int, m: int) -> None:
        self.n, self.m = n, m
        self._parts: list[Rows] = []

    def room(self, rows: int = 4096) -> Rows:
        """A new empty chunk for the compiled loop to fill."""
        rows = int(max(16, min(rows, CHUNK_NUMBERS // (3 * self.n + self.m + 1))))
        widths = (self.n, self.n, self.n, self.m)
        chunk = (np.empty(rows), *(np.empty((rows, width)) for width in widths))
        return chunk  # type: ignore[return-value]

    def keep(self, chunk: Rows, first: int, last: int) -> None:
        """Keep the rows first..last of a chunk."""
        if last > first:
            self._parts.append(tuple(x[first:last] for x in chunk))  # type: ignore[arg-type]

    def append(self, t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray) -> None:
        """Keep one step."""
        n, m = self.n, self.m
        row = (np.array([t]), q[None, :n].copy(), v[None, :n].copy(), a[None, :n].copy(), lam[None, :m].copy())
        self._parts.append(row)

    def arrays(self) -> Rows:
        """All that was kept."""
        return tuple(np.concatenate(column) for column in zip(*self._parts))  # type: ignore[return-value]
