"""Proper orthogonal modes (Sirovich 1987): few rows of numbers whose sums with weights are all rows over time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

#: the number of rows that are looked at together
AT_ONCE = 48


def proper_modes(
    rows: Callable[[np.ndarray], np.ndarray],
    count: int,
    tolerance: float,
    error: Callable[[np.ndarray], np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """Modes (n, c), orthonormal, and weights (count, n), so that the `error` of each row is at most a tolerance.

    `rows` gives the rows (m, c) with the numbers (m,) of `count`. At first the modes are those of some rows; then those
    of what is left of the rows with the largest errors are added, until there is no error above the tolerance.

    >>> all_rows = np.outer(np.linspace(0.0, 1.0, 100), [3.0, 4.0]) + np.outer(np.arange(100) == 50, [-0.8, 0.6])
    >>> modes, weights = proper_modes(lambda k: all_rows[k], 100, 1e-9, lambda rest: np.max(np.abs(rest), axis=1))
    >>> len(modes), bool(np.allclose(weights @ modes, all_rows))
    (2, True)
    """
    some = np.unique(np.linspace(0, count - 1, AT_ONCE).round().astype(int))
    first = rows(some)
    modes = _more(np.zeros((0, first.shape[1]), first.dtype), first, tolerance, error)
    while True:
        weights, errors = np.zeros((count, len(modes))), np.zeros(count)
        for begin in range(0, count, AT_ONCE):
            numbers = np.arange(begin, min(begin + AT_ONCE, count))
            own = rows(numbers)
            weights[numbers] = own @ modes.T
            errors[numbers] = error(own - weights[numbers] @ modes)
        worst = np.argsort(errors)[::-1][:AT_ONCE]
        worst = np.sort(worst[errors[worst] > tolerance])
        if not len(worst) or len(modes) >= min(count, first.shape[1]):
            return modes, weights
        modes = _more(modes, rows(worst) - weights[worst] @ modes, tolerance, error)


def _more(
    modes: np.ndarray, rest: np.ndarray, tolerance: float, error: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Modes (n, c) and those of rows (m, c) across them, as many as bring their errors below the tolerance."""
    if not np.any(error(rest) > tolerance):
        return modes
    # singular values by the rows' few products, since a row has many numbers
    squares, u = np.linalg.eigh(rest @ rest.T)
    u, s = u[:, ::-1], np.sqrt(np.maximum(squares[::-1], 0.0))
    kept = s > 1e3 * np.finfo(rest.dtype).eps * s[0]
    u, s = u[:, kept], s[kept]
    vt = (u / s).T @ rest
    # errors fall with the number of modes, so the least number is found by halving
    low, high = 0, len(s) - 1
    while low < high:
        middle = (low + high) // 2
        left = (u[:, middle + 1 :] * s[middle + 1 :]) @ vt[middle + 1 :]
        low, high = (low, middle) if np.all(error(left) <= tolerance) else (middle + 1, high)
    added = vt[: low + 1]
    added = added - (added @ modes.T) @ modes  # rounding
    return np.vstack([modes, added / np.linalg.norm(added, axis=1, keepdims=True)])
