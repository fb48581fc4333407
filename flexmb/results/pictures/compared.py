"""Runs beside each other in a diagram: quantities of a solution, of others and of tables that somebody measured, and by
how much they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks
from flexmb.plots.words import in_unit
from flexmb.results.recorded import Recorded

if TYPE_CHECKING:
    from flexmb.plots.histories import Course, Panel

#: names of the column of a table that has its times [s]
TIMES = ("t", "time", "t [s]")


def panels_beside(
    solution: Recorded, names: Sequence[str], label: Any, beside: Any, differences: Any, where: str
) -> list[Panel]:
    """One panel for each unit, and with `differences` one more below it."""
    from flexmb.plots.histories import Course, Panel

    own = solution.name if label is None else checks.text(label, "label", where)
    others = {} if beside is None else checks.by_names(beside, "beside", where)
    if own in others:
        raise ModelError(f"{where}: {own!r} is the label of the run and of one beside it; give label another text")
    wanted = checks.flag(differences, "differences", where)
    if wanted and not others:
        raise ModelError(f"{where}: differences are those from other runs; give these as beside={{label: run}}")
    panels: dict[str, list[Course]] = {}
    apart: dict[str, list[Course]] = {}
    for name in names:
        series = solution.series(name)
        t, values = (solution.t, series.values) if series.course is None else series.course
        panels.setdefault(series.unit, []).append(Course(series.name, own, t, values))
    found = set()
    for text, other in others.items():
        table = None if hasattr(other, "layout") else Table.of(other, text, where)
        for name in names:
            if table is not None and name not in table.columns:
                continue
            found.add(text)
            unit, given = str(solution.series(name).unit), other if table is None else table
            course = _course(given, name, text, unit, where)
            panels[unit].append(course)
            if wanted:
                apart.setdefault(unit, []).append(_difference(solution, own, given, course, where))
        if text not in found:
            assert table is not None
            known = ", ".join(table.columns)
            raise ModelError(f"{where}: the table {text!r} has none of {', '.join(names)}; its columns are: {known}")
    out = []
    for unit, courses in panels.items():
        out.append(Panel("", unit, courses))
        if unit in apart:
            out.append(Panel("difference", unit, apart[unit]))
    return out


class Table:
    """A table that somebody measured: its times [s] and its columns by names of quantities, in their SI units."""

    def __init__(self, t: np.ndarray, columns: dict[str, np.ndarray]) -> None:
        self.t, self.columns = t, columns

    @classmethod
    def of(cls, given: Any, text: str, where: str) -> Table:
        """A table of anything with columns by name: a dict of lists, a pandas.DataFrame."""
        if not hasattr(given, "keys") or not hasattr(given, "__getitem__"):
            raise ModelError(
                f"{where}: {text!r} in beside is {checks.quoted(given)}; give a solution, or a table with columns by "
                "name, {'t': …, 'rod.end.y': …}"
            )
        names = [name for name in given.keys() if isinstance(name, str)]
        times = next((name for name in TIMES if name in names), None)
        if times is None:
            known = ", ".join(names)
            raise ModelError(f"{where}: the table {text!r} has no column 't' with its times [s]; it has: {known}")
        t = checks.row(list(given[times]), "t", f"{where}, table {text!r}")
        columns = {}
        for name in names:
            if name != times:
                values = np.asarray(list(given[name]), dtype=float)
                if values.shape != t.shape:
                    rows = f"{len(values)} rows, and there are {len(t)} times"
                    raise ModelError(f"{where}: column {name!r} of the table {text!r} has {rows}")
                columns[name] = values
        if np.any(np.diff(t) <= 0.0):
            raise ModelError(f"{where}: the times of the table {text!r} do not ascend")
        return cls(t, columns)


def _course(other: Any, name: str, text: str, unit: str, where: str) -> Course:
    """The course of a quantity in another run, or in a table."""
    from flexmb.plots.histories import Course

    if isinstance(other, Table):
        return Course(name, text, other.t, other.columns[name], dots=True)
    series = other.series(name)
    if series.unit != unit:
        raise ModelError(f"{where}: {name} is in {unit} in this run, and in {series.unit} in {text!r}")
    t, values = (other.t, series.values) if series.course is None else series.course
    return Course(series.name, text, t, values)


def _difference(solution: Recorded, own: str, other: Any, course: Course, where: str) -> Course:
    """By how much another run is above this one, at its times within both."""
    from flexmb.plots.histories import Course

    first, last = max(solution.t[0], other.t[0]), min(solution.t[-1], other.t[-1])
    if not last > first:
        raise ModelError(
            f"{where}: the times of {course.run!r}, {other.t[0]:g} … {other.t[-1]:g} s, and those of {own!r}, "
            f"{solution.t[0]:g} … {solution.t[-1]:g} s, do not overlap, so there is no difference"
        )
    within = (other.t >= first) & (other.t <= last)
    t = other.t[within]
    whole = other.columns[course.name] if isinstance(other, Table) else other.series(course.name).values
    return Course(
        course.name, f"{course.run} − {own}", t, whole[within] - at_times(solution, course.name, t), course.dots
    )


def at_times(solution: Recorded, name: str, t: np.ndarray) -> np.ndarray:
    """A quantity at times of another run."""
    return np.asarray(solution.at(t).series(name).values)


def in_units(panel: Panel, units: Mapping[str, str], where: str) -> Panel:
    """A panel in the units that a user has chosen, one for all of its quantities."""
    from flexmb.plots.histories import Panel

    shown = {in_unit(course.name, panel.unit, units, where) for course in panel.courses}
    if len(shown) > 1:
        both = ", ".join(sorted(unit for unit, _ in shown))
        raise ModelError(f"{where}: units has {both} for quantities of one panel; give one, {{{panel.unit!r}: …}}")
    ((unit, factor),) = shown
    return Panel(panel.what, unit, [course._replace(values=factor * course.values) for course in panel.courses])


def said_names(panels: Sequence[Panel]) -> list[str]:
    """All that a diagram names, by which a user may give labels."""
    every = [text for panel in panels for course in panel.courses for text in (course.name, course.run)]
    return list(dict.fromkeys(every))
