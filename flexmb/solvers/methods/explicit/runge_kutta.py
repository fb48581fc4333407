"""Explicit Runge–Kutta methods by their tableaux (:mod:`flexmb.algebra.tableau`): "rkf45", Fehlberg 4(5), and "dop853",
Dormand–Prince 8(5,3).

    k_i = f(t + c_i h, y + h Σ_j a_ij k_j),      y₁ = y + h Σ_i b_i k_i,      errors of y₁: h Σ_i e_i k_i

with y = (x, u), the positions and speeds of the method. The first stage uses the accelerations that are known at the
start of the step.
"""

from __future__ import annotations

from typing import Any

from flexmb.algebra.tableau import DORMAND_PRINCE, FEHLBERG
from flexmb.formulations.kinds import Hybrid
from flexmb.kernels.compilation import called
from flexmb.solvers.methods.explicit.explicit_run import Chosen, OneStepMethod
from flexmb.solvers.methods.explicit.explicit_step import accelerate_stage, begin_step, combined_errors, fill, slopes_at
from flexmb.solvers.runs.run import Run
from flexmb.solvers.statuses import OK


@called(int)
def attempt(loop, t, h):
    """Compute all stages of a step from t, and its end in the stage; returns OK, or why there is none."""
    motion, stage, table = loop.motion, loop.stage, loop.method
    status = begin_step(loop)
    if status != OK:
        return status
    slopes_at(loop, 0, stage.x0, stage.u0, motion.v, motion.a)
    for number in range(1, table.b.shape[0]):
        status = fill(loop, table.a[number], h)
        if status != OK:
            return status
        status = accelerate_stage(loop, t + table.c[number] * h)
        if status != OK:
            return status
        slopes_at(loop, number, stage.x, stage.u, stage.v, stage.a)
    return fill(loop, table.b, h)


def _scipy_dop853(*args: Any, **options: Any) -> Any:
    """SciPy's DOP853, the same method with its continuous extension."""
    from scipy.integrate import DOP853

    return DOP853(*args, **options)


RKF45 = OneStepMethod(attempt, combined_errors, FEHLBERG, stages=6, of_tolerance=0.15)
DOP853 = OneStepMethod(attempt, combined_errors, DORMAND_PRINCE, stages=12, of_tolerance=1.0, again=_scipy_dop853)
advance, IN_LANES = RKF45.advance, RKF45.in_lanes


def run_rkf45(
    run: Run,
    *,
    step: float | None = 1e-3,
    tolerance: float | None = None,
    max_step: float | None = None,
    project: bool = True,
    rotations: str | None = None,
    formulation: str | Hybrid | None = None,
) -> None:
    """Simulate by Fehlberg 4(5). Fixed steps of size `step` [s] begin at the start of the run, and the last one ends at
    t_end. With a `tolerance`, the size of the steps follows from the error."""
    RKF45.run(run, Chosen(step, tolerance, max_step, project, rotations, formulation))


def run_dop853(
    run: Run,
    *,
    tolerance: float = 1e-6,
    max_step: float | None = None,
    project: bool = True,
    rotations: str | None = None,
    formulation: str | Hybrid | None = None,
) -> None:
    """Simulate by Dormand–Prince 8(5,3); the size of the steps follows from the error."""
    DOP853.run(run, Chosen(None, tolerance, max_step, project, rotations, formulation))
