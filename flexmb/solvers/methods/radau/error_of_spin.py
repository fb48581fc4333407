"""Error of a run with bodies that spin fast and whose other motion is slow in space, such as a top that precesses.

Angular speeds of a body are components in its own axes, where a motion that is slow in space is a vibration with the
spin rate Ω. With z = Ωh a step makes the error z⁶/7200 in such a speed, and the third-order formula that controls the
steps estimates γ z⁴/60, γ = 1/REAL (:mod:`flexmb.solvers.methods.radau.error_of_waves`): the error is z²/(120 γ) of its
estimate. But unlike the error of a vibration it does not alternate. In space it has the same direction in every step,
and displaces the body until the slow motion reverses, for a time t₁, while the estimated error of positions, e = γ h
e_v, covers one step only. Over T/h steps the errors add up to

    e (z²/(120 γ)) (1/(γ h)) (T/h) t₁ = e (Ω/γ)² T t₁/120

t₁ is the period of the slow motion, or T/2, the mean time until the end of the run, if that is shorter.

A joint makes this sum large. For the heavy top (:mod:`flexmb.validation.heavy_top`) the inertia about its own center is
one 65th of that about the joint. The fast speeds in body axes involve the former alone, so that e is small and allows
long steps; the slow motion involves the whole inertia. In 2 s at 150 rad/s with steps of 1 ms, e is 7e-11, the sum 3e-7
and the error 1.0e-7. Largest errors in units of the tolerance, and steps, without and with this estimate (the gimbal:
the top's rotor on two light rings, for 1 s):

    tolerance      1e-4           1e-6            1e-8            1e-10
    top            13      305     81      530    141    1179    169    2908
    with it        1.3     485     0.9    1295    0.9    3254    0.7    8319
    gimbal         11      175     158     294    217     691
    with it        3.9     212     6.2     537    7.7    1347    7.5    3420

The period of the slow motion follows from the change, over a step, of the angular acceleration normal to the spin, in
ground axes. If this changes faster in ground axes than in body axes, as for a wobbling disk, the motion is a vibration
and is left to the other estimates. This estimate shortens the following steps, but rejects none, since a single step
adds little. The errors of positions contain a part of order h⁴ that is not due to errors of speeds: where the sum asks
for shorter steps, it is evaluated again from the errors of speeds alone.
"""

from __future__ import annotations

import math

from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.rotations import turned
from flexmb.kernels.vectors import dot, minus, times
from flexmb.solvers.methods.radau.radau_coefficients import ERROR, REAL
from flexmb.system.evaluation import residual
from flexmb.system.linear import solve

#: Allowed sum of the errors of spinning bodies, as a part of WAVES, that allowed for waves: 5 tolerances.
SHARE = 0.5
#: Errors of rotation below ROUNDING [rad], or below OF_FLOOR of the round-off measured for Newton's method, count as
#: zero. With OF_FLOOR = 1 the error of the top at a tolerance of 1e-11 is 16 tolerances, with this value 0.8.
ROUNDING, OF_FLOOR = 1e-15, 0.25


@inlined
def _across(x, v, i):
    """Component of the vector x[i] … x[i + 2] normal to the spin v[i] … v[i + 2]."""
    vector, spin = (x[i], x[i + 1], x[i + 2]), (v[i], v[i + 1], v[i + 2])
    return minus(vector, times(dot(vector, spin) / max(dot(spin, spin), 1e-300), spin))


@inlined
def _in_space(orientations, k, q, u):
    """The vector u, given in the axes of orientation k, in ground axes."""
    i = orientations[k, 0]
    return turned((q[orientations[k, 1]], q[i], q[i + 1], q[i + 2]), u)


@inlined
def _length(u):
    return math.sqrt(dot(u, u))


@called(float)
def _sum(loop, h):
    """Largest accumulated rotation error [rad] of a spinning body in a run with steps h, from the errors of this step
    in matrices.x."""
    motion, end, orientations, span = loop.motion, loop.end, loop.plan.orientations, 1.0 / loop.options.slowest
    rounding, largest = max(OF_FLOOR * loop.state.floor, ROUNDING), 0.0
    for k in range(orientations.shape[0]):
        i = orientations[k, 0]
        before, after = _across(motion.a, motion.v, i), _across(end.a, end.v, i)
        in_body = _length(minus(after, before))
        in_space = _length(
            minus(_in_space(orientations, k, end.q, after), _in_space(orientations, k, motion.q, before))
        )
        e = max(_length(_across(loop.matrices.x, motion.v, i)) - rounding, 0.0)
        if in_space < in_body:
            spin = _length((motion.v[i], motion.v[i + 1], motion.v[i + 2]))
            period = 2.0 * math.pi * h * _length(before) / max(in_space, 1e-300)
            lost = e * (REAL * spin) ** 2 * span * min(period, 0.5 * span) / 120.0
            largest = max(largest, lost * (1.0 - in_space / in_body))
    return largest


@called(None)
def _errors_of_speeds(loop, t, h):
    """Fill matrices.x with γ h e_v from the errors of speeds alone: s² M x + … = M (Σ E Δv/h + a₀), filtered as
    :func:`flexmb.solvers.methods.radau.radau_loop._filter` filters those of positions."""
    plan, motion, stages, work, s = loop.plan, loop.motion, loop.stages, loop.work, REAL / h
    dv, change = stages.dv, work.aux
    for i in range(plan.total):
        change[i] = 0.0
    for i in range(plan.n):
        change[i] = motion.a[i] + (ERROR[0] * dv[0, i] + ERROR[1] * dv[1, i] + ERROR[2] * dv[2, i]) / h
    residual(plan, loop.scratch, t, motion.q, motion.v, change, work.weights, work.r)
    residual(plan, loop.scratch, t, motion.q, motion.v, work.zero, work.weights, work.r2)
    for i in range(plan.size):
        loop.matrices.x[i] = (work.r[i] - work.r2[i]) / (loop.options.mass * s * s) if i < plan.n else 0.0
    solve(plan, loop.matrices.real, loop.matrices.x)


@called(float)
def with_error_of_spin(loop, t, h, error):
    """The larger of `error` and the accumulated error of spinning bodies as a part of that allowed; the size of the
    next step follows from it. The errors of the step from t are in loop.matrices.x."""
    part = loop.options.waves / (SHARE * loop.options.allowed)
    if part * _sum(loop, h) <= error:
        return error
    _errors_of_speeds(loop, t, h)
    return max(error, part * _sum(loop, h))
