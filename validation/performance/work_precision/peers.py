"""Exudyn's methods: implicit ones with the Newton settings that serve best, explicit ones where they can be used.

Implicit methods have fixed steps. At three numbers of steps all settings of Newton's method are tried (full, modified,
one matrix a step; the criterion on the residual or on the increment; the tolerance), with the linear solver that is the
quicker one. At each, the quickest setting counts among those whose error is at most half as large again as the least.
The line has the points of all settings that were chosen. Exudyn cannot be stopped, so a run is not begun if
the one before lets it last too long.
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from flexmb.validation.performance import peer_exudyn
from flexmb.validation.performance.work_precision import references
from flexmb.validation.performance.work_precision.lines import (
    TOLERANCES,
    CutOffError,
    Line,
    Outcome,
    Setting,
    halved_steps,
)
from flexmb.validation.performance.work_precision.peer_models import MODELS, PeerModel
from flexmb.validation.performance.work_precision.problems import INSTANTS, Problem

CODE = "Exudyn"
IMPLICIT = {"generalized-α": "GeneralizedAlpha", "trapezoidal, index 2": "TrapezoidalIndex2"}
#: problems with prescribed motions; the index-2 form asks for their rates too, which the models there do not give
DRIVEN = ("spin-up", "slider-crank")
#: explicit methods: whether they choose their steps
EXPLICIT = {"DOPRI5": True, "RK67": False}
#: steps of a run, which are multiples of the times that are compared: the fewest and the most
FEWEST, MOST = INSTANTS - 1, (INSTANTS - 1) * 2**17
#: shortest step that a method may choose, as a part of the run; without it, a tolerance near round-off takes hours
SHORTEST = 1e-6
#: at how many times the first number of steps settings of Newton's method are tried
LEVELS = (1, 8, 64)
#: a setting counts as exact if its error is at most so many times the least
AS_EXACT = 1.5


class Newton(NamedTuple):
    """Settings of Newton's method, see :mod:`flexmb.validation.performance.peer_exudyn`."""

    newton: str
    criterion: str
    tolerance: float
    solver: str

    def __str__(self) -> str:
        return f"{self.newton}, {self.criterion} {self.tolerance:.0e}, {self.solver}"


CRITERIA = (("increment", 1e-4), ("increment", 1e-7), ("increment", 1e-10), ("residual", 1e-6), ("residual", 1e-10))
NEWTONS = ("full", "per_step", "modified")
SOLVERS = ("EigenSparse", "EigenDense")
#: up to so many coordinates the dense solver is tried too
LARGEST_DENSE = 100

Run = Callable[[Setting, float, float], Outcome]


def lines(problem: Problem, length: float, limit: float, chosen: Callable[[str], bool]) -> Iterator[Line]:
    """The lines of the problem whose names are `chosen`; none if Exudyn has no model like it."""
    if problem.name not in MODELS:
        return
    implicit, explicit, target_name = MODELS[problem.name]
    target = references.load(target_name)
    for method, kind in IMPLICIT.items():
        if not chosen(f"{CODE} {method}") or (kind == "TrapezoidalIndex2" and problem.name in DRIVEN):
            continue
        run = runner(problem, implicit, kind, length)
        small = _coordinates(implicit(problem)) <= LARGEST_DENSE
        for newton in sorted(_best(run, problem, target, limit, SOLVERS if small else SOLVERS[:1])):
            steps = _with(halved_steps(problem.t_end, FEWEST, MOST), newton)
            yield Line(CODE, method, steps, run, True, target, 2.0)
    for method, automatic in EXPLICIT.items():
        if explicit is None or not chosen(f"{CODE} {method}"):
            continue
        run = runner(problem, explicit, method, length)
        settings: Iterable[Setting] = halved_steps(problem.t_end, FEWEST, MOST)
        if automatic:
            settings = [Setting(x, f"tolerance {x:.0e}", x) for x in (*TOLERANCES, 1e-11, 1e-12)]
        yield Line(CODE, method, settings, run, not automatic, target, 3.0 if automatic else 2.0)


def _with(steps: Iterable[Setting], newton: Newton) -> Iterator[Setting]:
    for setting in steps:
        yield Setting(setting.tolerance, f"{setting.label}; {newton}", (setting.options, newton))


def _best(run: Run, problem: Problem, target: np.ndarray, limit: float, solvers: tuple[str, ...]) -> set[Newton]:
    """The settings of Newton's method that serve best, at the three numbers of steps; solvers of linear systems."""

    def tried(count: int, newton: Newton) -> tuple[float, float] | None:
        try:
            outcome = run(Setting(np.nan, "", (problem.t_end / count, newton)), problem.t_end, limit)
        except CutOffError:
            return None
        return float(np.max(np.abs(outcome.observed - target))), outcome.seconds

    plain, found, count = Newton("full", "increment", 1e-7, SOLVERS[0]), None, FEWEST
    while count <= MOST:
        begun = time.process_time()
        found = tried(count, plain)
        if (found is not None and found[0] < 1e-2) or 2.0 * (time.process_time() - begun) > limit:
            break  # it is near the motion, or took as long as it may, even if it failed
        count *= 2
    if found is None:
        return set()
    timed = {solver: tried(count, plain._replace(solver=solver)) for solver in solvers}
    solver = min(solvers, key=lambda solver: np.inf if (result := timed[solver]) is None else result[1])
    best: set[Newton] = set()
    seconds = found[1]
    for level in LEVELS:
        if seconds * level > 0.5 * limit:
            break
        results = {}
        for newton, (criterion, tolerance) in itertools.product(NEWTONS, CRITERIA):
            setting = Newton(newton, criterion, tolerance, solver)
            result = tried(level * count, setting)
            if result is not None and np.isfinite(result[0]):
                results[setting] = result
        if results:
            least = AS_EXACT * min(error for error, _ in results.values())
            best.add(min((s for s in results if results[s][0] <= least), key=lambda s: results[s][1]))
    return best


def runner(problem: Problem, build: Callable[[Problem], PeerModel], kind: str, length: float) -> Run:
    """What runs a method of Exudyn on a model."""

    def run(setting: Setting, end: float, limit: float) -> Outcome:
        model = build(problem)
        exu, system = model.exu, model.system
        exu.SetWriteToConsole(False)
        begun = time.process_time()
        system.Assemble()
        automatic, settings = _settings(exu, kind, setting.options, end)
        settings.solutionSettings.sensorsWritePeriod = problem.t_end / (INSTANTS - 1)
        try:
            system.SolveDynamic(settings, solverType=getattr(exu.DynamicSolverType, kind))
        except Exception as why:  # Exudyn has types of its own
            raise CutOffError(str(why).splitlines()[0]) from why
        rows = [np.asarray(system.GetSensorStoredData(sensor)) for sensor in model.sensors]
        seconds = time.process_time() - begun
        solver = system.sys["dynamicSolver"]
        steps, alone = solver.it.currentStepIndex - 1, float(solver.timer.total)
        if automatic:
            rows = [x[-1:] for x in rows]
        if abs(rows[0][-1, 0] - end) > 1e-9 * end or not (automatic or len(rows[0]) == INSTANTS):
            raise CutOffError(f"stopped at t = {rows[0][-1, 0]:.3g} s")
        return Outcome(model.read([x[:, 1:] for x in rows], length), seconds, steps, alone=min(alone, seconds))

    return run


def _settings(exu: Any, kind: str, options: Any, end: float) -> tuple[bool, Any]:
    """Whether a method chooses its steps, and the settings of a run."""
    if kind in EXPLICIT:
        automatic = EXPLICIT[kind]
        count = 10 if automatic else round(end / options)
        return automatic, _explicit_settings(exu, count, end, options if automatic else None)
    step, newton = options
    return False, implicit_settings(exu, round(end / step), end, newton)


def _coordinates(model: PeerModel) -> int:
    """How many coordinates a model has."""
    model.system.Assemble()
    return len(model.system.systemData.GetODE2Coordinates())


def implicit_settings(exu: Any, count: int, end: float, newton: Newton) -> Any:
    """Settings of a run of fixed steps that fails where Newton's method does."""
    choice = (newton.newton, newton.tolerance, newton.criterion, newton.solver)
    settings = peer_exudyn.dynamic_settings(exu, count, end, *choice)
    settings.timeIntegration.adaptiveStep = False
    return settings


def _explicit_settings(exu: Any, count: int, end: float, tolerance: float | None) -> Any:
    settings = peer_exudyn.quiet_settings(exu, "EigenDense")
    integration = settings.timeIntegration
    integration.numberOfSteps, integration.endTime = count, end
    integration.minimumStepSize = SHORTEST * end
    if tolerance is not None:
        integration.absoluteTolerance = integration.relativeTolerance = tolerance
    return settings


@functools.cache
def available() -> bool:
    """Whether Exudyn is installed."""
    try:
        peer_exudyn.exudyn()
    except ImportError:
        return False
    return True
