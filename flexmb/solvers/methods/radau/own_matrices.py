"""Each stage with its own matrix: one system for all stages together.

A member that turns by δ within a step has its stiff direction turned by δ too: with one matrix for all stages
(:mod:`flexmb.solvers.methods.radau.common_matrix`) a correction across that direction leaves a strain δ times as large,
and the force of this strain exceeds others by (τω)², ω the frequency of stretching. So corrections shrink slowly or not
at all unless steps are so short that δ τω is small, far shorter than the error asks for. With a matrix for each stage
the remaining error is of second order in the correction.

With τ = h/γ, γ the real eigenvalue of A⁻¹, the rows of a stage s and the columns of a stage j are

    M (A⁻²)ₛⱼ/γ² + D τ (A⁻¹)ₛⱼ/γ,      where s = j also  + τ² K,

divided by the mass m₀ of the model, with the M of stage s, and outside the diagonal with the D of the second stage,
since D changes less. G and Gᵀ are in the diagonal blocks only, as they couple the unknowns of one stage. A velocity row
A v + b = 0, divided by (A⁻¹)ₛₛ/h, has  A (A⁻¹)ₛⱼ/(A⁻¹)ₛₛ,  where s = j also  + h/(A⁻¹)ₛₛ ∂(A v + b)/∂q.  With
orientations, D and K get the further terms derived in :mod:`flexmb.solvers.methods.radau.common_matrix`.
"""

from __future__ import annotations

from flexmb.kernels.compilation import called
from flexmb.solvers.methods.radau.common_matrix import add_turning, put_matrix, put_motion
from flexmb.solvers.methods.radau.matrix_layout import ALONE, MOTION, SPEED
from flexmb.solvers.methods.radau.radau_coefficients import ACCELERATIONS, POINTS, RATES, REAL
from flexmb.solvers.methods.radau.stages import put
from flexmb.solvers.statuses import OK
from flexmb.system.linear import factorize, solve


@called(int)
def renew(loop, h, t):
    """Evaluate and factorize the matrix of all stages, and the real matrix of a single stage, which filters the
    estimated error; returns OK or the status of the factorization that failed."""
    parts, kinds, own = loop.matrices.parts, loop.matrices.kinds, loop.matrices.own
    tau = h / REAL
    if loop.plan.dense == 1:
        own.linear.values[:] = 0.0
    for k in range(3):
        s = (1, 0, 2)[k]
        at_rate = RATES[s, s] / REAL
        now = t + POINTS[s] * h
        put(loop, s)
        put_motion(loop, s, now, 1.0, 0.0, parts[0])
        put_matrix(loop, s, now, 0.0, tau * at_rate, tau * tau, h / RATES[s, s], parts[2])
        if s == 1:
            put_motion(loop, s, now, 0.0, 1.0, parts[1])
            for p in range(kinds.shape[0]):
                parts[3, p] = parts[1, p]
            add_turning(loop, MOTION, 1.0, parts[0], parts[3])
        add_turning(loop, MOTION, tau * at_rate, parts[0], parts[2])
        add_turning(loop, MOTION, tau * tau, parts[1], parts[2])
        add_turning(loop, SPEED, h / RATES[s, s], parts[0], parts[2])
        for p in range(kinds.shape[0]):
            M, D, K = parts[0, p], parts[3, p], parts[2, p]
            if kinds[p] == ALONE:
                own.linear.values[own.places[p, s, s]] = K
                if s == 1:
                    loop.matrices.real.values[p] = K
            elif kinds[p] == MOTION:
                for j in range(3):
                    extra = K if j == s else tau * RATES[s, j] / REAL * D
                    own.linear.values[own.places[p, s, j]] = ACCELERATIONS[s, j] / (REAL * REAL) * M + extra
                if s == 1:
                    loop.matrices.real.values[p] = M + K + tau * (1.0 - at_rate) * D
            else:
                for j in range(3):
                    own.linear.values[own.places[p, s, j]] = K if j == s else RATES[s, j] / RATES[s, s] * M
                if s == 1:
                    loop.matrices.real.values[p] = M + at_rate * (K - M)
    status = factorize(loop.plan, loop.matrices.real)
    return factorize(loop.plan, own.linear) if status == OK else status


@called(float)
def correction(loop, h):
    """Solve for the corrections of u and λ of all stages from their errors r and g; returns |xᵀ S x|, see
    :mod:`flexmb.solvers.methods.radau.radau_newton`."""
    plan, stages, mass = loop.plan, loop.stages, loop.options.mass
    n, size, b, x = plan.n, plan.size, loop.matrices.b_all, loop.matrices.x_all
    tau = h / REAL
    for s in range(3):
        for i in range(n):
            b[s * size + i] = -tau * tau / mass * stages.r[s, i]
        for k in range(plan.m):
            b[s * size + n + k] = -(h / RATES[s, s] if plan.at_speed[k] >= 0 else 1.0) * stages.g[s, k]
    for i in range(3 * size):
        x[i] = b[i]
    solve(plan, loop.matrices.own.linear, x)
    power = 0.0
    for s in range(3):
        for i in range(n):
            stages.du[s, i] = x[s * size + i]
            power += x[s * size + i] * b[s * size + i]
        for k in range(plan.m):
            stages.dlam[s, k] = x[s * size + n + k] * mass / (tau * tau)
            power -= x[s * size + n + k] * b[s * size + n + k]
    return abs(power)
