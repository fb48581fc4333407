"""The points of a measurement of all ten problems, kept beside this file: those of the diagrams and ratios in the
documentation."""

from __future__ import annotations

import csv
from dataclasses import fields
from pathlib import Path

from flexmb.validation.performance.work_precision.lines import Point

FILE = Path(__file__).with_name("points.csv")
_READ = {"str": str, "int": int, "float": float}


def recorded(*problems: str) -> list[Point]:
    """The points of some problems, or of all.

    >>> {point.problem for point in recorded("cable")}
    {'cable'}
    """
    types = {field.name: _READ[str(field.type)] for field in fields(Point)}
    with FILE.open(newline="", encoding="utf-8") as file:
        rows = [Point(**{name: types[name](value) for name, value in row.items()}) for row in csv.DictReader(file)]
    return [point for point in rows if not problems or point.problem in problems]
