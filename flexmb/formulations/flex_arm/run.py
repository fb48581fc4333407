"""Motion in time of the linear equations of an arm: Newmark's method and Gauss's, and what a run answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from flexmb.model import checks

#: constants of average acceleration, Newmark (1959): stable for every step
BETA, GAMMA = 0.25, 0.5
#: Gauss's method of two stages: their times and Butcher's matrix A, and A²
STAGES = np.array([0.5 - np.sqrt(3.0) / 6.0, 0.5 + np.sqrt(3.0) / 6.0])
INNER = np.array([[0.25, 0.25 - np.sqrt(3.0) / 6.0], [0.25 + np.sqrt(3.0) / 6.0, 0.25]])
INNER2 = INNER @ INNER


def newmark(matrices: Callable[[float], Any], times: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q and q̇ (k, size) of M q̈ + G q̇ + K q = Q from q (size,) and q̇ = 0 on, at evenly spaced times (k,).

    >>> from types import SimpleNamespace
    >>> one = SimpleNamespace(M=np.eye(1), G=np.zeros((1, 1)), K=np.eye(1), Q=np.ones(1))  # q = 1 − cos t
    >>> newmark(lambda t: one, np.linspace(0.0, np.pi, 1001), np.zeros(1))[0][-1].round(5).tolist()
    [2.0]
    """
    now = matrices(float(times[0]))
    v = np.zeros_like(q)
    a = np.linalg.solve(now.M, now.Q - now.K @ q)
    found, rates = [q], [v]
    for t, h in zip(times[1:], np.diff(times), strict=True):
        now = matrices(float(t))
        guess, speed = q + h * v + (0.5 - BETA) * h**2 * a, v + (1.0 - GAMMA) * h * a
        left = now.M + GAMMA * h * now.G + BETA * h**2 * now.K
        a = np.linalg.solve(left, now.Q - now.G @ speed - now.K @ guess)
        q, v = guess + BETA * h**2 * a, speed + GAMMA * h * a
        found.append(q)
        rates.append(v)
    return np.array(found), np.array(rates)


def gauss(matrices: Callable[[float], Any], times: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """As :func:`newmark`, by Gauss's method of two stages, of order 4 and stable for every step as well.

    >>> from types import SimpleNamespace
    >>> one = SimpleNamespace(M=np.eye(1), G=np.zeros((1, 1)), K=np.eye(1), Q=np.ones(1))  # q = 1 − cos t
    >>> gauss(lambda t: one, np.linspace(0.0, np.pi, 101), np.zeros(1))[0][-1].round(9).tolist()
    [2.0]
    """
    n, v = len(q), np.zeros_like(q)
    found, rates = [q], [v]
    for t, h in zip(times, np.diff(times), strict=False):
        left, right = np.zeros((2 * n, 2 * n)), np.zeros(2 * n)
        for i in (0, 1):
            at, own = matrices(float(t + STAGES[i] * h)), slice(i * n, i * n + n)
            for j in (0, 1):
                left[own, j * n : j * n + n] = h * INNER[i, j] * at.G + h**2 * INNER2[i, j] * at.K
            left[own, own] += at.M
            right[own] = at.Q - at.G @ v - at.K @ (q + h * STAGES[i] * v)
        a = np.linalg.solve(left, right).reshape(2, n)
        q, v = q + h * v + h**2 * (0.5 * INNER.sum(axis=0) @ a), v + 0.5 * h * a.sum(axis=0)
        found.append(q)
        rates.append(v)
    return np.array(found), np.array(rates)


METHODS = {"newmark": newmark, "gauss": gauss}


@dataclass(eq=False)
class FlexArmRun:
    """The elastic motion of an arm, see :meth:`flexmb.formulations.FlexArm.run`: `t` (k,) [s], `q` and `rates` (k,
    size) of its coordinates.

    >>> import flexmb as fm
    >>> steel, tube = fm.Material(7850, 205e9, 0.3), fm.Tube(outer_diameter=0.06, inner_diameter=0.05)
    >>> boom = fm.spatial.ArmLink("boom", material=steel, section=tube, modes=0)
    >>> arm = fm.denavit_hartenberg([[0, 0, 1.5, 0]], links=[boom])
    >>> _ = arm.drive("joint 1", fm.SmoothStep(0.0, 0.5, 0.0, 1.2))
    >>> run = fm.formulations.FlexArm(arm, servos=1e6).run(0.5, 0.005)
    >>> run.position("tool").shape, run.deviation("joint 1").shape
    ((101, 3), (101,))
    """

    arm: Any
    t: np.ndarray
    q: np.ndarray
    rates: np.ndarray

    def every(self, stride: int) -> FlexArmRun:
        """The run at its first time and each `stride` steps later."""
        k = checks.count(stride, "stride", self.arm.where, 1)
        return FlexArmRun(self.arm, self.t[::k], self.q[::k], self.rates[::k])

    def deflection(self, frame: str) -> np.ndarray:
        """How far a frame is from its nominal place (k, 3) [m], in axes of the ground."""
        return self._of(frame)[:, :3]

    def turn(self, frame: str) -> np.ndarray:
        """The small rotation vector (k, 3) [rad] of a frame against its nominal axes, in axes of the ground."""
        return self._of(frame)[:, 3:]

    def position(self, frame: str) -> np.ndarray:
        """Place (k, 3) [m] of a frame."""
        nominal = np.array([self.arm.nominal(frame, t) for t in self.t.tolist()])
        return np.asarray(nominal + self.deflection(frame))

    def deviation(self, joint: str) -> np.ndarray:
        """Deviation (k,) [rad] of a joint from its nominal angle."""
        return np.array([self.arm.deviation(joint, t) @ q for t, q in zip(self.t.tolist(), self.q, strict=True)])

    def _of(self, frame: str) -> np.ndarray:
        pairs = zip(self.t.tolist(), self.q, strict=True)
        return np.array([self.arm.displacement(frame, t) @ q for t, q in pairs])
