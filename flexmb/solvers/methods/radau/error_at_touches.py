"""Error of a step near a touch, an instant at which a contact begins or ends and its force grows with a fractional
power of time.

A contact pushes with k δⁿ, n = 3/2 for round bodies, so that after the touch accelerations grow as τⁿ, where τ is the
time since then. For such a motion neither the method nor the third-order formula that estimates its error reaches its
order: a step of length h from the touch has an error h^(n+1) in the speeds with both. An error of speeds persists and
displaces positions in proportion to the time left in the run, while the estimated error of positions, h^(n+2), covers
one step only.

The ratio of the true error of speeds to the estimated one, with Radau IIA and its estimate applied to ∫ τ^(3/2) dτ:

    distance of the step from the touch, over h        0       0.1      0.25     0.5      1        2        4
    after the touch, where bodies come together        0.051   0.033    0.020    0.011    0.0048   0.0018   0.0006
    before it, where they part                         0.130   0.056    0.029    0.014    0.0057   0.0019   0.0006
    0.13/(1 + 3.5 d/h)²                                0.130   0.071    0.037    0.017    0.0064   0.0020   0.0006

For other 1 < n < 2 the ratios are as large or smaller, and for n = 1 and 2 the method has its full order up to the
touch. Farther from a touch the motion is smooth. So near touches a step is accepted only if its error of speeds, by the
formula in the last line, displaces no coordinate until the end of the run by more than the error allowed in one step.
The sizes of the steps after a touch then grow geometrically, and shrink geometrically before bodies part.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import called
from flexmb.solvers.methods.radau.radau_coefficients import REAL

#: Near a touch the error of speeds is OF_ESTIMATE/(1 + FALLS d/h)² of its estimate, with the distance d from the touch
#: and the step h [s]: the last line of the table.
OF_ESTIMATE, FALLS = 0.13, 3.5
#: If the touch lies inside the step, the error of speeds is at most this part of h |a₁ − a₀|, the change of the
#: accelerations over the step times its size.
IN_BETWEEN = 0.1
#: Joint friction builds up and reverses within a narrow range of speeds. For steps that are long compared with that
#: range, the error of speeds is taken to be that of a step this many step lengths away from a touch; where a motion
#: starts, that of a step at a touch.
NARROW = 4.0
#: A step near a touch may take this part of the allowed error, since several such steps may follow one another.
OF_ALLOWED = 0.5
#: Near a touch errors of speeds are of the order h^(5/2). Raised to this power they fall with h⁴, as the estimate that
#: determines the next step.
AS_OTHERS = 1.6
#: Round-off of speeds relative to their size, and of positions in units of the scales. CLOSED times that, or times the
#: round-off measured for Newton's method, is the error to which joints are closed.
ROUNDING, CLOSED = 1e-15, 4.0


@called(float)
def error_of_speeds(loop, h):
    """Largest estimated error of a speed, e_v = s e − p, in units of the scales [1/s]; e is in matrices.x, p in
    matrices.b. Round-off is subtracted: that of the speeds, and that of positions, with which the joints are closed,
    divided by h."""
    matrices, motion, scale, s = loop.matrices, loop.motion, loop.scales.coordinates, REAL / h
    largest = 0.0
    for i in range(loop.plan.n):
        off = abs(s * matrices.x[i] - matrices.b[i]) - ROUNDING * abs(motion.v[i])
        largest = max(largest, off / scale[i])
    closed = CLOSED * max(loop.state.floor, ROUNDING) if loop.plan.m > 0 else 0.0
    return max(largest - closed / h, 0.0)


@called(float)
def error_at_touch(options, t0, t, apart, of_speeds):
    """Error of a step from t0 to t near a touch, as a part of the error allowed; 0 where nothing touches. `apart` is
    the time [s] between the step and the touch, `of_speeds` the estimated error of the speeds as a part of the error
    allowed for positions [1/s]."""
    if apart == math.inf:
        return 0.0
    h = t - t0
    part = OF_ESTIMATE / (1.0 + FALLS * apart / h) ** 2
    return (part * of_speeds * max(options.t_end - t, h) / OF_ALLOWED) ** AS_OTHERS


@called(float)
def error_through_touch(options, scale, n, t0, t, a0, a):
    """Error of a step from t0 to t inside which a touch lies, as a part of the error allowed; a0 and a are the
    accelerations at its start and end. For forces that begin or end inside the step with any power n ≥ 1 of time, the
    error of speeds is less than IN_BETWEEN h |a − a0|. The estimate does not serve here: it is zero for forces that
    begin at 0.42 or 0.26 of the step, or end at 0.6."""
    h, largest = t - t0, 0.0
    for i in range(n):
        largest = max(largest, abs(a[i] - a0[i]) / scale[i])
    return (IN_BETWEEN * h * largest * max(options.t_end - t, h) / (OF_ALLOWED * options.allowed)) ** AS_OTHERS


@called(float)
def error_of_rubbing(plan, options, state, t0, t, of_speeds):
    """Error of a step from t0 to t with friction in the joints, as a part of the error allowed; 0 without friction."""
    if plan.friction == 0:
        return 0.0
    apart = NARROW * (t - t0) if state.polynomial > 0.0 else 0.0
    return error_at_touch(options, t0, t, apart, of_speeds)
