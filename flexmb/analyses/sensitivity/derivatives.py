"""Values and their derivatives by parameters: the result of all sensitivities."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from flexmb.errors import MissingExtraError
from flexmb.machine import reports
from flexmb.model import given_names
from flexmb.model.hints import AnswersCalls


@dataclass(frozen=True, eq=False)
class Sensitivity(metaclass=AnswersCalls):
    """Values and derivatives of quantities by parameters.

    `quantities` by name with their `units`; `values` (j,); `parameters`, name to nominal value; `matrix` (j, p), the
    derivatives. `result["rod.end.y"]` is a value, `result["rod.end.y", "length"]` a derivative, dy/dp;
    `result.relative[...]` is (p/y) dy/dp. Over time, at the times `t` (k,) [s], values are (k, j) and the matrix, also
    called `jacobian`, is (k, j, p); then `result[...]` has one number for each time. `method`: that of the run, if
    there was one; `without_influence`: parameters by which all derivatives are zero.

    >>> import flexmb as fm
    >>> def build(stiffness):
    ...     m = fm.PlanarModel("scale", gravity=(0, -10))
    ...     pan = m.add_body("pan", mass=2.0, inertia=1.0)
    ...     spring = m.bushing(m.ground, pan.frame, stiffness=(1.0, stiffness, 1.0))
    ...     return m
    >>> found = fm.static_sensitivity(build, {"stiffness": 100.0}, "pan.y")
    >>> found.values.round(9).tolist(), round(found.relative["pan.y", "stiffness"], 9)
    ([-0.2], -1.0)
    """

    quantities: list[str]
    units: list[str]
    parameters: dict[str, float]
    values: np.ndarray
    matrix: np.ndarray = field(repr=False)
    t: np.ndarray | None = None
    method: str = ""

    def __getitem__(self, names: str | tuple[str, str]) -> Any:
        quantity, *parameter = (names,) if isinstance(names, str) else names
        given_names.known(quantity, self.quantities, "quantity", "sensitivity")
        found: Any = self.values[..., self.quantities.index(quantity)]
        for name in parameter:
            given_names.known(name, self.parameters, "parameter", "sensitivity")
            found = self.matrix[..., self.quantities.index(quantity), list(self.parameters).index(name)]
        return float(found) if self.t is None else found

    @property
    def jacobian(self) -> np.ndarray:
        """All derivatives: (j, p), over time (k, j, p)."""
        return self.matrix

    @property
    def without_influence(self) -> list[str]:
        """The parameters by which all derivatives are exactly zero."""
        still = ~np.any(self.matrix.reshape(-1, len(self.parameters)) != 0.0, axis=0)
        return [name for name, is_still in zip(self.parameters, still.tolist()) if is_still]

    @property
    def relative(self) -> Sensitivity:
        """Relative changes of the quantities per relative change of the parameters."""
        nominal = np.array(list(self.parameters.values()))
        with np.errstate(divide="ignore", invalid="ignore"):
            matrix = self.matrix * nominal / self.values[..., None]
        return replace(self, units=["–"] * len(self.units), matrix=matrix)

    def to_pandas(self) -> Any:
        """The derivatives as a table, with a row for each quantity and a column for each parameter; over time with a
        row for each time, and a column for each quantity and each of its derivatives.

        >>> import flexmb as fm
        >>> def build(stiffness):
        ...     m = fm.PlanarModel("scale", gravity=(0, -10))
        ...     pan = m.add_body("pan", mass=2.0, inertia=1.0)
        ...     spring = m.bushing(m.ground, pan.frame, stiffness=(1.0, stiffness, 1.0))
        ...     return m
        >>> found = fm.static_sensitivity(build, {"stiffness": 100.0}, "pan.y")
        >>> found.to_pandas().shape
        (1, 1)
        """
        try:
            import pandas
        except ImportError as why:
            raise MissingExtraError("tables need the package pandas; install it: pip install 'flexmb[tables]'") from why
        names = list(self.parameters)
        if self.t is None:
            return pandas.DataFrame(self.matrix, index=self.quantities, columns=names)
        columns = {
            **{quantity: self[quantity] for quantity in self.quantities},
            **{f"d {quantity}/d {name}": self[quantity, name] for quantity in self.quantities for name in names},
        }
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name="t"))

    @property
    def _last(self) -> tuple[np.ndarray, np.ndarray, str]:
        """Values and derivatives of a table, those at the last time, and what is said below it."""
        values, matrix = (self.values, self.matrix) if self.t is None else (self.values[-1], self.matrix[-1])
        said = [] if self.t is None else [f"at {self.t[-1]:g} s, the last of {len(self.t)} times"]
        said += [f"without influence: {', '.join(self.without_influence)}"] if self.without_influence else []
        return values, matrix, "; ".join(said)

    def __repr__(self) -> str:
        return f"Sensitivity({self.quantities} by {list(self.parameters)})"

    def _repr_html_(self) -> str:
        values, matrix, said = self._last
        head = ["quantity", "unit", "value", *(f"d/d {name}" for name in self.parameters)]
        rows = [(q, u, x, *d) for q, u, x, d in zip(self.quantities, self.units, values, matrix)]
        return reports.report("Sensitivity", [said] if said else [], reports.table(head, rows))

    def __str__(self) -> str:
        values, matrix, said = self._last
        names = list(self.parameters)
        width = max(len(q) + len(u) + 3 for q, u in zip(self.quantities, self.units))
        head = " ".join([" " * width, f"{'value':>13}", *(f"{'d/d ' + name:>16}" for name in names)])
        rows = [
            " ".join([f"{f'{q} [{u}]':<{width}}", f"{value:13.6g}", *(f"{x:16.8g}" for x in row)])
            for q, u, value, row in zip(self.quantities, self.units, values, matrix)
        ]
        return "\n".join([head, *rows, *([said] if said else [])])
