"""SciPy's methods on the index-1 form, by the compiled right-hand side of flexmb."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.integrate import DOP853, Radau

import flexmb as fm
from flexmb.kernels.compilation import allocation_free
from flexmb.results.layout import Layout
from flexmb.results.sources import SystemSource
from flexmb.results.statistics import Statistics
from flexmb.solvers.rows.redundancy import independent_rows
from flexmb.solvers.runs.history import History
from flexmb.solvers.runs.report import Report
from flexmb.solvers.runs.right_hand_side import RightHandSide, SingularPositionError
from flexmb.solvers.runs.run import Run
from flexmb.solvers.start.initial import consistent_state
from flexmb.system.accelerations import accelerations
from flexmb.validation.performance.work_precision.lines import TOLERANCES, CutOffError, Line, Outcome, Setting
from flexmb.validation.performance.work_precision.pieces import nudge
from flexmb.validation.performance.work_precision.problems import Problem

CODE = "SciPy"
METHODS: dict[str, Any] = {"DOP853": DOP853, "Radau": Radau}

#: so many right-hand sides are timed at once
CALLS = 200


@allocation_free
def _again(plan, scratch, linear, mass, t, q, v, a, lam, work, count):
    for turn in range(count):
        nudge(turn, q)
        accelerations(plan, scratch, linear, mass, t, q, v, a, lam, work, 0.0, 0.0)


class IndexOne:
    """A model as ẏ = f(t, y), y = (q, v), from consistent values on; reductions of its system to independent rows are
    made once, at the start."""

    def __init__(self, model: Any, t_end: float) -> None:
        whole = fm.System(model)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fm.errors.RedundancyWarning)
            self.system = system = independent_rows(whole, 0.0, whole.q0, "remove")
        state = consistent_state(system, 0.0, whole.q0, whole.v0)[:4]
        self.run = Run(system, 0.0, t_end, *state, History(system), Report(Statistics(), progress=False))
        self.f = RightHandSide(self.run)
        self.y = np.concatenate([self.run.q[: system.nq], self.run.v[: system.n]])

    def absolute(self, tolerance: float) -> np.ndarray:
        """Absolute tolerances of y: of places in model lengths."""
        s = self.system
        return tolerance * np.concatenate([s.scale, np.ones(s.nq - s.n), s.scale])

    def seconds_of_a_call(self) -> float:
        """The time [s] of the compiled part of a right-hand side, without what Python does to reach it."""
        s, f = self.system, self.f
        begun = time.process_time()
        _again(s.plan, s.scratch, s.linear, s.mass_scale, self.run.t_end, f.q, f.v, f.a, f.lam, f.work, CALLS)
        return (time.process_time() - begun) / CALLS

    def solution(self, times: np.ndarray, states: np.ndarray) -> fm.Solution:
        """The states (k, nq + n) with names; without accelerations and joint forces."""
        system, k = self.system, len(times)
        q, v = states[:, : system.nq].copy(), states[:, system.nq :].copy()
        rows = len(system.assembly.rows)
        return fm.Solution(
            Layout.of(system), SystemSource(system), times, q, v, np.zeros((k, system.n)), np.zeros((k, rows)),
            model=system.model,
        )  # fmt: skip

    def follow(
        self, method: Any, times: np.ndarray, rtol: float, atol: float, limit: float = np.inf, anew: bool = False
    ) -> tuple[np.ndarray, int]:
        """States (k, nq + n) at the times, the first of which is the start, and the number of steps; between the steps
        by the method's own interpolation, or if `anew` from a new start at each of the times."""
        begun, steps = time.process_time(), 0
        states, end = [self.y.copy()], float(times[-1])
        options = {"rtol": rtol, "atol": self.absolute(atol)}
        solver = method(self.f.trial, 0.0, self.y, float(times[1]) if anew else end, **options)
        while len(states) < len(times):
            message = solver.step()
            if solver.status == "failed":
                raise CutOffError(f"{self.f.trouble or message}, at t = {solver.t:.3g} s")
            if time.process_time() - begun > limit:
                raise CutOffError(f"more than {limit:g} s, at t = {solver.t:.3g} s of {end:.3g} s then", final=True)
            steps += 1
            if anew and solver.status == "finished":
                states.append(solver.y.copy())
                if len(states) < len(times):
                    solver = method(self.f.trial, solver.t, solver.y, float(times[len(states)]), **options)
            elif not anew and solver.t >= times[len(states)]:
                between = solver.dense_output()
                while len(states) < len(times) and solver.t >= times[len(states)]:
                    t = times[len(states)]
                    states.append(solver.y.copy() if t == solver.t else between(t))
        return np.array(states), steps


def lines(problem: Problem, length: float) -> Iterator[Line]:
    """A line for each method; none for a model with sampled controllers, which is no ODE."""
    if problem.build().controllers:
        return
    for name in METHODS:
        settings = [Setting(x, f"rtol {x:.0e}", x) for x in TOLERANCES]
        yield Line(CODE, name, settings, _runner(problem, METHODS[name], length))


def _runner(problem: Problem, method: Any, length: float) -> Callable[[Setting, float, float], Outcome]:
    def run(setting: Setting, end: float, limit: float) -> Outcome:
        times = problem.times[problem.times <= end * (1.0 + 1e-12)]
        times[-1] = end
        model, tolerance = problem.build(), setting.options
        begun = time.process_time()
        form = IndexOne(model, end)
        made = time.process_time() - begun
        try:
            states, steps = form.follow(method, times, tolerance, 1e-2 * tolerance, limit)
        except (SingularPositionError, ValueError, ArithmeticError) as why:
            raise CutOffError(str(why)) from why
        seconds = time.process_time() - begun
        observed = problem.observe(form.solution(times, states), length)
        count = form.f.evaluations
        return Outcome(
            observed, seconds, steps, count, alone=seconds - made, evaluating=count * form.seconds_of_a_call()
        )

    return run
