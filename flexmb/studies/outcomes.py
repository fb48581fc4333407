"""The outcome of one run: its results, or why it has none."""

from __future__ import annotations

import functools
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from flexmb.errors import ModelError
from flexmb.machine.threads import always_one_thread
from flexmb.model.hints import AnswersCalls

#: columns that every study has beside parameters and results
RESERVED = ("status", "error")


@dataclass
class Outcome(metaclass=AnswersCalls):
    """The outcome of one run: status "ok", "failed" (an exception), "died" (its process ended) or "missing" (not run
    yet).

    >>> import flexmb as fm
    >>> def period(length):
    ...     return {"period": 2 * 3.141592653589793 * (length / 9.81) ** 0.5}
    >>> swings = fm.study(period, fm.grid(length=[0.25, 1.0]), workers=0)
    >>> [(outcome.status, round(outcome.results["period"], 3)) for outcome in swings.outcomes]
    [('ok', 1.003), ('ok', 2.006)]
    """

    status: str = "missing"
    results: dict[str, Any] = field(default_factory=dict)
    error: str = ""
    seconds: float = 0.0
    #: whether it failed because the name of a result is taken, as it then is in all runs
    clash: bool = False

    def __repr__(self) -> str:
        found = f", results {list(self.results)}" if self.results else f", {self.error!r}" if self.error else ""
        return f"Outcome({self.status!r}{found})"


class Together(ABC):
    """Runs that are done many at once, as the members of a batch are.

    `name` and `identity`: by which the file of a study knows them; `least`: how many to do at once, if there are as
    many.
    """

    name: str
    identity: str
    least: int

    @abstractmethod
    def check(self, first: Mapping[str, Any]) -> None:
        """Raise an error if these parameters of a run mean nothing."""

    @abstractmethod
    def check_file(self, identity: str, where: str) -> None:
        """Raise an error if a file with that identity has other runs."""

    @abstractmethod
    def shared(self, processes: int) -> Together:
        """The runs as one of so many processes on this machine does them."""

    @abstractmethod
    def outcomes(self, chunk: Sequence[Mapping[str, Any]]) -> list[Outcome]:
        """The outcomes of some runs; "missing" for those that Ctrl-C left out."""

    def __call__(self, **parameters: Any) -> Any:
        """The results of one run."""
        return self.outcomes([parameters])[0].results


#: what makes runs that are done together of a `functools.partial` of a function
_together: dict[Callable[..., Any], Callable[[functools.partial[Any], str], Together]] = {}


def note_together(function: Callable[..., Any], make: Callable[[functools.partial[Any], str], Together]) -> None:
    """Say that a study does the runs of a partial of a function many at once."""
    _together[function] = make


def together_of(run: Callable[..., Any]) -> Together | None:
    """The runs that are done together, if a function says so."""
    if isinstance(run, functools.partial):
        for function, make in _together.items():  # one by one, since what a user calls need have no hash
            if run.func is function:
                return make(run, "study of a batch")
    return None


def run_chunk(run: Callable[..., Any], chunk: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """Do some runs, one after another unless they go together, with one thread of BLAS. An exception ends only the run
    that raised it."""
    with always_one_thread():
        if isinstance(run, Together):
            return run.outcomes(chunk)
        return [run_once(run, parameters) for parameters in chunk]


def run_once(run: Callable[..., Any], parameters: Mapping[str, Any]) -> Outcome:
    begun = time.perf_counter()
    try:
        outcome = Outcome("ok", as_results(run(**parameters), parameters))
    except (Exception, SystemExit) as why:
        outcome = Outcome("failed", error=_error_line(why), clash=isinstance(why, _TakenNameError))
    outcome.seconds = time.perf_counter() - begun
    return outcome


def _error_line(why: BaseException) -> str:
    """An exception in one line, with the place where it was raised."""
    if isinstance(why, _NoResultError):
        return str(why)
    text = " ".join(f"{type(why).__name__}: {why}".split())
    last = traceback.extract_tb(why.__traceback__)[-1]
    return f"{text} ({last.filename.replace(chr(92), '/').rsplit('/', 1)[-1]}, line {last.lineno})"


class _NoResultError(ModelError):
    """A run returned something that is no row of a table."""


class _TakenNameError(_NoResultError):
    """The name of a result is that of another column."""


def taken(name: str, parameters: Mapping[str, Any]) -> str:
    """Why a result cannot have a name, or nothing if it can."""
    if name not in parameters and name not in RESERVED:
        return ""
    kind = "a parameter" if name in parameters else "a column of every study"
    return f"{name!r}, which is the name of {kind} already; give another name"


def as_results(returned: Any, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The results of a run as names and plain values; a single number gets the name 'result'."""
    if not isinstance(returned, Mapping):
        returned = {"result": returned}
    results: dict[str, Any] = {}
    for name, value in returned.items():
        if not isinstance(name, str):
            raise _NoResultError(f"the run returned {name!r} as a name; give a text")
        if why := taken(name, parameters):
            raise _TakenNameError(f"the run returned {why}")
        results[name] = _result(value, name)
    return results


def _result(value: Any, name: str) -> Any:
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int) and abs(value) < 2**63:
        return int(value)
    if isinstance(value, float | int):
        return float(value)
    if isinstance(value, list | tuple | np.ndarray):
        array = np.asarray(value)
        if array.ndim == 1 and (array.dtype.kind in "fiub" or array.size == 0):
            return np.array(array, dtype=np.float64)
    raise _NoResultError(
        f"the run returned {type(value).__name__} as {name!r}; a result is a number, a text, a truth value or a "
        "one-dimensional array of real numbers"
    )
