"""The members of a batch in a file, one after the other as they end: a file of a study, whose runs are the members."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from flexmb.batches.ended import WELL, Ended
from flexmb.batches.identity import differences
from flexmb.batches.members import Members
from flexmb.errors import ModelError, ResultFileError
from flexmb.studies.file import StudyFile
from flexmb.studies.outcomes import RESERVED, Outcome
from flexmb.studies.parameters import Parameters, plain_value

#: the column of the number of a member
MEMBER = "member"
#: the columns that say how a member ended, beside its outputs: a word as the status of a solution, and why
ENDED, MESSAGE = "ended", "message"
#: members are on disk after this time [s] at the latest: to write them takes some milliseconds, however many they are
WRITE_SECONDS = 0.2


class Filed(Ended):
    """The ends of the members of a batch, in a file. Their outputs are there alone, and are read from it.

    `identity`: the text by which a file is known as that of this batch.
    """

    def __init__(
        self, path: str | Path, members: Members, times: np.ndarray, shapes: Mapping[str, Sequence[int]], identity: str
    ) -> None:
        super().__init__(members.count, times, shapes)
        self._members, self._identity = members, identity
        self._unwritten: list[tuple[Parameters, Outcome]] = []
        self._written = time.perf_counter()
        self._plain = _plain_names(members)
        names = (MEMBER, *self._plain)
        self._file: StudyFile | None = StudyFile(
            path, function=members.where, names=names, fingerprint=identity, threads=True
        )
        self._path = self._file.path.resolve()
        try:
            self._begin(self._file)
        except BaseException:
            self._file.close()
            raise

    def _begin(self, file: StudyFile) -> None:
        """Take over the members that the file has, and enter in it those that are to come."""
        there = set()
        self._check(file)
        for run, outcome in file.each():
            k = run[MEMBER]
            there.add(k)
            if outcome.status != "missing":
                self.status[k], self.messages[k] = outcome.results[ENDED], outcome.results[MESSAGE]
        file.plan([self._parameters(k) for k in range(len(self.status)) if k not in there])

    def _check(self, file: StudyFile) -> None:
        """Refuse the file of another batch."""
        if other := differences(self._identity, file.fingerprint):
            raise ResultFileError(
                f"{file.where}: it belongs to another {self._members.where}, which differs in {', '.join(other)}; "
                "give another file"
            )

    def _parameters(self, k: int) -> Parameters:
        described = self._members.described(k)
        return {MEMBER: k, **{name: _plain(described[name]) for name in self._plain}}

    def _keep(self, k: int, status: str, message: str, values: dict[str, np.ndarray]) -> None:
        outcome = outcome_of(status, message, values)
        self._unwritten.append((self._parameters(k), outcome))
        if time.perf_counter() - self._written > WRITE_SECONDS:
            self._write()

    def _write(self) -> None:
        if self._file is not None and self._unwritten:
            self._file.write(self._unwritten)
            self._unwritten = []
        self._written = time.perf_counter()

    def close(self) -> None:
        """Write what is not yet in the file, and let others open it."""
        with self._lock:
            if self._file is not None:
                try:
                    self._write()
                finally:
                    self._file.close()
                    self._file = None

    def output(self, name: str) -> np.ndarray:
        """The values of an output of all members, read from the file."""
        whole = np.full((len(self.status), *self.shapes[name]), np.nan)
        parts = _names_of_columns(name, self.shapes[name])
        with StudyFile(self._path, reading=True) as file:
            self._check(file)
            for run, outcome in file.each():
                for part, place in parts.items():
                    if part in outcome.results:
                        whole[run[MEMBER]][_at(place)] = outcome.results[part]
        return whole


def outcome_of(status: str, message: str, values: Mapping[str, np.ndarray]) -> Outcome:
    """The outcome of a member as that of a run of a study."""
    if status == "missing":
        return Outcome()
    results = {**columns(values), ENDED: str(status), MESSAGE: message}
    return Outcome("ok", results) if status in WELL else Outcome("failed", results, error=message or str(status))


def columns(values: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The outputs (times, ...) of a member as columns of a study. An output of more than one entry a time has one for
    each; a column is a number if there is one time."""
    found: dict[str, Any] = {}
    for name, whole in values.items():
        for part, place in _names_of_columns(name, whole.shape).items():
            column = whole[_at(place)]
            found[part] = float(column[0]) if len(column) == 1 else column.astype(float)
    return found


def _at(place: tuple[int, ...]) -> Any:
    """The index of an entry at all times."""
    return (slice(None), *place)


def _names_of_columns(name: str, shape: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """The columns of an output, and the entry of each."""
    if len(shape) == 1:
        return {name: ()}
    return {f"{name}[{', '.join(map(str, place))}]": place for place in np.ndindex(*shape[1:])}


def _plain_names(members: Members) -> list[str]:
    """The names of what differs and is plain in all members, so that it can be a column."""
    taken = (MEMBER, ENDED, MESSAGE, *RESERVED)
    found = []
    for name, column in {**members.values, **members.starts}.items():
        if name in taken:
            raise ModelError(
                f"{members.where}: {name!r} is a column of the file already; give the argument another name"
            )
        try:
            for value in column:
                _plain(value)
        except ModelError:  # a law, or a material
            continue
        found.append(name)
    return found


def _plain(value: Any) -> Any:
    """The value as a study has it. NaN, with which a member fails, is a word."""
    if isinstance(value, float) and np.isnan(value):
        return "NaN"
    return plain_value(value, "value", "batch")
