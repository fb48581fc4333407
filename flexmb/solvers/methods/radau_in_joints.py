"""Method "radau": Radau IIA on the DAE in absolute coordinates, or, with a formulation, on the ODE in independent joint
coordinates."""

from __future__ import annotations

from flexmb.errors import SolverError
from flexmb.formulations.kinds import Hybrid
from flexmb.machine.late_names import Choice
from flexmb.solvers.coordinates.independent import FINEST_INDEPENDENT
from flexmb.solvers.runs.run import Run
from flexmb.solvers.runs.singular_angles import refuse_rotations

#: what simulates with a formulation and without one, each imported when it is needed
RUNS = Choice(
    joints="flexmb.solvers.methods.independent.independent_run:run_independent",
    dae="flexmb.solvers.methods.radau.radau_run:run_radau",
)


def run_radau(
    run: Run,
    *,
    tolerance: float = 1e-6,
    max_step: float | None = None,
    newton_tolerance: float | None = None,
    max_iterations: int = 12,
    rotations: str | None = None,
    formulation: str | Hybrid | None = None,
) -> None:
    """Simulate with steps whose error stays below `tolerance` (of the model's length; radians). With a `formulation`,
    the method integrates the reduced equations in independent joint coordinates
    (:mod:`flexmb.solvers.methods.independent.reduced_radau_run`)."""
    if formulation is None:
        refuse_rotations(run, rotations)
        given = {"newton_tolerance": newton_tolerance, "max_iterations": max_iterations}
        RUNS["dae"](run, tolerance=tolerance, max_step=max_step, **given)
        return
    where = f"simulate model {run.system.model.name!r}, method 'radau'"
    if newton_tolerance is not None or max_iterations != 12:
        raise SolverError(
            f"{where}: newton_tolerance and max_iterations are those of a DAE, and a formulation leaves none; "
            "leave them out"
        )
    if tolerance < FINEST_INDEPENDENT:
        raise SolverError(
            f"{where}: tolerance is {tolerance:g}; with a formulation it reaches {FINEST_INDEPENDENT:g} at best"
        )
    RUNS["joints"](
        run, tolerance=tolerance, integrator="radau", max_step=max_step, rotations=rotations, formulation=formulation
    )
