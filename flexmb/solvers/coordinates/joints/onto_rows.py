"""Projection of the ends of steps in joint coordinates onto the rows beyond the joints of the tree; compiled.

Joint coordinates satisfy the rows of the tree exactly. Errors g of the further rows are removed by the shortest
displacement, measured by the mass matrix, as in absolute coordinates (:func:`flexmb.solvers.rows.index_one.project`).
With the responses Δ of the tree, known from the last evaluation (:mod:`~flexmb.solvers.coordinates.joints.responses`),
this is

    x ← x ∘ exp Δ μ,      G B Δ μ = −g,

and likewise for speeds with ġ: no matrix of the whole system is needed. The responses of a state near by can be used
instead, as long as the errors shrink fast with them.
"""

from __future__ import annotations

import math

from flexmb.algebra.semidefinite import solve_semidefinite
from flexmb.formulations.tree.coordinates import move
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.coordinates.joints.joint_rates import joint_rates
from flexmb.solvers.coordinates.joints.joint_state import put_system, speeds_along
from flexmb.solvers.coordinates.joints.responses import respond
from flexmb.system.evaluation import constraints, jacobian_times

#: If an error is larger than this fraction of the one before, the responses of the state itself are computed.
SLOW = 1e-2
#: Largest number of corrections of speeds.
OF_SPEEDS = 2


@inlined
def _take_away(j, errors, of_places):
    """Write −`errors` (m,) of the further rows, in units of their scales, into `rows.mu`, and return the largest
    magnitude. `of_places`: they are errors of positions; velocity rows then count as satisfied, so that the
    displacement does not violate them."""
    largest = 0.0
    for i in range(j.rows.numbers.shape[0]):
        row = j.rows.numbers[i]
        off = 0.0 if of_places and j.rows.plan.at_speed[row] >= 0 else errors[row] / j.rows.scale[row]
        j.rows.mu[i] = -off
        if not abs(off) <= largest:
            largest = abs(off) if off == off else math.inf
    return largest


@inlined
def _way(j):
    """Fill `free` (nv,) with the shortest change Δ μ of positions or speeds that changes the further rows by the
    numbers in `rows.mu`, where the multipliers μ then are."""
    solve_semidefinite(j.rows.solved, j.rows.pivots[0], j.rows.order, j.rows.x, j.rows.mu)
    respond(j, j.rows.mu, j.work.free)


@called(int)
def _way_anew(j, scratch, t, q, v, errors, of_places, known):
    """Fill `free` (nv,) with the shortest change that removes `errors`, with the responses of the state itself unless
    the present ones are `known` to be accurate enough; returns 0, or the status of the formulation that failed."""
    status = 0 if known else joint_rates(j, scratch, t, q, v, 0.0, 0.0)
    if status == 0:
        _take_away(j, errors, of_places)
        _way(j)
    return status


@called((int, float))
def put_onto_rows(j, scratch, t, q, v, tolerance, sweeps, near):
    """Move the joint coordinates and speeds of `j`, and with them q and v of the system, until the errors of the
    further rows are below `tolerance`; positions are corrected at most `sweeps` times. `near`: the present responses
    belong to a state near by. Returns 0, or the status of the formulation that failed, and the largest remaining error
    of positions, in units of the scales of the rows. u̇ is overwritten."""
    left, last, known = 0.0, 0.0, near
    for sweep in range(sweeps + 1):
        constraints(j.rows.plan, scratch, t, q, v, j.work.zero, j.work.weights, j.work.g, j.work.gd, j.work.gamma)
        last, left = left, _take_away(j, j.work.g, True)
        if left <= tolerance or sweep == sweeps or left == math.inf:
            break
        status = _way_anew(j, scratch, t, q, v, j.work.g, True, known and not (sweep > 0 and left > SLOW * last))
        if status != 0:
            return status, left
        known = True
        move(j.links.joints, j.x, j.work.free, j.x)
        put_system(j, q, v)
    remains = left / last if last > 0.0 else 1.0  # fraction of an error that a correction with these responses leaves
    for _ in range(OF_SPEEDS):
        off = _take_away(j, j.work.gd, False)
        if left == math.inf or off <= tolerance:
            break
        status = _way_anew(j, scratch, t, q, v, j.work.gd, False, known)
        if status != 0:
            return status, left
        known = True
        for i in range(j.links.joints.nv):
            j.u[i] += j.work.free[i]
        put_system(j, q, v)
        if remains * off <= tolerance:
            break
        constraints(j.rows.plan, scratch, t, q, v, j.work.zero, j.work.weights, j.work.g, j.work.gd, j.work.gamma)
    return 0, left


@called(None)
def leave_along(j, scratch, t, q, v, error, of_places):
    """Remove from an error (n,) of the present state, in positions or in speeds, its component across the further
    rows."""
    for i in range(j.work.a.shape[0]):
        j.work.a[i] = error[i] if i < j.rows.plan.n else 0.0
    jacobian_times(j.rows.plan, scratch, t, q, v, j.work.zero, j.work.weights, j.work.a, j.work.along)
    _take_away(j, j.work.along, of_places)
    _way(j)
    speeds_along(j, j.work.free, j.work.a)
    for i in range(j.rows.plan.n):
        error[i] += j.work.a[i]


@called(float)
def closest_combination(j, u):
    """σ, the smallest singular value of the further rows on the tree, in the metric of its mass matrix and in units of
    the scales of the rows: from one inverse iteration that starts from the combination u (m,) of rows and overwrites it
    with the combination that is about to vanish. The responses must belong to the present state. Rows of the tree have
    zeros in u."""
    size = 0.0
    for i in range(j.rows.numbers.shape[0]):
        j.rows.mu[i] = u[j.rows.numbers[i]]
    solve_semidefinite(j.rows.solved, j.rows.pivots[0], j.rows.order, j.rows.x, j.rows.mu)
    for i in range(j.rows.numbers.shape[0]):
        size += (j.rows.mu[i] / j.unit) ** 2
    size = math.sqrt(size)
    for k in range(u.shape[0]):
        u[k] = 0.0
    for i in range(j.rows.numbers.shape[0]):
        known = 0.0 < size < math.inf  # else there is no direction
        u[j.rows.numbers[i]] = -j.rows.mu[i] / (j.unit * size) if known else 1.0 / math.sqrt(j.rows.numbers.shape[0])
    return 1.0 / math.sqrt(size) if size > 0.0 else 0.0
