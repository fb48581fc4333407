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
from flexmb.kernels.lending import Lent
from flexmb.kernels.references import by_reference
from flexmb.system.evaluation import constraints, matrix, residual
from flexmb.system.linear import NO_ROOM, OK, Linear, factorize, solve
from flexmb.system.plan import Plan, Scratch
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


@by_reference
class Stated(NamedTuple):
    """The arguments of :func:`accelerations` but the time."""

    plan: Plan
    scratch: Scratch
    linear: Linear
    mass: float
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    work: Work
    alpha: float
    beta: float


class AccelerationsIn:
    """:func:`accelerations` of a state in arrays that stay where they are, for methods in Python, which ask for them
    thousands of times: to convert all arrays of a system takes as long as they do."""

    def __init__(self, system: System, *state: Any) -> None:
        """`state`: q, v, a, λ, work, α and β."""
        self._system, self._state = system, state
        self._ask: Lent | None = None

    def __call__(self, t: float) -> int:
        """Find a and λ at a time [s]; the status."""
        while True:
            system, ask = self._system, self._ask
            if ask is None or ask.lent.plan is not system.plan or ask.lent.linear is not system.linear:
                given = system.plan, system.scratch, system.linear, float(system.mass_scale), *self._state
                ask = self._ask = Lent(accelerations_in, Stated(*given))
            status = ask(t)
            if status != NO_ROOM:
                return status
            system.grow()


@called(int)
def accelerations_in(s, t):
    return accelerations(s.plan, s.scratch, s.linear, s.mass, t, s.q, s.v, s.a, s.lam, s.work, s.alpha, s.beta)


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
