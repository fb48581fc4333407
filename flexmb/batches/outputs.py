"""Outputs of the members of a batch: series by their names, checked before the first member runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from flexmb.errors import FlexmbError, ModelError, NamingError, silent
from flexmb.model import checks, given_names
from flexmb.results.layout import Layout
from flexmb.results.recorded import MadeLater
from flexmb.results.solution import Solution
from flexmb.results.sources import SystemSource
from flexmb.solvers.binding.bound import Bound
from flexmb.solvers.one_run import Asked

#: How near to a whole number of turns an angle has changed by turns alone: far above rounding.
WHOLE = 1e-9


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
        """Nothing is known of how well rows hold."""


class Outputs:
    """The series `names` of the members of a batch, each with the `shape` of one instant; `forces` and `work`: whether
    one of them reads the forces of joints, or depends on the work since the start."""

    def __init__(self, names: Any, bound: Bound, asked: Asked, where: str) -> None:
        self._times, self._where = asked.times, where
        given = [names] if isinstance(names, str) else checks.several(names, "outputs", where)
        self.names = [checks.text(name, "a name of outputs", where) for name in given]
        given_names.all_different(self.names, "output", where)
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.forces = self.work = False
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
        self.work = self._depends_on_work(start)
        if asked.times is not None and asked.times[0] > asked.t_start:
            self._check_turns(start, asked, where)

    def _depends_on_work(self, start: Solution) -> bool:
        """Whether one of them differs if other work has been done while the mechanism rested where it starts."""
        found = list[dict[str, np.ndarray]]()
        own: Any = start.source
        t, rest = start.t[0] + np.arange(2.0), np.zeros((2, start.v.shape[1]))
        for work in (np.zeros((2, 4)), np.array([[0.0] * 4, [1.0, 3.0, 9.0, 27.0]])):
            source, forces = SystemSource(own.system, work), np.zeros((2, start.multipliers.shape[1]))
            q = np.repeat(start.q, 2, axis=0)
            one = Solution(start.layout, source, t, q, rest, rest, forces, model=start.model)
            with silent():
                found.append({name: one[name] for name in self.names})
        return not all(np.array_equal(x, y, equal_nan=True) for x, y in zip(*(one.values() for one in found)))

    def _check_turns(self, start: Solution, asked: Asked, where: str) -> None:
        """Refuse angles whose turns are counted from one time to the next, where no time is that of the start: a
        motion between two equal positions, by speeds of several turns, has turns in them alone."""
        q, v = (np.repeat(x, 2, axis=0) for x in (start.q, np.random.default_rng(1).uniform(20.0, 80.0, start.v.shape)))
        state = asked.t_start + np.arange(2.0), q, v, np.zeros_like(v)
        forces = np.zeros((2, start.multipliers.shape[1]))
        turning = Solution(start.layout, start.source, *state, forces, model=start.model)
        for name in self.names:
            try:
                with silent():
                    before, behind = turning[name]
                turns = np.abs(behind - before) / (2.0 * np.pi)
                counted = bool(np.any((turns > 0.5) & (np.abs(turns - np.round(turns)) < WHOLE)))
            except NamingError:  # that goes too far to be counted
                counted = True
            if counted:
                raise ModelError(
                    f"{where}: {name!r} counts turns from the start on, and times begin at {asked.times[0]:g} s; "  # type: ignore[index]
                    f"let them begin at {asked.t_start:g} s and follow one another closely, or give the joint "
                    "count_turns=True"
                )

    def _read(self, solution: Solution, name: str, where: str) -> np.ndarray:
        try:
            found = solution[name]
        except FlexmbError as error:
            raise type(error)(f"{where}: {error}") from None
        if not isinstance(found, np.ndarray) or len(found) != len(solution.t):
            raise ModelError(f"{where}: {name!r} is no series; name one of its quantities, such as '{name}.y'")
        return found

    def of(self, solution: Solution) -> dict[str, np.ndarray]:
        """The values of all of them over the times that a member has come to; a ModelError if they are no series like
        those of the first."""
        reached = len(solution.t) if self._times is not None and solution.t[0] == self._times[0] else 0
        found = {}
        for name in self.names:
            with silent():
                values = solution[name]
            if not isinstance(values, np.ndarray) or values.shape[1:] != self.shapes[name]:
                raise ModelError(f"{self._where}: {name!r} is no series of the shape that it has in the first member")
            found[name] = np.array(values[:reached])
        return found
