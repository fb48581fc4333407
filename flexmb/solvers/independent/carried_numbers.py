"""How independent positions are carried where orientations in space are among them.

An orientation whose three speeds are all independent is carried as four numbers, which turn without end. Where only
one or two are, it is q = q₀ ∘ exp y, its independent coordinates are those of y, and its columns in the Jacobian of
Newton's method are G T(y); before y has reached LARGEST_CHART rad, q₀ is chosen anew.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from flexmb.kernels import charts
from flexmb.kernels.charts import LARGEST as LARGEST_CHART
from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference
from flexmb.solvers.independent.closing import PartlyFree


class Numbered(Protocol):
    """What has coordinates: how many speeds n and coordinates nq, where orientations are, the sizes of speeds."""

    @property
    def n(self) -> int: ...

    @property
    def nq(self) -> int: ...

    @property
    def orientations(self) -> np.ndarray: ...

    @property
    def scale(self) -> np.ndarray: ...


@by_reference
class Carried(NamedTuple):
    """The numbers by which independent positions are carried: single coordinates and then the four numbers of each
    orientation that is independent as a whole, `plain`, by their places in q, and coordinates of charts, `charted`, by
    their places in y. `lengths`: how long the four numbers were as they were put; `scale`: the sizes by which all are
    measured; `rates`, `turning`: room for q̇ (nq,) and for the rates (n,) of charts."""

    plain: np.ndarray
    charted: np.ndarray
    fours: int
    whole: np.ndarray
    chart: PartlyFree
    lengths: np.ndarray
    scale: np.ndarray
    rates: np.ndarray
    turning: np.ndarray

    @classmethod
    def of(cls, system: Numbered, independent: np.ndarray, q: np.ndarray) -> Carried:
        """Of a system, or of joint coordinates, with these independent ones, from the position q (total_q,) on."""
        orientations = system.orientations
        free = np.isin(orientations[:, :1] + np.arange(3), independent)
        whole = np.ascontiguousarray(orientations[np.all(free, axis=1)])
        partial = np.ascontiguousarray(orientations[np.any(free, axis=1) & ~np.all(free, axis=1)])
        single = np.setdiff1d(independent, whole[:, :1] + np.arange(3))
        fours = np.concatenate([whole[:, :1] + np.arange(3), whole[:, 1:]], axis=1).ravel()
        of_charts = np.isin(single, partial[:, :1] + np.arange(3))
        ones = [system.scale[single[~of_charts]], np.ones(len(fours)), system.scale[single[of_charts]]]
        maps = np.zeros((len(orientations) if len(partial) else 0, 9))
        maps[:, ::4] = 1.0
        chart = PartlyFree(partial, q.copy(), np.zeros(system.n), maps)
        return cls(
            np.concatenate([single[~of_charts], fours]).astype(np.int64), single[of_charts].astype(np.int64),
            int(np.sum(~of_charts)), whole, chart, np.ones(len(whole)), np.concatenate(ones), np.zeros(system.nq),
            np.zeros(system.n),
        )  # fmt: skip

    def positions(self, q: np.ndarray) -> np.ndarray:
        """The independent coordinates of a position q (total_q,)."""
        put_in_chart(self, q)
        return np.concatenate([q[self.plain], self.chart.y[self.charted]])

    @property
    def chart_ends(self) -> bool:
        """Whether an orientation has turned so far from that of its chart that another one is wanted."""
        partial, y = self.chart.partial, self.chart.y
        return bool(len(partial) and np.any(np.linalg.norm(y[partial[:, :1] + np.arange(3)], axis=1) > LARGEST_CHART))


@called(None)
def put_in_chart(carried, q):
    """y of the chart at a position."""
    chart = carried.chart
    if chart.partial.shape[0] > 0:
        charts.difference(chart.partial, carried.turning.shape[0], q, chart.reference, carried.turning)
        for k in range(chart.partial.shape[0]):
            for i in range(chart.partial[k, 0], chart.partial[k, 0] + 3):
                chart.y[i] = carried.turning[i]


@called(None)
def put(carried, x, q):
    """Set the independent coordinates x in q (total_q,); its orientations are those of a position near by."""
    single = carried.plain.shape[0]
    for k in range(single):
        q[carried.plain[k]] = x[k]
    if carried.whole.shape[0] > 0:
        for k in range(carried.whole.shape[0]):
            squared = 0.0
            for j in range(4):
                squared += x[carried.fours + 4 * k + j] ** 2
            carried.lengths[k] = np.sqrt(squared)
        charts.normalise(carried.whole, q)
    if carried.chart.partial.shape[0] > 0:
        put_in_chart(carried, q)
        for k in range(carried.charted.shape[0]):
            carried.chart.y[carried.charted[k]] = x[single + k]
        charts.turn(carried.chart.partial, carried.chart.reference, carried.chart.y, q)


@called(None)
def rates_of(carried, orientations, q, v, out):
    """Rates of the independent coordinates that were put. Those of orientations are ½ x ∘ ω of the four numbers x as
    they were put, see :class:`~flexmb.solvers.scipy_methods.right_hand_side.RightHandSide`."""
    n, single = carried.turning.shape[0], carried.plain.shape[0]
    if orientations.shape[0] == 0:
        for k in range(single):
            out[k] = v[carried.plain[k]]
        return
    charts.rates(orientations, n, q, v, carried.rates)
    for k in range(single):
        out[k] = carried.rates[carried.plain[k]]
    for k in range(carried.fours, single):
        out[k] *= carried.lengths[(k - carried.fours) // 4]
    if carried.charted.shape[0] > 0:
        charts.chart_rates(carried.chart.partial, n, carried.chart.y, v, carried.turning)
        for k in range(carried.charted.shape[0]):
            out[single + k] = carried.turning[carried.charted[k]]
