"""The axis of a beam by its length: smooth pieces, one behind the other, and where they are at a distance from the
start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from flexmb.errors import ModelError

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
#: a slope this much smaller than the mean one is a point at which a curve stands still
STANDS_STILL = 1e-9


class Piece(NamedTuple):
    """A smooth curve: the points (k, 3) and their derivatives (k, 3) at parameters (k,) from 0 to `end`, and the number
    of intervals in which its length is summed by Gauss points."""

    points: Callable[[np.ndarray], np.ndarray]
    slopes: Callable[[np.ndarray], np.ndarray]
    end: float
    intervals: int = 1


class AxisPath:
    """Pieces of a curve by the distance along them; `where` begins messages.

    >>> import numpy as np
    >>> line = Piece(lambda u: np.outer(u, (0, 0, 1)), lambda u: np.tile((0.0, 0.0, 1.0), (len(u), 1)), 2.0)
    >>> path = AxisPath([line], "the line")
    >>> round(path.length, 12), path.at(0, np.array([0.5]))[0].round(12).tolist()
    (2.0, [[0.0, 0.0, 0.5]])
    """

    def __init__(self, pieces: Sequence[Piece], where: str) -> None:
        self.pieces = list(pieces)
        self._grids: list[np.ndarray] = []
        self._lengths: list[np.ndarray] = []
        for piece in self.pieces:
            grid = np.linspace(0.0, piece.end, piece.intervals + 1)
            parts = _summed(piece, grid[:-1], grid[1:])
            speeds = _speeds(piece, grid)
            if not np.all(np.isfinite(parts)) or not np.all(np.isfinite(speeds)):
                raise ModelError(f"{where}: it is not finite everywhere")
            if not np.sum(parts) > 0.0:
                raise ModelError(f"{where}: its length is zero")
            if np.min(speeds) < STANDS_STILL * np.mean(speeds):
                u = float(grid[np.argmin(speeds)])
                raise ModelError(f"{where}: it stands still at {u:g}, where its tangent is not known")
            self._grids.append(grid)
            self._lengths.append(np.concatenate([[0.0], np.cumsum(parts)]))
        #: distances [m] at which the pieces begin, and the whole length
        self.breaks = np.concatenate([[0.0], np.cumsum([lengths[-1] for lengths in self._lengths])])

    @property
    def length(self) -> float:
        """The length [m]."""
        return float(self.breaks[-1])

    def at(self, piece: int, distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Points (k, 3) [m] and unit tangents (k, 3) of a piece at distances (k,) [m] from the start of the whole."""
        of, grid, lengths = self.pieces[piece], self._grids[piece], self._lengths[piece]
        wanted = np.clip(distances - self.breaks[piece], 0.0, lengths[-1])
        first = np.clip(np.searchsorted(lengths, wanted, side="right") - 1, 0, of.intervals - 1)
        u = np.interp(wanted, lengths, grid)
        for _ in range(20):
            off = lengths[first] + _summed(of, grid[first], u) - wanted
            u = np.clip(u - off / _speeds(of, u), 0.0, of.end)
            if np.max(np.abs(off), initial=0.0) < 1e-15 * lengths[-1]:
                break
        slopes = np.asarray(of.slopes(u), dtype=float)
        return np.asarray(of.points(u), dtype=float), slopes / np.linalg.norm(slopes, axis=1)[:, None]


def _speeds(piece: Piece, u: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(piece.slopes(u), axis=1))


def _summed(piece: Piece, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The lengths (k,) of a piece from parameters to others."""
    half = 0.5 * (end - start)
    u = 0.5 * (start + end)[:, None] + half[:, None] * _NODES
    return np.asarray(half * (_speeds(piece, u.ravel()).reshape(u.shape) @ _WEIGHTS))
