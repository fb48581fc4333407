"""Residual of the equations of a step, and the power of a correction.

Dynamic rows are multiplied by βh²/m₀, velocity rows by βh/γ, see
:mod:`flexmb.solvers.methods.generalized_alpha.alpha_newton`.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import called, inlined
from flexmb.system.evaluation import add_constraint_forces, constraints, residual


@inlined
def weight_of_forces(loop, h):
    """βh²/m₀, the factor of dynamic rows."""
    return loop.scheme.beta * h * h / loop.options.mass


@inlined
def weight_of_rates(loop, h):
    """βh/γ, the change of a coordinate in a step that changes its speed by one."""
    return loop.scheme.beta * h / loop.scheme.gamma


@called(None)
def right_hand_side(loop, h, t):
    """Fill work.b with −(βh²/m₀ r, g) at the trial state, where r contains the constraint forces; with −βh/γ ġ in
    velocity rows."""
    plan, scratch, trial, work = loop.plan, loop.scratch, loop.trial, loop.work
    residual(plan, scratch, t, trial.q, trial.v, trial.a, work.weights, work.r)
    if plan.m > 0:
        add_constraint_forces(plan, scratch, t, trial.q, trial.v, trial.a, trial.lam, work.weights, work.r)
        constraints(plan, scratch, t, trial.q, trial.v, trial.a, work.weights, work.g, work.gd, work.gamma)
    scaling = weight_of_forces(loop, h)
    for i in range(plan.n):
        work.b[i] = -scaling * work.r[i]
    on_rates = weight_of_rates(loop, h)
    for k in range(plan.m):
        work.b[plan.n + k] = -work.g[k] if plan.at_speed[k] < 0 else -on_rates * work.gd[k]


@called(float)
def power_of_correction(loop):
    """√|xᵀ S x| in units of the model's length, from the solution x in work.x and the right-hand side in work.b. The
    contribution βh/γ λ'ᵀ ∂(A v + b)/∂q x of velocity rows is neglected; it vanishes as fast as the rest."""
    plan, x, b = loop.plan, loop.work.x, loop.work.b
    total = 0.0
    for i in range(plan.n):
        total += x[i] * b[i]
    for k in range(plan.n, plan.size):
        total -= x[k] * b[k]
    return math.sqrt(abs(total)) / loop.options.length
