"""The steps of Radau IIA, and its loop."""

from __future__ import annotations

import math

from flexmb.kernels.charts import retract
from flexmb.kernels.compilation import called
from flexmb.solvers.events.crossings import AGAIN, KEEP, judge, keep_end
from flexmb.solvers.events.touching import from_touch, goes_through, misses
from flexmb.solvers.march.march_loop import march_of, next_stop
from flexmb.solvers.march.stops import (
    DIVERGED,
    OUT_OF_ROOM,
    PASSAGE_DUE,
    ROWS_CONTRADICT,
    ROWS_FADE,
    RUNNING,
    TOO_FAST,
)
from flexmb.solvers.radau.error_at_touches import error_at_touch, error_of_rubbing, error_of_speeds, error_through_touch
from flexmb.solvers.radau.error_of_friction import take_out_error_of_friction
from flexmb.solvers.radau.error_of_spin import with_error_of_spin
from flexmb.solvers.radau.error_of_waves import error_of_waves
from flexmb.solvers.radau.first_guess import begin, begin_still
from flexmb.solvers.radau.radau_coefficients import ERROR, REAL
from flexmb.solvers.radau.radau_newton import CONVERGED, FAILED, NO_SPACE, correct
from flexmb.solvers.radau.radau_state import NO_RANK
from flexmb.solvers.radau.stages import put, spread
from flexmb.solvers.rows.index_one import norm, speeds_and_accelerations, worst
from flexmb.solvers.rows.left_out import CONTRADICT, FADE, check_left_out
from flexmb.solvers.rows.passage import DEPTH, approaches, smallest_singular_value
from flexmb.system.accelerations import accelerations
from flexmb.system.evaluation import add_constraint_forces, jacobian_times, residual
from flexmb.system.friction import add_friction
from flexmb.system.linear import NO_ROOM, OK, solve
from flexmb.system.stacked import copy_parameters

#: largest turn of any angle in one step [rad], so that a mechanism cannot jump to another way of being assembled, and
#: charts of orientations do not come to their end
LARGEST_TURN = 1.0
#: The error may shorten or lengthen the next step at most by the first two factors. Up to the third the step stays as
#: it is, because a new step needs new matrices.
LEAST_FACTOR, LARGEST_FACTOR, NO_CHANGE = 0.125, 5.0, 1.2
#: a step is chosen shorter than the error asks for, by this factor and the more the more iterations it took
SAFETY = 0.9
#: After a step with MANY iterations, steps grow only so far that corrections shrink to FAST_ENOUGH: where stiff members
#: turn, their factor grows with h².
MANY, FAST_ENOUGH = 4, 0.25
#: No step ends where σ is below this part of what is near a singular position; it ends earlier, by the second factor.
NEAREST, NOT_THERE = 0.03, 0.8
#: Steps that are shorter than this part of what their error allows, since two things happen at nearly the same time, go
#: on with the accelerations of their start: positions, rounded and divided by h², would be in the joints' forces.
TINY = 1e-5


@called((float, float))
def next_step(loop, stop):
    """The step from here that goes to `stop` or towards it; (size, time at its end). The size is 0 when angles turn so
    fast that the step would have to be shorter than is allowed."""
    options, state, motion, turning = loop.options, loop.state, loop.motion, loop.scales.turning
    t = state.time
    left, h = stop - t, state.step
    longest = min(h, left)
    fastest = 0.0
    for i in range(len(turning)):
        if turning[i]:
            fastest = max(fastest, abs(motion.v[i]) + 0.5 * longest * abs(motion.a[i]))
    if longest * fastest > LARGEST_TURN:
        now = 0.0
        for i in range(len(turning)):
            if turning[i] and abs(motion.v[i]) > now:
                now = abs(motion.v[i])
                state.culprit = i
        if LARGEST_TURN < options.shortest * now:
            return 0.0, t
        h = min(h, max(LARGEST_TURN / fastest, options.shortest))  # the accelerations of a vibration change soon
    if h > left * (1.0 - 1e-9):
        return left, stop
    if h > 0.5 * left:
        h = 0.5 * left  # two equal steps instead of a long and a tiny one
    return h, t + h


@called((float, float))
def _local_error(loop, h, t):
    """Estimated error of the positions of a step, as a part of the error allowed, and of its speeds [1/s] as parts of
    the same; the entries of the first stay in stages.x.

    With  p = Σ E u/h,  s = REAL/h  and the multipliers of the start, of the two lines

        s e − e_v = p,      (s M + D) e_v + K e + Gᵀ e' = M Σ E Δv/h − f₀ − Gᵀ λ₀

    the second takes s e − p in the place of e_v. What it says of M and of D p are differences of the residual. Where
    the error is too large at first, or after a step that was rejected, it is judged once more by the forces of a start
    that it moves, since fast vibration that the method damps is not to be followed (Hairer and Wanner (1991), section
    IV.8).
    """
    plan, stages, motion, work, options, state = (
        loop.plan, loop.stages, loop.motion, loop.work, loop.options, loop.state,
    )  # fmt: skip
    n, x, p = plan.n, stages.x, stages.b
    s = REAL / h
    residual(plan, loop.scratch, t, motion.q, motion.v, work.zero, work.weights, work.r2)
    for i in range(plan.total):
        stages.v[i] = motion.v[i]
    for i in range(n):
        p[i] = (ERROR[0] * stages.u[0, i] + ERROR[1] * stages.u[1, i] + ERROR[2] * stages.u[2, i]) / h
        change = (ERROR[0] * stages.dv[0, i] + ERROR[1] * stages.dv[1, i] + ERROR[2] * stages.dv[2, i]) / h
        stages.v[i] = motion.v[i] + p[i]
        stages.acceleration[i] = change + motion.a[i] + s * p[i]
    residual(plan, loop.scratch, t, motion.q, stages.v, stages.acceleration, work.weights, work.r)
    if plan.friction > 0:
        add_friction(plan, loop.scratch, t, motion.q, motion.v, work.zero, motion.lam, work.r2)
        add_friction(plan, loop.scratch, t, motion.q, stages.v, work.zero, motion.lam, work.r)
    for i in range(n):
        work.r[i] -= work.r2[i]
    _filter(loop, s, t)
    error = norm(x, loop.scales.coordinates, n) / options.allowed
    of_speeds = error_of_speeds(loop, h) / options.allowed
    if error <= 1.0 or (state.rejected_last == 0.0 and state.h_done > 0.0):
        return error, of_speeds
    if plan.friction > 0:  # which comes with the constraint forces
        residual(plan, loop.scratch, t, motion.q, motion.v, work.zero, work.weights, work.r2)
    add_constraint_forces(plan, loop.scratch, t, motion.q, motion.v, work.zero, motion.lam, work.weights, work.r2)
    for i in range(n):
        work.r[i] += work.r2[i]
        stages.v[i] = motion.v[i] + s * x[i] - p[i]
    retract(plan.orientations, n, motion.q, x, stages.q)
    residual(plan, loop.scratch, t, stages.q, stages.v, work.zero, work.weights, work.r2)
    add_constraint_forces(plan, loop.scratch, t, stages.q, stages.v, work.zero, motion.lam, work.weights, work.r2)
    for i in range(n):
        work.r[i] -= work.r2[i]
    _filter(loop, s, t)
    return norm(x, loop.scales.coordinates, n) / options.allowed, of_speeds


@called(None)
def _filter(loop, s, t):
    """Solve for the error of a step, with the right-hand side in work.r, and p in stages.b."""
    plan, stages, motion, work = loop.plan, loop.stages, loop.motion, loop.work
    n, x = plan.n, stages.x
    for i in range(n):
        x[i] = work.r[i] / (loop.options.mass * s * s)
    if plan.m > 0:
        for i in range(plan.total):
            work.aux[i] = stages.b[i] if i < n else 0.0
        work.weights[3] = 0.0
        jacobian_times(plan, loop.scratch, t, motion.q, motion.v, work.zero, work.weights, work.aux, work.g)
        for k in range(plan.m):
            x[n + k] = 0.0 if plan.at_speed[k] < 0 else work.g[k] / s
    solve(plan, loop.real, x)


@called(None)
def propose(loop, h, error):
    """Propose the size of the next step, from the errors of this one and of the one before (Gustafsson (1994))."""
    options, state = loop.options, loop.state
    if h < TINY * state.step:
        return  # it ended at once, where something happens, and its error says nothing of longer ones
    error = max(error, 1e-10)
    safety = SAFETY * (2.0 * options.iterations + 1.0) / (2.0 * options.iterations + state.iterated)
    factor = safety * error**-0.25
    if state.last_error > 0.0 and state.rejected_last == 0.0:
        factor = min(factor, SAFETY * h / state.h_done * (state.last_error / (error * error)) ** 0.25)
    if factor >= 1.0 and h < 0.99 * state.step:
        state.rejected_last = 0.0
        return  # the step was cut short by a given time, so its error is no reason to change the proposed size
    if factor > 1.0 and state.last_error > 0.0 and state.rejected_last == 0.0:
        # the error goes up and down with a vibration; what was enough twice may be too much where it goes up again
        factor = max(min(factor, safety * (error * state.last_error) ** -0.125), 1.0)
    state.last_error = max(error, 1e-2)
    factor = min(max(factor, LEAST_FACTOR), LARGEST_FACTOR)
    if state.iterated >= MANY and state.rate > 0.0:
        factor = min(factor, max(1.0, math.sqrt(FAST_ENOUGH / state.rate)))
    if state.rejected_last > 0.0:
        factor = min(factor, 1.0)
    state.rejected_last = 0.0
    state.step = min(h * (1.0 if 1.0 <= factor <= NO_CHANGE else factor), options.longest)


@called(int)
def reject(loop, h, step, culprit):
    """Try again with another step; RUNNING, or DIVERGED if none that is shorter is allowed."""
    options, state = loop.options, loop.state
    loop.counts.rejected += 1
    state.rejected_last = 1.0
    if h <= options.shortest:
        state.culprit = culprit
        return DIVERGED
    state.step = max(step, options.shortest)
    return RUNNING


@called(None)
def _accept(loop, h, t):
    """Move to the end of the step, whose state is in `stages`."""
    plan, state, motion, stages = loop.plan, loop.state, loop.motion, loop.stages
    for i in range(plan.nq):
        motion.q_before[i] = motion.q[i]
        motion.q[i] = stages.q[i]
    for i in range(plan.n):
        motion.v_before[i] = motion.v[i]
        motion.v[i] = stages.v[i]
        motion.a[i] = stages.acceleration[i]
        for s in range(3):
            motion.u_before[s, i] = stages.u[s, i]
            motion.dv_before[s, i] = stages.dv[s, i]
    for k in range(plan.m):
        for s in range(3):
            motion.lam_before[s, k] = stages.lam[s, k]
    state.time = t
    state.h_done = h
    state.polynomial = 1.0
    state.unsaved = 1
    loop.counts.steps += 1


@called(int)
def _keep(loop, h, t0, t):
    """Keep a step if its error is small enough, and choose the next one; how the segment goes on."""
    plan, options, state, motion, stages, work = (
        loop.plan, loop.options, loop.state, loop.motion, loop.stages, loop.work,
    )  # fmt: skip
    estimated, of_speeds = _local_error(loop, h, t0)
    error = max(estimated, error_of_rubbing(plan, options, state, t0, t, of_speeds))
    if not error <= 1.0:
        factor = max(LEAST_FACTOR, SAFETY * error**-0.25)
        return reject(loop, h, factor * h, worst(stages.x, loop.scales.coordinates, plan.n))
    status = take_out_error_of_friction(loop, h, t0) if plan.friction > 0 else OK
    q, v, a, scale = stages.q, stages.v, stages.acceleration, loop.scales.coordinates
    if status == OK:
        put(loop, 2)
        status = speeds_and_accelerations(
            plan, loop.scratch, loop.linear, options.mass, t, q, v, a, motion.lam, work
        )  # fmt: skip
    if status == NO_ROOM:
        return OUT_OF_ROOM
    if status != OK:
        return reject(loop, h, 0.5 * h, NO_RANK)
    sigma = -1.0
    if plan.m > 0:
        sigma = smallest_singular_value(plan, loop.linear, loop.scales.rows, loop.rows, work.x)
        if sigma < max(DEPTH, NEAREST * options.near) * loop.watch[1]:
            return reject(loop, h, NOT_THERE * h, NO_RANK)
    drift = norm(work.g, loop.scales.rows, plan.m)
    state.drift = max(state.drift, drift)
    state.velocity_drift = max(state.velocity_drift, norm(work.gd, loop.scales.rows, plan.m))
    fades = False
    if loop.left_out.weights.shape[0] > 0:
        found = check_left_out(
            loop.left_out, plan, loop.scratch, loop.linear, t, stages.q, stages.v, loop.scales.coordinates,
            loop.scales.rows, drift,
        )  # fmt: skip
        if found == CONTRADICT:
            return ROWS_CONTRADICT
        fades = found == FADE
    watched = loop.crossings
    if watched.switches > 0:
        apart = from_touch(watched, plan, loop.scratch, t0, t, q, v, a, motion.lam)
        error = max(error, error_at_touch(options, t0, t, apart, of_speeds))
        if misses(watched, h, motion.v, motion.a, v, a, scale, plan.n, options.allowed * options.slowest):
            error = math.inf
    if watched.side.shape[0] > 0:
        ended = KEEP
        if error <= 1.0:
            ended = judge(watched, plan, loop.scratch, t0, t, q, v, a, motion.lam, False)
            if ended == KEEP and goes_through(watched):
                error = max(error, error_through_touch(options, scale, plan.n, t0, t, motion.a, a))
        if ended == AGAIN or error > 1.0:
            for k in range(plan.m):
                motion.lam[k] = watched.lam[k]
        if error > 1.0:
            factor = max(LEAST_FACTOR, SAFETY * error**-0.25)
            return reject(loop, h, factor * h, worst(stages.x, loop.scales.coordinates, plan.n))
        if ended == AGAIN:
            loop.counts.rejected += 1
            return RUNNING
        keep_end(watched, plan, motion.lam)
    propose(loop, h, with_error_of_spin(loop, t0, h, max(error, error_of_waves(options, h, estimated, of_speeds))))
    _accept(loop, h, t)
    if sigma >= 0.0 and loop.sampling.controllers.shape[0] == 0:
        if approaches(loop.watch, sigma) and sigma < options.near * loop.watch[1]:
            state.due = PASSAGE_DUE
    if fades:
        state.due = ROWS_FADE
    return RUNNING


@called(int)
def _step(loop):
    """Predict, correct, estimate the error, keep; RUNNING, whether or not the step was kept, or why none can be."""
    state = loop.state
    t = state.time
    h, t1 = next_step(loop, next_stop(loop))
    if h <= 0.0:
        return TOO_FAST
    if h < TINY * state.step:
        begin_still(loop, h)
        spread(loop, h)
        return _keep(loop, h, t, t1)
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
    """Find accelerations and joint forces of the present state anew; RUNNING, or why there are none."""
    state, motion = loop.state, loop.motion
    copy_parameters(loop.plan, loop.stacked)
    status = accelerations(
        loop.plan, loop.scratch, loop.linear, loop.options.mass, t, motion.q, motion.v, motion.a, motion.lam, loop.work,
        0.0, 0.0,
    )  # fmt: skip
    if status == NO_ROOM:
        return OUT_OF_ROOM
    if status != OK:
        state.culprit = NO_RANK
        return DIVERGED
    state.polynomial = 0.0
    return RUNNING


advance = march_of(_find_anew, _step)
