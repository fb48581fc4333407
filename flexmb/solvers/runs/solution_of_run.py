"""The solution of a run up to its present time, and the logs of its controllers."""

from __future__ import annotations

from flexmb.feedback.controller import control_logs
from flexmb.results.layout import Layout
from flexmb.results.signals import ControlLog, Logs
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from flexmb.solvers.runs.run import Run
from flexmb.system.sticking import keep_friction


def solution_of(run: Run) -> Solution:
    """The solution up to the present time."""
    if run.history.again is not None:
        run.history.again.logs = list(logs_of(run).values())
    rows, message = run.history.arrays(), run.report.message
    for epoch in run.history.epochs:
        keep_friction(epoch.system.assembly, epoch.system.plan)
    if run.history.none_reached:  # known only now
        message += f"{'; ' if message else ''}none of the times was reached, so the last step stands alone"
    run.history.note(run.report.statistics)
    solution = Solution(
        Layout.of(run.system),
        SystemSource(run.system, run.history.work(), run.history.epochs),
        *rows[:4],
        run.history.multipliers(rows),
        status=run.report.status,
        message=message,
        statistics=run.report.statistics,
        model=run.system.model,
        order=run.history.order,
        again=run.history.again,
    )
    solution.events, solution.earlier_events = run.events.records, sorted(run.events.past)
    if run.system.model.controllers:
        solution.control = Logs(logs_of(run))
    return solution


def logs_of(run: Run) -> dict[str, ControlLog]:
    """Readings and commands of the controllers so far, by name."""
    return control_logs(run.sampling, list(run.system.model.controllers.values()), run.t, run.states)
