"""A short run of a task when its environment is made, which tells of fixed steps that are too long for it."""

from __future__ import annotations

from functools import cache

import numpy as np

from flexmb.batches.identity import identity_of
from flexmb.environments.tasks import Task
from flexmb.errors import AccuracyWarning, SolverError, silent, warn
from flexmb.results.solution import Solution
from flexmb.solvers.binding.bound import Bound, Choices
from flexmb.solvers.one_run import asked_of, checked_run

#: How many control periods it takes: steps that are unstable grow beyond all bounds in less.
PERIODS = 10
#: An error that is this part of the motion is no motion of the mechanism any more. (The semi-implicit Euler method in
#: steps of 1 ms is off by a hundredth where all motors of an arm push with all their might, and serves for learning.)
WRONG = 0.05


def warn_of_long_steps(task: Task) -> None:
    """Warn if the motion with fixed steps is wrong soon after the start, while all commands are at their highest. In an
    environment nobody would see it: no error is estimated there, and rewards are numbers still."""
    if not task.options.get("step"):
        return
    of = {"model": task.model, "method": task.method, "options": task.options, "initial": task.initial}
    key = identity_of({**of, "commands": task.limits, "times": (task.period, task.periods)})
    known = _known()
    if key not in known:
        known[key] = _doubt(task)
    if known[key]:
        warn(known[key], AccuracyWarning)


@cache
def _known() -> dict[str, str]:
    """Answers of trials so far: a vector of single environments has many of one task."""
    return {}


def _doubt(task: Task) -> str:
    """A sentence that says what is wrong with the steps of a task; empty if nothing is."""
    bound = Bound(task.model, task.method, dict(task.options), Choices(), "environment of", again=False)
    t_end = min(PERIODS, task.periods) * task.period
    start = task.start_of(task.model) if task.initial else None
    highest = {name: high for name, (_, high) in task.limits.items()}
    times = np.linspace(0.0, t_end, PERIODS + 1)
    what = f"{task.where}: with the highest commands from its start on, steps of {task.options['step']:g} s"
    with silent():
        try:
            solution = checked_run(bound, asked_of(bound, t_end, 0.0, start, times, False, highest))
        except SolverError as error:
            return f"{what} are too long: {error}"
    if solution.status != "finished":
        return f"{what} are too long: {solution.message}"
    off, moved = solution.statistics.estimated_error, _moved(solution)
    if off is None or np.isnan(off) or off <= WRONG * moved:
        return ""
    return (
        f"{what} lead to an error of {off:.2g} within {t_end:g} s, in which it moves by {moved:.2g} (lengths of the "
        "model, or radians); take a smaller step"
    )


def _moved(solution: Solution) -> float:
    """Largest distance of a motion from its start, in lengths of the model, and radians."""
    system = solution.source.system  # type: ignore[attr-defined]
    apart = system.difference(solution.q, np.repeat(solution.q[:1], len(solution.q), axis=0))
    return float(np.max(np.abs(apart) / system.scale, initial=0.0))
