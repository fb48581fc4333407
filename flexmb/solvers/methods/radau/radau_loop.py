"""Radau IIA on the DAE in absolute coordinates: the error of a step, the state at its end, and the compiled loop."""

from __future__ import annotations

from flexmb.kernels.charts import retract
from flexmb.kernels.compilation import called
from flexmb.solvers.march.in_lanes import InLanes, in_lanes, look_at_rows
from flexmb.solvers.methods.radau.error_at_touches import error_of_speeds
from flexmb.solvers.methods.radau.error_of_friction import take_out_error_of_friction
from flexmb.solvers.methods.radau.error_of_spin import with_error_of_spin
from flexmb.solvers.methods.radau.error_of_waves import error_of_waves
from flexmb.solvers.methods.radau.first_guess import begin, begin_still
from flexmb.solvers.methods.radau.radau_coefficients import ERROR, REAL
from flexmb.solvers.methods.radau.radau_newton import correct
from flexmb.solvers.methods.radau.radau_state import NO_RANK
from flexmb.solvers.methods.radau.radau_step import TINY, radau_of
from flexmb.solvers.methods.radau.stages import put, spread
from flexmb.solvers.rows.index_one import norm, speeds_and_accelerations, worst
from flexmb.solvers.rows.singular_value import DEPTH, smallest_singular_value
from flexmb.solvers.statuses import DIVERGED, NO_ROOM, OK
from flexmb.system.accelerations import accelerations
from flexmb.system.evaluation import add_constraint_forces, jacobian_times, residual
from flexmb.system.friction import add_friction
from flexmb.system.linear import solve
from flexmb.system.stacked import copy_parameters

#: No step ends where σ, the smallest singular value of the Jacobian, is below NEAREST of the value at which passages
#: begin (`options.near` of its largest value): a step that would is tried again with NOT_THERE of its size.
NEAREST, NOT_THERE = 0.03, 0.8


@called((float, float))
def local_error(loop, h, t):
    """Estimated errors of the positions and of the speeds [1/s] of a step, both as parts of the error allowed for
    positions; matrices.x keeps the error of each position.

    With  p = Σ E u/h,  s = REAL/h  and the multipliers of the start of the step, the error e of positions and e_v of
    speeds satisfy

        s e − e_v = p,      (s M + D) e_v + K e + Gᵀ e' = M Σ E Δv/h − f₀ − Gᵀ λ₀

    where e_v = s e − p is inserted into the second line. Its terms M p and D p are found as differences of the
    residual. If the error is too large in the first step, or after a rejected step, it is estimated again, with the
    forces at a start that is displaced by e, since fast vibration that the method damps need not be resolved (Hairer
    and Wanner (1991), section IV.8).
    """
    plan, stages, end, motion, work, options, state = (
        loop.plan, loop.stages, loop.end, loop.motion, loop.work, loop.options, loop.state,
    )  # fmt: skip
    n, x, p = plan.n, loop.matrices.x, loop.matrices.b
    s = REAL / h
    residual(plan, loop.scratch, t, motion.q, motion.v, work.zero, work.weights, work.r2)
    for i in range(plan.total):
        end.v[i] = motion.v[i]
    for i in range(n):
        p[i] = (ERROR[0] * stages.u[0, i] + ERROR[1] * stages.u[1, i] + ERROR[2] * stages.u[2, i]) / h
        change = (ERROR[0] * stages.dv[0, i] + ERROR[1] * stages.dv[1, i] + ERROR[2] * stages.dv[2, i]) / h
        end.v[i] = motion.v[i] + p[i]
        end.a[i] = change + motion.a[i] + s * p[i]
    residual(plan, loop.scratch, t, motion.q, end.v, end.a, work.weights, work.r)
    if plan.friction > 0:
        add_friction(plan, loop.scratch, t, motion.q, motion.v, work.zero, motion.lam, work.r2)
        add_friction(plan, loop.scratch, t, motion.q, end.v, work.zero, motion.lam, work.r)
    for i in range(n):
        work.r[i] -= work.r2[i]
    _filter(loop, s, t)
    error = norm(x, loop.scales.coordinates, n) / options.allowed
    state.culprit = worst(x, loop.scales.coordinates, n)
    of_speeds = error_of_speeds(loop, h) / options.allowed
    if error <= 1.0 or (state.rejected_last == 0.0 and state.h_done > 0.0):
        return error, of_speeds
    if plan.friction > 0:  # work.r2 then contains friction, which add_constraint_forces adds too
        residual(plan, loop.scratch, t, motion.q, motion.v, work.zero, work.weights, work.r2)
    add_constraint_forces(plan, loop.scratch, t, motion.q, motion.v, work.zero, motion.lam, work.weights, work.r2)
    for i in range(n):
        work.r[i] += work.r2[i]
        end.v[i] = motion.v[i] + s * x[i] - p[i]
    retract(plan.orientations, n, motion.q, x, end.q)
    residual(plan, loop.scratch, t, end.q, end.v, work.zero, work.weights, work.r2)
    add_constraint_forces(plan, loop.scratch, t, end.q, end.v, work.zero, motion.lam, work.weights, work.r2)
    for i in range(n):
        work.r[i] -= work.r2[i]
    _filter(loop, s, t)
    state.culprit = worst(x, loop.scales.coordinates, n)
    return norm(x, loop.scales.coordinates, n) / options.allowed, of_speeds


@called(None)
def _filter(loop, s, t):
    """Solve for the error e of a step; the right-hand side is in work.r, p in loop.matrices.b."""
    plan, motion, work = loop.plan, loop.motion, loop.work
    n, x = plan.n, loop.matrices.x
    for i in range(n):
        x[i] = work.r[i] / (loop.options.mass * s * s)
    if plan.m > 0:
        for i in range(plan.total):
            work.aux[i] = loop.matrices.b[i] if i < n else 0.0
        work.weights[3] = 0.0
        jacobian_times(plan, loop.scratch, t, motion.q, motion.v, work.zero, work.weights, work.aux, work.g)
        for k in range(plan.m):
            x[n + k] = 0.0 if plan.at_speed[k] < 0 else work.g[k] / s
    solve(plan, loop.matrices.real, x)


@called(None)
def accept(loop, t):
    """Make the end of the step the present state, and keep start and stages of the step for the next first guess."""
    plan, motion, stages, end = loop.plan, loop.motion, loop.stages, loop.end
    for i in range(plan.nq):
        motion.q_before[i] = motion.q[i]
        motion.q[i] = end.q[i]
    for i in range(plan.n):
        motion.v_before[i] = motion.v[i]
        motion.v[i] = end.v[i]
        motion.a[i] = end.a[i]
        for s in range(3):
            motion.u_before[s, i] = stages.u[s, i]
            motion.dv_before[s, i] = stages.dv[s, i]
    for k in range(plan.m):
        motion.lam[k] = end.lam[k]
        for s in range(3):
            motion.lam_before[s, k] = stages.lam[s, k]


@called((int, float))
def arrive(loop, h, t0, t):
    """Find speeds, accelerations and multipliers at the end of the step, whose position is that of the last stage.
    Returns the status, and the part of the step to try instead if its end cannot be used, else 0."""
    plan, state, end, work = loop.plan, loop.state, loop.end, loop.work
    status = take_out_error_of_friction(loop, h, t0) if plan.friction > 0 else OK
    if status == OK:
        put(loop, 2)
        for k in range(plan.m):
            end.lam[k] = loop.motion.lam[k]
        status = speeds_and_accelerations(
            plan, loop.scratch, loop.linear, loop.options.mass, t, end.q, end.v, end.a, end.lam, work
        )  # fmt: skip
    if status != OK:
        return status, 0.5
    state.off, state.rate_off = norm(work.g, loop.scales.rows, plan.m), norm(work.gd, loop.scales.rows, plan.m)
    if plan.m > 0:
        state.sigma = smallest_singular_value(plan, loop.linear, loop.scales.rows, loop.rows, work.x)
        if state.sigma < max(DEPTH, NEAREST * loop.options.near) * loop.watch[1]:
            return OK, NOT_THERE
    return OK, 0.0


@called(bool)
def guess(loop, h):
    """First guess of the stages for Newton's method; returns whether they need corrections."""
    if h < TINY * loop.state.step:
        begin_still(loop, h)
        spread(loop, h)
        return False
    begin(loop, h)
    return True


@called(float)
def next_by(loop, t0, h, error, estimated, of_speeds):
    """The error from which the size of the next step follows: it includes the errors of waves and of spinning bodies
    that steps of this size accumulate until the end of the run."""
    return with_error_of_spin(loop, t0, h, max(error, error_of_waves(loop.options, h, estimated, of_speeds)))


@called(int)
def find_anew(loop, t):
    """Find accelerations and joint forces of the present state from the equations of motion; returns OK, or why
    there are none."""
    state, motion = loop.state, loop.motion
    copy_parameters(loop.plan, loop.stacked)
    status = accelerations(
        loop.plan, loop.scratch, loop.linear, loop.options.mass, t, motion.q, motion.v, motion.a, motion.lam, loop.work,
        0.0, 0.0,
    )  # fmt: skip
    if status == NO_ROOM:
        return NO_ROOM
    if status != OK:
        state.culprit = NO_RANK
        return DIVERGED
    state.polynomial = 0.0
    return OK


advance = radau_of(find_anew, guess, correct, local_error, arrive, accept, next_by=next_by)


@called(None)
def _ready(lane, t, first):
    """Put the position at the start where a step expects that of the step before."""
    loop = lane.loop
    for i in range(loop.motion.q_before.shape[0]):
        loop.motion.q_before[i] = loop.motion.q[i]
    loop.state.step = first
    look_at_rows(lane.start, loop, t)


IN_LANES: InLanes = in_lanes(advance, _ready)
