"""The result of a batch: what was read of each member, how it ended, and each member as a run of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flexmb.batches.ended import WELL, Ended
from flexmb.errors import SolverError, silent
from flexmb.model import checks, given_names
from flexmb.model.hints import AnswersCalls
from flexmb.results.solution import Solution


class Runs(metaclass=AnswersCalls):
    """The members of a batch, numbered from 0; :func:`flexmb.batch` makes it.

    ``runs["tip.y"]`` are the values (N, k) of an output at the `times` (k,) [s]; NaN where a member has not come so
    far; with a file they are read from it each time. ``runs.solution(17)`` is member 17 as a run of its own, and
    ``runs.values(17)`` what it was given.

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("falling", gravity=(0, -10))
    >>> stone = m.add_body("stone", mass=1.0, inertia=0.1)
    >>> weak, strong = (0, -10), (0, -20)
    >>> runs = fm.batch(m, 1.0, "rkf45", step=0.1, vary={"gravity": [weak, strong]}, outputs=["stone.y"], threads=1)
    >>> runs["stone.y"].round(9).tolist(), runs.values(1), float(runs.solution(1)["stone.y"][-1].round(9))
    ([[-5.0], [-10.0]], {'gravity': (0, -20)}, -10.0)
    """

    def __init__(
        self,
        ended: Ended,
        times: np.ndarray,
        described: Callable[[int], dict[str, Any]],
        single: Callable[[int], Solution],
        where: str,
    ) -> None:
        self._ended, self.times, self._described, self._single, self._where = ended, times, described, single, where
        #: how each member ended, a word as the status of a :class:`flexmb.Solution`; "failed" for one that raised an
        #: error, "missing" for one that Ctrl-C left out
        self.status = ended.status
        #: why each member ended early or failed, "" if it did not
        self.messages = ended.messages

    @property
    def message(self) -> str:
        """Why the batch ended early, "" if it did not."""
        return self._ended.message

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, name: str) -> np.ndarray:
        given_names.known(name, self._ended.shapes, "output", self._where)
        return self._ended.output(name)

    @property
    def outputs(self) -> list[str]:
        """The names of what was read."""
        return list(self._ended.shapes)

    def values(self, k: int) -> dict[str, Any]:
        """Given values of member k by the names of parameters."""
        return self._described(self._number(k))

    def solution(self, k: int) -> Solution:
        """Member k as a run of its own, with its doubts: what :func:`flexmb.simulate` gives with its values, at the
        `times`."""
        k = self._number(k)
        with silent():
            return self._single(k)

    @property
    def doubts(self) -> list[list[str]]:
        """Why the motion of each member may be wrong, sentences for each. They are found when they are read, which
        takes as long as the single runs; those of one member are `runs.solution(k).doubts`."""
        return [self.doubts_of(k) for k in range(len(self))]

    @property
    def estimated_error(self) -> np.ndarray:
        """The estimated error (N,) of each member with fixed steps, in units of the model's length and radians; NaN
        where it is not known. It is found when it is read, as the doubts are."""
        return np.array([self._check(k)[1] for k in range(len(self))])

    def doubts_of(self, k: int) -> list[str]:
        """The doubts of member k; none if it has not ended."""
        return self._check(self._number(k))[0]

    def _check(self, k: int) -> tuple[list[str], float]:
        if k not in self._ended.checked:
            if self.status[k] not in WELL:
                return [], np.nan
            self._ended.note_checks(k, self.solution(k))
        return self._ended.checked[k]

    def _number(self, k: Any) -> int:
        return checks.count(k, "the number of a member", self._where, most=len(self) - 1)

    def raise_failed(self) -> None:
        """Raise an error if a member has failed or diverged, with the first reason."""
        bad = np.flatnonzero(~np.isin(self.status, WELL))
        if len(bad):
            first = int(bad[0])
            raise SolverError(
                f"{self._where}: {len(bad)} of {len(self)} members did not end as they should; member {first} "
                f"{self.status[first]}: {self.messages[first]}"
            )

    def __repr__(self) -> str:
        kinds, counts = np.unique(self.status, return_counts=True)
        ended = ", ".join(f"{count} {kind}" for kind, count in zip(kinds, counts))
        return f"Runs({len(self)} members: {ended}; {len(self.times)} times; {', '.join(self.outputs) or 'no outputs'})"
