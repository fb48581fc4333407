"""Values between the steps of a run where rates are not known: accelerations, multipliers, forces.

A polynomial is fitted to the values at six neighboring times, three on each side of the step or, near the ends of the
run, near a kink and where steps change fast, more on one side. Its error is of sixth order where the values are smooth,
which is the case if fourth and fifth differences are at most half as large as second ones. For a vibration with ω h = θ
these are smaller by the factors (2 sin ½θ)² and (2 sin ½θ)³, so that θ may be up to 41°. A jump or kink in the middle
makes the fourth differences two to three times as large as the second ones, one at the end makes them equal; for noise
they are √(70/6) = 3.4 times as large, and for a vibration that changes sign from step to step 4 times. If the values
are smooth at no choice of six times, they are interpolated linearly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.kernels.compilation import compiled

#: number of points of a polynomial, and the least number that has fourth differences
MOST, LEAST = 6, 5
#: shifts of the six times against those with three on each side of the step, in the order in which they are tried
SHIFTS = (0, -1, 1, -2, 2)
#: steps between six times are uneven if the shortest is below this fraction of the longest
UNEVEN = 0.05
#: largest fourth and fifth differences of smooth values, as fractions of the second ones
LARGEST = 0.5
#: classes of the values of a quantity around a step
ROUGH, SMOOTH, UNKNOWN = 0, 1, 2


class Between(NamedTuple):
    """Values (p, …) of a quantity at times inside steps; whether it is SMOOTH around the step, ROUGH, or UNKNOWN
    because there are too few times with even steps; and, if it is smooth, for a step of length h, the largest h² |ẍ|
    around the step and h³ x⃛ in its middle."""

    values: np.ndarray
    kinds: np.ndarray
    bends: np.ndarray
    thirds: np.ndarray


def between_times(
    known: np.ndarray, left: np.ndarray, times: np.ndarray, x: np.ndarray, triples: np.ndarray | None = None
) -> Between:
    """Interpolate a quantity x (k, …), given at the `known` times (k,), to times (p,), each in the step that begins at
    the known time with the index in `left` (p,). `triples`: indices of columns at which three components of a vector
    begin, which are classified together.

    >>> t = np.arange(8.0)
    >>> between = between_times(t, np.array([3]), np.array([3.5]), t**5)
    >>> [float(x[0]) for x in between]
    [525.21875, 1.0, 2550.0, 735.0]
    """
    columns = np.ascontiguousarray(x, dtype=float).reshape(len(known), -1)
    shape = (len(times), columns.shape[1])
    out = Between(np.empty(shape), np.full(shape, UNKNOWN, dtype=np.int8), np.zeros(shape), np.zeros(shape))
    together = np.ones(shape[1], dtype=np.int64)
    if triples is not None:
        together[triples[:, None] + np.arange(3)] = [3, 0, 0]
    _fill(known, left, times, columns, together, *out)
    return Between(*(field.reshape(len(times), *x.shape[1:]) for field in out))


@compiled
def _fill(known, left, times, x, together, values, kinds, bends, thirds):
    k = known.shape[0]
    width = min(MOST, k)
    f = np.empty((3, MOST))
    for r in range(times.shape[0]):
        t, i = times[r], left[r]
        j = min(i + 1, k - 1)
        h = known[j] - known[i]
        s = (t - known[i]) / h if h > 0.0 else 0.0
        for c in range(x.shape[1]):
            values[r, c] = (1.0 - s) * x[i, c] + s * x[j, c]
        if width < LEAST:
            continue
        for shift in SHIFTS:
            first = min(max(i - 2 + shift, 0), k - width)
            if first > i or first + width < i + 2:
                continue
            shortest, longest = np.inf, 0.0
            for p in range(first, first + width - 1):
                shortest = min(shortest, known[p + 1] - known[p])
                longest = max(longest, known[p + 1] - known[p])
            if shortest <= UNEVEN * longest:
                continue
            mean = (known[first + width - 1] - known[first]) / (width - 1)
            for c in range(x.shape[1]):
                if kinds[r, c] == SMOOTH or together[c] == 0:
                    continue
                second, higher = 0.0, 0.0
                for d in range(together[c]):
                    bend, more = _differences(known, x, first, width, c + d, mean, f[d])
                    second, higher = max(second, bend), max(higher, more)
                smooth = higher <= LARGEST * second
                for d in range(together[c]):
                    kinds[r, c + d] = SMOOTH if smooth else ROUGH
                    if smooth:
                        bends[r, c + d] = second * h * h / (mean * mean)
                        if 0.0 < s < 1.0:  # at the ends of a step the given values are kept to the last digit
                            values[r, c + d], _ = _polynomial(known, first, width, f[d], t)
                        _, third = _polynomial(known, first, width, f[d], 0.5 * (known[i] + known[j]))
                        thirds[r, c + d] = third * h * h * h


@compiled
def _differences(known, x, first, width, c, mean, f):
    """Fill f with the divided differences of Newton's polynomial; returns the largest second difference, and the
    largest of fourth or fifth order, scaled to even steps."""
    second, higher = 0.0, 0.0
    for p in range(width):
        f[p] = x[first + p, c]
    for level in range(1, width):
        for p in range(width - 1, level - 1, -1):
            f[p] = (f[p] - f[p - 1]) / (known[first + p] - known[first + p - level])
            if level == 2:
                second = max(second, 2.0 * mean * mean * abs(f[p]))
            elif level == 4:
                higher = max(higher, 24.0 * mean**4 * abs(f[p]))
            elif level == 5:
                higher = max(higher, 120.0 * mean**5 * abs(f[p]))
    return second, higher


@compiled
def _polynomial(known, first, width, f, t):
    """Newton's polynomial and its third derivative at t."""
    value, rate, second, third = f[width - 1], 0.0, 0.0, 0.0
    for p in range(width - 2, -1, -1):
        from_here = t - known[first + p]
        third = third * from_here + 3.0 * second
        second = second * from_here + 2.0 * rate
        rate = rate * from_here + value
        value = value * from_here + f[p]
    return value, third
