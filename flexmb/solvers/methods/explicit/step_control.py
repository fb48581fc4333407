"""Step size control of explicit methods: the error of a step in units of the error allowed, and the size of the next
step.

The size follows from the errors of this step and of the one before
(:func:`flexmb.solvers.march.step_size.ratio_by_errors`); after a rejected step of error E it is 0.9 h E^(−1/k), where k
is the order of the estimate.
"""

from __future__ import annotations

import math

from flexmb.algebra.precision import ROUNDING
from flexmb.kernels.compilation import called
from flexmb.solvers.march.step_size import (
    SAFETY,
    carried_to_end,
    next_size,
    rate,
    ratio_by_errors,
    towards,
    was_cut,
)
from flexmb.system.near import longest_step

#: Bounds of the ratio of the next step to the last one.
LEAST_FACTOR, LARGEST_FACTOR = 0.2, 4.0
#: Ratio of the next trial to a step whose stages could not be computed.
FAILED_FACTOR = 0.25
#: After this many rejected steps in a row, forces are assumed to jump. The estimate of high order can then be thirty
#: times too small; the one of low order replaces it, which is at most five times too small.
ROUGH = 2.0
#: Smaller errors count as this part of the error allowed.
LEAST_ERROR = 1e-6


@called(float)
def radians(loop):
    """Θ: the radians that the run will have covered at its end, if the mechanism continues to move at its present
    rate."""
    state, motion = loop.state, loop.motion
    return state.radians + rate(motion, loop.scale, loop.plan.n) * max(loop.options.t_end - state.time, 0.0)


@called(float)
def _largest(loop, kind, h, turned):
    """Largest error of the step in units of the scales, with the weights that the docstring of the package derives;
    records the index of its coordinate in `state.culprit`."""
    plan, options, scale, motion, stage = loop.plan, loop.options, loop.scale, loop.motion, loop.stage
    largest = 0.0
    for i in range(plan.n):
        place = abs(h * stage.error_q[kind, i]) - ROUNDING * abs(motion.q[i])
        speed = abs(h * stage.error_v[kind, i]) - ROUNDING * (abs(motion.v[i]) + abs(h * motion.a[i]))
        size = max((1.0 + turned) * place, options.span * speed) / scale[i]
        if size != size:
            loop.state.culprit = i
            return math.inf
        if size > largest:
            largest = size
            loop.state.culprit = i
    return largest


@called(float)
def weighed_error(loop, h):
    """Weighted error of the trial step, in units of the error allowed."""
    turned = radians(loop)
    coarse = _largest(loop, 1, h, turned)
    fine = _largest(loop, 0, h, turned)
    if loop.state.rejected_here >= ROUGH:
        return max(fine, coarse) / loop.options.allowed
    if fine == 0.0:
        return 0.0
    return fine * fine / math.sqrt(fine * fine + 0.01 * coarse * coarse) / loop.options.allowed


@called(float)
def coarse_error(loop, h):
    """Weighted error of the step from the estimate of lower order, in units of the error allowed."""
    return _largest(loop, 1, h, radians(loop)) / loop.options.allowed


@called(float)
def carried_error(loop, h, t):
    """Rough estimate of the displacement at the end of the run, in units of the scales, due to the error of a fixed
    step that ends at t. The largest estimated error of a position in a step is noted in `state.step_error`."""
    places, speeds, left = 0.0, 0.0, max(loop.options.t_end - t, 0.0)
    for i in range(loop.plan.n):
        scale, place, speed = loop.scale[i], abs(h * loop.stage.error_q[0, i]), abs(h * loop.stage.error_v[0, i])
        if place > places * scale:  # a division for each entry would take four times as long
            places = place / scale
        if speed > speeds * scale:
            speeds = speed / scale
    loop.state.step_error = max(loop.state.step_error, places)
    return carried_to_end(loop.motion, loop.scale, loop.plan.n, left, places, speeds)


@called(float)
def first_step(loop):
    """Size of the first step: its error is about the error allowed if the motion changes at the rate ρ."""
    options, motion, order = loop.options, loop.motion, loop.method.order
    moving = max(rate(motion, loop.scale, loop.plan.n), 1.0 / options.span)
    h = (options.allowed / (1.0 + radians(loop))) ** (1.0 / order) / moving
    return min(h, 0.01 * options.span)


@called(float)
def next_step(loop, stop):
    """Size of the next step: the fixed or the proposed one, or one that ends exactly at `stop`."""
    state, options = loop.state, loop.options
    left = stop - state.time
    if options.step > 0.0:
        return options.step if abs(left - options.step) <= options.together else left
    h = min(state.step, options.longest, longest_step(loop.plan.near, loop.motion.v))
    return towards(h, left)


@called(None)
def propose(loop, h, error):
    """Choose the size of the next step after an accepted one of size h."""
    state, k = loop.state, float(loop.method.order)
    error = max(error, LEAST_ERROR)
    factor = ratio_by_errors(error, state.last_error, k)
    largest = 1.0 if state.rejected_here > 0.0 else LARGEST_FACTOR
    state.rejected_here = 0.0
    if factor >= 1.0 and was_cut(h, state.step):
        return
    state.last_error = error
    state.step = next_size(h, factor, LEAST_FACTOR, largest, 1.0, math.inf)


@called(bool)
def shorten(loop, h, error):
    """Choose a smaller size after a rejected step of size h; `error` is infinite if it could not be completed. Returns
    False if no shorter step is allowed."""
    state, options = loop.state, loop.options
    loop.counts.rejected += 1
    state.rejected_here += 1.0
    factor = FAILED_FACTOR
    if error < math.inf:
        factor = min(max(SAFETY * error ** (-1.0 / loop.method.order), LEAST_FACTOR), SAFETY)
    state.step = h * factor
    return state.step >= options.shortest
