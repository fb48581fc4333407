"""A lock-up: where the drive must turn back, dt/ds = 0, on the path with t as one more unknown and its own length s as
the parameter (pseudo-arclength, Keller (1977))."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from flexmb.algebra.factors import Factors, bordered
from flexmb.algebra.newton import Contraction, contracting
from flexmb.analyses.kinematics.singular import SingularPoint, scaled_jacobian
from flexmb.system.chart import Chart
from flexmb.system.system import System


class Arc:
    """The path with t as one more unknown: x = (q, t), each in its own unit, q in the chart about its start."""

    def __init__(self, system: System, q: np.ndarray, t: float, span: float) -> None:
        self.system = system
        self.units = np.append(system.scale, span)
        self.chart = Chart(system, q)

    def pack(self, q: np.ndarray, t: float) -> np.ndarray:
        return np.append(self.chart.of(q), t) / self.units

    def unpack(self, x: np.ndarray) -> tuple[np.ndarray, float]:
        return self.chart.position(x[:-1] * self.units[:-1]), float(x[-1] * self.units[-1])

    def _solve(self, x: np.ndarray, last: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Solve [G g_t; lastᵀ] y = b at x."""
        system = self.system
        q, t = self.unpack(x)
        rate = system.constraint(t, q, np.zeros(system.n))[1] * self.units[-1] / system.row_scale
        G = self.chart.along(scaled_jacobian(system, t, q), x[:-1] * self.units[:-1])
        return Factors(bordered(G, last[None, :-1], rate[:, None], last[None, -1:])).solve(b)

    def tangent(self, x: np.ndarray, before: np.ndarray) -> np.ndarray:
        """The unit vector along the path, in the sense of the one before."""
        tangent = self._solve(x, before, np.append(np.zeros(self.system.n), 1.0))
        return tangent / np.linalg.norm(tangent)

    def correct(self, base: np.ndarray, tangent: np.ndarray, length: float) -> np.ndarray | None:
        """The x of the path in the plane across the tangent, at a distance `length` from the base; or None."""

        def correction(x: np.ndarray) -> np.ndarray | None:
            q, t = self.unpack(x)
            g = self.system.constraint(t, q, np.zeros(self.system.n))[0] / self.system.row_scale
            try:
                return -self._solve(x, tangent, np.append(g, tangent @ (x - base) - length))
            except np.linalg.LinAlgError:
                return None

        rule = Contraction(1e-13, rounded=1e-10, stalled=0.1, largest=0.5 * length, factor=0.3)
        return contracting(correction, base + length * tangent, lambda step: float(np.max(np.abs(step))), rule)[0]


class TurningPoint:
    """The point of the path where t turns back."""

    def __init__(self, arc: Arc, base: np.ndarray, tangent: np.ndarray, length: float) -> None:
        self.arc, self.base, self.tangent = arc, base, tangent
        self.length = float(brentq(self._onward, 0.0, length, xtol=1e-16, rtol=1e-12))
        self.x = self._at(self.length)
        self.end = arc.unpack(self.x)[1]

    def _at(self, length: float) -> np.ndarray:
        x = self.arc.correct(self.base, self.tangent, length) if length > 0.0 else self.base
        assert x is not None  # the whole length was stepped before, so a part of it succeeds
        return x

    def _onward(self, length: float) -> float:
        return float(self.arc.tangent(self._at(length), self.tangent)[-1])

    def before(self, t: float) -> np.ndarray:
        """The position (n,) at a t before the end."""
        wanted = t / self.arc.units[-1]
        length = brentq(lambda s: self._at(s)[-1] - wanted, 0.0, self.length, xtol=1e-16, rtol=1e-12)
        return self.arc.unpack(self._at(length))[0]

    def singular(self) -> SingularPoint:
        """The singular position there."""
        q, t = self.arc.unpack(self.x)
        return SingularPoint.at(self.arc.system, "lock-up", t, q)
