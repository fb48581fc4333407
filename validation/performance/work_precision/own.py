"""The methods of flexmb, whichever :func:`flexmb.simulate` has, by their tolerances."""

from __future__ import annotations

import _thread
import functools
import inspect
import math
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np

import flexmb as fm
from flexmb.solvers.methods.registry import METHODS
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
#: What the absolute part of a tolerance is to the whole, as in all defaults.
ABSOLUTE = 1e-2
#: A method that keeps well below its tolerance takes part with larger ones, as those that keep above take part with
#: smaller ones: what is compared is the time to an error.
TOLERANCES_HERE = (1e-2, 10.0**-2.5, *TOLERANCES)
#: the formulations by which methods that carry joint coordinates take part: by articulated bodies, by groups of them,
#: and by the mass matrix, which close loops in different ways
FORMULATIONS_HERE = ("aba", "ada", "lagrange")
#: what stands in the name of a line between the method and its formulation
BY_FORMULATION = ", by "
#: what the name of a line ends in whose integrator is the compiled one
COMPILED = ", radau"
#: fixed steps: as many in the coarsest and in the finest run
FEWEST, MOST = 40, 40 * 2**20


def options_of(method: str) -> list[str]:
    """The names of a method's own options."""
    return [name for name, p in inspect.signature(METHODS[method]).parameters.items() if p.kind is p.KEYWORD_ONLY]


def lines(problem: Problem, length: float, formulations: Sequence[str] = FORMULATIONS_HERE) -> Iterator[Line]:
    """A line for each method with a tolerance, also by these formulations where it carries joint coordinates and by the
    integrator that is compiled where it has a choice, and one for each that takes fixed steps."""
    for method in METHODS:
        own = options_of(method)
        if "tolerance" in own:
            parts = {"tolerance": 1.0} | ({"absolute_tolerance": ABSOLUTE} if "absolute_tolerance" in own else {})
            settings = [
                Setting(x, f"tolerance {x:.0e}", {name: part * x for name, part in parts.items()})
                for x in TOLERANCES_HERE
            ]
            ways: dict[str, dict[str, str]] = {"": {}}
            if "integrator" in own:
                ways[COMPILED] = {"integrator": "radau"}
            if "formulation" in own:
                ways |= {f"{BY_FORMULATION}{formulation}": {"formulation": formulation} for formulation in formulations}
            for way, options in ways.items():
                so = [s._replace(options={**s.options, **options}) for s in settings]
                yield Line(CODE, f"{method}{way}", so, _runner(problem, method, length))
        if "step" in own:
            steps = (s._replace(options={"step": s.options}) for s in halved_steps(problem.t_end, FEWEST, MOST))
            yield Line(CODE, f"{method}{FIXED}", steps, _runner(problem, method, length), on_steps=True, predict=2.0)


def _runner(problem: Problem, method: str, length: float) -> Callable[[Setting, float, float], Outcome]:
    def run(setting: Setting, end: float, limit: float) -> Outcome:
        solution, seconds, alone = timed(problem.build(), end, method, limit, setting.options)
        times = problem.times[problem.times <= end * (1.0 + 1e-12)]
        observed = problem.observe(solution.at(np.minimum(times, solution.t[-1])), length)
        if end < problem.t_end:
            return Outcome(observed, seconds)
        steps, work = solution.statistics.steps, evaluations_of(solution)
        return Outcome(observed, seconds, steps, work, solution.energy.error, alone)

    return run


def evaluations_of(solution: fm.Solution) -> int:
    """How often the equations were evaluated in a run. The default method does so in each iteration, and counts these;
    the others count evaluations."""
    return solution.statistics.evaluations or solution.statistics.iterations


def simulated(model: Any, end: float, method: str, limit: float, options: dict[str, Any]) -> fm.Solution:
    """A whole run; a CutOffError that says why if it does not come to its end within `limit` seconds."""
    return timed(model, end, method, limit, options)[0]


def timed(
    model: Any, end: float, method: str, limit: float, options: dict[str, Any]
) -> tuple[fm.Solution, float, float]:
    """As :func:`simulated`, with the processor time [s], and that of the method alone, without assembly, start and
    checks."""
    measured, alone = _measured(method)
    alone[0] = 0.0
    if "step" in options:  # other codes estimate no error of fixed steps by a second run
        options = options | {"second_run": False}
    try:
        with warnings.catch_warnings(), stopped_after(limit), mock.patch.dict(METHODS, {method: measured}):
            warnings.simplefilter("ignore")
            begun = time.process_time()
            solution = fm.simulate(model, end, method, progress=False, **options)
            seconds = time.process_time() - begun
    except KeyboardInterrupt:
        raise CutOffError(f"more than {limit:g} s", final=True) from None
    except (fm.FlexmbError, MemoryError) as why:  # the method does not take the model
        raise CutOffError(str(why), final=True) from why
    if solution.status == "interrupted":
        raise CutOffError(f"more than {limit:g} s, at t = {solution.t[-1]:.3g} s of {end:.3g} s then", final=True)
    if solution.status != "finished":
        raise CutOffError(solution.message)
    return solution, seconds, alone[0]


@functools.cache
def _measured(method: str) -> tuple[Callable[..., None], list[float]]:
    """A method, and the processor time [s] that it has taken since that was set to zero; one function for all runs,
    as without a measurement, since `simulate` asks a function for its options when it first meets it."""
    alone, itself = [0.0], METHODS[method]

    @functools.wraps(itself)
    def measured(*given: Any, **named: Any) -> None:
        begun = time.process_time()
        try:
            itself(*given, **named)
        finally:
            alone[0] += time.process_time() - begun

    return measured, alone


@contextmanager
def stopped_after(limit: float) -> Iterator[None]:
    """Ctrl-C for what is within after `limit` seconds, if these are finite: by a clock of the operating system, since
    the thread of another clock takes as long to begin as a short run."""
    if not math.isfinite(limit):
        yield
        return
    before = signal.signal(signal.SIGALRM, lambda *_: _thread.interrupt_main())
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
