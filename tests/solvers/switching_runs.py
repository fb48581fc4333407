"""A run in which components are switched at given times."""

from __future__ import annotations

from typing import Any

from flexmb.feedback.controller import sampling_for
from flexmb.results.statistics import Statistics
from flexmb.solvers.binding.options import checked_options
from flexmb.solvers.changes.exchange import rows_exchanged
from flexmb.solvers.changes.switching import switch
from flexmb.solvers.methods.registry import METHODS
from flexmb.solvers.rows.redundancy import independent_rows
from flexmb.solvers.runs.at_times import AtTimes
from flexmb.solvers.runs.history import History
from flexmb.solvers.runs.report import Report
from flexmb.solvers.runs.run import Run
from flexmb.solvers.runs.solution_of_run import solution_of
from flexmb.solvers.start.initial import consistent_state
from flexmb.solvers.trust import doubts
from flexmb.system.system import System


def run_with(model: Any, t_end: float, plan: Any, method: str = "radau", times: Any = None, **options: Any) -> Any:
    """`plan`: (time, on, off) in rising order; the solution, and what happened."""
    options = checked_options(method, METHODS, options, "test")
    whole = System(model)
    system = independent_rows(whole, 0.0, whole.q0, "remove")
    q, v, a, lam, *_ = consistent_state(system, 0.0, whole.q0, whole.v0)
    history = History(system) if times is None else AtTimes(system, times)
    history.append(0.0, q, v, a, lam)
    run = Run(system, 0.0, t_end, q, v, a, lam, history, Report(Statistics(method=method), False))
    if model.controllers:
        controllers = list(model.controllers.values())
        run.sampling = sampling_for(system, controllers, 0.0, t_end, {})
        history.control = run.sampling, controllers, {}
    done = []
    with run:
        for t, on, off in [*plan, (t_end, (), ())]:
            run.t_end = t
            METHODS[method](run, **options)
            while rows_exchanged(run):
                METHODS[method](run, **options)
            if t < t_end:
                done.append(switch(run, on, off))
    solution = solution_of(run)
    solution.doubts = doubts(run, solution, options)
    return solution, done
