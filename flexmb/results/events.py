"""What events did in a run: plain data, kept with the solution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from flexmb.model.hints import AnswersCalls


class Impulses(Mapping[str, tuple[np.ndarray, Any]]):
    """Impulses of joints by name, which functions find when somebody reads them: each returns those of one switching,
    of which a later one takes the place of an earlier.

    >>> both = Impulses(lambda: {"hook": (1.0, 2.0)}) | Impulses(lambda: {"lock": (0.0, 3.0)})
    >>> list(both), both["lock"]
    (['hook', 'lock'], (0.0, 3.0))
    """

    def __init__(self, *found_by: Callable[[], Mapping[str, tuple[Any, Any]]]) -> None:
        self._found_by = found_by

    @cached_property
    def _found(self) -> dict[str, tuple[Any, Any]]:
        found: dict[str, tuple[Any, Any]] = {}
        for function in self._found_by:
            found |= function()
        return found

    def __or__(self, other: Impulses) -> Impulses:
        return Impulses(*self._found_by, *other._found_by)

    def __getitem__(self, joint: str) -> tuple[Any, Any]:
        return self._found[joint]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return repr(self._found)


@dataclass(eq=False)
class EventRecord(metaclass=AnswersCalls):
    """An event that happened: its `name`, the time `t` [s], the `quantity` that crossed `value` (empty, and the time
    itself, of an event at a time), in which `direction` ("up" or "down"); what was `done`, a few words for each action;
    the state before that, `q` (nq,), `v`, `a` (n,) and all `multipliers` (m,).

    Where components were switched: their names, `on` and `off`; the impulses of joints that hold behind it by name,
    linear [N s] and angular [Nm s], on frame b and about its origin, in the axes of the ground; the energy that was
    `lost` [J].

    >>> import flexmb as fm
    >>> m = fm.PlanarModel("falling", gravity=(0, -10))
    >>> stone = m.add_body("stone", mass=1.0, inertia=0.1, position=(0, 5))
    >>> landing = m.add_event(fm.crossing("stone.y", 0.0, "down"), fm.StopRun(), name="landing")
    >>> record = fm.simulate(m, 2.0).events[0]
    >>> record.name, round(record.t, 6), record.direction, record.done, record.v.round(6).tolist()
    ('landing', 1.0, 'down', ['stopped'], [0.0, -10.0, 0.0])
    """

    name: str
    t: float
    quantity: str
    value: float
    direction: str
    done: list[str]
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    multipliers: np.ndarray
    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()
    impulses: Impulses = field(default_factory=Impulses)
    lost: float = 0.0

    def __repr__(self) -> str:
        crossed = f", {self.quantity} {self.direction} through {self.value:g}" if self.quantity else ""
        return f"EventRecord({self.name!r} at t = {self.t:.9g} s{crossed}: {', '.join(self.done)})"
