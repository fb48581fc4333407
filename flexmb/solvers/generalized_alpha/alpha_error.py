"""The error of a step, as a part of that allowed in its time.

The error d = C h² (a₁ − a₀) with C = β − (αf − αm)/2 − 1/6 is filtered with the Newton matrix: the dynamic rows are
M d, the constraint rows G d (velocity rows their own rows of that matrix, times d). Slow motions pass the filter
unchanged, and so do those that constraints and drives prescribe. Of vibration that is too fast for the steps it leaves
about the amplitude, which may be as large as the tolerance: what is not followed of it does not add up from step to
step. All else does. So the error is filtered twice, which leaves nothing of such vibration, and its sum over the steps
is what is allowed.

**Errors of speeds.** Vibration of beams turns back what is wrong in speeds. Where nothing bends it goes on, and d alone
deceives: where one angle is all that moves, its ȧ goes through zero again and again, just where ä is largest. Steps
would grow there as far as they may, and energy would be lost each time. So the error of speeds D h³ ä counts too, with
what comes of it in the time 1/ρ in which the mechanism moves by its own size or a radian; in 1/ω, ω² = |ä|/|a|, if
that is shorter, since accelerations that change at the rate ω turn it back. It is filtered twice too, with zeros in the
constraint rows: what constraints prescribe is no part of it, because speeds are moved onto them.
"""

from __future__ import annotations

import math

from flexmb.kernels.charts import add_turning
from flexmb.kernels.compilation import called
from flexmb.solvers.events.touching import closed
from flexmb.solvers.generalized_alpha.alpha_rounding import hidden_by_rounding
from flexmb.solvers.rows.index_one import norm
from flexmb.system.evaluation import jacobian_times, residual
from flexmb.system.linear import solve


@called(float)
def rate(loop):
    """ρ [1/s], at which the mechanism moves: the largest of |v| and √|a| in units of the model."""
    motion, scale, n = loop.motion, loop.scales.coordinates, loop.plan.n
    return max(norm(motion.v, scale, n), math.sqrt(norm(motion.a, scale, n)))


@called(None)
def _filter(loop, h, t, prescribed):
    """Filter the displacement in work.x, with what constraints have `prescribed` of it or without; work.r are the
    forces at the end of the step."""
    plan, scratch, trial, work, n = loop.plan, loop.scratch, loop.trial, loop.work, loop.plan.n
    x, aux, displacement = work.x, work.aux, work.b
    as_change = 1.0 / (loop.scheme.error * h * h)  # of accelerations, which would swallow a small displacement
    for i in range(plan.total):
        aux[i] = trial.a[i] + as_change * x[i] if i < n else trial.a[i]
        displacement[i] = x[i] if i < n else 0.0
    residual(plan, scratch, t, trial.q, trial.v, aux, work.weights, work.r2)
    if plan.m > 0 and prescribed:
        jacobian_times(plan, scratch, t, trial.q, trial.v, trial.a, work.weights, displacement, work.g)
    for i in range(n):
        x[i] = loop.scheme.on_a / loop.options.mass * (work.r2[i] - work.r[i]) / as_change
    for k in range(plan.m):
        x[n + k] = work.g[k] if prescribed else 0.0
    solve(plan, loop.linear, x)


@called(float)
def _with_speeds(loop, h, t, places):
    """The error of a step whose error of `places` is known, in units of the model; work.r are the forces at its end."""
    n, motion, trial, x, scale = loop.plan.n, loop.motion, loop.trial, loop.work.x, loop.scales.coordinates
    options, last = loop.options, loop.state.h_slope
    error = loop.scheme.speed_error * h * h * h
    time = 1.0 / max(rate(loop), 1.0 / (options.t_end - options.t_start))
    for i in range(n):
        slope, before = (trial.a[i] - motion.a[i]) / h, (motion.a[i] - motion.a_before[i]) / last
        x[i] = error * time * (slope - before) / (0.5 * (h + last))
    speeds, acceleration = math.inf, norm(motion.a, scale, n)
    for _ in range(2):
        if speeds > places:
            _filter(loop, h, t, False)
            size = norm(x, scale, n)
            speeds = min(size, math.sqrt(error * size / time * acceleration))
    return max(places, speeds)


@called(float)
def local_error(loop, h, t):
    """Estimated error of the step as a part of that allowed in its time; the entries of what was estimated last stay in
    work.x."""
    plan, scratch, scheme, options, state = loop.plan, loop.scratch, loop.scheme, loop.options, loop.state
    motion, trial, work = loop.motion, loop.trial, loop.work
    n, m = plan.n, plan.m
    r, r2, x, aux = work.r, work.r2, work.x, work.aux
    residual(plan, scratch, t, trial.q, trial.v, trial.a, work.weights, r)
    for i in range(plan.total):
        aux[i] = 2.0 * trial.a[i] - motion.a[i]
    if plan.orientations.shape[0] > 0:
        add_turning(plan.orientations, -h / scheme.error, motion.a, motion.v, aux)
    residual(plan, scratch, t, trial.q, trial.v, aux, work.weights, r2)
    for i in range(n):
        x[i] = scheme.on_a / options.mass * scheme.error * h * h * (r2[i] - r[i])
    if m > 0:
        for i in range(plan.total):
            aux[i] = scheme.error * h * h * (trial.a[i] - motion.a[i])
        if plan.orientations.shape[0] > 0:
            add_turning(plan.orientations, -h * h * h, motion.a, motion.v, aux)
        jacobian_times(plan, scratch, t, trial.q, trial.v, trial.a, work.weights, aux, work.g)
        for k in range(m):
            x[n + k] = work.g[k]
    solve(plan, loop.linear, x)
    state.hidden = 0.0
    once = norm(x, loop.scales.coordinates, n)
    if once > options.tolerance:
        return once / options.tolerance
    if closed(loop.crossings):
        return once / (options.allowed * h)
    _filter(loop, h, t, True)
    places = norm(x, loop.scales.coordinates, n)
    hidden = hidden_by_rounding(loop, options.allowed * h)
    if hidden > 0.0:
        state.hidden = 1.0
        return max(places - hidden, 0.0) / (options.allowed * h)
    if options.rigid == 1 and state.curves >= 1.0:  # before, second differences know nothing of ä
        return _with_speeds(loop, h, t, places) / (options.allowed * h)
    return places / (options.allowed * h)


@called(float)
def carried_error(loop, h, t):
    """Roughly what the error of a fixed step that ends at t becomes until the end of the run, in units of the model. It
    costs little: errors are not filtered. Those of speeds go on until the end; those of positions grow by as much as
    the mechanism moves until then, at its present rate."""
    motion, trial, scale, scheme, n = loop.motion, loop.trial, loop.scales.coordinates, loop.scheme, loop.plan.n
    left, last, change = max(loop.options.t_end - t, 0.0), loop.state.h_slope, loop.work.aux
    for i in range(loop.plan.total):
        change[i] = scheme.error * h * h * (trial.a[i] - motion.a[i])
    add_turning(loop.plan.orientations, -h * h * h, motion.a, motion.v, change)
    carried = (1.0 + rate(loop) * left) * norm(change, scale, n)
    if loop.state.curves >= 1.0 and last > 0.0:
        for i in range(n):
            slope, before = (trial.a[i] - motion.a[i]) / h, (motion.a[i] - motion.a_before[i]) / last
            change[i] = scheme.speed_error * h * h * h * (slope - before) / (0.5 * (h + last))
        carried += left * norm(change, scale, n)
    return carried


@called(float)
def jump_of_forces(loop, h):
    """The error of the step, unfiltered, as a part of that allowed in its time: where it is small, the step is short
    against all that forces do in it, a touch too."""
    motion, trial, change, n = loop.motion, loop.trial, loop.work.aux, loop.plan.n
    for i in range(loop.plan.total):
        change[i] = loop.scheme.error * h * h * (trial.a[i] - motion.a[i])
    add_turning(loop.plan.orientations, -h * h * h, motion.a, motion.v, change)
    return norm(change, loop.scales.coordinates, n) / (loop.options.allowed * h)
