"""What is read of each member of a batch: series by their names, checked before the first member runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import FlexmbError, ModelError, silent
from flexmb.model import checks, given_names
from flexmb.results.layout import Layout
from flexmb.results.recorded import MadeLater
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from flexmb.solvers.binding.bound import Bound
from flexmb.solvers.one_run import Asked


class _Asked(MadeLater):
    """Joint forces that are zero, and note whether somebody has asked for them."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.read, self._zero = False, np.zeros(shape)

    def of(self, rows: np.ndarray) -> np.ndarray:
        self.read = True
        return self._zero[rows]

    def all(self) -> np.ndarray:
        self.read = True
        return self._zero

    def note(self, statistics: Any) -> None:
        """It knows nothing of how well rows hold."""


class Outputs:
    """The series `names` of the members of a batch, each with the `shape` of one instant; `forces`: whether one of them
    reads the forces of joints."""

    def __init__(self, names: Any, bound: Bound, asked: Asked, where: str) -> None:
        given = [names] if isinstance(names, str) else checks.several(names, "outputs", where)
        self.names = [checks.text(name, "a name of outputs", where) for name in given]
        given_names.all_different(self.names, "output", where)
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.forces = False
        if self.names:
            self._check(bound, asked, f"{where}, outputs")

    def _check(self, bound: Bound, asked: Asked, where: str) -> None:
        """Read all of them at the start, where a name that means nothing raises an error."""
        system = bound.system({})
        forces = _Asked((1, len(system.assembly.every_row)))
        q, v = (system.q0, system.v0) if asked.start is None else (asked.start.q, asked.start.v)
        state = np.array([asked.t_start]), q[None], v[None], np.zeros((1, system.n))
        start = Solution(Layout.of(system), SystemSource(system), *state, forces, model=bound.model)
        with silent():
            for name in self.names:
                if bound.model.controllers and name.partition(".")[0] in bound.model.controllers:
                    raise ModelError(f"{where}: {name!r} is of a controller; runs.solution(k).control has what it did")
                self.shapes[name] = self._read(start, name, where).shape[1:]
        self.forces = forces.read

    def _read(self, solution: Solution, name: str, where: str) -> np.ndarray:
        try:
            found = solution[name]
        except FlexmbError as error:
            raise type(error)(f"{where}: {error}") from None
        if not isinstance(found, np.ndarray) or len(found) != len(solution.t):
            raise ModelError(f"{where}: {name!r} is no series; name one of its quantities, such as '{name}.y'")
        return found

    def of(self, solution: Solution) -> dict[str, np.ndarray]:
        """The values of all of them over the times of a solution."""
        with silent():
            return {name: np.array(solution[name]) for name in self.names}
