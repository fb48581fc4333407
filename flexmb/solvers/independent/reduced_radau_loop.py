"""The steps of Radau IIA on the reduced equations, and its loop."""

from __future__ import annotations

import math

from flexmb.kernels.charts import LARGEST as LARGEST_CHART
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.events.crossings import AGAIN, judge, keep_end
from flexmb.solvers.events.touching import from_touch, goes_through, misses
from flexmb.solvers.independent.reduced_equations import (
    arrive,
    complete,
    keep_joints,
)
from flexmb.solvers.independent.reduced_radau_error import local_error
from flexmb.solvers.independent.reduced_radau_step import (
    at_start,
    begin,
    correct,
    extrapolate,
    forget,
)
from flexmb.solvers.march.clock import AT_COMMAND
from flexmb.solvers.march.march_loop import march_of, next_stop
from flexmb.solvers.march.stops import (
    DIVERGED,
    OUT_OF_ROOM,
    PASSAGE_DUE,
    ROWS_CONTRADICT,
    ROWS_FADE,
    RUNNING,
    TOO_FAST,
    WORN,
)
from flexmb.solvers.radau.error_at_touches import error_at_touch, error_of_rubbing, error_through_touch
from flexmb.solvers.radau.first_guess import REACH
from flexmb.solvers.radau.radau_loop import LEAST_FACTOR, SAFETY, next_step, propose, reject
from flexmb.solvers.radau.radau_newton import CONVERGED, FAILED, NO_SPACE
from flexmb.solvers.radau.radau_state import NO_RANK
from flexmb.solvers.rows.left_out import CONTRADICT, FADE, check_left_out
from flexmb.solvers.rows.passage import DEPTH, NEAR, approaches, leads_deep
from flexmb.system.linear import NO_ROOM, OK


@called(bool)
def _is_worn(loop):
    """Whether other independent coordinates, or another chart, are to be asked for."""
    e, quality = loop.equations, loop.quality
    near = e.found.sigma < NEAR * loop.watch[1]  # all partitions fade there
    worn = e.found.of_positions < quality[0] or e.found.of_speeds < quality[1] or e.found.stretch > quality[2]
    if worn and not near:
        return True
    partial, y = e.carried.chart.partial, e.carried.chart.y
    for k in range(partial.shape[0]):
        i = partial[k, 0]
        if y[i] ** 2 + y[i + 1] ** 2 + y[i + 2] ** 2 > LARGEST_CHART**2:
            return True
    return False


@called(int)
def _keep(loop, h, t0, t):
    """Keep a step if its error is small enough, and choose the next one; how the segment goes on."""
    e, state, motion, stages, watch = loop.equations, loop.state, loop.motion, loop.stages, loop.watch
    plan = e.closing.plan
    error, of_speeds = local_error(loop, h, t0)
    error = max(error, error_of_rubbing(plan, loop.options, state, t0, t, of_speeds))
    if not error <= 1.0:
        factor = max(LEAST_FACTOR, SAFETY * error**-0.25)
        return reject(loop, h, factor * h, state.culprit)
    for k in range(motion.x.shape[0]):
        e.x[k] = motion.x[k] + stages.z[2, k]
    state.at_start = 0.0
    status = arrive(e, t)
    if status == NO_ROOM:
        return OUT_OF_ROOM
    if status != OK:
        forget(loop)
        return reject(loop, h, 0.5 * h, NO_RANK)
    sigma = e.found.sigma
    if plan.m > 0 and (sigma < DEPTH * watch[1] or (e.found.leapt > 0.0 and sigma < NEAR * watch[1])):
        return reject(loop, h, 0.5 * h, NO_RANK)
    if plan.m > 0 and state.rejected_last == 0.0 and leads_deep(watch, sigma):
        return reject(loop, h, 0.8 * h, NO_RANK)
    found = 0
    if loop.left_out.weights.shape[0] > 0:
        found = check_left_out(
            loop.left_out, plan, e.closing.scratch, e.closing.linear, t, e.q, e.v, loop.scales.coordinates,
            loop.scales.rows, e.found.drift,
        )  # fmt: skip
        if found == CONTRADICT:
            return ROWS_CONTRADICT
    watched = loop.crossings
    options, scale = loop.options, loop.scales.coordinates
    if watched.switches > 0:
        apart = from_touch(watched, plan, e.closing.scratch, t0, t, e.q, e.v, e.a, e.lam)
        error = max(error, error_at_touch(options, t0, t, apart, of_speeds))
        if misses(watched, h, motion.v, motion.a, e.v, e.a, scale, plan.n, options.allowed * options.slowest):
            error = math.inf
    if watched.side.shape[0] > 0 and error <= 1.0:
        if judge(watched, plan, e.closing.scratch, t0, t, e.q, e.v, e.a, e.lam, False) == AGAIN:
            loop.counts.rejected += 1
            return RUNNING
        if goes_through(watched):
            error = max(error, error_through_touch(options, scale, plan.n, t0, t, motion.a, e.a))
    if error > 1.0:
        return reject(loop, h, max(LEAST_FACTOR, SAFETY * error**-0.25) * h, state.culprit)
    if watched.side.shape[0] > 0:
        keep_end(watched, plan, e.lam)
    state.drift = max(state.drift, e.found.drift)
    state.velocity_drift = max(state.velocity_drift, e.found.rate_drift)
    propose(loop, h, error)
    _accept(loop, h, t)
    _look_ahead(loop, found)
    return RUNNING


@called(None)
def _look_ahead(loop, found):
    """Let the segment end at the present state where rows are `found` to fade, a singular position is near, or the
    partition is worn."""
    if loop.equations.closing.plan.m == 0:
        return
    if found == FADE:
        loop.state.due = ROWS_FADE
    elif loop.sampling.controllers.shape[0] == 0 and approaches(loop.watch, loop.equations.found.sigma):
        loop.state.due = PASSAGE_DUE
    elif _is_worn(loop):
        loop.state.due = WORN


@called(None)
def _accept(loop, h, t):
    """Move to the end of the step, which is what the equations were evaluated at last."""
    e, state, motion, stages = loop.equations, loop.state, loop.motion, loop.stages
    _reach(loop)
    for k in range(motion.x.shape[0]):
        motion.x[k] = e.x[k]
        for s in range(3):
            motion.before[s, k] = stages.z[s, k]
    e.since[0] = state.time = t
    state.h_done = h
    state.polynomial = state.at_start = 1.0
    state.unsaved = 1
    loop.counts.steps += 1


@called(None)
def _reach(loop):
    """Make what was evaluated last the present state."""
    e, motion = loop.equations, loop.motion
    plan = e.closing.plan
    for i in range(plan.nq):
        motion.q[i] = e.q[i]
    for i in range(plan.n):
        motion.v[i] = e.v[i]
        motion.a[i] = e.a[i]
    for k in range(plan.m):
        motion.lam[k] = e.lam[k]
    for k in range(motion.x.shape[0]):
        motion.rates[k] = e.rates[k]
    keep_joints(e)


@called(int)
def _step(loop):
    """Predict, correct, estimate the error, keep; RUNNING, whether or not the step was kept, or why none can be."""
    state = loop.state
    t = state.time
    h, t1 = next_step(loop, next_stop(loop))
    if h <= 0.0:
        return TOO_FAST
    if h < REACH * state.h_done and state.polynomial > 0.0:
        extrapolate(loop, h)
    else:
        begin(loop, h)
    ended = correct(loop, h, t)
    if ended == CONVERGED:
        return _keep(loop, h, t, t1)
    if ended == NO_SPACE:
        return OUT_OF_ROOM
    if ended == FAILED:
        state.polynomial = 0.0
        return reject(loop, h, 0.5 * h, state.culprit)
    return RUNNING


@called(int)
def _find_anew(loop, t):
    """Find the rates of the present state anew; J serves on where only commands have changed. RUNNING, or why there are
    none."""
    state, e = loop.state, loop.equations
    e.since[0] = t
    if state.anew != AT_COMMAND:
        state.aged = 1.0
    state.at_start = 0.0
    status = at_start(loop, t)
    if status == OK:
        status = complete(e, t)
    if status != OK:
        state.culprit = NO_RANK
        return OUT_OF_ROOM if status == NO_ROOM else DIVERGED
    _reach(loop)
    state.polynomial = 0.0
    return RUNNING


@inlined
def _over(loop, t):
    """Carry the motion over a touch, by the rates of what is carried; the time behind it."""
    hop = loop.crossings.state.hop
    loop.crossings.state.hop = 0.0
    for k in range(loop.motion.x.shape[0]):
        loop.motion.x[k] += hop * loop.motion.rates[k]
    return t + hop


advance = march_of(_find_anew, _step, over=_over)
