"""The compiled loop of Radau IIA on the reduced equations: from stop to stop, a step at a time."""

from __future__ import annotations

import math

from flexmb.kernels.charts import LARGEST as LARGEST_CHART
from flexmb.kernels.compilation import allocation_free, called
from flexmb.solvers.crossings import AGAIN, judge, keep_end, watch_from
from flexmb.solvers.independent.equations import (
    arrive,
    complete,
    keep_joints,
)
from flexmb.solvers.independent.radau_error import local_error
from flexmb.solvers.independent.radau_step import (
    at_start,
    begin,
    correct,
    extrapolate,
    forget,
)
from flexmb.solvers.left_out import CONTRADICT, FADE, check_left_out
from flexmb.solvers.passage import DEPTH, NEAR, approaches, leads_deep
from flexmb.solvers.radau.loop import LEAST_FACTOR, SAFETY, next_step, next_stop, propose, reject, together
from flexmb.solvers.radau.newton import CONVERGED, FAILED, NO_SPACE
from flexmb.solvers.radau.start import REACH
from flexmb.solvers.radau.state import NO_RANK
from flexmb.solvers.radau.touches import error_at_touch, error_of_rubbing, error_through_touch
from flexmb.solvers.segments import (
    COMMANDED,
    DIVERGED,
    DONE,
    EVENT,
    OUT_OF_ROOM,
    PASSAGE_DUE,
    ROWS_CONTRADICT,
    ROWS_FADE,
    RUNNING,
    TOO_FAST,
    act,
    behind_kink,
    save_row,
)
from flexmb.solvers.touching import from_touch, goes_through, misses
from flexmb.system.linear import NO_ROOM, OK

#: how a segment may end besides: another partition is asked for
WORN = 11


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
    state.fading = 1.0 if found == FADE else 0.0
    state.drift = max(state.drift, e.found.drift)
    state.velocity_drift = max(state.velocity_drift, e.found.rate_drift)
    propose(loop, h, error)
    _accept(loop, h, t)
    return RUNNING


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
    state.polynomial = state.unsaved = state.at_start = 1.0
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


@allocation_free
def advance(loop, saved):
    """Step until t_end, or until the rows of `saved` are full, one for each step; (status, rows filled). Where the
    commands of controllers change, the rates are found anew, and J serves on."""
    state, e, motion = loop.state, loop.equations, loop.motion
    rows, constrained, watched = 0, e.closing.plan.m > 0, loop.crossings
    controlled = loop.sampling.controllers.shape[0] > 0
    while True:
        t = state.time
        if state.anew > 0.0:
            state.at_start = 0.0
            status = at_start(loop, t)
            if status == OK:
                status = complete(e, t)
            if status != OK:
                state.culprit = NO_RANK
                return OUT_OF_ROOM if status == NO_ROOM else DIVERGED, rows
            _reach(loop)
            state.anew = state.polynomial = 0.0
            if watched.side.shape[0] > 0:
                watch_from(
                    watched, e.closing.plan, e.closing.scratch, t, motion.q, motion.v, motion.a, motion.lam,
                    state.step,
                )  # fmt: skip
        if watched.state.events > 0.0:
            watched.state.events = 0.0
            return EVENT, rows
        if rows == saved.t.shape[0]:
            return RUNNING, rows
        if state.unsaved > 0.0:
            save_row(e.closing.plan, t, motion.q, motion.v, motion.a, motion.lam, saved, rows)
            state.unsaved = 0.0
            rows += 1
            continue
        if t >= loop.options.t_end:
            return DONE, rows
        behind = behind_kink(loop.kinks, t, loop.options.t_end)
        if watched.state.hop > 0.0:
            behind = t + watched.state.hop
            for k in range(motion.x.shape[0]):
                motion.x[k] += watched.state.hop * motion.rates[k]
            watched.state.hop = 0.0
        if behind > t:
            e.since[0] = state.time = behind
            state.anew = state.unsaved = state.aged = 1.0
            continue
        if controlled:
            happened = act(
                e.closing.plan, e.closing.scratch, loop.sampling, t, together(loop, t), motion.q, motion.v, motion.a,
                motion.lam, e.closing.work.weights,
            )  # fmt: skip
            if happened == COMMANDED:
                state.anew = 1.0
                continue
            if happened != RUNNING:
                return happened, rows
        status = _step(loop)
        if state.unsaved > 0.0:
            save_row(e.closing.plan, state.time, motion.q, motion.v, motion.a, motion.lam, saved, rows)
            state.unsaved = 0.0
            rows += 1
            if state.fading > 0.0:
                return ROWS_FADE, rows
            if constrained and not controlled and approaches(loop.watch, e.found.sigma):
                return PASSAGE_DUE, rows
            if constrained and _is_worn(loop):
                return WORN, rows
        if status != RUNNING:
            return status, rows
