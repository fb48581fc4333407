"""The methods of flexmb, whichever :func:`flexmb.simulate` has, and which of their options is the accuracy."""

from __future__ import annotations

import _thread
import inspect
import math
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import flexmb as fm
from flexmb.solvers.simulate import METHODS
from flexmb.validation.performance.work_precision.lines import (
    TOLERANCES,
    CutOffError,
    Line,
    Outcome,
    Setting,
    halved_steps,
)
from flexmb.validation.performance.work_precision.problems import Problem

CODE = "flexmb"
#: what the name of a line with fixed steps ends in
FIXED = ", fixed step"
#: Options that are an accuracy, in the order in which they are looked for among those of a method; what each tolerance
#: makes of them. The absolute part is smaller by the factor that all defaults have.
ACCURACY: dict[str, Callable[[float], dict[str, float]]] = {
    "tolerance": lambda tolerance: {"tolerance": tolerance},
    "rtol": lambda tolerance: {"rtol": tolerance, "atol": 1e-2 * tolerance},
}
#: fixed steps: as many in the coarsest and in the finest run
FEWEST, MOST = 40, 40 * 2**20


def options_of(method: str) -> list[str]:
    """The names of a method's own options."""
    return [name for name, p in inspect.signature(METHODS[method]).parameters.items() if p.kind is p.KEYWORD_ONLY]


def lines(problem: Problem, length: float) -> Iterator[Line]:
    """A line for each method with a tolerance, and one for each that takes fixed steps."""
    for method in METHODS:
        own = options_of(method)
        accuracy = next((name for name in ACCURACY if name in own), None)
        if accuracy is not None:
            settings = [Setting(x, f"{accuracy} {x:.0e}", ACCURACY[accuracy](x)) for x in TOLERANCES]
            yield Line(CODE, method, settings, _runner(problem, method, length))
        if "step" in own:
            steps = (s._replace(options={"step": s.options}) for s in halved_steps(problem.t_end, FEWEST, MOST))
            yield Line(CODE, f"{method}{FIXED}", steps, _runner(problem, method, length), on_steps=True, predict=2.0)


def _runner(problem: Problem, method: str, length: float) -> Callable[[Setting, float, float], Outcome]:
    def run(setting: Setting, end: float, limit: float) -> Outcome:
        model = problem.build()
        begun = time.process_time()
        solution = simulated(model, end, method, limit, setting.options)
        seconds = time.process_time() - begun
        times = problem.times[problem.times <= end * (1.0 + 1e-12)]
        observed = problem.observe(solution.at(np.minimum(times, solution.t[-1])), length)
        if end < problem.t_end:
            return Outcome(observed, seconds)
        statistics = solution.statistics
        # the default method solves its equations in each iteration, others count evaluations of the right-hand side
        work = statistics.evaluations or statistics.iterations
        alone = min(statistics.seconds, seconds)  # the one by the clock on the wall, the other of the processor
        return Outcome(observed, seconds, statistics.steps, work, solution.energy.error, alone)

    return run


def simulated(model: Any, end: float, method: str, limit: float, options: dict[str, Any]) -> fm.Solution:
    """A whole run; a CutOffError that says why if it does not come to its end within `limit` seconds."""
    try:
        with warnings.catch_warnings(), stopped_after(limit):
            warnings.simplefilter("ignore")
            solution = fm.simulate(model, end, method, progress=False, **options)
    except KeyboardInterrupt:
        raise CutOffError(f"more than {limit:g} s", final=True) from None
    except (fm.FlexmbError, MemoryError) as why:  # the method does not take the model
        raise CutOffError(str(why), final=True) from why
    if solution.status == "interrupted":
        raise CutOffError(f"more than {limit:g} s, at t = {solution.t[-1]:.3g} s of {end:.3g} s then", final=True)
    if solution.status != "finished":
        raise CutOffError(solution.message)
    return solution


@contextmanager
def stopped_after(limit: float) -> Iterator[None]:
    """Ctrl-C for what is within after `limit` seconds, if these are finite."""
    if not math.isfinite(limit):
        yield
        return
    timer = threading.Timer(limit, _thread.interrupt_main)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
