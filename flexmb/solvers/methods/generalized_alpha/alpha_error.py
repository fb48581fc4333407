"""Error of a step, as a part of the error allowed for a step of its size.

The error d = C h² (a₁ − a₀) with C = β − (αf − αm)/2 − 1/6 is filtered with the Newton matrix: the dynamic rows are
M d, the constraint rows G d (velocity rows: their row of that matrix times d). The filter leaves slow motion unchanged,
and motion that constraints and drives prescribe. It reduces the error of vibration that is too fast for the steps to
about its amplitude, which must be below the tolerance; this error does not add up from step to step. All other errors
do. So the error is filtered twice, which removes such vibration, and its sum over all steps of the run is bounded.

**Errors of speeds.** In a vibrating beam an error of a speed oscillates and cancels. In a mechanism of rigid bodies it
persists, and d alone is misleading: if a single angle moves, its ȧ passes through zero periodically, just where ä is
largest. There the steps would grow to their limit, and the run would lose energy each time. So for rigid bodies the
error of speeds D h³ ä is included, as the displacement that it causes in the time 1/ρ in which the mechanism moves by
its own size or a radian; in 1/ω, ω² = |ä|/|a|, if that is shorter, since it reverses when accelerations change at the
rate ω. It is filtered twice as well, with zeros in the constraint rows, because speeds are projected onto the
constraints.
"""

from __future__ import annotations

import math

from flexmb.kernels.charts import add_turning
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.events.touching import closed
from flexmb.solvers.march.step_size import carried_to_end, rate
from flexmb.solvers.methods.generalized_alpha.alpha_rounding import hidden_by_rounding
from flexmb.solvers.rows.index_one import norm
from flexmb.system.evaluation import jacobian_times, residual
from flexmb.system.linear import solve


@inlined
def _of_positions(loop, h, error):
    """Fill `error` (total,) with C h² (a₁ − a₀), and with what the turning of axes adds to it."""
    motion, trial, orientations = loop.motion, loop.trial, loop.plan.orientations
    for i in range(loop.plan.total):
        error[i] = loop.scheme.error * h * h * (trial.a[i] - motion.a[i])
    if orientations.shape[0] > 0:
        add_turning(orientations, -h * h * h, motion.a, motion.v, error)


@inlined
def _of_speeds(loop, h, time, error):
    """Fill `error` (n,) with the displacement that the error D h³ ä of the speeds causes in a `time`."""
    motion, trial, last = loop.motion, loop.trial, loop.state.h_slope
    factor = loop.scheme.speed_error * h * h * h * time
    for i in range(loop.plan.n):
        slope, before = (trial.a[i] - motion.a[i]) / h, (motion.a[i] - motion.a_before[i]) / last
        error[i] = factor * (slope - before) / (0.5 * (h + last))


@called(None)
def _filter(loop, h, t, prescribed):
    """Filter the displacement in work.x by the Newton matrix; `prescribed`: with G d in the constraint rows, else with
    zeros. work.r holds the forces at the end of the step."""
    plan, scratch, trial, work, n = loop.plan, loop.scratch, loop.trial, loop.work, loop.plan.n
    x, aux, displacement = work.x, work.aux, work.b
    as_change = 1.0 / (loop.scheme.error * h * h)  # to the size of a, in whose round-off it would be lost
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
    """The larger of the error of positions, `places`, and the displacement due to the error of speeds, in units of the
    scales; work.r holds the forces at the end of the step."""
    n, motion, options, x, scale = loop.plan.n, loop.motion, loop.options, loop.work.x, loop.scales.coordinates
    error = loop.scheme.speed_error * h * h * h
    time = 1.0 / max(rate(motion, scale, n), 1.0 / (options.t_end - options.t_start))
    _of_speeds(loop, h, time, x)
    speeds, acceleration = math.inf, norm(motion.a, scale, n)
    for _ in range(2):
        if speeds > places:
            _filter(loop, h, t, False)
            size = norm(x, scale, n)
            speeds = min(size, math.sqrt(error * size / time * acceleration))
    return max(places, speeds)


@called(float)
def local_error(loop, h, t):
    """Estimated error of a step that ends at t, as a part of the error allowed for a step of its size. Where something
    touches, the error is filtered once only, since a contact force that is too fast for the steps does not oscillate
    about a mean, but throws bodies back. work.x keeps the entries of the last estimate."""
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
        _of_positions(loop, h, aux)
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
    if options.rigid == 1 and state.curves >= 1.0:  # in the first steps second differences are no estimate of ä
        return _with_speeds(loop, h, t, places) / (options.allowed * h)
    return places / (options.allowed * h)


@called(float)
def carried_error(loop, h, t):
    """Rough estimate of the displacement at the end of the run, in units of the scales, due to the error of a fixed
    step that ends at t. Errors are not filtered, to save time."""
    scale, n, change = loop.scales.coordinates, loop.plan.n, loop.work.aux
    _of_positions(loop, h, change)
    places, speeds = norm(change, scale, n), 0.0
    if loop.state.curves >= 1.0 and loop.state.h_slope > 0.0:
        _of_speeds(loop, h, 1.0, change)
        speeds = norm(change, scale, n)
    return carried_to_end(loop.motion, scale, n, max(loop.options.t_end - t, 0.0), places, speeds)


@called(bool)
def resolves(loop, h):
    """Whether the step resolves all changes of the forces in it, those of a touch too: its error is smaller than
    allowed for its size without any filter."""
    _of_positions(loop, h, loop.work.aux)
    return norm(loop.work.aux, loop.scales.coordinates, loop.plan.n) / (loop.options.allowed * h) <= 1.0
