"""The error of a step beside a touch, where forces begin or end with a broken power of time.

A contact pushes with k δⁿ, n = 3/2 for round bodies, so that from a touch on accelerations grow as τⁿ. Of such a motion
neither the method nor the formula of third order by which its error is judged has its order: a step of length h from
the touch leaves an error h^(n+1) in the speeds by both. An error of speeds lasts, and moves positions by as much as
there is time left, while the estimate of the error of positions, h^(n+2), knows of one step.

By the rule of Radau IIA for ∫ τ^(3/2) dτ, and by its estimate, the error is that part of the estimate:

    distance of the step from the touch, over h        0       0.1      0.25     0.5      1        2        4
    behind the touch, where bodies come together       0.051   0.033    0.020    0.011    0.0048   0.0018   0.0006
    before it, where they part                         0.130   0.056    0.029    0.014    0.0057   0.0019   0.0006
    0.13/(1 + 3.5 d/h)²                                0.130   0.071    0.037    0.017    0.0064   0.0020   0.0006

For 1 < n < 2 the parts are as large or smaller, and for n = 1 and 2 the method has its order up to the touch. Further
away motions are as smooth as others. So beside touches the error of speeds, by that formula, must not displace anything
by more until the end of the run than a step may be off. Steps behind a touch then grow from it as the powers of some
number, and shrink so before bodies part.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import called
from flexmb.solvers.radau.radau_coefficients import REAL

#: which part of its estimate the error of speeds is beside a touch, and how that falls with the distance from it
OF_ESTIMATE, FALLS = 0.13, 3.5
#: which part of the change of accelerations, times the step, the error of speeds is at most where a touch is within
IN_BETWEEN = 0.1
#: Friction of joints turns round, and begins, in a narrow range of speeds. Where steps are long against that, errors of
#: speeds are as in steps so many lengths from a touch; where a motion begins anew, as in those beside one.
NARROW = 4.0
#: the part of the error allowed that a step beside a touch may take: many may follow one another
OF_ALLOWED = 0.5
#: Errors of speeds are of the order h^(5/2) there. As this power of them they fall with h⁴, as those do by which steps
#: are chosen.
AS_OTHERS = 1.6
#: what rounding leaves of speeds, as a part of them, and of positions in units of the model; so many times that, or
#: what was measured for Newton's method, is left where joints are closed
ROUNDING, CLOSED = 1e-15, 4.0


@called(float)
def error_of_speeds(loop, h):
    """The largest e_v = s e − p of a step, from e in stages.x and p in stages.b, without what rounding makes of it:
    positions that are rounded, to close joints at that, are divided by h."""
    stages, motion, scale, s = loop.stages, loop.motion, loop.scales.coordinates, REAL / h
    largest = 0.0
    for i in range(loop.plan.n):
        off = abs(s * stages.x[i] - stages.b[i]) - ROUNDING * abs(motion.v[i])
        largest = max(largest, off / scale[i])
    closed = CLOSED * max(loop.state.floor, ROUNDING) if loop.plan.m > 0 else 0.0
    return max(largest - closed / h, 0.0)


@called(float)
def error_at_touch(options, t0, t, apart, of_speeds):
    """The error, as a part of the one allowed, of a step from t0 to t that is so far `apart` from a touch [s] and whose
    speeds have errors `of_speeds` by the estimate, as parts of the same [1/s]; 0 where nothing touches."""
    if apart == math.inf:
        return 0.0
    h = t - t0
    part = OF_ESTIMATE / (1.0 + FALLS * apart / h) ** 2
    return (part * of_speeds * max(options.t_end - t, h) / OF_ALLOWED) ** AS_OTHERS


@called(float)
def error_through_touch(options, scale, n, t0, t, a0, a):
    """The same of a step that goes on through a touch, with accelerations a0 at its start and a at its end: of forces
    that begin or end in it with any power n ≥ 1 the error of speeds is less than IN_BETWEEN of h (a − a0), while the
    estimate is zero where they begin at 0.42 of the step, or at 0.26, or end at 0.6."""
    h, largest = t - t0, 0.0
    for i in range(n):
        largest = max(largest, abs(a[i] - a0[i]) / scale[i])
    return (IN_BETWEEN * h * largest * max(options.t_end - t, h) / (OF_ALLOWED * options.allowed)) ** AS_OTHERS


@called(float)
def error_of_rubbing(plan, options, state, t0, t, of_speeds):
    """The same of a step in which joints may rub by their own forces."""
    if plan.friction == 0:
        return 0.0
    apart = NARROW * (t - t0) if state.polynomial > 0.0 else 0.0
    return error_at_touch(options, t0, t, apart, of_speeds)
