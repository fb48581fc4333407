"""A batch as what a study runs: many members at once, in threads."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Mapping, Sequence
from typing import Any

from flexmb.batches.filed import ENDED, MESSAGE, outcome_of
from flexmb.batches.identity import differences, identity_of
from flexmb.batches.members import Members
from flexmb.batches.starts import names_of_starts
from flexmb.errors import FlexmbError, ModelError, NamingError, ResultFileError
from flexmb.machine.processors import processors
from flexmb.model.model import Model
from flexmb.parameters.names import parameter
from flexmb.studies.outcomes import Outcome, Together, taken

#: arguments of a batch that a study gives it
_OF_THE_STUDY = ("vary", "initial", "file")
#: arguments that say nothing of what is computed
_ASIDE = ("threads", "progress")


class InStudy(Together):
    """A `functools.partial` of :func:`flexmb.batch`, of which a study says the members: parameters of the model, and
    coordinates and rates of joints at the start, by their names."""

    def __init__(self, run: functools.partial[Any], where: str) -> None:
        self._run = run
        try:
            given = inspect.signature(run.func).bind_partial(*run.args, **run.keywords).arguments
        except TypeError as why:
            raise ModelError(f"{where}: {why}; give fm.batch its arguments by functools.partial") from None
        for name in _OF_THE_STUDY:
            if name in given:
                raise ModelError(f"{where}: {name} is said by the study, its parameters and its file; leave it out")
        if "model" not in given or "t_end" not in given:
            raise ModelError(f"{where}: give functools.partial(fm.batch, model, t_end, …)")
        self._model = given["model"]
        model = self._model
        self.name = f"batch of {model.where if isinstance(model, Model) else getattr(model, '__name__', repr(model))}"
        outputs = given.get("outputs", ())
        self._outputs = [outputs] if isinstance(outputs, str) else list(outputs)
        parts = {**given, **given.get("options", {})}
        self.identity = identity_of({name: x for name, x in parts.items() if name not in (*_ASIDE, "options")})
        threads = given.get("threads")
        self.least = max(int(processors()), 1) if threads is None else threads
        self._threads = threads
        self._starts = names_of_starts(model) if isinstance(model, Model) else frozenset[str]()

    def check(self, first: Mapping[str, Any]) -> None:
        for name in (*self._outputs, ENDED, MESSAGE):
            if why := taken(name, first):
                raise ModelError(f"study of {self.name}: an output cannot be called {why}")
        for name in first:
            if name in self._starts and self._is_parameter(name):
                raise ModelError(
                    f"study of {self.name}: {name!r} is a coordinate at the start and a parameter too; give a function "
                    "that builds the model in its place"
                )
        vary, initial = self._split([first])
        Members(self._model, vary or None, initial or None, f"study of {self.name}")

    def _is_parameter(self, name: str) -> bool:
        try:
            parameter(self._model, name, self.name)
        except (ModelError, NamingError):
            return False
        return True

    def check_file(self, identity: str, where: str) -> None:
        if other := differences(self.identity, identity):
            raise ResultFileError(
                f"{where}: it belongs to another {self.name}, which differs in {', '.join(other)}; give another file"
            )

    def shared(self, processes: int) -> InStudy:
        """The batch with its share of the processors, unless `threads` are given."""
        if self._threads is not None:
            return self
        share = max(int(processors()) // processes, 1)
        keywords = {**self._run.keywords, "threads": share}
        return InStudy(functools.partial(self._run.func, *self._run.args, **keywords), self.name)

    def _split(self, chunk: Sequence[Mapping[str, Any]]) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
        """The values of all members that vary, and those at their starts."""
        columns = {name: [run[name] for run in chunk] for name in chunk[0]}
        vary = {name: column for name, column in columns.items() if name not in self._starts}
        return vary, {name: column for name, column in columns.items() if name in self._starts}

    def outcomes(self, chunk: Sequence[Mapping[str, Any]]) -> list[Outcome]:
        begun = time.perf_counter()
        vary, initial = self._split(chunk)
        try:
            runs = self._run(vary=vary or None, initial=initial or None, progress=False)
            series = {name: runs[name] for name in runs.outputs}
        except FlexmbError as why:
            found = [Outcome("failed", error=f"{type(why).__name__}: {why}") for _ in chunk]
        else:
            found = [
                outcome_of(runs.status[k], runs.messages[k], {name: x[k] for name, x in series.items()})
                for k in range(len(chunk))
            ]
        for outcome in found:
            outcome.seconds = (time.perf_counter() - begun) / len(chunk)
        return found
