"""Newton's method for the stages of a step.

It begins with one matrix for all stages (:mod:`flexmb.solvers.methods.radau.common_matrix`), which is kept over many
steps while corrections shrink fast. Where they shrink slowly, because stiff members turn within a step, each stage gets
a matrix of its own (:mod:`flexmb.solvers.methods.radau.own_matrices`), evaluated in every step, as long as this costs
less time than the corrections that it saves.

Corrections are measured by their largest entry in units of its scale, and by √|xᴴ S x|, the work of the residual on
them, in units of the model's length. In the second norm errors in stiff directions are weighted by their stiffness; see
:mod:`flexmb.solvers.methods.generalized_alpha.alpha_newton`.
"""

from __future__ import annotations

import math

import numpy as np

from flexmb.kernels.compilation import called
from flexmb.kernels.rotations import inverse_rate_map
from flexmb.solvers.march.newton import (
    ACCELERATION_DIGITS,
    HOPELESS,
    LARGEST_ROUNDING,
    ROUNDING_FACTOR,
    ROUNDING_STEPS,
    leaving,
    mean_ratio,
    measured_anew,
    no_corrections,
    remaining,
    rounding_known,
    verdict,
    with_next,
)
from flexmb.solvers.methods.radau import common_matrix as common
from flexmb.solvers.methods.radau import own_matrices as own
from flexmb.solvers.methods.radau.radau_coefficients import REAL
from flexmb.solvers.methods.radau.radau_state import NO_RANK
from flexmb.solvers.methods.radau.stages import errors, spread
from flexmb.solvers.rows.index_one import norm, worst
from flexmb.solvers.statuses import FAILED, NO_ROOM, OK, STALE

#: Matrices are kept for steps whose size differs by less than the part SAME_STEP, and until a correction is more than
#: AGEING times the one before.
SAME_STEP, AGEING = 1e-3, 0.02
#: The second correction may be up to HOPELESS_AT_FIRST times the first: where the first bends a beam, the second
#: removes the strain that this causes.
HOPELESS_AT_FIRST = 10.0
#: The error that Newton's method leaves in the speeds is nearly the same from step to step, and adds up. In a run of N
#: steps, more than FEW_STEPS, each may leave FEW_STEPS/N of that in shorter runs, at least the part LEAST_SHARE.
FEW_STEPS, LEAST_SHARE = 100.0, 0.02
#: The equations of a step have further solutions, with an angle one turn on. Corrections lead to one of these if their
#: sum exceeds this part of the model's length, or of a radian.
LARGEST_CORRECTION = 1.0
#: A step shorter than this part of the size that its error allows was cut short by a stop.
CUT = 0.1
#: Each stage keeps its own matrix for at least AT_LEAST steps, and for at most AT_MOST before the common one is tried
#: again, since the mechanism may turn less by then.
AT_LEAST, AT_MOST = 8.0, 50.0
#: Smallest ratio of successive corrections that is expected of a common matrix.
FASTEST = 1e-6


@called(int)
def _renew(loop, h, t):
    """Evaluate and factorize the matrices of the step; returns OK, NO_ROOM or FAILED."""
    state = loop.state
    spread(loop, h)
    status = own.renew(loop, h, t) if state.own > 0.0 else common.renew(loop, h, t)
    loop.counts.factorizations += 1
    if status == NO_ROOM:
        return NO_ROOM
    if status != OK:
        state.culprit = NO_RANK
        state.h_matrix = 1e300
        return FAILED
    state.h_matrix = h
    state.fresh = 1.0
    return OK


@called(float)
def _correction(loop, h):
    """Solve for the correction by the errors in `stages`. Returns its size: the largest change of u in units of the
    scales, or √|xᴴ S x| in units of the model's length, if that is larger."""
    power = own.correction(loop, h) if loop.state.own > 0.0 else common.correction(loop, h)
    of_charts(loop)
    return max(_largest_change(loop), math.sqrt(power) / loop.options.length)


@called(None)
def of_charts(loop):
    """Convert rotation vectors in body axes to changes of u, by T⁻¹(y)."""
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
    """Correct u and the multipliers of the stages."""
    plan, stages = loop.plan, loop.stages
    for s in range(3):
        for i in range(plan.n):
            stages.u[s, i] += stages.du[s, i]
        for k in range(plan.m):
            stages.lam[s, k] += stages.dlam[s, k]


@called(None)
def _measure_rounding(loop, h, t):
    """Measure the correction that round-off of positions causes: the correction by the difference of the errors with
    and without such round-off, for steps of the size h."""
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


@called(float)
def needed(loop, h):
    """Required accuracy of u, in units of the scale of each coordinate. An error of u divided by h is an error of the
    speeds, which persists until the end of the run."""
    scale, motion, n = loop.scales.coordinates, loop.motion, loop.plan.n
    tau, hardest = h / REAL, norm(loop.motion.a, scale, n)
    moved = h * max(norm(motion.v, scale, n), math.sqrt(hardest), loop.options.slowest)
    newton = loop.options.newton * min(max(FEW_STEPS * h * loop.options.slowest, LEAST_SHARE), 1.0)
    return max(min(newton * min(moved, 1.0), ACCELERATION_DIGITS * tau * tau * hardest), 1e-18)


@called(None)
def _reconsider(loop, h, enough):
    """Return to a common matrix if it is expected to need no more corrections than the matrices of the stages are
    worth."""
    state = loop.state
    if state.own == 0.0:
        return
    state.own_steps += 1.0
    if state.own_steps <= AT_LEAST:
        return
    longer = h / state.common_step
    rate = max(state.common_rate * longer * longer, FASTEST)  # δ and τω grow in proportion to h
    expected = 1.0
    if state.first > enough:
        expected += math.log(enough / state.first) / math.log(rate) if rate < HOPELESS else np.inf
    if expected < state.own_iterations + state.own_worth or state.own_steps > AT_MOST:
        state.own = 0.0
        state.h_matrix = 1e300


@called(None)
def _note(state, h, corrections, first):
    """Record how many corrections a step h took; with a matrix for each stage also the size of the first one."""
    if state.own > 0.0:
        state.own_iterations, state.first = corrections, first
    else:
        _lose(state, corrections - state.own_iterations - state.own_worth, h)


@called(None)
def _lose(state, corrections, h):
    """Add up how many more corrections steps with a common matrix take than a step with a matrix for each stage costs.
    When the sum exceeds the price of changing, each stage gets its own matrix."""
    state.lost = max(state.lost + corrections, 0.0)
    if state.lost > state.own_price:
        state.own = 1.0
        state.lost = 0.0
        state.own_steps = 0.0
        state.common_rate = state.rate
        state.common_step = h


@called(int)
def correct(loop, h, t):
    """Solve the equations of the stages; returns OK, FAILED, STALE or NO_ROOM."""
    state = loop.state
    enough = needed(loop, h)
    _reconsider(loop, h, enough)
    if state.own > 0.0 and loop.matrices.own.places.shape[0] == 0:
        return NO_ROOM
    state.fresh = 0.0
    state.floor_left -= 1.0
    if state.own > 0.0 or abs(h / state.h_matrix - 1.0) > SAME_STEP or state.rate > AGEING:
        made = _renew(loop, h, t)
        if made != OK:
            return made
    seen, measured = no_corrections(max(state.left, 1e-16) ** 0.8), False
    for _ in range(loop.options.iterations):
        errors(loop, h, t, False)
        size = _correction(loop, h)
        loop.counts.iterations += 1
        seen = with_next(seen, size)
        state.iterated = float(seen.number)
        if seen.number > 1 and seen.moved < LARGEST_CORRECTION:
            state.rate = mean_ratio(seen)
            shrinks = seen.ratio <= (0.3 if seen.number > 2 else HOPELESS_AT_FIRST)  # from rest the first is smaller
            if not shrinks and enough < size < LARGEST_ROUNDING:
                known = rounding_known(state, h)
                if not known or (size > ROUNDING_FACTOR * state.floor and not measured):
                    _measure_rounding(loop, h, t)
                    measured = True
                    errors(loop, h, t, False)
                    size = _correction(loop, h)
                    seen = measured_anew(seen, size)
                if size <= ROUNDING_FACTOR * state.floor:
                    _apply(loop)
                    spread(loop, h)
                    state.rate = 0.0
                    _note(state, h, state.iterated, seen.first)
                    if h > CUT * state.step:  # cut-short steps are few, their errors across joints vanish
                        left = _largest_change(loop) / h * (loop.options.t_end - t)
                        state.rounded += left * left
                    return OK
            if state.own > 0.0:  # the rest may lie in directions where corrections shrink more slowly
                seen = leaving(seen, remaining(math.sqrt(seen.ratio)))
        ended = verdict(seen, enough, 1e-17, HOPELESS_AT_FIRST, LARGEST_CORRECTION)
        if ended == FAILED:
            break
        _apply(loop)
        if ended == OK:
            spread(loop, h)
            state.left = seen.left
            _note(state, h, state.iterated, seen.first)
            return OK
    return _failed(loop, h)


@called(int)
def _failed(loop, h):
    """Returns STALE if better matrices can still be tried, else FAILED."""
    state = loop.state
    state.culprit = worst(loop.stages.du[2], loop.scales.coordinates, loop.plan.n)
    stale = state.fresh == 0.0
    state.h_matrix = 1e300
    if state.own == 0.0 and not stale:
        state.rate = 1.0
        _lose(state, state.iterated + 1.0, h)
        stale = state.own > 0.0
    return STALE if stale else FAILED
