"""What a picture says: its title, names of quantities with their units, and numbers that are easy to read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from flexmb.errors import ModelError
from flexmb.model import checks, given_names

#: by the unit of the SI the units in which its numbers may be shown, and how many of these it is
CONVERSIONS: dict[str, dict[str, float]] = {
    "rad": {"deg": 180.0 / np.pi, "mrad": 1e3, "turn": 0.5 / np.pi},
    "rad/s": {"rpm": 30.0 / np.pi, "deg/s": 180.0 / np.pi, "Hz": 0.5 / np.pi},
    "rad/s²": {"deg/s²": 180.0 / np.pi},
    "m": {"km": 1e-3, "cm": 1e2, "mm": 1e3, "µm": 1e6},
    "m/s": {"km/h": 3.6, "mm/s": 1e3},
    "m/s²": {"mm/s²": 1e3, "g": 1.0 / 9.80665},
    "s": {"h": 1.0 / 3600.0, "min": 1.0 / 60.0, "ms": 1e3, "µs": 1e6},
    "N": {"kN": 1e-3, "mN": 1e3},
    "Nm": {"kNm": 1e-3, "Nmm": 1e3, "mNm": 1e3},
    "Pa": {"kPa": 1e-3, "MPa": 1e-6, "GPa": 1e-9, "bar": 1e-5},
    "J": {"kJ": 1e-3, "mJ": 1e3},
    "W": {"kW": 1e-3, "mW": 1e3},
    "–": {"%": 100.0},
}
#: all units of the tables that are none of the SI
CHOSEN = frozenset(unit for table in CONVERSIONS.values() for unit in table)
#: words for a quantity that has no unit, or whose unit is not known
NO_UNIT = ("", "–", "?")
#: prefixes by their powers of ten, and the powers that each unit may have; other units get a power of ten before them
PREFIXES = {-9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T"}
LOWEST, HIGHEST = -9, 12
POWERS = {
    **dict.fromkeys(CHOSEN, (0, 0)),  # what somebody has chosen stays
    **dict.fromkeys(("N", "Nm", "Pa", "J", "W", "V", "A", "Hz"), (LOWEST, HIGHEST)),
    **dict.fromkeys(("m", "m/s"), (LOWEST, 3)),
    "s": (LOWEST, 0),
}
#: numbers from the first on and below the second are read as they are
SMALL, LARGE = 1e-2, 1e4
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Quantity(NamedTuple):
    """What an axis shows: the name of a quantity, its unit, and its values (k,)."""

    name: str
    unit: str
    values: np.ndarray


@dataclass(frozen=True)
class Words:
    """What a picture says: its `title`, and what a user gave in place of its own words: `labels` by the names of
    quantities; `x_label`, `y_label` of the axes (one, or one for each panel from above), `color_label` of the scale of
    colors."""

    title: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    x_label: str | None = None
    y_label: str | Sequence[str] | None = None
    color_label: str | None = None

    def name(self, name: str) -> str:
        """The name of a quantity as the picture shows it."""
        return self.labels.get(name, name)

    def label_of(self, quantity: Quantity, label: str | None) -> str | None:
        """What a user gave for the axis of a quantity: a `label`, or a text for one whose unit that text says; None if
        it is named with its unit."""
        return self.labels.get(quantity.name) if label is None and quantity.unit in NO_UNIT else label

    def y_label_of(self, panel: int, count: int) -> str | None:
        """The label given for the vertical axis of one of `count` panels; None if none was."""
        if self.y_label is None:
            return None
        given = [self.y_label] if isinstance(self.y_label, str) else list(self.y_label)
        if len(given) != count:
            raise ModelError(
                f"picture {self.title!r}: y_label has {len(given)} texts, and there are {count} panels, one for each "
                "unit; give as many, from above"
            )
        return given[panel]


def words(
    default: str,
    names: Collection[str],
    where: str,
    *,
    title: Any = None,
    labels: Any = None,
    x_label: Any = None,
    y_label: Any = None,
    color_label: Any = None,
) -> Words:
    """The words of a picture, with those that a user gave: the title is a `default` one when none is given, and
    `labels` are by `names` that the picture shows.

    >>> words("pendulum", ["rod.end.y"], "plot", labels={"rod.end.y": "height"}).name("rod.end.y")
    'height'
    """
    one_each = {"title": title, "x_label": x_label, "color_label": color_label}
    several = {} if y_label is None or isinstance(y_label, str) else {"y_label": y_label}
    for what, given in one_each.items():
        if given is not None and not isinstance(given, str):
            raise ModelError(f"{where}: {what} is {checks.quoted(given)}; give a text")
    for what, given in several.items():
        if not isinstance(given, list | tuple) or not all(isinstance(text, str) for text in given):
            raise ModelError(f"{where}: {what} is {checks.quoted(given)}; give a text, or one for each panel")
    texts = {} if labels is None else labels
    if not isinstance(texts, Mapping) or not all(isinstance(text, str) for text in texts.values()):
        raise ModelError(f"{where}: labels are {checks.quoted(labels)}; give texts by names, {{'rod.end.y': 'height'}}")
    for name in texts:
        given_names.known(name, names, "quantity to label", where)
    return Words(default if title is None else title, texts, x_label, y_label, color_label)


def with_unit(name: str, unit: str, power: int = 0) -> str:
    """A name with its unit, in which a power of ten is a prefix where the unit has such; no bracket without a unit.

    >>> with_unit("load factor", "–"), with_unit("x", "m", -3), with_unit("ω", "rad/s", 3), with_unit("σ", "Pa", 6)
    ('load factor', 'x [mm]', 'ω [10³ rad/s]', 'σ [MPa]')
    """
    if unit in POWERS:
        shown = PREFIXES[power] + unit
    else:
        times = f"10{str(power).translate(RAISED)}" if power else ""
        shown = f"{times} {'' if unit in NO_UNIT else unit}".strip()
    return f"{name} [{shown}]".strip() if shown else name


def power_of(largest: float, unit: str) -> int:
    """The power of ten, a multiple of three, in which numbers up to a largest size are easy to read.

    >>> [power_of(x, "N") for x in (0.0, 5.0, 0.0031, 2.4e6)], power_of(4e5, "s"), power_of(4e5, "rad/s")
    ([0, 0, -3, 6], 0, 3)
    """
    if not np.isfinite(largest) or largest == 0.0 or SMALL <= largest < LARGE:
        return 0
    power = 3 * int(np.floor(np.log10(largest) / 3.0))
    lowest, highest = POWERS.get(unit, (-300, 300))
    return min(max(power, lowest), highest)


def number_with_unit(value: float, unit: str) -> str:
    """A number of three digits with its unit.

    >>> number_with_unit(12345.0, "N"), number_with_unit(0.5, "N/m"), number_with_unit(2.5e7, "N/m")
    ('12.3 kN', '0.5 N/m', '25·10⁶ N/m')
    """
    power = power_of(abs(value), unit)
    number = f"{value / 10.0**power:.3g}"
    if power and unit not in POWERS:
        return f"{number}·10{str(power).translate(RAISED)} {unit}"
    return f"{number} {PREFIXES[power]}{unit}" if unit in POWERS else f"{number} {unit}"


def name_and_unit(text: str) -> tuple[str, str]:
    """The name and the unit of a text such as 't [s]', the name of the times of a solution."""
    name, _, unit = text.partition(" [")
    return name, unit.removesuffix("]")


def chosen_units(units: Any, names: Collection[str], where: str) -> dict[str, str]:
    """Units by names of quantities that a picture shows, or by units of the SI, as a user gave them.

    >>> chosen_units({"crank.angle": "deg", "Pa": "MPa"}, ["crank.angle"], "plot")
    {'crank.angle': 'deg', 'Pa': 'MPa'}
    """
    if units is None:
        return {}
    if not isinstance(units, Mapping) or not all(isinstance(unit, str) for unit in units.values()):
        raise ModelError(f"{where}: units are {checks.quoted(units)}; give texts by names, {{'crank.angle': 'deg'}}")
    for name in units:
        if name not in CONVERSIONS:
            given_names.known(
                name, [*names, *CONVERSIONS], "quantity, or unit of the SI, to show in another unit", where
            )
    return dict(units)


def in_unit(name: str, unit: str, units: Mapping[str, str], where: str) -> tuple[str, float]:
    """The unit in which a quantity is shown, and how many of it is one of its own unit.

    >>> in_unit("crank.rate", "rad/s", {"rad/s": "rpm"}, "plot")[0]
    'rpm'
    """
    wanted = units.get(name, units.get(unit, unit))
    if wanted == unit:
        return unit, 1.0
    known = CONVERSIONS.get(unit, {})
    if wanted not in known:
        others = ", ".join([unit, *known])
        raise ModelError(f"{where}: {name} cannot be shown in {wanted!r}; its units are: {others}")
    return wanted, known[wanted]


def from_si(name: str, units: Mapping[str, str], where: str) -> tuple[str, float]:
    """The unit in which a quantity is shown whose own unit nobody knows, and how many of it is one of the SI.

    >>> from_si("bend", {"bend": "mm"}, "plot"), from_si("mass", {"bend": "mm"}, "plot")
    (('mm', 1000.0), ('', 1.0))
    """
    wanted = units.get(name, "")
    for unit, table in CONVERSIONS.items():
        if wanted in (unit, *table):
            return wanted, table.get(wanted, 1.0)
    if wanted:
        known = [*CONVERSIONS, *sorted(CHOSEN)]
        given_names.known(wanted, known, f"unit for {name!r}", where)
    return wanted, 1.0
