"""The members of a batch: what differs from member to member, checked, and the model and the start of each."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.batches.starts import Start
from flexmb.errors import FlexmbError, ModelError
from flexmb.model import checks
from flexmb.model.model import Model
from flexmb.parameters.names import changed, parameter
from flexmb.results.state import State
from flexmb.solvers.binding.initial_state import state_of
from flexmb.system.system import System


class Members:
    """The `count` members of a batch of a `model`, or of models that a builder makes.

    `values`: what varies, by the names of parameters (of a builder: of its arguments), a list for each with a value for
    each member; `starts`: what differs at the start, by names of joint coordinates and of their rates, or a state for
    each member.
    """

    def __init__(self, model: Any, vary: Any, initial: Any, where: str) -> None:
        self.where, self.model = where, model
        self.builds = not isinstance(model, Model)
        if self.builds and not callable(model):
            raise ModelError(f"{where}: {checks.quoted(model)} is neither a model nor a function that builds one")
        self.values = _columns(vary, "vary", where)
        self.states: list[State] | None = None
        self.starts: dict[str, list[Any]] = {}
        if initial is not None and not isinstance(initial, Mapping):
            self.states = [state_of(state, f"{where}, initial") for state in checks.several(initial, "initial", where)]
        else:
            self.starts = _columns(initial, "initial", where)
        lengths = {name: len(column) for name, column in {**self.values, **self.starts}.items()}
        if self.states is not None:
            lengths["initial"] = len(self.states)
        if not lengths:
            raise ModelError(f"{where}: nothing differs; give values by names as vary=…, or initial=…")
        first = next(iter(lengths))
        for name, length in lengths.items():
            if length != lengths[first]:
                raise ModelError(
                    f"{where}: {first!r} has {lengths[first]} values and {name!r} has {length}; give each as many as "
                    "there are members"
                )
        self.count = lengths[first]
        if not self.count:
            raise ModelError(f"{where}: there are no members; give at least one value")
        if self.builds:
            if self.starts:
                raise ModelError(f"{where}: a function builds its models with their starts; give initial as states")
        else:
            for name in self.values:
                parameter(model, name, f"{where}, vary")
            if self.values:  # members are built of it when they are read, whatever a user has changed meanwhile
                self.model = model = copy.deepcopy(model)
        self._start = Start(model, list(self.starts), where) if self.starts else None
        for name, column in self.starts.items():
            for value in column:
                if not isinstance(value, int | float):
                    checks.number(value, repr(name), f"{where}, initial")

    def described(self, k: int) -> dict[str, Any]:
        """Values of member k by the names of parameters."""
        return {name: column[k] for name, column in {**self.values, **self.starts}.items()}

    def flaw(self, k: int) -> str:
        """Why member k cannot be computed, as far as its values tell; empty if it may."""
        return self._flaws.get(k, "")

    @cached_property
    def _flaws(self) -> dict[int, str]:
        """The members with values that are no numbers, and which."""
        found: dict[int, str] = {}
        for name, column in {**self.values, **self.starts}.items():
            for k, value in enumerate(column):
                if value is not None and isinstance(value, float | np.ndarray) and np.isnan(value).any():
                    found.setdefault(k, f"{name!r} is NaN")
        return found

    def model_of(self, k: int) -> Model:
        """The model of member k: the one that was given, if no parameter varies."""
        where = f"{self.where}, member {k}"
        values = {name: column[k] for name, column in self.values.items()}
        if not self.builds:
            return changed(self.model, values, where) if values else self.model
        try:
            made = self.model(**values)
        except FlexmbError:
            raise
        except Exception as error:
            raise ModelError(f"{where}: the function that builds it raised {type(error).__name__}: {error}") from error
        if not isinstance(made, Model):
            raise ModelError(f"{where}: the function that builds it returned {checks.quoted(made)}, no model")
        return made

    def start_of(self, k: int, model: Model, system: Callable[[], System]) -> State | None:
        """The state from which member k begins, which is this model and has this system; None if it does as its model
        says."""
        if self.states is not None:
            return self.states[k]
        start = self._start
        if start is None:
            return None
        if model is not self.model and not start.serves(system()):
            start = Start(model, list(self.starts), f"{self.where}, member {k}")
        return start.state({name: column[k] for name, column in self.starts.items()})


def _columns(given: Any, what: str, where: str) -> dict[str, list[Any]]:
    """The values of all members by names, of a mapping to lists or arrays, or of a table: a list of mappings."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        named = checks.by_names(given, what, where)
        return {name: _column(values, f"{what}, {name!r}", where) for name, values in named.items()}
    rows = checks.several(given, what, where)
    if not all(isinstance(row, Mapping) for row in rows):
        raise ModelError(
            f"{where}: {what} must say values by names, or be a list of mappings, as flexmb.grid makes one"
        )
    names = list(rows[0]) if rows else []
    for number, row in enumerate(rows):
        if list(row) != names and set(row) != set(names):
            raise ModelError(f"{where}: row {number} of {what} has {sorted(row)} and row 0 has {sorted(names)}")
    return {name: [row[name] for row in rows] for name in names}


def _column(values: Any, what: str, where: str) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ModelError(
            f"{where}: {what} is {checks.quoted(values)}; give a value for each member, as a list or array"
        )
    array = values if isinstance(values, np.ndarray) else None
    if array is not None and array.ndim == 0:
        raise ModelError(f"{where}: {what} is one value; give a value for each member, as a list or array")
    return [x if isinstance(x, np.ndarray) else _plain(x) for x in values]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
