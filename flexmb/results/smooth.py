"""Values between the steps of a run where rates are not known: accelerations, multipliers, forces.

A polynomial goes through six neighbouring times, three on each side of the step or, near the ends of the run, near a
kink and where steps change fast, more on one side. Its error is of sixth order where the values are smooth, that is
where fourth and fifth differences are at most half as large as second ones. Of a vibration with ω h = θ from step to
step they are smaller by (2 sin ½θ)² and (2 sin ½θ)³, so that θ may be up to 41°. A jump or kink in the middle makes the
fourth differences two to three times as large as the second ones, at the end both are equal; of noise they are
√(70/6) = 3.4 times as large, and of vibration that changes its sign from step to step 4 times. Where no six times are
smooth, the line between two serves.
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation import compiled

#: times that a polynomial goes through, and the least number of them that shows fourth differences
MOST, LEAST = 6, 5
#: where the six times begin, counted from those with three on each side of the step: what is tried first stands first
SHIFTS = (0, -1, 1, -2, 2)
#: steps between six times are uneven if the shortest is below this part of the longest
UNEVEN = 0.05
#: the largest fourth and fifth differences of smooth values, as parts of the second ones
LARGEST = 0.5
#: what the values of a quantity around a step are
ROUGH, SMOOTH, UNKNOWN = 0, 1, 2


def between_times(
    known: np.ndarray, left: np.ndarray, times: np.ndarray, x: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values (p, …) at times (p,) of a quantity x (k, …) at the `known` times (k,), where each is in the step that
    begins with the known time number `left` (p,); whether they are SMOOTH there, ROUGH, or UNKNOWN since there are not
    enough times with even steps; and where they are smooth the largest h² |ẍ| around, for a step of length h.

    >>> t = np.arange(8.0)
    >>> value, kind, bend = between_times(t, np.array([3]), np.array([3.5]), t**5)
    >>> round(float(value[0]), 9), bool(kind[0] == SMOOTH), float(bend[0])
    (525.21875, True, 1320.0)
    """
    columns = np.ascontiguousarray(x, dtype=float).reshape(len(known), -1)
    out = np.empty((len(times), columns.shape[1]))
    kinds = np.empty(out.shape, dtype=np.int8)
    bends = np.zeros(out.shape)
    _fill(known, left, times, columns, out, kinds, bends)
    shape = (len(times), *x.shape[1:])
    return out.reshape(shape), kinds.reshape(shape), bends.reshape(shape)


@compiled
def _fill(known, left, times, x, out, kinds, bends):
    k = known.shape[0]
    width = min(MOST, k)
    f = np.empty(MOST)
    for r in range(times.shape[0]):
        t, i = times[r], left[r]
        j = min(i + 1, k - 1)
        h = known[j] - known[i]
        s = (t - known[i]) / h if h > 0.0 else 0.0
        for c in range(x.shape[1]):
            out[r, c] = (1.0 - s) * x[i, c] + s * x[j, c]
            kinds[r, c] = UNKNOWN
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
                if kinds[r, c] == SMOOTH:
                    continue
                kinds[r, c] = ROUGH
                bend = _differences(known, x, first, width, c, mean, f)
                if bend >= 0.0:
                    kinds[r, c], bends[r, c] = SMOOTH, bend * h * h
                    value = f[width - 1]
                    for p in range(width - 2, -1, -1):
                        value = f[p] + (t - known[first + p]) * value
                    out[r, c] = value


@compiled
def _differences(known, x, first, width, c, mean, f):
    """Fill f with the divided differences of Newton's polynomial; the largest |ẍ|, −1 if the values are not smooth."""
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
    return second / (mean * mean) if higher <= LARGEST * second else -1.0
