"""The command line of the measurement."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from flexmb.validation.performance.work_precision import __doc__ as about
from flexmb.validation.performance.work_precision import references, summary
from flexmb.validation.performance.work_precision.choices import add_choices, measured
from flexmb.validation.performance.work_precision.diagram import draw
from flexmb.validation.performance.work_precision.lines import Point
from flexmb.validation.performance.work_precision.measure import CutOff
from flexmb.validation.performance.work_precision.own import FORMULATIONS_HERE
from flexmb.validation.performance.work_precision.problems import PROBLEMS


def main(arguments: Sequence[str] | None = None) -> list[Point]:
    """Measure, print, and write what was asked for; the points."""
    parser = argparse.ArgumentParser(
        prog="python -m flexmb.validation.performance.work_precision",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_choices(parser, FORMULATIONS_HERE)
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="draw a diagram for each problem")
    parser.add_argument("--format", default="png", help="of the diagrams: png, pdf or svg")
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="write points.csv and work_precision.json")
    given = parser.parse_args(arguments)
    points: list[Point] = []
    cut: list[CutOff] = []
    for name in given.problems or PROBLEMS:
        if not references.known(name):
            why = f"it has no reference; make it by: {references.COMMAND} {name}"
            print(f"{name}: left out, {why}", flush=True)
            cut.append((name, "all", why))
            continue
        found, lost = measured(PROBLEMS[name], given, lambda line: print(line, flush=True))
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
