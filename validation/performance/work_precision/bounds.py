"""How many times as fast as the best peer a method here could be, if only what must be done took any time.

A run cannot be shorter than what is done once and the evaluations of the equations that its method asks for. For each
problem this measures

- one evaluation, repeated in compiled code: of accelerations (explicit methods; in joint coordinates by "aba" of the
  rates of joints); of the errors of the equations in a state, and of their tangent (generalized-α, which counts
  iterations and matrices); of radau, at the setting next to the error, a stage's part in a correction, with its
  solution, a matrix, with its tangents and factors, and the speeds and accelerations at the end of a step;
- what is done once: assembly, consistent start, checks of the result, and all else beside the method; and by the
  method before its first step;

and takes from a measurement of error against time, for each error, the method here that is the quickest to reach it,
its steps and evaluations, and the best peer's time. The bound is

    peer's time / (done once + evaluations · one of them + matrices · one of them + steps · one end)

for that method; and "alone", without what is done once, the same of the times of the methods alone. The first guess of
a step, the estimate of its error, step control and saving are not in it, and of generalized-α factors and solutions
neither: the true bound is lower. What is done once stands for the setting of that method which comes next to the error.
All times are those of the processor, the least of several.

The measurement is made anew, with the options of `python -m flexmb.validation.performance.work_precision`, or read
from files that this has written by `--out`: give several with `--from`.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.machine.threads import always_one_thread
from flexmb.validation.performance.work_precision import own, pieces, references, summary
from flexmb.validation.performance.work_precision.choices import add_choices, limit_of, measured
from flexmb.validation.performance.work_precision.lines import CutOffError, Line, Point, Setting
from flexmb.validation.performance.work_precision.measure import between_points, quickest
from flexmb.validation.performance.work_precision.pieces import ACCELERATIONS, BY_ABA, ERRORS, TANGENT, Once
from flexmb.validation.performance.work_precision.problems import PROBLEMS, Problem
from flexmb.validation.performance.work_precision.radau_pieces import StepPieces, of_radau

#: a part of a correction of all three stages of radau, which is timed in its loop
STAGE = "a stage"
#: what a method evaluates; those that are not named here have a count of something else
EVALUATES = {
    "dop853": ACCELERATIONS,
    "rkf45": ACCELERATIONS,
    "rosenbrock": ACCELERATIONS,
    "projection": ACCELERATIONS,
    "baumgarte": ACCELERATIONS,
    "radau": STAGE,
    "generalized_alpha": ERRORS,
}
#: how often pieces are timed, and in quick measurements
TIMED, QUICK_TIMED = 20, 3


@dataclass
class Bound:
    """What a problem asks for at an error: the quickest `method` here with its steps and evaluations, the time [s] of
    each, of a `matrix` and of the `end` of a step, what is done once, the `peer`, its steps and times [s], and those of
    the method here, as measured."""

    problem: str
    error: float
    method: str
    steps: float
    evaluations: float
    each: float
    matrix: float
    end: float
    once: Once
    peer: str
    peer_steps: float
    peer_seconds: float
    peer_alone: float
    seconds: float
    seconds_alone: float

    @property
    def matrices(self) -> float:
        """How many matrices are made, of those that are timed."""
        return self.once.matrices * self.steps if self.matrix else 0.0

    @property
    def evaluating(self) -> float:
        """The time [s] of all evaluations, matrices and ends."""
        return self.evaluations * self.each + self.matrices * self.matrix + self.steps * self.end

    @property
    def least(self) -> float:
        """The least time [s] of a run here."""
        return self.once.seconds + self.evaluating

    @property
    def ratio(self) -> float:
        """How many times as fast as the peer that would be; NaN without a peer."""
        return self.peer_seconds / self.least

    @property
    def ratio_alone(self) -> float:
        """The same of the methods alone; NaN where evaluations are not those that are timed."""
        return self.peer_alone / self.evaluating if self.each else math.nan


def main(arguments: Sequence[str] | None = None) -> list[Bound]:
    """Measure and print what was asked for; the bounds."""
    parser = argparse.ArgumentParser(
        prog="python -m flexmb.validation.performance.work_precision.bounds",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_choices(parser, (pieces.FORMULATION,))
    parser.add_argument(
        "--from", nargs="+", type=Path, dest="files", metavar="FILE",
        help="work_precision.json of earlier measurements, in place of a new one",
    )  # fmt: skip
    given = parser.parse_args(arguments)
    kept = [point for file in given.files or () for point in _read(file)]
    found: list[Bound] = []
    for name in given.problems or PROBLEMS:
        problem, points = PROBLEMS[name], [point for point in kept if point.problem == name]
        if given.files is None and references.known(name):
            points, _ = measured(problem, given, lambda line: None)
        if not points:
            print(f"{name}: left out, {'no file has it' if given.files else 'it has no reference'}", flush=True)
            continue
        with always_one_thread():
            found += _bounds(problem, points, QUICK_TIMED if given.quick else TIMED, limit_of(given))
    return found


def _read(file: Path) -> list[Point]:
    """The points of a measurement; numbers that a file cannot hold are NaN."""
    rows = json.loads(file.read_text(encoding="utf-8"))["points"]
    return [_point({key: math.nan if value is None else value for key, value in row.items()}) for row in rows]


def _point(row: dict[str, Any]) -> Point:
    return Point(**row)


def _bounds(problem: Problem, points: list[Point], timed: int, limit: float) -> list[Bound]:
    """The bounds of a problem, printed too."""
    each = pieces.evaluations(problem, timed)
    times = ", ".join(f"{what} {1e6 * seconds:.2g}" for what, seconds in each.items())
    print(f"{problem.name}, one evaluation [µs]: {times}", flush=True)
    lines = {line.method: line for line in own.lines(problem, problem.length)}
    known: dict[tuple[str, str], tuple[Once, StepPieces]] = {}
    found = []
    for row in summary.comparison(points):
        if not row["own"]:
            continue
        line, error = lines[row["own"]], row["error"]
        best = _of(points, f"{own.CODE} {line.method}")
        steps, count = (_counted(best, what, error) for what in ("steps", "evaluations"))
        peer = row["peer"] or ""
        label = min(best, key=lambda point: abs(math.log(point.error / error))).setting
        if (line.method, label) not in known:
            known[line.method, label] = _at_setting(problem, line, label, each, timed, limit)
        once, one = known[line.method, label]
        peer_seconds, peer_alone = (row[what] or math.nan for what in ("peer_seconds", "peer_seconds_alone"))
        peer_steps = _counted(_of(points, peer), "steps", error)
        found.append(
            Bound(
                problem.name, error, line.method, steps, count, one.stage, one.matrix, one.end, once, peer, peer_steps,
                peer_seconds, peer_alone, row["own_seconds"], row["own_seconds_alone"],
            )
        )  # fmt: skip
    for (method, label), (once, _) in known.items():
        parts = ", ".join(f"{part} {1e3 * seconds:.2f}" for part, seconds in (*once.parts.items(), ("rest", once.rest)))
        print(f"  once [ms]: {method}, {label}: {1e3 * once.seconds:.2f} ({parts}, method {1e3 * once.method:.2f})")
    print(
        "  error, method here: once + evaluations (+ matrices + ends) = least of all (alone); best peer; times as fast "
        "(alone)"
    )
    for bound in found:
        print(_told(bound), flush=True)
    return found


def _of(points: list[Point], name: str) -> list[Point]:
    """The points of a line, by the name of code and method, that reach their error in the shortest time."""
    return quickest(point for point in points if f"{point.code} {point.method}" == name)


def _counted(points: list[Point], what: str, error: float) -> float:
    """How many steps or evaluations points take to an error, as times are told; NaN of none."""
    if not points:
        return math.nan
    errors, values = (np.array([getattr(point, name) for point in points], dtype=float) for name in ("error", what))
    return between_points(errors, values, error)


def _evaluates(method: str) -> str:
    """What a method evaluates, and is timed; nothing of those that count something else."""
    name, _, way = method.removesuffix(own.FIXED).partition(", ")
    if way:
        return (
            BY_ABA
            if f", {way}" == f"{own.BY_FORMULATION}{pieces.FORMULATION}" and EVALUATES.get(name) == ACCELERATIONS
            else ""
        )
    return EVALUATES.get(name, "")


def _at_setting(
    problem: Problem, line: Line, label: str, each: dict[str, float], timed: int, limit: float
) -> tuple[Once, StepPieces]:
    """What is done once at a setting of this label, and the time [s] of each evaluation, matrix and end of a step;
    nothing where it cannot be run, as on a slower machine."""
    setting: Setting = next(setting for setting in line.settings if setting.label == label)
    method, kind = line.method.removesuffix(own.FIXED).partition(", ")[0], _evaluates(line.method)
    one = StepPieces(each.get(kind, 0.0), each[TANGENT] if kind == ERRORS else 0.0, 0.0)
    try:
        if kind == STAGE:
            one = of_radau(problem, setting.options, timed)
        return pieces.once(problem, method, setting, one.stage, timed, limit), one
    except CutOffError as why:
        print(f"  {line.method}, {label}: {why}")
        return Once(0.0, {}, 0.0), one


def _told(bound: Bound) -> str:
    others = ((bound.matrices, bound.matrix), (bound.steps, bound.end))
    more = "".join(f" + {count:.0f} × {1e6 * seconds:.2g}" for count, seconds in others if seconds)
    here = (
        f"  {bound.error:.0e}  {bound.method}, {bound.steps:.0f} steps: {_ms(bound.once.seconds)} + "
        f"({bound.evaluations:.0f} × {1e6 * bound.each:.2g}{more}) µs = {_ms(bound.least)} of "
        f"{_ms(bound.seconds)} ({_ms(bound.seconds_alone)}) ms"
    )
    if not bound.peer:
        return f"{here}; only here"
    ratio, alone = bound.peer_seconds / bound.seconds, bound.peer_alone / bound.seconds_alone
    most = f"{bound.ratio:.2g} ({bound.ratio_alone:.2g})" if bound.each else f"{bound.ratio:.2g}"
    peer = f"{bound.peer}, {bound.peer_steps:.0f} steps: {_ms(bound.peer_seconds)} ({_ms(bound.peer_alone)}) ms"
    return f"{here}; {peer}; at most {most}, measured {ratio:.2g} ({alone:.2g})"


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.2f}"


if __name__ == "__main__":
    main()
