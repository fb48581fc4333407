"""Cubic Hermite interpolation between the steps; of orientations on their group (:mod:`flexmb.kernels.charts`).

The cubics are those of scipy's `CubicHermiteSpline`. That class computes the coefficients of all steps first, and it
refuses two equal times, which a path of equilibria has. Here only the steps that are asked for cost anything.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from flexmb.errors import ModelError
from flexmb.kernels.widths import PLANE, SPACE
from flexmb.results import loops


class Interpolation:
    """Interpolation to given times, among the times of a solution.

    >>> b = Interpolation(np.array([0.0, 2.0]), np.array([1.0]), "run")
    >>> b.hermite(np.array([0.0, 8.0]), np.array([0.0, 12.0])).tolist()  # t³
    [1.0]
    """

    def __init__(self, known: np.ndarray, times: np.ndarray, where: str) -> None:
        if len(times) and not np.all(np.isfinite(times)):
            raise ModelError(f"{where}: a time is NaN or infinite")
        low, high = known[0], known[-1]
        outside = times[(times < low) | (times > high)]
        if len(outside):
            raise ModelError(
                f"{where}: t = {outside[0]:g} s is outside the run, which goes from {low:g} s to {high:g} s"
            )
        if len(known) == 1:
            self.left = self.right = np.zeros(len(times), dtype=int)
        else:
            self.left = np.clip(np.searchsorted(known, times, side="right") - 1, 0, len(known) - 2)
            self.right = self.left + 1
        self.h = known[self.right] - known[self.left]
        self.part = (times - known[self.left]) / np.where(self.h > 0.0, self.h, 1.0)

    def linear(self, x: np.ndarray) -> np.ndarray:
        """Values of a quantity (k, …) at the times, by straight lines."""
        s = _column(self.part, x)
        return (1.0 - s) * x[self.left] + s * x[self.right]

    def hermite(self, x: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Values of a quantity (k, …) whose rates (k, …) are known; the error is of fourth order."""
        s, h = _column(self.part, x), _column(self.h, x)
        r = 1.0 - s
        ends = r * r * (1.0 + 2.0 * s) * x[self.left] + s * s * (3.0 - 2.0 * s) * x[self.right]
        return ends + h * s * r * (r * rate[self.left] - s * rate[self.right])

    def positions(self, q: np.ndarray, v: np.ndarray, orientations: np.ndarray, straight: bool = False) -> np.ndarray:
        """Coordinates (k, nq) at the times, of a motion with the speeds v (k, n): cubics, or straight lines and steady
        turns. `orientations` (k, 2) tells where they are, see :mod:`flexmb.kernels.charts`."""
        n = v.shape[1]
        plain = self.linear(q[:, :n]) if straight else self.hermite(q[:, :n], v)
        if not len(orientations):
            return plain
        out = np.concatenate([plain, np.empty((len(plain), q.shape[1] - n))], axis=1)
        h = np.zeros_like(self.h) if straight else self.h
        _turn_within(orientations, q, v, self.left, self.right, h, self.part, out, np.empty_like(plain))
        return out

    def motion(self, values: np.ndarray) -> np.ndarray:
        """Values (k, …) of a track at the times; those of a point in the plane or in space."""
        side = PLANE if values.shape[1] == len(PLANE.point) else SPACE
        out = np.empty((len(self.part), values.shape[1]))
        if side is PLANE:
            out[:, side.place] = self.hermite(values[:, side.place], values[:, side.rates])
        else:
            own = values[:, side.rates].copy()
            turns = Rotation.from_quat(np.roll(values[:, side.orientation], -1, axis=1))
            own[:, 3:] = turns.apply(own[:, 3:], inverse=True)
            there = self.positions(values[:, [0, 1, 2, 4, 5, 6, 3]], own, np.array([[3, 6]]))
            out[:, side.place] = there[:, [0, 1, 2, 6, 3, 4, 5]]
        out[:, side.rates] = self.hermite(values[:, side.rates], values[:, side.second_rates])
        out[:, side.second_rates] = self.linear(values[:, side.second_rates])
        return out


def middles(q: np.ndarray, v: np.ndarray, h: np.ndarray, orientations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and speeds in the middle of every step of length h (k − 1,), by the same cubics."""
    n = v.shape[1]
    plain, speeds = midpoints(q[:, :n], v, h), midpoint_rates(q[:, :n], v, h)
    if not len(orientations):
        return plain, speeds
    out = np.concatenate([plain, np.empty((len(h), q.shape[1] - n))], axis=1)
    left = np.arange(len(h))
    _turn_within(orientations, q, v, left, left + 1, h, np.full(len(h), 0.5), out, speeds)
    return out, speeds


def _turn_within(orientations: np.ndarray, q: np.ndarray, v: np.ndarray, *others: np.ndarray) -> None:
    """See :func:`flexmb.results.loops.turn_within_steps`."""
    loops.turn_within_steps(orientations, np.ascontiguousarray(q), np.ascontiguousarray(v), *others)


def midpoints(x: np.ndarray, rate: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Hermite values in the middle of every step: (x₀ + x₁)/2 + h (ẋ₀ − ẋ₁)/8."""
    return 0.5 * (x[:-1] + x[1:]) + 0.125 * h[:, None] * (rate[:-1] - rate[1:])


def midpoint_rates(x: np.ndarray, rate: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Hermite rates in the middle of every step: 3 (x₁ − x₀)/2h − (ẋ₀ + ẋ₁)/4; zero where no time passes, as along a
    path of equilibria."""
    lasting = np.where(h > 0.0, h, np.inf)[:, None]
    return np.where(h[:, None] > 0.0, 1.5 * (x[1:] - x[:-1]) / lasting - 0.25 * (rate[:-1] + rate[1:]), 0.0)


def midpoints_of_values(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Values (k − 1, …) in the middle of every step of quantities (k, …) whose rates are not known: by the cubic
    through the four nearest times, or by a straight line where a neighbouring step is too short to show a slope (after
    an event)."""
    k = len(t)
    if k < 2:
        return np.zeros((0, *x.shape[1:]))
    width = min(4, k)
    columns = np.clip(np.arange(k - 1) - 1, 0, k - width)[:, None] + np.arange(width)
    times = t[columns]
    steps = np.diff(times, axis=1)
    uneven = steps.min(axis=1) <= 0.02 * steps.max(axis=1)
    middle = 0.5 * (t[:-1] + t[1:])
    step = np.arange(k - 1)
    out = np.zeros((k - 1, *x.shape[1:]))
    with np.errstate(divide="ignore", invalid="ignore"):
        for j in range(width):
            weight = np.ones(k - 1)
            for i in range(width):
                if i != j:
                    weight *= (middle - times[:, i]) / (times[:, j] - times[:, i])
            line = 0.5 * ((columns[:, j] == step) | (columns[:, j] == step + 1))
            weight = np.where(uneven, line, weight)
            out += _column(weight, x) * x[columns[:, j]]
    return out


def _column(s: np.ndarray, x: np.ndarray) -> np.ndarray:
    return s.reshape(-1, *([1] * (x.ndim - 1)))
