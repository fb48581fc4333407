"""How long steps are: their error in units of what is allowed, and the next step by it.

The step follows the errors E of this step and E₀ of the one before by the PI controller of Gustafsson (1991):
h ← 0.9 h E^(−0.7/k) E₀^(0.4/k), where k is the order of the estimate; after a step that is not kept 0.9 h E^(−1/k).
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import called
from flexmb.solvers.march.step_size import towards
from flexmb.system.near import longest_step

#: the part of the ideal step that is taken, and the bounds of its change
SAFETY, LEAST_FACTOR, LARGEST_FACTOR = 0.9, 0.2, 4.0
#: a step that came to no end at all is made shorter by this factor
FAILED_FACTOR = 0.25
#: After so many steps in a row that were not kept forces are taken to jump. The estimate of high order can be thirty
#: times too small there, so that the coarse one serves, which is at most five times too small.
ROUGH = 2.0
#: errors below this part of what is allowed are taken for that
LEAST_ERROR = 1e-6
#: The error of a number need not be less than this part of the number, nor that of a speed less than this part of its
#: change in the step: rounding.
ROUNDING = 1e-15


@called(float)
def rate(loop, v, a):
    """ρ [1/s], at which the mechanism moves: the largest of |v| and √|a| in units of the model."""
    scale = loop.scale
    speed, second = 0.0, 0.0
    for i in range(loop.plan.n):
        speed = max(speed, abs(v[i]) / scale[i])
        second = max(second, abs(a[i]) / scale[i])
    return max(speed, math.sqrt(second))


@called(float)
def radians(loop):
    """Θ: for how many radians the run will have lasted at its end, if the mechanism goes on as it moves now."""
    state, motion = loop.state, loop.motion
    return state.radians + rate(loop, motion.v, motion.a) * max(loop.options.t_end - state.time, 0.0)


@called(float)
def _largest(loop, kind, h, turned):
    """The size of an error of the step, weighed as the package says, in units of the model; notes where it is."""
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
    """The error of the step that was tried, in units of what is allowed."""
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
    """The error of the step by the estimate of lower order, in units of what is allowed."""
    return _largest(loop, 1, h, radians(loop)) / loop.options.allowed


@called(float)
def plain_error(loop, h):
    """The largest error of a coordinate in the step, in units of the model."""
    largest = 0.0
    for i in range(loop.plan.n):
        largest = max(largest, abs(h * loop.stage.error_q[0, i]) / loop.scale[i])
    return largest


@called(float)
def carried_error(loop, h, t):
    """Roughly what the error of a fixed step that ends at t becomes until the end of the run, in units of the model:
    errors of speeds go on until then, and those of positions grow by as much as the mechanism moves until then, at its
    present rate."""
    places, speeds, left = 0.0, 0.0, max(loop.options.t_end - t, 0.0)
    for i in range(loop.plan.n):
        places = max(places, abs(h * loop.stage.error_q[0, i]) / loop.scale[i])
        speeds = max(speeds, abs(h * loop.stage.error_v[0, i]) / loop.scale[i])
    return (1.0 + rate(loop, loop.motion.v, loop.motion.a) * left) * places + speeds * left


@called(float)
def first_step(loop):
    """A step with an error of about what is allowed, if the motion changes at the rate ρ."""
    options, motion, order = loop.options, loop.motion, loop.method.order
    moving = max(rate(loop, motion.v, motion.a), 1.0 / options.span)
    h = (options.allowed / (1.0 + radians(loop))) ** (1.0 / order) / moving
    return min(h, 0.01 * options.span)


@called(float)
def next_step(loop, stop):
    """The size of the step from here: the fixed or the proposed one, or what makes it end exactly at `stop`."""
    state, options = loop.state, loop.options
    left = stop - state.time
    if options.step > 0.0:
        return options.step if abs(left - options.step) <= options.together else left
    h = min(state.step, options.longest, longest_step(loop.plan.near, loop.motion.v))
    return towards(h, left)


@called(None)
def propose(loop, h, error):
    """Propose the next step after one of size h that is kept."""
    state, k = loop.state, float(loop.method.order)
    error = max(error, LEAST_ERROR)
    factor = SAFETY * error ** (-0.7 / k) * state.last_error ** (0.4 / k)
    factor = min(max(factor, LEAST_FACTOR), 1.0 if state.rejected_here > 0.0 else LARGEST_FACTOR)
    state.rejected_here = 0.0
    if factor >= 1.0 and h < 0.99 * state.step:
        return  # the step was cut short by a given time, so its error is no reason to change the proposed size
    state.last_error = error
    state.step = h * factor


@called(bool)
def shorten(loop, h, error):
    """Propose a shorter step after one of size h that is not kept; `error` is infinite where it came to no end. False
    if no shorter step is allowed."""
    state, options = loop.state, loop.options
    loop.counts.rejected += 1
    state.rejected_here += 1.0
    factor = FAILED_FACTOR
    if error < math.inf:
        factor = min(max(SAFETY * error ** (-1.0 / loop.method.order), LEAST_FACTOR), SAFETY)
    state.step = h * factor
    return state.step >= options.shortest
