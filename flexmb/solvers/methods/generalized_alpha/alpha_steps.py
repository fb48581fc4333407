"""Where steps end: on the grid of a fixed step, at the instants of controllers, at the end of the run.

The points of the grid are t₀ + k h, never a running sum, whose round-off would lead to tiny steps. A fixed step that
has to be divided is divided evenly, so that the last part ends on the grid.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.march.march_loop import together
from flexmb.solvers.march.step_size import (
    ALL,
    fastest_angle,
    fastest_turn,
    next_size,
    ratio_by_errors,
    towards,
    was_cut,
)
from flexmb.system.near import longest_step

#: Largest rotation of any angle in one step [rad], so that a mechanism cannot jump to another assembly mode.
LARGEST_TURN = 0.5
#: Most parts into which a fixed step is divided.
MOST_PARTS = 1000
#: If a step cannot end at a point of the grid, it ends after it by this part of the step.
BESIDE_GRID = 0.5
#: If at most FEW_STEPS steps lead to the next instant of a controller, they are made equal, so that one matrix serves
#: all of them, and often those after the instant too. To save one step, each may be longer than proposed, together by
#: LONGER_BY of a step.
FEW_STEPS, LONGER_BY = 16, 0.1
#: A step whose error allows it may be LARGEST_FACTOR times the one before. The error of a step that was cut to less
#: than MUCH_SHORTER of its proposed size says nothing of longer ones.
LARGEST_FACTOR, MUCH_SHORTER = 1.5, 0.25
#: Order of the estimated error.
ORDER = 2.0
#: Smallest ratio of the next step to the last one.
LEAST_FACTOR = 0.3
#: NO_CHANGE for rigid bodies, whose steps follow the error at once: if they were lengthened late, they would be shorter
#: while a motion slows down than while it accelerates, and the energy errors of both phases would not cancel.
NO_CHANGE_RIGID = 1.03


@inlined
def even_part(h, left, longest):
    """The step size, about h and at most `longest`, of which a whole number fill the time `left` to the next instant of
    a controller; h itself if that number exceeds FEW_STEPS."""
    parts = max(math.ceil(left / h - LONGER_BY), 1)
    if parts > FEW_STEPS:
        return h
    if left > parts * longest:
        parts += 1
    return left / parts


@inlined
def lengthened(h, factor, step, longest):
    """Size of the next step after one of size h that was cut short from a proposed `step`, and whose error would allow
    `factor` times h. If it was much shorter, its error says nothing of the proposed size, which stays."""
    if h < MUCH_SHORTER * step:
        return step
    return max(step, min(h * factor, LARGEST_FACTOR * step, longest))


@inlined
def beside(options, stop, controlled):
    """A time after the stop `stop` for a step that cannot end on this point of the grid, since the constraints depend
    on one another there; `stop` itself where steps have to end."""
    later = stop + BESIDE_GRID * options.step
    if options.step > 0.0 and not controlled and later < options.t_end:
        return later
    return stop


@inlined
def turned(loop, left):
    """The proposed size of a step towards a stop `left` seconds away, and the largest size allowed, so that no angle
    turns too far in it. Both are 0 if the step would have to be shorter than the shortest allowed."""
    options, state, motion, scales = loop.options, loop.state, loop.motion, loop.scales
    longest = min(state.step, left)
    fastest = fastest_turn(motion, scales, longest)
    if longest * fastest <= LARGEST_TURN:
        return state.step, options.longest
    least = max(options.shortest, options.step / MOST_PARTS)
    if LARGEST_TURN < least * fastest_turn(motion, scales, 0.0):
        state.culprit = fastest_angle(motion, scales)
        return 0.0, 0.0
    h = min(state.step, max(LARGEST_TURN / fastest, least))  # accelerations of a vibration soon reverse
    return h, h


@called((float, float))
def next_step(loop, h, limit, stop):
    """Size of the next step, about h and at most `limit`, and the time at its end, at most `stop`."""
    options, t = loop.options, loop.state.time
    left = stop - t
    if options.step <= 0.0:
        limit = min(limit, longest_step(loop.plan.near, loop.motion.v))
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
    """Count a point of the grid that has been reached; returns whether it is at the present time."""
    if options.step <= 0.0:
        return False
    near = together(options, t)
    grid = options.t_start + (state.grid + 1.0) * options.step
    if t < grid - near:
        return False
    state.grid += 1.0
    return t <= grid + near


@inlined
def propose(options, state, h, error, no_change, hidden):
    """Choose the size of the next step, from the errors of this one and of the last; `no_change`: a longer step that
    its error allows is not tried up to this factor; `hidden`: round-off hides the error, which then does not justify a
    longer step."""
    if options.step > 0.0:
        state.step = min(2.0 * state.step, options.step)
        return
    error = max(error, 1e-6)
    factor = ratio_by_errors(error, state.last_error, ORDER)
    if factor >= 1.0 and hidden:
        return
    if factor >= 1.0 and was_cut(h, state.step):
        state.step = lengthened(h, factor, state.step, options.longest)
        return
    state.last_error = error
    state.step = next_size(h, factor, LEAST_FACTOR, LARGEST_FACTOR, no_change, options.longest)


@inlined
def mark_saved(options, state, counts, t, at_stop):
    """Mark the end of an accepted step if it is to be saved: every n-th step, or, with fixed steps, every n-th point of
    the grid; with n = 1 also all other stops, but not the ends of the parts into which a fixed step was divided."""
    on_grid = count_grid(options, state, t)
    if not at_stop:
        state.part = 1.0
    elif options.step > 0.0:
        counts.divided += int(state.part)
        state.part = 0.0
    if on_grid or options.step <= 0.0 or (options.save_every == 1 and at_stop):
        state.since_save += 1.0
    if state.since_save >= options.save_every or t >= options.t_end:
        state.since_save = 0.0
        state.unsaved = 1
