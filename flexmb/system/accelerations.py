"""Accelerations and multipliers of a state, from the equations of motion:

[M  Gᵀ] [a]   [−f]
[G  0 ] [λ] = [ γ]                                                            Skyenginlab (n.d.), eq. (14)

Equation numbers in this file refer to Skyenginlab (n.d.).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference
from flexmb.system.evaluation import constraints, matrix, residual
from flexmb.system.linear import NO_ROOM, OK, factorize, solve
from flexmb.system.plan import Plan
from flexmb.system.system import System
from flexmb.system.with_friction import accelerations_with_friction


@by_reference
class Work(NamedTuple):
    """Scratch of all methods: residuals r and r2 (total,); solution x, right-hand side b and aux, as long as the
    largest of size, total and nq; errors g, ġ and γ (m,), weights (4,) of M, D, K and of ∂ġ/∂q in velocity rows; and
    zeros (total,), which are never written to."""

    r: np.ndarray
    r2: np.ndarray
    x: np.ndarray
    b: np.ndarray
    aux: np.ndarray
    zero: np.ndarray
    g: np.ndarray
    gd: np.ndarray
    gamma: np.ndarray
    weights: np.ndarray


def work_for(plan: Plan) -> Work:
    """Scratch for a plan."""
    total, large, m = plan.total, max(plan.size, plan.total, plan.nq), plan.m
    zeros = np.zeros
    x, b, aux = zeros(large), zeros(large), zeros(large)
    return Work(zeros(total), zeros(total), x, b, aux, zeros(total), zeros(m), zeros(m), zeros(m), zeros(4))


def with_room(system: System, compute: Callable[..., Any], t: float, *args: Any) -> Any:
    """Call a compiled function of a system, and call it again with more room for the factors as long as its status is
    NO_ROOM; it returns a status, or a tuple that begins with one."""
    while True:
        answer = compute(system.plan, system.scratch, system.linear, system.mass_scale, t, *args)
        if (answer[0] if isinstance(answer, tuple) else answer) != NO_ROOM:
            return answer
        system.grow()


@called(int)
def accelerations(plan, scratch, linear, mass, t, q, v, a, lam, work, alpha, beta):
    """a (total,), λ (m,) of a state by eq. (14), with Baumgarte's γ − 2α ġ − β² g, eq. (17), when α, β are not zero; in
    velocity rows γ − α ġ.

    The dynamic rows are divided by `mass`. Returns the status of the factorization; with friction also JAMMED, see
    :mod:`flexmb.system.with_friction`.
    """
    if plan.friction > 0:
        return accelerations_with_friction(plan, scratch, linear, mass, t, q, v, a, lam, work, alpha, beta)
    status = factorize_mass(plan, scratch, linear, mass, t, q, v, lam, work)
    if status != OK:
        return status
    if plan.m > 0:
        constraints(plan, scratch, t, q, v, work.zero, work.weights, work.g, work.gd, work.gamma)
    solve_for_accelerations(plan, scratch, linear, mass, t, q, v, a, lam, work, alpha, beta)
    return OK


@called(int)
def factorize_mass(plan, scratch, linear, mass, t, q, v, lam, work):
    """Factorize [M/mass, Gᵀ; G, 0] of a state; returns OK or the status of the factorization that failed."""
    weights = work.weights
    weights[0], weights[1], weights[2], weights[3] = 1.0 / mass, 0.0, 0.0, 0.0
    matrix(plan, scratch, t, q, v, work.zero, lam, weights, linear.values)
    return factorize(plan, linear)


@called(None)
def solve_for_accelerations(plan, scratch, linear, mass, t, q, v, a, lam, work, alpha, beta):
    """a (total,) and λ (m,) as in :func:`accelerations`, after :func:`factorize_mass`, where `work` has g, ġ and γ of
    the state."""
    r, x, n = work.r, work.x, plan.n
    residual(plan, scratch, t, q, v, work.zero, work.weights, r)
    for i in range(n):
        x[i] = -r[i] / mass
    for k in range(plan.m):
        damped = alpha if plan.at_speed[k] >= 0 else 2.0 * alpha
        x[n + k] = work.gamma[k] - damped * work.gd[k] - beta * beta * work.g[k]
    solve(plan, linear, x)
    for i in range(n):
        a[i] = x[i]
    for k in range(plan.m):
        lam[k] = x[n + k] * mass
