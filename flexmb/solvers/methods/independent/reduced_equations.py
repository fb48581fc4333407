"""The reduced equations of motion  ẋ = f(t, x)  in one compiled call, with x = (integrated positions, independent
speeds).

At the end of a step, :func:`arrive` also computes what the run needs of the state: drift, pivots and σ.

For a tree, x are the independent joint coordinates and speeds. The dependent ones follow from the rows beyond those of
the tree (:mod:`flexmb.solvers.coordinates.independent.joint_closing`), and accelerations from a formulation
(:mod:`flexmb.solvers.coordinates.joints`). At the ends of steps, accelerations, multipliers and σ of the system are
computed too.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from flexmb.algebra import sparse_solve
from flexmb.algebra.sparse_solve import rcond_estimate
from flexmb.formulations.tree.turns import beyond_parallel
from flexmb.kernels.charts import retract
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables
from flexmb.solvers.coordinates.independent.carried_numbers import Carried, put, rates_of
from flexmb.solvers.coordinates.independent.closing import EVALUATIONS, Closing, close_state
from flexmb.solvers.coordinates.independent.joint_closing import OF_POSITIONS as POSITIONS
from flexmb.solvers.coordinates.independent.joint_closing import OF_SPEEDS as SPEEDS
from flexmb.solvers.coordinates.independent.joint_closing import JointClosing, close_joints, joint_stretch
from flexmb.solvers.coordinates.joints.joint_motion import NEAREST, JointMotion
from flexmb.solvers.coordinates.joints.joint_rates import joint_forces, joint_rates
from flexmb.solvers.coordinates.joints.joint_state import put_accelerations
from flexmb.solvers.coordinates.joints.onto_rows import closest_combination
from flexmb.solvers.rows.index_one import norm
from flexmb.solvers.rows.singular_value import leaps, smallest_singular_value, take_in_others
from flexmb.solvers.statuses import NO_ANGLES, NOT_FINITE, OK, SINGULAR
from flexmb.system.accelerations import accelerations
from flexmb.system.evaluation import constraints


class Found(Variables):
    """Quantities computed at the end of a step."""

    leapt: float  # whether the mechanism changed its branch
    sigma: float  # smallest singular value of G, see :mod:`flexmb.solvers.changes.passage`
    # largest |g| and |ġ| in units of the model
    drift: float
    rate_drift: float
    # smallest pivots of the parts of G, as parts of the largest
    of_positions: float
    of_speeds: float
    stretch: float  # how far dependent coordinates move with independent ones (:func:`stretch`)
    # set by every evaluation: the link in whose joint Euler angles are singular, −1 if there is none
    lost: float

    @classmethod
    def nothing(cls) -> Self:
        """Values before the first step."""
        found = cls.zeros()
        for name in cls.fields[:-1]:
            found[name] = 1.0
        found.lost = -1.0
        return found


@by_reference
class Partitioned(NamedTuple):
    """The coordinates that are partitioned into independent and dependent ones: those of the system, or joint
    coordinates in the same order: single ones and e1, e2, e3 by the index of their speed, each e0 after these. Indices
    of `orientations`, scales `scale` of speeds, and `stands`, the coordinates of the system that represent them in
    messages; the state at the last step (q0, v0, a0), and in the present evaluation."""

    orientations: np.ndarray
    scale: np.ndarray
    stands: np.ndarray
    q0: np.ndarray
    v0: np.ndarray
    a0: np.ndarray
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray


@by_reference
class LastStep(NamedTuple):
    """The state of the system at the last step: its time `since` (1,) [s], its speeds v and accelerations a."""

    since: np.ndarray
    v: np.ndarray
    a: np.ndarray


@by_reference
class Evaluated(NamedTuple):
    """The state of the system in the present evaluation: q (total_q,), v, a (total,), and λ (m,)."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray


@by_reference
class Equations(NamedTuple):
    """Data of the equations: `closing` for the dependent coordinates, `carried` for the integrated positions, `fast`,
    the indices of the independent speeds, and `own`, the partitioned coordinates. Of the system: `scale`, and its state
    at the `last` step and `now`. The integrated numbers x (N,) and their `rates`; `u` (m,), the combination of rows
    from which σ is computed; `joints` with a tree if x are joint coordinates, and `loops`, which determine their
    dependent ones."""

    closing: Closing
    carried: Carried
    fast: np.ndarray
    own: Partitioned
    scale: np.ndarray
    last: LastStep
    now: Evaluated
    x: np.ndarray
    rates: np.ndarray
    u: np.ndarray
    found: Found
    joints: JointMotion
    loops: JointClosing


@called(None)
def head_for(e, t):
    """Extrapolate q and v from the last step to t: the iterations for the dependent coordinates begin there, so that
    the mechanism stays on its branch."""
    own, move, h = e.own, e.closing.work.aux, t - e.last.since[0]
    n = own.scale.shape[0]
    for i in range(n):
        move[i] = h * (own.v0[i] + 0.5 * h * own.a0[i])
        own.v[i] = own.v0[i]
    retract(own.orientations, n, own.q0, move, own.q)


@inlined
def by_joints(e):
    """Whether x are joint coordinates."""
    return e.joints.links.parent.shape[0] > 0


@inlined
def _some_follow(e):
    """Whether there are dependent coordinates."""
    return e.loops.speeds.rows.shape[0] > 0 if by_joints(e) else e.closing.plan.m > 0


@called(int)
def evaluate(e, t):
    """Compute the dependent coordinates for x, and the rates, which are NaN if that fails; returns the status of
    :func:`~flexmb.solvers.coordinates.independent.closing.close_state`."""
    own, first = e.own, e.x.shape[0] - e.fast.shape[0]
    if _some_follow(e):
        head_for(e, t)
    put(e.carried, e.x, own.q)
    for k in range(e.fast.shape[0]):
        own.v[e.fast[k]] = e.x[first + k]
    status = _by_formulation(e, t) if by_joints(e) else close_state(e.closing, t, e.now.q, e.now.v, e.now.a, e.now.lam)
    if status != OK:
        for k in range(e.x.shape[0]):
            e.rates[k] = np.nan
        return status
    rates_of(e.carried, own.orientations, own.q, own.v, e.rates)
    for k in range(e.fast.shape[0]):
        e.rates[first + k] = own.a[e.fast[k]]
    return OK


@called(int)
def _by_formulation(e, t):
    """Compute the dependent joint coordinates and the joint accelerations; returns the status. :func:`complete`
    computes the accelerations of the system."""
    j = e.joints
    e.closing.counts[EVALUATIONS] += 1
    status = close_joints(e, t)
    e.found.lost = beyond_parallel(j.links.joints, j.last.side, j.x, NEAREST)
    if e.found.lost >= 0.0:
        return NO_ANGLES
    if status != OK:
        return status
    if joint_rates(j, e.closing.scratch, t, e.now.q, e.now.v, 0.0, 0.0) != 0:
        return SINGULAR
    for k in range(j.ud.shape[0]):
        if not abs(j.ud[k]) < np.inf:
            return NOT_FINITE
    return OK


@called(int)
def complete(e, t):
    """Compute a and λ of the state that was evaluated last, if only its rates are known; returns the status."""
    c, j, now = e.closing, e.joints, e.now
    if not by_joints(e):
        return OK
    if j.rows.closed == 1 and j.rows.meets == 0:
        return accelerations(c.plan, c.scratch, c.linear, c.mass, t, now.q, now.v, now.a, now.lam, c.work, 0.0, 0.0)
    put_accelerations(j, now.a)
    if c.plan.m > 0 and joint_forces(j, c.plan, c.scratch, t, now.q, now.v, now.a, now.lam) != 0:
        return SINGULAR
    return OK


@called(int)
def evaluate_whole(e, t):
    """:func:`evaluate` and :func:`complete` in one call; returns the status."""
    status = evaluate(e, t)
    return complete(e, t) if status == OK else status


@called(None)
def keep_joints(e):
    """Record the last evaluation as the last step, for joint coordinates; the caller records that of the system."""
    own = e.own
    if by_joints(e):
        for i in range(own.q0.shape[0]):
            own.q0[i] = own.q[i]
        for i in range(own.v0.shape[0]):
            own.v0[i] = own.v[i]
            own.a0[i] = own.a[i]


@inlined
def part_of_move(k):
    """Change of independent coordinate k, in units of its scale, for :func:`stretch`: between ½ and 3/2, of either
    sign, and different for each coordinate, so that contributions do not cancel."""
    size = 0.5 + 0.6180339887498949 * k % 1.0
    return size if k % 2 == 0 else -size


@called(float)
def stretch(e, t):
    """How far the dependent coordinates move with the independent ones, both in units of their scales: the largest
    entry of −G_d⁻¹ G_i w. It grows without bound as G_d becomes singular, which pivots alone may show late. To be
    called after :func:`~flexmb.solvers.coordinates.independent.closing.close_state`; `work.g` and `work.gd` are
    overwritten."""
    c, scale = e.closing, e.own.scale
    work, part = c.work, c.speeds
    w, weights = work.aux, work.weights
    if by_joints(e):
        for k in range(scale.shape[0]):
            w[k] = part_of_move(k) * scale[k]
        return joint_stretch(e, w)
    for i in range(w.shape[0]):
        w[i] = 0.0
    for k in range(e.fast.shape[0]):
        w[e.fast[k]] = part_of_move(e.fast[k]) * scale[e.fast[k]]
    for k in range(4):
        weights[k] = 0.0
    constraints(c.joints, c.scratch, t, e.now.q, w, work.zero, weights, work.g, work.gd, work.gamma)
    for k in range(c.plan.m):
        work.x[k] = work.gd[k]
    constraints(c.joints, c.scratch, t, e.now.q, work.zero, work.zero, weights, work.g, work.gd, work.gamma)
    for k in range(c.plan.m):
        work.x[k] -= work.gd[k]
    sparse_solve.solve(part.lu, work.x, work.r)
    largest = 0.0
    for k in range(c.plan.m):
        largest = max(largest, abs(work.x[k]) / scale[part.dependent[k]])
    return largest


@called(int)
def arrive(e, t):
    """Evaluate the end of a step, and fill `e.found` with what the run needs of it; returns the status of the
    evaluation."""
    c = e.closing
    status = evaluate(e, t)
    if status != OK:
        return status
    status = complete(e, t)
    if status != OK:
        return status
    e.found.drift = e.found.rate_drift = e.found.stretch = e.found.leapt = 0.0
    e.found.of_positions = e.found.of_speeds = 1.0
    e.found.sigma = 1.0 if by_joints(e) else 0.0
    if c.plan.m > 0:
        _look(e, t)
    if by_joints(e) and e.joints.rows.closed == 0:
        return OK
    h = t - e.last.since[0]
    e.found.leapt = 1.0 if h > 0.0 and leaps(h, e.last.v, e.last.a, e.now.v, e.now.a, e.scale, c.plan.n) else 0.0
    if c.plan.m > 0:
        if _some_follow(e):
            e.found.stretch = stretch(e, t)
        take_in_others(e.u)
        if by_joints(e) and e.joints.rows.meets == 1:
            e.found.sigma = closest_combination(e.joints, e.u)
        else:
            e.found.sigma = smallest_singular_value(c.plan, c.linear, c.row_scale, e.u, c.work.x)
    return OK


@called(None)
def _look(e, t):
    """Record the errors of the constraints, and the pivots of the parts of G."""
    c, work, loops = e.closing, e.closing.work, e.loops
    if by_joints(e):
        constraints(c.joints, c.scratch, t, e.now.q, e.now.v, work.zero, work.weights, work.g, work.gd, work.gamma)
        if loops.speeds.rows.shape[0] > 0:
            e.found.of_positions, e.found.of_speeds = loops.quality[POSITIONS], loops.quality[SPEEDS]
    else:
        if c.positions.rows.shape[0] > 0:
            e.found.of_positions = rcond_estimate(c.positions.lu)
        e.found.of_speeds = rcond_estimate(c.speeds.lu)
    e.found.drift = norm(work.g, c.row_scale, c.plan.m)
    e.found.rate_drift = norm(work.gd, c.row_scale, c.plan.m)
