"""Derivatives by differences: weighted values at a few points, where a formula for the derivative is not available.

With steps of a thousandth of the length over which a function changes, errors are about 1e-12 of its derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

#: points of the central difference of fourth order, in steps, and twelve times their weights
OFFSETS = (-2.0, -1.0, 1.0, 2.0)
WEIGHTS = (1.0, -8.0, 8.0, -1.0)
#: points of the one-sided difference of fourth order, in steps, and twelve times the weights of the changes from the
#: first
ONE_SIDED = (0.0, 1.0, 2.0, 3.0, 4.0)
ONE_SIDED_WEIGHTS = (48.0, -36.0, 16.0, -3.0)


def slope(values: Sequence[Any] | np.ndarray, h: float) -> Any:
    """The derivative from values at the steps `OFFSETS`, or `ONE_SIDED`, of length h; exactly zero if they are equal.

    >>> slope([x**4 for x in (0.8, 0.9, 1.1, 1.2)], 0.1).__round__(12), slope([7.0] * 5, 0.1)
    (4.0, 0.0)
    """
    if len(values) == len(ONE_SIDED):
        first, *rest = values
        return sum(w * (x - first) for w, x in zip(ONE_SIDED_WEIGHTS, rest)) / (12.0 * h)
    return (WEIGHTS[2] * (values[2] - values[1]) + WEIGHTS[3] * (values[3] - values[0])) / (12.0 * h)


def halved_steps(step: float, levels: int = 6) -> np.ndarray:
    """Where :func:`extrapolated` takes values (2 levels,): a step ahead and behind, half of it, and so on.

    >>> halved_steps(0.4, 2).tolist()
    [0.4, -0.4, 0.2, -0.2]
    """
    return np.outer(step / 2.0 ** np.arange(levels), (1.0, -1.0)).ravel()


def extrapolated(values: Any, step: float) -> tuple[np.ndarray, np.ndarray]:
    """df/dx at 0 and an estimate of its error, entry by entry, from the values at :func:`halved_steps`: central
    differences, extrapolated to zero, after Ridders (1982)."""
    best = error = np.zeros(0)
    before: list[np.ndarray] = []
    for k in range(len(values) // 2):
        line = [(values[2 * k] - values[2 * k + 1]) / (2.0 * step / 2.0**k)]
        for j in range(1, k + 1):
            line.append(line[j - 1] + (line[j - 1] - before[j - 1]) / (4.0**j - 1.0))
            guess = np.maximum(np.abs(line[j] - line[j - 1]), np.abs(line[j] - before[j - 1]))
            if j == k == 1:
                best, error = line[j], guess
            else:
                better = guess < error
                best = np.where(better, line[j], best)
                error = np.where(better, guess, error)
        before = line
    return best, error


def derivative(f: Callable[[float], np.ndarray], step: float, levels: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """df/dx at 0 and an estimate of its error, entry by entry: :func:`extrapolated` from central differences with steps
    halved again and again. It takes three times as many values as :func:`slope`, and says how accurate the result is.

    >>> value, error = derivative(lambda x: np.array([np.exp(x), np.sin(2 * x)]), 0.1)
    >>> bool(np.max(np.abs(value - [1.0, 2.0])) < 1e-11)
    True
    """
    return extrapolated([f(h) for h in halved_steps(step, levels).tolist()], step)
