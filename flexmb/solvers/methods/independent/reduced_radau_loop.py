"""Radau IIA on the reduced equations: the error of a step in all coordinates, independent and dependent, the state at
its end, and the compiled loop."""

from __future__ import annotations

import math

from flexmb.algebra import dense_lu
from flexmb.kernels.charts import LARGEST as LARGEST_CHART
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.rotations import product
from flexmb.solvers.coordinates.joints.joint_state import speeds_along
from flexmb.solvers.march.clock import AT_COMMAND
from flexmb.solvers.methods.independent.reduced_equations import (
    arrive,
    by_joints,
    complete,
    keep_joints,
)
from flexmb.solvers.methods.independent.reduced_radau_step import (
    at_start,
    begin,
    correct,
    evaluate_at,
    extrapolate,
    forget,
)
from flexmb.solvers.methods.independent.tangent import column_of
from flexmb.solvers.methods.radau.first_guess import REACH
from flexmb.solvers.methods.radau.radau_coefficients import ERROR
from flexmb.solvers.methods.radau.radau_loop import NOT_THERE
from flexmb.solvers.methods.radau.radau_state import NO_RANK
from flexmb.solvers.methods.radau.radau_step import radau_of
from flexmb.solvers.rows.index_one import norm
from flexmb.solvers.rows.singular_value import DEPTH, NEAR, leads_deep
from flexmb.solvers.statuses import DIVERGED, NO_ROOM, OK


@called(None)
def _add_move(loop, number, size):
    """Add to tangent.dy the changes of all coordinates due to a change `size` of independent coordinate `number`."""
    s = loop.tangent
    j = column_of(s.independent, number)
    for i in range(loop.equations.own.scale.shape[0]):
        s.dy[i] += size * s.ways[j, i]


@called(float)
def _largest_move(loop, error):
    """Largest displacement of a coordinate, in units of the model, due to an error of the integrated numbers."""
    e, dy = loop.equations, loop.tangent.dy
    carried = e.carried
    for i in range(e.own.scale.shape[0]):
        dy[i] = 0.0
    for k in range(carried.fours):
        _add_move(loop, carried.plain[k], error[k])
    for k in range(carried.charted.shape[0]):
        _add_move(loop, carried.charted[k], error[carried.plain.shape[0] + k])
    for w in range(carried.whole.shape[0]):
        i, k, x = carried.whole[w, 0], carried.fours + 4 * w, loop.motion.x
        squared = x[k] ** 2 + x[k + 1] ** 2 + x[k + 2] ** 2 + x[k + 3] ** 2
        back = (x[k + 3], -x[k], -x[k + 1], -x[k + 2])
        turn = product(back, (error[k + 3], error[k], error[k + 1], error[k + 2]))
        for j in range(3):
            _add_move(loop, i + j, 2.0 / squared * (turn[1] if j == 0 else turn[2] if j == 1 else turn[3]))
    if by_joints(e):
        speeds_along(e.joints, dy, loop.tangent.dv)
        return _largest_of(loop, loop.tangent.dv)
    return _largest_of(loop, dy)


@called(float)
def _largest_of(loop, dy):
    """Largest entry of dy, in units of the scales; records its index in `state.culprit`."""
    scale, largest = loop.scales.coordinates, 0.0
    for i in range(loop.equations.closing.plan.n):
        part = abs(dy[i]) / scale[i]
        if not part <= largest:
            largest = part
            loop.state.culprit = i
            if part != part:
                return math.inf
    return largest


@called(float)
def _estimate(loop, h, rates):
    """Solve for the error of the step with the given rates at its start; returns the largest error of a coordinate."""
    stages = loop.stages
    size = stages.b.shape[0]
    for k in range(size):
        z = ERROR[0] * stages.z[0, k] + ERROR[1] * stages.z[1, k] + ERROR[2] * stages.z[2, k]
        stages.b[k] = z / h + rates[k]
    dense_lu.solve(stages.real, size, stages.real_rows, stages.b)
    return _largest_move(loop, stages.b)


@called(float)
def _error_of_speeds(loop):
    """Largest estimated error of a speed, in units of the model [1/s]."""
    e, dy, error, independent = loop.equations, loop.tangent.dy, loop.stages.b, loop.tangent.independent
    first = error.shape[0] - e.fast.shape[0]
    for i in range(e.own.scale.shape[0]):
        dy[i] = 0.0
    for k in range(e.fast.shape[0]):
        j = column_of(independent, e.fast[k])
        if j < independent.shape[0] and independent[j] == e.fast[k]:
            _add_move(loop, e.fast[k], error[first + k])
        else:  # an independent speed whose position is dependent
            dy[e.fast[k]] += error[first + k]
    if by_joints(e):
        speeds_along(e.joints, dy, loop.tangent.dv)
        return norm(loop.tangent.dv, loop.scales.coordinates, e.closing.plan.n)
    return norm(dy, loop.scales.coordinates, e.closing.plan.n)


@called((float, float))
def _local_error(loop, h, t):
    """Estimated error of the positions of a step, (γ/h − J) e = Σ ERROR Z/h + f₀, and of its speeds [1/s], both as
    parts of the error allowed for positions. If the error of positions is too large in the first step, or after a
    rejected step, it is estimated again with the rates at a start that is displaced by e, since fast vibration that the
    method damps need not be resolved (Hairer and Wanner (1991), section IV.8)."""
    state, stages, allowed = loop.state, loop.stages, loop.options.allowed
    error = _estimate(loop, h, loop.motion.rates) / allowed
    judged = loop.crossings.switches > 0 or loop.equations.closing.plan.friction > 0
    of_speeds = _error_of_speeds(loop) / allowed if judged else 0.0
    if error <= 1.0 or not error < math.inf or (state.rejected_last == 0.0 and state.h_done > 0.0):
        return error, of_speeds
    if evaluate_at(loop, t, stages.b) != OK:
        return error, of_speeds
    return _estimate(loop, h, loop.equations.rates) / allowed, of_speeds


@called(bool)
def _is_worn(loop):
    """Whether other independent coordinates, or another chart, are needed."""
    e, quality = loop.equations, loop.quality
    near = e.found.sigma < NEAR * loop.watch[1]  # all partitions are poor there
    worn = e.found.of_positions < quality[0] or e.found.of_speeds < quality[1] or e.found.stretch > quality[2]
    if worn and not near:
        return True
    partial, y = e.carried.chart.partial, e.carried.chart.y
    for k in range(partial.shape[0]):
        i = partial[k, 0]
        if y[i] ** 2 + y[i + 1] ** 2 + y[i + 2] ** 2 > LARGEST_CHART**2:
            return True
    return False


@called((int, float))
def _arrive(loop, h, t0, t):
    """Evaluate the end of a step; returns the status, and the part of the step to try instead if its end cannot be
    used, else 0."""
    e, state, watch = loop.equations, loop.state, loop.watch
    for k in range(loop.motion.x.shape[0]):
        e.x[k] = loop.motion.x[k] + loop.stages.z[2, k]
    state.at_start = 0.0
    status = arrive(e, t)
    if status != OK:
        forget(loop)
        return status, 0.5
    state.off, state.rate_off, sigma = e.found.drift, e.found.rate_drift, e.found.sigma
    state.sigma = sigma
    if loop.plan.m > 0:
        if sigma < DEPTH * watch[1] or (e.found.leapt > 0.0 and sigma < NEAR * watch[1]):
            return OK, 0.5
        if state.rejected_last == 0.0 and leads_deep(watch, sigma):
            return OK, NOT_THERE
    return OK, 0.0


@called(None)
def _accept(loop, t):
    """Make the end of the step, which was evaluated last, the present state."""
    motion, stages = loop.motion, loop.stages
    _reach(loop)
    for k in range(motion.x.shape[0]):
        motion.x[k] = loop.equations.x[k]
        for s in range(3):
            motion.before[s, k] = stages.z[s, k]
    loop.equations.last.since[0] = t
    loop.state.at_start = 1.0


@called(None)
def _reach(loop):
    """Make the state that was evaluated last the present state."""
    e, motion = loop.equations, loop.motion
    plan = e.closing.plan
    for i in range(plan.nq):
        motion.q[i] = e.now.q[i]
    for i in range(plan.n):
        motion.v[i] = e.now.v[i]
        motion.a[i] = e.now.a[i]
    for k in range(plan.m):
        motion.lam[k] = e.now.lam[k]
    for k in range(motion.x.shape[0]):
        motion.rates[k] = e.rates[k]
    keep_joints(e)


@called(bool)
def _guess(loop, h):
    """First guess of the stages; returns True, since Newton's method always corrects them."""
    if h < REACH * loop.state.h_done and loop.state.polynomial > 0.0:
        extrapolate(loop, h)
    else:
        begin(loop, h)
    return True


@called(int)
def _find_anew(loop, t):
    """Compute the rates of the present state; J is kept if only commands have changed. Returns OK, or why there
    are none."""
    state, e = loop.state, loop.equations
    e.last.since[0] = t
    if state.anew != AT_COMMAND:
        state.aged = 1.0
    state.at_start = 0.0
    status = at_start(loop, t)
    if status == OK:
        status = complete(e, t)
    if status != OK:
        state.culprit = NO_RANK
        return NO_ROOM if status == NO_ROOM else DIVERGED
    _reach(loop)
    state.polynomial = 0.0
    return OK


@inlined
def _over(loop, t):
    """Move the state across a touch by the rates of the integrated numbers; returns the time after it."""
    hop = loop.crossings.state.hop
    loop.crossings.state.hop = 0.0
    for k in range(loop.motion.x.shape[0]):
        loop.motion.x[k] += hop * loop.motion.rates[k]
    return t + hop


advance = radau_of(_find_anew, _guess, correct, _local_error, _arrive, _accept, _is_worn, over=_over)
