"""Correction for joint friction, which follows from joint forces that have a lower order than positions.

The multipliers of the stages of Radau IIA are of second order, since the equations hold g = 0 (Hairer, Lubich and Roche
(1989)), and friction F(λ) carries their error into the motion. The multipliers λ̂ from eq. (14) of
:mod:`flexmb.system.accelerations`, evaluated at the state of a stage, are as accurate as its speeds. So at the end of a
step the error δ of the accelerations is found at each stage from

    [M  Gᵀ] [δ]   [F(λ) − F(λ̂)]
    [G  0 ] [·] = [     0     ],

and corrected by the quadrature of the method: speeds by h Σ bₛ δₛ, positions by h² Σ bₛ (1 − cₛ) δₛ. For a pendulum
that swings in a bearing for 3 s with a tolerance of 1e-8, the error falls from 150 tolerances to 0.3. Where friction
stops a slip within a fraction of a step, it would stop the correction as well. So δ is multiplied by F (2 − F) with the
filter F = (M + τD + τ²K)⁻¹ M from the matrix of the step, which is 1 + O(h²) in directions without stiffness and nearly
zero in stiff ones.
"""

from __future__ import annotations

from flexmb.kernels.compilation import called
from flexmb.kernels.views import vector_view
from flexmb.solvers.methods.radau.radau_coefficients import POINTS, WEIGHTS
from flexmb.solvers.methods.radau.stages import put
from flexmb.solvers.statuses import OK
from flexmb.system.accelerations import accelerations, factorize_mass
from flexmb.system.evaluation import residual
from flexmb.system.friction import add_friction
from flexmb.system.linear import solve


@called(int)
def take_out_error_of_friction(loop, h, t):
    """Correct moves y and speeds of the last stage of a step from t for the error of joint friction; returns OK, or the
    status of :func:`accelerations`."""
    plan, scratch, stages, work, mass = loop.plan, loop.scratch, loop.stages, loop.work, loop.options.mass
    r, x, once, q, v = work.r, work.x, work.b, loop.end.q, loop.end.v
    lam = vector_view(work.aux, 0, plan.m)
    for s in range(3):
        now = t + POINTS[s] * h
        put(loop, s)
        for k in range(plan.m):
            lam[k] = stages.lam[s, k]
        status = accelerations(
            plan, scratch, loop.linear, mass, now, q, v, loop.end.a, lam, work, 0.0, 0.0
        )  # fmt: skip
        if status == OK:
            status = factorize_mass(plan, scratch, loop.linear, mass, now, q, v, lam, work)
        if status != OK:
            return status
        for i in range(plan.total):
            r[i] = work.r2[i] = 0.0
        add_friction(plan, scratch, now, q, v, work.zero, stages.lam[s], r)
        add_friction(plan, scratch, now, q, v, work.zero, lam, work.r2)
        for i in range(plan.size):
            x[i] = (r[i] - work.r2[i]) / mass if i < plan.n else 0.0
        solve(plan, loop.linear, x)
        for twice in range(2):
            for i in range(plan.n):
                loop.end.a[i] = x[i]
            residual(plan, scratch, now, q, v, loop.end.a, work.weights, r)
            residual(plan, scratch, now, q, v, work.zero, work.weights, work.r2)
            for i in range(plan.size):
                x[i] = (r[i] - work.r2[i]) / mass if i < plan.n else 0.0
            solve(plan, loop.matrices.real, x)
            if twice == 0:
                for i in range(plan.n):
                    once[i] = x[i]
        for i in range(plan.n):
            x[i] = 2.0 * once[i] - x[i]
        for i in range(plan.n):
            stages.dv[2, i] += h * WEIGHTS[s] * x[i]
            stages.y[2, i] += h * h * WEIGHTS[s] * (1.0 - POINTS[s]) * x[i]
    return OK
