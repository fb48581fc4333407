"""The results of a study: a table with a row for each run."""

from __future__ import annotations

import csv
import importlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from flexmb.errors import MissingExtraError, ModelError
from flexmb.machine import files, reports
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls
from flexmb.plots.words import Quantity, chosen_units, from_si, words
from flexmb.studies.outcomes import RESERVED, Outcome
from flexmb.studies.parameters import Parameters, run_label

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

#: the largest number of lines that can be told apart in a picture
MOST_LINES = 8


@dataclass(frozen=True)
class Study(metaclass=AnswersCalls):
    """Runs of one function: parameters and results as columns, in the order in which the parameters were given.

    study["tip"] is a column, study[3] a row, and `for row in study` goes over the rows; a row is a dict of parameters,
    results, status and error. `study.ok` and `study.failed` hold only the runs with that status.

    >>> import flexmb as fm
    >>> def period(length):
    ...     return {"period": 2 * 3.141592653589793 * (length / 9.81) ** 0.5}
    >>> swings = fm.study(period, fm.grid(length=[0.25, 1.0]), workers=0)
    >>> swings["period"].round(3).tolist(), len(swings.ok), swings[1]["length"]
    ([1.003, 2.006], 2, 1.0)
    """

    #: the function that was run
    name: str
    #: the parameters of each run
    parameters: list[Parameters]
    #: what became of each run
    outcomes: list[Outcome]
    #: "finished" or "interrupted"
    status: str = "finished"
    #: why it was interrupted
    message: str = ""
    #: how long it took [s]
    elapsed: float = 0.0

    @property
    def where(self) -> str:
        """The study as messages name it."""
        return f"study of {self.name}"

    @property
    def parameter_names(self) -> list[str]:
        """Names of the parameters."""
        return list(self.parameters[0]) if self.parameters else []

    @property
    def result_names(self) -> list[str]:
        """Names of the results of all runs."""
        return list(dict.fromkeys(name for outcome in self.outcomes for name in outcome.results))

    @property
    def seconds(self) -> np.ndarray:
        """How long each run took [s]."""
        return np.array([outcome.seconds for outcome in self.outcomes])

    @property
    def ok(self) -> Study:
        """The runs that succeeded."""
        return self._with_status("ok")

    @property
    def failed(self) -> Study:
        """The runs that ended in an exception or with their process."""
        return self._with_status("failed", "died")

    def _with_status(self, *statuses: str) -> Study:
        rows = [k for k, outcome in enumerate(self.outcomes) if outcome.status in statuses]
        parameters, outcomes = [self.parameters[k] for k in rows], [self.outcomes[k] for k in rows]
        return Study(self.name, parameters, outcomes, self.status, self.message, self.elapsed)

    @property
    def table(self) -> dict[str, np.ndarray]:
        """All columns by name. A run without a result has NaN there, or None where the column holds no numbers;
        arrays of one length make a column (runs, length), of several lengths a column of arrays."""
        return {name: self._column(name) for name in self._names}

    @property
    def _names(self) -> list[str]:
        return [*self.parameter_names, *self.result_names, *RESERVED]

    def _column(self, name: str) -> np.ndarray:
        if name in self.parameter_names:
            return column([parameters[name] for parameters in self.parameters])
        if name in RESERVED:
            return np.array([getattr(outcome, name) for outcome in self.outcomes], dtype=str)
        if name in self.result_names:
            return column([outcome.results.get(name) for outcome in self.outcomes])
        raise given_names.unknown(name, self._names, "column", self.where)

    @overload
    def __getitem__(self, what: str) -> np.ndarray: ...

    @overload
    def __getitem__(self, what: int) -> dict[str, Any]: ...

    def __getitem__(self, what: str | int) -> np.ndarray | dict[str, Any]:
        if isinstance(what, str):
            return self._column(what)
        outcome = self.outcomes[what]
        return {**self.parameters[what], **outcome.results, "status": outcome.status, "error": outcome.error}

    def __len__(self) -> int:
        return len(self.parameters)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[k] for k in range(len(self)))

    def __str__(self) -> str:
        counts = Counter(outcome.status for outcome in self.outcomes)
        number = ", ".join(f"{counts[s]} {s}" for s in ("ok", "failed", "died", "missing") if counts[s])
        took = f" in {self.elapsed:.1f} s" if self.elapsed else ""
        lines = [f"{self.where}: {len(self)} runs{took}, {self.status}: {number or 'none'}"]
        if self.message:
            lines.append(f"  {self.message}")
        for kind, names in (("over", self.parameter_names), ("with", self.result_names)):
            lines += [f"  {kind} {name}: {_extent(self[name])}" for name in names]
        for error, many in Counter(o.error for o in self.failed.outcomes).most_common(5):
            at = next(p for p, o in zip(self.parameters, self.outcomes) if o.error == error)
            lines.append(f"  {many} × {error}, e.g. at {run_label(at)}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"Study({self.name!r}, {len(self)} runs, {len(self.ok)} of them ok, {self.status})"

    def _repr_html_(self) -> str:
        title, *lines = str(self).split("\n")
        shown = self._names if len(self.ok) < len(self) else self._names[: -len(RESERVED)]
        rows = ([row.get(name) for name in shown] for row in self)
        return reports.report(title, lines, reports.table(shown, rows, len(self)))

    def to_csv(self, path: str | Path) -> Path:
        """Write the table as comma-separated values, with so many digits that reading gives back the same numbers.
        Arrays get a column for each entry.

        >>> import tempfile
        >>> import flexmb as fm
        >>> def period(length):
        ...     return {"period": 2 * 3.141592653589793 * (length / 9.81) ** 0.5}
        >>> swings = fm.study(period, fm.grid(length=[0.25, 1.0]), workers=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     print(swings.to_csv(f"{folder}/swings.csv").read_text().splitlines()[0])
        length,period,status,error
        """
        target = files.path_to_write(path, "table")
        columns: dict[str, Any] = {}
        for name, values in self.table.items():
            if values.ndim == 2:
                columns |= {f"{name}[{k}]": values[:, k].tolist() for k in range(values.shape[1])}
            else:
                columns[name] = [json.dumps(v.tolist()) if isinstance(v, np.ndarray) else v for v in values.tolist()]
        with files.replaced(target, "table", streams=True) as sink, files.text_to(sink) as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values()))
        return target

    def to_pandas(self) -> pandas.DataFrame:
        """A table with a row for each run, in which an array is a single entry.

        >>> import flexmb as fm
        >>> def period(length):
        ...     return {"period": 2 * 3.141592653589793 * (length / 9.81) ** 0.5}
        >>> swings = fm.study(period, fm.grid(length=[0.25, 1.0]), workers=0)
        >>> swings.to_pandas()["period"].round(3).tolist()
        [1.003, 2.006]
        """
        pd = self._needed("pandas", "to_pandas")
        return pd.DataFrame({name: list(v) if v.ndim == 2 else v for name, v in self.table.items()})

    def to_xarray(self) -> xarray.Dataset:
        """Results over the parameters as axes, for a study over a grid.

        >>> import flexmb as fm
        >>> def period(length):
        ...     return {"period": 2 * 3.141592653589793 * (length / 9.81) ** 0.5}
        >>> swings = fm.study(period, fm.grid(length=[0.25, 1.0]), workers=0)
        >>> dict(swings.to_xarray().sizes)
        {'length': 2}
        """
        xr = self._needed("xarray", "to_xarray")
        axes = {name: list(dict.fromkeys(p[name] for p in self.parameters)) for name in self.parameter_names}
        shape = tuple(map(len, axes.values()))
        places = {name: {value: k for k, value in enumerate(values)} for name, values in axes.items()}
        cells = [tuple(places[name][p[name]] for name in axes) for p in self.parameters]
        if len(set(cells)) != len(cells) or len(cells) != np.prod(shape):
            raise ModelError(
                f"{self.where}: to_xarray() needs a full grid of parameters, each combination once; use to_pandas()"
            )
        flat = np.ravel_multi_index(np.array(cells).T, shape) if axes else np.zeros(1, dtype=int)
        order = np.argsort(flat)
        data: dict[str, Any] = {}
        for name in [*self.result_names, *RESERVED]:
            values = self[name][order]
            dimensions = (*axes, f"{name}_entry") if values.ndim == 2 else tuple(axes)
            data[name] = (dimensions, values.reshape(*shape, *values.shape[1:]))
        coordinates = {name: column(values) for name, values in axes.items()}
        return xr.Dataset(data, coords=coordinates, attrs={"function": self.name, "status": self.status})

    def plot(
        self,
        x: str,
        y: str,
        path: str | Path | None = None,
        *,
        title: str | None = None,
        labels: Mapping[str, str] | None = None,
        x_label: str | None = None,
        y_label: str | None = None,
        color_label: str | None = None,
        units: Mapping[str, str] | None = None,
        ax: Any = None,
        background: str = "light",
    ) -> Figure:
        """A result over a parameter or over another result: a line for each combination of the other parameters if
        these are few, else dots. Crosses on the axis show failed runs.

        labels: texts that replace the names, e.g. {"bend": "largest angle [°]"}; `title` (the name of the function when
        not given); `x_label`, `y_label`, `color_label` of the axes and of the scale of colors; `units`: those in which
        numbers of the SI are shown, by names, {"bend": "mm"}; background: 'light' or 'dark'.
        `ax`: axes of your own to draw on, one for each panel from above.

        >>> import flexmb as fm
        >>> def period(length):
        ...     return {"period": 2 * 3.141592653589793 * (length / 9.81) ** 0.5}
        >>> swings = fm.study(period, fm.grid(length=[0.25, 1.0]), workers=0)
        >>> swings.plot("length", "period").axes[0].get_xlabel()
        'length'
        """
        from flexmb.plots.figures import target
        from flexmb.plots.relations import columns

        where, known = f"plot of {self.where}", [*self.parameter_names, *self.result_names, *RESERVED]
        given = {"title": title, "x_label": x_label, "y_label": y_label, "color_label": color_label}
        said = words(self.name.rpartition(".")[2], known, where, labels=labels, **given)
        texts, chosen = said.labels, chosen_units(units, known, where)
        for name in chosen:
            given_names.known(name, known, "quantity to show in a unit", where)
        across, up = self._numbers(x), self._numbers(y)
        groups, others = self._groups(x, y, texts)
        shade = self[others[0]] if len(others) == 1 and not groups else None
        lost = np.array([outcome.status in ("failed", "died") for outcome in self.outcomes]) & np.isfinite(across)
        return columns(
            _shown(x, across, chosen, where),
            _shown(y, up, chosen, where),
            [(label, sorted(rows, key=lambda k: across[k])) for label, rows in groups],
            None if shade is None or shade.dtype.kind not in "if" else _shown(others[0], shade, chosen, where),
            lost,
            said,
            target(path, ax, where),
            background,
        )

    def _groups(self, x: str, y: str, labels: Mapping[str, str]) -> tuple[list[tuple[Any, list[int]]], list[str]]:
        """The label and the rows of each line of a picture, or no lines if dots are better; and the parameters in which
        the lines differ."""
        others = [
            name for name in self.parameter_names if name not in (x, y) and len({p[name] for p in self.parameters}) > 1
        ]
        kinds: dict[tuple, list[int]] = {}
        for k, parameters in enumerate(self.parameters):
            kinds.setdefault(tuple(parameters[name] for name in others), []).append(k)
        few = len(kinds) <= MOST_LINES and all(len(rows) > 1 for rows in kinds.values())
        if x not in self.parameter_names or not few:
            return [], others
        named = [labels.get(name, name) for name in others]
        return [(run_label(dict(zip(named, values))) or None, rows) for values, rows in kinds.items()], others

    def _numbers(self, name: str) -> np.ndarray:
        values: Any = self[checks.text(name, "the name of an axis", self.where)]
        if values.ndim != 1 or values.dtype.kind not in "ifb":
            raise ModelError(
                f"{self.where}: {name!r} holds no single numbers, so that it cannot be an axis of a picture"
            )
        return values.astype(float)

    def _needed(self, package: str, method: str) -> Any:
        try:
            return importlib.import_module(package)
        except ImportError:
            raise MissingExtraError(
                f"{self.where}: {method}() needs the package {package!r}, which is not installed; "
                "pip install 'flexmb[tables]'"
            ) from None


def _shown(name: str, values: np.ndarray, units: Mapping[str, str], where: str) -> Quantity:
    """A column in the unit that a user has chosen, if any."""
    unit, factor = from_si(name, units, where)
    return Quantity(name, unit, factor * values)


def column(values: list[Any]) -> np.ndarray:
    """Values of one type as an array of that type; None stands for a missing value."""
    there = [v for v in values if v is not None]
    kinds = {type(v) for v in there}
    if kinds <= {int, float} and kinds:
        if kinds == {int} and len(there) == len(values) and all(abs(v) < 2**63 for v in there):
            return np.array(values, dtype=np.int64)
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    if kinds == {np.ndarray} and len({v.size for v in there}) == 1:
        nothing = np.full(there[0].size, np.nan)
        return np.stack([nothing if v is None else v for v in values])
    if len(there) == len(values) and (kinds == {bool} or kinds == {str}):
        return np.array(values)
    mixed = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        mixed[k] = value
    return mixed


def _extent(values: np.ndarray) -> str:
    """The content of a column, in a few words."""
    if values.ndim == 2:
        return f"arrays of {values.shape[1]} numbers"
    if values.dtype.kind == "f" and not np.all(np.isfinite(values)):
        values = values[np.isfinite(values)]
    if values.size == 0:
        return "no numbers"
    if values.dtype.kind in "if":
        low, high = values.min(), values.max()
        return f"{low:.6g}" if low == high else f"{low:.6g} … {high:.6g}"
    if any(isinstance(v, np.ndarray) for v in values):
        return "arrays of several lengths"
    different = list(dict.fromkeys(str(v) for v in values.tolist() if v is not None))
    return ", ".join(different[:6]) + (", …" if len(different) > 6 else "")
