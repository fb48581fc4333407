"""Projections onto the constraints, and accelerations where forces have jumped: what all methods share.

Equation (14) is that of :mod:`flexmb.system.accelerations`, Skyenginlab (n.d.).
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.charts import retract, to_speeds
from flexmb.kernels.compilation import allocation_free, called, inlined
from flexmb.kernels.views import matrix_view
from flexmb.system.accelerations import accelerations, factorise_mass, solve_for_accelerations
from flexmb.system.evaluation import (
    add_forces_and_rates,
    constraints,
    leave_out_velocity_rows,
    matrix,
    residual,
)
from flexmb.system.linear import OK, SINGULAR, factorise, solve
from flexmb.system.with_friction import accelerations_with_friction

#: instead of a status: accelerations were not computed
NOT_ASKED = -1
# What is remembered of factors that are used again: their rate of convergence, the size of the correction at which it
# was measured, and how often it was trusted since.
RATE, SIZE, TRUSTED = range(3)
#: how often a rate of convergence is used before it is measured again
TRUST = 8
#: accuracy of the accelerations where forces have jumped, as a part of their size
JUMP_ACCURACY = 1e-9
#: a mass matrix is factorised again when corrections with the old factors shrink to no less than this part
JUMP_RATE = 1e-3
#: Speeds are moved onto their constraints once more where the first time leaves more than this part of the error, since
#: the factors are poor near singular positions.
LEFT_OF_SPEEDS = 1e-6


@called(float)
def norm(x, scale, n):
    """Largest entry of x in units of its scale; NaN counts as infinite."""
    largest = 0.0
    for i in range(n):
        size = abs(x[i])
        if not size <= largest * scale[i]:  # a division for each entry would take four times as long
            largest = size / scale[i]
            if size != size:
                return np.inf
    return largest


@called(int)
def worst(x, scale, n):
    """The entry of x that is largest in units of its scale, or that is no number."""
    found = 0
    largest = -1.0
    for i in range(n):
        size = abs(x[i]) / scale[i]
        if size != size:
            return i
        if size > largest:
            largest = size
            found = i
    return found


@inlined
def last_place(i):
    """−1, 0 or 1, a fixed pattern that looks like chance."""
    z = np.uint64(i + 1) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return float((z >> np.uint64(40)) % np.uint64(3)) - 1.0


@called(None)
def move_onto(plan, linear, off, x, maps, speeds):
    """Change speeds (n,) so that the errors of the constraints change by −`off` (m,); x is scratch, and `maps` those of
    the matrix (:func:`flexmb.system.evaluation.step_matrix`).

    It is the shortest way, measured by the upper left block of the matrix whose factors are in `linear`.
    """
    way_onto(plan, linear, off, x)
    if maps.shape[0] > 0:
        to_speeds(plan.orientations, maps, x)
    for i in range(plan.n):
        speeds[i] += x[i]


@inlined
def way_onto(plan, linear, off, x):
    """x (n,): the shortest way on which the errors of the constraints change by −`off` (m,)."""
    for i in range(plan.n):
        x[i] = 0.0
    for k in range(plan.m):
        x[plan.n + k] = -off[k]
    solve(plan, linear, x)


@inlined
def foreseen(memory, size):
    """The error that a correction of that size will leave, by the rate remembered; infinite when that is too old."""
    if memory[TRUSTED] >= TRUST:
        return np.inf
    return memory[RATE] * size * max(1.0, size / memory[SIZE])


@inlined
def measured(memory, rate, size):
    """Remember the rate by which corrections shrink: the ratio of the next correction to one of that size."""
    memory[RATE] = rate
    memory[SIZE] = size
    memory[TRUSTED] = 0.0


@called(int)
def jumped_accelerations(plan, scratch, linear, mass, t, q, v, a, lam, scale, work, memory):
    """a (total,), λ (m,) of a state by eq. (14), starting from those before the forces have jumped.

    The mass matrix changes little from one jump to the next: factors of an earlier one serve to correct a and λ, with
    residuals that are exact, until what is left is below JUMP_ACCURACY. How fast they do is not foreseen from the last
    jump, since the factors may be those of that very position. `linear` keeps the factors; `memory` (3,) is what is
    remembered of them. Returns the status of the factorisation.
    """
    r, x, g, gd, gamma, weights = work.r, work.x, work.g, work.gd, work.gamma, work.weights
    n, m = plan.n, plan.m
    weights[0], weights[1], weights[2], weights[3] = 1.0 / mass, 0.0, 0.0, 0.0
    last = 0.0
    for sweep in range(5):
        if plan.friction > 0 or not memory[RATE] < JUMP_RATE:
            break
        residual(plan, scratch, t, q, v, a, weights, r)
        if m > 0:
            constraints(plan, scratch, t, q, v, a, weights, g, gd, gamma)
            add_forces_and_rates(plan, scratch, t, q, v, a, lam, weights, r, g)
        for i in range(n):
            x[i] = -r[i] / mass
        for k in range(m):
            x[n + k] = gamma[k] - g[k]
        solve(plan, linear, x)
        for i in range(n):
            a[i] += x[i]
        for k in range(m):
            lam[k] += x[n + k] * mass
        size = norm(x, scale, n)
        enough = JUMP_ACCURACY * norm(a, scale, n)
        if sweep == 0:
            if size <= 1e-3 * enough:
                return OK
        else:
            if sweep == 1:
                memory[RATE] = size / last
            if size <= enough or (size > 0.1 * last and size <= 1e3 * enough):
                return OK  # accurate enough, or as accurate as rounding allows
        last = size
    status = accelerations(plan, scratch, linear, mass, t, q, v, a, lam, work, 0.0, 0.0)
    memory[RATE] = 0.0 if status == OK else np.inf
    return status


@inlined
def _largest(x, count):
    largest = 0.0
    for k in range(count):
        if not abs(x[k]) <= largest:
            largest = abs(x[k])
    return largest


@called(int)
def speeds_and_accelerations(plan, scratch, linear, mass, t, q, v, a, lam, work):
    """Move speeds v onto ġ = 0, the shortest way, measured by the mass matrix, and fill a (total,) and λ (m,) by
    eq. (14). The status of the factorisation, one for both; errors of positions stay in work.g."""
    status = factorise_mass(plan, scratch, linear, mass, t, q, v, lam, work)
    if status != OK:
        return status
    before = 0.0
    for sweep in range(3 if plan.m > 0 else 0):
        constraints(plan, scratch, t, q, v, work.zero, work.weights, work.g, work.gd, work.gamma)
        off = _largest(work.gd, plan.m)
        if sweep == 2 or off <= LEFT_OF_SPEEDS * before:
            break
        before = off
        move_onto(plan, linear, work.gd, work.x, matrix_view(scratch.out, 0, 0, 9), v)
    if plan.friction > 0:
        return accelerations_with_friction(plan, scratch, linear, mass, t, q, v, a, lam, work, 0.0, 0.0)
    solve_for_accelerations(plan, scratch, linear, mass, t, q, v, a, lam, work, 0.0, 0.0)
    return OK


@allocation_free
def settle(plan, scratch, linear, mass, t, q, v, a, lam, given, row_scale, work, tolerance, sweeps):
    """:func:`project`, and if the speeds are still the `given` ones (n,), :func:`accelerations` as well.

    They are one call, since in a small system a call out of Python takes longer to begin than to end. Returns the
    status of the first, the largest error of positions that it left, and the status of the second, NOT_ASKED if the
    speeds have changed.
    """
    status, left, _ = project(plan, scratch, linear, mass, t, q, v, lam, row_scale, work, tolerance, sweeps, True)
    if status != OK or not left <= tolerance:
        return status, left, NOT_ASKED
    for i in range(plan.n):
        if v[i] != given[i]:
            return status, left, NOT_ASKED
    return status, left, accelerations(plan, scratch, linear, mass, t, q, v, a, lam, work, 0.0, 0.0)


@called((int, float, float))
def project(plan, scratch, linear, mass, t, q, v, lam, row_scale, work, tolerance, sweeps, positions):
    """Move q (if `positions`) and v the shortest way, measured by the mass matrix, until g and ġ are below `tolerance`.
    Velocity rows move speeds only; where they are all that holds a coordinate without inertia, positions do not move
    against them either.

    Positions take at most so many `sweeps`. Returns the status of the factorisation and the largest errors of positions
    and of speeds that are left, in units of `row_scale`.
    """
    g, gd, gamma, zero, weights = work.g, work.gd, work.gamma, work.zero, work.weights
    weights[0], weights[1], weights[2], weights[3] = 1.0 / mass, 0.0, 0.0, 0.0
    left = 0.0
    if positions:
        for sweep in range(sweeps + 1):
            constraints(plan, scratch, t, q, v, zero, weights, g, gd, gamma)
            left = norm(g, row_scale, plan.m)
            if left <= tolerance or sweep == sweeps or left == np.inf:
                break
            matrix(plan, scratch, t, q, v, zero, lam, weights, linear.values)
            leave_out_velocity_rows(plan, linear.values)
            status = factorise(plan, linear)
            if (
                status == SINGULAR
            ):  # velocity rows may be all that holds a coordinate without inertia, as those of tyres
                matrix(plan, scratch, t, q, v, zero, lam, weights, linear.values)
                status = factorise(plan, linear)
            if status != OK:
                return status, left, 0.0
            way_onto(plan, linear, g, work.x)
            retract(plan.orientations, plan.n, q, work.x, q)
    constraints(plan, scratch, t, q, v, zero, weights, g, gd, gamma)
    rate = norm(gd, row_scale, plan.m)
    if rate <= tolerance:
        return OK, left, rate
    matrix(plan, scratch, t, q, v, zero, lam, weights, linear.values)
    status = factorise(plan, linear)
    if status != OK:
        return status, left, rate
    for _ in range(2):
        move_onto(plan, linear, gd, work.x, matrix_view(scratch.out, 0, 0, 9), v)
        constraints(plan, scratch, t, q, v, zero, weights, g, gd, gamma)
    return OK, left, norm(gd, row_scale, plan.m)
