"""The estimated error of a step of Radau IIA on the reduced equations: of all coordinates, independent ones and those
that follow them."""

from __future__ import annotations

import math

from flexmb.algebra import dense_lu
from flexmb.kernels.compilation import called
from flexmb.kernels.rotations import product
from flexmb.solvers.independent.reduced_equations import by_joints
from flexmb.solvers.independent.reduced_radau_step import evaluate_at
from flexmb.solvers.independent.tangent import column_of
from flexmb.solvers.joint_motion.joint_state import speeds_along
from flexmb.solvers.radau.radau_coefficients import ERROR
from flexmb.solvers.rows.index_one import norm
from flexmb.system.linear import OK


@called(None)
def _add_move(loop, number, size):
    """Add to tangent.dy what a move of an independent coordinate makes of all."""
    s = loop.tangent
    j = column_of(s.independent, number)
    for i in range(loop.equations.own.scale.shape[0]):
        s.dy[i] += size * s.ways[j, i]


@called(float)
def _largest_move(loop, error):
    """How far an error of the numbers moves any coordinate, in units of the model."""
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
    """The largest move of a coordinate, in units of the model; notes whose."""
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
    """Solve for the error by rates at the start; the largest one of a coordinate."""
    stages = loop.stages
    size = stages.b.shape[0]
    for k in range(size):
        z = ERROR[0] * stages.z[0, k] + ERROR[1] * stages.z[1, k] + ERROR[2] * stages.z[2, k]
        stages.b[k] = z / h + rates[k]
    dense_lu.solve(stages.real, size, stages.real_rows, stages.b)
    return _largest_move(loop, stages.b)


@called(float)
def _error_of_speeds(loop):
    """The largest estimated error of a speed, in units of the model."""
    e, dy, error, independent = loop.equations, loop.tangent.dy, loop.stages.b, loop.tangent.independent
    first = error.shape[0] - e.fast.shape[0]
    for i in range(e.own.scale.shape[0]):
        dy[i] = 0.0
    for k in range(e.fast.shape[0]):
        j = column_of(independent, e.fast[k])
        if j < independent.shape[0] and independent[j] == e.fast[k]:
            _add_move(loop, e.fast[k], error[first + k])
        else:  # of a coordinate that follows others in its place, and not in its speed
            dy[e.fast[k]] += error[first + k]
    if by_joints(e):
        speeds_along(e.joints, dy, loop.tangent.dv)
        return norm(loop.tangent.dv, loop.scales.coordinates, e.closing.plan.n)
    return norm(dy, loop.scales.coordinates, e.closing.plan.n)


@called((float, float))
def local_error(loop, h, t):
    """Estimated error of the positions of a step, as a part of the error allowed, (γ/h − J) e = Σ ERROR Z/h + f₀, and
    of its speeds [1/s] as parts of the same. Where the first is too large at first, or after a step that was rejected,
    it is judged once more by the rates of a start that it moves, since fast vibration that the method damps is not to
    be followed (Hairer and Wanner (1991), section IV.8)."""
    state, stages, allowed = loop.state, loop.stages, loop.options.allowed
    error = _estimate(loop, h, loop.motion.rates) / allowed
    judged = loop.crossings.switches > 0 or loop.equations.closing.plan.friction > 0
    of_speeds = _error_of_speeds(loop) / allowed if judged else 0.0
    if error <= 1.0 or not error < math.inf or (state.rejected_last == 0.0 and state.h_done > 0.0):
        return error, of_speeds
    if evaluate_at(loop, t, stages.b) != OK:
        return error, of_speeds
    return _estimate(loop, h, loop.equations.rates) / allowed, of_speeds
