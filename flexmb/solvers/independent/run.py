"""Independent coordinates and CVODE's variable-order, variable-step BDF: the Gear method on the reduced
equations of Kobayashi (n.d.), eqs. (70)-(72).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flexmb.solvers.independent.equations import DRIFT, LEAPT, RATE_DRIFT, SIGMA
from flexmb.solvers.independent.following import follow
from flexmb.solvers.independent.krylov import Preconditioner
from flexmb.solvers.independent.partition import Partition
from flexmb.solvers.independent.problem import Problem
from flexmb.solvers.passage import NEAR, Passage
from flexmb.solvers.right_hand_side import RightHandSide
from flexmb.solvers.run import Run

#: above this many independent coordinates the Newton equations are solved by preconditioned GMRES
DENSE_LIMIT = 150
#: adding less than this part of a time to it does not change it
ROUNDING = 1e-15


def run_independent(
    run: Run,
    *,
    rtol: float = 1e-7,
    atol: float = 1e-9,
    coordinates: Sequence[str] | None = None,
    max_order: int = 5,
    max_step: float | None = None,
) -> None:
    """`coordinates`: names of the independent ones (automatic when not given); `atol` in model lengths."""
    system = run.system
    f = RightHandSide(run)
    problem = Problem(run, f, Partition(system, run.t, run.q, coordinates))

    def start(t: float) -> Any:
        from sksundae.cvode import CVODE

        options: dict[str, Any] = {"rtol": rtol, "atol": atol * problem.scale, "max_order": max_order}
        options["min_step"] = ROUNDING * max(abs(run.t), abs(run.t_end))
        options["max_step"] = max(max_step or run.t_end - run.t, options["min_step"])
        if len(problem.equations.fast) > DENSE_LIMIT:
            options |= Preconditioner(problem).options()
        else:
            options["jacfn"] = problem.jacobian
        solver = CVODE(problem.derivative, max_num_steps=100_000, **options)
        solver.init_step(t, problem.start())
        return solver

    def work() -> None:
        passage = Passage(run, f, rtol, atol)
        f.q[:], f.v[:] = run.q, run.v
        f.accelerate(run.t)
        passage.see(run.t)
        found = problem.equations.found
        if not len(problem.equations.x):
            follow(run, problem, passage, max_step)
            return
        solver = start(run.t)
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
            problem.stepped()
            passage.note(t, found[SIGMA])
            through = passage.due and passage.through()
            if not through and passage.too_near:
                run.diverged(passage.why())
                return
            partition = problem.partition
            worn = partition.carried.chart_ends or (coordinates is None and partition.worn)
            if worn:
                problem.count()
                problem.use(Partition(system, run.t, run.q, coordinates))
                run.statistics.repartitions += 1
            if worn or through:
                problem.stepped()
                solver = start(run.t)
            run.show()

    run.guarded(work)
    problem.count()
    run.statistics.evaluations += f.evaluations
    run.statistics.jacobians += problem.jacobians
