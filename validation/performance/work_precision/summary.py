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


def _quickest(lines: dict[tuple[str, str], list[Point]], error: float, here: bool, alone: bool) -> tuple[str, float]:
    """Name and time [s] of the quickest line to an error, here or elsewhere; no name if none reaches it."""
    times = {line: time_at(of, error, alone) for line, of in lines.items() if (line[0] == CODE) == here}
    line = min(times, key=lambda line: times[line], default=None)
    if line is None or not math.isfinite(times[line]):
        return "", math.inf
    return line[1] if here else " ".join(line), times[line]


def comparison(points: Sequence[Point]) -> list[dict[str, Any]]:
    """At each error: the quickest method here, the quickest elsewhere, their times [s], and how many times as fast the
    one here is: from the model to the result, and (`ratio_alone`) by the times of the methods alone; of each
    problem."""
    rows = []
    for problem in dict.fromkeys(point.problem for point in points):
        lines = by_line([point for point in points if point.problem == problem])
        for error in ERRORS:
            row: dict[str, Any] = {"problem": problem, "error": error}
            for alone in ("", "_alone"):
                seconds = []
                for who, here in (("own", True), ("peer", False)):
                    name, time = _quickest(lines, error, here, bool(alone))
                    row[f"{who}{alone}"], row[f"{who}_seconds{alone}"] = (name, time) if name else (None, None)
                    seconds.append(time)
                row[f"ratio{alone}"] = seconds[1] / seconds[0] if math.isfinite(sum(seconds)) else None
            rows.append(row)
    return rows


def ratios(points: Sequence[Point]) -> str:
    """How many times as fast as the quickest elsewhere, "whole (alone)", of each problem at each error; "only here"
    where no other reached it."""

    def shown(ratio: float) -> str:
        return f"{ratio:.2g}" if ratio < 99.5 else f"{ratio:.0f}"

    lines = ["problem".ljust(22) + "".join(f"{error:<12.0e}" for error in ERRORS)]
    rows = comparison(points)
    for problem in dict.fromkeys(row["problem"] for row in rows):
        line = problem.ljust(22)
        for row in (row for row in rows if row["problem"] == problem):
            told = f"{shown(row['ratio'])} ({shown(row['ratio_alone'])})" if row["ratio"] else "only here"
            line += (told if row["own"] else "not reached").ljust(12)
        lines.append(line)
    return "\n".join(line.rstrip() for line in lines)


def right_hand_sides(points: Sequence[Point]) -> list[dict[str, Any]]:
    """Of lines that call flexmb's own right-hand side: which part of their time that is, in their finest point, and
    what a call costs them in all [µs], of each problem."""
    rows = []
    for problem in dict.fromkeys(point.problem for point in points):
        for (code, method), of in by_line([point for point in points if point.problem == problem]).items():
            last = of[-1]
            if last.evaluations and last.seconds_evaluating > 0.0:
                rows.append(
                    {"method": f"{code} {method}", "problem": problem, "evaluations": last.evaluations,
                     "part": last.seconds_evaluating / last.seconds_alone,
                     "call": 1e6 * last.seconds_evaluating / last.evaluations,
                     "call_in_all": 1e6 * last.seconds_alone / last.evaluations}
                )  # fmt: skip
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
    calls = right_hand_sides(points)
    if calls:
        out += ["", "methods from elsewhere that call the right-hand side of flexmb, at their finest setting:"]
    for row in calls:
        out.append(
            f"  {row['problem']:20s} {row['method']:16s} {row['call']:.2f} of {row['call_in_all']:.2f} µs for each of "
            f"{row['evaluations']} calls are flexmb's ({100 * row['part']:.0f} %)"
        )
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
        "right_hand_sides": right_hand_sides(points),
        "cut_off": [{"problem": problem, "method": method, "why": why} for problem, method, why in cut],
    }
    everything.write_text(json.dumps(said, indent=1, ensure_ascii=False), encoding="utf-8")
    return [table, everything]


def _plain(value: Any) -> Any:
    """A number as JSON has it, which knows no NaN."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
