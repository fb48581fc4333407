"""The reduced equations by CVODE's variable-order, variable-step BDF (Cohen and Hindmarsh 1996).

CVODE calls Python for the rates, for their Jacobian, and returns after each step; what Python then does is one compiled
call each.
"""

from __future__ import annotations

from typing import Any

from flexmb.solvers.independent.equations import DRIFT, LEAPT, OF_POSITIONS, OF_SPEEDS, RATE_DRIFT, SIGMA
from flexmb.solvers.independent.krylov import Preconditioner
from flexmb.solvers.independent.options import Options
from flexmb.solvers.independent.partition import Partition
from flexmb.solvers.independent.problem import Problem
from flexmb.solvers.passage import NEAR, Passage
from flexmb.solvers.right_hand_side import RightHandSide
from flexmb.solvers.run import Run

#: above this many independent coordinates the Newton equations are solved by preconditioned GMRES
DENSE_LIMIT = 150
#: adding less than this part of a time to it does not change it
ROUNDING = 1e-15
#: CVODE controls the error of a step, and the errors of many steps add up: it gets this part of the tolerances.
PART = 0.02


def by_cvode(run: Run, f: RightHandSide, problem: Problem, passage: Passage, options: Options) -> None:
    """To the end of the run, or until it diverges."""
    found, solver = problem.equations.found, _start(run, problem, options)
    while run.t < run.t_end:
        result = solver.step(run.t_end, "onestep", run.t_end)
        if problem.interruption is not None:
            raise problem.interruption
        t = float(result.t)
        arrived = bool(result.success) and t > run.t and problem.arrive(t, result.y)
        if arrived and found[LEAPT]:
            arrived = not (passage.near or found[SIGMA] < NEAR * passage.largest)
        if not arrived:
            run.diverged(passage.why() if passage.near else str(f.trouble or f"CVODE: {result.message}"))
            return
        f.step_to(t)
        f.note(found[DRIFT], found[RATE_DRIFT])
        passage.note(t, found[SIGMA])
        through = passage.due and passage.through()
        if not through and passage.too_near:
            run.diverged(passage.why())
            return
        problem.stepped()
        other = _other_partition(run, problem, options)
        if other is not None:
            problem.use(other)
            found = problem.equations.found
            run.statistics.repartitions += 1
        if other is not None or through:
            solver = _start(run, problem, options)
        run.show()


def _start(run: Run, problem: Problem, options: Options) -> Any:
    """CVODE at the present state of the run."""
    from sksundae.cvode import CVODE

    given: dict[str, Any] = {"rtol": PART * options.rtol, "atol": PART * options.atol * problem.scale}
    given["max_order"] = options.max_order
    given["min_step"] = ROUNDING * max(abs(run.t), abs(run.t_end))
    given["max_step"] = max(options.max_step or run.t_end - run.t, given["min_step"])
    if len(problem.equations.fast) > DENSE_LIMIT:
        given |= Preconditioner(problem).options()
    else:
        given["jacfn"] = problem.jacobian
    solver = CVODE(problem.derivative, max_num_steps=100_000, **given)
    solver.init_step(run.t, problem.start())
    return solver


def _other_partition(run: Run, problem: Problem, options: Options) -> Partition | None:
    """Another partition where the present one should not be kept."""
    partition, found = problem.partition, problem.equations.found
    if partition.carried.chart_ends:
        return Partition(run.system, run.t, run.q, options.coordinates, partition.weights)
    if options.coordinates is None and partition.is_worn(found[OF_POSITIONS], found[OF_SPEEDS]):
        return partition.better(run.t, run.q)
    return None
