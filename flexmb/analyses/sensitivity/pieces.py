"""Runs in which other constraint rows took part on the way: the pieces of such a run, and how changes of parameters go
from one piece to the next.

At an exchange of rows that repeat one another the position and the kept speeds stay as they are, and the run starts
again from them. With the rows that take part from then on

    [M Gᵀ] [a]   [−f]
    [G 0 ] [λ] = [ γ],      v̂, â:  :func:`flexmb.analyses.sensitivity.start.begun`

The derivatives of (a, v̂, â) by the state are differences of fourth order along it. Those of the kept speeds are exact
to the order h² of the method, and so are all derivatives behind an exchange.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from flexmb.algebra.differences import OFFSETS, slope
from flexmb.analyses.sensitivity.parameters import NeighboringSystems, accelerations
from flexmb.analyses.sensitivity.start import Start, begun
from flexmb.system.system import System

#: step of the differences, as a part of the scales of coordinates and of the largest speed
STEP = 1e-3


class Piece(NamedTuple):
    """The numbers of the first and the last time of a part of a run, and of the rows `kept` that took part in it."""

    first: int
    last: int
    kept: np.ndarray


def pieces_of(run: Any) -> list[Piece]:
    """The pieces of a run, each of which begins where the one before ends."""
    epoch, last = run.source.epochs[-1], len(run.t) - 1
    out: list[Piece] = []
    for t, kept in epoch.rows:
        first = out[-1].last if out else 0
        end = last if t == np.inf else int(np.argmin(np.abs(run.t - t)))
        if end > first:
            out.append(Piece(first, end, kept))
    return out


class Restart:
    """A run of steps `s` that starts again from a state, with the rows of a system."""

    def __init__(self, system: System, t: float, q: np.ndarray, v: np.ndarray, s: Any) -> None:
        self.system, self.t, self.q, self.v, self.s = system, t, q, v, s

    def values(self, system: System, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """a, v̂ and â (3, n)."""
        a, _ = accelerations(system, self.t, q, v)
        return np.array([a, *begun(system, self.t, q, v, a, self.s)])

    def by_parameter(self, neighbors: NeighboringSystems) -> np.ndarray:
        """Derivatives of a, v̂ and â (3, n) by a parameter, at a fixed state."""
        return np.asarray(neighbors.derivative(lambda system: self.values(system, self.q, self.v)))

    def along(self, dq: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """The changes of a, v̂ and â (3, n) with the state."""
        system = self.system
        largest = max(float(np.max(np.abs(self.v) / system.scale)), 1.0)
        size = max(float(np.max(np.abs(x) / system.scale)) for x in (dq, dv / largest))
        if size == 0.0:
            return np.zeros((3, system.n))
        e = STEP / size
        moved = [(system.retract(self.q, k * e * dq), self.v + k * e * dv) for k in OFFSETS]
        return np.asarray(slope([self.values(system, q, v) for q, v in moved], e))

    def carried_on(self, neighbors: NeighboringSystems, dq: np.ndarray, dv: np.ndarray) -> Start:
        """The derivatives of the new start by a parameter, from those of the state (n,) each."""
        da, dstart, dalg = self.by_parameter(neighbors) + self.along(dq, dv)
        return Start(dq, dv, da, np.zeros(self.system.m), dstart, dalg, da, *np.zeros((2, 0)))

    def carried_back(self, La: np.ndarray, Lv: np.ndarray, Lalg: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of quantities by q and by kept v (n, j), from those by a, v̂ and â of the new start."""
        n = self.system.n
        weights = np.stack([La, Lv, Lalg])
        out = np.zeros((2, n, La.shape[1]))
        for i, unit in enumerate(np.eye(n)):
            for k, (dq, dv) in enumerate(((unit, 0.0 * unit), (0.0 * unit, unit))):
                out[k, i] = np.einsum("rn,rnj->j", self.along(dq, dv), weights)
        return out[0], out[1]
