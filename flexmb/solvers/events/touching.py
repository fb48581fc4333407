"""Steps during a contact: a switch of a component is below zero (:mod:`flexmb.solvers.events.crossings`)."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation import called
from flexmb.solvers.events.crossing_state import RATE, VALUE
from flexmb.solvers.events.crossings import look

#: The change of a speed in a step that follows all forces differs by less than this fraction from the trapezoidal rule.
MISSED = 0.6
#: Changes of speeds below this part of the largest that accelerations could cause in the step belong to no contact that
#: throws others out.
SHARE = 1e-3


@called(bool)
def closed(c):
    """Whether something is in contact: a switch of a component is below zero. Motion that is then too fast for the
    steps does not oscillate about a mean, but throws bodies back."""
    for k in range(c.switches):
        if c.side[k] < 0.0:
            return True
    return False


@called(bool)
def misses(c, h, v0, a0, v, a, scale, n, enough):
    """Whether a step during a contact has missed forces that act at its end; errors of speeds below `enough` [1/s, in
    units of the scales] do not count.

    A stage that is deep in a stiff contact may throw all others out of it. If it has no weight in the result, or if the
    equations of the stages have such a solution too, the step and its estimated error describe a free flight, whose end
    is deep in the contact. So the change of each speed is compared with the trapezoidal rule, which contains the
    accelerations at the end. Where these are new to the step, it differs by all of their contribution, to the side of
    the accelerations at the start; elsewhere the difference falls with h³. To the other side a change may differ as far
    as if the accelerations at the end acted from the start on: after a jump of commands, friction damps within a small
    part of the step what they set in motion.
    """
    if not closed(c):
        return False
    largest = 0.0
    for i in range(n):
        largest = max(largest, max(abs(a0[i]), abs(a[i])) / scale[i])
    enough = max(enough, SHARE * 0.5 * h * largest)
    for i in range(n):
        before, after = 0.5 * h * a0[i], 0.5 * h * a[i]
        off = v[i] - v0[i] - before - after
        missed = abs(off)
        if off * (before - after) < 0.0:
            missed -= abs(before - after)
        if missed > MISSED * max(abs(before), abs(after)) and missed > enough * scale[i]:
            return True
    return False


@called(float)
def from_touch(c, plan, scratch, t0, t1, q, v, a, lam):
    """The time [s] between a step from t0 to this state at t1 and the nearest instant at which a switch that is below
    zero at its start was or will be zero: 0 if it returns within the step, infinite if no switch is below zero."""
    if not closed(c):
        return np.inf
    look(c, plan, scratch, t1, q, v, a, lam, t1 - t0, c.now)
    nearest = np.inf
    for k in range(c.switches):
        now, rate = c.now[VALUE, k], c.now[RATE, k]
        if c.side[k] < 0.0 and now < 0.0:
            nearest = min(nearest, max(t0 - c.since[k], 0.0))
            if rate > 0.0:
                nearest = min(nearest, -now / rate)
        elif c.side[k] < 0.0:
            nearest = 0.0
    return nearest


@called(bool)
def goes_through(c):
    """Whether, in the step that was examined last, a contact begins or ends elsewhere than at its end."""
    for k in range(c.switches):
        if c.touched[k] == 0.0 and c.side[k] * c.now[VALUE, k] < 0.0:
            return True
    return False
