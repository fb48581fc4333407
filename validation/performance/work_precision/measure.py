"""Errors and times: first every point once, then all points again in turn, of which the shortest times count."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

import numpy as np

from flexmb.machine.threads import always_one_thread
from flexmb.validation.performance.work_precision import own, peers, references, scipy_lines
from flexmb.validation.performance.work_precision.lines import CutOffError, Line, Outcome, Point, Setting
from flexmb.validation.performance.work_precision.problems import Problem

#: points whose runs take longer than this part of the limit are not timed again
TIMED_AGAIN = 0.25
#: a first run may take so long [s], since it must not be cut off while it loads compiled code
LOADING = 20.0
#: an error beyond this is none of a motion that was followed
LOST = 0.5

#: a longer time counts if it brings the error down to this part of it, or further
BETTER = 0.8

Say = Callable[[str], None]
#: problem and method that were cut off, and why
CutOff = tuple[str, str, str]


def lines_of(
    problem: Problem, limit: float, chosen: Callable[[str], bool], formulations: Sequence[str], say: Say
) -> Iterator[Line]:
    """The lines of all codes whose names are `chosen`, those here also by `formulations`; of what a code cannot do, a
    word."""
    length = problem.length
    for line in (*own.lines(problem, length, formulations), *scipy_lines.lines(problem, length)):
        if chosen(line.name):
            yield line
    if problem.build().controllers and chosen(scipy_lines.CODE):
        say(f"{problem.name}: SciPy has nothing like a sampled controller")
    if not chosen(peers.CODE):
        return
    if not peers.available():
        say("Exudyn is not installed: pip install flexmb[peers]")
    elif problem.name not in peers.MODELS:
        say(f"{problem.name}: no model in Exudyn is like it")
    else:
        yield from peers.lines(problem, length, limit, chosen)


def measure(
    problem: Problem,
    chosen: Callable[[str], bool],
    *,
    limit: float,
    repeats: int,
    settings: int | None,
    formulations: Sequence[str],
    say: Say,
) -> tuple[list[Point], list[CutOff]]:
    """The points of a problem, and what was cut off. `limit` [s] of a run; `repeats`: how often each is timed in all;
    `settings`: how many of each line, the coarsest first (all when None); `formulations`: by which those here go
    too."""
    reference = references.load(problem.name)
    points: list[tuple[Point, Line, Setting]] = []
    cut: list[CutOff] = []
    with always_one_thread():
        for line in lines_of(problem, limit, chosen, formulations, say):
            for setting, point in _line(problem, line, reference, limit, settings, cut):
                points.append((point, line, setting))
                say(_told(point))
        for _ in range(repeats - 1):
            for point, line, setting in points:
                if point.seconds < TIMED_AGAIN * limit:
                    with suppress(CutOffError):  # on a busy machine, that one takes longer
                        outcome = line.run(setting, problem.t_end, limit)
                        point.seconds = min(point.seconds, outcome.seconds)
                        point.seconds_alone = min(point.seconds_alone, outcome.seconds_alone)
    for _, method, why in cut:
        say(f"{problem.name}, {method}: cut off, {why}")
    return [point for point, _, _ in points], cut


def _line(
    problem: Problem, line: Line, reference: np.ndarray, limit: float, most: int | None, cut: list[CutOff]
) -> Iterator[tuple[Setting, Point]]:
    """The points of a line, up to the first that takes too long."""
    target = reference if line.target is None else line.target
    known, failed = 0, ""
    for setting in line.settings:
        if most is not None and known >= most:
            return
        begun = time.process_time()
        try:
            if not known:
                line.run(setting, problem.t_end, max(limit, LOADING))  # loads compiled code
            outcome = line.run(setting, problem.t_end, limit)
            error = _error(problem, line, setting, outcome, target, limit)
        except CutOffError as why:
            failed = f"{setting.label}: {why}"
            if why.final or time.process_time() - begun > max(limit, LOADING):
                break
            continue
        failed = ""
        if error < LOST:
            known += 1
            between = float("nan")
            if len(outcome.observed) == len(target):
                between = float(np.max(np.abs(outcome.observed - target)))
            yield setting, Point(
                problem.name, line.code, line.method, setting.tolerance, setting.label, error,
                error / setting.tolerance, between, outcome.energy, outcome.seconds, outcome.seconds_alone,
                outcome.steps, outcome.evaluations, outcome.evaluating,
            )  # fmt: skip
        else:
            failed = f"{setting.label}: its error is {error:.1e}"
        if line.predict * outcome.seconds > limit:
            break
    if failed:
        cut.append((problem.name, line.name, failed))


def _error(problem: Problem, line: Line, setting: Setting, outcome: Outcome, target: np.ndarray, limit: float) -> float:
    """The largest error at the times that count, of which each is the end of a run."""
    rows = [round(end / problem.t_end * (len(target) - 1)) for end in problem.ends]
    found = []
    for row, end in zip(rows, problem.ends):
        if line.on_steps:
            found.append(outcome.observed[row])
        elif end == problem.t_end:
            found.append(outcome.observed[-1])
        else:
            found.append(line.run(setting, end, limit).observed[-1])
    return float(np.max(np.abs(np.array(found) - target[rows])))


def _told(point: Point) -> str:
    by = "" if np.isnan(point.tolerance) else f", {point.error_by_tolerance:.2g} tolerances"
    return (
        f"{point.problem}, {point.code} {point.method}, {point.setting}: error {point.error:.2e}{by}, "
        f"{1e3 * point.seconds:.4g} ms, {point.steps} steps"
    )


def quickest(points: Iterable[Point], alone: bool = False) -> list[Point]:
    """Of the points of a line those that reach their error in the shortest time, errors falling; `alone`: without
    assembly and checks."""
    best: list[Point] = []
    for point in sorted(points, key=lambda point: (point.seconds_alone if alone else point.seconds, point.error)):
        if point.error > 0.0 and (not best or point.error < BETTER * best[-1].error):
            best.append(point)
    return best


def curve(points: Iterable[Point], alone: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Errors, falling, and the shortest times in which a line reaches each of them."""
    best = quickest(points, alone)
    errors = np.array([point.error for point in best])
    return errors, np.array([point.seconds_alone if alone else point.seconds for point in best])


def time_at(points: Iterable[Point], error: float, alone: bool = False) -> float:
    """The time [s] in which a line reaches an error, by straight lines between log error and log time; that of its
    coarsest point for larger errors; infinite if it was never that small.

    >>> point = lambda error, seconds: Point("", "", "", 0.0, "", error, 0.0, 0.0, 0.0, seconds, seconds, 0, 0)
    >>> round(time_at([point(1e-2, 1.0), point(1e-6, 100.0)], 1e-4), 9)
    10.0
    """
    errors, seconds = curve(points, alone)
    if not len(errors) or error < errors[-1]:
        return float("inf")
    return between_points(errors, seconds, error)


def between_points(errors: np.ndarray, values: np.ndarray, error: float) -> float:
    """A time or a count at an error, by straight lines between the logarithms of both."""
    return float(np.exp(np.interp(-np.log(error), -np.log(errors), np.log(values))))
