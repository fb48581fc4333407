"""What the points say: tables, and files for other programs."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flexmb.validation.performance.work_precision.lines import Point
from flexmb.validation.performance.work_precision.measure import CutOff, time_at
from flexmb.validation.performance.work_precision.own import CODE

#: errors at which codes are compared
ERRORS = tuple(10.0**-k for k in range(3, 10))


def by_line(points: Sequence[Point]) -> dict[tuple[str, str], list[Point]]:
    """The points of each code and method."""
    lines: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        lines.setdefault((point.code, point.method), []).append(point)
    return lines


def comparison(points: Sequence[Point]) -> list[dict[str, Any]]:
    """At each error: the quickest method here, the quickest elsewhere, their times [s], and how many times as fast the
    one here is, with assembly and checks and (`ratio_alone`) without; of each problem."""
    rows = []
    for problem in dict.fromkeys(point.problem for point in points):
        lines = by_line([point for point in points if point.problem == problem])
        for error in ERRORS:
            row: dict[str, Any] = {"problem": problem, "error": error}
            for who, here in (("own", True), ("peer", False)):
                times = {line: time_at(of, error) for line, of in lines.items() if (line[0] == CODE) == here}
                line = min(times, key=lambda line: times[line], default=None)
                reached = line is not None and math.isfinite(times[line])
                row[who] = (line[1] if here else " ".join(line)) if line is not None and reached else None
                row[f"{who}_seconds"] = times[line] if line is not None and reached else None
            both = row["own_seconds"] is not None and row["peer_seconds"] is not None
            row["ratio"] = row["peer_seconds"] / row["own_seconds"] if both else None
            alone = min((time_at(of, error, True) for line, of in lines.items() if line[0] == CODE), default=math.inf)
            row["ratio_alone"] = row["peer_seconds"] / alone if both else None
            rows.append(row)
    return rows


def worst(points: Sequence[Point]) -> list[dict[str, Any]]:
    """The largest error by tolerance of each method, and where."""
    rows = []
    for (code, method), of in by_line(points).items():
        asked = [point for point in of if not math.isnan(point.tolerance)]
        for problem in dict.fromkeys(point.problem for point in asked):
            point = max((p for p in asked if p.problem == problem), key=lambda p: p.error_by_tolerance)
            rows.append(
                {"method": f"{code} {method}", "problem": problem, "tolerance": point.tolerance,
                 "error": point.error, "error_by_tolerance": point.error_by_tolerance}
            )  # fmt: skip
    return sorted(rows, key=lambda row: (row["method"], -row["error_by_tolerance"]))


def text(points: Sequence[Point], cut: Sequence[CutOff]) -> str:
    """The tables to be read."""
    out = ["", "largest error by tolerance, of each method on each problem:"]
    for row in worst(points):
        out.append(
            f"  {row['method']:28s} {row['problem']:20s} {row['error_by_tolerance']:9.2g} at {row['tolerance']:.0e}"
        )
    out += ["", "the quickest here and elsewhere, to an error:"]
    for row in comparison(points):
        own = f"{row['own']} {_ms(row['own_seconds'])}" if row["own"] else "not reached"
        peer = f"{row['peer']} {_ms(row['peer_seconds'])}" if row["peer"] else "not reached"
        ratio = f"{row['ratio']:.2f} ({row['ratio_alone']:.2f} alone) times as fast" if row["ratio"] else ""
        out.append(f"  {row['problem']:20s} {row['error']:.0e}  {own:42s} {peer:42s} {ratio}")
    if cut:
        out += ["", "cut off:", *(f"  {problem:20s} {method}: {why}" for problem, method, why in cut)]
    return "\n".join(out)


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms"


def write(points: Sequence[Point], cut: Sequence[CutOff], folder: Path) -> list[Path]:
    """All points as points.csv; points, comparisons and what was cut off as work_precision.json."""
    folder.mkdir(parents=True, exist_ok=True)
    table, everything = folder / "points.csv", folder / "work_precision.json"
    rows = [point.row() for point in points]
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else ["problem"])
        writer.writeheader()
        writer.writerows(rows)
    said = {
        "points": [{key: _plain(value) for key, value in row.items()} for row in rows],
        "comparison": comparison(points),
        "worst": worst(points),
        "cut_off": [{"problem": problem, "method": method, "why": why} for problem, method, why in cut],
    }
    everything.write_text(json.dumps(said, indent=1, ensure_ascii=False), encoding="utf-8")
    return [table, everything]


def _plain(value: Any) -> Any:
    """A number as JSON has it, which knows no NaN."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
