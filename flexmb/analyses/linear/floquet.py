"""Floquet's multipliers: whether small motions about a periodic motion grow from period to period.

Over a period T small motions become M x with the monodromy matrix M = Φ(t₀ + T, t₀), in the same coordinates at both
ends, and those that belong to an eigenvalue μ of M are multiplied by μ (Floquet (1883)). Coordinates that are carried
along the run need not be the same after a period. With the columns P of δq and δv of a state vector at both ends,
M = P(t₀)⁺ P(t₀ + T) Φ, whose eigenvalues do not depend on coordinates; changes of orientations are in axes of the
bodies, which are the same at both ends.

Where nothing outside sets the pace, the motion may also run ahead or behind: its own direction (v, a) comes back as it
was, and one multiplier is 1. It says nothing of stability and is left aside, as are pairs of 1 of conserved quantities
by their size.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.errors import LinearModelError
from flexmb.kernels.blocks import STATE
from flexmb.model import checks
from flexmb.model.hints import AnswersCalls
from flexmb.results.state import State

#: a state comes back if no coordinate differs by more, in units of the mechanism's length, radians, and its speeds
CLOSED = 1e-3
#: a motion grows or dies out if it is multiplied by more than 1 + this, or less than 1 − this
MARGINAL = 1e-6
#: the motion's own direction comes back if it differs by less than this part
OWN = 1e-3


@dataclass(frozen=True, eq=False)
class Floquet(metaclass=AnswersCalls):
    """Multipliers of small motions over a `period` [s] of a periodic run: `multipliers` (n,), the largest first;
    `monodromy` M (n, n); `distance`: how far the states at both ends are from each other, in units of the mechanism's
    length, radians and its speeds; `along`: the number of the multiplier that belongs to the motion itself, which is 1,
    None where something outside sets the pace.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("oscillator")
    >>> body = m.add_body("body", mass=1.0, inertia=0.1)
    >>> rail = m.prismatic(m.ground, body.frame)
    >>> spring = m.bushing(m.ground, body.frame, stiffness=(4.0, 0, 0))
    >>> found = fm.linearize(fm.simulate(m, 1.0, step=0.1, progress=False), along=True).floquet()
    >>> np.abs(found.exponents.imag).round(6).tolist(), found.grows, found.stable
    ([2.0, 2.0], False, False)
    """

    period: float
    multipliers: np.ndarray
    monodromy: np.ndarray = field(repr=False)
    distance: float
    along: int | None

    @property
    def exponents(self) -> np.ndarray:
        """ln μ/T (n,) [1/s]; their imaginary parts are known up to whole turns in a period."""
        return np.asarray(np.log(self.multipliers.astype(complex)) / self.period)

    @property
    def largest(self) -> float:
        """The largest |μ| but for the motion's own."""
        others = np.delete(self.multipliers, [] if self.along is None else [self.along])
        return float(np.max(np.abs(others), initial=0.0))

    @property
    def stable(self) -> bool:
        """Whether all small motions die out, but for the one along the motion itself."""
        return self.largest < 1.0 - MARGINAL

    @property
    def grows(self) -> bool:
        """Whether some small motion grows."""
        return self.largest > 1.0 + MARGINAL

    def __str__(self) -> str:
        how = "stable" if self.stable else "unstable" if self.grows else "neither growing nor dying out"
        return f"Floquet: period {self.period:.6g} s, largest |μ| {self.largest:.6g}, {how}"


def floquet(model: Any, period: Any) -> Floquet:
    """Multipliers over the last `period` [s] of the run of a :class:`~flexmb.analyses.linear.time_varying.
    TimeVaryingModel`."""
    nominal = model._nominal
    where = f"Floquet multipliers: {nominal.where}"
    begin, end = float(model.times[0]), float(model.times[-1])
    T = end - begin if period is None else checks.positive(period, "period", where)
    if T > (end - begin) * (1.0 + 1e-9):
        raise LinearModelError(f"{where}: the period of {T:g} s is longer than the run of {end - begin:g} s; run on")
    start = model._time(end - T, "period")
    first, last = model.at(start), model.at(end)
    distance, worst = _distance(first.state, last.state)
    if distance > CLOSED:
        raise LinearModelError(
            f"{where}: {T:g} s are no period: from {start:g} s to {end:g} s the state changes by {distance:.3g} (of "
            f"the mechanism's length and speeds, or rad), most {worst}; give the period, let the run settle, or make "
            "it more accurate"
        )
    P0, P1 = (np.vstack([x.positions, x.speeds]) for x in (first, last))
    M = np.linalg.lstsq(P0, P1, rcond=None)[0] @ model.transition(start, end)
    values = np.linalg.eigvals(M)
    values = values[np.lexsort((-values.imag, -np.abs(values).round(12)))]
    return Floquet(T, values, M, distance, _own(P0, M, values, first.state))


def _distance(first: State, last: State) -> tuple[float, str]:
    """How far two states are from each other, but for whole turns, and the coordinate in which most."""
    system = first.system
    alike = last.q.copy()
    for i, scalar in system.orientations.tolist():  # q and −q are one orientation
        if alike[[*range(i, i + 3), scalar]] @ first.q[[*range(i, i + 3), scalar]] < 0.0:
            alike[[*range(i, i + 3), scalar]] *= -1.0
    change = system.difference(alike, first.q)
    turns = system.turning.copy()
    change[turns] -= 2.0 * np.pi * np.round(change[turns] / (2.0 * np.pi))
    integrals = system.assembly.free.mask(STATE)
    change[integrals] = 0.0
    fast = max(1e-300, float(np.max(np.abs(first.v) / system.scale, initial=0.0)))
    rates = (last.v - first.v) / np.where(integrals, 1.0, system.scale) / max(fast, 1.0)
    off = np.concatenate([np.abs(change) / system.scale, np.abs(rates)])
    if not len(off):
        return 0.0, ""
    k = int(np.argmax(off))
    names = [repr(name) for name in system.names]
    return float(off[k]), [*names, *(f"the rate of {name}" for name in names)][k]


def _own(P: np.ndarray, M: np.ndarray, values: np.ndarray, state: State) -> int | None:
    """The number of the multiplier of the motion along itself, if that comes back as it was."""
    flow = np.concatenate([state.v, state.a])
    if not flow.any():
        return None
    x, *_ = np.linalg.lstsq(P, flow, rcond=None)
    size = np.linalg.norm(x)
    if not size or np.linalg.norm(P @ x - flow) > OWN * np.linalg.norm(flow) or np.linalg.norm(M @ x - x) > OWN * size:
        return None
    return int(np.argmin(np.abs(values - 1.0)))
