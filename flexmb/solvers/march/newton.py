"""What implicit methods ask of Newton's method for the end of a step: how it ended, how accurate it has to be, and when
corrections are due to round-off.

The corrections of a step are kept in a small record, :class:`Corrections`, and :func:`verdict` judges the last of them.
If corrections shrink by the ratio θ, the sum of all that are still to come is θ/(1 − θ) times the last one: this is the
error that would remain (Hairer and Wanner (1991), IV.8). After the first correction θ is not known; the ratio of the
step before is then expected, which a method hands over.
"""

from __future__ import annotations

from typing import NamedTuple

from flexmb.kernels.compilation import inlined
from flexmb.solvers.statuses import FAILED, GO_ON, OK

#: Newton's method has failed if a correction is HOPELESS times the one before or larger.
HOPELESS = 0.9
#: An error of positions, divided by the square of the step size, is an error of the accelerations: the allowed part of
#: the largest acceleration.
ACCELERATION_DIGITS = 1e-4
#: Corrections that do not shrink are due to round-off if they are smaller than ROUNDING_FACTOR times its measured
#: effect and than LARGEST_ROUNDING.
ROUNDING_FACTOR, LARGEST_ROUNDING = 4.0, 1e-4
#: A measurement of round-off is used for so many steps of about the same size.
ROUNDING_STEPS = 200.0


@inlined
def rounding_known(state, h):
    """Whether the effect of round-off was measured in recent steps, for a step of about this size."""
    return state.floor_left > 0.0 and abs(h / state.floor_step - 1.0) < 0.5


class Corrections(NamedTuple):
    """The corrections of a step with one matrix: their number; sizes of the first and of the last one, and the sum of
    all; the ratio θ of the last two; and the expected error after the last one, as a part of it."""

    number: int
    first: float
    last: float
    moved: float
    ratio: float
    left: float


@inlined
def no_corrections(left):
    """The record before the first correction, after which the part `left` of it is expected to remain."""
    return Corrections(0, 0.0, 0.0, 0.0, 0.0, left)


@inlined
def remaining(ratio):
    """The error that remains after a correction, as a part of it, if corrections shrink by this ratio."""
    return ratio / (1.0 - ratio) if ratio < HOPELESS else 1.0 / (1.0 - HOPELESS)


@inlined
def with_next(seen, size):
    """The record with a further correction of this size."""
    if seen.number == 0:  # the ratio of earlier steps does not hold for larger corrections
        return Corrections(1, size, size, size, 0.0, max(seen.left, size))
    ratio = size / seen.last
    return Corrections(seen.number + 1, seen.first, size, seen.moved + size, ratio, remaining(ratio))


@inlined
def measured_anew(seen, size):
    """The record with another size of the last correction, found again."""
    return Corrections(seen.number, seen.first, size, seen.moved, seen.ratio, seen.left)


@inlined
def leaving(seen, left):
    """The record with another expectation of what remains after the last correction."""
    return Corrections(seen.number, seen.first, seen.last, seen.moved, seen.ratio, left)


@inlined
def mean_ratio(seen):
    """The mean ratio of successive corrections, of two at least."""
    return (seen.last / seen.first) ** (1.0 / (seen.number - 1))


@inlined
def verdict(seen, enough, least, at_first, farthest):
    """Judge the last correction: OK if the error that remains is at most `enough`, or the correction is at most
    `least`; FAILED if corrections do not shrink, of which the second may be `at_first` times the first, or if their sum
    exceeds `farthest`; or GO_ON."""
    if not seen.moved < farthest or seen.ratio >= (HOPELESS if seen.number > 2 else at_first):
        return FAILED
    return OK if seen.left * seen.last <= enough or seen.last <= least else GO_ON
