"""A Rosenbrock method, "rosenbrock": linearly implicit steps of third order, with one matrix a step and no iterations.

ROS34PW2 of Rang and Angermann (2005), four stages, for ẏ = f(t, y) with y = (x, u) and a matrix J about ∂f/∂y:

    k_i = f(t + c_i h, y + h Σ_{j<i} a_ij k_j) + h J Σ_{j≤i} γ_ij k_j,      y₁ = y + h Σ b_i k_i

Why this one: nothing else here follows stiff forces at a cost that is known before, since Newton's method takes as many
iterations as it needs, which a loop in real time cannot wait for. Of the Rosenbrock methods it keeps its order with any
J (a W-method), is L-stable and stiffly accurate. So J may leave out ∂f/∂t, how constraint rows curve, and forces that
follow from joint forces (:mod:`flexmb.solvers.coordinates.linear_rates`).

With f = (B(x) u, a), p the displacement that belongs to a change of x, A = ∂a/∂p, B = ∂a/∂u, positions are eliminated:
with s_i = Σ_{j<i} γ_ij k_j^u, and p_i the same of displacements and γ times that of f_i^x + h s_i,

    k_i^u = a_i + z_i,      (1 − γh B − (γh)² A) z_i = h A (p_i + γ² h a_i) + h B (s_i + γ a_i)

The error is that of the embedded method of second order times (1 − γh J)⁻¹, so that what decays at once, or is much
faster than the steps, does not shorten them (Hairer and Wanner (1991), IV.8); a stiff force whose direction turns does.
Rates of Euler angles and Euler parameters are no displacements: in absolute coordinates `rotations` are refused.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flexmb.formulations.kinds import Hybrid
from flexmb.kernels.compilation import called
from flexmb.kernels.references import by_reference
from flexmb.solvers.coordinates.coordinates import Coordinates
from flexmb.solvers.coordinates.linear_rates import (
    LinearRates,
    change_by,
    displacement_of,
    freedoms,
    implicit_change,
    prepare,
)
from flexmb.solvers.methods.explicit.explicit_run import Chosen, OneStepMethod
from flexmb.solvers.methods.explicit.explicit_step import (
    accelerate_stage,
    as_displacements,
    begin_step,
    fill,
    slopes_at,
)
from flexmb.solvers.runs.run import Run
from flexmb.solvers.runs.singular_angles import refuse_rotations
from flexmb.solvers.statuses import OK
from flexmb.system.system import System

#: γ, a root of γ³ − 3γ² + 3γ/2 − 1/6 = 0, for which the method is L-stable.
GAMMA = 4.3586652150845900e-01
#: a_ij and γ_ij of stages i = 2 to 4, for j < i: Rang and Angermann (2005), table 4.
_STAGES = np.array([
    [[8.7173304301691801e-01, 0, 0], [8.4457060015369423e-01, -1.1299064236484185e-01, 0], [0, 0, 1]],
    [[-8.7173304301691801e-01, 0, 0], [-9.0338057013044082e-01, 5.4180672388095326e-02, 0],
     [2.4212380706095346e-01, -1.2232505839045147e00, 5.4526025533510214e-01]],
])  # fmt: skip
#: b_i, and those of the embedded method of second order.
_B = np.array([2.4212380706095346e-01, -1.2232505839045147e00, 1.5452602553351020e00, GAMMA])
_EMBEDDED = np.array([3.7810903145819369e-01, -9.6042292212423178e-02, 0.5, 2.1793326075422950e-01])


@by_reference
class Rosenbrock(NamedTuple):
    """Coefficients a_ij, γ_ij, c_i, b_i and of the error; displacements per second of the stages y (4, n), vectors p, s
    and z (n,), a change of positions dx (nq,), and the linearized equations."""

    a: np.ndarray
    off: np.ndarray
    c: np.ndarray
    b: np.ndarray
    error: np.ndarray
    order: int
    y: np.ndarray
    p: np.ndarray
    s: np.ndarray
    z: np.ndarray
    dx: np.ndarray
    rates: LinearRates


def _record(run: Run, coordinates: Coordinates) -> Rosenbrock:
    (a, off), y = np.pad(_STAGES, ((0, 0), (1, 0), (0, 1))), np.zeros((8, run.system.plan.nq))
    rates = LinearRates.of(run.system, coordinates)
    return Rosenbrock(a, off, a.sum(axis=1), _B, _B - _EMBEDDED, 3, y[:4], y[4], y[5], y[6], y[7], rates)


def _grown(record: Rosenbrock, system: System, coordinates: Coordinates) -> Rosenbrock:
    return record._replace(rates=record.rates.grown(system, coordinates))


@called(None)
def _add_implicit_part(loop, i, h):
    """Add h J Σ γ_ij k_j to the slopes f of stage i, and find the displacement y_i that belongs to them."""
    m, x0, kx, ku = loop.method, loop.stage.x0, loop.stage.kx[i], loop.stage.ku
    tau, n, y = GAMMA * h, freedoms(loop), loop.method.y
    displacement_of(loop, x0, kx, y[i])
    for k in range(n):
        p = s = 0.0
        for j in range(i):
            p += m.off[i, j] * y[j, k]
            s += m.off[i, j] * ku[j, k]
        m.p[k] = h * (p + GAMMA * (y[i, k] + h * s + tau * ku[i, k]))
        m.s[k] = h * (s + GAMMA * ku[i, k])
    implicit_change(loop, m.rates, m.p, m.s, m.z)
    for k in range(n):
        ku[i, k] += m.z[k]
        m.p[k] = m.s[k] + tau * m.z[k]
        y[i, k] += m.p[k]
    change_by(loop, x0, m.p, m.dx)
    for k in range(kx.shape[0]):
        kx[k] += m.dx[k]


@called(int)
def attempt(loop, t, h):
    """Compute all stages of a step from t, and its end in the stage; returns OK, or why there is none."""
    m, motion, stage = loop.method, loop.motion, loop.stage
    status = begin_step(loop)
    if status == OK:
        status = prepare(loop, m.rates, t, GAMMA * h)
    for i in range(4):
        if i > 0 and status == OK:
            status = fill(loop, m.a[i], h)
            if status == OK:
                status = accelerate_stage(loop, t + m.c[i] * h)
        if status != OK:
            return status
        if i == 0:
            slopes_at(loop, 0, stage.x0, stage.u0, motion.v, motion.a)
        else:
            slopes_at(loop, i, stage.x, stage.u, stage.v, stage.a)
        _add_implicit_part(loop, i, h)
    return fill(loop, m.b, h)


@called(None)
def estimate(loop, kinds):
    """Fill the error of the step, divided by its size and multiplied by (1 − γh J)⁻¹; there is no second estimate."""
    m, stage, n = loop.method, loop.stage, freedoms(loop)
    tau, place, speed = m.rates.at.tau, stage.error_q[0], stage.error_v[0]
    for k in range(n):
        place[k] = speed[k] = 0.0
        for i in range(4):
            place[k] += m.error[i] * m.y[i, k]
            speed[k] += m.error[i] * stage.ku[i, k]
        m.p[k], m.s[k] = tau * (place[k] + tau * speed[k]), tau * speed[k]
    implicit_change(loop, m.rates, m.p, m.s, m.z)
    for k in range(n):
        speed[k] += m.z[k]
        m.p[k] = place[k] + tau * speed[k]
    change_by(loop, stage.x, m.p, place)
    as_displacements(loop, place, speed)


ROSENBROCK = OneStepMethod(attempt, estimate, _record, stages=4, of_tolerance=0.05, grown=_grown, implicit=True)
advance, IN_LANES = ROSENBROCK.advance, ROSENBROCK.in_lanes


def run_rosenbrock(
    run: Run,
    *,
    tolerance: float | None = 1e-4,
    step: float | None = None,
    max_step: float | None = None,
    project: bool = True,
    rotations: str | None = None,
    formulation: str | Hybrid | None = None,
) -> None:
    """Simulate with steps whose error follows `tolerance` (of the model's length; radians), or fixed ones of size
    `step` [s]."""
    if formulation is None:
        refuse_rotations(run, rotations)
    ROSENBROCK.run(run, Chosen(step, tolerance, max_step, project, rotations, formulation))
