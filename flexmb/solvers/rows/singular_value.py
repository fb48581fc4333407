"""σ, the smallest singular value of the constraint rows in the metric of the mass matrix: it vanishes where the rows
depend on one another, and its fall tells of a singular position before a step reaches it."""

from __future__ import annotations

import numpy as np

from flexmb.algebra.precision import ROUNDING
from flexmb.kernels.compilation import allocation_free, called, inlined
from flexmb.solvers.rows.index_one import last_place
from flexmb.solvers.statuses import OK
from flexmb.system.accelerations import accelerations
from flexmb.system.linear import solve

#: A state is near a singular position if σ is below this fraction of its largest value.
NEAR = 0.05
#: A passage is tried near a singular position if it is at most this many steps away.
REACH = 4.0
#: A passage is also tried if a step of at most this many times the last one would reach the singular position.
LEAP = 1.5
#: A method must not go below this fraction of the largest σ by its own steps. If the error of positions is large, its
#: square root takes the place of this number, since the branches of the mechanism join at that distance.
DEPTH = 1e-5
#: States are inaccurate where σ is below this fraction of its largest value. A step from far away that leads there is
#: repeated with a shorter one, and a step across the singular position starts from such a state only if there is no
#: earlier one. Three times this number makes errors of CVODE 5 to 20 times as large; a third of it does as well as
#: this.
POOR = 0.01
#: If a speed jumps in one step by this fraction of the largest speed, the mechanism has changed its branch.
BRANCH = 0.6
#: Rows that move less than this fraction of the model's mass belong to massless nodes: their masses in the factors are
#: round-off, and the ratio of two such numbers would look like a singular position.
MASSLESS = 1e-12
#: Part of other combinations of rows that is added where another one may be about to vanish.
OTHERS = 0.05
#: Inverse iterations at the first state, from an arbitrary direction.
AT_START = 6


@called(None)
def put_any_combination(u):
    """Fill u (m,) with a combination of rows in which no row has the weight of another: with equal weights the one that
    moves the masses may be missing, as that of a rod along an axis and of the row of a massless node at its end."""
    size = 0.0
    for k in range(u.shape[0]):
        part = 0.6180339887498949 * (k + 1)
        u[k] = 0.5 + part - np.floor(part)
        size += u[k] * u[k]
    for k in range(u.shape[0]):
        u[k] /= np.sqrt(size)


def any_combination(m: int) -> np.ndarray:
    """The combination (m,) of rows from which inverse iterations start."""
    u = np.zeros(m)
    put_any_combination(u)
    return u


@inlined
def take_in_others(u):
    """Add small parts of other combinations to the combination of rows u (m,) that was about to vanish. Where long
    steps pass another singular position, whose combination is orthogonal to u, that would otherwise have to grow from
    round-off while the position goes by."""
    m = u.shape[0]
    for k in range(m):
        u[k] += OTHERS * last_place(k) / np.sqrt(m)


@called(float)
def smallest_singular_value(plan, linear, row_scale, u, x):
    """σ, the smallest singular value of the constraint rows in the metric of the mass matrix, from factors of the
    matrix of eq. (14): one inverse iteration starts from u (m,) and overwrites it with the combination of rows that is
    about to vanish. Returns 1 if friction depends on joint forces: these have to be unique, so that there is no
    passage. Rows that hold only massless nodes have an infinite σ; for them σ of the smallest mass that is no round-off
    is returned."""
    n, m = plan.n, plan.m
    if plan.friction > 0:
        return 1.0
    for i in range(n):
        x[i] = 0.0
    for k in range(m):
        x[n + k] = row_scale[k] * u[k]
    solve(plan, linear, x)
    size = 0.0
    length = 1.0
    for k in range(m):
        u[k] = row_scale[k] * x[n + k]
        size += u[k] * u[k]
        if row_scale[k] != 1.0:  # a row that is a length has the model's length as its scale, an angle has 1
            length = row_scale[k]
    size = np.sqrt(size)
    least = MASSLESS * length * length
    if not least < size < np.inf:  # no direction was found
        put_any_combination(u)
        return 1.0 / np.sqrt(least) if size <= least else 0.0
    for k in range(m):
        u[k] /= size
    return 1.0 / np.sqrt(size)


@called(bool)
def approaches(watch, sigma):
    """Record σ of a new state, and return whether to try a passage: near a singular position each time that σ has
    halved, when the position is only a few steps away, and when the next step may reach it. `watch` (3,): the last σ,
    the largest, and the one below which to try next."""
    fall = watch[0] - sigma
    watch[0] = sigma
    watch[1] = max(watch[1], sigma)
    near = NEAR * watch[1]
    if fall <= 0.0 or sigma >= near:
        watch[2] = near
    if fall <= 0.0:
        return False
    halved = sigma < watch[2]
    if halved:
        watch[2] = 0.5 * sigma
    return halved or sigma < LEAP * fall or (sigma < near and sigma < REACH * fall)


@inlined
def leads_deep(watch, sigma):
    """Whether a step leads from far away to a state that is inaccurate because σ is this small."""
    return sigma < POOR * watch[1] and watch[0] > 2.0 * POOR * watch[1]


@called(bool)
def leaps(h, v0, a0, v, a, scale, n):
    """Whether speeds changed in a step h by more than the accelerations at both ends explain: then the new state is on
    another branch of the mechanism, which is close by near a singular position. (Not tested are motion from rest, where
    speeds may begin with any power of t, and speeds whose displacement in the step is round-off.)"""
    jump = 0.0
    speed = 0.0
    begun = 0.0
    for i in range(n):
        from_here = 0.5 * h * a0[i]
        from_there = 0.5 * h * a[i]
        jump = max(jump, abs(v[i] - v0[i] - from_here - from_there) / scale[i])
        largest = max(max(abs(v0[i]), abs(v[i])), max(abs(from_here), abs(from_there)))
        speed = max(speed, largest / scale[i])
        begun = max(begun, abs(v0[i]))
    return begun > 0.0 and h * speed > ROUNDING and not jump <= BRANCH * speed


@allocation_free
def singular_value(plan, linear, row_scale, u, x, times):
    """σ by :func:`smallest_singular_value`, from `times` iterations."""
    sigma = 0.0
    for _ in range(times):
        sigma = smallest_singular_value(plan, linear, row_scale, u, x)
    return sigma


@allocation_free
def see_start(plan, scratch, linear, mass, t, q, v, a, lam, work, row_scale, u, watch):
    """Record σ of the state at which a run begins or goes on: what a passage does with the first one. Returns
    the status of its accelerations."""
    status = accelerations(plan, scratch, linear, mass, t, q, v, a, lam, work, 0.0, 0.0)
    watch[0] = watch[2] = 0.0
    if status == OK and plan.m > 0:
        sigma = 0.0
        for _ in range(AT_START):
            sigma = smallest_singular_value(plan, linear, row_scale, u, work.x)
        approaches(watch, sigma)
    return status
