"""What can be chosen of a measurement, on the command lines of all that make one."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

from flexmb.validation.performance.work_precision.lines import Point
from flexmb.validation.performance.work_precision.measure import CutOff, measure
from flexmb.validation.performance.work_precision.own import FORMULATIONS_HERE
from flexmb.validation.performance.work_precision.problems import PROBLEMS, Problem

#: seconds that a run may take, runs of a point, settings of a line; and in quick measurements
LIMIT, REPEATS = 20.0, 5
QUICK_LIMIT, QUICK_SETTINGS = 2.0, 5


def add_choices(parser: argparse.ArgumentParser, formulations: Sequence[str]) -> None:
    """Add the options that choose problems, lines, settings and times; `formulations` take part if none are given."""
    parser.add_argument("--problems", nargs="+", choices=list(PROBLEMS), metavar="NAME", help=", ".join(PROBLEMS))
    parser.add_argument(
        "--methods", nargs="+", metavar="WORD",
        help="only lines whose name contains one of these words: 'flexmb', 'Exudyn', 'SciPy', 'projection' …",
    )  # fmt: skip
    parser.add_argument(
        "--formulations", nargs="*", choices=FORMULATIONS_HERE, default=formulations, metavar="NAME",
        help=f"by which methods in joint coordinates take part too ({' '.join(formulations)}); none: no such lines",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="the five coarsest settings of each line, timed once")
    parser.add_argument("--limit", type=float, help=f"seconds that a run may take ({LIMIT:g})")
    parser.add_argument("--repeats", type=int, help=f"runs of each point, the shortest of which counts ({REPEATS})")


def limit_of(given: argparse.Namespace) -> float:
    """How long a run may take [s]."""
    return given.limit or (QUICK_LIMIT if given.quick else LIMIT)


def measured(
    problem: Problem, given: argparse.Namespace, say: Callable[[str], None]
) -> tuple[list[Point], list[CutOff]]:
    """The points of a problem that were chosen, and what was cut off."""
    words = given.methods

    def chosen(name: str) -> bool:
        return not words or any(word in name or name in word for word in words)

    return measure(
        problem,
        chosen,
        limit=limit_of(given),
        repeats=given.repeats or (1 if given.quick else REPEATS),
        settings=QUICK_SETTINGS if given.quick else None,
        formulations=given.formulations,
        say=say,
    )
