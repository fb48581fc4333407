"""The command line of the measurement."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from flexmb.validation.performance.work_precision import __doc__ as about
from flexmb.validation.performance.work_precision import references, summary
from flexmb.validation.performance.work_precision.diagram import draw
from flexmb.validation.performance.work_precision.lines import Point
from flexmb.validation.performance.work_precision.measure import CutOff, measure
from flexmb.validation.performance.work_precision.own import ROADS_HERE
from flexmb.validation.performance.work_precision.problems import PROBLEMS

#: seconds that a run may take, runs of a point, settings of a line; and in quick measurements
LIMIT, REPEATS = 20.0, 5
QUICK_LIMIT, QUICK_SETTINGS = 2.0, 5


def main(arguments: Sequence[str] | None = None) -> list[Point]:
    """Measure, print, and write what was asked for; the points."""
    parser = argparse.ArgumentParser(
        prog="python -m flexmb.validation.performance.work_precision",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--problems", nargs="+", choices=list(PROBLEMS), metavar="NAME", help=", ".join(PROBLEMS))
    parser.add_argument(
        "--methods", nargs="+", metavar="WORD",
        help="only lines whose name contains one of these words: 'flexmb', 'Exudyn', 'SciPy', 'projection' …",
    )  # fmt: skip
    parser.add_argument(
        "--roads", nargs="*", choices=ROADS_HERE, default=ROADS_HERE, metavar="NAME",
        help=f"by which methods in joint coordinates take part too ({' '.join(ROADS_HERE)}); none: no such lines",
    )  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="the five coarsest settings of each line, timed once")
    parser.add_argument("--limit", type=float, help=f"seconds that a run may take ({LIMIT:g})")
    parser.add_argument("--repeats", type=int, help=f"runs of each point, the shortest of which counts ({REPEATS})")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="draw a diagram for each problem")
    parser.add_argument("--format", default="png", help="of the diagrams: png, pdf or svg")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write points.csv and work_precision.json")
    given = parser.parse_args(arguments)
    words = given.methods

    def chosen(name: str) -> bool:
        return not words or any(word in name or name in word for word in words)

    points: list[Point] = []
    cut: list[CutOff] = []
    for name in given.problems or PROBLEMS:
        if not references.known(name):
            why = f"it has no reference; make it by: {references.COMMAND} {name}"
            print(f"{name}: left out, {why}", flush=True)
            cut.append((name, "all", why))
            continue
        found, lost = measure(
            PROBLEMS[name],
            chosen,
            limit=given.limit or (QUICK_LIMIT if given.quick else LIMIT),
            repeats=given.repeats or (1 if given.quick else REPEATS),
            settings=QUICK_SETTINGS if given.quick else None,
            roads=given.roads,
            say=lambda line: print(line, flush=True),
        )
        points += found
        cut += lost
        if given.out:  # after each problem, since a whole measurement takes long
            summary.write(points, cut, given.out)
        if given.pictures and found:
            given.pictures.mkdir(parents=True, exist_ok=True)
            draw(found, f"{name}: {PROBLEMS[name].about}", given.pictures / f"{name}.{given.format}")
    print(summary.text(points, cut))
    return points


if __name__ == "__main__":
    main()
