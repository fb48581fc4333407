"""Steps in which something touches: a switch of a component is behind zero (:mod:`flexmb.solvers.events.crossings`)."""

from __future__ import annotations

import numpy as np

from flexmb.kernels.compilation import called
from flexmb.solvers.events.crossing_state import RATE, VALUE
from flexmb.solvers.events.crossings import look

#: by so large a part of the changes of speeds a step that follows all forces does not differ from the trapezoidal rule
MISSED = 0.6


@called(bool)
def closed(c):
    """Whether a switch of a component is behind zero: something touches. What then is too fast for the steps does not
    swing about a mean, but throws bodies back."""
    for k in range(c.switches):
        if c.side[k] < 0.0:
            return True
    return False


@called(bool)
def misses(c, h, v0, a0, v, a, scale, n, enough):
    """Whether a step in which something touches knows nothing of forces that act at its end; errors of speeds below
    `enough` [1/s, in units of the scales] are none.

    A stage that is deep in a stiff contact may throw all others out of it. If it has no weight in the result, or the
    equations of the stages have such a solution too, the step and its estimated error tell of a free flight, whose end
    is deep in the contact. So the change of each speed is compared with the trapezoidal rule, which knows the
    accelerations of the end. It is off by all of these where they are new to the step, and by what falls with h³ else.
    """
    if not closed(c):
        return False
    for i in range(n):
        before, after = 0.5 * h * a0[i], 0.5 * h * a[i]
        missed = abs(v[i] - v0[i] - before - after)
        if missed > MISSED * max(abs(before), abs(after)) and missed > enough * scale[i]:
            return True
    return False


@called(float)
def from_touch(c, plan, scratch, t0, t1, q, v, a, lam):
    """How far a step from t0 to this state at t1 is from the nearest instant at which a switch that is behind zero at
    its start was or will be at zero [s]: 0 where it comes back within the step, infinite if none is behind zero."""
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
    """Whether something touches or parts within the step that was looked at last, and not at its end."""
    for k in range(c.switches):
        if c.touched[k] == 0.0 and c.side[k] * c.now[VALUE, k] < 0.0:
            return True
    return False
