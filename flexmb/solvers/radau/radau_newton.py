"""Newton's method for the stages of a step.

It begins with one matrix for all stages (:mod:`flexmb.solvers.radau.common_matrix`), which serves for many steps while
corrections shrink fast. Where they shrink slowly, because stiff members turn within a step, each stage has its own
(:mod:`flexmb.solvers.radau.own_matrices`), made anew at each step, as long as the corrections that this saves are worth
more.

Corrections are measured by their largest entry in units of its scale, and by √|xᴴ S x|, from the work of the errors on
them, in units of the model's length. In the second norm errors of stiff directions count by their stiffness; see
:mod:`flexmb.solvers.generalized_alpha.alpha_newton`, where it is also said what rounding leaves.
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.rotations import inverse_rate_map
from flexmb.solvers.radau import common_matrix as common
from flexmb.solvers.radau import own_matrices as own
from flexmb.solvers.radau.radau_coefficients import REAL
from flexmb.solvers.radau.radau_state import NO_RANK
from flexmb.solvers.radau.stages import errors, spread
from flexmb.solvers.rows.index_one import norm, worst
from flexmb.system.linear import NO_ROOM, OK

#: how Newton's method ended; STALE: it failed with the matrices of an earlier step; NO_SPACE: factors need more room
CONVERGED, FAILED, STALE, NO_SPACE = range(4)
#: matrices serve for steps that differ by less than this part, and until corrections shrink to no less than the second
SAME_STEP, AGEING = 1e-3, 0.02
#: Corrections that shrink to no less than the first part do not converge. The second one may be larger than the first,
#: by the second factor: where a beam bends by the first, the second takes back the strain that comes of it.
HOPELESS, HOPELESS_AT_FIRST = 0.9, 10.0
#: What Newton's method leaves of the speeds is much the same in one step as in the next, and adds up. In runs of more
#: steps than the first number each leaves the less, down to the second part of what it may leave in shorter ones.
FEW_STEPS, LEAST_SHARE = 100.0, 0.02
#: An error of u, divided by τ², is one of the acceleration: the part of it that is allowed.
ACCELERATION_DIGITS = 1e-4
#: the equations of a step have other solutions, with an angle one turn further: corrections lead to one of these if
#: their sum exceeds this part of the model's length, or of a radian
LARGEST_CORRECTION = 1.0
#: Corrections that do not shrink are due to rounding if they are smaller than this multiple of its measured effect, and
#: never if they are larger than the second. A measurement serves for so many steps of about the same size.
ROUNDING_FACTOR, LARGEST_ROUNDING, ROUNDING_STEPS = 4.0, 1e-4, 100.0
#: a step is cut short that is below this part of the one that its error allows
CUT = 0.1
#: Each stage has its own matrix for at least the first number of steps, and for the second at most before a common one
#: is tried again, since the mechanism may turn less than it did.
AT_LEAST, AT_MOST = 8.0, 50.0
#: corrections with a common matrix are not expected to shrink faster than by this factor
FASTEST = 1e-6


@called(int)
def _renew(loop, h, t):
    """Make the matrices of the step; CONVERGED, NO_SPACE or FAILED."""
    state = loop.state
    spread(loop, h)
    status = own.renew(loop, h, t) if state.own > 0.0 else common.renew(loop, h, t)
    loop.counts.factorisations += 1
    if status == NO_ROOM:
        return NO_SPACE
    if status != OK:
        state.culprit = NO_RANK
        state.h_matrix = 1e300
        return FAILED
    state.h_matrix = h
    state.fresh = 1.0
    return CONVERGED


@called(float)
def _correction(loop, h):
    """Find the correction for the errors in `stages`, and its size: the largest change of u in units of the scales, or
    √|xᴴ S x| in units of the model's length, if that is larger."""
    power = own.correction(loop, h) if loop.state.own > 0.0 else common.correction(loop, h)
    _of_charts(loop)
    return max(_largest_change(loop), math.sqrt(power) / loop.options.length)


@called(None)
def _of_charts(loop):
    """Turns of orientations in the axes of their bodies become changes of u, which are T⁻¹(y) times as large."""
    orientations, stages = loop.plan.orientations, loop.stages
    for k in range(orientations.shape[0]):
        i = orientations[k, 0]
        for s in range(3):
            T = inverse_rate_map((stages.y[s, i], stages.y[s, i + 1], stages.y[s, i + 2]))
            x, y, z = stages.du[s, i], stages.du[s, i + 1], stages.du[s, i + 2]
            for j in range(3):
                stages.du[s, i + j] = T[3 * j] * x + T[3 * j + 1] * y + T[3 * j + 2] * z


@called(float)
def _largest_change(loop):
    """The largest change of u by the correction in units of the scales."""
    du, scale, n = loop.stages.du, loop.scales.coordinates, loop.plan.n
    return max(norm(du[0], scale, n), max(norm(du[1], scale, n), norm(du[2], scale, n)))


@called(None)
def _apply(loop):
    """Correct u and multipliers of the stages."""
    plan, stages = loop.plan, loop.stages
    for s in range(3):
        for i in range(plan.n):
            stages.u[s, i] += stages.du[s, i]
        for k in range(plan.m):
            stages.lam[s, k] += stages.dlam[s, k]


@called(None)
def _measure_rounding(loop, h, t):
    """Note in `state` how large the corrections are that rounding errors of positions cause."""
    plan, stages, state = loop.plan, loop.stages, loop.state
    before, before_of_rows = stages.du, stages.dlam
    errors(loop, h, t, False)
    for s in range(3):
        for i in range(plan.n):
            before[s, i] = stages.r[s, i]
        for k in range(plan.m):
            before_of_rows[s, k] = stages.g[s, k]
    errors(loop, h, t, True)
    for s in range(3):
        for i in range(plan.n):
            stages.r[s, i] -= before[s, i]
        for k in range(plan.m):
            stages.g[s, k] -= before_of_rows[s, k]
    state.floor = _correction(loop, h)
    state.floor_step = h
    state.floor_left = ROUNDING_STEPS


@inlined
def _rounding_known(state, h):
    return state.floor_left > 0.0 and abs(h / state.floor_step - 1.0) < 0.5


@called(float)
def needed(loop, h):
    """How accurate u must be, in units of the scale of each coordinate. An error of u, divided by h, is one of the
    speeds, which goes on as long as the motion does."""
    scale, motion, n = loop.scales.coordinates, loop.motion, loop.plan.n
    tau, hardest = h / REAL, norm(loop.motion.a, scale, n)
    moved = h * max(norm(motion.v, scale, n), math.sqrt(hardest), loop.options.slowest)
    newton = loop.options.newton * min(max(FEW_STEPS * h * loop.options.slowest, LEAST_SHARE), 1.0)
    return max(min(newton * min(moved, 1.0), ACCELERATION_DIGITS * tau * tau * hardest), 1e-18)


@called(None)
def _reconsider(loop, h, enough):
    """Go back to a common matrix where the steps before let expect that it serves as well."""
    state = loop.state
    if state.own == 0.0:
        return
    state.own_steps += 1.0
    if state.own_steps <= AT_LEAST:
        return
    longer = h / state.common_step
    rate = max(state.common_rate * longer * longer, FASTEST)  # δ and τω grow with h
    expected = 1.0
    if state.first > enough:
        expected += math.log(enough / state.first) / math.log(rate) if rate < HOPELESS else np.inf
    if expected < state.own_iterations + state.own_worth or state.own_steps > AT_MOST:
        state.own = 0.0
        state.h_matrix = 1e300


@called(None)
def _note(state, h, corrections, first):
    """Remember how many corrections a step h took, and the size of the first one."""
    if state.own > 0.0:
        state.own_iterations, state.first = corrections, first
    else:
        _lose(state, corrections - state.own_iterations - state.own_worth, h)


@called(None)
def _lose(state, corrections, h):
    """Note how many more corrections than a step with a matrix for each stage is worth were made with a common one for
    a step h; after many each stage has its own."""
    state.lost = max(state.lost + corrections, 0.0)
    if state.lost > state.own_price:
        state.own = 1.0
        state.lost = 0.0
        state.own_steps = 0.0
        state.common_rate = state.rate
        state.common_step = h


@called(int)
def correct(loop, h, t):
    """Solve the equations of the stages; how that ended."""
    state = loop.state
    enough = needed(loop, h)
    _reconsider(loop, h, enough)
    if state.own > 0.0 and loop.own.places.shape[0] == 0:
        return NO_SPACE
    state.fresh = 0.0
    state.floor_left -= 1.0
    if state.own > 0.0 or abs(h / state.h_matrix - 1.0) > SAME_STEP or state.rate > AGEING:
        made = _renew(loop, h, t)
        if made != CONVERGED:
            return made
    left = max(state.left, 1e-16) ** 0.8
    first, last, moved, rate, measured = 0.0, 0.0, 0.0, 0.0, False
    for iteration in range(loop.options.iterations):
        errors(loop, h, t, False)
        size = _correction(loop, h)
        loop.counts.iterations += 1
        state.iterated = iteration + 1.0
        moved += size
        if not moved < LARGEST_CORRECTION:
            break
        if iteration > 0:
            rate = size / last
            state.rate = (size / first) ** (1.0 / iteration)
            shrinks = rate <= 0.3 if iteration > 1 else rate < HOPELESS_AT_FIRST  # from rest the first may be smaller
            if not shrinks and enough < size < LARGEST_ROUNDING:
                known = _rounding_known(state, h)
                if not known or (size > ROUNDING_FACTOR * state.floor and not measured):
                    _measure_rounding(loop, h, t)
                    measured = True
                    errors(loop, h, t, False)
                    size = _correction(loop, h)
                if size <= ROUNDING_FACTOR * state.floor:
                    _apply(loop)
                    spread(loop, h)
                    state.rate = 0.0
                    _note(state, h, iteration + 1.0, first)
                    if h > CUT * state.step:  # few are cut short, and their errors across joints vanish
                        left = _largest_change(loop) / h * (loop.options.t_end - t)
                        state.rounded += left * left
                    return CONVERGED
            if rate >= (HOPELESS if iteration > 1 else HOPELESS_AT_FIRST):
                break
            if state.own > 0.0:  # what is left may lie where corrections shrink more slowly than the first ones
                rate = math.sqrt(rate)
            left = rate / (1.0 - rate) if rate < HOPELESS else 1.0 / (1.0 - HOPELESS)
        else:  # what earlier steps left says nothing of a correction that is larger than theirs
            left = max(left, size)
        _apply(loop)
        if left * size <= enough or size <= 1e-17:
            spread(loop, h)
            state.left = left
            _note(state, h, iteration + 1.0, first if iteration > 0 else size)
            return CONVERGED
        last = size
        if iteration == 0:
            first = size
    return _failed(loop, h)


@called(int)
def _failed(loop, h):
    """STALE where better matrices are left to try, else FAILED."""
    state = loop.state
    state.culprit = worst(loop.stages.du[2], loop.scales.coordinates, loop.plan.n)
    stale = state.fresh == 0.0
    state.h_matrix = 1e300
    if state.own == 0.0 and not stale:
        state.rate = 1.0
        _lose(state, state.iterated + 1.0, h)
        stale = state.own > 0.0
    return STALE if stale else FAILED
