"""Charts of positions: n numbers for the positions near a given one, in which to interpolate, to measure distances and
to follow paths.

The coordinates x (n,) of a position in the chart about q are the coordinates themselves, except that each orientation
is given by the rotation vector that turns it from that in q, in its own axes. So in the plane x is the position. With
T(x) of :mod:`flexmb.kernels.rotations` for orientations, and the identity for all other coordinates, speeds are
v = T(x) ẋ.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from flexmb.kernels.rotations import inverse_rate_map_change, rate_map
from flexmb.system.system import System


class Chart:
    """The chart of a `system` about a position q (nq,); orientations may be less than a whole turn away.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("m")
    >>> body = m.add_body("body", mass=2.0, inertia=0.1, position=(1, 2))
    >>> chart = Chart(fm.System(m), [5.0, 6.0, 0.5])
    >>> chart.of([1.0, 2.0, 0.0]).tolist()
    [1.0, 2.0, 0.0]
    """

    def __init__(self, system: System, q: np.ndarray) -> None:
        self.system = system
        self._origin = np.array(q, dtype=float)
        self._first = system.orientations[:, 0].tolist()
        turning = np.append(system.orientations[:, :1] + np.arange(3), system.orientations[:, 1])
        self._origin[np.setdiff1d(np.arange(system.nq), turning)] = 0.0

    def of(self, q: np.ndarray) -> np.ndarray:
        """The chart coordinates x (n,) of a position (nq,); also for arrays of rows."""
        return self.system.difference(q, self._origin)

    def position(self, x: np.ndarray) -> np.ndarray:
        """The position (nq,) with the chart coordinates x (n,); also for arrays of rows."""
        return self.system.retract(self._origin, x)

    def rates(self, x: np.ndarray, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ẋ and ẍ (n,) of a motion with speeds v and accelerations a (n,):  ẋ = T⁻¹ v,  ẍ = T⁻¹ a + ∂(T⁻¹ v)/∂x ẋ."""
        first, second = self.system.chart_rates(x, v), self.system.chart_rates(x, a)
        for at, change in self._changes(x, v):
            second[at] += change @ first[at]
        return first, second

    def motion(self, x: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Speeds and accelerations (n,) of a motion with the rates ẋ and ẍ (n,); the inverse of :meth:`rates`."""
        v, second = self.system.speeds_of_chart(x, first), second.copy()
        for at, change in self._changes(x, v):
            second[at] -= change @ first[at]
        return v, self.system.speeds_of_chart(x, second)

    def along(self, A: Any, x: np.ndarray) -> Any:
        """The derivative ∂/∂x of a quantity with the derivative A (k, n) along `system.retract` at x: A T(x)."""
        if not self._first:
            return A
        T = sp.lil_array(sp.eye_array(self.system.n))
        for i in self._first:
            T[i : i + 3, i : i + 3] = np.reshape(rate_map(tuple(x[i : i + 3])), (3, 3))
        return A @ T.toarray() if isinstance(A, np.ndarray) else sp.csc_array(A @ sp.csc_array(T))

    def _changes(self, x: np.ndarray, v: np.ndarray) -> list[tuple[slice, np.ndarray]]:
        """For each orientation its slice of x, and ∂(T⁻¹ v)/∂x (3, 3)."""
        places = [slice(i, i + 3) for i in self._first]
        return [(at, np.reshape(inverse_rate_map_change(tuple(x[at]), tuple(v[at]), 1.0), (3, 3))) for at in places]
