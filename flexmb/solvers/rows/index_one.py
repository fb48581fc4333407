"""Projection of positions and speeds onto the constraints, and accelerations where forces have jumped; shared by all
methods.

Equation (14) is that of :mod:`flexmb.system.accelerations`, Skyenginlab (n.d.).
"""

from __future__ import annotations

import numpy as np

from flexmb.kernels.charts import retract, to_speeds
from flexmb.kernels.compilation import allocation_free, called, inlined
from flexmb.kernels.views import matrix_view
from flexmb.solvers.statuses import OK, SINGULAR
from flexmb.system.accelerations import accelerations, factorize_mass, solve_for_accelerations
from flexmb.system.evaluation import (
    add_forces_and_rates,
    constraints,
    leave_out_velocity_rows,
    matrix,
    residual,
)
from flexmb.system.linear import factorize, solve
from flexmb.system.with_friction import accelerations_with_friction

#: In place of a status: accelerations were not computed.
NOT_ASKED = -1
# Entries of the memory of factors that are used again: the rate of convergence, the size of the correction at which it
# was measured, and how often it was used since.
RATE, SIZE, TRUSTED = range(3)
#: Joints are closed to TOLERANCE, in units of the model's length, by at most SWEEPS corrections, where a run starts,
#: goes on with other rows, or switches components.
TOLERANCE, SWEEPS = 1e-12, 30
#: A rate of convergence is used at most this many times before it is measured again.
TRUST = 8
#: Accuracy of the accelerations where forces have jumped, as a fraction of their size.
JUMP_ACCURACY = 1e-9
#: The mass matrix is factorized again if a correction with the old factors is larger than this fraction of the one
#: before.
JUMP_RATE = 1e-3
#: Speeds are projected once more if the first projection leaves more than this fraction of the error, since the factors
#: are inaccurate near singular positions.
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
    """Index of the entry of x that is largest in units of its scale, or of the first NaN."""
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
    """−1, 0 or 1 for each i, a fixed pattern that looks random."""
    z = np.uint64(i + 1) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return float((z >> np.uint64(40)) % np.uint64(3)) - 1.0


@called(None)
def move_onto(plan, linear, off, x, maps, speeds):
    """Change speeds (n,) so that the errors of the constraints change by −`off` (m,); x is scratch, and `maps` are the
    maps of the matrix (:func:`flexmb.system.evaluation.step_matrix`).

    The change is the shortest one, measured by the upper left block of the matrix whose factors are in `linear`.
    """
    way_onto(plan, linear, off, x)
    if maps.shape[0] > 0:
        to_speeds(plan.orientations, maps, x)
    for i in range(plan.n):
        speeds[i] += x[i]


@inlined
def way_onto(plan, linear, off, x):
    """Fill x (n,) with the shortest displacement that changes the errors of the constraints by −`off` (m,)."""
    for i in range(plan.n):
        x[i] = 0.0
    for k in range(plan.m):
        x[plan.n + k] = -off[k]
    solve(plan, linear, x)


@inlined
def foreseen(memory, size):
    """The error that a correction of this size is expected to leave, from the last measured rate of convergence;
    infinite if that was used too often."""
    if memory[TRUSTED] >= TRUST:
        return np.inf
    return memory[RATE] * size * max(1.0, size / memory[SIZE])


@inlined
def measured(memory, rate, size):
    """Keep a rate of convergence: the ratio of a correction to the one before, of this size."""
    memory[RATE] = rate
    memory[SIZE] = size
    memory[TRUSTED] = 0.0


@called(int)
def jumped_accelerations(plan, scratch, linear, mass, t, q, v, a, lam, scale, work, memory):
    """Compute a (total,) and λ (m,) of a state by eq. (14), starting from their values before the forces jumped.

    The mass matrix changes little from one jump to the next: with factors from an earlier one, a and λ are corrected,
    with exact residuals, until the correction is below JUMP_ACCURACY. The rate of convergence is not predicted from the
    last jump, since the factors may have been computed in that very position. `linear` keeps the factors, `memory` (3,)
    their rate. Returns the status of the factorization.
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
                return OK  # accurate enough, or as accurate as round-off allows
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
    """Project speeds v onto ġ = 0 by the shortest change, measured by the mass matrix, and compute a (total,) and λ
    (m,) by eq. (14). Returns the status of the factorization, which both use; errors of positions remain in work.g."""
    status = factorize_mass(plan, scratch, linear, mass, t, q, v, lam, work)
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
def project_and_accelerate(plan, scratch, linear, mass, t, q, v, a, lam, given, row_scale, work, tolerance, sweeps):
    """:func:`project`, and if it leaves the speeds equal to the `given` ones (n,), :func:`accelerations` as well.

    Both are one compiled call, since for a small system a call from Python takes longer than the work. Returns the
    status of the projection, the largest remaining error of positions, and the status of the accelerations, NOT_ASKED
    if the projection failed or changed the speeds.
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
    """Move q (if `positions`) and v by the shortest displacement, measured by the mass matrix, until g and ġ are below
    `tolerance`. Velocity rows move speeds only; if they alone hold a coordinate without inertia, positions are not
    moved against them either.

    Positions take at most `sweeps` corrections. Returns the status of the factorization and the largest remaining
    errors of positions and of speeds, in units of `row_scale`.
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
            status = factorize(plan, linear)
            if status == SINGULAR:
                # velocity rows alone may hold a coordinate without inertia, such as those of tires
                matrix(plan, scratch, t, q, v, zero, lam, weights, linear.values)
                status = factorize(plan, linear)
            if status != OK:
                return status, left, 0.0
            way_onto(plan, linear, g, work.x)
            retract(plan.orientations, plan.n, q, work.x, q)
    constraints(plan, scratch, t, q, v, zero, weights, g, gd, gamma)
    rate = norm(gd, row_scale, plan.m)
    if rate <= tolerance:
        return OK, left, rate
    matrix(plan, scratch, t, q, v, zero, lam, weights, linear.values)
    status = factorize(plan, linear)
    if status != OK:
        return status, left, rate
    for _ in range(2):
        move_onto(plan, linear, gd, work.x, matrix_view(scratch.out, 0, 0, 9), v)
        constraints(plan, scratch, t, q, v, zero, weights, g, gd, gamma)
    return OK, left, norm(gd, row_scale, plan.m)
