"""Mechanisms without freedom, whose drives determine all motion: the state at each time follows from the constraints
alone."""

from __future__ import annotations

import numpy as np

from flexmb.solvers.changes.passage import Passage
from flexmb.solvers.events.crossings import judge, keep_end, watch_from
from flexmb.solvers.march.march_in_python import step_end
from flexmb.solvers.methods.independent.problem import Problem
from flexmb.solvers.methods.radau.radau_run import FOLLOWED
from flexmb.solvers.runs.run import Run

#: Where to look for the next position, in parts of a step: at its end, half a step beyond it, then closer and closer to
#: its start.
PARTS = (1.0, 1.5, *(0.5**k for k in range(1, 11)))
_NOTHING = np.zeros(0)


def follow(run: Run, problem: Problem, passage: Passage, max_step: float | None) -> None:
    """Compute the states at the times of a grid. A time at which the constraints do not determine the state is skipped;
    a step that would end on another branch is divided."""
    count = max(FOLLOWED, int((run.t_end - run.t) / (max_step or np.inf)) + 1)
    times = np.linspace(run.t, run.t_end, count + 1)
    system, watched, f = run.system, run.crossings(False), problem.f
    if len(watched.side):
        watch_from(watched, system.plan, system.scratch, run.t, run.q, run.v, run.a, run.lam, times[1] - times[0])

    def state_at(t: float) -> tuple[np.ndarray, ...]:
        """q, v, a, λ at a time."""
        if not problem.reach(t, _NOTHING):
            f.a[:] = np.nan
        return f.q, f.v, f.a, f.lam

    while run.t < run.t_end:
        begun, t = run.t, float(times[np.searchsorted(times, run.t, side="right")])
        if len(watched.side):
            t = step_end(watched, system, run.t, t, state_at)
        ends = (t if part == 1.0 else min(run.t + part * (t - run.t), run.t_end) for part in PARTS)
        if not any(_reach(problem, end) for end in ends):
            why = passage.why() if passage.near else str(problem.f.trouble or "the motion is not continuous there")
            run.diverged(why)
            return
        passage.see(run.t)
        if len(watched.side):
            if run.t != t:
                judge(watched, system.plan, system.scratch, begun, run.t, run.q, run.v, run.a, run.lam, False)
            if keep_end(watched):
                run.happen(run.q, run.v, run.a, run.lam)
        run.show()


def _reach(problem: Problem, t: float) -> bool:
    """Whether the constraints have a solution at a time, on the branch of the last one; if so, it becomes the present
    state of the run."""
    if not problem.arrive(t, _NOTHING) or problem.equations.found.leapt:
        return False
    problem.f.step_to(t)
    problem.stepped()
    return True
