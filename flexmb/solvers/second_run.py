"""Estimate of the error of fixed steps by a second run with shorter steps.

Methods add up rough estimates of the displacement at the end due to the errors of their steps (`carried_error` in
:mod:`flexmb.solvers.methods.generalized_alpha.alpha_error`, and in :mod:`flexmb.solvers.methods.explicit.step_control`
for explicit methods). This costs little, but is mostly far too large: it includes vibration that is too fast for the
steps, and errors that cancel. The true error of slider-cranks, pendulums, governors and tops was the part 1/1000 to 2
of it (tests/solvers/methods/generalized_alpha/test_fixed_steps.py). If the estimate is small, it is sufficient.
Otherwise the run is repeated from its start with steps of half the size. For an error that falls with the square of the
step, the difference of the two runs is three quarters of it, for one that falls with the step a half, and includes
errors of phase, which no energy balance shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from flexmb.results.solution import Solution
from flexmb.solvers.runs.at_times import AtTimes
from flexmb.solvers.runs.run import Run
from flexmb.system.doubts import spread_rows

#: A run whose estimated displacement is below this, in units of the model's length, and radians, is not repeated.
SMALL = 1e-3
#: Error as a part of the estimated displacement, in the middle of the measured range: for runs that cannot be repeated,
#: since a law in Python may have memory.
OF_CARRIED = 0.02
#: Most times at which the two runs are compared.
MOST_TIMES = 400


def note_error(run: Run, solution: Solution, step: float, again: Callable[[float, np.ndarray], Solution] | None) -> str:
    """Record the estimated error of a run with fixed `step` [s] in its statistics. `again` makes a run with a shorter
    step, whose solution has the given times; without it an error that only such a run could tell is NaN. Returns why
    that run cannot be compared, "" if it can."""
    statistics = run.report.statistics
    statistics.estimated_error = run.report.carried_error
    if run.report.carried_error <= SMALL or solution.status not in ("finished", "stopped"):
        return ""
    if again is None:
        statistics.estimated_error = math.nan
        return ""
    if not all(controller.repeatable for controller in run.system.model.controllers.values()):
        statistics.estimated_error = OF_CARRIED * run.report.carried_error
        return ""
    steps, places = run.history.some_steps if isinstance(run.history, AtTimes) else (solution.t, solution.q)
    t = np.unique(steps)
    t = t[spread_rows(len(t), MOST_TIMES)]
    points = max((run.t - run.t_start) / step, 1.0)
    second = again(0.5 * step / math.ceil(statistics.steps / points - 1e-6), t)
    if second.status == "interrupted":
        raise KeyboardInterrupt
    reached = np.isin(t, second.t)
    if second.status not in ("finished", "stopped") or not reached[1:].any():
        return f"half the step leads to another end: {second.message}"
    rows = np.searchsorted(steps, t[reached])
    apart = run.system.difference(second.q[np.isin(second.t, t)], places[rows])
    halved = 0.5**run.report.order_of_fixed  # the error of half the step, as a part of this one
    statistics.estimated_error = 1.0 / (1.0 - halved) * float(np.max(np.abs(apart) / run.system.scale, initial=0.0))
    return ""
