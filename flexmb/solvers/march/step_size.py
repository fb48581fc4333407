"""The size of the next step, for all methods: by the errors of the last two steps, towards the next stop, and so that
no angle turns too far in one step.

A method gives the ratio of the next size to the last one, by :func:`ratio_by_errors` or by a formula of its own, and
its limits to that ratio (:func:`next_size`)."""

from __future__ import annotations

import math

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.rows.index_one import norm

#: Safety factor for the size of a step that follows from an estimated error.
SAFETY = 0.9
#: The size of a step that needs a new matrix for another size stays the same if its error would allow a step up to this
#: factor longer.
NO_CHANGE = 1.2
#: A step shorter than this part of its proposed size was cut short by a stop.
CUT_SHORT = 0.99
#: A step that would leave less than this part of the time to the next stop ends at the stop.
ALL = 1e-9


@inlined
def ratio_by_errors(error, last_error, order):
    """Ratio of the next step size to the last one, by the errors E of this step and E₀ of the one before, in units of
    the error allowed: 0.9 E^(−0.7/k) E₀^(0.4/k), where k is the `order` of the estimate; Gustafsson (1991)."""
    return SAFETY * error ** (-0.7 / order) * last_error ** (0.4 / order)


@inlined
def was_cut(h, proposed):
    """Whether a stop cut a step of size h short: then a small error is no reason to change the `proposed` size."""
    return h < CUT_SHORT * proposed


@inlined
def next_size(h, ratio, least, largest, no_change, longest):
    """Size of the step after one of size h: `ratio` times h, with the ratio between `least` and `largest`, but h again
    where the ratio is between 1 and `no_change`; at most `longest`."""
    ratio = min(max(ratio, least), largest)
    return min(h if 1.0 <= ratio <= no_change else h * ratio, longest)


@inlined
def towards(h, left):
    """Size of a step of about h towards a stop `left` seconds away: `left` itself if h reaches it, half of `left`
    instead of a long and a tiny step, or h."""
    if h > left * (1.0 - ALL):
        return left
    return 0.5 * left if h > 0.5 * left else h


@inlined
def fastest_turn(motion, scales, h):
    """The largest speed [rad/s] of any angle during a step of size h."""
    fastest = 0.0
    for i in range(len(scales.turning)):
        if scales.turning[i]:
            fastest = max(fastest, abs(motion.v[i]) + 0.5 * h * abs(motion.a[i]))
    return fastest


@called(int)
def fastest_angle(motion, scales):
    """Index of the angle that turns fastest."""
    found = 0
    for i in range(len(scales.turning)):
        if scales.turning[i] and (not scales.turning[found] or abs(motion.v[i]) > abs(motion.v[found])):
            found = i
    return found


@called(float)
def rate(motion, scale, n):
    """Rate ρ [1/s] of a motion: the largest of |v| and √|a| in units of the scales."""
    return max(norm(motion.v, scale, n), math.sqrt(norm(motion.a, scale, n)))


@called(float)
def carried_to_end(motion, scale, n, left, places, speeds):
    """Rough estimate of the displacement, `left` seconds later, due to errors of positions and of speeds in a step. An
    error of speeds persists until then; an error of positions grows in proportion to the motion, at its present
    rate."""
    return (1.0 + rate(motion, scale, n) * left) * places + left * speeds
