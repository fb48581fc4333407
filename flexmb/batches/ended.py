"""The ends of the members of a batch so far, in memory."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import numpy as np

from flexmb.results.solution import Solution

#: what a member is called that has come as far as it should
WELL = ("finished", "stopped")


class Ended:
    """The ends of the members of a batch, in memory, which its threads enter."""

    def __init__(self, count: int, times: np.ndarray, shapes: Mapping[str, Sequence[int]]) -> None:
        self.status, self.messages, self.message = np.full(count, "missing", dtype="<U12"), [""] * count, ""
        #: doubts and estimated errors that are known, by the number of the member
        self.checked: dict[int, tuple[list[str], float]] = {}
        #: the shapes of all outputs of a member, by name
        self.shapes = {name: (len(times), *shape) for name, shape in shapes.items()}
        self._lock = threading.Lock()
        self._outputs: dict[str, np.ndarray] = {}

    @property
    def done(self) -> int:
        """Number of the members that have ended."""
        return int(np.count_nonzero(self.status != "missing"))

    @property
    def missing(self) -> list[int]:
        """The members that have not ended."""
        return np.flatnonzero(self.status == "missing").tolist()

    def enter(self, k: int, status: str, message: str, values: Mapping[str, np.ndarray] | None) -> None:
        """Enter how member k ended, with its outputs at the times that it has come to, the first ones of all."""
        with self._lock:
            self._keep(k, status, message, self._whole(values or {}))
            self.status[k], self.messages[k] = status, message

    def _whole(self, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The outputs at all times, NaN where the member has not come so far."""
        whole = {}
        for name, found in values.items():
            whole[name] = np.full(self.shapes[name], np.nan)
            whole[name][: len(found)] = found
        return whole

    def _keep(self, k: int, status: str, message: str, values: dict[str, np.ndarray]) -> None:
        for name, found in values.items():
            self._all(name)[k] = found

    def _all(self, name: str) -> np.ndarray:
        if name not in self._outputs:
            self._outputs[name] = np.full((len(self.status), *self.shapes[name]), np.nan)
        return self._outputs[name]

    def output(self, name: str) -> np.ndarray:
        """The values of an output of all members."""
        with self._lock:
            return self._all(name)

    def close(self) -> None:
        """Say that no member will end any more."""

    def note_checks(self, k: int, solution: Solution) -> None:
        """Note the doubts and the estimated error of member k."""
        error = solution.statistics.estimated_error
        self.checked[k] = list(solution.doubts), np.nan if error is None else float(error)
