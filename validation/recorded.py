"""The results of cases as plain numbers in a file, which `flexmb validate --json` writes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from flexmb.validation.registry import Case, Record, checks_of, errors_of
from flexmb.validation.sources import mark


@dataclass
class Results:
    """What cases found, with the version of flexmb that computed it: one plain record for each check and each series of
    errors; and of each case the `seconds` that it took and the :func:`~flexmb.validation.sources.mark` of its code."""

    version: str
    checks: list[dict[str, Any]] = field(default_factory=list)
    errors: list[dict[str, Any]] = field(default_factory=list)
    cases: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, case: Case, records: Iterable[Record], seconds: float) -> None:
        """Take the records of a case in."""
        records = list(records)
        for check in checks_of(records):
            numbers = {key: float(getattr(check, key)) for key in ("got", "reference", "tolerance")}
            self.checks.append({"case": case.name, **asdict(check), **numbers, "passed": check.passed})
        for series in errors_of(records):
            numbers_of = {key: [float(x) for x in getattr(series, key)] for key in ("x", "errors")}
            self.errors.append({"case": case.name, **asdict(series), **numbers_of})
        self.cases[case.name] = {"seconds": round(seconds, 1), "code": mark(case)}

    def of(self, case: str) -> Results:
        """The results of one case."""
        checks, errors = ([r for r in records if r["case"] == case] for records in (self.checks, self.errors))
        return Results(self.version, checks, errors, {case: self.cases[case]})

    def replaced(self, newer: Results, order: Iterable[str]) -> Results:
        """These results with those of cases that were computed anew, in the given order of cases."""
        found = Results(newer.version)
        for case in order:
            of = next((results for results in (newer, self) if case in results.cases), None)
            if of is not None:
                own = of.of(case)
                found.checks += own.checks
                found.errors += own.errors
                found.cases |= own.cases
        return found

    def text(self) -> str:
        """The file: JSON, one record a line, so that a change of one number changes one line."""
        parts = [f'"flexmb": {json.dumps(self.version)}']
        for name, records in (("checks", self.checks), ("errors", self.errors)):
            rows = ",\n".join("  " + json.dumps(record, ensure_ascii=False) for record in records)
            parts.append(f'"{name}": [\n{rows}\n ]')
        rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(what)}" for name, what in self.cases.items())
        parts.append(f'"cases": {{\n{rows}\n }}')
        return "{\n " + ",\n ".join(parts) + "\n}\n"


def read(path: Path) -> Results:
    """The results in a file."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return Results(found["flexmb"], found["checks"], found["errors"], found["cases"])
