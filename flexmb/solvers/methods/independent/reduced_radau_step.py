"""A step of Radau IIA on the reduced equations  ẋ = f(t, x): its stages, and Newton's method for them.

The unknowns are the changes Z of x at the three stages, with  A⁻¹ Z/h = f(t + c h, x₀ + Z). The eigenvectors of A⁻¹
(:mod:`flexmb.solvers.methods.radau.radau_coefficients`) decouple Newton's equations into a real system and a complex
one,

    (γ/h − J) w = −r,      r = T⁻¹ (A⁻¹ Z/h − f),      γ the eigenvalues,

with the same J for all stages; it is kept over many steps, see Hairer and Wanner (1991), section IV.8.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from flexmb.algebra import dense_lu
from flexmb.algebra.precision import ROUNDING
from flexmb.kernels.compilation import called, inlined
from flexmb.kernels.references import by_reference
from flexmb.solvers.events.crossing_state import Crossings
from flexmb.solvers.march.newton import mean_ratio, no_corrections, verdict, with_next
from flexmb.solvers.march.step_size import rate
from flexmb.solvers.march.stops import Scales
from flexmb.solvers.methods.independent.reduced_equations import Equations, evaluate
from flexmb.solvers.methods.independent.tangent import Tangent, fill_jacobian
from flexmb.solvers.methods.radau.first_guess import stage_weights
from flexmb.solvers.methods.radau.radau_coefficients import PAIR, POINTS, RATES, REAL, STAGES, VARIABLES
from flexmb.solvers.methods.radau.radau_newton import AGEING, HOPELESS_AT_FIRST, LARGEST_CORRECTION, SAME_STEP
from flexmb.solvers.methods.radau.radau_state import NO_RANK, Counts, End, Options, State
from flexmb.solvers.rows.left_out import LeftOut
from flexmb.solvers.statuses import FAILED, NO_ROOM, OK, STALE
from flexmb.system.accelerations import Work
from flexmb.system.linear import Linear
from flexmb.system.plan import Plan, Scratch
from flexmb.system.sampling import Sampling

#: Corrections that do not shrink are due to round-off if they are below this part of the error allowed.
OF_ROUNDING = 1e-3


@by_reference
class Reached(NamedTuple):
    """Present state: q (total_q,), v, `shown`, the speeds to be saved, the same array as v, a (total,), λ (m,), the
    integrated numbers x (N,) and their rates; the changes Z (3, N) of the stages of the last step."""

    q: np.ndarray
    v: np.ndarray
    shown: np.ndarray
    a: np.ndarray
    lam: np.ndarray
    x: np.ndarray
    rates: np.ndarray
    before: np.ndarray


@by_reference
class Stages(NamedTuple):
    """Changes Z and rates (3, N) of the stages; the factors of the real and of the complex matrix (N, N) with the
    orders of their rows (N,); right-hand sides, which the solutions overwrite."""

    z: np.ndarray
    rates: np.ndarray
    real: np.ndarray
    pair: np.ndarray
    real_rows: np.ndarray
    pair_rows: np.ndarray
    b: np.ndarray
    b_pair: np.ndarray

    @classmethod
    def of(cls, size: int) -> Stages:
        """Arrays for N numbers."""
        z, rates = np.zeros((2, 3, size))
        real_rows, pair_rows = np.zeros((2, size), dtype=np.int64)
        pair = np.zeros((size, size), dtype=complex)
        return cls(
            z, rates, np.zeros((size, size)), pair, real_rows, pair_rows, np.zeros(size), np.zeros(size, complex),
        )  # fmt: skip


@by_reference
class ReducedLoop(NamedTuple):
    """Everything that the loop reads and writes. `quality` (3,): the pivots below which, and the stretch above which,
    another partition is needed; `watch` (3,) detects singular positions, see :mod:`flexmb.solvers.changes.passage`;
    `kinks`: times at which functions of time have kinks, where steps end."""

    plan: Plan
    scratch: Scratch
    linear: Linear
    work: Work
    equations: Equations
    tangent: Tangent
    sampling: Sampling
    options: Options
    scales: Scales
    motion: Reached
    stages: Stages
    end: End
    quality: np.ndarray
    watch: np.ndarray
    left_out: LeftOut
    state: State
    counts: Counts
    kinks: np.ndarray
    crossings: Crossings


@called(None)
def begin(loop, h):
    """First guess of the stages with the rates of the start of the step."""
    stages, motion = loop.stages, loop.motion
    for s in range(3):
        for k in range(motion.x.shape[0]):
            stages.z[s, k] = POINTS[s] * h * motion.rates[k]


@called(None)
def extrapolate(loop, h):
    """First guess of the stages: the polynomial of the last step, extrapolated."""
    stages, before, last = loop.stages, loop.motion.before, loop.state.h_done
    for s in range(3):
        w, _ = stage_weights(1.0 + POINTS[s] * h / last)
        for k in range(before.shape[1]):
            stages.z[s, k] = w[0] * before[0, k] + w[1] * before[1, k] + w[2] * before[2, k] - before[2, k]


@called(int)
def evaluate_at(loop, t, z):
    """Evaluate the equations at the numbers x₀ + z, where x₀ is the start of the step; returns the status."""
    e, x = loop.equations, loop.motion.x
    for k in range(x.shape[0]):
        e.x[k] = x[k] + z[k]
    loop.state.at_start = 0.0
    status = evaluate(e, t)
    if status != OK:
        forget(loop)
    return status


@called(None)
def forget(loop):
    """Reset the multipliers, which may not be finite, so that the next evaluation does not start from them."""
    for k in range(loop.equations.now.lam.shape[0]):
        loop.equations.now.lam[k] = 0.0


@called(int)
def at_start(loop, t):
    """Evaluate the equations at the start of the step, unless they were evaluated there last; returns the status."""
    if loop.state.at_start > 0.0:
        return OK
    e, motion = loop.equations, loop.motion
    for k in range(motion.x.shape[0]):
        e.x[k] = motion.x[k]
    status = evaluate(e, t)
    if status != OK:
        forget(loop)
        return status
    loop.state.at_start = 1.0
    return OK


@called(int)
def _prepare(loop, h, t):
    """Compute J and factorize the matrices of the step if the present ones cannot be used; returns OK, NO_ROOM
    or FAILED."""
    state, stages, J = loop.state, loop.stages, loop.tangent.J
    size = J.shape[0]
    if state.aged > 0.0:
        status = at_start(loop, t)
        if status == OK:
            status = fill_jacobian(loop.tangent, t)
        if status != OK:
            state.culprit = NO_RANK
            return NO_ROOM if status == NO_ROOM else FAILED
        loop.counts.jacobians += 1
        state.aged = 0.0
        state.fresh = 1.0
        state.h_matrix = 1e300
    if abs(h / state.h_matrix - 1.0) <= SAME_STEP:
        return OK
    for i in range(size):
        for j in range(size):
            stages.real[i, j] = -J[i, j]
            stages.pair[i, j] = complex(-J[i, j], 0.0)
        stages.real[i, i] += REAL / h
        stages.pair[i, i] += PAIR / h
    loop.counts.factorizations += 1
    smallest = dense_lu.factor(stages.real, size, stages.real_rows)
    smallest = min(smallest, dense_lu.factor(stages.pair, size, stages.pair_rows))
    state.h_matrix = h
    if smallest > 0.0:
        return OK
    state.culprit = 0.0
    state.h_matrix = 1e300
    return FAILED


@called(int)
def _errors(loop, h, t):
    """Fill the right-hand sides of both systems with the residuals of the stages; returns the status of the
    evaluations."""
    stages, V = loop.stages, VARIABLES
    for s in range(3):
        status = evaluate_at(loop, t + POINTS[s] * h, stages.z[s])
        if status != OK:
            return status
        for k in range(stages.b.shape[0]):
            stages.rates[s, k] = loop.equations.rates[k]
    for k in range(stages.b.shape[0]):
        z0, z1, z2 = stages.z[0, k], stages.z[1, k], stages.z[2, k]
        r0 = (RATES[0, 0] * z0 + RATES[0, 1] * z1 + RATES[0, 2] * z2) / h - stages.rates[0, k]
        r1 = (RATES[1, 0] * z0 + RATES[1, 1] * z1 + RATES[1, 2] * z2) / h - stages.rates[1, k]
        r2 = (RATES[2, 0] * z0 + RATES[2, 1] * z1 + RATES[2, 2] * z2) / h - stages.rates[2, k]
        stages.b[k] = -(V[0, 0] * r0 + V[0, 1] * r1 + V[0, 2] * r2)
        stages.b_pair[k] = -complex(
            V[1, 0] * r0 + V[1, 1] * r1 + V[1, 2] * r2, V[2, 0] * r0 + V[2, 1] * r1 + V[2, 2] * r2
        )
    return OK


@inlined
def _unit(loop, k):
    """Scale of integrated number k: of positions their own, of speeds that of the position times the rate of the
    mechanism."""
    e = loop.equations
    first = e.x.shape[0] - e.fast.shape[0]
    return e.carried.scale[k] if k < first else e.own.scale[e.fast[k - first]] * loop.state.moving


@called(float)
def _correct_once(loop):
    """Solve both systems and correct the stages; returns the largest correction in units of the model."""
    stages = loop.stages
    size = stages.b.shape[0]
    dense_lu.solve(stages.real, size, stages.real_rows, stages.b)
    dense_lu.solve(stages.pair, size, stages.pair_rows, stages.b_pair)
    largest = 0.0
    for k in range(size):
        unit, w, pair = _unit(loop, k), stages.b[k], stages.b_pair[k]
        for s in range(3):
            move = STAGES[s, 0] * w + STAGES[s, 1] * pair.real + STAGES[s, 2] * pair.imag
            stages.z[s, k] += move
            part = abs(move) / unit
            if not part <= largest:
                if part != part:
                    return math.inf
                largest = part
                loop.state.culprit = coordinate(loop.equations, k)
    return largest


@inlined
def coordinate(e, k):
    """The coordinate of the system to which integrated number k belongs, or which represents it."""
    carried, first = e.carried, e.x.shape[0] - e.fast.shape[0]
    if k >= first:
        return e.own.stands[e.fast[k - first]]
    if k >= carried.plain.shape[0]:
        return e.own.stands[carried.charted[k - carried.plain.shape[0]]]
    return e.own.stands[carried.plain[k] if k < carried.fours else carried.whole[(k - carried.fours) // 4, 0]]


@called(int)
def correct(loop, h, t):
    """Solve the equations of the stages; returns OK, FAILED, STALE or NO_ROOM."""
    state, options = loop.state, loop.options
    n, scale = loop.equations.closing.plan.n, loop.scales.coordinates
    moving = max(rate(loop.motion, scale, n), options.slowest)
    state.moving = moving
    enough = max(options.newton * min(h * moving, 1.0), 1e-16)
    state.fresh = 0.0
    if state.rate > AGEING:
        state.aged = 1.0
    made = _prepare(loop, h, t)
    if made != OK:
        return made
    seen = no_corrections(max(state.left, 1e-16) ** 0.8)
    for _ in range(options.iterations):
        status = _errors(loop, h, t)
        if status == NO_ROOM:
            return NO_ROOM
        if status != OK:
            state.culprit = NO_RANK
            break
        size = _correct_once(loop)
        loop.counts.iterations += 1
        seen = with_next(seen, size)
        state.iterated = float(seen.number)
        near = seen.moved < LARGEST_CORRECTION
        if seen.number > 1 and near:
            state.rate = mean_ratio(seen)
        ended = verdict(seen, enough, ROUNDING, HOPELESS_AT_FIRST, LARGEST_CORRECTION)
        if ended == OK:
            state.left = seen.left
            return OK
        if ended == FAILED:
            if near and size <= OF_ROUNDING * options.allowed:
                state.rate = 0.0
                return OK
            break
    stale = state.fresh == 0.0
    state.aged = 1.0
    return STALE if stale else FAILED
