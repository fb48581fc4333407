"""The semi-implicit Euler method, "euler": speeds advance by the present accelerations, and positions by the new
speeds,

    u₁ = u + h u̇(t, x, u),      x₁ = x + h ẋ(x, u₁)

It is of first order. With forces that depend on positions alone it is symplectic, so that the energy of undamped motion
oscillates and does not drift (Hairer, Lubich and Wanner (2006), VI.3). A step costs one evaluation of the
accelerations. Its error is half of h times the change of the slopes: in positions ẋ(x, u₁) − ẋ(x, u), in speeds the
change of u̇ since the step before.
"""

from __future__ import annotations

import numpy as np

from flexmb.algebra.tableau import Tableau
from flexmb.formulations.kinds import Hybrid
from flexmb.kernels.compilation import called
from flexmb.solvers.coordinates.coordinates import slopes, width
from flexmb.solvers.methods.explicit.explicit_run import Chosen, OneStepMethod
from flexmb.solvers.methods.explicit.explicit_step import begin_step, combined_errors, fill
from flexmb.solvers.runs.run import Run
from flexmb.solvers.statuses import OK


@called(int)
def attempt(loop, t, h):
    """Compute the end of a step; returns OK, or why there is none. Slopes number 0 are those of the step: of positions
    by the new speeds, of speeds by the present accelerations. Number 1 are those of positions by the old speeds, and
    those of speeds in the step before."""
    coordinates, plan, motion, stage = loop.coordinates, loop.plan, loop.motion, loop.stage
    status = begin_step(loop)
    if status != OK:
        return status
    axes, n, rest = plan.orientations, plan.n, stage.error_v[0]
    for i in range(width(coordinates, plan)):
        stage.ku[1, i] = stage.ku[0, i]
    slopes(coordinates, axes, n, stage.x0, stage.u0, motion.v, motion.a, 0.0, 0.0, stage.kx[1], stage.ku[0])
    for i in range(width(coordinates, plan)):
        stage.u[i] = stage.u0[i] + h * stage.ku[0, i]
    slopes(coordinates, axes, n, stage.x0, stage.u, stage.u, motion.a, 0.0, 0.0, stage.kx[0], rest)
    return fill(loop, loop.method.b, h)


_NONE = np.zeros(2)
EULER = OneStepMethod(
    attempt,
    combined_errors,
    Tableau(np.zeros((2, 2)), np.array([1.0, 0.0]), _NONE, np.array([[0.5, -0.5], _NONE]), order=1),
    stages=2,
)
advance, IN_LANES = EULER.advance, EULER.in_lanes


def run_euler(
    run: Run,
    *,
    step: float = 1e-3,
    project: bool = True,
    rotations: str | None = None,
    formulation: str | Hybrid | None = None,
) -> None:
    """Simulate by the semi-implicit Euler method with fixed steps of size `step` [s]."""
    EULER.run(run, Chosen(step, None, None, project, rotations, formulation))
