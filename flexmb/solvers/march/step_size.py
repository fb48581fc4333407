"""What bounds the size of a step in every method: the time that is left to the next stop, and how far angles turn."""

from __future__ import annotations

from flexmb.kernels.compilation import called, inlined

#: a step that leaves less than this part of the time to the next stop goes there
ALL = 1e-9


@inlined
def towards(h, left):
    """A step of about the size h towards a stop that is `left` away: the whole time, or half of it in place of a long
    step and a tiny one, or h."""
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
    """The number of the angle that turns fastest."""
    found = 0
    for i in range(len(scales.turning)):
        if scales.turning[i] and (not scales.turning[found] or abs(motion.v[i]) > abs(motion.v[found])):
            found = i
    return found
