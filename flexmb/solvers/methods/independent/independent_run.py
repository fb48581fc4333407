"""Motion in independent coordinates: the reduced equations of Kobayashi (n.d.), eqs. (70)-(72), by an integrator.

:mod:`~flexmb.solvers.methods.independent.partition` chooses the independent coordinates,
:mod:`~flexmb.solvers.coordinates.independent.carried_numbers` defines the numbers that are integrated for them,
:mod:`~flexmb.solvers.coordinates.independent.closing` computes the dependent ones, and
:mod:`~flexmb.solvers.methods.independent.reduced_equations` evaluates the equations. With a formulation,
:mod:`~flexmb.solvers.methods.independent.of_joints` and :mod:`~flexmb.solvers.coordinates.independent.joint_closing` do
this for joint coordinates. Accuracy and cost of runs are tabulated with the integrators, in
:mod:`~flexmb.solvers.methods.independent.cvode` and :mod:`~flexmb.solvers.methods.independent.reduced_radau_run`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flexmb.errors import SolverError
from flexmb.formulations.kinds import Hybrid
from flexmb.model import checks
from flexmb.solvers.changes.passage import Passage
from flexmb.solvers.coordinates.independent import FINEST_INDEPENDENT
from flexmb.solvers.methods.independent.cvode import by_cvode
from flexmb.solvers.methods.independent.following import follow
from flexmb.solvers.methods.independent.of_joints import OfJoints
from flexmb.solvers.methods.independent.partition import Partition
from flexmb.solvers.methods.independent.problem import Options, Problem
from flexmb.solvers.methods.independent.reduced_radau_run import OF_PASSAGE, by_radau
from flexmb.solvers.runs.right_hand_side import RightHandSide
from flexmb.solvers.runs.run import Run
from flexmb.solvers.runs.singular_angles import coordinates_of, refuse_rotations
from flexmb.system.refusals import refuse_searches
from flexmb.system.searching import OTHERS

#: Integrators by name; each takes a run from its present state to its end.
INTEGRATORS: dict[str, Callable[[Run, RightHandSide, Problem, Passage, Options], None]] = {
    "cvode": by_cvode,
    "radau": by_radau,
}


def run_independent(
    run: Run,
    *,
    tolerance: float = 1e-7,
    absolute_tolerance: float = 1e-9,
    coordinates: Sequence[str] | None = None,
    integrator: str = "cvode",
    max_order: int = 5,
    max_step: float | None = None,
    rotations: str | None = None,
    formulation: str | Hybrid | None = None,
) -> None:
    """Simulate with errors of the motion of at most about ten times `tolerance`, `absolute_tolerance` (in model lengths
    and radians). `coordinates`: names of the independent coordinates, chosen automatically if not given.
    `absolute_tolerance` and `max_order` apply to CVODE only."""
    system = run.system
    where = f"simulate model {system.model.name!r}"
    checks.choice(integrator, INTEGRATORS, "integrator", where)
    refuse_searches(system, f"{where}, method 'independent'", OTHERS)
    if tolerance < FINEST_INDEPENDENT:
        raise SolverError(
            f"{where}: tolerance is {tolerance:g}; method 'independent' reaches {FINEST_INDEPENDENT:g} at best, take "
            "that, or method 'projection'"
        )
    run.history.order = max_order  # Radau IIA has order five, too
    if formulation is None:
        refuse_rotations(run, rotations)
    f = RightHandSide(run, coordinates=coordinates_of(run, rotations, formulation))
    partition = OfJoints(run, f, coordinates) if formulation else Partition(system, run.t, run.q, coordinates)
    problem = Problem(run, f, partition)

    def work() -> None:
        passage = Passage(run, f, OF_PASSAGE * tolerance, OF_PASSAGE * absolute_tolerance)
        passage.u = problem.u
        f.q[:], f.v[:] = run.q, run.v
        f.accelerate(run.t)
        passage.see(run.t)
        if not len(problem.equations.x) and not len(run.sampling.controllers):
            follow(run, problem, passage, max_step)
            return
        able = integrator if len(problem.equations.x) else "radau"  # CVODE takes no equations without unknowns
        INTEGRATORS[able](
            run, f, problem, passage, Options(tolerance, absolute_tolerance, coordinates, max_order, max_step)
        )

    run.guarded(work)
    problem.finish()
