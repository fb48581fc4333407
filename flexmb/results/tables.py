"""Quantities of a solution as tables of pandas and xarray, with their units."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from flexmb.errors import MissingExtraError
from flexmb.results.beams.along import along_units
from flexmb.results.beams.sections import quantity_label
from flexmb.results.export import chosen_series
from flexmb.results.names import beam_name
from flexmb.results.recorded import Recorded

if TYPE_CHECKING:
    import pandas
    import xarray


def to_pandas(solution: Recorded, names: Sequence[str] | None) -> pandas.DataFrame:
    """A column a quantity, a row a time."""
    pd = _needed("pandas", "to_pandas", solution)
    series = chosen_series(solution, names)
    frame = pd.DataFrame({s.name: np.array(s.values) for s in series}, index=pd.Index(solution.t.copy(), name="t"))
    frame.attrs["units"] = {"t": _unit_of_times(solution), **{s.name: s.unit for s in series}}
    return frame


def to_xarray(
    solution: Recorded, names: Sequence[str] | None, beams: Sequence[str] | None, points: int
) -> xarray.Dataset:
    """Quantities over (time,), fields of beams over (time, s)."""
    xr = _needed("xarray", "to_xarray", solution)
    layout = solution.layout
    given = list(layout.beams) if beams is None else beams if isinstance(beams, list | tuple | set | dict) else [beams]
    data: dict[str, Any] = {}
    for s in chosen_series(solution, names):
        data[s.name] = ("time", np.array(s.values), {"units": s.unit, "long_name": s.name})
    s_axis: dict[str, Any] = {}
    units = along_units(layout)
    for beam in [beam_name(solution, key) for key in given]:
        places = solution.places(beam, points)
        s_axis = {"s": ("s", places, {"units": "–", "long_name": "fraction of the length, from start to end"})}
        motion = np.stack([solution.source.point(solution, beam, float(s)) for s in places], axis=1)
        for k, what in enumerate(layout.widths.point):
            data[f"{beam}.{what}"] = (
                ("time", "s"),
                motion[:, :, k],
                _attributes(units[what], what, beam),
            )
        given_sections = [solution.source.section(solution, beam, float(s)) for s in places]
        sections = [values for values in given_sections if values is not None]
        if len(sections) < len(places):
            continue
        values = np.stack(sections, axis=1)
        for k, what in enumerate(layout.widths.section):
            if not np.all(np.isnan(values[:, :, k])):
                data[f"{beam}.{what}"] = (
                    ("time", "s"),
                    values[:, :, k],
                    _attributes(units[what], what, beam),
                )
    called = solution.time_label.partition(" [")[0]
    attributes = {"units": _unit_of_times(solution), "long_name": "time" if called == "t" else called}
    time = ("time", solution.t.copy(), attributes)
    return xr.Dataset(data, coords={"time": time, **s_axis}, attrs={"model": solution.name, "status": solution.status})


def _unit_of_times(solution: Recorded) -> str:
    return solution.time_label.partition(" [")[2].removesuffix("]")


def _attributes(unit: str, what: str, beam: str) -> dict[str, str]:
    return {"units": unit, "long_name": f"{quantity_label(what)} along {beam}"}


def _needed(package: str, method: str, solution: Recorded) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError:
        raise MissingExtraError(
            f"{solution.where}: {method}() needs the package {package!r}, which is not installed; "
            "pip install 'flexmb[tables]'"
        ) from None
