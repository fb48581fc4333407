"""Where Newton's method begins: the stages of a step as the motion so far lets expect them."""

from __future__ import annotations

from flexmb.kernels.charts import difference, retract
from flexmb.kernels.compilation import called, inlined
from flexmb.solvers.radau.radau_coefficients import POINTS

#: the points of Gauss's rule for the interval from −1 to 1 are ± this
GAUSS = 3.0**-0.5
#: a polynomial serves for a step that is longer at most by this factor
REACH = 3.0


@called(None)
def begin(loop, h):
    """The stages of a step as the one before lets expect them, if it does."""
    if loop.state.polynomial > 0.0 and h < REACH * loop.state.h_done:
        extrapolate(loop, h)
    else:
        begin_still(loop, h)


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
    """The stages as the polynomials of the step before go on: speeds by theirs, of third order, and positions by its
    integral, which is an order better than the polynomial through the positions of the stages. Of orientations these
    are in the axes of the step before, so that the polynomial of positions itself goes on."""
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
            retract(plan.orientations, n, motion.q_before, work.aux, stages.q)
            difference(plan.orientations, n, stages.q, motion.q, work.aux)
            for k in range(plan.orientations.shape[0]):
                for i in range(plan.orientations[k, 0], plan.orientations[k, 0] + 3):
                    stages.u[s, i] = work.aux[i] - POINTS[s] * h * motion.v[i]
        for k in range(plan.m):
            lam = motion.lam_before
            stages.lam[s, k] = x[0] * lam[0, k] + x[1] * lam[1, k] + x[2] * lam[2, k]


@inlined
def weights_of_integral(part):
    """The weights of the changes of speeds in the stages of a step in the integral, from its end to a `part` of it, of
    what their polynomial has more than at the end: by Gauss's rule with two points, which is exact for it."""
    half = 0.5 * (part - 1.0)
    a, _ = stage_weights(1.0 + half * (1.0 - GAUSS))
    b, _ = stage_weights(1.0 + half * (1.0 + GAUSS))
    return half * (a[0] + b[0]), half * (a[1] + b[1]), half * (a[2] + b[2]) - (part - 1.0)


@inlined
def stage_weights(part):
    """Lagrange's weights at a part of the step: of the stages of a polynomial that begins with zero, and of the stages
    alone."""
    c0, c1, c2 = POINTS[0], POINTS[1], POINTS[2]
    x0 = (part - c1) * (part - c2) / ((c0 - c1) * (c0 - c2))
    x1 = (part - c0) * (part - c2) / ((c1 - c0) * (c1 - c2))
    x2 = (part - c0) * (part - c1) / ((c2 - c0) * (c2 - c1))
    return (x0 * part / c0, x1 * part / c1, x2 * part / c2), (x0, x1, x2)
