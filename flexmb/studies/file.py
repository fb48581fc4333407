"""A study as one SQLite file: plain numbers and texts, no code; each run is on disk soon after it is done.

    about   key, value: format, format_version, flexmb_version, function, parameters (their names, JSON),
            fingerprint (of the function's code, a text to compare; none in older files)
    runs    position; parameters: JSON text, which identifies the run; status: ok, failed, died or missing;
            results: JSON, an array as {"float64": [first, length]} into `arrays`: float64, little-endian;
            error; seconds; check: CRC-32 of all of these

All changes are transactions: whatever ends the process, even a power cut, the file holds all runs up to the last one
written. While a study runs no other process can open its file.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from flexmb import __version__
from flexmb.errors import ResultFileError
from flexmb.machine import files
from flexmb.studies.outcomes import Outcome
from flexmb.studies.parameters import Parameters, from_key, run_key

FORMAT = "flexmb study"
FORMAT_VERSION = 1
#: the application id by which SQLite marks the file ("flxs")
APPLICATION = 0x666C7873
STATUSES = ("ok", "failed", "died", "missing")

_SCHEMA = (
    "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE runs (position INTEGER PRIMARY KEY, parameters TEXT NOT NULL UNIQUE, status TEXT NOT NULL,"
    " results TEXT NOT NULL, arrays BLOB NOT NULL, error TEXT NOT NULL, seconds REAL NOT NULL,"
    ' "check" INTEGER NOT NULL)',
)
_FIELDS = 'parameters, status, results, arrays, error, seconds, "check"'


class StudyFile:
    """An open file of a study."""

    def __init__(
        self,
        path: str | Path,
        *,
        function: str = "",
        names: tuple[str, ...] = (),
        fingerprint: str = "",
        reading: bool = False,
        threads: bool = False,
    ):
        """Open a file. Unless it is only read, it is created if need be, and must fit the function and the names of its
        parameters. `fingerprint` becomes that of the function with which the file was begun, if it is there already.
        `threads`: whether others than this one write it too, one after the other."""
        self.path = (files.path_to_read if reading else files.path_to_write)(path, "study file")
        self.where = f"study file {self.path}"
        if self.path.exists() and not self.path.is_file():
            raise ResultFileError(f"{self.where}: this is no file, but a device or a pipe; give the name of a file")
        exists = self.path.exists() and self.path.stat().st_size > 0
        if reading and not exists:
            raise ResultFileError(f"{self.where}: it is empty")
        self.function, self.names, self.fingerprint, self.reading = function, names, fingerprint, reading
        address = f"{self.path.resolve().as_uri()}?mode={'rw' if reading else 'rwc'}"
        try:
            self._connection = sqlite3.connect(
                address, uri=True, timeout=0.2, isolation_level=None, check_same_thread=not threads
            )
            try:
                self._open(exists)
            except BaseException:
                self.close()
                raise
        except sqlite3.Error as why:
            raise self._failure(why) from None

    def _open(self, exists: bool) -> None:
        execute = self._connection.execute
        if not self.reading:
            execute("PRAGMA synchronous = FULL")
            execute("PRAGMA locking_mode = EXCLUSIVE")  # from the next transaction until the file is closed
            execute("BEGIN EXCLUSIVE")
            if not exists:
                self._create()
            execute("COMMIT")
            if not exists:
                return
        application = execute("PRAGMA application_id").fetchone()[0]
        if application != APPLICATION:
            raise ResultFileError(f"{self.where}: this is an SQLite file, but not one of a study; give another name")
        state = execute("PRAGMA quick_check(1)").fetchone()[0]
        if state != "ok":
            raise ResultFileError(f"{self.where}: it is damaged ({' '.join(state.split())})")
        about = dict(execute("SELECT key, value FROM about"))
        with files.parsing(self.where):
            self._check_fit(about)

    def _create(self) -> None:
        execute = self._connection.execute
        execute(f"PRAGMA application_id = {APPLICATION}")
        for line in _SCHEMA:
            execute(line)
        about = {
            "format": FORMAT,
            "format_version": str(FORMAT_VERSION),
            "flexmb_version": __version__,
            "function": self.function,
            "parameters": json.dumps(self.names),
            "fingerprint": self.fingerprint,
        }
        self._connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())

    def _check_fit(self, about: dict[str, str]) -> None:
        """Check that the file belongs to the function and the parameters of the study."""
        try:
            version = int(about["format_version"])
            function, names = about["function"], tuple(map(str, json.loads(about["parameters"])))
        except (KeyError, ValueError, TypeError):
            raise ResultFileError(f"{self.where}: it is damaged (it does not say what it is about)") from None
        if version > FORMAT_VERSION:
            raise ResultFileError(
                f"{self.where}: it is of format {version}, this flexmb reads up to {FORMAT_VERSION}; "
                "install a newer one"
            )
        if self.function and function != self.function:
            raise ResultFileError(
                f"{self.where}: it holds runs of {function}, not of {self.function}; give another file"
            )
        if self.names and set(names) != set(self.names):
            raise ResultFileError(
                f"{self.where}: its runs have the parameters {', '.join(names) or 'none'}, "
                f"not {', '.join(self.names)}; give another file"
            )
        self.function, self.names, self.fingerprint = function, names, about.get("fingerprint", "")

    def read(self) -> dict[str, tuple[Parameters, Outcome]]:
        """All runs by their keys, in their order."""
        return {run_key(run): (run, outcome) for run, outcome in self.each()}

    def each(self) -> Iterator[tuple[Parameters, Outcome]]:
        """One run after the other, in their order."""
        try:
            rows = self._connection.execute(f"SELECT {_FIELDS} FROM runs ORDER BY position")
            for number, row in enumerate(rows):
                with files.parsing(f"{self.where}, run {number}"):
                    if row[-1] != _check_sum(row[:-1]):
                        raise ResultFileError(f"{self.where}: it is damaged (run {number} does not fit its check sum)")
                    given = from_key(row[0])
                    found = {name: given[name] for name in self.names}, _outcome_of(row)
                yield found
        except sqlite3.Error as why:
            raise self._failure(why) from None

    def begin_with(self, fingerprint: str) -> None:
        """Note with what code of the function the file begins."""
        self._change("INSERT OR REPLACE INTO about VALUES (?, ?)", [("fingerprint", fingerprint)])
        self.fingerprint = fingerprint

    def plan(self, runs: list[Parameters]) -> None:
        """Enter runs that are still to be done."""
        rows = [_row_of(run, Outcome()) for run in runs]
        self._change(f"INSERT INTO runs ({_FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)

    def write(self, done: list[tuple[Parameters, Outcome]]) -> None:
        """Write outcomes to disk, all or none."""
        rows = [_row_of(run, outcome) for run, outcome in done]
        change = (
            "UPDATE runs SET status = ?, results = ?, arrays = ?, error = ?, seconds = ?,"
            ' "check" = ? WHERE parameters = ?'
        )
        self._change(change, [(*row[1:], row[0]) for row in rows])

    def _change(self, change: str, rows: list[tuple]) -> None:
        if not rows:
            return
        try:
            with self._connection:  # commits, or rolls back after an exception
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany(change, rows)
        except sqlite3.Error as why:
            raise self._failure(why) from None

    def _failure(self, why: sqlite3.Error) -> ResultFileError:
        code = getattr(why, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return ResultFileError(f"{self.where}: a study that is running uses it; wait until it has ended")
        if code == sqlite3.SQLITE_NOTADB:
            return ResultFileError(f"{self.where}: this is not a file of a study; give another name")
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR):
            return ResultFileError(f"{self.where}: it cannot be opened or written ({why})")
        return ResultFileError(f"{self.where}: it is damaged ({why})")

    def close(self) -> None:
        """Close the file; other processes can open it then."""
        self._connection.close()

    def __enter__(self) -> StudyFile:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _row_of(run: Parameters, outcome: Outcome) -> tuple:
    """A row of the table of runs."""
    arrays: list[np.ndarray] = []
    results: dict[str, Any] = {}
    first = 0
    for name, value in outcome.results.items():
        if isinstance(value, np.ndarray):
            results[name] = {"float64": [first, value.size]}
            arrays.append(value.astype("<f8"))
            first += value.size
        else:
            results[name] = value
    blob = b"".join(a.tobytes() for a in arrays)
    row = (run_key(run), outcome.status, json.dumps(results), blob, _storable(outcome.error), outcome.seconds)
    return (*row, _check_sum(row))


def _storable(text: str) -> str:
    """Text without lone surrogates, which no file can hold."""
    return text.encode("utf-8", "backslashreplace").decode()


def _outcome_of(row: tuple) -> Outcome:
    """The outcome in a row."""
    _, status, text, blob, error, seconds, _ = row
    if status not in STATUSES:
        raise ValueError(status)
    numbers = np.frombuffer(blob, dtype="<f8").astype(np.float64)
    results: dict[str, Any] = {}
    for name, value in json.loads(text).items():
        if isinstance(value, dict):
            first, length = value["float64"]
            if first + length > numbers.size:
                raise ValueError(name)
            value = numbers[first : first + length].copy()
        results[name] = value
    return Outcome(status, results, error, seconds)


def _check_sum(row: tuple) -> int:
    text = json.dumps([row[0], row[1], row[2], row[4], row[5]])
    return zlib.crc32(row[3], zlib.crc32(text.encode()))
