"""The error of fixed steps, estimated by a second run in shorter steps.

Methods add up roughly what the errors of their steps become until the end (`carried_error` in
:mod:`flexmb.solvers.generalized_alpha.alpha_error`, and in :mod:`flexmb.solvers.explicit.step_control` for explicit
methods). It costs little, and is mostly far too large: forces of vibration that is too fast for the steps count in it,
and errors that take one another away. The error of slider-cranks, pendulums, governors and tops was the part 1/1000 to
2 of it (tests/solvers/generalized_alpha/test_fixed_steps.py). A run in which it is small needs nothing else. Else the
run is repeated from its first state in steps of half the size. Of an error that falls with the square of the step,
three quarters are the difference of both runs; it contains errors of phase, which no balance of energy shows."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from flexmb.results.solution import Solution
from flexmb.solvers.at_times import AtTimes
from flexmb.solvers.run import Run
from flexmb.system.doubts import spread_rows

#: a run whose carried error is smaller is not repeated, in units of the model's length, and radians
SMALL = 1e-3
#: The error as a part of the carried one, in the middle of what was measured: for runs that cannot be repeated, since
#: a law in Python may keep a memory.
OF_CARRIED = 0.02
#: times at most at which both runs are compared
MOST_TIMES = 400
#: the error of the first run as a multiple of the difference of both
OF_DIFFERENCE = 4.0 / 3.0


def note_error(run: Run, solution: Solution, step: float, again: Callable[[float, np.ndarray], Solution]) -> str:
    """Enter the estimated error of a run of a fixed `step` [s] in its statistics. `again` makes a run of a shorter step
    whose solution has the times given. Returns why that one cannot be compared, empty if it can."""
    statistics = run.statistics
    statistics.estimated_error = run.carried_error
    if run.carried_error <= SMALL or solution.status not in ("finished", "stopped"):
        return ""
    if not all(controller.repeatable for controller in run.system.model.controllers.values()):
        statistics.estimated_error = OF_CARRIED * run.carried_error
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
    statistics.estimated_error = OF_DIFFERENCE * float(np.max(np.abs(apart) / run.system.scale, initial=0.0))
    return ""
