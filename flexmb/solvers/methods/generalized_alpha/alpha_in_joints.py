"""A step of generalized-α in the joint coordinates of a tree, where the equations of motion are an ODE
u̇ = f(t, x, u).

With â₁ in place of the accelerations of the recursion, and positions that are moved by y (Brüls and Cardona (2010)),

    y = h u₀ + h² ((½ − β) â₀ + β â₁),    u₁ = u₀ + h ((1 − γ) â₀ + γ â₁),
    (1 − αm) â₁ + αm â₀ = (1 − αf) u̇₁ + αf u̇₀,    u̇₁ = f(t₁, x₀ ∘ exp y, u₁)

The last equation is solved for â₁ by Newton's method, with ∂f/∂x and ∂f/∂u by finite differences of the formulation:

    S = (1 − αm)/(1 − αf) − βh² ∂f/∂x − γh ∂f/∂u

These are kept as long as corrections shrink fast, mostly for a whole run, so that exact derivatives would save nothing;
S is kept for steps of the same size.

The error of a step is measured in absolute coordinates: a small error in the first angle of a chain moves all links
after it. As in :mod:`flexmb.solvers.methods.generalized_alpha.alpha_error` it is filtered twice with S, and its sum
over the steps is bounded. It has two parts,

    of joint coordinates  C h² (u̇₁ − u̇₀),    of speeds  D h³ ü/ρ,

where an error of speeds counts as the displacement that it causes in the time 1/ρ, in which the mechanism moves by its
own size or a radian. In fast vibration it reverses sooner. There it is replaced by the displacement in an implicit step
τ = 1/4ρ,

    P⁻¹ (D h³ ü),     P = 1 − τ² ∂f/∂x − τ ∂f/∂u

if that is less. The first part alone is misleading: u̇ of joint coordinates has no centripetal part, so that its rate
passes through zero periodically. There the steps would grow to their limit, and the error of speeds would dominate.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from flexmb.algebra import dense_lu
from flexmb.algebra.precision import LARGEST, ROUNDING
from flexmb.formulations.tree.coordinates import move
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.references import by_reference
from flexmb.kernels.variables import Variables
from flexmb.solvers.coordinates.joints.joint_rates import joint_rates
from flexmb.solvers.coordinates.joints.joint_state import read_joints, recall, speeds_along, take_unseen
from flexmb.solvers.march.newton import HOPELESS, no_corrections, verdict, with_next
from flexmb.solvers.march.step_size import carried_to_end, rate
from flexmb.solvers.methods.generalized_alpha.alpha_pieces import SAME_STEP
from flexmb.solvers.methods.generalized_alpha.alpha_state import Coefficients
from flexmb.solvers.runs.singular_angles import singular
from flexmb.solvers.statuses import FAILED, NO_ANGLES, NOT_FINITE, OK, SINGULAR

#: A first correction with a matrix suffices if it is so many times smaller than the error that may remain.
AT_ONCE = 1e3
#: Corrections that do not shrink are due to round-off if they are smaller than this, in units of the model.
LARGEST_ROUNDING = 1e3 * ROUNDING
#: ∂f is evaluated anew when a correction is more than this many times the one before.
AGEING = 0.1
#: Step of the finite differences for ∂f, in units of the model.
DIFFERENCE = 1e-7
#: P is formed for τ = OF_TIME/ρ, so that it hardly changes errors of motion as slow as that of the mechanism; it is
#: kept while 1/ρ changes by less than the part SAME_TIME.
OF_TIME, SAME_TIME = 0.25, 0.1


class Memory(Variables):
    """Variables that the recursion keeps from step to step; flags are 0 or 1."""

    # the step size of â; that for which S was factorized; 1/ρ for which P was factorized [s]
    h_last: float
    h_matrix: float
    goes_on: float
    aged: float  # whether ∂f is to be evaluated anew
    again: float  # whether the recursion starts again
    slope_at: float  # the time, from the present on, at which `slope` is ü [s]


@by_reference
class NewtonMatrices(NamedTuple):
    """Matrices of Newton's method and of the errors: ∂f/∂x along y, ∂f/∂u, and the factors of S and P (nv, nv) with the
    orders of their rows. Position x (nq,) and speeds u (nv,), displaced for a difference; scales of the speeds in
    `unit`. `accuracy` to be reached, in units of the scales, and the most `iterations`."""

    Fx: np.ndarray
    Fu: np.ndarray
    S: np.ndarray
    order_of_S: np.ndarray
    P: np.ndarray
    order_of_P: np.ndarray
    x: np.ndarray
    u: np.ndarray
    unit: np.ndarray
    accuracy: float
    iterations: int


@by_reference
class Recursion(NamedTuple):
    """The `method` of a :class:`~flexmb.solvers.methods.explicit.explicit_state.Loop`, the state of the recursion: â₀
    in `alg`, â₁ in `alg1`, ü of the last step in `slope`, the displacement y, u̇ of a trial in `ud`, right-hand sides b
    (nv,). `allowed`: error allowed per second; `order` of the method."""

    scheme: Coefficients
    alg: np.ndarray
    alg1: np.ndarray
    slope: np.ndarray
    y: np.ndarray
    ud: np.ndarray
    b: np.ndarray
    memory: Memory
    newton: NewtonMatrices
    allowed: float
    order: int


@called(int)
def _rates(loop, t, x, u, ud):
    """u̇ = f(t, x, u), written into `ud`; returns OK, SINGULAR, NOT_FINITE or NO_ANGLES."""
    j, stage = loop.coordinates.joints, loop.stage
    loop.counts.evaluations += 1
    loop.state.lost = singular(loop.coordinates, loop.plan.orientations, x)
    if loop.state.lost >= 0.0:
        return NO_ANGLES
    if (j.acting.any == 1 and j.acting.along == 0) or j.rows.closed == 1:
        read_joints(j, x, u, stage.q, stage.v)
    else:
        take_unseen(j, x, u, stage.q, stage.v)
    if joint_rates(j, loop.scratch, t, stage.q, stage.v, 0.0, 0.0) != 0:
        return SINGULAR
    for i in range(j.ud.shape[0]):
        ud[i] = j.ud[i]
        if not abs(ud[i]) < LARGEST:
            return NOT_FINITE
    return OK


@called(int)
def _place(loop, h):
    """Compute positions and speeds at the end of the step for the present â₁; returns OK or NOT_FINITE."""
    rec, stage, j = loop.method, loop.stage, loop.coordinates.joints
    s = rec.scheme
    for i in range(rec.y.shape[0]):
        stage.u[i] = stage.u0[i] + h * ((1.0 - s.gamma) * rec.alg[i] + s.gamma * rec.alg1[i])
        rec.y[i] = h * stage.u0[i] + h * h * ((0.5 - s.beta) * rec.alg[i] + s.beta * rec.alg1[i])
        if not (abs(stage.u[i]) < LARGEST and abs(rec.y[i]) < LARGEST):
            return NOT_FINITE
    move(j.links.joints, stage.x0, rec.y, stage.x)
    return OK


@called(int)
def _trial(loop, t, h):
    """Compute the state at the end of the step for the present â₁, and in b the residual of the equation for â₁;
    returns OK, or why that fails."""
    rec, stage, present = loop.method, loop.stage, loop.coordinates.joints.last.ud
    s, status = rec.scheme, _place(loop, h)
    if status != OK:
        return status
    status = _rates(loop, t + h, stage.x, stage.u, rec.ud)
    for i in range(rec.y.shape[0]):
        wanted = ((1.0 - s.alpha_m) * rec.alg1[i] + s.alpha_m * rec.alg[i] - s.alpha_f * present[i]) / (1.0 - s.alpha_f)
        rec.b[i] = rec.ud[i] - wanted
    return status


@called(int)
def _differences(loop, t, h):
    """Compute ∂f/∂x and ∂f/∂u at the end of the trial step by finite differences; returns OK, or why that fails."""
    rec, newton, stage, j = loop.method, loop.method.newton, loop.stage, loop.coordinates.joints
    nv = rec.y.shape[0]
    here, b = rec.ud, rec.b
    for k in range(nv):
        for i in range(nv):
            newton.u[i] = 0.0
        eps = DIFFERENCE * newton.unit[k]
        newton.u[k] = eps
        move(j.links.joints, stage.x, newton.u, newton.x)
        status = _rates(loop, t + h, newton.x, stage.u, b)
        if status != OK:
            return status
        for i in range(nv):
            newton.Fx[i, k] = (b[i] - here[i]) / eps
            newton.u[i] = stage.u[i]
        eps = DIFFERENCE * max(newton.unit[k], abs(stage.u[k]))
        newton.u[k] += eps
        status = _rates(loop, t + h, stage.x, newton.u, b)
        if status != OK:
            return status
        for i in range(nv):
            newton.Fu[i, k] = (b[i] - here[i]) / eps
    rec.memory.aged = 0.0
    rec.memory.h_matrix = rec.memory.goes_on = 0.0
    return _trial(loop, t, h)


@called(bool)
def _matrix(loop, h):
    """Form S for a step of this size and factorize it; returns whether it is regular."""
    rec, newton = loop.method, loop.method.newton
    nv, s = rec.y.shape[0], rec.scheme
    for i in range(nv):
        for k in range(nv):
            newton.S[i, k] = -s.beta * h * h * newton.Fx[i, k] - s.gamma * h * newton.Fu[i, k]
        newton.S[i, i] += s.on_a
    loop.counts.factorizations += 1
    rec.memory.h_matrix = h
    return dense_lu.factor(newton.S, nv, newton.order_of_S) > 0.0


@called(bool)
def _goes_on(loop, time):
    """Form P for `time` = 1/ρ and factorize it; returns whether it is regular."""
    rec, newton = loop.method, loop.method.newton
    if abs(rec.memory.goes_on - time) <= SAME_TIME * time:
        return True
    nv, tau = rec.y.shape[0], OF_TIME * time
    for i in range(nv):
        for k in range(nv):
            newton.P[i, k] = -tau * tau * newton.Fx[i, k] - tau * newton.Fu[i, k]
        newton.P[i, i] += 1.0
    rec.memory.goes_on = time if dense_lu.factor(newton.P, nv, newton.order_of_P) > 0.0 else 0.0
    return rec.memory.goes_on > 0.0


@called(int)
def _start_again(loop, t, h):
    """Start the recursion: â = u̇ + (αm − αf) h ü, with ü from a finite difference ahead along the motion."""
    rec, newton, stage, present = loop.method, loop.method.newton, loop.stage, loop.coordinates.joints.last.ud
    e, s = 0.1 * h, rec.scheme
    for i in range(rec.y.shape[0]):
        rec.y[i] = e * (stage.u0[i] + 0.5 * e * present[i])
        newton.u[i] = stage.u0[i] + e * present[i]
    move(loop.coordinates.joints.links.joints, stage.x0, rec.y, newton.x)
    status = _rates(loop, t + e, newton.x, newton.u, rec.ud)
    for i in range(rec.y.shape[0]):
        rec.slope[i] = (rec.ud[i] - present[i]) / e
        rec.alg[i] = present[i] + (s.alpha_m - s.alpha_f) * h * rec.slope[i]
    rec.memory.h_last = h
    rec.memory.again = 0.0
    rec.memory.slope_at = 0.5 * e
    return status


@inlined
def _largest(b, factor, unit):
    """Largest entry of b times `factor`, in units of the scales; NaN counts as infinite."""
    largest = 0.0
    for i in range(unit.shape[0]):
        size = abs(factor * b[i]) / unit[i]
        if not size <= largest:
            largest = size
            if size != size:
                return math.inf
    return largest


@called(int)
def attempt(loop, t, h):
    """Solve for the end of a step from t of size h and write it into the stage; returns OK, or why there is none."""
    rec, newton, stage, motion = loop.method, loop.method.newton, loop.stage, loop.motion
    present, memory, s = loop.coordinates.joints.last.ud, rec.memory, rec.scheme
    nv = rec.y.shape[0]
    recall(loop.coordinates.joints, stage.x0, stage.u0)
    if memory.again > 0.0:
        status = _start_again(loop, t, h)
        if status != OK:
            memory.again = 1.0
            return status
    ratio = h / memory.h_last
    for i in range(nv):
        rec.alg[i] = present[i] + ratio * (rec.alg[i] - present[i])
        ahead = present[i] + h * rec.slope[i]
        rec.alg1[i] = ((1.0 - s.alpha_f) * ahead + s.alpha_f * present[i] - s.alpha_m * rec.alg[i]) / (1.0 - s.alpha_m)
    memory.h_last = h
    enough = max(newton.accuracy * min(h * rate(motion, loop.scale, loop.plan.n), 1.0), 1e-16)
    fresh, seen = False, no_corrections(AT_ONCE)
    for _ in range(newton.iterations):
        status = _trial(loop, t, h)
        if status != OK:
            return status
        if memory.aged > 0.0:
            status = _differences(loop, t, h)
            if status != OK:
                memory.aged = 1.0
                return status
            fresh, seen = True, no_corrections(AT_ONCE)
        if abs(memory.h_matrix - h) > SAME_STEP * h and not _matrix(loop, h):
            return SINGULAR
        loop.counts.iterations += 1
        dense_lu.solve(newton.S, nv, newton.order_of_S, rec.b)
        for i in range(nv):
            rec.alg1[i] += rec.b[i]
        size = _largest(rec.b, s.beta * h * h, newton.unit)
        seen = with_next(seen, size)
        if size <= ROUNDING or (seen.ratio >= 1.0 and size <= LARGEST_ROUNDING):
            return _place(loop, h)
        ended = verdict(seen, enough, ROUNDING, HOPELESS, math.inf)
        if not fresh and seen.ratio > AGEING:
            memory.aged = 1.0
        if ended == OK:
            return _place(loop, h)
        if ended == FAILED and fresh:
            break
    memory.aged = 1.0
    return NOT_FINITE


@called(None)
def _filter(loop):
    """Filter the error of joint coordinates in b by S."""
    rec, newton = loop.method, loop.method.newton
    for i in range(rec.b.shape[0]):
        rec.b[i] *= rec.scheme.on_a
    dense_lu.solve(newton.S, rec.b.shape[0], newton.order_of_S, rec.b)


@inlined
def _displacement(loop):
    """Largest displacement of the mechanism by the change of joint coordinates in b, in units of the scales."""
    moved = loop.work.b
    speeds_along(loop.coordinates.joints, loop.method.b, moved)
    return _largest(moved, 1.0, loop.scale)


@called(float)
def local_error(loop, h, t):
    """Estimated error of the step, as a part of the error allowed for a step of its size; `ud` of the joints holds u̇
    at its end."""
    rec, present, ud = loop.method, loop.coordinates.joints.last.ud, loop.coordinates.joints.ud
    nv, s = rec.b.shape[0], rec.scheme
    if abs(rec.memory.h_matrix - h) > SAME_STEP * h and not _matrix(loop, h):
        return math.inf
    for i in range(nv):
        rec.b[i] = s.error * h * h * (ud[i] - present[i])
    _filter(loop)
    once = _displacement(loop)
    if once > loop.options.allowed:
        return once / loop.options.allowed
    _filter(loop)
    places = _displacement(loop)
    time = 1.0 / max(rate(loop.motion, loop.scale, loop.plan.n), 1.0 / loop.options.span)
    for i in range(nv):
        bend = ((ud[i] - present[i]) / h - rec.slope[i]) / (0.5 * h - rec.memory.slope_at)
        rec.b[i] = s.speed_error * h * h * h * bend * time
    _filter(loop)
    _filter(loop)
    speeds = _displacement(loop)
    if speeds > places and _goes_on(loop, time):
        dense_lu.solve(rec.newton.P, nv, rec.newton.order_of_P, rec.b)
        speeds = min(speeds, _displacement(loop))
    return max(places, speeds) / (rec.allowed * h)


@called(float)
def carried_error(loop, h, t):
    """Rough estimate of the displacement at the end of the run due to the error of a fixed step that ends at t, see
    :func:`flexmb.solvers.methods.generalized_alpha.alpha_error.carried_error`."""
    rec, present, ud = loop.method, loop.coordinates.joints.last.ud, loop.coordinates.joints.ud
    nv, s, left = rec.b.shape[0], rec.scheme, max(loop.options.t_end - t, 0.0)
    for i in range(nv):
        rec.b[i] = s.error * h * h * (ud[i] - present[i])
    places = _displacement(loop)
    for i in range(nv):
        bend = ((ud[i] - present[i]) / h - rec.slope[i]) / (0.5 * h - rec.memory.slope_at)
        rec.b[i] = s.speed_error * h * h * h * bend
    return carried_to_end(loop.motion, loop.scale, loop.plan.n, left, places, _displacement(loop))


@called(None)
def keep_recursion(loop, h):
    """Advance â and ü to the end of the step; `present` still holds u̇ at its start."""
    rec, j = loop.method, loop.coordinates.joints
    for i in range(rec.y.shape[0]):
        rec.slope[i] = (j.ud[i] - j.last.ud[i]) / h
        rec.alg[i] = rec.alg1[i]
    rec.memory.slope_at = -0.5 * h
