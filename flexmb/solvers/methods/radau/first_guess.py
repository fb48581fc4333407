"""First guess of the stages for Newton's method: the polynomials of the last step, extrapolated."""

from __future__ import annotations

from flexmb.kernels.charts import difference, retract
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.methods.radau.radau_coefficients import POINTS

#: Points of the Gauss rule with two points on the interval from −1 to 1: ± GAUSS.
GAUSS = 3.0**-0.5
#: The polynomials of the last step are extrapolated over a step that is at most this many times as long.
REACH = 3.0


@called(None)
def begin(loop, h):
    """First guess of the stages of a step h: the last step extrapolated, or constant accelerations where there is no
    last step or the new one is too long."""
    if loop.state.polynomial > 0.0 and h < REACH * loop.state.h_done:
        extrapolate(loop, h)
    else:
        begin_still(loop, h)


@called(None)
def begin_still(loop, h):
    """First guess of the stages with the accelerations and multipliers of the start of the step."""
    plan, stages, motion = loop.plan, loop.stages, loop.motion
    for s in range(3):
        c = POINTS[s]
        for i in range(plan.n):
            stages.u[s, i] = 0.5 * c * c * h * h * motion.a[i]
        for k in range(plan.m):
            stages.lam[s, k] = motion.lam[k]


@called(None)
def extrapolate(loop, h):
    """First guess of the stages from the polynomials of the last step: speeds from their polynomial of third degree,
    and positions from its integral, which is one order more accurate than the polynomial through the positions of the
    stages. Speeds of orientations are in body axes of the last step, so for these the polynomial of positions is
    extrapolated."""
    plan, stages, motion, before = loop.plan, loop.stages, loop.motion, loop.state.h_done
    n, work, dv, u = plan.n, loop.work, motion.dv_before, motion.u_before
    for s in range(3):
        part = 1.0 + POINTS[s] * h / before
        w, x = stage_weights(part)
        w0, w1, w2 = weights_of_integral(part)
        for i in range(n):
            stages.u[s, i] = before * (w0 * dv[0, i] + w1 * dv[1, i] + w2 * dv[2, i])
        if plan.orientations.shape[0] > 0:
            for i in range(n):
                there = w[0] * u[0, i] + w[1] * u[1, i] + w[2] * u[2, i]
                work.aux[i] = part * before * motion.v_before[i] + there
            retract(plan.orientations, n, motion.q_before, work.aux, loop.end.q)
            difference(plan.orientations, n, loop.end.q, motion.q, work.aux)
            for k in range(plan.orientations.shape[0]):
                for i in range(plan.orientations[k, 0], plan.orientations[k, 0] + 3):
                    stages.u[s, i] = work.aux[i] - POINTS[s] * h * motion.v[i]
        for k in range(plan.m):
            lam = motion.lam_before
            stages.lam[s, k] = x[0] * lam[0, k] + x[1] * lam[1, k] + x[2] * lam[2, k]


@inlined
def weights_of_integral(part):
    """Weights wₛ of ∫ (Δv(x) − Δv(1)) dx = Σ wₛ Δvₛ from the end of the last step, x = 1, to x = `part`, where Δv(x) is
    the polynomial through the changes of speeds Δvₛ at its stages. The Gauss rule with two points is exact for its
    third degree."""
    half = 0.5 * (part - 1.0)
    a, _ = stage_weights(1.0 + half * (1.0 - GAUSS))
    b, _ = stage_weights(1.0 + half * (1.0 + GAUSS))
    return half * (a[0] + b[0]), half * (a[1] + b[1]), half * (a[2] + b[2]) - (part - 1.0)


@inlined
def stage_weights(part):
    """Lagrange weights of the three stages at a `part` of the step: for the polynomial that also goes through zero at
    the start of the step, and for that through the stages alone."""
    c0, c1, c2 = POINTS[0], POINTS[1], POINTS[2]
    x0 = (part - c1) * (part - c2) / ((c0 - c1) * (c0 - c2))
    x1 = (part - c0) * (part - c2) / ((c1 - c0) * (c1 - c2))
    x2 = (part - c0) * (part - c1) / ((c2 - c0) * (c2 - c1))
    return (x0 * part / c0, x1 * part / c1, x2 * part / c2), (x0, x1, x2)
