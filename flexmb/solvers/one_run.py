"""One run of a bound model: it begins, marches to its end, and is checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import (
    AccuracyWarning,
    DivergenceWarning,
    FlexmbError,
    KernelError,
    SolverError,
    SwitchingError,
    silent,
    warn,
)
from flexmb.machine.interruption import clear_request
from flexmb.model import checks, given_times
from flexmb.model.functions.time_function import TimeFunction
from flexmb.results.solution import Solution
from flexmb.results.statistics import Statistics
from flexmb.solvers.binding.bound import Bound
from flexmb.solvers.binding.going_on import Beginning, beginning
from flexmb.solvers.binding.known_start import Start
from flexmb.solvers.changes.actions import check_switches, goes_on
from flexmb.solvers.methods.registry import METHODS
from flexmb.solvers.rows.left_out import refuse_contradicting_rates
from flexmb.solvers.rows.redundancy import independent_rows
from flexmb.solvers.runs.at_times import AtTimes, MotionAtTimes
from flexmb.solvers.runs.history import History, check_room_for_steps
from flexmb.solvers.runs.report import Report
from flexmb.solvers.runs.run import Run
from flexmb.solvers.runs.solution_of_run import solution_of
from flexmb.solvers.second_run import note_error
from flexmb.solvers.start.given_speeds import unkept_speeds
from flexmb.solvers.start.initial import consistent_state
from flexmb.solvers.trust import doubts
from flexmb.system.bad_kernels import check_start


class Asked(NamedTuple):
    """Arguments of one run, checked: its span [s], the state to start from (None: that of the model), the times whose
    states it keeps (None: all steps), the `commands` added to strengths of components, by name, whether it shows its
    progress, and the size of its first step [s], 0 if the method finds it."""

    t_start: float
    t_end: float
    start: Any = None
    times: np.ndarray | None = None
    commands: Mapping[str, float | TimeFunction] = {}
    progress: bool = True
    first_step: float = 0.0


def asked_of(
    bound: Bound,
    t_end: Any,
    t_start: Any,
    initial: Any,
    times: Any,
    progress: Any,
    commands: Mapping[str, float | TimeFunction] = {},
) -> Asked:
    """The arguments of a run as a user gives them, checked."""
    where, options = bound.where, bound.options
    progress = checks.flag(progress, "progress", where)
    if times is not None and bound.keeps_some_steps:
        raise SolverError(f"{where}: save_every keeps steps, and times has its own; give one of them")
    longest = options.get("step") or options.get("max_step") or 1.0  # mechanisms move in steps below a second
    t_start, t_end = given_times.span(t_start, t_end, where, longest)
    times = None if times is None else given_times.rising_times(times, t_start, t_end, where)
    return Asked(t_start, t_end, initial, times, commands, progress)


def checked_run(bound: Bound, asked: Asked) -> Solution:
    """The solution of a run, with the reasons to doubt it."""
    name, options = bound.model.name, bound.options
    run, at_start = performed(bound, asked)
    if run.report.status == "diverged":
        warn(f"model {name!r} {run.report.message}", DivergenceWarning)
    solution = solution_of(run)
    if run.report.status in ("finished", "stopped"):
        try:
            if options.get("step"):
                solution.doubts += _error_of_fixed_steps(run, solution, bound, asked)
            solution.doubts += doubts(run, solution, options)
        except KeyboardInterrupt:
            clear_request()
            solution.status, solution.message = "interrupted", "interrupted while its accuracy was being checked"
    for doubt in solution.doubts:
        warn(f"model {name!r}: {doubt}", AccuracyWarning)
    solution.doubts[:0] = at_start  # warnings of these were given at the start
    return solution


def performed(
    bound: Bound, asked: Asked, options: dict[str, Any] | None = None, kept: type[AtTimes] = AtTimes
) -> tuple[Run, list[str]]:
    """Run a bound model, with its own `options` or others, and keep its states at the `times`, if there are any, as
    `kept` says; returns the run, and the doubts about its start, of which the user was warned."""
    method, options = bound.method, options or bound.options
    run, at_start = placed(bound, asked, options, kept)
    try:
        with run:
            METHODS[method](run, **options)
            while goes_on(run):
                METHODS[method](run, **options)
    except (KernelError, SwitchingError) as error:
        if run.history.entered > 1:
            run.report.status, run.report.message = "failed", str(error)
            error.solution = solution_of(run)
        raise
    divided = run.report.statistics.divided
    if run.report.status == "finished" and divided:
        run.report.message = divided_message(divided, options["step"])
    return run, at_start


def divided_message(divided: int, step: float) -> str:
    """Message that some of the fixed steps of size `step` [s] of a run were divided; empty if none was."""
    if not divided:
        return ""
    why = "angles turn too far in them or Newton's method did not converge"
    return f"{divided} of its steps of {step:g} s were divided, since {why}"


def placed(bound: Bound, asked: Asked, options: dict[str, Any], kept: type[AtTimes] = AtTimes) -> tuple[Run, list[str]]:
    """A run of a bound model at its start, before its first step, and the doubts about that start; as
    :func:`performed`."""
    t_start, t_end, start, times, commands, progress, first_step = asked
    method = bound.method
    system, begin, (q, v, a, lam), moved, speeded, unkept = _start(bound, asked, options)
    history = History(system, bound.spare) if times is None else kept(system, times, bound.spare)
    history.append(t_start, q, v, a, lam)
    statistics = Statistics(method=method, position_correction=moved.size, velocity_correction=speeded)
    report = Report(statistics, progress)
    run = Run(system, t_start, t_end, q, v, a, lam, history, report, redundant=bound.choices.redundant)
    run.motions, run.step = bound.motions, first_step
    if start is None and not commands and options is bound.options:
        run.begin = bound.known_begin
    run.events.past, run.events.known = begin.past, bound.known_quantities
    run.events.check_start(system, t_start, (q, v, a, lam), continued=start is not None)
    past = begin.records_at(t_start)
    run.begin_switches((q, v, a, lam), past)
    run.earlier = past or ()
    run.states, run.report.doubts = begin.states, begin.doubts_at(t_start, t_end)
    if bound.model.controllers:
        controllers = list(bound.model.controllers.values())
        run.sampling = bound.known_sampling(run.system, controllers, t_start, t_end, run.states)
        history.control = run.sampling, controllers, run.states
    return run, [*moved.doubts, *unkept]


def _start(bound: Bound, asked: Asked, options: dict[str, Any]) -> Start:
    """The start of a run with these options of its method."""
    t, start, choices = asked.t_start, asked.start, bound.choices
    as_the_model_says = start is None and not asked.commands
    if bound.known_start and as_the_model_says and (known := bound.known_start.at(t)):
        check_room_for_steps(known.system, asked.t_end - t, options, asked.times, bound.where)
        return known
    whole = bound.system(asked.commands)
    check_room_for_steps(whole, asked.t_end - t, options, asked.times, bound.where)
    check_switches(whole)
    joints = check_start(whole, t)
    begin = Beginning(whole, whole.q0, whole.v0)
    if start is not None:
        begin = beginning(whole, start, choices.controllers, bound.where)
    system = independent_rows(begin.system, t, begin.q, choices.redundant, joints if start is None else None)
    q, v, a, lam, moved, speeded = consistent_state(system, t, begin.q, begin.v, choices.gaps, of_model=start is None)
    refuse_contradicting_rates(system, t, q[: system.nq], v[: system.n], a[: system.n])
    unkept = unkept_speeds(system, q[: system.nq], v[: system.n]) if start is None and speeded > 0.0 else []
    found = Start(system, begin, (q, v, a, lam), moved, speeded, unkept)
    if bound.known_start and as_the_model_says:
        bound.known_start.keep(t, found)
    return found


def _error_of_fixed_steps(run: Run, solution: Solution, bound: Bound, asked: Asked) -> list[str]:
    """Estimate the error of a run with fixed steps, if necessary by a second run where that is allowed; returns why
    that run cannot be compared, if so."""

    def again(step: float, times: np.ndarray) -> Solution:
        options = bound.options | {"step": step}
        if "save_every" in options:
            options["save_every"] = 1
        with silent():
            halved = asked._replace(times=times, progress=False)
            return solution_of(performed(bound, halved, options, MotionAtTimes)[0])

    try:
        said = note_error(run, solution, bound.options["step"], again if bound.choices.second_run else None)
    except FlexmbError as error:
        said = f"half the step leads to another end: {error}"
    return [said] if said else []
