"""Kinks: instants at which forces or prescribed motions are not smooth functions of time. A step ends just before each
of them, and the next one begins just after it."""

from __future__ import annotations

from flexmb.algebra.precision import ROUNDING, TIME_ROUNDING
from flexmb.kernels.compilation import inlined


@inlined
def beside_kink(kink):
    """Distance [s] from a kink at which a step ends before it, and the next one begins after it: round-off of the time;
    at a kink at t = 0, for a run that starts before it, round-off for steps of seconds."""
    return TIME_ROUNDING * abs(kink) if kink != 0.0 else ROUNDING


@inlined
def _first_kink(kinks, t):
    """Index of the first kink before which a step may end at t or later; `kinks` are sorted."""
    low, high = 0, kinks.shape[0]
    while low < high:
        middle = (low + high) // 2
        if kinks[middle] - beside_kink(kinks[middle]) < t:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def next_kink(kinks, t, stop):
    """The time just before the next kink, where a step has to end, or `stop` if that comes first."""
    k = _first_kink(kinks, t)
    while k < kinks.shape[0] and kinks[k] - beside_kink(kinks[k]) == t:
        k += 1
    return stop if k == kinks.shape[0] else min(stop, kinks[k] - beside_kink(kinks[k]))


@inlined
def behind_kink(kinks, t, end):
    """The time just after a kink before which a step has just ended, and after all others that lie within round-off
    behind it, at most the `end` of the run; elsewhere t itself."""
    k, behind = _first_kink(kinks, t), t
    if k < kinks.shape[0] and kinks[k] - beside_kink(kinks[k]) == t:
        while k < kinks.shape[0] and kinks[k] - 2.0 * beside_kink(kinks[k]) <= behind:
            behind = kinks[k] + beside_kink(kinks[k])
            k += 1
    return min(behind, end)
