"""A wheel on an elastic shaft that ends in a gap, exactly: the law is linear as long as the tooth touches a side, or
touches none as in Nordin, Galić and Gutman (1997), so that

    x(t + h) = exp(A h) x(t),      x = (θ, ω, z, 1)

with the matrix exponential of each phase, and the instants of change are the roots of |z| = g/2, and of
ω + k (θ − z)/c = 0, found by bisection in these exact motions.
"""

from __future__ import annotations

import numpy as np
import scipy

#: steps per second in which changes are looked for, and bisections of one
LOOKS, BISECTIONS = 2000, 80


class Wheel:
    """The wheel: inertia J, torque τ, stiffness k, damping c and gap g of the shaft; at the start θ, ω and z."""

    def __init__(
        self, J: float, torque: float, k: float, c: float, gap: float, start: tuple[float, float, float]
    ) -> None:
        self.half, self.rate = 0.5 * gap, k / c
        free = np.zeros((4, 4))
        free[0, 1], free[1, 3] = 1.0, torque / J
        free[2] = [k / c, 1.0, -k / c, 0.0]
        self.phases = {0: free}
        for side in (-1, 1):
            A = np.zeros((4, 4))
            A[0, 1] = 1.0
            A[1] = [-k / J, -c / J, 0.0, (torque + k * side * self.half) / J]
            self.phases[side] = A
        self.t, self.x = 0.0, np.array([*start, 1.0])
        self.side = int(np.sign(start[2])) if abs(start[2]) >= self.half and self._pushes(np.sign(start[2])) else 0
        self._known: dict[int, np.ndarray] = {}
        #: instants at which the tooth touched or left
        self.changes: list[float] = []

    def _pushes(self, side: float) -> bool:
        return bool(side * (self.x[1] + self.rate * (self.x[0] - side * self.half)) > 0.0)

    def _margin(self, x: np.ndarray) -> float:
        """Positive as long as the phase lasts."""
        if self.side == 0:
            return float(self.half - abs(x[2]))
        return float(self.side * (x[1] + self.rate * (x[0] - self.side * self.half)))

    def at(self, times: np.ndarray) -> np.ndarray:
        """θ, ω and z (k, 3) at rising times."""
        found = []
        for t in times.tolist():
            self._go(t)
            found.append(self.x[:3].copy())
        return np.array(found)

    def _whole(self, side: int) -> np.ndarray:
        """exp(A h) of a whole step in a phase, computed once."""
        if side not in self._known:
            self._known[side] = scipy.linalg.expm(self.phases[side] / LOOKS)
        return self._known[side]

    def _go(self, t: float) -> None:
        h = 1.0 / LOOKS
        while self.t < t:
            step = min(h, t - self.t)
            A = self.phases[self.side]
            after = (self._whole(self.side) if step == h else scipy.linalg.expm(A * step)) @ self.x
            if self._margin(after) > 0.0:
                self.t, self.x = self.t + step, after
                continue
            low, high = 0.0, step
            for _ in range(BISECTIONS):
                middle = 0.5 * (low + high)
                if self._margin(scipy.linalg.expm(A * middle) @ self.x) > 0.0:
                    low = middle
                else:
                    high = middle
            self.t, self.x = self.t + high, scipy.linalg.expm(A * high) @ self.x
            self.changes.append(self.t)
            if self.side == 0:
                self.side = 1 if self.x[2] > 0.0 else -1
                self.x[2] = self.side * self.half
            else:
                self.side = 0
                h_out = 1e-9  # out of the side, so that the margin is positive again
                self.x = scipy.linalg.expm(self.phases[0] * h_out) @ self.x
                self.t += h_out
