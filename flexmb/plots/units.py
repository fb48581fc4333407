"""Units that a user wants on axes, in place of those of the SI."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

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
