"""The reduced equations of motion  ẋ = f(t, x)  in one compiled call, x the carried positions and independent speeds.

A step of a method ends in the same state as an evaluation; what the run asks of it then is answered in the same call.

In joint coordinates of a tree x are these and their speeds: nothing is left to be closed, and accelerations come by a
road (:mod:`flexmb.solvers.joint_motion`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.algebra import sparse_solve
from flexmb.algebra.sparse_solve import rcond_estimate
from flexmb.formulations.tree.turns import beyond_parallel
from flexmb.kernels.charts import retract
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.references import by_reference
from flexmb.solvers.independent.carried import Carried, put, rates_of
from flexmb.solvers.independent.closing import EVALUATIONS, NO_ANGLES, NOT_FINITE, Closing, close_state
from flexmb.solvers.index_one import norm
from flexmb.solvers.joint_motion.carried import joint_slopes, put_accelerations, read_joints
from flexmb.solvers.joint_motion.motion import NEAREST, JointMotion
from flexmb.solvers.joint_motion.rates import joint_forces, joint_rates
from flexmb.solvers.passage import leaps, smallest_singular_value
from flexmb.system.evaluation import constraints
from flexmb.system.linear import OK, SINGULAR

#: Places in `found`, what was found of a step: whether the mechanism changed its branch, σ
#: (:mod:`flexmb.solvers.passage`), largest |g| and |ġ| in units of the model, the smallest pivots of the parts of G as
#: parts of the largest, how far independent coordinates move dependent ones (:func:`stretch`); and of every evaluation
#: the link in whose joint Euler angles are at their singular position, −1 if there is none.
LEAPT, SIGMA, DRIFT, RATE_DRIFT, OF_POSITIONS, OF_SPEEDS, STRETCH, LOST = range(8)
NOTHING_FOUND = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0)


@by_reference
class Equations(NamedTuple):
    """What the equations are made of: what closes a state, how positions are carried, the numbers of the independent
    speeds; the last step, at the time `since` (1,); the state of the present evaluation; the numbers x (N,) that are
    put and their rates. `u` (m,) is the direction by which σ is found. `joints` has a tree where x are its joint
    coordinates; the numbers of speeds are then those of coordinates of the system that stand for them."""

    closing: Closing
    carried: Carried
    fast: np.ndarray
    scale: np.ndarray
    since: np.ndarray
    q0: np.ndarray
    v0: np.ndarray
    a0: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    x: np.ndarray
    rates: np.ndarray
    u: np.ndarray
    found: np.ndarray
    joints: JointMotion


@called(None)
def head_for(e, t):
    """Put into q and v where the last step was heading: from there the search for the dependent ones begins, so that it
    stays on the same branch of the mechanism."""
    n, move, h = e.closing.plan.n, e.closing.work.aux, t - e.since[0]
    for i in range(n):
        move[i] = h * (e.v0[i] + 0.5 * h * e.a0[i])
        e.v[i] = e.v0[i]
    retract(e.closing.plan.orientations, n, e.q0, move, e.q)


@called(int)
def evaluate(e, t):
    """Put x, close the state and fill the rates, which are NaN where that fails; the status of
    :func:`~flexmb.solvers.independent.closing.close_state`."""
    first = e.x.shape[0] - e.fast.shape[0]
    if by_joints(e):
        return _evaluate_joints(e, t, first)
    if e.closing.plan.m > 0:
        head_for(e, t)
    put(e.carried, e.x, e.q)
    for k in range(e.fast.shape[0]):
        e.v[e.fast[k]] = e.x[first + k]
    status = close_state(e.closing, t, e.q, e.v, e.a, e.lam)
    if status != OK:
        for k in range(e.x.shape[0]):
            e.rates[k] = np.nan
        return status
    rates_of(e.carried, e.closing.plan.orientations, e.q, e.v, e.rates)
    for k in range(e.fast.shape[0]):
        e.rates[first + k] = e.a[e.fast[k]]
    return OK


@inlined
def by_joints(e):
    """Whether x are joint coordinates."""
    return e.joints.links.parent.shape[0] > 0


@called(int)
def _evaluate_joints(e, t, first):
    """The same of joint coordinates; accelerations of the system are left to :func:`complete`."""
    j = e.joints
    e.closing.counts[EVALUATIONS] += 1
    e.found[LOST] = beyond_parallel(j.links, j.side, e.x, NEAREST)
    read_joints(j, e.x, e.x[first:], e.q, e.v)
    status = SINGULAR if joint_rates(j, e.closing.scratch, t, e.q, e.v, 0.0, 0.0) != 0 else OK
    for k in range(e.fast.shape[0]):
        e.rates[first + k] = j.ud[k]
        if not abs(j.ud[k]) < np.inf and status == OK:
            status = NOT_FINITE
    if e.found[LOST] >= 0.0:
        status = NO_ANGLES
    if status == OK:
        joint_slopes(j, e.x, e.x[first:], e.rates)
    else:
        for k in range(e.x.shape[0]):
            e.rates[k] = np.nan
    return status


@called(int)
def complete(e, t):
    """Fill a and λ of the state that was evaluated last, where only its rates are known; OK or SINGULAR."""
    if by_joints(e):
        put_accelerations(e.joints, e.a)
        if e.closing.plan.m > 0:
            if joint_forces(e.joints, e.closing.plan, e.closing.scratch, t, e.q, e.v, e.a, e.lam) != 0:
                return SINGULAR
    return OK


@called(int)
def evaluate_whole(e, t):
    """:func:`evaluate`, with a and λ; the status."""
    status = evaluate(e, t)
    if status == OK:
        status = complete(e, t)
    return status


@inlined
def part_of_move(k):
    """The part of its scale by which an independent coordinate moves, to see how far the dependent ones follow: a
    number between ½ and 3/2 of either sign, another one for each coordinate, so that nothing cancels."""
    size = 0.5 + 0.6180339887498949 * k % 1.0
    return size if k % 2 == 0 else -size


@called(float)
def stretch(e, t):
    """How far the dependent coordinates follow a move of the independent ones, both in units of their scales: the
    largest number of −G_d⁻¹ G_i w. It grows without bound where G_d becomes singular, which pivots alone may say late.
    Behind :func:`~flexmb.solvers.independent.closing.close_state`; `work.g` and `work.gd` are lost."""
    c, scale = e.closing, e.scale
    work, part = c.work, c.speeds
    w, weights = work.aux, work.weights
    for i in range(w.shape[0]):
        w[i] = 0.0
    for k in range(e.fast.shape[0]):
        w[e.fast[k]] = part_of_move(e.fast[k]) * scale[e.fast[k]]
    for k in range(4):
        weights[k] = 0.0
    constraints(c.joints, c.scratch, t, e.q, w, work.zero, weights, work.g, work.gd, work.gamma)
    for k in range(c.plan.m):
        work.x[k] = work.gd[k]
    constraints(c.joints, c.scratch, t, e.q, work.zero, work.zero, weights, work.g, work.gd, work.gamma)
    for k in range(c.plan.m):
        work.x[k] -= work.gd[k]
    sparse_solve.solve(part.lu, work.x, work.r)
    largest = 0.0
    for k in range(c.plan.m):
        largest = max(largest, abs(work.x[k]) / scale[part.dependent[k]])
    return largest


@called(int)
def arrive(e, t):
    """Evaluate the end of a step, and fill what is asked of it; the status of the evaluation."""
    c = e.closing
    status = evaluate(e, t)
    if status != OK:
        return status
    e.found[SIGMA] = e.found[DRIFT] = e.found[RATE_DRIFT] = 0.0
    e.found[OF_POSITIONS] = e.found[OF_SPEEDS] = 1.0
    e.found[STRETCH] = 0.0
    if by_joints(e):
        return _arrive_joints(e, t)
    h = t - e.since[0]
    e.found[LEAPT] = 1.0 if h > 0.0 and leaps(h, e.v0, e.a0, e.v, e.a, e.scale, c.plan.n) else 0.0
    if c.plan.m > 0:
        e.found[DRIFT] = norm(c.work.g, c.row_scale, c.plan.m)
        e.found[RATE_DRIFT] = norm(c.work.gd, c.row_scale, c.plan.m)
        if c.positions.rows.shape[0] > 0:
            e.found[OF_POSITIONS] = rcond_estimate(c.positions.lu)
        e.found[OF_SPEEDS] = rcond_estimate(c.speeds.lu)
        e.found[STRETCH] = stretch(e, t)
        e.found[SIGMA] = smallest_singular_value(c.plan, c.linear, c.row_scale, e.u, c.work.x)
    return OK


@called(int)
def _arrive_joints(e, t):
    """Complete the end of a step in joint coordinates, and look how far off rounding has led the joints; OK or
    SINGULAR."""
    c, weights = e.closing, e.closing.work.weights
    if complete(e, t) != OK:
        return SINGULAR
    e.found[LEAPT], e.found[SIGMA] = 0.0, 1.0
    if c.plan.m > 0:
        constraints(c.joints, c.scratch, t, e.q, e.v, c.work.zero, weights, c.work.g, c.work.gd, c.work.gamma)
        e.found[DRIFT] = norm(c.work.g, c.row_scale, c.plan.m)
        e.found[RATE_DRIFT] = norm(c.work.gd, c.row_scale, c.plan.m)
    return OK
