"""Where steps end: on the grid of a fixed step, at the instants of controllers, at the end of the run.

The grid is t₀ + k h, never a running sum, whose rounding errors would leave tiny steps. A step that has to be divided
is divided evenly, so that the grid is met again.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.march.march_loop import together
from flexmb.solvers.march.step_size import ALL, fastest_turn, towards
from flexmb.system.near import longest_step

#: largest turn of any angle in one step [rad], so that a mechanism cannot jump to another way of being assembled
LARGEST_TURN = 0.5
#: most parts that a fixed step is divided into
MOST_PARTS = 1000
#: If a step cannot end at a point of the grid, it ends beyond that by this part of the step.
BESIDE_GRID = 0.5
#: Where so few steps lead to the next instant of a controller they are equal, so that one matrix serves all, and often
#: those behind the instant too. To be one step less they may be longer, together by this part of a step.
FEW_STEPS, LONGER_BY = 16, 0.1
#: A step may be this many times the one before, for its error; one that was cut to less than this part is no measure.
LARGEST_FACTOR, MUCH_SHORTER = 1.5, 0.25


@inlined
def even_part(h, left, longest):
    """The step, about h, of which a whole number lead to the next instant of a controller, which is `left` away; none
    is longer than the `longest`. Where these would be many it stays h."""
    parts = max(math.ceil(left / h - LONGER_BY), 1)
    if parts > FEW_STEPS:
        return h
    if left > parts * longest:
        parts += 1
    return left / parts


@inlined
def lengthened(h, factor, step, longest):
    """The step to propose after one of size h that was cut short from a proposed `step`, and whose error would allow
    `factor` times h: that of a step which is much shorter says nothing of the proposed one."""
    if h < MUCH_SHORTER * step:
        return step
    return max(step, min(h * factor, LARGEST_FACTOR * step, longest))


@called(float)
def beside(options, stop, controlled):
    """A time beyond a point of the grid where no step can end, since constraints depend on one another there."""
    later = stop + BESIDE_GRID * options.step
    if options.step > 0.0 and not controlled and later < options.t_end:
        return later
    return stop


@called((float, float))
def next_step(loop, stop):
    """The step from here that goes to `stop` or towards it; (size, time at its end). The size is 0 when angles turn so
    fast that the step would have to be shorter than is allowed."""
    options, state, motion, scales = loop.options, loop.state, loop.motion, loop.scales
    t = state.time
    left = stop - t
    h, limit = state.step, options.longest
    longest = min(h, left)
    fastest = fastest_turn(motion, scales, longest)
    if longest * fastest > LARGEST_TURN:
        least = max(options.shortest, options.step / MOST_PARTS)
        if LARGEST_TURN < least * fastest_turn(motion, scales, 0.0):
            return 0.0, t
        h = limit = min(h, max(LARGEST_TURN / fastest, least))  # the accelerations of a vibration change soon
    if options.step <= 0.0:
        limit = min(limit, longest_step(loop.plan.near, motion.v))
        h = min(h, limit)
    if towards(h, left) == left:
        return left, stop
    if options.step > 0.0:
        h = left / math.ceil(left / h - ALL)
    elif loop.sampling.controllers.shape[0] > 0:
        h = even_part(h, left, limit)
    else:
        h = towards(h, left)
    return h, stop if h == left else t + h


@inlined
def count_grid(options, state, t):
    """Note if a point of the grid has been reached; whether it is the present time."""
    if options.step <= 0.0:
        return False
    near = together(options, t)
    grid = options.t_start + (state.grid + 1.0) * options.step
    if t < grid - near:
        return False
    state.grid += 1.0
    return t <= grid + near
