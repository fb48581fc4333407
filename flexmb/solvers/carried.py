"""How independent positions are carried where orientations in space are among them.

An orientation whose three speeds are all independent is carried as four numbers, which turn without end. Where only
one or two are, it is q = q₀ ∘ exp y, its independent coordinates are those of y, and its columns in the Jacobian of
Newton's method are G T(y); before y has reached :data:`~flexmb.kernels.charts.LARGEST`, q₀ is chosen anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels import charts
from flexmb.system.system import System


class PartlyFree(NamedTuple):
    """Orientations of which only a part is independent: where they are (k, 2), the position q₀ (total_q,) from which
    they are turned by y (n,), and room for T(y) of all orientations."""

    partial: np.ndarray
    reference: np.ndarray
    y: np.ndarray
    maps: np.ndarray


class Carried:
    """The numbers by which independent positions are carried."""

    def __init__(self, system: System, independent: np.ndarray, q: np.ndarray) -> None:
        """From the position q (total_q,) on."""
        self.system, self.independent = system, independent
        orientations = system.orientations
        free = np.isin(orientations[:, :1] + np.arange(3), independent)
        self.whole = orientations[np.all(free, axis=1)]
        partial = np.ascontiguousarray(orientations[np.any(free, axis=1) & ~np.all(free, axis=1)])
        #: numbers of the coordinates that are carried as they are, or as those of a chart
        self.single = np.setdiff1d(independent, self.whole[:, :1] + np.arange(3))
        #: numbers in q of the orientations that are carried as four numbers
        self.fours = np.concatenate([self.whole[:, :1] + np.arange(3), self.whole[:, 1:]], axis=1).ravel()
        maps = np.zeros((len(orientations) if len(partial) else 0, 9))
        maps[:, ::4] = 1.0
        #: lengths of the four numbers of each orientation as they were put, four times each
        self._lengths = np.ones(len(self.fours))
        self.chart = PartlyFree(partial, q.copy(), np.zeros(self.system.n), maps)
        of_charts = np.isin(self.single, partial[:, :1] + np.arange(3))
        self._charted = self.single[of_charts]
        self._plain = np.concatenate([self.single[~of_charts], self.fours])
        #: places of the plain numbers among those that are carried, then of those of charts; and the way back
        self._places = np.concatenate(
            [np.flatnonzero(~of_charts), len(self.single) + np.arange(len(self.fours)), np.flatnonzero(of_charts)]
        )
        self._order = np.argsort(self._places)

    def positions(self, q: np.ndarray) -> np.ndarray:
        """The independent coordinates of a position q (total_q,)."""
        if not len(self.system.orientations):
            return q[self.independent]
        self._update_chart(q)
        return np.concatenate([q[self._plain], self.chart.y[self._charted]])[self._order]

    def put(self, x: np.ndarray, q: np.ndarray) -> None:
        """Set the independent coordinates x in q (total_q,); its orientations are those of a position near by."""
        if not len(self.system.orientations):
            q[self.independent] = x
            return
        self._update_chart(q)
        q[self._plain], self.chart.y[self._charted] = np.split(x[self._places], [len(self._plain)])
        if len(self.whole):
            self._lengths = np.repeat(np.linalg.norm(q[self.fours].reshape(-1, 4), axis=1), 4)
            charts.normalise(self.whole, q)
        charts.turn(self.chart.partial, self.chart.reference, self.chart.y, q)

    def rates(self, q_rates: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Rates of the independent coordinates that were put, from q̇ and the speeds. Those of orientations are ½ x ∘ ω
        of the four numbers x as they were put, see :class:`~flexmb.solvers.right_hand_side.RightHandSide`."""
        if not len(self.system.orientations):
            return v[self.independent]
        of_chart = np.empty(self.system.n)
        charts.chart_rates(self.chart.partial, self.system.n, self.chart.y, v, of_chart)
        plain = q_rates[self._plain]
        plain[len(plain) - len(self.fours) :] *= self._lengths
        return np.concatenate([plain, of_chart[self._charted]])[self._order]

    def speeds(self, rates: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Independent speeds that belong to rates of the independent coordinates near the reference of a chart."""
        system = self.system
        if not len(system.orientations):
            return rates
        all_rates, v = np.zeros(system.nq), np.zeros(system.n)
        all_rates[self._plain], all_rates[self._charted] = np.split(rates[self._places], [len(self._plain)])
        charts.speeds_of(self.whole, system.n, q, all_rates, v)
        return v[self.independent]

    def _update_chart(self, q: np.ndarray) -> None:
        """y of the chart at a position."""
        partial, reference, y, _ = self.chart
        if len(partial):
            moved = np.empty(self.system.n)
            charts.difference(partial, self.system.n, q, reference, moved)
            columns = partial[:, :1] + np.arange(3)
            y[columns] = moved[columns]

    @property
    def chart_ends(self) -> bool:
        """Whether an orientation has turned so far from that of its chart that another one is wanted."""
        partial, _, y, _ = self.chart
        return bool(np.any(np.linalg.norm(y[partial[:, :1] + np.arange(3)], axis=1) > charts.LARGEST))
