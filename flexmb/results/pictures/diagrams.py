"""What diagrams of a solution show, as arrays: quantities as lines over time, and their rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flexmb.errors import NamingError
from flexmb.plots.words import Quantity, in_unit
from flexmb.quantities.of_joints import joint_units
from flexmb.results.meaning import RATE
from flexmb.results.names import Series, find_track, key_name
from flexmb.results.recorded import Recorded

#: the rate of each quantity of a track that has one
RATES = {
    "x": "vx",
    "y": "vy",
    "angle": "angular_velocity",
    "vx": "ax",
    "vy": "ay",
    "angular_velocity": "angular_acceleration",
    **{"z": "vz", "vz": "az"},
    **{f"w{axis}": f"alpha_{axis}" for axis in "xyz"},
}
RATE_UNITS = {"m": "m/s", "rad": "rad/s", "–": "1/s"}


#: a line of a diagram: unit, name, times, values
Line = tuple[str, str, np.ndarray, np.ndarray]


def lines(solution: Recorded, names: Sequence[Any]) -> list[Line]:
    """Quantities as lines of a diagram: unit, name, times, values of each."""
    if len(names) == 1 and isinstance(names[0], list | tuple):
        names = names[0]
    if not names:
        raise NamingError(f"{solution.where}: name what to plot, e.g. solution.plot('energy.kinetic')")
    drawn = []
    for name in names:
        series = solution.series(key_name(solution, name))
        course = (solution.t, series.values) if series.course is None else series.course
        drawn.append((series.unit, series.name, *course))
    return drawn


def in_units(line: Line, units: Mapping[str, str], where: str) -> Line:
    """A line in the unit that a user has chosen."""
    unit, name, t, values = line
    shown, factor = in_unit(name, unit, units, where)
    return shown, name, t, factor * values


def groups_in_units(groups: Mapping[str, list], units: Mapping[str, str], where: str) -> dict[str, list]:
    """Lines (name, x, y) by their units, in the units that a user has chosen."""
    out: dict[str, list] = {}
    for unit, several in groups.items():
        for name, x, y in several:
            shown, factor = in_unit(name, unit, units, where)
            out.setdefault(shown, []).append((name, x, factor * y))
    return out


def axis_in_units(axis: Quantity, units: Mapping[str, str], where: str, name: str = "") -> Quantity:
    """An axis in the unit that a user has chosen, of a quantity that goes by a `name`."""
    shown, factor = in_unit(name or axis.name, axis.unit, units, where)
    return Quantity(axis.name, shown, factor * axis.values)


def rate_of(solution: Recorded, name: str) -> Series:
    """The rate of a quantity. It is taken from the solution; nothing is differentiated."""
    head, _, tail = name.rpartition(".")
    if tail in RATES and find_track(solution, head) is not None:
        return solution.series(f"{head}.{RATES[tail]}")
    joint = solution.layout.pairs[head].joint if head in solution.layout.pairs else None
    if joint is not None and tail in joint.coordinates and tail not in ("rx", "ry", "rz"):
        return solution.series(f"{head}.{tail}_rate")
    if joint is not None and tail in joint_units(joint) and tail.endswith("rate"):
        return solution.series(f"{head}.{tail.removesuffix('rate')}acceleration")
    unit = solution.series(name).unit
    if name in solution.layout.coordinates:
        return Series(f"d({name})/dt", RATE_UNITS[unit], solution.series(f"{name}{RATE}").values)
    raise NamingError(f"{solution.where}: of {name!r} no rate is known; name what to draw it against, y='…'")
