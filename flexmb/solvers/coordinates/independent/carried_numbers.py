"""The numbers that are integrated for independent positions, among them orientations in space.

For an orientation whose three speeds are all independent, the four numbers of its quaternion are integrated, which have
no limit of rotation. If only one or two speeds are independent, the orientation is q = q₀ ∘ exp y, its independent
coordinates are entries of y, and its columns in the Jacobian of Newton's method are G T(y); q₀ is chosen anew before
|y| reaches LARGEST_CHART rad.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from flexmb.kernels import charts
from flexmb.kernels.charts import LARGEST as LARGEST_CHART
from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference
from flexmb.solvers.coordinates.independent.closing import PartlyFree


class Numbered(Protocol):
    """A set of coordinates: n speeds, nq coordinates, the indices of its orientations and the scales of its speeds."""

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
    """The integrated numbers of independent positions. `plain`: indices in q of single coordinates, followed by those
    of the four numbers of each orientation that is independent as a whole; `fours`: number of single coordinates;
    `charted`: indices in y of coordinates of charts; `whole` (k, 2): the orientations with four numbers; `lengths`:
    norms of these when they were last set; `scale`: the scales of all numbers; `rates`, `turning`: scratch for q̇ (nq,)
    and the rates (n,) of charts."""

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
        """For a system, or joint coordinates, with the given independent ones, at the position q (total_q,)."""
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
        """The integrated numbers at a position q (total_q,)."""
        put_in_chart(self, q)
        return np.concatenate([q[self.plain], self.chart.y[self.charted]])

    @property
    def chart_ends(self) -> bool:
        """Whether an orientation has turned so far from the reference of its chart that a new reference is needed."""
        partial, y = self.chart.partial, self.chart.y
        return bool(len(partial) and np.any(np.linalg.norm(y[partial[:, :1] + np.arange(3)], axis=1) > LARGEST_CHART))


@called(None)
def put_in_chart(carried, q):
    """Compute the coordinates y of the charts at a position q."""
    chart = carried.chart
    if chart.partial.shape[0] > 0:
        charts.difference(chart.partial, carried.turning.shape[0], q, chart.reference, carried.turning)
        for k in range(chart.partial.shape[0]):
            for i in range(chart.partial[k, 0], chart.partial[k, 0] + 3):
                chart.y[i] = carried.turning[i]


@called(None)
def put(carried, x, q):
    """Write the integrated numbers x into q (total_q,); before, its orientations are those of a nearby position."""
    single = carried.plain.shape[0]
    for k in range(single):
        q[carried.plain[k]] = x[k]
    if carried.whole.shape[0] > 0:
        for k in range(carried.whole.shape[0]):
            squared = 0.0
            for j in range(4):
                squared += x[carried.fours + 4 * k + j] ** 2
            carried.lengths[k] = np.sqrt(squared)
        charts.normalize(carried.whole, q)
    if carried.chart.partial.shape[0] > 0:
        put_in_chart(carried, q)
        for k in range(carried.charted.shape[0]):
            carried.chart.y[carried.charted[k]] = x[single + k]
        charts.turn(carried.chart.partial, carried.chart.reference, carried.chart.y, q)


@called(None)
def rates_of(carried, orientations, q, v, out):
    """Rates of the integrated numbers that were last set. For orientations they are ½ x ∘ ω, with the four numbers x as
    they were set, not normalized, see :class:`~flexmb.solvers.runs.right_hand_side.RightHandSide`."""
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
