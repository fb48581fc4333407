"""The stages of a step, and the residuals of their equations.

The unknowns are u and the multipliers λ of the three stages, with positions q = q₀ ∘ exp(y), y = c h v₀ + u. Speeds and
accelerations are the derivatives of the polynomials through the start and the stages,

    ẏ = v₀ + A⁻¹ u / h,      v = T(y) ẏ,      a = A⁻¹ (v − v₀) / h

where T differs from the identity for orientations only. Each stage satisfies  M a + f + Gᵀ λ = 0  and  g = 0,  or in
velocity rows  A v + b = 0.
"""

from __future__ import annotations

from flexmb.kernels.charts import rate_maps, retract, to_speeds
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.views import vector_view
from flexmb.solvers.methods.radau.radau_coefficients import POINTS, RATES
from flexmb.solvers.rows.index_one import last_place
from flexmb.system.evaluation import add_constraint_forces, add_residual, constraints, residual


@called(None)
def spread(loop, h):
    """Compute displacements y, changes of speeds and accelerations of all stages from their u."""
    plan, stages, v0 = loop.plan, loop.stages, loop.motion.v
    n = plan.n
    for i in range(n):
        u0, u1, u2 = stages.u[0, i], stages.u[1, i], stages.u[2, i]
        for s in range(3):
            stages.y[s, i] = POINTS[s] * h * v0[i] + stages.u[s, i]
            stages.dv[s, i] = (RATES[s, 0] * u0 + RATES[s, 1] * u1 + RATES[s, 2] * u2) / h
    if plan.orientations.shape[0] > 0:
        aux = loop.work.aux
        for s in range(3):
            rate_maps(plan.orientations, stages.y[s], stages.maps)
            for k in range(plan.orientations.shape[0]):
                for i in range(plan.orientations[k, 0], plan.orientations[k, 0] + 3):
                    aux[i] = v0[i] + stages.dv[s, i]
            to_speeds(plan.orientations, stages.maps, aux)
            for k in range(plan.orientations.shape[0]):
                for i in range(plan.orientations[k, 0], plan.orientations[k, 0] + 3):
                    stages.dv[s, i] = aux[i] - v0[i]
    for i in range(n):
        d0, d1, d2 = stages.dv[0, i], stages.dv[1, i], stages.dv[2, i]
        for s in range(3):
            stages.a[s, i] = (RATES[s, 0] * d0 + RATES[s, 1] * d1 + RATES[s, 2] * d2) / h


@inlined
def _place(loop, s, q, v):
    """Write positions and speeds of stage s into q (total_q,) and v (total,)."""
    plan, stages, motion = loop.plan, loop.stages, loop.motion
    retract(plan.orientations, plan.n, motion.q, stages.y[s], q)
    for i in range(plan.n):
        v[i] = motion.v[i] + stages.dv[s, i]


@called(None)
def put(loop, s):
    """Write positions, speeds and accelerations of stage s into `loop.end.q`, `loop.end.v` and `loop.end.a`."""
    stages = loop.stages
    _place(loop, s, loop.end.q, loop.end.v)
    for i in range(loop.plan.n):
        loop.end.a[i] = stages.a[s, i]


@called(None)
def errors(loop, h, t, rounded):
    """Compute the errors r and g of all stages. With `rounded`, positions are changed in their last digit and g by
    round-off of the model's size, to measure the effect of round-off; joints near the origin, too, are differences of
    numbers of that size."""
    plan, stages, stack = loop.plan, loop.stages, loop.stacked
    spread(loop, h)
    _put_all(loop, rounded)
    loop.counts.evaluations += 3
    count, count_q, m = 3 * plan.total, 3 * plan.total_q, 3 * plan.m
    q, v, a = (
        vector_view(stages.all_q, 0, count_q),
        vector_view(stages.all_v, 0, count),
        vector_view(stages.a, 0, count),
    )
    lam, r, weights = vector_view(stages.lam, 0, m), vector_view(stages.r, 0, count), loop.work.weights
    g, gd, gamma = vector_view(stages.g, 0, m), vector_view(stages.gd, 0, m), vector_view(stages.gamma, 0, m)
    residual(stack.plan, stack.scratch, t, q, v, a, weights, r)
    if m > 0:
        add_constraint_forces(stack.plan, stack.scratch, t, q, v, a, lam, weights, r)
        constraints(stack.plan, stack.scratch, t, q, v, a, weights, g, gd, gamma)
    if stack.rest.groups.shape[0] > 0:
        for s in range(3):
            _add_rest(loop, s, t + POINTS[s] * h)
    for s in range(3):
        for k in range(plan.m):
            if plan.at_speed[k] >= 0:
                stages.g[s, k] = stages.gd[s, k]
            if rounded:
                stages.g[s, k] += 2.3e-16 * loop.scales.rows[k] * last_place(plan.n + k + s)


@called(None)
def _put_all(loop, rounded):
    """Write positions and speeds of all stages into `all_q` and `all_v`."""
    stages = loop.stages
    for s in range(3):
        _place(loop, s, stages.all_q[s], stages.all_v[s])
        if rounded:
            for i in range(loop.plan.n):
                stages.all_q[s, i] *= 1.0 + 2.3e-16 * last_place(i + s)


@called(None)
def _add_rest(loop, s, t):
    """Add the errors of those kernel groups that are evaluated stage by stage, not for all stages at once."""
    stages, rest, scratch, weights = loop.stages, loop.stacked.rest, loop.scratch, loop.work.weights
    q, v, a, lam = stages.all_q[s], stages.all_v[s], stages.a[s], stages.lam[s]
    add_residual(rest, scratch, t, q, v, a, weights, stages.r[s])
    if loop.plan.m > 0:
        add_constraint_forces(rest, scratch, t, q, v, a, lam, weights, stages.r[s])
        constraints(rest, scratch, t, q, v, a, weights, stages.g[s], stages.gd[s], stages.gamma[s])
