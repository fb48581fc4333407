"""Limits of the step size that all methods share: the time left until the next stop, and the rotation of angles in one
step."""

from __future__ import annotations

import math

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.rows.index_one import norm

#: Safety factor for the size of a step that follows from an estimated error.
SAFETY = 0.9
#: The size of a step that needs a new matrix for another size stays the same if its error would allow a step up to this
#: factor longer.
NO_CHANGE = 1.2
#: A step that would leave less than this part of the time to the next stop ends at the stop.
ALL = 1e-9


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
