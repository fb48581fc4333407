"""Where Newton's method begins: the stages of a step as the motion so far lets expect them."""

from __future__ import annotations

from flexmb.kernels.charts import difference, retract
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.radau import state as at
from flexmb.solvers.radau.coefficients import POINTS


@called(None)
def begin_still(loop, h):
    """The stages of a motion whose accelerations and multipliers stay as they are."""
    plan, stages, motion = loop.plan, loop.stages, loop.motion
    for s in range(3):
        c = POINTS[s]
        for i in range(plan.n):
            stages.u[s, i] = 0.5 * c * c * h * h * motion.a[i]
        for k in range(plan.m):
            stages.lam[s, k] = motion.lam[k]


@called(None)
def extrapolate(loop, h):
    """The stages on the polynomials of the step before."""
    plan, stages, motion, before = loop.plan, loop.stages, loop.motion, loop.state[at.H_DONE]
    n, work = plan.n, loop.work
    for s in range(3):
        part = 1.0 + POINTS[s] * h / before
        w, x = stage_weights(part)
        for i in range(n):
            u, last = motion.u_before, motion.u_before[2, i]
            there = w[0] * u[0, i] + w[1] * u[1, i] + w[2] * u[2, i]
            stages.u[s, i] = there - last - POINTS[s] * h * (motion.v[i] - motion.v_before[i])
            work.aux[i] = part * before * motion.v_before[i] + there
        if plan.orientations.shape[0] > 0:
            retract(plan.orientations, n, motion.q_before, work.aux, stages.q)
            difference(plan.orientations, n, stages.q, motion.q, work.aux)
            for k in range(plan.orientations.shape[0]):
                for i in range(plan.orientations[k, 0], plan.orientations[k, 0] + 3):
                    stages.u[s, i] = work.aux[i] - POINTS[s] * h * motion.v[i]
        for k in range(plan.m):
            lam = motion.lam_before
            stages.lam[s, k] = x[0] * lam[0, k] + x[1] * lam[1, k] + x[2] * lam[2, k]


@inlined
def stage_weights(part):
    """Lagrange's weights at a part of the step: of the stages of a polynomial that begins with zero, and of the stages
    alone."""
    c0, c1, c2 = POINTS[0], POINTS[1], POINTS[2]
    x0 = (part - c1) * (part - c2) / ((c0 - c1) * (c0 - c2))
    x1 = (part - c0) * (part - c2) / ((c1 - c0) * (c1 - c2))
    x2 = (part - c0) * (part - c1) / ((c2 - c0) * (c2 - c1))
    return (x0 * part / c0, x1 * part / c1, x2 * part / c2), (x0, x1, x2)
